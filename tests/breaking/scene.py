"""What these tests start from: a clone with hooks whose claim stands on origin, and a task with a past."""

from __future__ import annotations

import time

from support import AUTH, CRITERION, Clone, World, task_text

DRAFT = "The README mentions JWT rarely\n"
REFUSED = "tenure: refused: " + AUTH


def held(world: World) -> Clone:
    """Ada's clone: hooks, a claim, its commit pushed."""
    world.origin()
    return begun(world.clone("ada"))


def begun(clone: Clone) -> Clone:
    clone.hooks().tenure("claim", AUTH)
    clone.commit("Begin with auth")
    clone.git("push", "-q", "origin", "HEAD:main")
    return clone


def with_a_past(world: World) -> Clone:
    """The same, but the criterion was a draft once (tag `v1`), and was sharpened before the claim."""
    origin = world.origin(**{"T_" + AUTH[5:]: task_text(AUTH, criteria=DRAFT)})
    ada = world.clone("ada")
    ada.git("tag", "v1")
    ada.write(ada.task_path(), ada.read(ada.task_path()).replace(DRAFT, CRITERION))
    ada.commit("Sharpen the criterion")
    ada.git("push", "-q", "origin", "HEAD:main", "v1")
    time.sleep(1.1)  # instants are whole seconds: what came before the claim must be told from it
    assert origin.oid("v1")
    return begun(ada)
