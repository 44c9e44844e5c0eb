"""Kinds B10 to B12: worktrees, submodules, bare repositories."""

from __future__ import annotations

from hooks.ground import TASK, Ground, Repo
from hooks.scene import PATH, REF, Scene


def test_b10_a_linked_worktree_gets_the_same_verdict_and_a_deaf_one_is_shown(scene: Scene) -> None:
    """B10: and a worktree whose own hooksPath leads nowhere is told by status, with 8."""
    side = scene.worktree("side")
    scene.weaken(side)
    assert "refused" in side.git("commit", "-q", "-am", "x", exits=1).stderr
    scene.restore(side)
    scene.shorten(400)
    scene.work("Work beside", side)
    assert scene.left() > 1700
    assert (scene.w.common / "tenure" / "claims" / TASK).exists()
    assert not (side.git_dir / "tenure" / "claims").exists(), "what is known of a claim is the clone's"
    scene.w.git("config", "extensions.worktreeConfig", "true")
    side.git("config", "--worktree", "core.hooksPath", "/nonexistent")
    assert side.firing() == set()
    assert side.tenure("hooks", "status", exits=8).stdout.count("does not run here") == 3
    assert len(scene.w.firing()) == 3


def test_b11_a_submodule_is_a_repository_of_its_own(ground: Ground, scene: Scene) -> None:
    """B11: a claim in the superproject concerns no commit in the submodule, and a moved gitlink is no task edit."""
    part = ground.repo("part")
    part.write(PATH, "Not a task of the superproject.\n")
    part.commit("Looks like one")
    scene.w.git("submodule", "add", "-q", str(part.path), "src/sub")
    scene.w.commit("A submodule")
    sub = Repo(ground, scene.w.path / "src/sub")
    sub.tenure("hooks", "install")
    before = scene.w.ask("rev-parse", REF)
    sub.write(PATH, "Changed.\n")
    assert sub.commit("Inside").stderr == ""
    assert scene.w.ask("rev-parse", REF) == before
    scene.w.git("submodule", "foreach", "-q", "git commit -q --allow-empty -m again")
    scene.w.git("add", "src/sub")
    assert "refused" not in scene.w.git("commit", "-q", "-m", "Moved on").stderr
    part.git("checkout", "-q", "--detach")
    sub.git("push", "-q", "origin", "HEAD:refs/heads/main")
    scene.w.git("push", "-q", "--recurse-submodules=on-demand", "origin", "main")
    assert scene.origin.ask("rev-parse", "main") == scene.w.ask("rev-parse", "main")


def test_b12_bare_repositories_push_and_their_worktrees_commit(ground: Ground, scene: Scene) -> None:
    """B12: the hook's folder is then the git directory itself."""
    ground.run("git", "clone", "-q", "--bare", str(scene.w.path), "b.git", cwd=ground.root)
    bare = Repo(ground, ground.root / "b.git")
    bare.git("remote", "set-url", "origin", str(scene.origin.path))
    bare.git("worktree", "add", "-q", str(ground.root / "bw"), "main")
    tree = Repo(ground, ground.root / "bw")
    tree.tenure("hooks", "install")
    tree.tenure("status")
    tree.git("fetch", "-q", str(scene.origin.path), f"+{REF}:{REF}")
    assert "hook error" not in scene.work("From a worktree of it", tree)
    scene.weaken(tree)
    assert "refused" in tree.git("commit", "-q", "-am", "x", exits=1).stderr
    tree.git("commit", "-q", "--no-verify", "-am", "x")
    for repo in (bare, tree):
        said = repo.git("push", "-q", "origin", "main", exits=1)
        assert f"refused: {TASK}" in said.stderr
    bare.git("push", "-q", "origin", "main~1:refs/heads/main")
