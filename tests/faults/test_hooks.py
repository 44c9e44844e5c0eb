"""Hooks under fault: recursion, environments, other hooks, edited criteria, ends of branches (F43-F45, F47, F48)."""

from __future__ import annotations

import pytest

from faults.kit import ADA, BOB, CRITERION, Clone, World, X, Y, settle, write_script
from tenure.model import instants
from tenure.model.record import Completion


def hooked(world: World, name: str = "ada") -> Clone:
    (clone,) = world.clones(name)
    clone.cli("hooks", "install").ok()
    return clone


def commit(clone: Clone, message: str, agent: str = ADA, ok: bool = True, **env: str) -> str:
    return clone.git("commit", "-qam", message, env=clone.world.environment(agent, env), ok=ok)


def test_f43_our_own_push_does_not_run_the_hooks_again(world: World) -> None:
    """R-C1: with the renewal in the foreground, and a hook of the user's that counts."""
    (ada,) = world.clones("ada")
    count = world.root / "count"
    write_script(ada.path / ".git" / "hooks" / "pre-push", f"cat > /dev/null; echo x >> {count}\n")
    ada.cli("hooks", "install").ok()
    ada.do("claim", X).ok()
    ada.git("config", "tenure.renewPush", "always")
    ada.work()
    commit(ada, "Work")
    ada.work("again")
    commit(ada, "Work again")
    ada.git("push", "-q", "origin", "main", env=world.environment(ADA))
    assert count.read_text().split() == ["x"]
    assert world.origin.claim().token == ada.claim().token


@pytest.mark.parametrize("how", ["worktree", "partial", "git-dir", "nested"])
def test_f44_a_hook_acts_on_the_repository_that_commits_whatever_it_inherits(world: World, how: str) -> None:
    """S10: worktree, partial commit (its own index), GIT_DIR and GIT_WORK_TREE, a repository inside."""
    ada = hooked(world)
    ada.do("claim", X).ok()
    before = ada.foreign_refs()
    ada.put(X, ada.claim().text.replace(_expires(ada), _earlier(ada)))
    place, env, words = ada, {}, ["commit", "-qam", "Work"]
    ada.work()
    if how == "worktree":
        place = ada.worktree("side")
        place.work()
    elif how == "partial":
        (ada.path / "other.txt").write_text("x")
        ada.git("add", "other.txt")
        words = ["commit", "-qm", "Work", "part0/code.py"]
    elif how == "git-dir":
        env = {"GIT_DIR": str(ada.path / ".git"), "GIT_WORK_TREE": str(ada.path)}
        place = Clone(world, world.root / "home")
    elif how == "nested":
        inner = Clone(world, ada.path / "inner")
        inner.path.mkdir()
        inner.git("init", "-q")
        (inner.path / "f").write_text("x")
        inner.git("add", "-A")
        env = {}
        inner.git("commit", "-qm", "Inner", env=world.environment(ADA))
        assert inner.refs("refs/ank") == {}
        assert _earlier(ada) in ada.claim().text, "a commit elsewhere renewed"
    staged = set(ada.git("diff", "--cached", "--name-only").split())
    place.git(*words, env=world.environment(ADA, env))
    assert ada.claim().expires > world.at + 1000, "not renewed"
    changed = {name for name, oid in ada.foreign_refs().items() if before.get(name) != oid}
    assert changed <= {"refs/heads/main", "refs/heads/side"}
    if how == "partial":
        left = set(ada.git("diff", "--cached", "--name-only").split())
        assert left == staged - {"part0/code.py"}, "the index was touched"


def test_f44_a_push_of_ours_leaves_the_quarantine_of_a_receiving_hook(world: World) -> None:
    """S10: git's own variable would forbid the write on origin."""
    (ada,) = world.clones("ada")
    ada.do("claim", X).ok()
    ada.git("config", "tenure.renewPush", "never")
    ada.do("log", at=world.at + 1500).ok()
    assert ada.do("renewal", X, at=world.at + 1500, env={"GIT_QUARANTINE_PATH": str(world.root)}).ok()["kind"] == "won"
    assert world.origin.claim().expires == world.at + 3300


def _expires(clone: Clone) -> str:
    return next(line for line in clone.claim().text.splitlines() if line.startswith("expires: "))


def _earlier(clone: Clone) -> str:
    return "expires: " + instants.text_of(clone.world.at + 400)


def test_f45_the_hook_that_was_there_decides_and_a_failure_of_ours_never_does(world: World) -> None:
    """R-H4, R-H7: its refusal refuses; our broken engine lets through."""
    (ada,) = world.clones("ada")
    verdict = world.root / "verdict"
    verdict.write_text("3")
    write_script(ada.path / ".git" / "hooks" / "pre-commit", f"exit $(cat {verdict})\n")
    ada.cli("hooks", "install").ok()
    ada.do("claim", X).ok()
    head = ada.oid("HEAD")
    ada.work()
    commit(ada, "Refused", ok=False)
    assert ada.oid("HEAD") == head
    verdict.write_text("0")
    (ada.path / ".git" / "tenure" / "claims" / X).write_bytes(b"\xff\xfe broken \x00 state\n")
    (ada.path / ".ank" / "config.yml").write_text("schema: [broken\n")
    commit(ada, "Through")
    assert ada.oid("HEAD") != head


@pytest.mark.parametrize("noise", ["crlf", "trailing blanks", "no last line end"])
def test_f47_noise_in_a_criterion_is_no_change(world: World, noise: str) -> None:
    """R-F1: the hash is over the normal form, at a commit and at done."""
    ada = hooked(world)
    ada.do("claim", X).ok()
    path = ada.path / ".ank" / "entities" / f"{X}.md"
    text = path.read_bytes().decode()
    line = CRITERION.rstrip("\n")
    if noise == "crlf":
        path.write_bytes(text.replace("\n", "\r\n").encode())
    elif noise == "trailing blanks":
        path.write_bytes(text.replace(line, line + "  \t").encode())
    else:
        path.write_bytes(text.replace("done_criteria: |\n", "done_criteria: |-\n").encode())
    commit(ada, "Noise")
    assert ada.git("status", "--porcelain") == ""
    ada.do("done").ok()


def test_f47_a_change_of_the_criterion_under_a_lease_is_refused_at_commit_push_and_done(world: World) -> None:
    """R-F1, R-C7."""
    ada = hooked(world)
    ada.do("claim", X).ok()
    commit(ada, "Take it")
    ada.git("push", "-q", "origin", "main", env=world.environment(ADA))
    head = ada.oid("HEAD")
    ada.edit("second header", "any header")
    commit(ada, "Softer", ok=False)
    assert ada.oid("HEAD") == head
    ada.git("commit", "-qam", "Softer", "--no-verify", env=world.environment(ADA))
    ada.git("push", "-q", "origin", "main", env=world.environment(ADA), ok=False)
    assert world.origin.oid("refs/heads/main") == head
    ada.do("done").refused(6)


@pytest.mark.parametrize("merge", ["squash", "rebase", "deleted"])
def test_f48_a_completion_goes_when_the_default_branch_says_done_however_the_work_got_there(
    world: World, merge: str
) -> None:
    """S6 (R-G2): squashed, rebased, or the branch is gone; the recorded commit plays no part, and no branch moves."""
    ada, bob = world.clones("ada", "bob")
    ada.git("checkout", "-q", "-b", "work")
    ada.do("claim", X).ok()
    ada.do("done", X).ok()
    ada.git("commit", "-qam", "Done")
    bob.do("claim", X, agent=BOB).refused(4, "finished on another branch", ", branch work")
    assert bob.do("prune", agent=BOB).ok()["gone"] == []
    assert isinstance(world.origin.record(), Completion)
    if merge != "deleted":
        ada.git("checkout", "-q", "main")
        if merge == "squash":
            ada.git("merge", "-q", "--squash", "work")
            ada.git("commit", "-qm", "Squashed")
        else:
            ada.git("commit", "-q", "--allow-empty", "-m", "Other")
            ada.git("-c", "core.editor=true", "rebase", "-q", "main", "work")
            ada.git("checkout", "-q", "-B", "main", "work")
    else:
        ada.git("push", "-q", "--no-verify", "origin", "work:main")
    ada.git("branch", "-D", "work", ok=merge != "deleted" and False)
    ada.git("push", "-q", "--no-verify", "origin", "HEAD:main")
    bob.git("pull", "-q")
    heads = world.origin.foreign_refs()
    assert bob.do("prune", agent=BOB).ok()["gone"] == [X]
    assert world.origin.record() is None and world.origin.foreign_refs() == heads
    settle(world, ada, bob)
    assert ada.record(X) is None
    assert bob.do("claim", Y, agent=BOB).ok()
