"""Objects in bulk: one `cat-file --batch` for many names (R-X1). Works in every repository that git reads."""

from __future__ import annotations

from tenure.git import process
from tenure.model.value import value

_MOST_LACKING = 100  # a process each


@value
class Thing:
    """An object: its full name, type (blob, tree, commit, tag) and bytes."""

    oid: str
    kind: str
    data: bytes


def read_many(names: list[str], env: dict[str, str] | None = None) -> list[Thing | None]:
    """The objects by these names (oids, `<commit>:<path>`, `:<path>`), None for each that is not there."""
    asked = [name for name in names if name and "\n" not in name]
    if not asked:
        return [None] * len(names)
    found = iter(_read(asked, env))
    return [next(found) if name and "\n" not in name else None for name in names]


def _read(asked: list[str], env: dict[str, str] | None) -> list[Thing | None]:
    """Git ends at an object that a partial clone left on its remote; here that is one that is not there (B31)."""
    found: list[Thing | None] = []
    while len(found) < len(asked):
        rest = asked[len(found) :]
        data = "".join(name + "\n" for name in rest).encode("utf-8", "surrogateescape")
        done = process.run(["cat-file", "--batch", "--buffer"], data, env)
        found += _parse(done.out, len(rest))
        if done.ok:
            break
        if b"from promisor remote" not in done.err or found.count(None) > _MOST_LACKING:
            raise process.GitFailed(f"git cat-file failed: {done.reason}", "tenure doctor")
        found.append(None)
    return found


def _parse(out: bytes, count: int) -> list[Thing | None]:
    things: list[Thing | None] = []
    at = 0
    for _ in range(count):
        end = out.find(b"\n", at)
        if end < 0:
            break
        head = out[at:end].split(b" ")
        at = end + 1
        if len(head) == 3 and head[1] in (b"blob", b"tree", b"commit", b"tag") and head[2].isdigit():
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
    data = "".join(f"{name}^{{commit}}\n" for name in names).encode()
    lines = process.need(["cat-file", "--batch-check=%(objectname) %(objecttype)"], data).lines
    return [line.split(" ")[0] if line.endswith(" commit") else None for line in lines]


def present(names: list[str]) -> list[bool]:
    """Whether each object is in this clone."""
    if not names:
        return []
    data = "".join(name + "\n" for name in names).encode()
    lines = process.need(["cat-file", "--batch-check=%(objecttype)"], data).lines
    return [line in ("blob", "tree", "commit", "tag") for line in lines]


def resolve(name: str) -> str | None:
    """The commit that a revision names, or None."""
    done = process.run(["rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"])
    return done.line if done.ok and done.line else None
