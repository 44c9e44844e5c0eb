"""Where we are: the git directories of this worktree, asked once from git itself (B10, B11, B12, R-X1)."""

from __future__ import annotations

import os

from tenure.git import process
from tenure.model.errors import Broken
from tenure.model.value import value


@value
class Place:
    """Absolute paths. `top` is None in a bare repository; `git_dir` is this worktree's, `common_dir` the clone's."""

    git_dir: str
    common_dir: str
    top: str | None

    def inside(self, path: str) -> str | None:
        """A file's place as git names it, from the top of the working tree; None in a bare repository."""
        top = os.path.realpath(self.top) if self.top else None
        return os.path.relpath(os.path.realpath(path), top).replace(os.sep, "/") if top else None

    @property
    def clone_state(self) -> str:
        """What this clone knows: folder `tenure/` in the common git directory."""
        return os.path.join(self.common_dir, "tenure")

    @property
    def worktree_state(self) -> str:
        """What this worktree knows: folder `tenure/` in its own git directory."""
        return os.path.join(self.git_dir, "tenure")


def find(at: str | None = None) -> Place:
    """The repository around a folder (or the current one). Broken (9) where there is none or git refuses it."""
    asked = ["--git-dir", "--git-common-dir", "--show-toplevel"]
    done = process.run(["rev-parse", "--path-format=absolute", *asked], cwd=at)
    lines = done.line.split("\n")
    if len(lines) < 2:
        raise _no_repository(done)
    # A bare repository has no top level: git says the first two and fails on the third.
    return Place(lines[0], lines[1], lines[2] if done.ok and len(lines) == 3 else None)


def of_hook() -> Place:
    """The same for a hook, which git starts at the top of the working tree: read from where git put us.

    One process less for every commit; any layout that is not plain is asked of git (B10, B11, B12).
    """
    here = os.getcwd()
    git_dir = os.path.join(here, os.environ.get("GIT_DIR") or ".git")
    common = os.path.join(git_dir, _first_line(os.path.join(git_dir, "commondir")))
    plain = os.path.isdir(os.path.join(common, "objects")) and os.path.isdir(os.path.join(common, "refs"))
    if not plain or os.environ.get("GIT_WORK_TREE") or os.environ.get("GIT_COMMON_DIR"):
        return find()
    git_dir, common = os.path.realpath(git_dir), os.path.realpath(common)
    return Place(git_dir, common, None if git_dir == os.path.realpath(here) else here)


def _first_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.readline().rstrip("\n")
    except (FileNotFoundError, NotADirectoryError):
        return ""


def _no_repository(done: process.Done) -> Broken:
    words = done.err.decode("utf-8", "replace")
    if "dubious ownership" in words:
        return Broken("git does not trust this repository's owner", "git config --global --add safe.directory <path>")
    if "not a git repository" in words:
        return Broken("not a git repository (nor any folder above)", "git init", "tenure init")
    return Broken(f"git cannot read this repository: {done.reason}", "git status")
