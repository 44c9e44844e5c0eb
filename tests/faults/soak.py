"""`make soak`: raced claims by the thousand on real git, the large searches, every crash point (not in `make test`).

Each mode races claims of one task between clones and checks after each race: exactly one fresh grant, the record on
origin is the winner's, every loser was told the holder. The seed is printed; `--seed` repeats a run, `--claims` sets
how many claims each mode makes.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent / "src")]

from faults import model  # noqa: E402  (the paths must be set first)
from faults.kit import DAY, World, X, claim_text  # noqa: E402
from faults.processes import Result  # noqa: E402
from tenure.model import ids  # noqa: E402

RACERS = 4
LAPSED = 1800 + 120 + 1
SKEWS = (-90, -30, 0, 60)


class Tally:
    """What was seen: claims made, grants, losers, and what must be none."""

    def __init__(self) -> None:
        self.claims = self.grants = self.losers = self.waits = 0
        self.double: list[str] = []
        self.untold: list[str] = []

    def take(self, world: World, results: dict[str, Result], name: str) -> None:
        self.claims += len(results)
        winners = [who for who, one in results.items() if one.code == 0 and one["pushed"] == "yes"]
        waiting = [who for who, one in results.items() if one.code == 0 and one["pushed"] != "yes"]
        self.grants += len(winners)
        self.waits += len(waiting)
        there = world.origin.record()
        holder = getattr(there, "holder", None)
        if len(winners) > 1 or (winners and holder != winners[0]):
            self.double.append(f"{name}: {winners} hold it, origin says {holder}: {results}")
        for who, one in results.items():
            if one.code != 0:
                self.losers += 1
                if one.code != 4 or not any(other in one.message for other in results if other != who):
                    self.untold.append(f"{name}: {who} was told {one}")

    def __str__(self) -> str:
        found = f"{self.claims} claims, {self.grants} grants, {self.losers} losers, {self.waits} left waiting"
        clean = "no double holder" if not self.double else f"DOUBLE HOLDERS: {self.double}"
        told = "every loser told the holder" if not self.untold else f"NOT TOLD: {self.untold[:5]}"
        return f"{found}; {clean}; {told}"


class Arena:
    """A world whose task is freed by hand between races: what was there is gone on origin and in every clone."""

    def __init__(self, root: Path) -> None:
        self.world = World(root)
        self.clones = {f"human:racer{n}": self.world.clone(f"c{n}") for n in range(RACERS)}

    def clear(self) -> None:
        self.world.origin.unhook()
        self.world.origin.git("update-ref", "-d", ids.claim_ref(X))
        for clone in self.clones.values():
            clone.git("update-ref", "-d", ids.claim_ref(X))
            clone.git("update-ref", "-d", ids.mirror_ref(X))
            clone.git("checkout", "-q", "--", ".ank")
            for name in ("claims", "wake", "alike", "seen", "notes"):
                path = clone.path / ".git" / "tenure" / name
                if path.is_dir():
                    for one in path.iterdir():
                        one.unlink()
                elif path.exists():
                    path.unlink()

    def race(self, at: dict[str, int] | None = None, pauses: dict[str, float] | None = None) -> dict[str, Result]:
        running = {}
        for who, clone in self.clones.items():
            if pauses:
                time.sleep(pauses[who])
            running[who] = clone.start("claim", X, agent=who, at=(at or {}).get(who))
        return {who: one.wait() for who, one in running.items()}


def simultaneous(arena: Arena, dice: random.Random) -> dict[str, Result]:
    return arena.race()


def staggered(arena: Arena, dice: random.Random) -> dict[str, Result]:
    return arena.race(pauses={who: dice.choice((0, 0.01, 0.03, 0.06)) for who in arena.clones})


def lost_answers(arena: Arena, dice: random.Random) -> dict[str, Result]:
    arena.world.origin.lose_answers(times=dice.choice((1, 2)))
    return arena.race(pauses={who: dice.choice((0, 0.02)) for who in arena.clones})


def racing_a_sweep(arena: Arena, dice: random.Random) -> dict[str, Result]:
    """A lapsed claim of somebody else, which one clone sweeps while the others take it over."""
    world = arena.world
    ended = world.at - LAPSED - DAY
    world.origin.put(X, claim_text("human:gone", ended - 1800, ended))
    sweeper = next(iter(arena.clones.values()))
    time.sleep(dice.choice((0, 0.01)))
    sweeping = sweeper.start("sweep", agent="human:sweeper")
    results = arena.race(pauses={who: dice.choice((0, 0.02)) for who in arena.clones})
    sweeping.wait()
    return results


def skewed(arena: Arena, dice: random.Random) -> dict[str, Result]:
    """Clocks that differ within the grace."""
    return arena.race(at={who: arena.world.at + dice.choice(SKEWS) for who in arena.clones})


MODES: dict[str, Callable[[Arena, random.Random], dict[str, Result]]] = {
    "simultaneous": simultaneous,
    "staggered": staggered,
    "lost answers": lost_answers,
    "racing a sweep": racing_a_sweep,
    "under skew": skewed,
}


def soak(root: Path, mode: str, claims: int, seed: int) -> Tally:
    """Race until so many claims were made."""
    dice, tally = random.Random(f"{seed} {mode}"), Tally()
    arena = Arena(root)
    while tally.claims < claims:
        tally.take(arena.world, MODES[mode](arena, dice), f"{mode}, claim {tally.claims}, seed {seed}")
        arena.clear()
    return tally


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", type=int, default=2000, help="raced claims in each mode")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--races-only", action="store_true", help="neither the large searches nor every crash point")
    asked = parser.parse_args(argv)
    for name in [name for name in os.environ if name.startswith(("GIT_", "ANK_", "TENURE_"))]:
        del os.environ[name]
    print(f"seed {asked.seed}", flush=True)
    bad = 0
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        for number, mode in enumerate(MODES):
            begun = time.monotonic()
            tally = soak(Path(folder) / str(number), mode, asked.claims, asked.seed)
            print(f"{mode}: {tally} ({time.monotonic() - begun:.0f} s)", flush=True)
            bad += len(tally.double) + len(tally.untold)
    if not asked.races_only:
        bad += _searches() + _crashes()
    return 1 if bad else 0


def _searches() -> int:
    from faults.test_model import LARGE

    bad = 0
    for name, first in LARGE.items():
        begun = time.monotonic()
        found = model.search(first)
        print(
            f"model, {name}: {found.states} states, {time.monotonic() - begun:.0f} s, {found.why or 'holds'}",
            flush=True,
        )
        if found.why:
            print("  " + " / ".join(found.way))
            bad += 1
    return bad


def _crashes() -> int:
    env = {**os.environ, "EVERY_CRASH_POINT": "1"}
    words = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "2",
        "--rootdir",
        str(HERE.parent.parent),
        str(HERE / "test_crash.py"),
    ]
    print("every crash point:", flush=True)
    return subprocess.run(words, env=env, cwd=HERE.parent.parent, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
