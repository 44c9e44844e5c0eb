"""context: what somebody needs at hand, within the repository's budget of characters.

What is cut first: the oldest log entries, then the end of the list of tasks, then the texts of constraints (their names
stay). The criterion is never cut. What was cut is counted, so that it can be said.
"""

from __future__ import annotations

from tenure.model.entities import Adr
from tenure.model.errors import TenureError
from tenure.model.task import Task
from tenure.model.value import value
from tenure.work import choosing, constraints, log, looking, repository
from tenure.work.corpus import Corpus
from tenure.work.log import Line
from tenure.work.session import Session
from tenure.work.views import Views

_ENTRIES = 20
_LINE = 60  # characters of an id, a date and a name beside a text


@value
class Briefing:
    """`task` is the held one (None: orientation). `named`: decisions whose text was cut; `cut_*` count the rest."""

    task: Task | None
    constraints: tuple[Adr, ...]
    named: tuple[str, ...] = ()
    log: tuple[Line, ...] = ()
    tasks: tuple[Task, ...] = ()
    cut_log: int = 0
    cut_tasks: int = 0


def execution(corpus: Corpus, task: Task, path: str | None) -> Briefing:
    """For the holder of a task: its criterion, what binds it (and the path), the latest of its log."""
    binding = {one.id: one for one in constraints.binding(corpus, task)}
    if path is not None:
        binding |= {one.id: one for one in constraints.in_force(corpus) if looking.covers(one, path)}
    left = _budget(corpus) - len(task.title) - len(task.done_criteria or "")
    decisions = tuple(binding[name] for name in sorted(binding))
    left, named = _named(left, decisions)
    said = log.said(log.lines_about(corpus, task.id, task.body))
    kept = _latest(said[-_ENTRIES:], left)
    return Briefing(task, decisions, named, tuple(kept), cut_log=len(said) - len(kept))


def orientation(session: Session, corpus: Corpus, found: Views, path: str | None) -> Briefing:
    """For somebody who holds nothing: what can be claimed in the perimeter, and what binds there."""
    decisions = [one for one in constraints.in_force(corpus) if path is None or looking.covers(one, path)]
    free = choosing.by_order(session, corpus, found, path)
    left, named = _named(_budget(corpus), tuple(decisions))
    kept: list[Task] = []
    for task in free:
        left -= len(task.title) + _LINE
        if left < 0 and kept:
            break
        kept.append(task)
    return Briefing(None, tuple(decisions), named, tasks=tuple(kept), cut_tasks=len(free) - len(kept))


def _budget(corpus: Corpus) -> int:
    try:
        return repository.config(corpus).context_budget
    except TenureError:
        return 8000  # the format's default: a broken config is `check`'s to tell


def _named(left: int, decisions: tuple[Adr, ...]) -> tuple[int, tuple[str, ...]]:
    """Characters left after the constraints, and those for whose text there was no room."""
    named = []
    for one in decisions:
        cost = len(one.constraint) + len(one.title) + _LINE
        if cost <= left:
            left -= cost
        else:
            named.append(one.id)
    return left, tuple(named)


def _latest(lines: list[Line], left: int) -> list[Line]:
    kept: list[Line] = []
    for line in reversed(lines):
        left -= len(line.message) + _LINE
        if left < 0:
            break
        kept.append(line)
    return kept[::-1]
