"""The feed is told, never waited for (R-A4)."""

from __future__ import annotations

import pytest

from breaking import scene
from support import AUTH, World

CLAIM = f"refs/ank/claims/{AUTH}"


@pytest.mark.parametrize("words", [["release", "--reason", "later"], ["close", AUTH, "--reason", "dropped"]])
@pytest.mark.parametrize("what", ["ref", "lock"])
def test_a_feed_that_cannot_be_written_stops_no_end_of_a_claim(world: World, words: list[str], what: str) -> None:
    """R-A4, F17: the claim ends here and on origin, and what was not told is said."""
    ada = scene.held(world)
    for name in ("refs/tenure/activity", "refs/tenure/origin/activity"):
        ada.git("update-ref", "-d", name)
    if what == "ref":
        ada.git("update-ref", "refs/tenure/activity/x", "HEAD")
    else:
        ada.write(".git/refs/tenure/activity.lock", "")
    done = ada.tenure(*words)
    said = done.err + ada.tenure("status").err
    assert ada.oid(CLAIM) is None
    assert not ada.git("ls-remote", "origin", CLAIM).out
    assert "the feed could not be written" in said
