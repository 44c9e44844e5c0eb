"""What a commit costs in imports: nothing on the quiet path, little on the renewing one (R-X1, R-H6)."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hooks.ground import ROOT, Ground, Repo, execs
from team import ADA, AUTH, BOB, Team, claim_text, put, write

ENTRY = ROOT / "src/tenure/faces/hooks/entry.py"
HEAVY = {
    "asyncio", "argparse", "contextlib", "dataclasses", "datetime", "enum", "inspect", "json", "pathlib", "pygit2",
    "re", "requests", "shutil", "socket", "subprocess", "tempfile", "typing", "yaml",
}  # fmt: skip
MOST_MODULES = 90  # of which the interpreter itself brings some 30


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Team(Ground(tmp_path)).project()


def _imported(repo: Repo, event: str, *words: str, stdin: bytes = b"") -> set[str]:
    """The modules that the engine imports when git's hook calls it in this repository."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "importtime", str(ENTRY), event, *words],
        cwd=repo.path,
        env=repo.ground.environment(),
        input=stdin,
        capture_output=True,
        timeout=60,
        check=False,
    )
    said = done.stderr.decode()
    assert done.returncode == 0, said
    return {name.strip() for name in re.findall(r"^import time:.*\|\s*([\w.]+)$", said, re.MULTILINE)}


def _renews(repo: Repo) -> str:
    return repo.ask("rev-parse", f"refs/ank/claims/{AUTH}")


def test_a_renewing_commit_imports_nothing_heavy(repo: Repo) -> None:
    """R-X1: a commit of the holder that touches the task by its file and by a path of its scope."""
    repo.tenure("claim", AUTH, ANK_AGENT=ADA)
    text = repo.ask("cat-file", "blob", f"refs/ank/claims/{AUTH}")
    put(repo, AUTH, re.sub(r"expires: .*", "expires: " + _soon(), text) + "\n")
    write(repo, "src/main.py", "print('there')\n")
    repo.git("add", "-A")
    before = _renews(repo)
    found = _imported(repo, "pre-commit")
    assert _renews(repo) != before, "it did not renew, so its imports prove nothing"
    assert not HEAVY & {name.split(".")[0] for name in found}
    assert len(found) <= MOST_MODULES, sorted(found)


def test_a_refused_or_foreign_commit_may_import_what_it_needs_and_no_git_library(repo: Repo) -> None:
    """R-X1: pygit2 and requests are for bulk reading and for the API, never for a hook."""
    put(repo, AUTH, claim_text(AUTH, BOB, -60, 600))
    text = (repo.path / f".ank/entities/{AUTH}.md").read_text()
    write(repo, f".ank/entities/{AUTH}.md", text.replace("status: open", "status: closed"))
    repo.git("add", "-A")
    found = _imported(repo, "pre-commit")
    assert not {"pygit2", "requests", "dataclasses", "asyncio"} & {name.split(".")[0] for name in found}


def test_the_sight_of_this_test_is_good(repo: Repo) -> None:
    """The list of imports is read as Python prints it: a module that is known to be there is found."""
    assert {"tenure.faces.hooks.commit", "tenure.work.session", "tenure.model.value"} <= _imported(repo, "pre-commit")


def test_the_quiet_path_starts_one_git_and_no_python(repo: Repo) -> None:
    """R-H6: without live claims a commit costs one `for-each-ref`."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed here")
    repo.tenure("hooks", "install")
    (repo.common / "tenure" / "wake").unlink(missing_ok=True)
    trace = repo.ground.root / "trace"
    repo.ground.run(
        "strace", "-f", "-qq", "-e", "trace=execve", "-o", str(trace), "git", "hook", "run", "pre-commit", cwd=repo.path
    )
    started = [(words[0].rpartition("/")[2], *words[1:2]) for words in execs(trace)]
    assert [words for words in started if words[0] == "git"] == [("git", "hook"), ("git", "for-each-ref")]
    assert not any("python" in words[0] for words in started)


def _soon() -> str:
    from team import instant

    return instant(300)
