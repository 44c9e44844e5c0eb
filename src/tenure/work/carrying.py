"""From this clone to origin: what waits is written down before a push starts, and judged by what origin holds after.

R-C2, R-C3, R-H2. An entry waits in the task's state: kind, object, expected value. Any process of this clone may push
it as long as the local ref still holds that object.
"""

from __future__ import annotations

import time

from tenure.git import objects, refs, remote
from tenure.git.remote import Origin, Update
from tenure.model import event, ids, lease, outcome, record, standing
from tenure.model.errors import Broken
from tenure.model.outcome import AGAIN, BLOCKED, ENDED, LOST, REFUSED, REGRANT, UNREACHABLE, WON, Outcome
from tenure.model.record import Claim, Completion, Record
from tenure.work import feed
from tenure.work.session import Session
from tenure.work.state import TaskState

CLAIM, RENEWAL, COMPLETION, DELETION = "claim", "renewal", "completion", "deletion"
_TRIES = 5
_REFUSALS = 2


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


def wait_fresh(session: Session, state: TaskState, oid: str, expected: str | None, text: str) -> None:
    """The same for a fresh claim, which goes over an acquisition that was given back here a moment before (R-C6).

    `pending_untold`: nobody was told yet that it stands, so that losing it now is a refusal and no loss.
    """
    gone = _pending_record(state) if state.get("pending") == DELETION else None
    state.set(pending_given_back=token_of(gone), pending_since=None, pending_untold=1)
    wait(session, state, CLAIM, oid, expected, text)


def told(session: Session, state: TaskState) -> None:
    """Its holder is told now that the claim stands, here at least."""
    if state.get("pending_untold") is None:
        return
    with session.store.swapping():
        session.store.again(state).set(pending_untold=None)
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
        # Another process carried it meanwhile; a push without an entry would ask for a deletion.
        return Outcome(WON, _held(state), state.get("published"))
    end = time.monotonic() + seconds
    pushed = _entry(state)
    found = _push_until_clear(session, session.origin, state, end)
    with session.store.swapping():
        now = session.store.task(state.task)
        overtaken = _entry(now) != pushed
        if not overtaken:
            _SETTLE[found.kind](session, state, found)
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
    if now.ours and now.get("token") == token_of(found.there) and now.get("pending") not in (COMPLETION, DELETION):
        see(now.task, found.oid)
        now.set(published=found.oid, refused=None)
        session.store.save(now)


def _take_back(session: Session, now: TaskState, pushed: Entry, found: Outcome) -> Outcome:
    """What was handed back while its push was under way must not stand on origin (R-C6, F6)."""
    if pushed[0] not in (CLAIM, RENEWAL) or found.kind != WON or found.oid is None or session.origin is None:
        return found
    if now.get("pending") == COMPLETION or (now.ours and now.get("token") == token_of(found.there)):
        return found
    remote.push(session.origin, [Update(ids.claim_ref(now.task), None, found.oid)])
    return Outcome(ENDED)


def token_of(there: Record | None) -> str | None:
    return there.token if isinstance(there, Claim) else None


def _push_until_clear(session: Session, origin: Origin, state: TaskState, end: float) -> Outcome:
    new, expected = state.get("pending_object"), state.get("pending_expected")
    mine = _pending_record(state)
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
    if ends and refusals:
        remote.refresh(origin, max(1.0, end - time.monotonic()))
    told = feed.update(session) if ends and refusals < _REFUSALS else None
    update = Update(ids.claim_ref(state.task), state.get("pending_object"), expected)
    updates = [update, *([told] if told else [])]
    flags = remote.push(origin, updates, max(1.0, end - time.monotonic()), atomic=told is not None)
    if told and remote.landed(flags.get(told.ref)):
        feed.settle(told)
    return remote.landed(flags.get(update.ref))


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
    if (
        there
        and kind == CLAIM
        and state.get("pending_given_back")
        and token_of(there) == state.get("pending_given_back")
    ):
        return Outcome(AGAIN, there, seen.oid)
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
    state.set(failed=None)
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
    mine = _pending_record(state) or _held(state)
    drop_local(state, mine)
    held = _held(state) or mine
    loser = state.get("identity") or (held.holder if isinstance(held, Claim) else None)
    winner = there.holder if isinstance(there, Claim) else there.identity if isinstance(there, Completion) else "?"
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


_SETTLE = {
    WON: _won,
    REGRANT: _regrant,
    LOST: _lost,
    REFUSED: _refused,
    UNREACHABLE: _failed,
    ENDED: _ended,
    BLOCKED: _failed,
}
