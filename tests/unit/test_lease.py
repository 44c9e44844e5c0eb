"""Lease arithmetic, with the instant handed in (R-L1, R-L2, R-L3, R-L9, R-H2)."""

from __future__ import annotations

import itertools

import pytest

from tenure.model import lease
from tenure.model.lease import Lengths
from tenure.model.record import Claim
from tenure.model.value import replace

AT = 1_796_026_500
LEASE = Claim("TASK-0f1e2d3c4b5a", "human:ada", AT, AT + 1800, 1800, "03c659e46adf", "e3b0c44298fc")


def test_a_lease_is_live_to_the_last_second_of_its_grace() -> None:
    """R-L2: live iff now <= expires + 120."""
    assert lease.is_live(LEASE, AT + 1800 + 120)
    assert not lease.is_live(LEASE, AT + 1800 + 121)


def test_a_grant_is_what_is_asked_or_the_default_and_never_above_the_cap() -> None:
    """R-L1: and no repository may allow more than 24 h."""
    usual = Lengths()
    assert lease.granted(None, usual) == (1800, False)
    assert lease.granted(5400, usual) == (5400, False)
    assert lease.granted(18000, usual) == (7200, True)
    assert lease.granted(None, Lengths(default=10_000)) == (7200, True)
    assert lease.granted(200_000, Lengths(most=500_000)) == (86_400, True)


def test_a_renewal_only_ever_extends() -> None:
    """R-L3: greatest, not set."""
    long = replace(LEASE, expires=AT + 7000)
    assert lease.renewed(long, AT + 100, Lengths()) == AT + 7000
    assert lease.renewed(LEASE, AT + 100, Lengths()) == AT + 1900


def test_the_window_is_the_ttl_or_the_cap_or_a_shorter_renewal() -> None:
    """R-L3: a record without ttl counts 1800."""
    assert lease.window(replace(LEASE, ttl=None), Lengths()) == 1800
    assert lease.window(replace(LEASE, ttl=9000), Lengths()) == 7200
    assert lease.window(LEASE, Lengths(renewal=600)) == 600
    assert lease.window(LEASE, Lengths(renewal=9000)) == 1800


def test_an_end_over_a_day_ahead_counts_from_the_first_reading() -> None:
    """R-L9: as lapsed 24 h after the moment at which this clone first read it."""
    far = replace(LEASE, expires=AT + 10 * 86_400)
    assert lease.is_far(far, AT)
    assert not lease.is_far(replace(LEASE, expires=AT + 86_400), AT)
    assert lease.is_live(far, AT + 86_400 + 120, first_seen=AT)
    assert not lease.is_live(far, AT + 86_400 + 121, first_seen=AT)


def test_a_near_end_is_not_stretched_by_having_been_read_early() -> None:
    """R-L9: the cap never extends."""
    assert lease.end(LEASE, first_seen=AT) == LEASE.expires


def test_a_clock_that_runs_ahead_is_noticed_beyond_the_grace() -> None:
    """R-L9: more than 120 s."""
    assert not lease.is_skewed(replace(LEASE, claimed=AT + 120), AT)
    assert lease.is_skewed(replace(LEASE, claimed=AT + 121), AT)


@pytest.mark.parametrize(("left", "enough"), [(1200, True), (1199, False), (1800, True), (0, False), (-5, False)])
def test_origins_copy_is_long_enough_with_two_thirds_of_a_window(left: int, enough: bool) -> None:
    """R-H2."""
    assert lease.stands_long_enough(AT + left, AT, 1800) is enough


def test_no_copy_is_never_long_enough() -> None:
    """R-H2."""
    assert not lease.stands_long_enough(None, AT, 1800)


def test_27_combinations_of_three_clocks_never_take_over_early_beyond_the_grace() -> None:
    """S3, F20: claimer, holder and taker each 90 s off or not; nobody is early by more than skew less grace."""
    for claimer, holder, taker in itertools.product((-90, 0, 90), repeat=3):
        claim = replace(LEASE, claimed=AT + claimer, expires=AT + claimer + 1800)
        end = lease.renewed(claim, AT + 600 + holder, Lengths())
        renewed = replace(claim, expires=end)
        true_end = max(claim.expires - claimer, AT + 600 + 1800)
        first_free = next(
            now for now in range(true_end - 400, true_end + 800) if not lease.is_live(renewed, now + taker)
        )
        assert first_free - true_end >= 120 - 90 - 90
        assert first_free - true_end <= 121 + 90 + 90
