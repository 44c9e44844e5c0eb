"""Objects in bulk: one `cat-file --batch` for many names (R-X1). Works in every repository that git reads."""

from __future__ import annotations

from tenure.git import process
from tenure.model.text import from_bytes, to_bytes
from tenure.model.value import value

_KINDS = ("blob", "tree", "commit", "tag")
_MOST_LACKING = 100  # a process each


@value
class Thing:
    """An object: its full name, type (blob, tree, commit, tag) and bytes."""

    oid: str
    kind: str
    data: bytes


def read_many(names: list[str]) -> list[Thing | None]:
    """The objects by these names (oids, `<commit>:<path>`, `:<path>`), None for each that is not there."""
    asked = [name for name in names if _is_line(name)]
    if not asked:
        return [None] * len(names)
    found = iter(_read(asked))
    return [next(found) if _is_line(name) else None for name in names]


def _is_line(name: str) -> bool:
    """Whether git can be asked for it: an empty name is no question, and a line end in one would be two."""
    return bool(name) and "\n" not in name


def _lines(names: list[str]) -> bytes:
    return to_bytes("".join(name + "\n" for name in names))


def _read(asked: list[str]) -> list[Thing | None]:
    """Git ends at an object that a partial clone left on its remote; here that is one that is not there (B31)."""
    found: list[Thing | None] = []
    for _ in range(_MOST_LACKING):
        rest = asked[len(found) :]
        done = process.run(["cat-file", "--batch", "--buffer"], _lines(rest))
        found += _parse(done.out, len(rest))
        if done.ok:
            return found
        if b"from promisor remote" not in done.err:
            break
        found.append(None)
        if len(found) == len(asked):
            return found
    raise process.GitFailed(f"git cat-file failed: {done.reason}", "tenure doctor")


def _parse(out: bytes, count: int) -> list[Thing | None]:
    things: list[Thing | None] = []
    at = 0
    for _ in range(count):
        end = out.find(b"\n", at)
        if end < 0:
            break
        head = out[at:end].split(b" ")
        at = end + 1
        if len(head) == 3 and from_bytes(head[1]) in _KINDS and head[2].isdigit():
            size = int(head[2])
            things.append(Thing(head[0].decode(), head[1].decode(), out[at : at + size]))
            at += size + 1
        else:
            things.append(None)  # missing, ambiguous, or a name that leads nowhere
    return things


def read(name: str) -> Thing | None:
    """One object."""
    return read_many([name])[0]


def peeled(names: list[str]) -> list[str | None]:
    """The commit behind each name (tags peeled, B14), None where there is none; one process for all."""
    found = _told([f"{name}^{{commit}}" for name in names], "%(objectname) %(objecttype)")
    return [line.split(" ")[0] if line.endswith(" commit") else None for line in found]


def present(names: list[str]) -> list[bool]:
    """Whether each object is in this clone."""
    return [line in _KINDS for line in _told(names, "%(objecttype)")]


def _told(names: list[str], form: str) -> list[str]:
    """What git says of each name, in its format; nothing of one that it cannot be asked for."""
    asked = [name for name in names if _is_line(name)]
    found = iter(process.need(["cat-file", f"--batch-check={form}"], _lines(asked)).lines if asked else ())
    return [next(found) if _is_line(name) else "" for name in names]


def resolve(name: str) -> str | None:
    """The commit that a revision names, or None."""
    done = process.run(["rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"])
    return done.line if done.ok and done.line else None
