"""A process killed before each of its git calls: the next command finds the old state or the new one (F14, F15, F17).

Seen from the git calls, these are all points between reading and the last write: what happens between two of them
happens in files that are written by rename.
"""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

from faults.kit import ADA, BOB, Clone, World, X, settle
from tenure.model import ids
from tenure.model.record import Claim, Completion

DIES = """count={folder}/count
printf x >> $count
test $(wc -c < $count) -eq {call} && {{ kill -9 $PPID; sleep 1; }}
exec "$real" "$@"
"""


class Template:
    """A world that is copied for each point, so that no run sees another's leftovers."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.world = World(root / "w")
        (self.ada,) = self.world.clones("ada")
        self.bob = self.world.clone("bob")

    def fresh(self, number: int) -> tuple[World, Clone, Clone]:
        root = self.root / f"run{number}"
        shutil.copytree(self.root / "w", root, symlinks=True)
        world = object.__new__(World)
        world.__dict__ = {**self.world.__dict__, "root": root}
        world.origin = object.__new__(type(self.world.origin))
        world.origin.__dict__ = {"world": world, "path": root / "origin.git"}
        clones = [Clone(world, root / name) for name in ("ada", "bob")]
        for clone in clones:
            clone.git("remote", "set-url", "origin", str(world.origin.path))
        return world, clones[0], clones[1]


def begun(tmp_path: Path, verb: str) -> Template:
    made = Template(tmp_path)
    if verb != "claim":
        made.ada.do("claim", X).ok()
    if verb == "pre-commit":
        made.ada.work()
    return made


@pytest.mark.parametrize("verb", ["claim", "log", "release", "done", "close", "pre-commit"])
def test_a_verb_killed_before_any_of_its_git_calls_leaves_old_or_new_and_the_next_one_finishes_it(
    tmp_path: Path, verb: str
) -> None:
    """S1, S5, S6, S9: no lock is left that a hand would have to remove; the same verb again ends well."""
    template = begun(tmp_path, verb)
    at = template.world.at + (0 if verb == "claim" else 1500)
    words = [X] if verb in ("claim", "close") else []
    calls = count_calls(template, verb, words, at)
    for call in points(calls):
        world, ada, bob = template.fresh(call)
        env = world.wrapper("dies", DIES.format(folder=world.root, call=call))
        killed = ada.do(verb, *words, at=at, env=env)
        assert killed.code < 0, killed
        assert_old_or_new(ada, world, verb)
        assert not [path for path in (ada.path / ".git").rglob("*.lock") if "refs" in str(path)]
        again = ada.do(verb, *words, at=at + 1)
        after = (0, 6) if verb == "release" else (0, 4, 6) if verb in ("done", "close") else (0,)
        assert again.code in after, (call, again)
        settle(world, ada, bob, at=at + 2)
        assert_finished(world, ada, bob, verb, at + 2)
        shutil.rmtree(world.root)


def count_calls(template: Template, verb: str, words: list[str], at: int) -> int:
    world, ada, _ = template.fresh(0)
    env = world.wrapper("dies", DIES.format(folder=world.root, call=0))
    ada.do(verb, *words, at=at, env=env).ok()
    calls = len((world.root / "count").read_text())
    assert calls > (10 if verb != "pre-commit" else 3), "the wrapper was not used"
    return calls


def points(calls: int) -> list[int]:
    """Every call with EVERY_CRASH_POINT set (as `make soak` does), else some by a seed that is printed."""
    if os.environ.get("EVERY_CRASH_POINT"):
        return list(range(1, calls + 1))
    seed = random.randrange(1 << 30)
    print(f"seed {seed}, of {calls} calls")
    return sorted(random.Random(seed).sample(range(1, calls + 1), 5))


def assert_old_or_new(ada: Clone, world: World, verb: str) -> None:
    for one in (ada.record(), world.origin.record()):
        if verb == "done":
            assert isinstance(one, Claim | Completion)
        elif verb in ("log", "pre-commit"):
            assert isinstance(one, Claim) and one.expires in (world.at + 1800, world.at + 3300)
        else:
            assert one is None or isinstance(one, Claim)


def assert_finished(world: World, ada: Clone, bob: Clone, verb: str, at: int) -> None:
    there = world.origin.record()
    if verb in (
        "log",
        "pre-commit",
    ):  # a renewal of the second after may stay here: origin has two thirds of a window (R-H2)
        assert ada.claim().token == world.origin.claim().token and world.origin.claim().expires >= world.at + 3300
    else:
        assert ada.oid(ids.claim_ref(X)) == world.origin.oid(ids.claim_ref(X))
    assert "pending" not in ada.state()
    kinds = world.origin.kinds()
    if verb == "release":
        assert there is None and ada.status_of() == "open"
        assert kinds.count("task.released") == 1
        assert bob.do("claim", X, agent=BOB, at=at).ok()["generation"] == 1
    elif verb == "close":
        assert there is None and ada.status_of() == "closed"
        assert kinds.count("task.closed") == 1
    elif verb == "done":
        assert isinstance(there, Completion) and ada.status_of() == "done"
        assert kinds.count("task.completed") == 1
        bob.do("claim", X, agent=BOB, at=at).refused(4, "finished")
    else:
        assert isinstance(there, Claim) and there.holder == ADA
        assert ada.status_of() == "in_progress"
        bob.do("claim", X, agent=BOB, at=at).refused(4, ADA)
        assert kinds == ["task.claimed"]
    assert len(kinds) == len({one["id"] for one in world.origin.events()})


def test_a_carrier_killed_before_any_of_its_git_calls_leaves_what_waits(tmp_path: Path) -> None:
    """R-C3, R-H2: the next one carries it, and the claim is there once."""
    template = Template(tmp_path)
    template.world.origin.away()
    token = template.ada.do("claim", X).ok()["token"]
    template.world.origin.back()
    for call in points(count_calls(template, "carry", [], template.world.at)):
        world, ada, _ = template.fresh(call)
        env = world.wrapper("dies", DIES.format(folder=world.root, call=call))
        assert ada.do("carry", env=env).code < 0
        settle(world, ada)
        assert world.origin.claim().token == token and "pending" not in ada.state()
        assert world.origin.kinds() == ["task.claimed"]
        shutil.rmtree(world.root)
