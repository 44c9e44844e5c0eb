"""The protocol as a small pure model: clones, one origin, pushes in flight, faults; searched exhaustively.

What decides is the product's own code (outcome, standing, lease, record); only what moves data is modelled. An object's
name is the record itself: equal records are one object, as in git. Steps are as fine as the protocol's: reading origin,
the local swap, the push, its landing, and the settling are steps of their own, and another process of the same clone
may act between any two of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from tenure.model import lease, outcome, record, standing
from tenure.model.lease import GRACE, Lengths
from tenure.model.record import Claim, Completion, Record
from tenure.model.value import replace as with_changes

TASK = "TASK-000000000001"
TTL = 1800
LENGTHS = Lengths()
T = TypeVar("T")
CLAIM, RENEWAL, COMPLETION, DELETION, SWEEP = "claim", "renewal", "completion", "deletion", "sweep"


def remembered(cls: type[Any]) -> type[Any]:
    """A frozen dataclass whose hash is reckoned once: a search asks for it at every step."""
    reckon: Any = cls.__hash__

    def __hash__(self: Any) -> int:
        found = self.__dict__.get("_hash")
        if found is None:
            found = self.__dict__["_hash"] = reckon(self)
        return int(found)

    setattr(cls, "__hash__", __hash__)  # noqa: B010
    return cls


def replace(old: T, **changes: Any) -> T:
    """`dataclasses.replace` without its checks, which would be most of a search."""
    made: T = object.__new__(type(old))
    made.__dict__.update(old.__dict__)
    made.__dict__.pop("_hash", None)
    made.__dict__.update(changes)
    return made


@dataclass(frozen=True)
class Rules:
    """What the protocol insists on; each mutant drops one."""

    expected: bool = True  # a push names what origin must hold
    token: bool = True  # each acquisition is another object
    read_back: bool = True  # the outcome is what origin holds, not what git says
    sweep_lease: bool = True  # a sweep deletes the object that it judged


@remembered
@dataclass(frozen=True)
class Entry:
    """A push that waits: as the clone's state holds it."""

    kind: str
    new: Record | None
    expected: Record | None
    mine: Record
    given_back: Record | None = None  # what was handed back here a moment before, and may still stand on origin
    untold: bool = False


@remembered
@dataclass(frozen=True)
class Flight:
    """A push under way: `stage` is sent | landed | unknown. A sweep judges `entry.mine`."""

    entry: Entry
    expected: Record | None
    stage: str = "sent"
    took: bool = False  # ghost: whether origin took it


@remembered
@dataclass(frozen=True)
class Clone:
    who: str
    skew: int = 0
    local: Record | None = None
    mirror: Record | None = None
    token: str | None = None
    ours: bool = False
    kept: Claim | None = None
    published: Record | None = None
    entry: Entry | None = None
    refused: bool = False
    swept: bool = False
    lost: str | None = None
    flight: Flight | None = None
    made: int = 0
    granted: str | None = None  # ghost: the acquisition of which this clone was told that it won it afresh
    ended: str | None = None  # ghost: the last acquisition of its own that this clone handed back or finished
    told_lost: Record | None = None  # ghost: the object of which it was told that it lost

    @property
    def kind(self) -> str | None:
        return self.entry.kind if self.entry else None


@remembered
@dataclass(frozen=True)
class World:
    """All there is; `ends` are acquisitions whose end the feed tells, `gone` those that another one replaced."""

    at: int
    origin: Record | None
    clones: tuple[Clone, ...]
    ends: frozenset[str] = frozenset()
    gone: frozenset[tuple[str, str]] = frozenset()
    acts: tuple[int, ...] = ()
    faults: int = 0
    ticks: int = 0

    def now(self, c: int) -> int:
        return self.at + self.clones[c].skew

    def has_ended(self, claim: Claim) -> bool:
        """Whether the feed tells an end of that acquisition: handed back, finished, or taken over by one that was."""
        return key_of(claim) in self.ends or any(old == key_of(claim) and new in self.ends for old, new in self.gone)

    def with_clone(self, c: int, clone: Clone, **more: Any) -> World:
        return replace(self, clones=(*self.clones[:c], clone, *self.clones[c + 1 :]), **more)


@remembered
@dataclass(frozen=True)
class Pair:
    """Two tasks of the same clones: instants, acts, faults are one count."""

    one: World
    two: World


class BrokenError(AssertionError):
    """An invariant does not hold."""


def token_of(one: Record | None) -> str | None:
    return one.token if isinstance(one, Claim) else None


def gives_back(entry: Entry, there: Record | None) -> bool:
    return token_of(entry.given_back) is not None and token_of(there) == token_of(entry.given_back)


def key_of(claim: Claim) -> str:
    """What tells one acquisition from another, for the model's own books."""
    return claim.token or f"{claim.holder} {claim.claimed}"


def who_of(one: Record | None) -> str:
    return one.holder if isinstance(one, Claim) else one.identity if isinstance(one, Completion) else ""


# --- what a clone sees (work/views) ---------------------------------------------------------------


def is_ours(clone: Clone) -> bool:
    if isinstance(clone.local, Claim):
        return clone.local.holder == clone.who if clone.local.token is None else clone.token == clone.local.token
    return isinstance(clone.local, Completion) and clone.kind == COMPLETION


def seen(world: World, c: int) -> Record | None:
    clone = world.clones[c]
    if clone.local is None and clone.mirror is not None and clone.entry and clone.kind == DELETION:
        ended = clone.entry.mine
        if ended == clone.mirror or standing.same_acquisition(ended, clone.mirror):
            return None
    ours = is_ours(clone)
    use = standing.mirror_counts(clone.local, clone.mirror, ours, True, world.now(c))
    return clone.mirror if use else clone.local


def is_live(world: World, c: int, one: Record | None) -> bool:
    return isinstance(one, Claim) and lease.is_live(one, world.now(c))


def kept(clone: Clone) -> Claim | None:
    if isinstance(clone.local, Claim) and clone.local.token == clone.token:
        return clone.local
    return clone.kept


def forget(clone: Clone) -> Clone:
    return replace(clone, token=None, ours=False, kept=None, published=None, refused=False, swept=False)


def hold(clone: Clone, claim: Claim) -> Clone:
    return replace(clone, token=claim.token, ours=True, kept=claim, swept=False, lost=None)


def drop_local(clone: Clone, mine: Record | None) -> Clone:
    if clone.local is not None and (clone.local == mine or standing.same_acquisition(mine, clone.local)):
        return replace(clone, local=None)
    return clone


# --- reading origin (work/mirroring) --------------------------------------------------------------


def refresh(world: World, c: int) -> World:
    before = world.clones[c].mirror
    world = world.with_clone(c, replace(world.clones[c], mirror=world.origin))
    clone = world.clones[c]
    if clone.ours:
        return _follow(world, c)
    if clone.local is not None and _is_stale(world, c, before):
        return world.with_clone(c, replace(clone, local=None))
    return world


def _follow(world: World, c: int) -> World:
    clone, there = world.clones[c], world.origin
    mine = kept(clone)
    if mine is None:
        return world
    if standing.same_acquisition(mine, there):
        return world.with_clone(c, replace(clone, published=there, refused=False))
    older = isinstance(there, Claim) and there.generation < mine.generation and not is_live(world, c, there)
    if older and is_live(world, c, mine):
        if clone.entry is None and not clone.refused and clone.local is not None:
            clone = replace(clone, entry=Entry(CLAIM, clone.local, there, mine))
        return world.with_clone(c, clone)
    if not _is_over(world, c, mine, there):
        return world
    if there is None:
        return _vanished(world, c, mine)
    if who_of(there) == clone.who:
        return world.with_clone(c, forget(replace(drop_local(clone, mine), entry=None)))
    return world.with_clone(c, lose(clone, there))


def _is_over(world: World, c: int, mine: Claim, there: Record | None) -> bool:
    clone = world.clones[c]
    ended_here = clone.entry is not None and (
        (clone.kind == COMPLETION and clone.local == clone.entry.new)
        or (clone.kind == DELETION and clone.local is None)
    )
    if ended_here:
        return False
    if there is None:
        return clone.published is not None or key_of(mine) in world.ends
    if clone.entry and gives_back(clone.entry, there):
        return False
    lapsed_there = isinstance(there, Claim) and not is_live(world, c, there)
    taken = (clone.kind == CLAIM or clone.refused) and isinstance(there, Claim) and mine.generation > there.generation
    return not (lapsed_there and taken)


def _vanished(world: World, c: int, mine: Claim) -> World:
    clone = world.clones[c]
    waits = clone.kind in (CLAIM, RENEWAL) and is_live(world, c, mine)
    if waits and clone.entry and not world.has_ended(mine):
        entry = replace(clone.entry, kind=CLAIM, expected=None)
        return world.with_clone(c, replace(clone, entry=entry, published=None))
    return world.with_clone(c, vanish(world, clone, mine))


def vanish(world: World, clone: Clone, mine: Record | None) -> Clone:
    clone = replace(drop_local(clone, mine), entry=None)
    if not isinstance(mine, Claim) or world.has_ended(mine):
        return forget(clone)
    return replace(clone, kept=mine, ours=True, token=mine.token, swept=True, published=None)


def lose(clone: Clone, there: Record | None) -> Clone:
    if clone.kind == DELETION:
        return replace(clone, entry=None)
    mine = clone.entry.mine if clone.entry else kept(clone)
    untold = clone.entry is not None and clone.entry.untold
    clone = replace(
        forget(replace(drop_local(clone, mine), entry=None)), told_lost=clone.entry.new if clone.entry else None
    )
    return clone if untold or who_of(there) == clone.who else replace(clone, lost=who_of(there))


def _is_stale(world: World, c: int, before: Record | None) -> bool:
    clone = world.clones[c]
    if clone.mirror is None:
        return before == clone.local
    if clone.mirror == clone.local or is_ours(clone):
        return False
    if isinstance(clone.local, Completion) and standing.ends(clone.local, clone.mirror):
        return False
    return not is_live(world, c, clone.local) or isinstance(clone.mirror, Completion) or is_live(world, c, clone.mirror)


# --- what people do here (work/claiming, renewing, handing, finishing) ----------------------------


def claim(world: World, c: int, rules: Rules) -> tuple[int, World]:
    """The local half; the code of a refusal, else 0 and what waits."""
    clone, old = world.clones[c], seen(world, c)
    if isinstance(old, Completion):
        return 4, world
    if isinstance(old, Claim) and old.holder == clone.who:
        again = replace(
            world, ends=world.ends - {key_of(old)}
        )  # the same identity wants it again, whatever a sibling did
        return 0, _wait_again(renew(again, c, old), c)
    if is_live(world, c, old):
        return 4, world
    if old is None and clone.swept and clone.kept and clone.kept.holder == clone.who:
        return 0, _wait_again(recreate(world, c), c)
    return 0, _fresh(world, c, old if isinstance(old, Claim) else None, rules)


def _fresh(world: World, c: int, old: Claim | None, rules: Rules) -> World:
    clone, at = world.clones[c], world.now(c)
    token = f"{c}.{clone.made}" if rules.token else None
    made = Claim(TASK, clone.who, at, at + TTL, TTL, "0" * 12, "0" * 12, token, record.generation_after(old))
    gone = clone.entry.mine if clone.entry and clone.kind == DELETION else None
    expected = clone.mirror if clone.mirror is not None else clone.entry.expected if clone.entry else None
    entry = Entry(CLAIM, made, expected, made, gone, untold=True)
    clone = hold(forget(clone), made)
    return world.with_clone(c, replace(clone, local=made, entry=entry, made=clone.made + 1, told_lost=None))


def _wait_again(world: World, c: int) -> World:
    clone = world.clones[c]
    assert clone.local is not None
    expected = clone.mirror if clone.mirror is not None else clone.entry.expected if clone.entry else None
    kind = RENEWAL if clone.published is not None else CLAIM
    untold = clone.entry is not None and clone.entry.untold
    given = clone.entry.given_back if clone.entry else None
    entry = Entry(kind, clone.local, expected, clone.local, given, untold)
    return world.with_clone(c, replace(clone, entry=entry, refused=False))


def renew(world: World, c: int, old: Claim) -> World:
    clone = world.clones[c]
    new = with_changes(old, expires=lease.renewed(old, world.now(c), LENGTHS))
    moved = new.expires != old.expires or seen(world, c) != clone.local
    copy = (
        clone.mirror.expires
        if isinstance(clone.mirror, Claim) and standing.same_acquisition(new, clone.mirror)
        else None
    )
    stands = lease.stands_long_enough(copy, world.now(c), lease.window(new, LENGTHS))
    carry = not clone.refused and (clone.entry is not None or not stands)
    if not (moved or carry):
        return world
    clone = replace(clone, local=new)
    adopted = clone.token != new.token or not clone.ours
    clone = replace(clone, token=new.token, ours=True, kept=new, swept=False, told_lost=None)
    if clone.kind in (COMPLETION, DELETION):
        clone = replace(clone, entry=None)
    same = standing.same_acquisition(new, clone.mirror)
    if adopted and same:
        clone = replace(clone, published=clone.mirror)
    if carry:
        claiming = clone.entry is not None and clone.entry.kind == CLAIM
        expected = clone.entry.expected if clone.entry and claiming else clone.mirror if same else clone.published
        given, untold = (clone.entry.given_back, clone.entry.untold) if clone.entry else (None, False)
        clone = replace(clone, entry=Entry(CLAIM if claiming else RENEWAL, new, expected, new, given, untold))
    return world.with_clone(c, clone)


def recreate(world: World, c: int) -> World:
    clone = world.clones[c]
    mine = clone.kept
    assert mine is not None
    new = with_changes(mine, expires=lease.renewed(mine, world.now(c), LENGTHS))
    if clone.local is not None:
        return world
    clone = replace(clone, local=new, kept=new, ours=True, token=new.token, swept=False, published=None, refused=False)
    return world.with_clone(c, replace(clone, entry=Entry(CLAIM, new, None, new)))


def held(world: World, c: int) -> tuple[int, Claim | None, bool]:
    """What `log`, `release` and `done` act on: a code, the claim, whether it was swept (work/holding)."""
    clone, one = world.clones[c], seen(world, c)
    if isinstance(one, Claim) and one.holder == clone.who:
        return 0, one, False
    if is_live(world, c, one) or isinstance(one, Completion) or clone.lost:
        return 4, None, False
    if one is None and clone.swept and clone.kept and clone.ours:
        return 0, clone.kept, True
    return 6, None, False


def log(world: World, c: int) -> tuple[int, World]:
    code, mine, swept = held(world, c)
    if mine is None:
        return code, world
    return 0, recreate(world, c) if swept else renew(world, c, mine)


def release(world: World, c: int) -> tuple[int, World]:
    one = seen(world, c)
    if isinstance(one, Completion):
        return 0, _give_up(world, c, one)
    code, mine, _ = held(world, c)
    return (0, _give_up(world, c, mine)) if mine else (code, world)


def _give_up(world: World, c: int, old: Claim | Completion) -> World:
    clone = world.clones[c]
    waits = clone.entry.new if clone.entry and clone.kind in (CLAIM, RENEWAL) else None
    same = clone.mirror == old or standing.same_acquisition(old, clone.mirror)
    expected = (clone.mirror if same else None) or clone.published or waits
    mine = clone.local if standing.same_acquisition(old, clone.local) else old
    own = key_of(old) if isinstance(old, Claim) and key_of(old).startswith(f"{c}.") else clone.ended
    clone = replace(forget(clone), local=None, entry=None, granted=None, ended=own)
    if expected is not None:
        clone = replace(clone, entry=Entry(DELETION, None, expected, mine or old))
    ends = world.ends | {key_of(old)} if isinstance(old, Claim) else world.ends
    return world.with_clone(c, clone, ends=ends)


def done(world: World, c: int) -> tuple[int, World]:
    code, mine, _ = held(world, c)
    if mine is None:
        return code, world
    clone = world.clones[c]
    made = Completion(TASK, "0" * 40, "main", clone.who, world.now(c))
    entry = Entry(COMPLETION, made, clone.mirror or clone.published, made)
    clone = replace(clone, local=made, kept=mine, token=mine.token, ours=True, swept=False, entry=entry, granted=None)
    clone = replace(clone, ended=key_of(mine) if key_of(mine).startswith(f"{c}.") else clone.ended)
    return 0, world.with_clone(c, clone, ends=world.ends | {key_of(mine)})


def judge_sweep(world: World, c: int) -> World:
    """A sweep has judged what it sees; its push follows."""
    clone, one = world.clones[c], seen(world, c)
    if not isinstance(one, Claim) or is_live(world, c, one):
        return world
    if clone.mirror is None:
        return _swept_here(world, c, one)
    entry = Entry(SWEEP, None, clone.mirror, one)
    return world.with_clone(c, replace(clone, flight=Flight(entry, clone.mirror)))


def _swept_here(world: World, c: int, judged: Claim) -> World:
    clone = world.clones[c]
    if clone.local is not None and clone.local != judged and not standing.same_acquisition(clone.local, judged):
        return world
    if isinstance(clone.local, Claim) and is_live(world, c, clone.local):
        return world  # renewed here since: its own swap decides
    clone = replace(clone, local=None)
    if clone.ours:
        clone = replace(clone, entry=None, swept=True, published=None, kept=judged)
    return world.with_clone(c, clone)


# --- from here to origin (work/carrying) ----------------------------------------------------------


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
    if isinstance(new, Claim) and old is not None and any(old_key == key_of(new) for old_key, _ in world.gone):
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
    swept = isinstance(mine, Claim) and flight.entry.kind in (CLAIM, RENEWAL) and not world.has_ended(mine)
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
        return _swept_here(world.with_clone(c, replace(world.clones[c], mirror=None)), c, judged)
    return world


# --- the search -----------------------------------------------------------------------------------


def steps(world: World, rules: Rules) -> Iterator[tuple[str, World]]:
    """Everything that can happen next, each named."""
    for c, clone in enumerate(world.clones):
        if clone.flight is not None:
            yield from _flying(world, c, rules)
        elif is_due(world, c):
            yield f"{c} pushes", start(world, c)
        read = refresh(world, c)
        if read != world:
            yield f"{c} reads", read
        if world.acts[c]:
            yield from _acting(world, c, rules)
    for span in (1000, 2000) if world.ticks else ():
        yield f"{span} s pass", replace(world, at=world.at + span, ticks=world.ticks - 1)


def _flying(world: World, c: int, rules: Rules) -> Iterator[tuple[str, World]]:
    flight = world.clones[c].flight
    assert flight is not None
    less = replace(world, faults=world.faults - 1)
    if flight.stage == "sent":
        yield f"{c} lands", land(world, c, rules)
        if world.faults:
            yield f"{c} lands, no answer", land(less, c, rules, answer=False)
            yield f"{c} is refused", land(less, c, rules, refuse=True)
    else:
        yield f"{c} settles", settle(world, c, rules)
        if world.faults and flight.stage == "unknown":
            yield f"{c} cannot read", settle(less, c, rules, readable=False)


def _acting(world: World, c: int, rules: Rules) -> Iterator[tuple[str, World]]:
    acts = tuple(count - (number == c) for number, count in enumerate(world.acts))
    less = replace(world, acts=acts)
    busy = world.clones[c].flight is not None
    verbs = [("logs", log(less, c)), ("releases", release(less, c)), ("is done", done(less, c))]
    if not busy:
        verbs += [("claims", claim(less, c, rules)), ("sweeps", (0, judge_sweep(less, c)))]
    for name, (code, after) in verbs:
        if code == 0 and after != less:
            yield f"{c} {name}", after


def check(world: World) -> None:
    """S1: of all that were told that they won it afresh, at most one still believes in a live lease."""
    believers = {
        c
        for c, clone in enumerate(world.clones)
        if clone.granted and clone.entry is None and not clone.refused and clone.ours
        if isinstance(clone.local, Claim)
        and key_of(clone.local) == clone.granted
        and was_live(world.now(c), clone.local)
        if clone.flight is None
    }
    if len(believers) > 1 and _reads_agree(world, believers):
        raise BrokenError(f"S1: {sorted(believers)} were each told that they hold it")


def _reads_agree(world: World, believers: set[int]) -> bool:
    """Whether each of them would still believe it after a look at origin (a take-over seen late is no second grant)."""
    for c in believers:
        clone = refresh(world, c).clones[c]
        if not (clone.ours and isinstance(clone.local, Claim) and key_of(clone.local) == clone.granted):
            return False
    return True


def is_quiet(world: World) -> bool:
    """Nothing is under way, nothing is due, everybody has read what origin holds."""
    return all(
        clone.flight is None and clone.mirror == world.origin and not is_due(world, c)
        for c, clone in enumerate(world.clones)
    )


def check_quiet(world: World) -> None:
    """S5, S9 after quiescence: from every state the search itself goes on to quiet ones."""
    end = world
    for c in range(len(world.clones)):
        end = refresh(end, c)
    there = end.origin
    ended = isinstance(there, Claim) and key_of(there) in end.ends and there.token in {c.ended for c in end.clones}
    if isinstance(there, Claim) and ended and lease.is_live(there, end.at):
        raise BrokenError(f"S5: {key_of(there)} stands on origin though it was handed back or finished")
    for c, clone in enumerate(end.clones):
        if isinstance(clone.told_lost, Claim) and clone.told_lost == there:
            raise BrokenError(f"S9: {c} was told that it lost what origin holds for it")
        believes = clone.ours and clone.published is not None and was_live(end.now(c), clone.local)
        if believes and not standing.same_acquisition(kept(clone), there):
            raise BrokenError(f"S9: {c} believes that origin holds its claim")


@dataclass(frozen=True)
class Found:
    """What a search saw: states, quiet ends that were looked at, and the shortest way to a broken invariant."""

    states: int
    why: str | None = None
    way: tuple[str, ...] = ()


def search(first: World | Pair, rules: Rules = Rules(), most: int = 1_000_000) -> Found:
    """Breadth first over everything that can happen; ends at the first broken invariant."""
    came: dict[World | Pair, tuple[World | Pair | None, str]] = {first: (None, "")}
    layer = [first]
    while layer:
        following: list[World | Pair] = []
        for world in layer:
            try:
                for name, after in _expand(world, rules):
                    if after not in came:
                        came[after] = (world, name)
                        following.append(after)
            except BrokenError as wrong:
                return Found(len(came), str(wrong), _way(came, world))
            if len(came) > most:
                raise AssertionError(f"more than {most} states")
        layer = following
    return Found(len(came))


def _expand(world: World | Pair, rules: Rules) -> Iterator[tuple[str, World | Pair]]:
    for one in (world.one, world.two) if isinstance(world, Pair) else (world,):
        check(one)
        if is_quiet(one):
            check_quiet(one)
    yield from _pair_steps(world, rules) if isinstance(world, Pair) else steps(world, rules)


def _pair_steps(pair: Pair, rules: Rules) -> Iterator[tuple[str, World | Pair]]:
    """Two tasks side by side: one clock, one pair of hands, one live claim for an identity in a clone (R-I4)."""
    for name, here, there in (("X", pair.one, pair.two), ("Y", pair.two, pair.one)):
        for step, after in steps(here, rules):
            other = replace(there, at=after.at, acts=after.acts, ticks=after.ticks, faults=after.faults)
            c = int(step[0]) if step[1] == " " else None
            if c is not None and step.endswith("claims") and _holds(there, c):
                continue
            made = Pair(after, other) if name == "X" else Pair(other, after)
            yield f"{step} ({name})", made


def _holds(world: World, c: int) -> bool:
    one = seen(world, c)
    return isinstance(one, Claim) and one.holder == world.clones[c].who and is_live(world, c, one)


def _way(came: dict[World | Pair, tuple[World | Pair | None, str]], world: World | Pair) -> tuple[str, ...]:
    names: list[str] = []
    here: World | Pair | None = world
    while here is not None:
        here, name = came[here]
        names.append(name)
    return tuple(reversed(names[:-1]))


def begin(
    *who: str, acts: int | tuple[int, ...] = 2, faults: int = 1, ticks: int = 1, skews: tuple[int, ...] = ()
) -> World:
    """A world in which nothing has happened: a clone for each identity."""
    clones = tuple(Clone(name, skews[n] if skews else 0) for n, name in enumerate(who))
    each = acts if isinstance(acts, tuple) else (acts,) * len(who)
    return World(1_000_000, None, clones, acts=each, faults=faults, ticks=ticks)


__all__ = ["GRACE", "BrokenError", "Rules", "World", "begin", "search"]
