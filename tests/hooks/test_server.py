"""The sample for those who run their own server: the verdict where nobody can skip it (issue part 6)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hooks.ground import TASK, Ground, script
from hooks.scene import BOB, REF, Scene
from servers import GitOverSsh


@pytest.fixture
def sshd(ground: Ground) -> Iterator[GitOverSsh]:
    server = GitOverSsh(ground.root)
    yield server
    server.stop()


def test_a_bare_repository_over_ssh_refuses_what_every_client_skipped(
    ground: Ground, scene: Scene, sshd: GitOverSsh
) -> None:
    """R-F1, R-H1: no hook in the client, every skip set: the server tells the same, and guards the claim refs."""
    scene.origin.tenure("hooks", "install", "--server")
    scene.w.git("remote", "set-url", "origin", sshd.url(scene.origin.path))
    scene.w.git("config", "core.sshCommand", sshd.command)
    before = scene.exp()
    scene.bad()
    said = scene.push("--no-verify", "main", exits=1, TENURE="0", SKIP="tenure")
    assert f"tenure: refused: {TASK}" in said
    assert scene.origin.ask("rev-parse", "main") != scene.w.ask("rev-parse", "HEAD")
    scene.w.git("reset", "-q", "--hard", "HEAD~1")
    scene.held_by("human:bob")
    assert "refused" in scene.push("--no-verify", "-f", f"{REF}:{REF}", exits=1, **BOB)
    assert scene.exp() == before
    scene.w.git("update-ref", REF, before)
    scene.work("Work")
    scene.push("main")
    assert scene.origin.ask("rev-parse", "main") == scene.w.ask("rev-parse", "HEAD")


def test_a_push_by_path_cannot_hand_its_skips_to_the_server(scene: Scene) -> None:
    """R-H8 is the client's: a server does not take them from a pusher's environment."""
    scene.origin.tenure("hooks", "install", "--server")
    scene.bad()
    probe = {"TENURE_PROBE": str(scene.ground.root / "mark"), "TENURE_GUARD": str(scene.origin.path)}
    for skip in ({"TENURE": "0"}, {"SKIP": "tenure"}, probe):
        assert "refused" in scene.push("--no-verify", "main", exits=1, **skip)


def test_a_server_keeps_the_hook_that_was_there(ground: Ground, scene: Scene) -> None:
    """R-H7: chained behind ours with every line, and given back."""
    seen = ground.root / "seen"
    theirs = script(scene.origin.path / "hooks" / "pre-receive", f"#!/bin/sh\ncat >>{seen}\n")
    text = theirs.read_bytes()
    scene.origin.tenure("hooks", "install", "--server")
    assert not (scene.origin.path / "hooks" / "pre-push").exists()
    scene.work("Work")
    scene.push("main", "main:refs/heads/second")
    lines = seen.read_text().splitlines()
    assert [line.split(" ")[2] for line in lines if "refs/heads" in line] == ["refs/heads/main", "refs/heads/second"]
    scene.origin.tenure("hooks", "uninstall")
    assert theirs.read_bytes() == text


def test_a_branch_that_is_moved_to_a_softened_commit_which_is_there_already_is_said(scene: Scene) -> None:
    """R-F3: the commit came with one that restores the text, on another branch; now no commit is sent."""
    scene.origin.tenure("hooks", "install", "--server")
    scene.bad()
    soft = scene.w.ask("rev-parse", "HEAD")
    scene.w.git("revert", "--no-edit", "HEAD")
    scene.push("--no-verify", "HEAD:refs/heads/side")
    said = scene.push("--no-verify", f"{soft}:refs/heads/main")
    assert f"tenure: {TASK}" in said
    assert "not refused" in said
