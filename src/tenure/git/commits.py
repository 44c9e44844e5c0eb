"""Commit objects as values: who, when, what trailers (R-K3, R-F3)."""

from __future__ import annotations

from tenure.git.objects import Thing
from tenure.model.value import value


@value
class Info:
    """`committed_at`: committer date, seconds UTC. `agents`: the `Ank-Agent` trailers, in order."""

    oid: str
    author_email: str
    committed_at: int
    parents: tuple[str, ...]
    agents: tuple[str, ...]
    subject: str


def info(thing: Thing) -> Info:
    """Read a commit object by hand: no format string, no setting of the user's has a say."""
    head, _, message = thing.data.decode("utf-8", "replace").partition("\n\n")
    fields: dict[str, list[str]] = {}
    for line in head.split("\n"):
        key, _, rest = line.partition(" ")
        fields.setdefault(key, []).append(rest)
    author = (fields.get("author") or [""])[0]
    committer = (fields.get("committer") or [""])[0]
    return Info(
        thing.oid,
        _email(author),
        _date(committer),
        tuple(fields.get("parent", ())),
        tuple(trailers(message, "Ank-Agent")),
        message.strip().partition("\n")[0],
    )


def _email(line: str) -> str:
    return line.rpartition("<")[2].partition(">")[0].strip()


def _date(line: str) -> int:
    """Seconds; 0 for what git too takes for no date."""
    word = (line.rpartition(">")[2].split() or [""])[0]
    return int(word) if word.isascii() and word.isdigit() and len(word) < 20 else 0


def trailers(message: str, key: str) -> list[str]:
    """The values of one trailer in the last paragraph of a message."""
    last = message.rstrip().rpartition("\n\n")[2]
    wanted = key.lower() + ":"
    return [line[len(wanted) :].strip() for line in last.split("\n") if line.lower().startswith(wanted)]
