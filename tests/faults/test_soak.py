"""The short version of `make soak`: some tens of raced claims in each mode."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from faults import soak


@pytest.mark.parametrize("mode", sorted(soak.MODES))
def test_raced_claims_have_one_holder_and_every_loser_is_told_who(tmp_path: Path, mode: str) -> None:
    """S1, S9 (F1, F3, F10, F4, F20): the modes of `make soak`, briefly."""
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    tally = soak.soak(tmp_path / "arena", mode, 12, seed)
    print(tally)
    assert not tally.double and not tally.untold
    assert tally.grants > 0
