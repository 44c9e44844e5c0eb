"""claim: file, ref, frozen hash; arbitrated by the local swap, then by origin's (R-C5, R-C2, R-I5, R-L6)."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager

from tenure.git import refs
from tenure.model import criteria as criterion_text
from tenure.model import event, ids, instants, lease, record, standing
from tenure.model.errors import TenureError, Unavailable
from tenure.model.record import Claim
from tenure.model.task import Task
from tenure.model.text import to_bytes
from tenure.model.value import replace, value
from tenure.work import (
    claimable,
    constraints,
    entries,
    feed,
    files,
    halves,
    holding,
    log,
    mirroring,
    publishing,
    renewing,
    settling,
    views,
    whereabouts,
)
from tenure.work.claimable import Wish
from tenure.work.corpus import Corpus, Stored
from tenure.work.session import Session
from tenure.work.views import View

TAKINGS = ("task.claimed", "task.taken_over")


@value
class Grant:
    """A claim that stands. `pushed`: yes | refused | unreachable | none. `former`: the record that was taken over."""

    task: Task
    claim: Claim
    regranted: bool
    taken_over: bool
    pushed: str
    former: Claim | None
    warnings: tuple[str, ...]


def claim(session: Session, corpus: Corpus, asked: Wish) -> Grant:
    """Take a task. Raises the refusals of R-C5 in the order of the format page; a Grant stands."""
    reachable = mirroring.refresh(session)
    found = views.read(session)
    claimable.must_be(session, corpus, found, asked.task)
    grant = _take(session, corpus, found.of(asked.task.id, session), asked, reachable)
    session.store.remember_place(asked.task.id, session.place.inside(asked.stored.path))
    return grant


def _take(session: Session, corpus: Corpus, view: View, asked: Wish, reachable: bool) -> Grant:
    if view.held_by(session.identity.value):
        return _again(session, view, asked, reachable)
    kept = views.kept(view) if view.record is None and view.state.get("ended") == "swept" else None
    if kept and kept.holder == session.identity.value:
        return _bring_back(session, view, kept, asked, reachable)
    return _fresh(session, corpus, view, asked, reachable)


def _fresh(session: Session, corpus: Corpus, view: View, asked: Wish, reachable: bool, tries: int = 2) -> Grant:
    made, warnings = _new_record(session, corpus, view, asked)
    if not _swap_in(session, view, made):
        now = views.read(session, view.task).of(view.task, session)
        if tries and not (now.unreadable or now.completion or now.live(session.at)):
            return _fresh(session, corpus, now, asked, reachable, tries - 1)  # swept or dropped in this moment: free
        raise _beaten(session, view.task)
    state = view.state
    with _unmarked(view.task):
        pushed = publishing.publish(session, view, reachable, warnings) if session.has_origin else "none"
        entries.told(session, state)
    if state.get("token") != made.token:
        warnings.append(_another_session(session))
        made = views.kept(replace(view, local=None)) or made
        return Grant(_mark(session, asked), made, True, False, pushed, None, tuple(warnings))
    return _granted(session, view, made, asked, pushed, warnings)


def _swap_in(session: Session, view: View, made: Claim) -> bool:
    """The local ref to the new claim, with what is known of it; False when another process of this clone was first."""
    data = to_bytes(made.text)
    oid = refs.write_blob(data)
    with session.store.swapping():
        if not refs.swap(ids.claim_ref(view.task), oid, view.local_oid, "tenure: claim", data):
            return False
        with _unmarked(view.task):
            state = session.store.again(view.state)
            former = _swept_here(view)
            state.forget_claim()
            settling.hold(state, made)
            if former and former.holder != made.holder:
                state.set_lost(former.holder, made.holder, session.at)
            if session.has_origin:
                entries.wait_fresh(session, state, oid, view.mirror_oid, made.text)
            session.store.save(state)
    return True


def _granted(session: Session, view: View, made: Claim, asked: Wish, pushed: str, warnings: list[str]) -> Grant:
    """A fresh claim or a take-over stands: the file half, the event, the former holder's memory."""
    task, former = _mark(session, asked), view.claim
    _tell(session, made, asked, "task.taken_over" if former else "task.claimed")
    return Grant(task, made, False, former is not None, pushed, former, tuple(warnings))


def _tell(session: Session, made: Claim, asked: Wish, kind: str) -> None:
    change = {"from": asked.task.status, "to": "in_progress"}
    feed.append(session, event.of_claim(kind, made, whereabouts.act(session), **change))


def _tell_late(session: Session, made: Claim, asked: Wish) -> None:
    """An acquisition that was cut short before its event is told when it is granted again (F14)."""
    known = {one.fields.get("token") for one in feed.events(made.task) if one.type in TAKINGS}
    if made.token is not None and made.token not in known:
        _tell(session, made, asked, "task.taken_over" if made.generation > 1 else "task.claimed")


def _swept_here(view: View) -> Claim | None:
    """Whoever held it in this clone and let it lapse is told at its next verb or commit (R-L6)."""
    return view.claim or (views.kept(view) if view.state.get("ended") == "swept" else None)


def _new_record(session: Session, corpus: Corpus, view: View, asked: Wish) -> tuple[Claim, list[str]]:
    text = asked.criteria if asked.criteria is not None else asked.task.done_criteria or ""
    seconds, capped = lease.granted(asked.lease, session.lengths)
    warnings = [f"the lease is capped at {instants.span(seconds)} here (claim_ttl_max)"] if capped else []
    made = Claim(
        task=asked.task.id,
        holder=session.identity.value,
        claimed=session.at,
        expires=session.at + seconds,
        ttl=seconds,
        criteria=criterion_text.freeze_hash(text),
        constraints=constraints.hash_of(constraints.binding(corpus, asked.task)),
        token=os.urandom(16).hex(),
        generation=record.generation_after(view.claim),
    )
    return replace(made, text=record.emit_claim(made)), warnings


def _beaten(session: Session, task: str) -> TenureError:
    """Another process of this clone was first."""
    view = views.read(session, task).of(task, session)
    holding.must_be_readable(session, view)
    if view.claim and not view.held_by(session.identity.value):
        return holding.held_error(view.claim, session.at)
    return Unavailable(f"{task} moved while it was being claimed", f"tenure claim {ids.short(task)}")


def _another_session(session: Session) -> str:
    who = session.identity.value
    return f"{who} holds this already from elsewhere: another session may share the identity (set ANK_AGENT)"


def _again(session: Session, view: View, asked: Wish, reachable: bool) -> Grant:
    """A regrant: renewed, the same token, generation and frozen hash (R-I5, R-L6)."""
    old = view.claim
    assert old is not None
    warnings = []
    if not criterion_text.fits(asked.task.done_criteria or asked.criteria or "", old.criteria):
        if not view.live(session.at):
            raise holding.criterion_error(old)
        back = f"tenure criteria restore {ids.short(view.task)}"
        warnings.append(f"the criterion of {view.task} differs from the frozen one: {back}")
    cut_short = view.local is not None and not view.state.ours and not standing.same_acquisition(old, view.mirror)
    if cut_short:
        warnings.append(f"a claim on {view.task} that was cut short here is finished now")
    elif view.state.get("token") != old.token or (not view.state.ours and view.local is None):
        warnings.append(_another_session(session))
    done = renewing.renew(session, view)
    if done is None:
        raise _beaten(session, view.task)
    return _settled(session, view, done.claim, asked, reachable, warnings)


def _bring_back(session: Session, view: View, kept: Claim, asked: Wish, reachable: bool) -> Grant:
    """A swept claim of one's own: from this clone's own record (R-L6)."""
    if not criterion_text.fits(asked.task.done_criteria or "", kept.criteria):
        raise holding.criterion_error(kept)
    done = renewing.recreate(session, view.state, kept)
    if done is None:
        raise _beaten(session, view.task)
    return _settled(session, view, done.claim, asked, reachable, [])


def _settled(session: Session, view: View, made: Claim, asked: Wish, reachable: bool, warnings: list[str]) -> Grant:
    pushed = "none"
    if session.has_origin:
        with session.store.swapping():
            state = session.store.again(view.state)
            here = refs.read(ids.claim_ref(view.task))
            state.set(refused=None)
            kind = entries.RENEWAL if state.get("published") else entries.CLAIM
            entries.wait(session, state, kind, here.oid if here else None, view.mirror_oid, made.text)
        pushed = publishing.publish(session, view, reachable, warnings)
    task = _mark(session, asked)
    _tell_late(session, made, asked)
    return Grant(task, made, True, False, pushed, None, tuple(warnings))


def _mark(session: Session, asked: Wish) -> Task:
    """The file half: status and version, and the criterion where it was set in this call (R-C5)."""
    new = replace(asked.task, status="in_progress")
    if asked.criteria is not None:
        new = replace(new, done_criteria=asked.criteria, criteria_by="claimer")
    if new == asked.task:
        return new
    with _unmarked(asked.task.id):
        made = _as_task(files.rewrite(asked.stored, new))
        if asked.criteria is not None:
            corpus = Corpus(asked.stored.root)
            log.account(corpus, asked.task, made, "done_criteria", session.identity.value, session.at)
        return made


def _unmarked(task: str) -> AbstractContextManager[None]:
    words = f"the claim on {task} stands, its file was not marked in_progress"
    return halves.stands(words, f"tenure claim {ids.short(task)}")


def _as_task(stored: Stored) -> Task:
    assert isinstance(stored.entity, Task)
    return stored.entity
