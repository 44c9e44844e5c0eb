"""Kinds B20, B22, B23, B25, B34: an origin that hangs, asks or refuses, and many who commit at once."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hooks.ground import TASK, Ground, Repo, script
from hooks.scene import REF, Scene, wait


def _ssh(scene: Scene, body: str) -> Path:
    """An origin over ssh whose client is this script; it writes down each call and its environment."""
    scene.settle()
    seen = scene.ground.root / "ssh-calls"
    text = f'#!/bin/sh\nprintf "%s\\n" "$*" >>{seen}\nenv >>{seen}.env\n{body}\n'
    stub = script(scene.ground.root / "ssh-stub", text)
    scene.w.git("config", "core.sshCommand", str(stub))
    scene.w.git("remote", "set-url", "origin", "ssh://nowhere.invalid/x.git")
    return seen


def _calls(seen: Path) -> list[str]:
    return seen.read_text().splitlines() if seen.exists() else []


@pytest.mark.parametrize("way", ["to read", "to write"])
@pytest.mark.parametrize("mode", ["auto", "on-push", "always"])
def test_b20_a_push_is_held_up_for_ten_seconds_at_most(ground: Ground, scene: Scene, mode: str, way: str) -> None:
    """B20, R-H3: the outer push goes elsewhere, origin hangs; one line about it, and the verdict all the same."""
    backup = ground.origin("backup.git")
    scene.w.git("config", "tenure.renewPush", mode)
    scene.work("Work", TENURE_NO_BACKGROUND="1")
    scene.shorten(300, share=True)
    if way == "to read":
        _ssh(scene, "exec sleep 60")
    else:
        scene.settle()
        scene.w.git("config", "remote.origin.receivepack", "sleep 60 #")
    scene.work("More", TENURE_NO_BACKGROUND="1")
    begun = time.monotonic()
    said = scene.w.git("push", "-q", str(backup), "main").stderr
    assert time.monotonic() - begun < (4 if mode == "auto" else 10)
    assert said.count("not carried to origin") == (mode != "auto"), said
    scene.bad()
    assert "refused" in scene.w.git("push", "-q", str(backup), "main", exits=1).stderr


def test_b22_the_background_never_asks_anybody(scene: Scene) -> None:
    """B22: no terminal prompt, ssh in batch mode with a limit of its own, no askpass window, no GCM window."""
    seen = _ssh(scene, "exit 255")
    scene.shorten(300)
    scene.w.git("update-ref", f"refs/tenure/origin/claims/{TASK}", REF)
    scene.work("Work")
    wait("the attempt", lambda: _calls(seen))
    time.sleep(0.3)
    env = Path(f"{seen}.env").read_text().splitlines()
    assert "GIT_TERMINAL_PROMPT=0" in env
    assert "GCM_INTERACTIVE=never" in env
    assert "SSH_ASKPASS_REQUIRE=never" in env
    assert any("GIT_CONFIG_PARAMETERS=" in line and "'credential.interactive'='false'" in line for line in env)
    assert all("BatchMode=yes" in call and "ConnectTimeout" in call for call in _calls(seen))


@pytest.mark.parametrize("name", ["GIT_SSH_COMMAND", "GIT_SSH", "plink"])
def test_b22_the_ssh_that_would_be_used_is_the_one_that_never_asks(scene: Scene, name: str) -> None:
    """B22: the variable goes before the setting, and plink has flags of its own; `GIT_SSH` knows no words."""
    seen = _ssh(scene, "exit 255")
    stub = scene.ground.root / ("plink" if name == "plink" else "ssh-stub")
    (scene.ground.root / "ssh-stub").rename(stub)
    scene.w.git("config", "--unset", "core.sshCommand")
    scene.shorten(300)
    scene.w.git("update-ref", f"refs/tenure/origin/claims/{TASK}", REF)
    env: dict[str, Any] = {"GIT_SSH_COMMAND" if name == "plink" else name: str(stub)}
    scene.work("Work", **env)
    wait("the attempt", lambda: _calls(seen))
    options = [("BatchMode=yes" in call, "-batch" in call.split()) for call in _calls(seen)]
    assert set(options) == {(name != "plink", name == "plink")}, _calls(seen)


def test_b23_repeated_failure_backs_off_and_is_said_once(scene: Scene) -> None:
    """B23, R-H2: after three failures in a row commits ask no hardware key any more, until a push or a verb does."""
    seen = _ssh(scene, "exit 255")
    scene.shorten(300)
    scene.w.git("update-ref", f"refs/tenure/origin/claims/{TASK}", REF)
    scene.w.git("config", "tenure.renewPush", "on-push")
    scene.work("On push alone")
    time.sleep(0.7)
    assert _calls(seen) == []
    scene.w.git("config", "tenure.renewPush", "auto")
    said = ""
    for number in range(7):
        said += scene.work(f"Work {number}")
        time.sleep(0.7)
    calls = len(_calls(seen))
    assert 0 < calls <= 2 * 3, "two calls of ssh make an attempt"
    said += scene.work("One more")
    scene.w.git("config", "tenure.renewPush", "never")
    scene.work("Never")
    time.sleep(1)
    assert len(_calls(seen)) == calls
    assert said.count("renewals do not reach origin") == 1
    scene.w.git("config", "tenure.renewPush", "auto")
    scene.push("main", exits=None)
    wait("an attempt by a push", lambda: len(_calls(seen)) > calls)


def test_the_last_failure_of_the_background_is_said_by_the_next_command_once(scene: Scene) -> None:
    """R-H2, R-H4: nobody listens to that process; a success takes the word back."""
    seen = _ssh(scene, "exit 255")
    scene.shorten(300)
    scene.w.git("update-ref", f"refs/tenure/origin/claims/{TASK}", REF)
    scene.work("Work")
    wait("the attempt", lambda: _calls(seen))
    scene.settle()
    said = [scene.w.tenure("status").stderr for _ in range(2)]
    assert [text.count("the last push in the background failed") for text in said] == [1, 0], said


def test_b25_a_captured_commit_does_not_wait_and_nothing_is_left_running(scene: Scene) -> None:
    """B25: no pipe of the commit is held; what hangs is ended with everything that it started."""
    pids = scene.ground.root / "pids"
    seen = _ssh(scene, f"echo $$ >>{pids}\nsleep 90 & echo $! >>{pids}\nwait")
    scene.shorten(300)
    scene.w.git("update-ref", f"refs/tenure/origin/claims/{TASK}", REF)
    scene.w.write("src/a.py", "captured\n")
    scene.w.git("add", "-A")
    begun = time.monotonic()
    words = ["git", "commit", "-q", "-m", "Captured"]
    pipe, env = subprocess.PIPE, scene.ground.environment()
    child = subprocess.Popen(words, cwd=scene.w.path, env=env, stdout=pipe, stderr=pipe, start_new_session=True)
    child.communicate(timeout=20)
    assert child.returncode == 0
    assert time.monotonic() - begun < 2
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)  # the terminal that committed is closed: who carries is not in its group
    wait("the attempt", lambda: _calls(seen))

    def ended() -> bool:
        numbers = pids.read_text().split() if pids.exists() else []
        return bool(numbers) and not any(_runs(number) for number in numbers)

    wait("the end of what hung", ended, 30)


def _runs(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _commits(repo: Repo, count: int) -> list[str]:
    """So many commits in a row, each of which touches the scope; what went wrong."""
    wrong = []
    for number in range(count):
        repo.write("src/a.py", f"{repo.path.name} {number}\n")
        done = repo.commit(f"Work {number}", exits=None)
        if done.returncode or "error" in done.stderr or "lost" in done.stderr.lower():
            wrong.append(done.stderr)
    return wrong


def _many(scene: Scene, trees: int, count: int) -> None:
    scene.shorten(300, share=True)
    sides = [scene.worktree(f"side{number}") for number in range(trees)]
    with ThreadPoolExecutor(trees) as pool:
        wrong = [words for found in pool.map(lambda repo: _commits(repo, count), sides) for words in found]
    assert wrong == []
    assert [int(side.ask("rev-list", "--count", "main..HEAD")) for side in sides] == [count] * trees
    assert not list(scene.w.common.rglob("*.lock"))
    wait("two thirds of a window on origin", lambda: scene.left(scene.origin) >= 1200, 30)
    assert scene.left() > 1700
    assert scene.w.git("fsck", "--no-dangling").stdout == ""


def test_b34_two_worktrees_that_commit_at_once_lose_nothing(scene: Scene) -> None:
    """B34: losing a race against oneself is success; no FETCH_HEAD is written."""
    _many(scene, 2, 5)
    assert not (scene.w.git_dir / "FETCH_HEAD").exists()


@pytest.mark.slow
def test_b34_eight_worktrees_with_fifty_commits_each(scene: Scene) -> None:
    """B34, issue "Shown by": no failed commit, no stale lock, two thirds of a window on origin."""
    _many(scene, 8, 50)
