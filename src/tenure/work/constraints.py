"""The accepted decisions that bind a task: those whose scope meets its own (format page A, `constraints`)."""

from __future__ import annotations

from tenure.model import criteria, entity_writing, scope
from tenure.model.entities import Adr, Decision
from tenure.model.task import Task
from tenure.work.corpus import Corpus


def binding(corpus: Corpus, task: Task) -> list[Adr]:
    """Accepted decisions that bind the task, by id; those altered since they were ratified bind nobody."""
    return [one for one in in_force(corpus) if scope.overlap(task.scope, one.scope) is not None]


def in_force(corpus: Corpus) -> list[Adr]:
    """Accepted decisions that stand as they were ratified, by id."""
    found = [stored.entity for stored in corpus.all("ADR")]
    return [one for one in found if isinstance(one, Adr) and one.status == "accepted" and not is_altered(one)]


def is_altered(decision: Decision) -> bool:
    """Whether the text or the scope moved since the ratification that the file names (format page B)."""
    ratified = decision.ratified
    if ratified is None or len(ratified) != 12 or not set(ratified) <= set("0123456789abcdef"):
        return False  # an older form, a commit perhaps: it says nothing about the text
    return entity_writing.anchor(decision)[1] != ratified


def hash_of(decisions: list[Adr]) -> str:
    """The short hash of their texts that a claim records."""
    lines = [f"{one.id}\n{criteria.normalise(one.constraint)}\n" for one in sorted(decisions, key=lambda one: one.id)]
    return criteria.freeze_hash("".join(lines))
