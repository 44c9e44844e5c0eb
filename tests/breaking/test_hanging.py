"""A commit waits for nobody (R-H2, R-X4)."""

from __future__ import annotations

import fcntl
import time

from breaking import scene
from support import World


def test_a_stopped_process_that_holds_the_clone_s_state_holds_up_no_commit_for_ever(world: World) -> None:
    """R-X4, R-H4: Ctrl-Z at the wrong moment; after ten seconds it is said and the commit goes through."""
    ada = scene.held(world)
    with (ada.path / ".git" / "tenure" / "state.hold").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        ada.touch()
        start = time.monotonic()
        said = ada.commit("Work").err
        assert time.monotonic() - start < 25
    assert "state.hold" in said
    assert "not blocking" in said
