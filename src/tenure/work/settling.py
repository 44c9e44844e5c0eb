"""What came of a push, here: the local ref, the mirror and the clone's state follow what origin holds (R-C2, R-C3)."""

from __future__ import annotations

from tenure.git import objects, refs
from tenure.model import event, ids, record, standing
from tenure.model.errors import Broken
from tenure.model.outcome import BLOCKED, ENDED, LOST, REFUSED, REGRANT, UNREACHABLE, WON, Outcome
from tenure.model.record import Claim, Record
from tenure.work import entries, feed
from tenure.work.entries import CLAIM, COMPLETION, DELETION, RENEWAL
from tenure.work.session import Session
from tenure.work.state import TaskState


def see(task: str, oid: str | None) -> None:
    """The mirror follows what origin was seen to hold; where git cannot write it, the next look does."""
    name = ids.mirror_ref(task)
    old = refs.read(name)
    try:
        if oid is None:
            if old:
                refs.delete(name, old.oid)
        elif not old or old.oid != oid:
            refs.swap(name, oid, old.oid if old else None, "tenure: seen on origin")
    except Broken:
        pass


def _won(session: Session, state: TaskState, found: Outcome) -> None:
    kind, mine = state.get("pending"), state.get("pending_object")
    see(state.task, found.oid)
    if kind == COMPLETION and found.oid and mine and found.oid != mine:
        refs.swap(ids.claim_ref(state.task), found.oid, mine, "tenure: as origin has it")  # finished twice alike
    if kind in (CLAIM, RENEWAL):
        state.set(published=found.oid, refused=None)
    state.forget_pending()
    if kind in (COMPLETION, DELETION):
        state.forget_claim()
    if kind == COMPLETION and found.oid:
        session.store.write("alike", {**session.store.read("alike"), state.task: found.oid})


def _regrant(_: Session, state: TaskState, found: Outcome) -> None:
    adopt(state, found.there, found.oid)


def adopt(state: TaskState, there: Record | None, oid: str | None) -> None:
    """What origin holds of this identity is the record here too; exactly one fresh grant exists (R-I5)."""
    assert isinstance(there, Claim)
    assert oid is not None
    here = refs.read(ids.claim_ref(state.task))
    if not here or here.oid != oid:
        refs.swap(ids.claim_ref(state.task), oid, here.oid if here else None, "tenure: adopted")
    see(state.task, oid)
    hold(state, there)
    state.set(published=oid, refused=None)
    state.forget_pending()


def hold(state: TaskState, claim: Claim) -> None:
    """This clone made or adopted that acquisition, whose record is this one now."""
    state.set(token=claim.token, identity=claim.holder, record=claim.text, ended=None)
    state.set_lost(claim.holder, None, 0)


def _lost(session: Session, state: TaskState, found: Outcome) -> None:
    see(state.task, found.oid)
    lose(session, state, found.there)


def lose(session: Session, state: TaskState, there: Record | None) -> None:
    """Somebody else has it: the local ref follows origin, the loser remembers, nothing is published later (R-C3)."""
    if state.get("pending") == DELETION:
        state.forget_pending()
        return
    mine = entries.pending_record(state) or entries.held(state)
    drop_local(state, mine)
    held = entries.held(state) or mine
    loser = state.get("identity") or (held.holder if isinstance(held, Claim) else None)
    winner = record.whose(there) or "?"
    untold = state.get("pending_untold") is not None
    state.forget_pending()
    state.forget_claim()
    if loser and loser != winner and not untold:
        state.set_lost(loser, winner, session.at)
        if isinstance(held, Claim):
            act = event.Act(winner, session.at)
            feed.append(session, event.of_claim("claim.lost", held, act))


def drop_local(state: TaskState, mine: Record | None) -> None:
    """Take the local ref away as long as it is the record that ended."""
    here = refs.read(ids.claim_ref(state.task))
    thing = objects.read(here.oid) if here else None
    now = record.parse(here.name, thing.data) if here and thing and thing.kind == "blob" else None
    same = isinstance(mine, Claim) and isinstance(now, Claim) and standing.same_acquisition(mine, now)
    if here and (same or (now is not None and mine is not None and now == mine)):
        refs.delete(here.name, here.oid)


def _refused(session: Session, state: TaskState, found: Outcome) -> None:
    if state.get("pending") == CLAIM:
        state.set(refused=1)
        state.forget_pending()
    else:
        _failed(session, state, found)


def _failed(session: Session, _: TaskState, found: Outcome) -> None:
    session.store.origin_away = session.store.origin_away or found.kind == UNREACHABLE


def _ended(session: Session, state: TaskState, _: Outcome) -> None:
    see(state.task, None)
    vanish(session, state)


def vanish(session: Session, state: TaskState) -> None:
    """Origin holds it no more: it ended there; a swept one can come back from the record kept here (R-C2, R-L6)."""
    mine = entries.held(state) or entries.pending_record(state)
    drop_local(state, mine)
    state.forget_pending()
    told = None
    if isinstance(mine, Claim):
        told = feed.end_of(state.task, mine.holder, mine.claimed)
        what = told.type.partition(".")[2] if told else "swept"
        by = f" by {told.fields['actor']}" if told and told.fields["actor"] not in (None, mine.holder) else ""
        again = "" if told else f"; tenure claim {ids.short(state.task)} brings it back"
        session.store.note(f"{whose(session, mine)} claim on {state.task} ended on origin: {what}{by}{again}")
        if told and told.type == "task.taken_over" and told.fields["holder"] not in (None, mine.holder):
            state.set_lost(mine.holder, told.fields["holder"], session.at)
    if told or not isinstance(mine, Claim):
        state.forget_claim()
    else:
        state.set(record=mine.text, identity=mine.holder, token=mine.token, ended="swept", published=None)


def whose(session: Session, mine: Claim) -> str:
    """Notes are a clone's, and several identities may work in one (R-I4)."""
    return "your" if mine.holder == session.identity.value else f"{mine.holder}'s"


SETTLE = {
    WON: _won,
    REGRANT: _regrant,
    LOST: _lost,
    REFUSED: _refused,
    UNREACHABLE: _failed,
    ENDED: _ended,
    BLOCKED: _failed,
}
