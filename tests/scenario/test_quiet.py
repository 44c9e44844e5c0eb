"""Hooks that keep out of the way: the network behind, errors of ours beside, skipping (R-H2 to R-H4, R-H6, R-H8)."""

from __future__ import annotations

import shutil
import time
from typing import Any

import pytest

from scenario.kit import away, back, picture
from support import ADA, AUTH, BOB, DOCS, Clone, World, claim_text, wait
from tenure.model import ids

QUIET: dict[str, Any] = {"TENURE_NO_BACKGROUND": "1"}


def shared(world: World, left: int = 300) -> tuple[Clone, Clone]:
    """Origin and a clone with hooks where Ada holds AUTH, `left` seconds before its end, here and on origin."""
    bare = world.origin()
    clone = world.clone("clone").hooks()
    clone.tenure("claim", AUTH, **QUIET)
    now = int(time.time())
    clone.share(claim_text(AUTH, ADA, now + left, clone.held().token))
    clone.commit("Take it", "--no-verify")
    return bare, clone


def work(clone: Clone, **env: str) -> str:
    clone.touch()
    extra: dict[str, Any] = env
    return clone.commit("Work", **extra).err


def test_a_commit_renews_here_at_once_and_on_origin_in_the_background(world: World) -> None:
    """R-H2: local at once; carried by a detached process when less than two thirds of a window stand there."""
    bare, clone = shared(world)
    before = bare.held()
    work(clone)
    assert clone.held().expires > time.time() + 1770
    wait("the renewal on origin", lambda: bare.held() == clone.held())
    assert bare.held().expires > before.expires + 1000


@pytest.mark.parametrize(("left", "carried"), [(1300, False), (1100, True)])
def test_origin_is_left_alone_while_two_thirds_of_a_window_stand_there(world: World, left: int, carried: bool) -> None:
    """R-H2: 1200 of 1800 s; a commit and a verb follow the same rule."""
    bare, clone = shared(world, left)
    work(clone, **QUIET)
    state = (clone.path / f".git/tenure/claims/{AUTH}").read_text()
    assert ("pending renewal" in state) == carried
    clone.share(claim_text(AUTH, ADA, int(time.time()) + left, clone.held().token))
    before = bare.held()
    clone.tenure("log", "a word", **QUIET)
    assert (bare.held() != before) == carried


def test_a_commit_never_waits_for_the_network(world: World) -> None:
    """R-H2: an origin that hangs costs the commit nothing, and no pipe of it is held."""
    _, clone = shared(world)
    hang = world.script("hang", "#!/bin/sh\nexec sleep 30\n")
    clone.git("config", "core.sshCommand", str(hang))
    clone.git("config", "remote.origin.url", "ssh://nowhere.invalid/x.git")
    begun = time.monotonic()
    work(clone)
    assert time.monotonic() - begun < 5
    assert clone.held().expires > time.time() + 1770


def test_after_three_failures_in_a_row_commits_stop_trying_and_say_so_once(world: World) -> None:
    """R-H2: only pushes and verbs try, until one succeeds."""
    bare, clone = shared(world)
    away(clone)
    failed = clone.path / ".git/tenure/carrier"
    for number in range(1, 4):
        assert "do not reach origin" not in work(clone)
        wait("a failure", lambda number=number: failed.exists() and f"failures {number}\n" in failed.read_text())  # type: ignore[misc]
    assert "tenure: renewals do not reach origin (origin did not answer); a push or any verb tries again" in work(clone)
    assert "do not reach origin" not in work(clone)
    back(clone)
    time.sleep(0.5)
    assert "failures 3\n" in failed.read_text()
    clone.tenure("status")
    wait("the renewal on origin", lambda: bare.held() == clone.held())
    wait("the failures forgotten", lambda: not failed.exists())


@pytest.mark.parametrize(
    ("mode", "after_commit", "after_push"), [("always", True, True), ("on-push", False, True), ("never", False, False)]
)
def test_the_person_settles_when_renewals_travel(world: World, mode: str, after_commit: bool, after_push: bool) -> None:
    """R-H2, R-H3: `tenure.renewPush`: each time, with pushes only, never; without any background."""
    bare, clone = shared(world)
    before = bare.held()
    clone.git("config", "tenure.renewPush", mode)
    work(clone, **QUIET)
    assert (bare.held() != before) == after_commit
    clone.git("push", "-q", "origin", "main", **QUIET)
    assert (bare.held() != before) == after_push


def test_a_push_carries_itself_what_has_waited_over_a_minute(world: World) -> None:
    """R-H3: else it hands over to the background."""
    bare, clone = shared(world)
    before = bare.held()
    work(clone, **QUIET)
    clone.git("push", "-q", "origin", "main", **QUIET)
    assert bare.held() == before
    path = clone.path / f".git/tenure/claims/{AUTH}"
    path.write_text(path.read_text().replace("pending_since 1", "pending_since 0"))
    work(clone, **QUIET)
    clone.git("push", "-q", "origin", "main", **QUIET)
    assert bare.held() == clone.held() != before


def test_the_verdict_of_a_push_is_given_while_origin_hangs(world: World) -> None:
    """R-H3: it is local and always finishes."""
    _, clone = shared(world)
    clone.soften()
    clone.commit("Soften", "--no-verify")
    found = clone.world.run(
        [".git/hooks/pre-push", "origin", "ssh://nowhere.invalid/x.git"], clone.path, exits=1,
        stdin=f"refs/heads/main {clone.head()} refs/heads/main {'0' * 40}\n", **QUIET,
    )  # fmt: skip
    assert "[R-F1]" in found.err


NO_DIFF = f"""#!/bin/sh
case " $* " in *" diff "*|*" diff-index "*) echo 'no diff today' >&2; exit 128 ;; esac
exec {shutil.which("git")} "$@"
"""


def test_a_staged_task_whose_record_cannot_be_read_goes_through_and_strict_refuses_it(world: World) -> None:
    """R-H4, R-C8: whether its criterion is frozen cannot be known; a commit elsewhere has nothing to verify."""
    repo = world.repo().hooks()
    repo.tenure("claim", AUTH)
    repo.commit("Take it")
    repo.put("garbage\n")
    repo.git("config", "tenure.strict", "true")
    assert "cannot be read" in work(repo)
    repo.soften()
    repo.git("add", "-A")
    said = repo.git("commit", "-q", "-m", "Strict", exits=1).err
    assert f"tenure: refused: could not verify, and tenure.strict is set: {ids.claim_ref(AUTH)} cannot be read" in said
    repo.git("config", "--unset", "tenure.strict")
    assert "cannot be read" in repo.git("commit", "-q", "-m", "Goes through").err


def test_what_cannot_be_verified_goes_through_and_strict_refuses_it(world: World) -> None:
    """R-H4, R-X5: an error of ours, a setting that cannot be read, no Python; one line each."""
    repo = world.repo().hooks()
    repo.tenure("claim", AUTH)
    repo.commit("Take it")
    spoiled = {"GIT_EXEC_PATH": str(world.script("exec/git", NO_DIFF).parent)}
    assert "tenure: hook error (not blocking): " in work(repo, **spoiled)
    repo.git("config", "tenure.strict", "true")
    repo.touch()
    repo.git("add", "-A")
    said = repo.git("commit", "-q", "-m", "Strict", exits=1, **spoiled).err
    assert "tenure: refused: could not verify, and tenure.strict is set: " in said
    claims = repo.path / ".git/tenure/claims"
    claims.rename(claims.with_name("aside"))
    claims.write_text("")
    assert "tenure: hook error (not blocking): " in work(repo), "a renewal that cannot be written is no verdict (B33)"
    claims.unlink()
    claims.with_name("aside").rename(claims)
    repo.git("commit", "-q", "--allow-empty", "-m", "Strict")
    repo.git("config", "--unset", "tenure.strict")
    repo.git("config", "tenure.lease", "for ever")
    assert "git config tenure.lease: no duration: 'for ever'" in work(repo)
    repo.git("config", "--unset", "tenure.lease")
    repo.write(".tenure.yml", "colour: red\n")
    said = work(repo)
    assert "unknown key 'colour'" in said and repo.held().expires > time.time() + 1770
    repo.write(".tenure.yml", "")
    shim = repo.path / ".git/hooks/pre-commit"
    good = shim.read_text()
    shim.write_text(
        good.replace(f"\npy='{world.python}'", "\npy='/gone/python'").replace(
            f"\npy={world.python}", "\npy=/gone/python"
        )
    )
    assert shim.read_text() != good
    said = work(repo)
    assert "tenure: hook error (not blocking): Python is gone" in said and "tenure hooks install" in said


def test_a_broken_record_warns_and_the_commit_goes_through(world: World) -> None:
    """R-H4, R-C8: of one's own work too; the other lease is renewed."""
    repo = world.repo().hooks()
    repo.tenure("claim", AUTH)
    repo.commit("Take it")
    repo.put("garbage\n", DOCS)
    repo.shorten(300)
    said = work(repo)
    assert f"tenure: {ids.claim_ref(DOCS)} cannot be read" in said
    assert repo.held().expires > time.time() + 1770


def test_what_the_background_had_to_say_is_said_once_by_the_next_command(world: World) -> None:
    """R-H4: a carrier finds that somebody else has the task: nobody read its output."""
    bare, clone = shared(world)
    bare.put(claim_text(AUTH, BOB, int(time.time()) + 900, "b" * 32, generation=2))
    work(clone)
    notes = clone.path / ".git/tenure/notes"
    wait("a note", notes.exists)
    assert "is gone" in clone.tenure("status").err
    assert "is gone" not in clone.tenure("status").err and not notes.exists()


@pytest.mark.parametrize("skip", [{"TENURE": "0"}, {"SKIP": "ruff,tenure"}, {}])
def test_a_person_can_skip_us(world: World, skip: dict[str, Any]) -> None:
    """R-H8: by the two variables and by the setting; commit and push pass; nothing is renewed."""
    bare, clone = shared(world)
    before = clone.held()
    if not skip:
        clone.git("config", "tenure.enabled", "false")
    clone.soften()
    clone.git("add", "-A")
    assert clone.git("commit", "-q", "-m", "Soften", **skip).err == ""
    assert clone.git("push", "-q", "origin", "main", **skip).err == ""
    assert clone.held() == before and bare.oid("refs/heads/main") == clone.head()


def test_without_a_claim_anywhere_a_commit_and_a_push_say_and_write_nothing(world: World) -> None:
    """R-H6, R-H5: no state folder comes into being."""
    world.origin()
    clone = world.clone("clone").hooks()
    clone.touch()
    assert clone.commit("Work").err == ""
    before = picture(clone, feed=True)
    assert clone.git("push", "-q", "origin", "HEAD:refs/heads/w").err == ""
    assert {**picture(clone, feed=True), "refs": ""} == {**before, "refs": ""}
    assert not (clone.path / ".git/tenure").exists()


def test_the_wake_file_stands_while_something_is_held_or_waits(world: World) -> None:
    """R-H6."""
    repo = world.repo()
    wake = repo.path / ".git/tenure/wake"
    repo.tenure("claim", AUTH)
    assert wake.exists()
    repo.tenure("release", "--reason", "x")
    assert not wake.exists()
    repo.tenure("claim", AUTH)
    repo.tenure("done", "--proof", "assertion:x")
    assert not wake.exists()
