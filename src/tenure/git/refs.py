"""Local refs: listed without following, swapped by their expected value, never otherwise (R-C1)."""

from __future__ import annotations

import os
import time

from tenure.git import process
from tenure.model.errors import Unwritable
from tenure.model.text import to_bytes
from tenure.model.value import value

_TRIES = 6


@value
class Ref:
    """A name and the object it holds; `symref` is the name that a symbolic ref leads to, else empty."""

    name: str
    oid: str
    symref: str = ""


def listed(*patterns: str) -> list[Ref]:
    """The refs at or below these names, sorted. No object is opened, so a missing one hides nothing (R-C8)."""
    done = process.need(["for-each-ref", "--format=%(refname)%00%(objectname)%00%(symref)", *patterns])
    return [Ref(*line.split("\0")) for line in done.lines]


def read(name: str) -> Ref | None:
    """One ref by its whole name."""
    return next((ref for ref in listed(name) if ref.name == name), None)


def in_the_way(name: str) -> str | None:
    """A ref below or above this name, where git can hold no ref of this name beside it (R-C2)."""
    for ref in listed(name + "/"):
        return ref.name
    parts = name.split("/")
    above = ["/".join(parts[:length]) for length in range(3, len(parts))]
    return next((ref.name for ref in listed(*above) if ref.name in above), None) if above else None


def write_blob(data: bytes) -> str:
    """Store a blob and return its object name."""
    return process.need(["hash-object", "-w", "--stdin"], data).line


def swap(name: str, new: str, expected: str | None, why: str = "tenure", data: bytes | None = None) -> bool:
    """Set a ref from its expected value (None: must not exist). True: done. False: it had moved.

    `data`: what the new blob holds, written again should a collection have taken it in between (F38).
    Unwritable (9) with git's own words when git cannot write it, a lock file left behind among them (R-C1, F17).
    """
    words = ["update-ref", "--no-deref", "-m", why, name, new, expected or ""]
    return _change(words, name, new, expected, data)


def delete(name: str, expected: str) -> bool:
    """Delete a ref that holds the expected object. True: gone by this call. False: it had moved or was gone."""
    return _change(["update-ref", "--no-deref", "-d", name, expected], name, None, expected)


def drop_symbolic(name: str) -> None:
    """Delete a symbolic ref itself; what it leads to stays. Where that fails git says so at the next write."""
    process.run(["symbolic-ref", "--delete", name])


def delete_all(wanted: dict[str, str]) -> set[str]:
    """Delete many refs, each by its expected object, in one transaction; the names of those that had moved.

    One that moved undoes the transaction: then each is deleted for itself.
    """
    lines = "".join(f"option no-deref\ndelete {name} {oid}\n" for name, oid in wanted.items())
    if not wanted or process.run(["update-ref", "--stdin"], to_bytes(lines)).ok:
        return set()
    return {name for name, oid in wanted.items() if not delete(name, oid)}


def _change(words: list[str], name: str, wanted: str | None, expected: str | None, data: bytes | None = None) -> bool:
    done = process.run(words)
    for attempt in range(_TRIES):
        if done.ok:
            return True
        now = read(name)
        found = now.oid if now else None
        if found == wanted and not (now and now.symref):
            return wanted is not None  # written by another process of ours, or by a call whose answer was lost
        if found != expected or (now and now.symref):
            return False
        if data is not None and b"nonexistent object" in done.err:
            write_blob(data)
        if attempt + 1 < _TRIES:
            time.sleep(0.02 * (attempt + 1) + (os.getpid() % 7) / 500)  # another process holds git's lock file
            done = process.run(words)
    raise _cannot_write(name, done)


def _cannot_write(name: str, done: process.Done) -> Unwritable:
    """9: git's own reason; a lock file that stays is named with its age, and never removed by us (F17, F19)."""
    words = done.err.decode("utf-8", "replace")
    _, quote, rest = words.partition("Unable to create '")
    path = rest.partition("'")[0] if quote else ""
    if not path.endswith(".lock") or not os.path.exists(path):
        first = next((line for line in words.splitlines() if line.strip()), done.reason)
        return Unwritable(f"git cannot write {name}: {first.strip()}", "git fsck", "tenure doctor")
    age = max(0, int(time.time() - os.path.getmtime(path)))
    return Unwritable(
        f"git cannot write {name}: its lock file {path} stands there, {age} s old",
        f"rm '{path}'   (only once no git is running in this repository)",
    )
