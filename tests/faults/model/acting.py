"""What people do in a clone: claim, log, release, finish, sweep (work/claiming, renewing, handing, finishing)."""

from __future__ import annotations

from faults.model.seeing import forget, hold, is_live, seen
from faults.model.states import (
    CLAIM,
    COMPLETION,
    DELETION,
    LENGTHS,
    RENEWAL,
    SWEEP,
    TASK,
    TTL,
    Entry,
    Flight,
    Rules,
    World,
    key_of,
    replace,
)
from tenure.model import lease, record, standing
from tenure.model.record import Claim, Completion
from tenure.model.value import replace as with_changes


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
    return 0, world.with_clone(c, clone)


def judge_sweep(world: World, c: int) -> World:
    """A sweep has judged what it sees; its push follows."""
    clone, one = world.clones[c], seen(world, c)
    if not isinstance(one, Claim) or is_live(world, c, one):
        return world
    if clone.mirror is None:
        return swept_here(world, c, one)
    entry = Entry(SWEEP, None, clone.mirror, one)
    return world.with_clone(c, replace(clone, flight=Flight(entry, clone.mirror)))


def swept_here(world: World, c: int, judged: Claim) -> World:
    clone = world.clones[c]
    if clone.local is not None and clone.local != judged and not standing.same_acquisition(clone.local, judged):
        return world
    if isinstance(clone.local, Claim) and is_live(world, c, clone.local):
        return world  # renewed here since: its own swap decides
    clone = replace(clone, local=None)
    if clone.ours:
        clone = replace(clone, entry=None, swept=True, published=None, kept=judged)
    return world.with_clone(c, clone)
