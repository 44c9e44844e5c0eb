"""The skeleton of a repository that uses tenure, and its undoing (§10 init, uninit, R-H7)."""

from __future__ import annotations

import os
import shutil

from tenure.git import process, refs
from tenure.git.remote import CLAIMS_SPEC
from tenure.model.errors import Broken
from tenure.model.value import value
from tenure.work import whereabouts
from tenure.work.session import Session

ATTRIBUTES = ".ank/** text eol=lf"
IGNORED = ".ank/index.db*"


@value
class Begun:
    """Names of what was made and of what was added to. `empty`: there is no task yet."""

    created: tuple[str, ...]
    changed: tuple[str, ...]
    empty: bool


def begin(session: Session, refspec: bool) -> Begun:
    """Make what is missing, leave what is there alone; a second time changes nothing."""
    top = session.place.top
    if top is None:
        raise bare_error()
    created: list[str] = []
    changed: list[str] = []
    if not os.path.isdir(os.path.join(top, ".ank", "entities")):
        os.makedirs(os.path.join(top, ".ank", "entities"), exist_ok=True)
        created.append(".ank/entities/")
    if not os.path.exists(os.path.join(top, ".ank", "config.yml")):
        _write(os.path.join(top, ".ank", "config.yml"), _config(session))
        created.append(".ank/config.yml")
    for name, line in ((".gitattributes", ATTRIBUTES), (".gitignore", IGNORED)):
        (created if not os.path.exists(os.path.join(top, name)) else changed).extend(_line(top, name, line))
    if refspec:
        changed += _refspec(session)
    names = os.listdir(os.path.join(top, ".ank", "entities"))
    old = os.path.join(top, ".ank", "tasks")
    return Begun(tuple(created), tuple(changed), not names and not os.path.isdir(old))


def bare_error() -> Broken:
    """9: what needs files cannot be done where there are none."""
    return Broken("this is a bare repository; run it in a working tree", "git worktree list")


def _config(session: Session) -> str:
    branch = whereabouts.default_branch(session) or whereabouts.branch()
    return "schema: 1\n" + (f"default_branch: {branch}\n" if branch and branch.isprintable() else "")


def _line(top: str, name: str, line: str) -> list[str]:
    """Add a line to a file where it is missing; the file's name when something was written."""
    path = os.path.join(top, name)
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            text = file.read()
    except FileNotFoundError:
        text = ""
    if line in text.replace("\r\n", "\n").split("\n"):
        return []
    _write(path, text + ("" if not text or text.endswith("\n") else "\n") + line + "\n")
    return [name]


def _write(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(text)
    except OSError as wrong:
        raise Broken(f"cannot write {path}: {wrong.strerror}", "df -h .") from None


def _refspec(session: Session) -> list[str]:
    if session.origin is None:
        raise Broken("there is no origin whose fetch could bring claims", "git remote add origin <url>")
    key = f"remote.{session.origin.name}.fetch"
    if CLAIMS_SPEC in session.config.all(key):
        return []
    process.need(["config", "--add", key, CLAIMS_SPEC])
    return [key]


def undo(session: Session) -> list[str]:
    """Take away every key, every ref but claims, and every file of ours in the git directories; says what went."""
    gone = []
    sections = {key.rpartition(".")[0] for key in session.config.keys("tenure.")}
    for place in ("--local", "--worktree"):
        done = [name for name in sections if process.run(["config", place, "--remove-section", name]).ok]
        gone += [f"git config {place} {name}.*" for name in done]
    for key in session.config.keys("remote."):
        if key.endswith(".fetch") and CLAIMS_SPEC in session.config.all(key):
            pattern = "^" + CLAIMS_SPEC.replace("+", r"\+").replace("*", r"\*") + "$"
            if process.run(["config", "--local", "--unset-all", key, pattern]).ok:
                gone.append(f"git config {key} {CLAIMS_SPEC}")
    names = [ref.name for ref in refs.listed("refs/tenure")]
    gone += [name for name in names if process.run(["update-ref", "--no-deref", "-d", name]).ok]
    for folder in [session.place.clone_state, *worktree_states(session)]:
        if os.path.isdir(folder):
            shutil.rmtree(folder, ignore_errors=True)
            gone.append(folder)
    return gone


def worktree_states(session: Session) -> list[str]:
    """The state folders of all worktrees of this clone."""
    folder = os.path.join(session.place.common_dir, "worktrees")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [session.place.worktree_state, *(os.path.join(folder, name, "tenure") for name in names)]
