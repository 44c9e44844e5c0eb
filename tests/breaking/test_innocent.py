"""Nobody is refused who takes no frozen text away (R-F1, R-F3, R-H4)."""

from __future__ import annotations

import pytest

from breaking import scene
from support import AUTH, BOB, DOCS, Clone, World
from tenure.model import freeze


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


def test_a_file_whose_object_a_partial_clone_lacks_is_not_judged(world: World) -> None:
    """R-H4, B31: a git that fetches nothing in a hook (2.44 and newer) has no such blob to show; that is no edit."""
    origin = world.origin()
    origin.git("config", "uploadpack.allowFilter", "true")
    ada = scene.begun(world.clone("ada"))
    ada.write(ada.task_path(), ada.read(ada.task_path()) + "A note.\n")
    ada.commit("Note")
    ada.git("push", "-q", "origin", "HEAD:refs/heads/noted")
    url = f"file://{origin.path}"
    world.run(["git", "clone", "-q", "--filter=blob:none", "--no-checkout", url, str(world.root / "bob")], world.root)
    bob = Clone(world, world.root / "bob")
    blob = bob.oid(f"origin/noted:{ada.task_path()}") or ""
    assert bob.git("cat-file", "--batch-all-objects", "--batch-check").out.find(blob) < 0
    state = freeze.state(None, blob)
    rule = freeze.by_claim(ada.held())
    assert not freeze.is_edit(rule, (freeze.GONE,), state)
    assert not freeze.is_loss(rule, (freeze.GONE,), state)


@pytest.mark.parametrize("way", ["a branch that was deleted there", "by address", "to a fork", "to a new address"])
def test_what_once_became_of_a_finished_task_stops_no_push_of_later_work(world: World, way: str) -> None:
    """R-F2, R-F3: its file was cleaned away long ago, and origin has that; nobody can write such a history anew."""
    ada = scene.held(world)
    ada.tenure("done", "--proof", "test:all of them")
    ada.commit("Done")
    ada.git("rm", "-q", ada.task_path(AUTH))
    ada.commit("Clean up", "--no-verify")
    ada.git("push", "-q", "--no-verify", "origin", "HEAD:main")
    ada.git("fetch", "-q")
    ada.tenure("claim", DOCS)
    ada.git("checkout", "-q", "-b", "feature")
    ada.write("docs/guide.md", "More.\n")
    ada.commit("Work")
    new = world.root / "new.git"
    world.run(["git", "init", "-q", "--bare", str(new)], world.root)
    words = ["origin", "feature"]
    if way == "a branch that was deleted there":
        ada.git("push", "-q", *words)
        world.run(["git", "update-ref", "-d", "refs/heads/feature"], world.root / "origin.git")
    elif way == "by address":
        words = [str(world.root / "origin.git"), "feature"]
    elif way == "to a fork":
        ada.git("push", "-q", "--no-verify", str(new), "HEAD~3:refs/heads/main")
        words = [str(new), "HEAD:main"]
    else:
        ada.git("remote", "set-url", "origin", str(new))
        words = ["origin", "main", "feature"]
    said = ada.git("push", *words).err
    assert ("not refused" in said) == (way in ("to a fork", "to a new address"))


def test_a_claim_that_ended_since_the_last_look_is_no_dead_end(world: World) -> None:
    """R-F4: the refusal names the command after which the same commit goes through."""
    ada = scene.held(world)
    bob = world.clone("bob").hooks()
    bob.tenure("board", agent=BOB)
    ada.tenure("release", "--reason", "not for me")
    bob.soften()
    assert "if that is over: tenure board" in bob.commit("Soften", exits=1, agent=BOB).err
    bob.tenure("board", agent=BOB)
    bob.commit("Soften", agent=BOB)
