"""The feed's order where instants tie: they have whole seconds (R-A1)."""

from __future__ import annotations

from itertools import permutations

from tenure.model import event
from tenure.model.record import Claim, Completion

ACT = event.Act("human:bob", 1000)


def claim(holder: str, claimed: int, token: str) -> Claim:
    return Claim("TASK-0123456789ab", holder, claimed, claimed + 60, 60, "0" * 12, "1" * 12, token, 1)


def test_within_one_second_a_take_over_follows_the_claim_and_its_end_follows_both() -> None:
    """R-A2: whatever the ids, which are hashes, say."""
    for number in range(20):
        token = f"{number:032x}"
        first = event.of_claim("task.claimed", claim("human:ann", 1000, token), ACT)
        over = event.of_claim("task.taken_over", claim("human:bob", 1000, token), ACT)
        end = event.of_claim("task.released", claim("human:bob", 1000, token), ACT)
        for mixed in permutations([first, over, end]):
            assert sorted(mixed, key=event.order) == [first, over, end]


def test_an_end_that_names_no_claim_comes_last_in_its_second() -> None:
    """R-A2: pruned after completed, whatever their ids."""
    for number in range(20):
        done = Completion("TASK-0123456789ab", f"{number:040x}", "main", "human:bob", 1000)
        end = event.completed(done, claim("human:bob", 900, "c" * 32), ACT)
        gone = event.without_claim("task.pruned", done.task, done.identity, ACT, "o")
        assert sorted([gone, end], key=event.order) == [end, gone]


def test_within_one_second_an_older_claim_ends_before_a_newer_begins() -> None:
    end = event.of_claim("task.released", claim("human:ann", 900, "a" * 32), ACT)
    begin = event.of_claim("task.claimed", claim("human:bob", 1000, "b" * 32), ACT)
    assert sorted([begin, end], key=event.order) == [end, begin]
