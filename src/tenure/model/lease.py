"""How long a claim lasts: every decision about time, with the instant handed in as `at` (seconds UTC)."""

from __future__ import annotations

from tenure.model.record import DEFAULT_TTL, Claim
from tenure.model.value import value

GRACE = 120  # R-L2
HARD_CAP = 86_400  # R-L1: no repository may allow more
FAR = 86_400  # R-L9: an end further ahead than this is not believed
SHORT = 300  # R-L8: less than this had been left when the holder is told so


@value
class Lengths:
    """Seconds: what a claim gets (`default`), what it may get at most, and a shorter renewal where one is set."""

    default: int = DEFAULT_TTL
    most: int = 7200
    renewal: int | None = None


def granted(asked: int | None, lengths: Lengths) -> tuple[int, bool]:
    """Seconds of a fresh lease, and whether the cap cut it (R-L1)."""
    most = min(lengths.most, HARD_CAP)
    wanted = lengths.default if asked is None else asked
    return min(wanted, most), wanted > most


def window(claim: Claim, lengths: Lengths) -> int:
    """Seconds that one renewal reaches: min(ttl, cap), or the shorter `tenure.renewal` (R-L3)."""
    reach = min(claim.ttl or DEFAULT_TTL, lengths.most, HARD_CAP)
    return min(reach, lengths.renewal) if lengths.renewal else reach


def renewed(claim: Claim, at: int, lengths: Lengths) -> int:
    """The new end: never before the old one (R-L3)."""
    return max(claim.expires, at + window(claim, lengths))


def end(claim: Claim, first_seen: int | None = None) -> int:
    """The end that this clone believes: an end over 24 h ahead counts from the moment it was first read (R-L9)."""
    if first_seen is not None and claim.expires > first_seen + FAR:
        return first_seen + FAR
    return claim.expires


def is_far(claim: Claim, at: int) -> bool:
    """Whether the end lies so far ahead that the moment of reading must be remembered (R-L9)."""
    return claim.expires > at + FAR


def is_live(claim: Claim, at: int, first_seen: int | None = None) -> bool:
    """R-L2: live iff at <= expires + 120 s."""
    return at <= end(claim, first_seen) + GRACE


def remaining(claim: Claim, at: int, first_seen: int | None = None) -> int:
    """Seconds until the end, 0 at least."""
    return max(0, end(claim, first_seen) - at)


def until_free(claim: Claim, at: int, first_seen: int | None = None) -> int:
    """Seconds until anybody may take it over, 0 at least: the end and the grace that follows it (R-L2)."""
    return max(0, end(claim, first_seen) + GRACE + 1 - at)


def is_skewed(claim: Claim, at: int) -> bool:
    """Whether it was claimed by a clock that runs ahead of this one (R-L9)."""
    return claim.claimed > at + GRACE


def stands_long_enough(expires_there: int | None, at: int, reach: int) -> bool:
    """Whether origin's copy still has two thirds of a window, so that a renewal need not be carried (R-H2)."""
    return expires_there is not None and 3 * (expires_there - at) >= 2 * reach
