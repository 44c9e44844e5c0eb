"""The kinds of entities beside tasks: decisions, specifications, log entries (format page C)."""

from __future__ import annotations

from tenure.model.task import SCHEMA, Dated, Task, Verified
from tenure.model.value import value

KIND_OF = {"task": "TASK", "adr": "ADR", "spec": "SPEC", "log": "LOG"}
DECISION_STATUSES = ("proposed", "accepted", "superseded")


def a(kind: str) -> str:
    """The kind of an entity in a sentence."""
    return {"adr": "a decision", "spec": "a specification", "log": "a log entry"}.get(kind, f"a {kind}")


@value
class Adr(Dated):
    """A decision: its constraint binds the tasks whose scope meets its own, once it is accepted."""

    kind = "adr"
    id: str
    title: str
    created: str
    scope: tuple[str, ...]
    constraint: str
    status: str = "proposed"
    slug: str | None = None
    author: str | None = None
    see: str | None = None
    supersedes: str | None = None
    amends: tuple[str, ...] = ()
    ratified: str | None = None
    verified: tuple[Verified, ...] = ()
    schema: int = SCHEMA
    version: int = 1
    body: str = ""


@value
class Spec(Dated):
    """A specification: its body is what is ratified."""

    kind = "spec"
    id: str
    title: str
    created: str
    scope: tuple[str, ...]
    status: str = "proposed"
    slug: str | None = None
    author: str | None = None
    references: tuple[str, ...] = ()
    supersedes: str | None = None
    ratified: str | None = None
    verified: tuple[Verified, ...] = ()
    schema: int = SCHEMA
    version: int = 1
    body: str = ""


@value
class LogEntry(Dated):
    """What somebody said about an entity. `records` set: the tool's own bookkeeping, whatever the word is."""

    kind = "log"
    id: str
    title: str
    created: str
    scope: tuple[str, ...]
    about: str
    seq: int = 0
    slug: str | None = None
    author: str | None = None
    records: str | None = None
    verified: tuple[Verified, ...] = ()
    schema: int = SCHEMA
    version: int = 1
    body: str = ""

    @property
    def message(self) -> str:
        """Title and rest, exactly as they were said."""
        rest = self.body[1:] if self.body.startswith("\n") else self.body
        return self.title + (rest[:-1] if rest.endswith("\n") else rest)


Decision = Adr | Spec
Entity = Task | Adr | Spec | LogEntry
