"""Who acted, written into the commit that did it (R-K4)."""

from __future__ import annotations

import pytest

from support import ADA, AUTH, BOB, CY, DOCS, Clone, World


def claimed(world: World, who: str = CY) -> Clone:
    repo = world.repo().hooks()
    repo.tenure("claim", AUTH, agent=who)
    return repo


def trailers(repo: Clone, rev: str = "HEAD") -> str:
    return repo.git("log", "-1", "--format=%(trailers:only,unfold)", rev).out.strip()


BOTH = f"Ank-Task: {AUTH}\nAnk-Agent: {CY}"


def test_a_touching_commit_of_an_agent_gets_both_trailers_once(world: World) -> None:
    """R-K4: task and identity; never twice, also over an amend; behind trailers that are there."""
    repo = claimed(world)
    repo.touch()
    repo.commit("Work", agent=CY)
    assert trailers(repo) == BOTH
    repo.touch()
    repo.commit("Work", "--amend", agent=CY)
    assert trailers(repo) == BOTH
    repo.touch()
    repo.git("add", "-A")
    repo.git("commit", "-q", "--amend", "--no-edit", agent=CY)
    assert trailers(repo) == BOTH
    repo.touch()
    repo.commit("More\n\nSigned-off-by: Ada <ada@example.org>", agent=CY)
    assert trailers(repo) == f"Signed-off-by: Ada <ada@example.org>\n{BOTH}"
    assert repo.git("log", "-1", "--format=%s").out == "More\n"


def test_a_commit_elsewhere_and_a_persons_commit_get_none(world: World) -> None:
    """R-K4: `auto` is for agents and processes; only what touches a task under a claim."""
    repo = claimed(world)
    repo.commit("Take it", agent=CY)
    repo.write("other.txt", "x\n")
    repo.commit("Elsewhere", agent=CY)
    assert trailers(repo) == ""
    repo.tenure("claim", DOCS)
    repo.commit("Take it")
    repo.write("docs/guide.md", "Better.\n")
    repo.commit("Work")
    assert trailers(repo) == ""


@pytest.mark.parametrize(("mode", "who", "expected"), [("always", ADA, True), ("never", CY, False)])
@pytest.mark.parametrize("shared", [False, True])
def test_the_setting_decides(world: World, mode: str, who: str, expected: bool, shared: bool) -> None:
    """R-K4, R-X5: `tenure.trailers` of the person, or `trailers` of the repository."""
    repo = claimed(world, who)
    if shared:
        repo.write(".tenure.yml", f"trailers: {mode}\n")
    else:
        repo.git("config", "tenure.trailers", mode)
    repo.touch()
    repo.commit("Work", agent=who)
    assert trailers(repo) == (f"Ank-Task: {AUTH}\nAnk-Agent: {who}" if expected else "")


def test_an_empty_message_stays_empty_and_the_commit_is_aborted(world: World) -> None:
    """R-K4: trailers alone make no message; the next commit does not inherit them."""
    repo = claimed(world)
    repo.commit("Take it", agent=CY)
    repo.touch()
    repo.git("add", "-A")
    head = repo.head()
    editor = world.script("editor", '#!/bin/sh\n: >"$1"\n')
    repo.git("commit", "-q", agent=CY, exits=1, GIT_EDITOR=str(editor))
    assert repo.head() == head
    repo.git("reset", "-q", "--hard")
    repo.write("other.txt", "x\n")
    repo.commit("Elsewhere", agent=CY)
    assert trailers(repo) == ""


def test_merges_rebases_cherry_picks_and_reverts_keep_their_messages(world: World) -> None:
    """R-K4: while one runs, the message is the author's."""
    repo = claimed(world)
    repo.commit("Take it", agent=CY)
    repo.git("checkout", "-q", "-b", "side")
    repo.write("src/auth/two.py", "2\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "--no-verify", "-m", "Two", agent=CY)
    repo.git("checkout", "-q", "main")
    repo.write("src/auth/one.py", "1\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "--no-verify", "-m", "One", agent=CY)
    repo.git("merge", "-q", "--no-ff", "-m", "Merge side", "side", agent=CY)
    assert trailers(repo) == ""
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.git("cherry-pick", "side", agent=CY)
    assert trailers(repo) == ""
    repo.git("revert", "--no-edit", "HEAD", agent=CY)
    assert trailers(repo) == ""
    repo.git("checkout", "-q", "side")
    repo.git("rebase", "-q", "main", agent=CY)
    assert trailers(repo) == ""


def test_a_commit_that_touches_somebody_elses_task_names_the_one_who_acts(world: World) -> None:
    """R-K4, R-K3: the task under a claim, and the identity of whoever commits."""
    repo = claimed(world, BOB)
    repo.commit("Take it", agent=BOB)
    repo.set_status("open")
    repo.commit("Back to open", agent=CY)
    assert trailers(repo) == BOTH
