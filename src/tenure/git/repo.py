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
    # A bare repository has no top level: git says the first two and fails on the third.
    answers = 3 if done.ok else 2
    each, rest = divmod(len(lines), answers)  # more than one line where a folder's name holds a line end
    if not each or rest:
        raise _no_repository(done)
    paths = ["\n".join(lines[number * each : (number + 1) * each]) for number in range(answers)]
    return Place(paths[0], paths[1], paths[2] if done.ok else None)


def _no_repository(done: process.Done) -> Broken:
    words = done.err.decode("utf-8", "replace")
    if "dubious ownership" in words:
        return Broken("git does not trust this repository's owner", "git config --global --add safe.directory <path>")
    if "not a git repository" in words:
        return Broken("not a git repository (nor any folder above)", "git init", "tenure init")
    return Broken(f"git cannot read this repository: {done.reason}", "git status")
