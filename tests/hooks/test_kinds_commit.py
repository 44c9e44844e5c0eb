"""Kinds B1 to B9: what a commit hook must read, and what it must leave alone."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from hooks.ground import TASK, Ground, Repo, script
from hooks.scene import BOB, CRITERION, PATH, Scene, task_file, tree_of, wait
from tenure.git import process


def test_b01_hooks_write_into_no_other_repository(
    ground: Ground, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B1: `commit -a` in the clone, a worktree and a submodule leaves clean repositories; a decoy stays untouched."""
    decoy = ground.repo("decoy")
    before = tree_of(decoy.path)
    monkeypatch.setenv("GIT_DIR", str(decoy.path / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(decoy.path / ".git" / "index"))
    scene.w.git("submodule", "add", "-q", str(decoy.path), "sub")
    scene.w.commit("A submodule")
    sub = Repo(ground, scene.w.path / "sub")
    sub.tenure("hooks", "install")
    for repo, path in ((scene.w, "src/a.py"), (scene.worktree("side"), "src/a.py"), (sub, "new")):
        repo.write(path, "changed\n")
        repo.git("add", "-N", path)
        repo.git("commit", "-q", "-a", "-m", "All of it")
        assert repo.git("fsck", "--no-dangling").stdout == ""
        assert repo.ask("status", "--porcelain", "--ignore-submodules") == ""
    both = scene.w.tenure("hooks", "status", "--all-worktrees", "--json", **_inside(scene.w)).stdout
    assert both.count('"fires": true') == 6, both
    assert tree_of(decoy.path) == before
    assert not {"GIT_DIR", "GIT_INDEX_FILE"} & process.foreign_environment().keys()
    assert "GIT_INDEX_FILE" in process.environment()


def _inside(repo: Repo) -> dict[str, Any]:
    """What a hook of that clone has in its environment."""
    return {"GIT_DIR": str(repo.git_dir), "GIT_INDEX_FILE": str(repo.git_dir / "index"), "GIT_PREFIX": ""}


def test_b02_the_index_of_this_very_commit_is_judged(scene: Scene) -> None:
    """B2: `commit -a`, `commit -- path` and `--include`; what is staged but not in this commit is not judged."""
    w = scene.w
    scene.weaken()
    w.git("commit", "-q", "--allow-empty", "-m", "(d) not staged")
    for words in (("-a",), ("--", PATH), ("--include", "--", PATH)):
        said = w.git("commit", "-q", "-m", "Soften", *words, exits=1)
        assert f"tenure: refused: {TASK}" in said.stderr
    w.git("add", "-A")
    w.write("other.txt", "More.\n")
    w.git("commit", "-q", "-m", "(c) the staged edit is not in this commit", "--", "other.txt")
    assert CRITERION in w.ask("show", f"HEAD:{PATH}")
    assert w.ask("diff", "--cached", "--name-only") == PATH


def test_b03_what_is_staged_counts_and_not_what_the_worktree_says(scene: Scene) -> None:
    """B3: partial staging, both ways; a hunk that is no criterion; intent to add."""
    w = scene.w
    (w.path / PATH).write_text((w.path / PATH).read_text().replace("Notes.", "More notes."))
    w.git("add", "-A")
    scene.weaken()
    w.git("commit", "-q", "-m", "The good version is staged")
    w.git("add", "-A")
    scene.restore()
    assert "refused" in w.git("commit", "-q", "-m", "The weak version is staged", exits=1).stderr
    w.git("reset", "-q", "--hard")
    w.write(f".ank/tasks/TASK-{'1' * 12}.md", task_file(f"TASK-{'1' * 12}"))
    w.git("add", "-N", ".")
    assert "hook error" not in w.git("commit", "-q", "--allow-empty", "-m", "Intent to add").stderr


def _state(repo: Repo) -> tuple[str, str, str, str]:
    """The index by its entries: git itself refreshes the times in it before it calls a hook."""
    return (
        repo.ask("ls-files", "--stage", "-t"),
        repo.ask("status", "--porcelain=v2"),
        repo.ask("stash", "list"),
        repo.ask("rev-parse", "HEAD"),
    )


def test_b04_a_hook_changes_neither_index_nor_worktree_nor_stash(scene: Scene) -> None:
    """B4, R-H5: before and after a refused commit, and after ctrl-C in the middle of one."""
    w = scene.w
    scene.weaken()
    w.write("untracked", "u\n")
    w.git("add", PATH)
    w.write("src/a.py", "unstaged\n")
    before = _state(w)
    w.git("commit", "-q", "-m", "Soften", exits=1)
    assert _state(w) == before
    w.tenure("hooks", "uninstall")
    script(w.hook("pre-commit"), f"#!/bin/sh\necho >{scene.ground.root}/begun\nsleep 20\n")
    w.tenure("hooks", "install")
    words = ["git", "commit", "-q", "-m", "Interrupted"]
    env = scene.ground.environment()
    child = subprocess.Popen(words, cwd=w.path, env=env, start_new_session=True, stderr=subprocess.DEVNULL)
    wait("the hook", (scene.ground.root / "begun").exists)
    os.killpg(child.pid, signal.SIGINT)
    assert child.wait(10) != 0
    time.sleep(0.1)
    assert _state(w) == before
    assert not (w.git_dir / "index.lock").exists()


def test_b05_an_amend_that_hides_an_edit_is_caught_by_the_push(scene: Scene) -> None:
    """B5: a message-only amend sees no change against HEAD; the push does."""
    scene.bad()
    scene.w.git("commit", "-q", "--amend", "-m", "Said better", exits=None)
    scene.refused("main")
    scene.restore()
    scene.w.git("commit", "-q", "-a", "--amend", "--allow-empty", "-m", "Restored")
    scene.push("main")
    assert "refused" not in scene.w.git("commit", "-q", "--amend", "--allow-empty", "--no-edit").stderr


def test_b06_what_bypasses_the_commit_hook_is_caught_by_the_push(scene: Scene) -> None:
    """B6: rebase, cherry-pick, revert, am and merge succeed here; each push of the result is refused."""
    w = scene.w
    start = w.ask("rev-parse", "HEAD")
    w.git("checkout", "-q", "-b", "side")
    bad = scene.bad()
    w.git("checkout", "-q", "-b", "base", start)
    w.write("other.txt", "Moved on.\n")
    w.commit("Moved on")
    patch = w.git("format-patch", "-1", "--stdout", bad).stdout
    (scene.ground.root / "bad.patch").write_text(patch)
    ways = {
        "rebased": ["rebase", "-q", "base", "work"],
        "picked": ["cherry-pick", bad],
        "merged": ["merge", "-q", "--no-ff", "-m", "Merge", bad],
        "mailed": ["am", "-q", str(scene.ground.root / "bad.patch")],
    }
    for name, words in ways.items():
        w.git("checkout", "-q", "-B", "work", bad if name == "rebased" else "base")
        w.git(*words)
        scene.refused(f"HEAD:refs/heads/{name}")
    w.git("checkout", "-q", "-B", "work", bad)
    scene.restore()
    w.commit("Put it back")
    scene.push("work")
    w.git("revert", "--no-edit", "HEAD")
    scene.refused("work")


def test_b06_a_rebase_carries_no_renewal_per_commit_and_a_stash_none(scene: Scene) -> None:
    """B6: twenty amended commits in a rebase make one renewal on origin at most, and each touches the task."""
    w = scene.w
    scene.shorten(1000, share=True)
    arrived = scene.counted()
    start = w.ask("rev-parse", "HEAD")
    for number in range(20):
        w.write("src/a.py", f"a = {number}\n")
        w.git("commit", "-q", "--no-verify", "-am", str(number))
    before = w.ask("rev-parse", f"refs/ank/claims/{TASK}")
    w.write("src/a.py", "stashed\n")
    w.git("stash", "-q")
    w.git("stash", "pop", "-q")
    assert w.ask("rev-parse", f"refs/ank/claims/{TASK}") == before
    w.git("checkout", "-q", "src/a.py")
    w.git("rebase", "-q", "--exec", "echo >>src/b.py; git add src; git commit -q --amend --no-edit", start)
    assert int(w.ask("rev-list", "--count", f"{start}..HEAD")) == 20
    wait("the renewal on origin", arrived)
    time.sleep(1)
    assert arrived() == 1


def _notes_apart(scene: Scene) -> None:
    """A file that a merge put together: in neither parent as it is, its criterion as in the public one."""
    w = scene.w
    w.git("checkout", "-q", "-b", "together", "main")
    path = w.path / PATH
    path.write_text(path.read_text().replace("Notes.", "Other notes."))
    w.commit("Notes")
    w.git("merge", "-q", "--no-ff", "-m", "Merge main", "origin/main")
    assert "Other notes." in path.read_text()
    assert CRITERION not in path.read_text()
    scene.push("together")
    w.git("checkout", "-q", "work")


def test_b07_a_merge_is_blamed_only_for_what_differs_from_every_parent(scene: Scene) -> None:
    """B7, R-F3: what arrives from the other side passes; an evil merge does not; restoring always does."""
    w = scene.w
    other = scene.clone("other", hooks=False)
    scene.weaken(other)
    other.git("commit", "-q", "-am", "An edit by somebody else", **BOB)
    other.git("push", "-q", "origin", "main")
    w.git("checkout", "-q", "-b", "work")
    scene.work("Work")
    w.git("fetch", "-q")
    w.git("merge", "-q", "--no-ff", "-m", "Merge main", "origin/main")
    scene.push("work")
    _notes_apart(scene)
    scene.restore()
    w.commit("Put it back")
    scene.push("work")
    w.git("checkout", "-q", "-b", "third", "HEAD~1")
    w.write("third", "3\n")
    w.commit("Beside")
    w.git("checkout", "-q", "work")
    w.git("merge", "-q", "--no-ff", "--no-commit", "third", "-s", "ours")
    scene.weaken(to="Nothing in particular.")
    w.git("add", "-A")
    w.git("commit", "-q", "--no-verify", "-m", "An evil merge")
    scene.refused("work")


def test_b08_unborn_and_orphan_branches_are_no_error(ground: Ground, scene: Scene) -> None:
    """B8: no HEAD to compare with."""
    ground.run("git", "init", "-q", "n", cwd=ground.root)
    fresh = Repo(ground, ground.root / "n")
    fresh.tenure("hooks", "install")
    assert fresh.git("commit", "-q", "--allow-empty", "-m", "i").stderr == ""
    fresh.git("push", "-q", str(scene.origin.path), "HEAD:refs/heads/n")
    w = scene.w
    w.git("checkout", "-q", "--orphan", "z")
    assert "hook error" not in w.git("commit", "-q", "-m", "z").stderr
    w.git("push", "-q", "origin", "z")
    w.git("checkout", "-q", "--orphan", "y")
    scene.weaken()
    assert "refused" in w.commit("An orphan that softens", exits=1).stderr


def test_b09_a_detached_head_needs_no_branch_name(scene: Scene) -> None:
    """B9: the commit and every way to name the pushed commit are judged."""
    w = scene.w
    w.git("checkout", "-q", "--detach")
    scene.weaken()
    assert "refused" in w.git("commit", "-q", "-am", "x", exits=1).stderr
    bad = scene.bad()
    w.git("commit", "-q", "--no-verify", "--allow-empty", "-m", "On top")
    for spec in ("HEAD:refs/heads/d", "HEAD~1:refs/heads/e", f"{bad}:refs/heads/f"):
        scene.refused(spec)
    scene.push("HEAD~2:refs/heads/g")
    assert Path(w.path / ".git").exists()
