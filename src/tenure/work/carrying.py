"""From this clone to origin: what waits is written down before a push starts, and judged by what origin holds after.

R-C2, R-C3, R-H2. An entry waits in the task's state: kind, object, expected value. Any process of this clone may push
it as long as the local ref still holds that object.
"""

from __future__ import annotations

import time

from tenure.git import objects, refs, remote
from tenure.git.remote import Origin, Update
from tenure.model import event, ids, lease, outcome, record, standing
from tenure.model.outcome import AGAIN, BLOCKED, ENDED, LOST, REFUSED, REGRANT, UNREACHABLE, WON, Outcome
from tenure.model.record import Claim, Completion, Record
from tenure.work import feed
from tenure.work.session import Session
from tenure.work.state import TaskState

CLAIM, RENEWAL, COMPLETION, DELETION = "claim", "renewal", "completion", "deletion"
_TRIES = 5


def wait(session: Session, state: TaskState, kind: str, oid: str | None, expected: str | None, text: str) -> None:
    """Write down what is to be pushed: `oid` None deletes. `text` is the record that this is about (R-C3)."""
    old = state.get("pending_expected") if state.get("pending") else None
    state.set(
        pending=kind,
        pending_object=oid,
        pending_expected=expected if expected is not None else old,
        pending_since=state.get("pending_since") or session.at,
        pending_record=text,
    )
    session.store.save(state)


def is_due(session: Session, state: TaskState, local_oid: str | None) -> bool:
    """Whether what waits may still be pushed: nothing that was lost, lapsed or replaced here (R-C3)."""
    kind = state.get("pending")
    if kind is None or session.origin is None:
        return False
    if kind == DELETION:
        return local_oid is None
    if local_oid != state.get("pending_object"):
        return False
    if kind == COMPLETION:
        return True
    mine = _pending_record(state)
    return isinstance(mine, Claim) and lease.is_live(mine, session.at) and not state.get("refused")


def _pending_record(state: TaskState) -> Record | None:
    text = state.get("pending_record")
    return record.parse(ids.claim_ref(state.task), text.encode("utf-8", "surrogateescape")) if text else None


def carry(session: Session, state: TaskState, seconds: float = remote.PUSH_LIMIT) -> Outcome:
    """Push what waits for one task and settle what came of it, here too. The clone's state is saved."""
    assert session.origin is not None
    if not state.get("pending"):
        return Outcome(WON, _held(state), state.get("published"))  # another process carried it meanwhile
    end = time.monotonic() + seconds
    found = _push_until_clear(session, session.origin, state, end)
    _SETTLE[found.kind](session, state, found)
    session.store.save(state)
    return found


def _push_until_clear(session: Session, origin: Origin, state: TaskState, end: float) -> Outcome:
    ref, new = ids.claim_ref(state.task), state.get("pending_object")
    expected = state.get("pending_expected")
    mine = _pending_record(state)
    found, refusals = Outcome(UNREACHABLE), 0
    # An end travels with its event: who finds the ref gone must find why, or the claim would be brought back (R-L6).
    told = feed.update(session) if state.get("pending") in (COMPLETION, DELETION) else None
    for _ in range(_TRIES):
        left = end - time.monotonic()
        if left <= 0:
            return Outcome(UNREACHABLE)
        flags = remote.push(origin, [Update(ref, new, expected), *([told] if told else [])], left)
        if told and remote.landed(flags.get(told.ref)):
            feed.settle(told)
        told = None
        if remote.landed(flags.get(ref)):
            return Outcome(WON, mine, new)
        found = _afterwards(origin, state, mine, expected, end)
        if found.kind == AGAIN:
            expected = found.oid
        elif found.kind == ENDED and expected is not None and _swept(session, state, mine, end):
            expected = None
            state.set(published=None, pending_expected=None)
        elif found.kind == REFUSED and refusals == 0:
            refusals += 1  # a server's stale hold or a push to another ref looks the same: once more (F18)
            time.sleep(0.1)
        else:
            return found
    return Outcome(REFUSED, found.there, found.oid)


def _swept(session: Session, state: TaskState, mine: Record | None, end: float) -> bool:
    """Whether a claim that vanished counts as swept: the feed tells no other end of it (R-L6)."""
    if not isinstance(mine, Claim) or state.get("pending") not in (CLAIM, RENEWAL) or session.origin is None:
        return False
    remote.refresh(session.origin, max(1.0, end - time.monotonic()))
    return feed.end_of(state.task, mine.holder, mine.claimed) is None


def _afterwards(origin: Origin, state: TaskState, mine: Record | None, expected: str | None, end: float) -> Outcome:
    seen = remote.look(origin, ids.claim_ref(state.task), max(1.0, end - time.monotonic()))
    if seen is None:
        return Outcome(UNREACHABLE)
    if seen.in_the_way:
        return Outcome(BLOCKED, None, None, seen.in_the_way)
    there = _there(origin, state.task, seen.oid, max(1.0, end - time.monotonic())) if seen.oid else None
    kind, oid = state.get("pending"), state.get("pending_object") or ""
    if kind == DELETION:
        return outcome.of_deletion(mine, expected, there, seen.oid)
    if isinstance(mine, Completion):
        return outcome.of_completion(mine, _held(state), oid, expected, there, seen.oid)
    if isinstance(mine, Claim):
        return outcome.of_write(mine, oid, expected, state.get("published") is not None, there, seen.oid)
    return Outcome(ENDED)


def _held(state: TaskState) -> Claim | None:
    text = state.get("record")
    found = record.parse(ids.claim_ref(state.task), text.encode("utf-8", "surrogateescape")) if text else None
    return found if isinstance(found, Claim) else None


def _there(origin: Origin, task: str, oid: str, seconds: float) -> Record:
    """The record in an object that origin holds, fetched where this clone does not have it."""
    ref = ids.claim_ref(task)
    if not objects.present([oid])[0] and not remote.bring(origin, oid, task, seconds):
        return record.Unreadable(ref, "origin's object cannot be read")
    thing = objects.read(oid)
    if thing is None or thing.kind != "blob":
        return record.Unreadable(ref, "not a blob")
    return record.parse(ref, thing.data)


def see(task: str, oid: str | None) -> None:
    """The mirror follows what origin was seen to hold."""
    name = ids.mirror_ref(task)
    old = refs.read(name)
    if oid is None:
        if old:
            refs.delete(name, old.oid)
    elif not old or old.oid != oid:
        refs.swap(name, oid, old.oid if old else None, "tenure: seen on origin")


def _won(_: Session, state: TaskState, found: Outcome) -> None:
    kind = state.get("pending")
    see(state.task, found.oid)
    if kind in (CLAIM, RENEWAL):
        state.set(published=found.oid, refused=None, failed=None)
    state.forget_pending()
    if kind in (COMPLETION, DELETION):
        state.forget_claim()


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
    mine = _pending_record(state) or _held(state)
    drop_local(state, mine)
    loser = state.get("identity") or (mine.holder if isinstance(mine, Claim) else None)
    winner = there.holder if isinstance(there, Claim) else there.identity if isinstance(there, Completion) else "?"
    state.forget_pending()
    state.forget_claim()
    if loser and loser != winner:
        state.set_lost(loser, winner, session.at)
        if isinstance(mine, Claim):
            act = event.Act(winner, session.at)
            feed.append(session, event.of_claim("claim.lost", mine, act))


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


def _failed(session: Session, state: TaskState, found: Outcome) -> None:
    session.store.origin_away = session.store.origin_away or found.kind == UNREACHABLE
    state.set(failed=(state.number("failed") or 0) + 1)


def _ended(session: Session, state: TaskState, _: Outcome) -> None:
    see(state.task, None)
    vanish(session, state)


def vanish(session: Session, state: TaskState) -> None:
    """Origin holds it no more: it ended there; a swept one can come back from the record kept here (R-C2, R-L6)."""
    mine = _held(state) or _pending_record(state)
    drop_local(state, mine)
    state.forget_pending()
    told = None
    if isinstance(mine, Claim):
        told = feed.end_of(state.task, mine.holder, mine.claimed)
        what = told.type.partition(".")[2] if told else "swept"
        by = f" by {told.fields['actor']}" if told and told.fields["actor"] not in (None, mine.holder) else ""
        again = "" if told else f"; tenure claim {state.task[5:9]} brings it back"
        session.store.note(f"your claim on {state.task} ended on origin: {what}{by}{again}")
    if told or not isinstance(mine, Claim):
        state.forget_claim()
    else:
        state.set(record=mine.text, identity=mine.holder, token=mine.token, ended="swept", published=None)


_SETTLE = {
    WON: _won,
    REGRANT: _regrant,
    LOST: _lost,
    REFUSED: _refused,
    UNREACHABLE: _failed,
    ENDED: _ended,
    BLOCKED: _failed,
}
