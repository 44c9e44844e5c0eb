"""Whether a task can be claimed: what is asked for, and every refusal before a ref is touched (R-C5, R-I4)."""

from __future__ import annotations

from tenure.git import refs
from tenure.model import criteria as criterion_text
from tenure.model import ids, instants, lease
from tenure.model.errors import Missing, TenureError, WrongState, WrongUse
from tenure.model.task import Task
from tenure.model.value import value
from tenure.work import holding
from tenure.work.corpus import Corpus, Stored
from tenure.work.session import Session
from tenure.work.views import Views


@value
class Wish:
    """What is asked: the task as read, a criterion to set, a lease in seconds."""

    stored: Stored
    task: Task
    criteria: str | None
    lease: int | None


def wish(corpus: Corpus, name: str, criteria: str | None, asked: int | None) -> Wish:
    """Read the task and what was asked for it; the refusals that need no look at origin (1, 2, 6, 7)."""
    stored, task = corpus.find_task(name)
    why = criterion_text.why_not_carried(criteria or "")
    if why:
        raise WrongUse(f"that criterion cannot be written: {why}", "tenure claim --help")
    if criteria is not None and task.done_criteria is not None:
        raise WrongState(f"{task.id} has a criterion already", f"tenure show {ids.short(task.id)}")
    if not (criteria if criteria is not None else task.done_criteria or "").strip():
        raise Missing(f"{task.id} has no done_criteria", f'tenure claim {ids.short(task.id)} --criteria "<text>"')
    return Wish(stored, task, criteria, asked)


def must_be(session: Session, corpus: Corpus, found: Views, task: Task) -> None:
    """Blocked 7, not from this state 6, holding another 7, unreadable 9, held or finished elsewhere 4 (R-C5)."""
    waits = blockers(corpus, task)
    if waits:
        raise Missing(f"{task.id} is blocked by {', '.join(waits)}", f"tenure show {ids.short(waits[0])}")
    if task.status in ("done", "closed"):
        raise WrongState(f"{task.id} is {task.status} here", 'tenure find "" --free')
    _no_other(session, found, task.id)
    view = found.of(task.id, session)
    holding.must_be_readable(session, view)
    blocking = refs.in_the_way(ids.claim_ref(task.id))
    if blocking:
        raise holding.unreadable_error(session, blocking, "it stands in the way")
    mine = view.held_by(session.identity.value)
    if view.completion or (view.live(session.at) and not mine):
        raise holding.taken_error(session, view)


def blockers(corpus: Corpus, task: Task) -> list[str]:
    """The tasks that must be done first and are not: `closed` does not unblock, what cannot be read holds."""
    waits = []
    for one in task.blocked_by:
        try:
            status = getattr(corpus.stored(one).entity, "status", None)
        except TenureError:
            status = None
        if status != "done":
            waits.append(one)
    return waits


def _no_other(session: Session, found: Views, task: str) -> None:
    """R-I4: one live claim for an identity; the words of the seed."""
    for view in found.claims():
        if view.task != task and view.claim and view.held_by(session.identity.value) and view.live(session.at):
            left = instants.span(lease.remaining(view.claim, session.at, view.first_seen))
            raise Missing(
                f"{session.identity.value} holds a live claim on {view.task} (expires in {left})",
                'tenure release --reason "<why>"   (a second session on this machine sets its own ANK_AGENT)',
            )


def is_free(session: Session, tasks: dict[str, Task], found: Views, task: Task) -> bool:
    """Whether anybody could claim it now, a lapsed claim in the way or none."""
    if task.status not in ("open", "in_progress") or is_blocked(tasks, task) or not has_criterion(task):
        return False
    view = found.of(task.id, session)
    return view.unreadable is None and view.completion is None and not view.live(session.at)


def is_blocked(tasks: dict[str, Task], task: Task) -> bool:
    """Whether it waits for a task that is not done, or is not here."""
    return any(one not in tasks or tasks[one].status != "done" for one in task.blocked_by)


def has_criterion(task: Task) -> bool:
    """Whether a claim would have something to freeze."""
    return bool((task.done_criteria or "").strip())
