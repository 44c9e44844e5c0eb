"""Which of two copies of a record counts: the clone's own, or what origin was last seen to hold (§1)."""

from __future__ import annotations

from tenure.model import lease
from tenure.model.record import Claim, Completion, Record


def same_acquisition(one: Record | None, other: Record | None) -> bool:
    """Whether two records are of one acquisition: the token, or holder and instant where there is none (R-C4)."""
    if not (isinstance(one, Claim) and isinstance(other, Claim) and one.task == other.task):
        return False
    if one.token or other.token:
        return one.token == other.token
    return (one.holder, one.claimed) == (other.holder, other.claimed)


def ends(done: Completion, claim: Record | None) -> bool:
    """Whether a completion is the end of that very claim, as a clone that finished offline holds it (R-C3, R-C7)."""
    return isinstance(claim, Claim) and claim.holder == done.identity and claim.claimed <= done.completed


def mirror_counts(local: Record | None, mirror: Record | None, ours: bool, has_origin: bool, at: int) -> bool:
    """Whether the mirror is the record of a task. `ours`: this clone wrote the local one.

    The local ref if this clone wrote it or there is no origin, else the mirror, else the local ref; the mirror in
    other hands beats a lapsed record of ours. Of one acquisition the later end counts.
    """
    if mirror is None or not has_origin:
        return False
    if local is None:
        return True
    if isinstance(local, Claim) and isinstance(mirror, Claim) and same_acquisition(local, mirror):
        return mirror.expires > local.expires
    if isinstance(local, Completion) and ends(local, mirror):
        return False
    if not ours:
        return True
    return isinstance(local, Claim) and not lease.is_live(local, at)
