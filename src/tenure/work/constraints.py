"""The accepted decisions that bind a task: those whose scope meets its own (format page A, `constraints`)."""

from __future__ import annotations

from tenure.model import criteria, scope
from tenure.model.entities import Adr
from tenure.model.task import Task
from tenure.work.corpus import Corpus


def binding(corpus: Corpus, task: Task) -> list[Adr]:
    """Accepted decisions that bind the task, by id."""
    found = [stored.entity for stored in corpus.all("ADR")]
    return [
        one
        for one in found
        if isinstance(one, Adr) and one.status == "accepted" and scope.overlap(task.scope, one.scope) is not None
    ]


def hash_of(decisions: list[Adr]) -> str:
    """The short hash of their texts that a claim records."""
    lines = [f"{one.id}\n{criteria.normalise(one.constraint)}\n" for one in sorted(decisions, key=lambda one: one.id)]
    return criteria.freeze_hash("".join(lines))
