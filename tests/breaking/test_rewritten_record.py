"""A record rewritten by hand unfreezes nothing that origin holds (R-F2)."""

from __future__ import annotations

from support import AUTH, World
from tenure.model import criteria


def test_the_holder_cannot_swap_the_frozen_hash_in_the_local_record(world: World) -> None:
    """R-F2: same token, later end, another `criteria`: origin's copy still freezes, at commit and at push."""
    world.origin()
    ada = world.clone("ada").hooks()
    ada.tenure("claim", AUTH)
    ada.commit("Take it")
    ada.git("push", "-q", "origin", "main")
    held = ada.held()
    softer = criteria.freeze_hash("Nothing in particular\n")
    ada.put(held.text.replace(held.criteria, softer))
    ada.soften()
    assert ada.commit("Soften", exits=1).err.startswith(f"tenure: refused: {AUTH}")
    ada.commit("Soften", "--no-verify")
    assert "refused" in ada.git("push", "-q", "origin", "main", exits=None).err
