"""Bulk reading: pygit2 in process where libgit2 opens the repository, `git cat-file --batch` everywhere else (R-X1).

Both are one function: names (`<oid>`, `<commit>:<path>`) to objects, None for each that is not there.
"""

from __future__ import annotations

from collections.abc import Callable

from tenure.git import objects
from tenure.git.objects import Thing

Reader = Callable[[list[str]], list[Thing | None]]
_KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}


def reader(git_dir: str) -> Reader:
    """The faster reader that can read this repository."""
    return in_process(git_dir) or objects.read_many


def in_process(git_dir: str) -> Reader | None:
    """A reader over pygit2; None where libgit2 refuses the repository (sha256, reftable, partial clones, owners)."""
    try:
        import pygit2
    except ImportError:
        return None
    try:
        repository = pygit2.Repository(git_dir)
        if repository.config.get_multivar("remote.origin.promisor") and any(
            repository.config.get_multivar("remote.origin.promisor")
        ):
            return None
    except (pygit2.GitError, KeyError, ValueError):
        return None

    def read(names: list[str]) -> list[Thing | None]:
        return [_one(repository, name) for name in names]

    return read


def _one(repository: object, name: str) -> Thing | None:
    import pygit2

    assert isinstance(repository, pygit2.Repository)
    try:
        head, colon, path = name.partition(":")
        found = repository.revparse_single(head) if not _is_oid(head) else repository[head]
        if colon:
            tree = found.peel(pygit2.Tree)
            found = tree[path] if path else tree
        kind, data = repository.odb.read(found.id)[:2]
    except (KeyError, ValueError, TypeError, pygit2.GitError):
        return None
    return Thing(str(found.id), _KINDS.get(int(kind), "?"), data)


def _is_oid(text: str) -> bool:
    return len(text) in (40, 64) and all(char in "0123456789abcdef" for char in text)
