"""From this clone to origin: what waits is written down before a push starts, and judged by what origin holds after.

R-C2, R-C3, R-H2. An entry waits in the task's state: kind, object, expected value. Any process of this clone may push
it as long as the local ref still holds that object.
"""

from __future__ import annotations

import time

from tenure.git import objects, remote
from tenure.git.remote import Origin, Update
from tenure.model import event, ids, outcome, record
from tenure.model.outcome import AGAIN, BLOCKED, ENDED, REFUSED, UNREACHABLE, WON, Outcome
from tenure.model.record import Claim, Completion, Record
from tenure.work import entries, feed, settling
from tenure.work.entries import CLAIM, COMPLETION, DELETION, RENEWAL
from tenure.work.session import Session
from tenure.work.state import TaskState

_TRIES = 5
_REFUSALS = 2


def carry(session: Session, state: TaskState, seconds: float = remote.PUSH_LIMIT) -> Outcome:
    """Push what waits for one task and settle what came of it, here too. The clone's state is saved."""
    assert session.origin is not None
    if not state.get("pending"):
        # Another process carried it meanwhile; a push without an entry would ask for a deletion.
        return Outcome(WON, entries.held(state), state.get("published"))
    end = time.monotonic() + seconds
    pushed = _entry(state)
    found = _push_until_clear(session, session.origin, state, end)
    with session.store.swapping():
        now = session.store.task(state.task)
        overtaken = _entry(now) != pushed
        if not overtaken:
            settling.SETTLE[found.kind](session, state, found)
            session.store.save(state)
        elif pushed[0] in (CLAIM, RENEWAL) and found.kind == WON:
            _landed_late(session, now, found)
    if overtaken:
        session.store.again(state)
        return _take_back(session, now, pushed, found)
    return found


Entry = tuple[str | None, str | None, str | None]


def _entry(state: TaskState) -> Entry:
    """What makes an entry the one that a push was started for."""
    return state.get("pending"), state.get("pending_object"), state.get("pending_record")


def _landed_late(session: Session, now: TaskState, found: Outcome) -> None:
    """A push landed whose entry another process of this clone replaced meanwhile: a later renewal still waits."""
    if (
        now.ours
        and now.get("token") == entries.token_of(found.there)
        and now.get("pending") not in (COMPLETION, DELETION)
    ):
        settling.see(now.task, found.oid)
        now.set(published=found.oid, refused=None)
        session.store.save(now)


def _take_back(session: Session, now: TaskState, pushed: Entry, found: Outcome) -> Outcome:
    """What was handed back while its push was under way must not stand on origin (R-C6, F6)."""
    if pushed[0] not in (CLAIM, RENEWAL) or found.kind != WON or found.oid is None or session.origin is None:
        return found
    if now.get("pending") == COMPLETION or (now.ours and now.get("token") == entries.token_of(found.there)):
        return found
    remote.push(session.origin, [Update(ids.claim_ref(now.task), None, found.oid)])
    return Outcome(ENDED)


def _push_until_clear(session: Session, origin: Origin, state: TaskState, end: float) -> Outcome:
    new, expected = state.get("pending_object"), state.get("pending_expected")
    mine = entries.pending_record(state)
    found, refusals = Outcome(UNREACHABLE), 0
    for _ in range(_TRIES):
        if end - time.monotonic() <= 0:
            return Outcome(UNREACHABLE)
        if _push(session, origin, state, expected, refusals, end):
            return Outcome(WON, mine, new)
        found = _afterwards(origin, state, mine, expected, end)
        if found.kind == AGAIN:
            expected = found.oid
        elif found.kind == ENDED and expected is not None and _swept(session, state, mine, end):
            expected = None
            state.set(published=None)
        elif found.kind == REFUSED and refusals < _REFUSALS:
            refusals += 1  # a server's stale hold or a push to another ref looks the same: once more (F18)
            time.sleep(0.1)
        else:
            return found
    return Outcome(REFUSED, found.there, found.oid)


def _push(session: Session, origin: Origin, state: TaskState, expected: str | None, refusals: int, end: float) -> bool:
    """One push of the entry; True when git says that it landed.

    An end travels with its event, both or none: who finds the ref gone must find why, or the claim would be brought
    back (R-L6). Where that was refused, the feed is read again, and the last try goes without the event.
    """
    ends = state.get("pending") in (COMPLETION, DELETION)
    if ends and not refusals:
        _tell(session, state)
    if ends and refusals:
        remote.refresh(origin, max(1.0, end - time.monotonic()))
    told = feed.update(session) if ends and refusals < _REFUSALS else None
    update = Update(ids.claim_ref(state.task), state.get("pending_object"), expected)
    updates = [update, *([told] if told else [])]
    flags = remote.push(origin, updates, max(1.0, end - time.monotonic()), atomic=told is not None)
    if told and remote.landed(flags.get(told.ref)):
        feed.settle(told)
    return remote.landed(flags.get(update.ref))


def _tell(session: Session, state: TaskState) -> None:
    """The event of an end whose process died before it could tell; one that was told is there already (R-K2)."""
    told = event.of_note(state.get("pending_event") or "")
    if told:
        feed.append(session, told)


def _swept(session: Session, state: TaskState, mine: Record | None, end: float) -> bool:
    """Whether a claim that vanished counts as swept: the feed tells no other end of it (R-L6).

    A completion is no less worth where a sweep took the claim that it ends: it then expects nothing.
    """
    claim = entries.held(state) if state.get("pending") == COMPLETION else mine
    if not isinstance(claim, Claim) or state.get("pending") == DELETION or session.origin is None:
        return False
    remote.refresh(session.origin, max(1.0, end - time.monotonic()))
    own = event.of_note(state.get("pending_event") or "")
    return feed.end_of(state.task, claim.holder, claim.claimed, own.id if own else None) is None


def _afterwards(origin: Origin, state: TaskState, mine: Record | None, expected: str | None, end: float) -> Outcome:
    seen = remote.look(origin, ids.claim_ref(state.task), max(1.0, end - time.monotonic()))
    if seen is None:
        return Outcome(UNREACHABLE)
    if seen.in_the_way:
        return Outcome(BLOCKED, None, None, seen.in_the_way)
    there = _there(origin, state.task, seen.oid, max(1.0, end - time.monotonic())) if seen.oid else None
    kind, oid = state.get("pending"), state.get("pending_object") or ""
    if (
        there
        and kind == CLAIM
        and state.get("pending_given_back")
        and entries.token_of(there) == state.get("pending_given_back")
    ):
        return Outcome(AGAIN, there, seen.oid)
    if kind == DELETION:
        return outcome.of_deletion(mine, expected, there, seen.oid)
    if isinstance(mine, Completion):
        return outcome.of_completion(mine, entries.held(state), oid, expected, there, seen.oid)
    if isinstance(mine, Claim):
        return outcome.of_write(mine, oid, expected, state.get("published") is not None, there, seen.oid)
    return Outcome(ENDED)


def _there(origin: Origin, task: str, oid: str, seconds: float) -> Record:
    """The record in an object that origin holds, fetched where this clone does not have it."""
    ref = ids.claim_ref(task)
    if not objects.present([oid])[0] and not remote.bring(origin, oid, task, seconds):
        return record.Unreadable(ref, "origin's object cannot be read")
    thing = objects.read(oid)
    if thing is None or thing.kind != "blob":
        return record.Unreadable(ref, "not a blob")
    return record.parse(ref, thing.data)
