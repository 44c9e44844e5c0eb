"""release and close: the file, the log entry, then the ref by its object (R-C6, R-C9, R-L7)."""

from __future__ import annotations

from contextlib import AbstractContextManager

from tenure.git import refs
from tenure.model import event, ids, outcome, standing
from tenure.model.errors import Missing, TenureError, Unavailable, WrongState
from tenure.model.record import Claim, Completion, Record
from tenure.model.task import Task
from tenure.model.value import replace, value
from tenure.model.verdict import Contest
from tenure.work import carrying, entries, feed, files, halves, holding, log, mirroring, pruning, views, whereabouts
from tenure.work.corpus import Corpus, Stored
from tenure.work.session import Session
from tenure.work.state import TaskState
from tenure.work.views import View, Views


@value
class Handed:
    """A task without a lease now. `revoked`: a claim record was removed; `contested`: somebody else's live one."""

    task: Task
    reason: str
    revoked: bool
    contested: bool
    warnings: tuple[str, ...]


def reason_given(reason: str | None, verb: str, task: str | None) -> str:
    """R-C6: obligatory and not blank (7)."""
    if reason is None or not reason.strip():
        named = f" {ids.short(task)}" if task else ""
        raise Missing(f"{verb} needs a reason that the next holder can read", f'tenure {verb} --reason "<why>"{named}')
    return reason.strip()


def release(session: Session, corpus: Corpus, reason: str | None, name: str | None) -> Handed:
    """Hand a task back: one's own claim, live, lapsed or swept, or a completion that was thrown away (R-C6)."""
    given = corpus.find_task(name) if name is not None else None
    said = reason_given(reason, "release", given[1].id if given else None)
    mirroring.refresh(session)
    found = views.read(session)
    if given:
        view = found.of(given[1].id, session)
        if view.completion:
            return _thrown_away(session, corpus, given[0], given[1], view, said)
        held = holding.mine(session, found, given[1].id, given[1].status)
    else:
        held = holding.mine(session, found)
    stored, task = given or corpus.find_task(held.task)
    task = _reopened(session, corpus, stored, task, said)
    act = whereabouts.act(session)
    told = event.of_claim("task.released", held.claim, act, reason=said, **{"from": "in_progress", "to": "open"})
    with _half(task, "release"):
        warnings = _drop(session, held.view, held.claim, told)
    return Handed(task, said, True, False, warnings)


def _reopened(session: Session, corpus: Corpus, stored: Stored, task: Task, reason: str) -> Task:
    if task.status not in ("open", "in_progress"):
        raise WrongState(f"{task.id} is {task.status} here", f"tenure show {ids.short(task.id)}")
    if task.status == "open" and _said_already(corpus, task, f"released: {reason}"):
        return task  # a release that was stopped half-way goes on
    return _moved_to("open", session, corpus, stored, task, f"released: {reason}")


def _said_already(corpus: Corpus, task: Task, words: str) -> bool:
    lines = log.said(log.lines_about(corpus, task.id, task.body))
    return bool(lines) and lines[-1].message == words


def _moved_to(status: str, session: Session, corpus: Corpus, stored: Stored, task: Task, words: str) -> Task:
    """The log entry, then the file; the entry is taken back where the file cannot be written."""
    _, entry = log.append(corpus, task, words, session.identity.value, session.at)
    if task.status == status:
        return task
    try:
        new = files.rewrite(stored, replace(task, status=status)).entity
    except TenureError:
        files.take_back(entry)
        raise
    assert isinstance(new, Task)
    return new


def _half(task: Task, verb: str) -> AbstractContextManager[None]:
    words = f"the file of {task.id} says {task.status} here, its record still stands"
    return halves.stands(words, f'tenure {verb} {ids.short(task.id)} --reason "<why>"')


def _thrown_away(session: Session, corpus: Corpus, stored: Stored, task: Task, view: View, reason: str) -> Handed:
    """A completion whose branch was thrown away must not block a task: anybody may, with a reason (R-C6)."""
    done = view.completion
    assert done is not None
    if pruning.merged(session, Views({task.id: view})):
        raise WrongState(
            f"{task.id} is done on the default branch; its completion is pruned, not released", "tenure check"
        )
    if task.status in ("done", "closed"):
        raise WrongState(
            f"{task.id} is {task.status} here: put its file back, then release",
            f"git restore --source={done.commit[:12]} ':/*{task.id}.md'",
            f'tenure release --reason "<why>" {ids.short(task.id)}',
        )
    task = _reopened(session, corpus, stored, task, reason)
    key = f"{done.commit} {done.completed}"
    told = event.without_claim("task.released", task.id, done.identity, whereabouts.act(session), key, reason=reason)
    with _half(task, "release"):
        return Handed(task, reason, False, False, _drop(session, view, done, told))


def close(session: Session, corpus: Corpus, name: str, reason: str | None) -> Handed:
    """End a task for good, whoever holds it; contested when somebody else's lease was live (R-C9, R-K1)."""
    stored, task = corpus.find_task(name)
    said = reason_given(reason, "close", task.id)
    mirroring.refresh(session)
    view = views.read(session).of(task.id, session)
    holding.must_be_readable(session, view)
    stopped = task.status == "closed" and view.claim is not None  # half-way, by a full disk say: goes on
    if task.status in ("done", "closed") and not stopped:
        raise WrongState(f"{task.id} is {task.status} already", f"tenure show {ids.short(task.id)}")
    contest = _contest(session, view, task, stored.name)
    new = task if stopped else _moved_to("closed", session, corpus, stored, task, f"closed: {said}")
    with _half(new, "close"):
        warnings = _end(session, view, task, said, contest)
    return Handed(new, said, view.claim is not None, contest is not None, warnings)


def _contest(session: Session, view: View, task: Task, path: str) -> Contest | None:
    claim = view.claim
    if claim is None or view.held_by(session.identity.value) or not view.live(session.at):
        return None
    return Contest(
        task=task.id, holder=claim.holder, claimed=claim.claimed, expires=claim.expires,
        actor=session.identity.value, author_email=session.email, old=task.status, new="closed",
        commit=None, at=session.at, path=path,
    )  # fmt: skip


def _end(session: Session, view: View, task: Task, reason: str, contest: Contest | None) -> tuple[str, ...]:
    act = whereabouts.act(session)
    if contest:
        feed.append(session, event.contested(contest, act, reason))
    change = {"from": task.status, "to": "closed"}
    if view.claim:
        told = event.of_claim("task.closed", view.claim, act, reason=reason, **change)
    else:
        told = event.without_claim("task.closed", task.id, None, act, str(session.at), reason=reason, **change)
    if view.record is None:
        feed.append(session, told)
        return ()
    return _drop(session, view, view.record, told)


def _drop(session: Session, view: View, old: Record, told: event.Event) -> tuple[str, ...]:
    """Delete the ref by its object, here and on origin; a renewal in flight is deleted over (R-C6)."""
    assert isinstance(old, Claim | Completion)
    with session.store.swapping():
        state = session.store.again(view.state)
        before = dict(state.fields)
        # Written down first: a process that dies in between leaves an end that is carried, or a claim that stands.
        _give_up(session, state, _expected(view, state, old), old, told)
        try:
            if view.local_oid and not refs.delete(ids.claim_ref(view.task), view.local_oid):
                _deleted_over(session, view, old)
        except TenureError:
            state.fields = before
            session.store.save(state)
            raise
    feed.append(session, told)
    if not session.has_origin or state.get("pending") is None:
        return ()
    found = carrying.carry(session, state)
    if found.kind in (outcome.WON, outcome.LOST):
        return ()
    why = "could not be reached" if found.kind == outcome.UNREACHABLE else "refused it"
    return (f"the record of {view.task} still stands on origin, which {why}; its deletion is tried again",)


def _expected(view: View, state: TaskState, old: Claim | Completion) -> str | None:
    """What origin may hold of it: what was seen there, or what a push without an answer may have left (F10).

    Never somebody else's record: a take-over that is handed back before it was published leaves what it found.
    """
    waits = state.get("pending_object") if state.get("pending") in (entries.CLAIM, entries.RENEWAL) else None
    seen = view.mirror_oid if view.mirror == old or standing.same_acquisition(old, view.mirror) else None
    return seen or state.get("published") or waits


def _give_up(
    session: Session, state: TaskState, expected: str | None, old: Claim | Completion, told: event.Event
) -> None:
    """The clone's state of a record that ends here. What was never on origin must not be pushed later (R-C3)."""
    state.forget_pending()
    state.forget_claim()
    if session.has_origin and expected is not None:
        entries.wait(session, state, entries.DELETION, None, expected, old.text, event.noted(told))
    session.store.save(state)


def _deleted_over(session: Session, view: View, old: Claim | Completion) -> None:
    """The local ref moved in this moment: one's own renewal is deleted over, anything else stands (R-C6)."""
    for _ in range(5):
        now = views.read(session, view.task).of(view.task, session)
        if now.local is None:
            return
        mine = standing.same_acquisition(old, now.local) or now.local == old
        if not mine:
            raise _moved(session, now)
        if now.local_oid and refs.delete(ids.claim_ref(view.task), now.local_oid):
            return
    raise Unavailable(f"{view.task} moved while it was being handed back", f"tenure show {ids.short(view.task)}")


def _moved(session: Session, now: View) -> TenureError:
    wrong = holding.taken_error(session, now)
    wrong.message += "; the file here was changed already"
    return wrong
