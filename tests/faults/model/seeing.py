"""What a clone sees of a task, and what it holds, drops and forgets (work/views, work/settling)."""

from __future__ import annotations

from faults.model.states import COMPLETION, DELETION, Clone, World, replace
from tenure.model import lease, standing
from tenure.model.record import Claim, Completion, Record


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
