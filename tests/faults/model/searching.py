"""Everything that can happen next, the invariants of states, and the search over all of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from faults.model.acting import claim, done, judge_sweep, log, release
from faults.model.pushing import is_due, land, settle, start, was_live
from faults.model.reading import refresh
from faults.model.seeing import is_live, kept, seen
from faults.model.states import WHOLE, BrokenError, Clone, Pair, Rules, World, key_of, replace
from tenure.model import lease, standing
from tenure.model.record import Claim


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


def search(first: World | Pair, rules: Rules = WHOLE, most: int = 1_000_000) -> Found:
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
