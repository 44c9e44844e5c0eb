"""Git's hooks as git itself sees them: where they are looked for here, who said so, and whether one of ours is reached.

Presence of a file proves nothing (B10, B35): `reaches` lets git run the hook and looks for the mark that ours leaves.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time

from tenure.git import process
from tenure.model.errors import Broken
from tenure.model.value import value

CONFIG_HOOKS = (2, 54)
_HOOK_RUN = (2, 36)


@value
class Folder:
    """Where hooks are looked for: an absolute path, and the scope of the `core.hooksPath` that says so, or ''."""

    path: str
    scope: str


@value
class Worktree:
    """A working tree of this clone: its top folder; for a bare repository the git directory itself."""

    path: str
    bare: bool


def folder(at: str, elsewhere: bool = False) -> Folder:
    """The effective hooks folder for hooks that git runs in `at` (B10). GitFailed (9) when git cannot say.

    `elsewhere`: another worktree than the one that this command was started in, whose variables then mislead (B1).
    """
    env = process.foreign_environment() if elsewhere else None
    path = process.need(["rev-parse", "--path-format=absolute", "--git-path", "hooks"], cwd=at, env=env).line
    said = process.run(["config", "--show-scope", "--get", "core.hooksPath"], cwd=at, env=env)
    scope, tab, _ = said.line.partition("\t")
    return Folder(os.path.normpath(path), scope if said.ok and tab else "")


def worktrees(at: str) -> list[Worktree]:
    """Every worktree of this clone that is really there, the main one first (B10)."""
    found = []
    for entry in process.need(["worktree", "list", "--porcelain"], cwd=at).text.split("\n\n"):
        lines = entry.split("\n")
        path = lines[0].removeprefix("worktree ")
        if lines[0].startswith("worktree ") and os.path.isdir(path):
            found.append(Worktree(path, "bare" in lines))
    return found


def tracks(at: str, path: str) -> bool:
    """Whether a folder of the working tree belongs to the repository: something in it is tracked, or it would be."""
    if process.run(["ls-files", "-z", "--", path], cwd=at).out:
        return True
    return process.run(["check-ignore", "-q", "--", path], cwd=at).code == 1


def shared_mode(at: str, mode: int) -> int:
    """A file's mode as `core.sharedRepository` wants it (R-H7)."""
    said = process.run(["config", "--get", "core.sharedRepository"], cwd=at).line.strip().lower()
    if said.startswith("0") and len(said) > 1 and said.isdigit():
        wanted = int(said, 8) & 0o666
        mode = (mode & ~0o777) | wanted | 0o600
    elif said in ("group", "true", "1"):
        mode |= 0o660
    elif said in ("all", "world", "everybody", "2"):
        mode |= 0o664
    return mode | ((mode & 0o444) >> 2)


def config_hooks(at: str) -> dict[str, list[str]]:
    """The hooks that configuration defines (git 2.54 and newer): event to the commands that run for it."""
    if process.version() < CONFIG_HOOKS:
        return {}
    done = process.run(["config", "-z", "--get-regexp", r"^hook\..*\.(command|event)$"], cwd=at)
    commands: dict[str, str] = {}
    events: dict[str, list[str]] = {}
    for item in done.text.split("\0"):
        key, _, text = item.partition("\n")
        name, _, what = key.removeprefix("hook.").rpartition(".")
        if what == "command":
            commands[name] = text
        elif what == "event":
            events[name] = [*events.get(name, []), text] if text else []
    found: dict[str, list[str]] = {}
    for name, names in events.items():
        for event in names:
            found.setdefault(event, []).append(commands.get(name, ""))
    return found


def reaches(
    event: str, at: str, hold: bool, elsewhere: bool = False, extra: dict[str, str] | None = None, seconds: float = 60
) -> bool:
    """Whether a commit or push in `at` comes by one of our hooks: git is made to run the event, and ours marks it.

    With `hold` ours waits there, and everything is ended as soon as the mark is seen, so that nothing behind it runs.
    Without, what else stands in the hook runs to its end, with the arguments and the standard input it would get.
    """
    with tempfile.TemporaryDirectory(prefix="tenure-probe-") as place:
        mark = os.path.join(place, "mark")
        env = process.foreign_environment() if elsewhere else process.environment()
        env |= {"TENURE_PROBE": mark, **({"TENURE_PROBE_HOLD": "1"} if hold else {}), **(extra or {})}
        words = _trial_push(at, place, env) if event == "pre-push" and not hold else []
        words = words or _hook_run(event, at, place)
        if not words:
            return False
        null = subprocess.DEVNULL
        child = subprocess.Popen(words, cwd=at, env=env, stdin=null, stdout=null, stderr=null, start_new_session=True)
        _wait(child, mark if hold else None, seconds)
        return os.path.exists(mark)


def _trial_push(at: str, place: str, env: dict[str, str]) -> list[str]:
    """A push that sends nothing, to an empty repository of this moment; nothing to run before the first commit."""
    if not process.run(["rev-parse", "-q", "--verify", "HEAD^{commit}"], cwd=at, env=env).ok:
        return []
    kind = process.run(["rev-parse", "--show-object-format"], cwd=at, env=env).line or "sha1"
    there = os.path.join(place, "there.git")
    clean = process.foreign_environment()
    process.need(["init", "-q", "--bare", f"--object-format={kind}", there], cwd=at, env=clean)
    return ["git", "push", "-q", "--dry-run", there, "HEAD:refs/heads/tenure-probe"]


def _hook_run(event: str, at: str, place: str) -> list[str]:
    given = []
    if event == "commit-msg":
        given = [os.path.join(place, "message")]
        with open(given[0], "w", encoding="utf-8") as file:
            file.write("tenure: does this hook run?\n")
    if process.version() >= _HOOK_RUN:
        return ["git", "-c", "advice.ignoredHook=false", "hook", "run", "--ignore-missing", event, "--", *given]
    path = os.path.join(folder(at).path, event)
    return [path, *given] if os.access(path, os.X_OK) else []


def _wait(child: subprocess.Popen[bytes], mark: str | None, seconds: float) -> None:
    end = time.monotonic() + seconds
    try:
        while child.poll() is None and time.monotonic() < end:
            if mark and os.path.exists(mark):
                break
            time.sleep(0.004)
    finally:
        if child.poll() is None:
            _end(child)


def _end(child: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (AttributeError, ProcessLookupError, PermissionError):
        child.kill()
    child.wait()


def set_config_hook(at: str, name: str, event: str, command: str) -> None:
    """Define a hook in this repository's own configuration. Broken (9) where this git does not know such hooks."""
    if process.version() < CONFIG_HOOKS:
        needed = ".".join(str(part) for part in CONFIG_HOOKS)
        raise Broken(f"hooks in the configuration need git {needed} or newer", "tenure hooks install")
    process.need(["config", "--local", "--replace-all", f"hook.{name}.command", command], cwd=at)
    process.need(["config", "--local", "--replace-all", f"hook.{name}.event", event], cwd=at)


def drop_config_hook(at: str, name: str) -> bool:
    """Take a hook out of this repository's configuration; whether it was there."""
    return process.run(["config", "--local", "--remove-section", f"hook.{name}"], cwd=at).ok
