"""Reading origin: what its answer tells about the claims of a clone (work/mirroring)."""

from __future__ import annotations

from faults.model.seeing import drop_local, forget, is_live, is_ours, kept
from faults.model.states import (
    CLAIM,
    COMPLETION,
    DELETION,
    RENEWAL,
    Clone,
    Entry,
    World,
    gives_back,
    key_of,
    replace,
    who_of,
)
from tenure.model import standing
from tenure.model.record import Claim, Completion, Record


def knows_too_much(world: World, c: int) -> bool:
    """Whether this clone's claim ended by what another may not have told yet: the model's feed reaches all at once."""
    mine = kept(world.clones[c])
    waits = any(other.kind in (COMPLETION, DELETION) for n, other in enumerate(world.clones) if n != c)
    return mine is not None and world.has_ended(mine) and (waits or key_of(mine) not in world.ends)


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
