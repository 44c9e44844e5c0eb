"""Clocks that differ, jump and stand, and leases that lapse (F20-F23, F25, F51, F52)."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest

from faults.kit import ADA, BOB, DAY, FROZEN, Clone, World, X, Y, claim_text, settle
from faults.processes import LIMIT
from tenure.model import instants, lease
from tenure.model.lease import GRACE
from tenure.model.record import Claim

TTL = 1800
LAPSED = TTL + GRACE + 1
SKEWS = (-5400, -300, -GRACE, 0, GRACE, 300, 5400)


def test_f20_no_skew_takes_a_lease_over_earlier_than_it_and_the_grace_allow_or_later_than_it_explains() -> None:
    """S3, S4 (R-L2): in true time, for every pair of clocks; within the grace never before the holder's own end."""
    claim = Claim(X, ADA, 0, TTL, TTL, FROZEN, FROZEN)
    for holder, taker in itertools.product(SKEWS, SKEWS):
        made = claim.expires + holder  # what the holder's clock wrote down
        free = next(t for t in range(4 * 5400) if not lease.is_live(_ending(claim, made), t + taker))
        assert free == max(0, TTL + GRACE + 1 + holder - taker)
        if taker - holder <= GRACE:
            assert free > TTL, "taken over before the holder's end though the clocks agree within the grace"


def _ending(claim: Claim, expires: int) -> Claim:
    from tenure.model.value import replace

    return replace(claim, expires=expires)


@pytest.mark.parametrize("holder", [-3600, 0, 3600])
def test_f20_three_clocks_in_nine_combinations_each_on_real_git(world: World, holder: int) -> None:
    """S3, S4, S7 (R-L2, R-L3): holder, taker and sweeper each behind, right and ahead: 27 in all.

    True time runs on; each looks through its own clock. The record alone decides, and a late renewal never shortens.
    """
    (base,) = world.clones("base")
    base.git("remote", "remove", "origin")
    end = world.at + holder + TTL
    for taker, sweeper in itertools.product((-3600, 0, 3600), repeat=2):
        base.put(X, claim_text(ADA, world.at + holder, end))
        base.do("claim", X, agent=BOB, at=end + GRACE).refused(4, ADA)
        kept = base.do("sweep", agent="human:cy", at=end + GRACE + DAY).ok()
        assert kept["swept"] == [], "swept before it lapsed a day ago"
        true_free = end + GRACE + 1 - taker
        assert base.do("look", X, agent=BOB, at=true_free + taker).ok()["live"] is False
        renewed = base.do("log", at=true_free + holder).ok()
        assert renewed["expires"] == max(end, true_free + holder + TTL)
        swept = base.do("sweep", agent="human:cy", at=max(end, renewed["expires"]) + GRACE + DAY + 1 + sweeper).ok()
        assert swept["swept"] == ([X] if sweeper >= 0 else [])


def faketime(world: World, clone: Clone, shift: str, *words: str, agent: str = ADA) -> subprocess.CompletedProcess[str]:
    """The command with the wall clock of its process, and of every git that it starts, moved."""
    command = ["faketime", "-f", shift, sys.executable, "-m", "tenure", *words]
    env = world.environment(agent)
    return subprocess.run(command, cwd=clone.path, env=env, capture_output=True, text=True, timeout=LIMIT)


def _has_faketime() -> bool:
    try:
        return subprocess.run(["faketime", "-f", "+1h", "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not _has_faketime(), reason="faketime is not installed")
def test_f20_wall_clocks_that_were_moved_for_real(world: World) -> None:
    """S3, S4 (R-L9): ahead by 3 minutes is said; ahead by an hour it takes over, and the holder is told."""
    ada, bob = world.clones("ada", "bob")
    assert faketime(world, ada, "+3m", "claim", X).returncode == 0
    assert "runs ahead" in ada.cli("status").ok().words
    early = faketime(world, bob, "+20m", "claim", X, agent=BOB)
    assert early.returncode == 4 and ADA in early.stderr, early
    taken = faketime(world, bob, "+1h", "claim", X, agent=BOB)
    assert taken.returncode == 0, taken
    assert (world.origin.claim().holder, world.origin.claim().generation) == (BOB, 2)
    assert ada.cli("done", "--proof", "human-review:x").refused(4, BOB)


def test_f21_a_clock_that_went_back_shortens_nothing_and_one_that_went_ahead_loses_nothing(world: World) -> None:
    """S3, S7 (R-L3, R-L6): sleep and jumps; one's own token is renewed as long as nobody took it."""
    (ada,) = world.clones("ada")
    token = ada.do("claim", X).ok()["token"]
    assert ada.do("log", at=world.at - 3600).ok()["expires"] == world.at + TTL
    slept = ada.do("log", at=world.at + 9 * 3600).ok()
    assert (slept["token"], slept["expires"]) == (token, world.at + 9 * 3600 + TTL)
    assert ada.do("log", at=world.at + 60).ok()["expires"] == world.at + 9 * 3600 + TTL
    assert world.origin.claim().token == token


def test_f22_an_end_that_lies_too_far_ahead_is_believed_for_a_day_from_its_first_reading(world: World) -> None:
    """S4 (R-L9): by this clone, also after reading other tasks, and though a jumped clock read it first."""
    (bob,) = world.clones("bob")
    far = claim_text(ADA, world.at, world.at + 40 * DAY)
    world.origin.put(X, far)
    bob.do("refresh", agent=BOB, at=world.at + 400 * DAY).ok()  # a clock far ahead noted it: now, not then, counts
    assert bob.do("look", X, agent=BOB).ok()["live"] is True
    bob.do("claim", "TASK-00c0ffee0002", agent=BOB, at=world.at + 3600).ok()  # reads one task alone in between
    bob.do("release", agent=BOB, at=world.at + 3600).ok()
    bob.do("claim", X, agent=BOB, at=world.at + DAY + GRACE).refused(4, ADA)
    bob.do("claim", X, agent=BOB, at=world.at + DAY + GRACE + 1).ok()
    assert world.origin.claim().generation == 2


@pytest.mark.parametrize(
    "line",
    [
        "expires: 9999-12-31T23:59:59Z",
        "expires: 1999-12-31T23:59:59Z",
        "expires: 2027-01-01T00:00:00",
        "expires: 2027-01-01T00:00:00+02:00",
        "expires: 1e308",
        "expires: -1",
        "expires: nan",
        "ttl: -5",
        "ttl: 1e308",
        "claimed: 2027-13-01T00:00:00Z",
    ],
)
def test_f22_an_absurd_instant_makes_a_record_unreadable(world: World, line: str) -> None:
    """S4 (R-L9, R-C8): neither live for ever nor free."""
    (bob,) = world.clones("bob")
    key = line.split(":")[0]
    text = "\n".join(
        line if one.startswith(key + ":") else one for one in claim_text(ADA, world.at, world.at + TTL).split("\n")
    )
    bob.share(X, text)
    bob.do("claim", X, agent=BOB).refused(9, "origin's")


def test_f22_a_length_that_is_too_long_renews_by_the_cap(world: World) -> None:
    """S4 (R-L3): ttl a year, and no reading breaks."""
    (ada,) = world.clones("ada")
    ada.share(X, claim_text(ADA, world.at, world.at + 60, ttl=31_536_000))
    assert ada.do("log", at=world.at + 50).ok()["expires"] == world.at + 50 + 7200


def test_f23_a_lapsed_claim_that_nobody_took_comes_back_as_it_was(world: World) -> None:
    """S2 (R-L6): token, generation, claimed and frozen hash; a criterion that differs by then is 6."""
    (ada,) = world.clones("ada")
    ada.do("claim", X).ok()
    before = world.origin.claim()
    ada.edit("second header", "third header")
    ada.do("log", at=world.at + LAPSED).refused(6)
    ada.do("done", at=world.at + LAPSED).refused(6)
    ada.edit("third header", "second header")
    for verb, at in (("log", 1), ("claim", 2 * LAPSED), ("pre-commit", 4 * LAPSED)):
        ada.work(verb)
        ada.do(verb, *([X] if verb == "claim" else []), at=world.at + LAPSED + at).ok()
        ada.do("carry", at=world.at + LAPSED + at).ok()
        now = world.origin.claim()
        assert (now.token, now.generation, now.claimed, now.criteria) == (before.token, 1, before.claimed, FROZEN)
        assert now.expires == world.at + LAPSED + at + TTL


def test_f25_after_a_take_over_every_verb_of_the_former_holder_names_the_new_one(world: World) -> None:
    """S5 (R-L6): 4; a commit is told loudly and goes through; until it claims again."""
    ada, bob = world.clones("ada", "bob")
    ada.do("claim", X).ok()
    late = world.at + LAPSED
    bob.do("claim", X, agent=BOB, at=late).ok()
    ada.do("refresh", at=late).ok()
    for verb in ("log", "release", "done"):
        ada.do(verb, X, at=late).refused(4, BOB)
        ada.do(verb, at=late).refused(4, BOB)
    ada.work()
    told = ada.do("pre-commit", at=late).ok()
    assert "YOU LOST" in told.words and BOB in told.words
    bob.do("release", agent=BOB, at=late + 1).ok()
    ada.do("done", X, at=late + 2).refused(4, BOB)
    ada.do("claim", X, at=late + 3).ok()
    assert "YOU LOST" not in ada.do("pre-commit", at=late + 4).words


def test_f25_a_stale_generation_neither_renews_nor_releases_nor_ends(world: World) -> None:
    """S5: what a clone that slept through the take-over still has in its state is refused by origin."""
    ada, bob = world.clones("ada", "bob")
    ada.do("claim", X).ok()
    world.origin.away()
    ada.do("log", at=world.at + 1500).ok()
    world.origin.back()
    late = world.at + LAPSED + 1500
    theirs = bob.do("claim", X, agent=BOB, at=late).ok()["token"]
    assert ada.do("renewal", X, at=late).ok()["kind"] == "lost"
    settle(world, ada, bob, at=late)
    assert world.origin.claim().token == theirs and world.origin.claim().generation == 2


def test_f51_a_lease_is_judged_by_its_own_length(world: World) -> None:
    """S3 (R-L1): a reader's settings shorten nobody's claim and lengthen nobody's."""
    ada, bob = world.clones("ada", "bob")
    ada.do("claim", X, 5400).ok()
    bob.git("config", "tenure.lease", "1m")
    bob.git("config", "tenure.renewal", "1m")
    bob.do("claim", X, agent=BOB, at=world.at + 5400 + GRACE).refused(4, ADA)
    bob.do("claim", X, agent=BOB, at=world.at + 5400 + GRACE + 1).ok()
    assert world.origin.claim().ttl == 60
    ada.do("claim", X, at=world.at + 5400 + 2 * GRACE + 62).ok()
    assert (world.origin.claim().ttl, world.origin.claim().generation) == (TTL, 3)


def test_f52_a_done_that_outlasts_its_lease_finishes_if_nobody_came_and_gives_way_if_somebody_did(world: World) -> None:
    """S3, S5 (R-L6, R-C7): a slow verb is no reason to take a claim from anybody."""
    ada, bob = world.clones("ada", "bob")
    ada.do("claim", X).ok()
    gate = world.gate("slow", '*" hash-object "*')
    finishing = ada.start("done", at=world.at + TTL - 1, env=gate.env)
    gate.reached()
    bob.do("claim", X, agent=BOB, at=world.at + TTL + GRACE).refused(4, ADA)
    gate.open()
    finishing.wait().ok()
    assert instants.text_of(world.at + TTL - 1) in world.origin.completion().text
    later = world.at + DAY
    ada.do("claim", Y, at=later).ok()
    gate = world.gate("slower", '*" hash-object "*')
    finishing = ada.start("done", Y, at=later + TTL - 1, env=gate.env)
    gate.reached()
    taken = bob.do("claim", Y, agent=BOB, at=later + TTL + GRACE + 1).ok()
    gate.open()
    finishing.wait().refused(4, BOB)
    assert world.origin.claim(Y).token == taken["token"]
    assert ada.status_of(Y) == "done", "what was done is kept"
    settle(world, ada, bob, at=later + TTL + GRACE + 2)
    assert world.origin.claim(Y).token == taken["token"]
