"""The verifiers that a task names, run here, and the proof that each leaves (R-C7, format page B)."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess

from tenure.model import ids, scope
from tenure.model.errors import Broken, ProofMissing
from tenure.model.record import Claim
from tenure.model.settings import Verifier
from tenure.model.task import Proof, Task
from tenure.model.text import to_bytes
from tenure.work import repository
from tenure.work.corpus import Corpus

_SKIPPED = (".git", "target")


def run(corpus: Corpus, task: Task, claim: Claim, commit: str) -> list[Proof]:
    """Run every verifier of the task; a proof each. ProofMissing (5): a no or a timeout. Broken (9): cannot be run."""
    if not task.verify:
        return []
    settings = repository.config(corpus)
    wanted = [(name, settings.verifier(name)) for name in task.verify]
    for name, verifier in wanted:
        if verifier is None:
            told = f"the verifier {name!r} of {task.id} is not defined in .ank/config.yml"
            raise Broken(told, "${EDITOR:-vi} .ank/config.yml")
    tree = scope_hash(corpus.root, task.scope)
    return [_prove(corpus, task, claim, verifier, commit, tree) for _, verifier in wanted if verifier]


def _prove(corpus: Corpus, task: Task, claim: Claim, verifier: Verifier, commit: str, tree: str) -> Proof:
    code, output = _answer(verifier, corpus.root)
    if code in (126, 127):
        raise Broken(
            f"the verifier {verifier.name!r} cannot be run (exit {code}): {verifier.run}",
            "${EDITOR:-vi} .ank/config.yml",
        )
    if code != 0:
        why = f"gave no answer in {verifier.timeout} s" if code is None else f"said no (exit {code})"
        last = output.decode("utf-8", "replace").strip().rpartition("\n")[2][:200]
        raise ProofMissing(
            f"the verifier {verifier.name!r} {why}{': ' + last if last else ''}",
            f"tenure show {ids.short(task.id)}",
        )
    return Proof(
        type="test",
        ref=f"local/{hashlib.sha256(output).hexdigest()[:12]}@{commit[:7]}",
        tree=tree,
        criteria=claim.criteria,
        verifier=f"{verifier.name}@{definition_hash(verifier)}",
        via="verifier" if task.schema >= 3 else None,
    )


def definition_hash(verifier: Verifier) -> str:
    """What identifies a verifier's definition in a proof."""
    return hashlib.sha256(f"{verifier.run.strip()}\0{verifier.timeout}".encode()).hexdigest()[:12]


def _answer(verifier: Verifier, root: str) -> tuple[int | None, bytes]:
    """Exit code (None: out of time) and output. Its whole process group ends with it."""
    child = subprocess.Popen(
        ["sh", "-c", verifier.run],
        cwd=root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        output, _ = child.communicate(timeout=verifier.timeout)
        return child.returncode, output
    except subprocess.TimeoutExpired:
        return None, b""
    finally:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError, AttributeError):
            pass
        if child.stdout:
            child.stdout.close()
        child.wait()


def scope_hash(root: str, globs: tuple[str, ...]) -> str:
    """The `tree` of a proof: every file in scope, by path, with its bytes."""
    found = hashlib.sha256()
    for path in sorted(_files_below(root)):
        if scope.matches(globs, path):
            with open(os.path.join(root, path), "rb") as file:
                found.update(to_bytes(path) + b"\0" + file.read() + b"\0")
    return f"scope/{found.hexdigest()[:12]}"


def _files_below(root: str) -> list[str]:
    paths = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in _SKIPPED]
        inside = os.path.relpath(folder, root)
        for name in names:
            path = name if inside == "." else f"{inside}/{name}"
            if os.path.isfile(os.path.join(root, path)):
                paths.append(path.replace(os.sep, "/"))
    return paths
