"""Nobody is refused who takes no frozen text away (R-F1, R-F3, R-H4)."""

from __future__ import annotations

import pytest

from breaking import scene
from support import World


@pytest.mark.parametrize("refs", [["main", "refs/tags/v1"], ["refs/tags/v1"], ["v1^{}:refs/heads/old"]])
def test_the_holder_may_push_a_past_in_which_the_criterion_was_a_draft(world: World, refs: list[str]) -> None:
    """R-F3: the first push to a new server, by whoever wrote the task and holds it now."""
    ada = scene.with_a_past(world)
    world.run(["git", "init", "-q", "--bare", str(world.root / "new.git")], world.root)
    assert "not refused" in ada.git("push", str(world.root / "new.git"), *refs).err


def test_a_commit_dated_before_the_claim_that_takes_the_frozen_text_away_is_the_holder_s_own_edit(
    world: World,
) -> None:
    """R-F3: the other side of the rule above; a forged date is no way out."""
    ada = scene.with_a_past(world)
    ada.soften()
    ada.commit("Soften", "--no-verify", GIT_COMMITTER_DATE="2026-01-06T00:00:00Z")
    assert scene.REFUSED in ada.git("push", "origin", "HEAD:main", exits=1).err


def test_a_corpus_may_move_with_its_folder(world: World) -> None:
    """R-F1: the file stays a task file with its frozen text; commit and push say the same."""
    ada = scene.held(world)
    (ada.path / "apps").mkdir()
    ada.git("mv", ".ank", "apps/.ank")
    assert "refused" not in ada.commit("A monorepo").err
    assert "refused" not in ada.git("push", "origin", "HEAD:main").err


def test_a_corpus_that_moves_with_another_text_is_refused(world: World) -> None:
    """R-F1."""
    ada = scene.held(world)
    ada.soften()
    (ada.path / "apps").mkdir()
    ada.git("add", "-A")
    ada.git("mv", ".ank", "apps/.ank")
    assert scene.REFUSED in ada.commit("A monorepo", exits=1).err
