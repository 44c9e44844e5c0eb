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


def test_a_completion_stays_while_only_this_clones_main_says_done(world: World) -> None:
    """R-G2: what is not pushed is not known to the others; pruning would show them the task as free."""
    finish(world)
    ada, bare = Clone(world, world.root / "ada"), Clone(world, world.root / "origin.git")
    ada.git("checkout", "-q", "main")
    ada.git("merge", "-q", "rotate")
    assert ada.json("check", exits=None)["pruned"] == []
    assert isinstance(bare.record(), Completion)
    ada.git("push", "-q", "origin", "main")
    assert len(ada.json("check", exits=None)["pruned"]) == 1
    assert bare.record() is None


def test_a_claim_of_a_task_that_main_ended_goes_after_its_contest_is_recorded(world: World) -> None:
    """R-G2, R-K1: the holder finds out what happened although the record is gone."""
    world.origin()
    ada, bob = world.clone("ada"), world.clone("bob")
    ada.tenure("claim", AUTH)
    bob.git("config", "user.email", "bob@example.org")
    bob.set_status("closed")
    bob.commit(f"Close it\n\nAnk-Agent: {BOB}", "--no-verify", agent=BOB)
    bob.git("push", "-q", "--no-verify", "origin", "main", agent=BOB)
    bob.tenure("check", agent=BOB, exits=None)
    assert Clone(world, world.root / "origin.git").record() is None
    (event,) = bob.events("task.contested")
    assert (event["holder"], event["actor"], event["to"]) == (ADA, BOB, "closed")
