"""The life of a completion between clones (R-C6, R-G2, §1)."""

from __future__ import annotations

from support import ADA, AUTH, BOB, Clone, World
from tenure.model.record import Completion


def finish(world: World) -> None:
    world.origin()
    ada = world.clone("ada")
    ada.git("checkout", "-q", "-b", "rotate")
    ada.tenure("claim", AUTH)
    ada.touch()
    ada.commit("Work")
    ada.tenure("done", "--proof", f"commit:{ada.head()}")
    ada.commit("Finish")


def test_a_completion_taken_back_and_claimed_anew_elsewhere_is_seen_here(world: World) -> None:
    """R-C6, §1: the finisher's own copy does not outlive what origin holds."""
    finish(world)
    ada, bob = world.clone("other"), world.clone("bob")
    first = world.root / "ada"
    bob.tenure("release", "--reason", "the branch was thrown away", AUTH, agent=BOB)
    bob.tenure("claim", AUTH, agent=BOB)
    mine = Clone(world, first)
    mine.tenure("board")
    (row,) = mine.json("status")["elsewhere"]
    assert (row["id"], row["holder"], row["live"]) == (AUTH, BOB, True)
    assert mine.json("status")["completions"] == []
    assert ada.tenure("claim", AUTH, exits=4).err.count(BOB) == 1


def test_a_completion_pruned_on_origin_goes_here_with_the_next_refresh(world: World) -> None:
    """R-G2, §1: the Action pruned it; no clone keeps a stale copy."""
    finish(world)
    mine, bare = Clone(world, world.root / "ada"), Clone(world, world.root / "origin.git")
    assert isinstance(mine.record(), Completion)
    bare.git("update-ref", "-d", f"refs/ank/claims/{AUTH}")
    mine.tenure("board")
    assert mine.record() is None
    assert mine.json("status", agent=ADA)["completions"] == []
