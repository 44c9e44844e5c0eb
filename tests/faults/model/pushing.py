"""From a clone to origin: the push, its landing and what that may not break, its settling (work/carrying)."""

from __future__ import annotations

from typing import Any

from faults.model.acting import swept_here
from faults.model.reading import lose, vanish
from faults.model.seeing import forget, hold, is_live
from faults.model.states import (
    CLAIM,
    COMPLETION,
    DELETION,
    RENEWAL,
    SWEEP,
    BrokenError,
    Clone,
    Entry,
    Flight,
    Rules,
    World,
    gives_back,
    key_of,
    replace,
    token_of,
    who_of,
)
from tenure.model import outcome, standing
from tenure.model.record import Claim, Completion, Record


def is_due(world: World, c: int) -> bool:
    clone = world.clones[c]
    if clone.entry is None or clone.flight is not None:
        return False
    if clone.kind == DELETION:
        return clone.local is None
    if clone.local != clone.entry.new:
        return False
    return clone.kind == COMPLETION or (is_live(world, c, clone.entry.mine) and not clone.refused)


def start(world: World, c: int) -> World:
    clone = world.clones[c]
    assert clone.entry is not None
    return world.with_clone(c, replace(clone, flight=Flight(clone.entry, clone.entry.expected)))


def land(world: World, c: int, rules: Rules, answer: bool = True, refuse: bool = False) -> World:
    """Origin takes the push or not; `answer`: whether the clone hears of it."""
    clone = world.clones[c]
    flight = clone.flight
    assert flight is not None
    new = flight.entry.new
    leased = rules.sweep_lease if flight.entry.kind == SWEEP else rules.expected
    takes = not refuse and (world.origin == new or not leased or world.origin == flight.expected)
    if flight.entry.kind in (DELETION, SWEEP) and world.origin is None:
        takes = False  # git: a lease on something that is not there
    stage = "landed" if takes and answer else "unknown"
    moved = _moved(world, c, new, flight) if takes else world
    if takes and flight.entry.kind == COMPLETION and clone.kept is not None:
        moved = replace(moved, ends=moved.ends | {key_of(clone.kept)})  # the event travels with it
    return moved.with_clone(c, replace(moved.clones[c], flight=replace(flight, stage=stage, took=flight.took or takes)))


def was_live(at: int, one: Record | None) -> bool:
    """R-L2 in the model's own words: what invariants go by must not be what they judge."""
    return isinstance(one, Claim) and at <= one.expires + 120


def _moved(world: World, c: int, new: Record | None, flight: Flight) -> World:
    """Origin's ref moves: the invariants over each single move (S2, S3, S5, S6, S7)."""
    old = world.origin
    if old == new:
        return world
    if flight.entry.kind == SWEEP and was_live(world.now(c), old):
        raise BrokenError(f"S3: a sweep deleted a live claim of {who_of(old)}")
    if flight.entry.kind == DELETION and who_of(old) != who_of(flight.entry.mine):
        raise BrokenError(f"S5: a release deleted a record of {who_of(old)}")
    # Onto an empty ref it may come back, as after a sweep, where its clone could not know of the take-over (R-L6).
    known = {taken for taken, _ in world.gone} if old is not None else set()
    if isinstance(new, Claim) and key_of(new) in known and not standing.same_acquisition(new, old):
        raise BrokenError(f"S5: {key_of(new)} came back after it was taken over")
    given = flight.entry.given_back
    if isinstance(old, Claim) and isinstance(new, Claim):
        if standing.same_acquisition(old, new):
            if new.expires < old.expires or new.generation != old.generation:
                raise BrokenError("S2, S7: a renewal changed the generation or shortened the lease")
        elif not gives_back(flight.entry, old):
            if was_live(world.now(c), old):
                raise BrokenError(f"S3: a live claim of {old.holder} was taken over by {new.holder}")
            if new.generation <= old.generation:
                raise BrokenError("S2: the generation fell in one life of the ref")
            world = replace(world, gone=world.gone | {(key_of(old), key_of(new))})
    if isinstance(old, Completion) and isinstance(new, Claim) and old != given:
        raise BrokenError("S6: a lease came back onto a finished task")
    return replace(world, origin=new)


def settle(world: World, c: int, rules: Rules, readable: bool = True) -> World:
    """What came of the push, by what origin holds now; or it is sent again."""
    clone = world.clones[c]
    flight = clone.flight
    assert flight is not None
    entry = flight.entry
    if entry.kind == SWEEP:
        return _settle_sweep(world, c, flight, readable)
    found = outcome.Outcome(outcome.WON, entry.mine, None) if flight.stage == "landed" else None
    if found is None and not readable:
        found = outcome.Outcome(outcome.UNREACHABLE)
    if found is None and not rules.read_back:
        found = outcome.Outcome(outcome.LOST, world.origin)
    if found is None:
        found = _afterwards(world, c, flight)
        again = _again(world, c, flight, found)
        if again is not None:
            return again
    if (
        found.kind == outcome.WON
        and not flight.took
        and not (world.origin == entry.new or same_end(world.origin, entry))
    ):
        raise BrokenError(f"S9: {c} was told that it won what origin never held")
    world = world.with_clone(c, replace(clone, flight=None))
    clone = world.clones[c]
    if clone.entry != entry:
        return _overtaken(world, c, flight, found, rules)
    return world.with_clone(c, _SETTLE[found.kind](world, c, found, flight))


def give_up(world: World, c: int) -> World:
    """What origin turned away again and again counts as refused (work/carrying: five tries)."""
    clone = world.clones[c]
    flight = clone.flight
    assert flight is not None
    world = world.with_clone(c, replace(clone, flight=None))
    return world.with_clone(c, _refused(world, c, outcome.Outcome(outcome.REFUSED, world.origin), flight))


def same_end(there: Record | None, entry: Entry) -> bool:
    """A completion of the same commit by the same identity is the same end."""
    mine = entry.new
    return isinstance(there, Completion) and isinstance(mine, Completion) and there.commit == mine.commit


def _afterwards(world: World, c: int, flight: Flight) -> outcome.Outcome:
    clone, entry, there = world.clones[c], flight.entry, world.origin
    oid: Any = there  # an object's name is the object
    expected: Any = flight.expected
    mine: Any = entry.new
    if entry.kind == CLAIM and gives_back(entry, there):
        return outcome.Outcome(outcome.AGAIN, there)
    if entry.kind == DELETION:
        return outcome.of_deletion(entry.mine, expected, there, oid)
    if isinstance(entry.mine, Completion):
        return outcome.of_completion(entry.mine, clone.kept, mine, expected, there, oid)
    assert isinstance(entry.mine, Claim)
    return outcome.of_write(entry.mine, mine, expected, clone.published is not None, there, oid)


def _again(world: World, c: int, flight: Flight, found: outcome.Outcome) -> World | None:
    clone, mine = world.clones[c], flight.entry.mine
    if found.kind == outcome.AGAIN:
        return world.with_clone(c, replace(clone, flight=replace(flight, expected=found.there, stage="sent")))
    claim = clone.kept if flight.entry.kind == COMPLETION else mine
    swept = isinstance(claim, Claim) and flight.entry.kind != DELETION and not world.has_ended(claim)
    if found.kind == outcome.ENDED and flight.expected is not None and swept:
        clone = replace(clone, published=None, flight=replace(flight, expected=None, stage="sent"))
        return world.with_clone(c, clone)
    return None


def _overtaken(world: World, c: int, flight: Flight, found: outcome.Outcome, rules: Rules) -> World:
    """Another process of this clone replaced the entry while it was under way."""
    clone, entry = world.clones[c], flight.entry
    if entry.kind not in (CLAIM, RENEWAL) or found.kind != outcome.WON:
        return world
    if clone.ours and clone.token == token_of(entry.mine):
        if clone.kind in (COMPLETION, DELETION):
            return world
        return world.with_clone(c, replace(clone, published=entry.new, mirror=entry.new, refused=False))
    if clone.kind == COMPLETION or world.origin != entry.new:
        return world
    # Taken back, leased on the object that landed; of a take-over that nobody was told of, nothing stays.
    mine = entry.mine
    gone = {pair for pair in world.gone if not (entry.untold and isinstance(mine, Claim) and pair[1] == key_of(mine))}
    return replace(world, origin=None, gone=frozenset(gone))


def _won(world: World, c: int, found: outcome.Outcome, flight: Flight) -> Clone:
    clone, entry = world.clones[c], flight.entry
    there = found.there if found.there is not None and flight.stage != "landed" else entry.new
    clone = replace(clone, mirror=there, entry=None)
    if entry.kind in (CLAIM, RENEWAL):
        granted = key_of(entry.mine) if entry.untold and isinstance(entry.mine, Claim) else clone.granted
        return replace(clone, published=there, refused=False, granted=granted)
    if entry.kind == COMPLETION and there != entry.new:
        clone = replace(clone, local=there)
    return forget(clone)


def _regrant(world: World, c: int, found: outcome.Outcome, _: Flight) -> Clone:
    there = found.there
    assert isinstance(there, Claim)
    clone = replace(world.clones[c], local=there, mirror=there, entry=None, granted=None)
    return replace(hold(clone, there), published=there, refused=False)


def _lost(world: World, c: int, found: outcome.Outcome, _: Flight) -> Clone:
    return lose(replace(world.clones[c], mirror=found.there), found.there)


def _refused(world: World, c: int, _: outcome.Outcome, flight: Flight) -> Clone:
    if flight.entry.kind == CLAIM:
        return replace(world.clones[c], refused=True, entry=None)
    return world.clones[c]


def _failed(world: World, c: int, _: outcome.Outcome, __: Flight) -> Clone:
    clone = world.clones[c]
    return replace(clone, entry=replace(clone.entry, untold=False)) if clone.entry else clone


def _ended(world: World, c: int, _: outcome.Outcome, __: Flight) -> Clone:
    clone = replace(world.clones[c], mirror=None)
    return vanish(world, clone, clone.kept or (clone.entry.mine if clone.entry else None))


_SETTLE = {
    outcome.WON: _won,
    outcome.REGRANT: _regrant,
    outcome.LOST: _lost,
    outcome.REFUSED: _refused,
    outcome.UNREACHABLE: _failed,
    outcome.ENDED: _ended,
}


def _settle_sweep(world: World, c: int, flight: Flight, readable: bool) -> World:
    world = world.with_clone(c, replace(world.clones[c], flight=None))
    judged = flight.entry.mine
    if flight.stage == "landed" or (readable and world.origin is None):
        assert isinstance(judged, Claim)
        return swept_here(world.with_clone(c, replace(world.clones[c], mirror=None)), c, judged)
    return world
