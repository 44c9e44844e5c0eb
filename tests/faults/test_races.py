"""Races: many hands at one moment, in one clone and in many (F1-F9, F26, F27, F46, F49)."""

from __future__ import annotations

import shutil
import time

import pytest

from faults.kit import ADA, BOB, CY, DAY, FROZEN, Clone, World, X, Y, agree, claim_text, race, settle
from faults.processes import Result
from tenure.model.record import Claim

LAPSED = 1800 + 120 + 1


def one_winner(world: World, results: dict[str, Result], task: str = X) -> str:
    """S1, S9: exactly one exit 0, the record on origin is the winner's, and every loser is told its name (4)."""
    winners = [who for who, result in results.items() if result.code == 0]
    assert len(winners) == 1, results
    there = world.origin.claim(task)
    assert there.holder == winners[0]
    assert there.token == results[winners[0]]["token"]
    for who, result in results.items():
        if who != winners[0]:
            result.refused(4, winners[0])
    return winners[0]


@pytest.mark.parametrize("count", [2, 5, 8])
def test_f01_of_many_clones_that_claim_at_once_one_wins_and_the_others_are_told_its_name(
    world: World, count: int
) -> None:
    """S1, S9 (R-C1, R-C2)."""
    clones = {f"human:racer{n}": world.clone(f"c{n}") for n in range(count)}
    for task in (X, Y):
        running = {who: clone.start("claim", task, agent=who) for who, clone in clones.items()}
        winner = one_winner(world, {who: one.wait() for who, one in running.items()}, task)
        for who, clone in clones.items():
            assert clone.status_of(task) == ("in_progress" if who == winner else "open")
        clones.pop(winner)
    settle(world, *clones.values())
    assert world.origin.kinds().count("task.claimed") <= 2


def test_f02_of_many_worktrees_of_one_clone_that_claim_at_once_one_wins(world: World) -> None:
    """S1 (R-C10): with an origin, and without one, where the local swap alone arbitrates."""
    base = world.clone("base")
    trees = [base, *(base.worktree(f"t{n}") for n in range(4))]
    running = {f"human:w{n}": tree.start("claim", X, agent=f"human:w{n}") for n, tree in enumerate(trees)}
    one_winner(world, {who: one.wait() for who, one in running.items()})
    base.git("remote", "remove", "origin")
    running = {f"human:v{n}": tree.start("claim", Y, agent=f"human:v{n}") for n, tree in enumerate(trees)}
    results = {who: one.wait() for who, one in running.items()}
    assert sorted(one.code for one in results.values()) == [0, 4, 4, 4, 4], results
    assert results[base.claim(Y).holder].code == 0


@pytest.mark.parametrize("pause", [0, 0.05, 0.2])
def test_f03_one_identity_at_one_instant_is_granted_once_by_its_token(world: World, pause: float) -> None:
    """S1 (R-C4, R-I5): staggered, since equal objects would tell the second one that it is up to date."""
    running = []
    for clone in world.clones("c0", "c1", "c2"):
        running.append(clone.start("claim", X, agent=ADA))
        time.sleep(pause)
    results = race(*running)
    assert [one.code for one in results] == [0, 0, 0], results
    assert [one["regranted"] for one in results].count(False) == 1, "more than one fresh grant"
    assert {one["token"] for one in results} == {world.origin.claim().token}


def test_f04_a_renewal_that_lands_before_the_sweep_keeps_its_claim_and_only_its_own(world: World) -> None:
    """S3, S5, F13 (R-G3): one push of five deletions, one of them renewed since it was judged."""
    ada, bob = world.clones("ada", "bob")
    ada.do("claim", X).ok()
    others = [f"TASK-00000000000{n}" for n in range(4)]
    late = world.at + LAPSED + DAY
    for task in others:
        bob.share(task, claim_text(CY, world.at, world.at + 1800, task=task))
    gate = world.gate("sweep", '*" push "*')
    sweeping = bob.start("sweep", agent=BOB, at=late, env=gate.env)
    gate.reached()
    token = ada.do("log", at=late).ok()["token"]
    gate.open()
    swept = sweeping.wait().ok()
    assert sorted(swept["swept"]) == others and list(swept["kept"]) == [X]
    assert world.origin.claim().token == token and world.origin.claim().expires == late + 1800
    assert all(world.origin.record(task) is None for task in others)


def test_f04_a_sweep_that_lands_first_is_followed_by_the_renewal_with_the_frozen_hash(world: World) -> None:
    """R-L6, R-G3: the renewal was decided before the sweep and pushed after it."""
    ada, bob = world.clones("ada", "bob")
    token = ada.do("claim", X).ok()["token"]
    late = world.at + LAPSED + DAY
    gate = world.gate("log", '*" push "*')
    logging = ada.start("log", at=late, env=gate.env)
    gate.reached()
    assert bob.do("sweep", agent=BOB, at=late).ok()["swept"] == [X]
    gate.open()
    logging.wait().ok()
    there = world.origin.claim()
    assert (there.token, there.generation, there.criteria) == (token, 1, FROZEN)


def test_f05_a_take_over_and_a_renewal_one_of_them_wins_and_the_other_is_told(world: World) -> None:
    """S1, S2: both orders."""
    ada, bob = world.clones("ada", "bob")
    late = world.at + LAPSED
    for first, task in (("renewal", X), ("take-over", Y)):
        ada.do("claim", task).ok()
        slow, quick = (bob, ada) if first == "renewal" else (ada, bob)
        gate = world.gate(first, '*" push "*')
        verbs = {ada: ("log", (task,), ADA), bob: ("claim", (task,), BOB)}
        verb, args, agent = verbs[slow]
        waiting = slow.start(verb, *args, agent=agent, at=late, env=gate.env)
        gate.reached()
        verb, args, agent = verbs[quick]
        quick.do(verb, *args, agent=agent, at=late).ok()
        gate.open()
        told = waiting.wait()
        there = world.origin.claim(task)
        if first == "renewal":
            told.refused(4, ADA)
            assert (there.holder, there.generation) == (ADA, 1)
            ada.do("release", task, at=late).ok()
        else:
            told.refused(4, BOB)
            assert (there.holder, there.generation) == (BOB, 2)
            ada.do("done", task, at=late).refused(4, BOB)
    settle(world, ada, bob, at=late)
    assert [one["task"] for one in world.origin.events() if one["type"] == "claim.lost"] == [Y]


@pytest.mark.parametrize("verb", ["log", "claim"])
def test_f06_what_is_in_flight_does_not_bring_a_released_claim_back(world: World, verb: str) -> None:
    """S5 (R-C6): a renewal, and the first push of the claim itself, paused across the release."""
    (ada,) = world.clones("ada")
    gate = world.gate("flight", '*" push "*')
    if verb == "log":
        ada.do("claim", X).ok()
    flying = ada.start(verb, *([X] if verb == "claim" else []), at=world.at + 1500, env=gate.env)
    gate.reached()
    ada.do("release", at=world.at + 1500).ok()
    gate.open()
    flying.wait()
    settle(world, ada, at=world.at + 1501)
    assert world.origin.record() is None and ada.record() is None and ada.mirror() is None
    assert ada.state() == {}
    ada.do("log", at=world.at + 1502).refused(6)
    assert "task.released" in world.origin.kinds()


def test_f06_a_renewal_by_the_hook_while_the_carrier_pushes_an_older_one_is_not_forgotten(world: World) -> None:
    """R-C3, R-H2: what the carrier settles is its own entry, not the later one."""
    (ada,) = world.clones("ada")
    ada.do("claim", X).ok()
    ada.do("pre-commit", at=world.at + 1)
    ada.work()
    ada.do("pre-commit", at=world.at + 1200, env={"TENURE_NO_BACKGROUND": "1"}).ok()
    gate = world.gate("carrier", '*" push "*')
    carrying = ada.start("renewal", X, at=world.at + 1200, env=gate.env)
    gate.reached()
    ada.do("pre-commit", at=world.at + 1700).ok()
    gate.open()
    assert carrying.wait().ok()["kind"] == "won"
    assert ada.state().get("pending") == "renewal", ada.state()
    ada.do("carry", at=world.at + 1700).ok()
    assert world.origin.claim().expires == world.at + 1700 + 1800 == ada.claim().expires
    agree(world, ada)


def test_f07_a_release_that_waits_never_deletes_a_sibling_sessions_new_claim(world: World) -> None:
    """S5 (R-C3): the same identity, another token."""
    here, there = world.clones("here", "there")
    here.do("claim", X).ok()
    world.origin.away()
    here.do("release").ok()
    world.origin.back()
    late = world.at + LAPSED + DAY
    there.do("sweep", agent=BOB, at=late).ok()
    token = there.do("claim", X, at=late).ok()["token"]
    settle(world, here, at=late)
    assert world.origin.claim().token == token
    assert "pending" not in here.state()


def test_f08_a_completion_that_meets_a_take_over_is_refused_and_the_work_is_kept(world: World) -> None:
    """S5, S6, S8 (R-C7)."""
    ada, bob = world.clones("ada", "bob")
    ada.do("claim", X).ok()
    late = world.at + LAPSED
    gate = world.gate("done", '*" push "*')
    finishing = ada.start("done", at=late, env=gate.env)
    gate.reached()
    bob.do("claim", X, agent=BOB, at=late).ok()
    gate.open()
    finishing.wait().refused(4, BOB)
    assert world.origin.claim().holder == BOB
    assert ada.status_of() == "done", "what ada did is gone"
    settle(world, ada, bob, at=late)
    lost = [one for one in world.origin.events() if one["type"] == "claim.lost"]
    assert [(one["holder"], one["actor"]) for one in lost] == [(ADA, BOB)]
    agree(world, ada, bob)


def test_f09_two_completions_at_once_are_one(world: World) -> None:
    """S6: of two processes of one clone, and of two clones of one identity."""
    here, there = world.clones("here", "there")
    here.do("claim", X).ok()
    results = race(here.start("done"), here.start("done"))
    assert 0 in [one.code for one in results] and all(one.code in (0, 3, 6) for one in results), results
    first = world.origin.completion()
    here.do("done", X).refused(6, "done already")
    assert world.origin.completion() == first
    there.do("done", X).refused(4, "finished on another branch")
    here.do("claim", Y).ok()
    there.do("claim", Y).ok()
    results = race(here.start("done", Y), there.start("done", Y))
    assert [one.code for one in results] == [0, 0], "the same commit by the same identity is the same completion"
    settle(world, here, there)
    assert here.oid(f"refs/ank/claims/{Y}") == world.origin.oid(f"refs/ank/claims/{Y}")
    assert world.origin.completion() == first
    assert world.origin.kinds().count("task.completed") == 2


def test_f26_a_second_session_of_one_identity_is_told(world: World) -> None:
    """S1 (R-I5)."""
    here, there = world.clones("here", "there")
    token = here.do("claim", X).ok()["token"]
    second = there.do("claim", X).ok()
    assert second["regranted"] and second["token"] == token
    assert "another session" in str(second["warnings"])
    assert "another session" not in str(here.do("claim", X).ok()["warnings"])


def test_f26_two_identities_in_one_clone_do_not_act_for_each_other(world: World) -> None:
    """S1, S5 (R-I4): each holds its own, neither ends the other's, and a note names whom it is about."""
    (base,) = world.clones("base")
    base.do("claim", X, agent=ADA).ok()
    base.do("claim", X, agent=BOB).refused(4, ADA)
    base.do("claim", Y, agent=BOB).ok()
    base.do("release", X, agent=BOB).refused(4, ADA)
    base.do("done", X, agent=BOB).refused(4, ADA)
    assert base.do("context", agent=BOB).ok()["held"] == Y
    late = world.at + LAPSED
    taken = base.do("claim", X, agent=CY, at=late).ok()
    assert taken["taken_over"] and taken["generation"] == 2
    base.do("done", X, agent=ADA, at=late).refused(4, CY)
    assert world.origin.claim(X).holder == CY
    other = world.clone("other")
    much_later = late + LAPSED
    other.do("claim", X, agent="human:eve", at=much_later).ok()
    note = base.do("refresh", agent=BOB, at=much_later).ok()["notes"]
    assert [CY in one and "human:eve" in one for one in note] == [True], note
    base.do("log", X, agent=CY, at=much_later).refused(4, "human:eve")


def test_f27_a_claim_that_went_round_is_another_object_and_its_first_life_cannot_write(world: World) -> None:
    """S5 (R-C4): released, taken by another, back again, all at one instant."""
    ada, bob = world.clones("ada", "bob")
    first = ada.do("claim", X).ok()["token"]
    oid = world.origin.oid(f"refs/ank/claims/{X}")
    shutil.copytree(ada.path, world.root / "stale", symlinks=True)
    stale = Clone(world, world.root / "stale")
    ada.do("release").ok()
    bob.do("claim", X, agent=BOB).ok()
    stale.do("renewal", X, at=world.at + 1500)
    assert world.origin.claim().holder == BOB
    bob.do("release", agent=BOB).ok()
    second = ada.do("claim", X).ok()["token"]
    assert second != first and world.origin.oid(f"refs/ank/claims/{X}") != oid
    stale.do("log", at=world.at + 1500)
    settle(world, stale, at=world.at + 1500)
    assert world.origin.claim().token == second


def test_f46_a_contest_that_two_people_see_is_one_event(world: World) -> None:
    """S8 (R-K2): pushed by one, seen by another, the answer lost, pushed again, rewritten, seen by a verb."""
    ada, bob, cy = world.clones("ada", "bob", "cy")
    ada.do("claim", X).ok()
    ada.do("carry").ok()  # who claimed, and by which e-mail, is known to all
    ada.git("commit", "-qam", "Take it")
    ada.git("push", "-q", "--no-verify", "origin", "main")
    bob.git("pull", "-q")
    bob.do("refresh", agent=BOB).ok()
    old = bob.oid("HEAD")
    bob.edit("status: in_progress", "status: done")
    bob.git("-c", "user.email=bob@example.org", "commit", "-qam", "Finish it", env=_dates(world.at + 60))
    line = f"refs/heads/main {bob.oid('HEAD')} refs/heads/main {old}\n"
    world.origin.lose_answers("refs/tenure/*")
    for _ in range(2):
        bob.do("pre-push", line, agent=BOB, at=world.at + 60).ok()
        bob.do("outbox", agent=BOB, at=world.at + 61).ok()
    bob.git("push", "-q", "--no-verify", "origin", "main")
    cy.do("refresh", agent=CY).ok()
    cy.git("fetch", "-q")
    seen = f"refs/heads/main {bob.oid('HEAD')} refs/heads/main {old}\n"
    cy.do("pre-push", seen, agent=CY, at=world.at + 90).ok()
    bob.git(
        "-c", "user.email=bob@example.org", "commit", "-q", "--amend", "-m", "Said better", env=_dates(world.at + 70)
    )
    assert str(bob.oid("HEAD")) not in line
    rewritten = f"refs/heads/other {bob.oid('HEAD')} refs/heads/other {'0' * 40}\n"
    bob.do("pre-push", rewritten, agent=BOB, at=world.at + 95).ok()
    bob.do("notice", agent=BOB, at=world.at + 96).ok()
    settle(world, cy, bob, ada)
    contests = [one for one in world.origin.events() if one["type"] == "task.contested"]
    assert len(contests) == 1
    assert (contests[0]["holder"], contests[0]["severity"]) == (ADA, "warn")
    assert isinstance(world.origin.record(), Claim), "a contest leaves the lease as it is"


def _dates(at: int) -> dict[str, str]:
    return {"GIT_COMMITTER_DATE": f"{at} +0000", "GIT_AUTHOR_DATE": f"{at} +0000"}


def test_f49_two_sweepers_at_once_sweep_once(world: World) -> None:
    """S5 (R-G3): both end well, one event, nothing is left, a third finds nothing."""
    one, two = world.clones("one", "two")
    one.share(X, claim_text(CY, world.at, world.at + 1800))
    late = world.at + LAPSED + DAY
    race(one.start("sweep", at=late), two.start("sweep", agent=BOB, at=late))
    settle(world, one, two, at=late)
    assert world.origin.record() is None
    assert world.origin.kinds() == ["task.lapsed"]
    assert one.do("sweep", at=late).ok()["swept"] == []
