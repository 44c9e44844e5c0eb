"""A task: what is to be done, where, by what criterion, and the proof that it was (format page C)."""

from __future__ import annotations

from tenure.model import instants
from tenure.model.value import value

STATUSES = ("open", "in_progress", "done", "closed")
PROOF_TYPES = ("test", "commit", "human-review", "assertion")
ROUTES = ("verifier", "attested", "submitted")
SCHEMA = 4


@value
class Proof:
    """One piece of evidence. `criteria` is the frozen hash that `done` copied from the claim."""

    type: str
    ref: str
    tree: str | None = None
    criteria: str | None = None
    verifier: str | None = None
    via: str | None = None


@value
class Verified:
    """Who read the entity, and when (the instant's text as written)."""

    by: str
    at: str


class Dated:
    """What has an instant of its making, as the text that was written."""

    created: str

    @property
    def created_at(self) -> int | None:
        """Seconds UTC, None where the text is no instant."""
        return instants.parse_or_none(self.created)


@value
class Task(Dated):
    """A task file. `created` is the text as written; `blocked_by` holds ids, `TASK-…@peer` for another corpus."""

    kind = "task"
    id: str
    title: str
    created: str
    scope: tuple[str, ...]
    status: str = "open"
    slug: str | None = None
    author: str | None = None
    blocked_by: tuple[str, ...] = ()
    done_criteria: str | None = None
    criteria_by: str | None = None
    verify: tuple[str, ...] = ()
    method: str | None = None
    proof: tuple[Proof, ...] = ()
    verified: tuple[Verified, ...] = ()
    schema: int = SCHEMA
    version: int = 1
    body: str = ""


def slug_of(title: str) -> str:
    """The cosmetic short name of a title: lower-case ASCII letters and digits, other runs as one `-`, 48 at most."""
    made = "".join(char.lower() if char.isascii() and char.isalnum() else " " for char in title)
    return "-".join(made.split())[:48].strip("-")
