"""Sealed ground for the hook tests: temporary repositories, and an engine that only writes down its calls."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHIMS = ROOT / "hooks"
CLAIM = "state: claim\nholder: human:ada\n"
TASK = "TASK-0a1b2c3d4e5f"
LIMIT = 60

_ENGINE = """\
import os, sys
here = os.path.dirname(os.path.abspath(__file__))
lines = sys.stdin.buffer.read() if sys.argv[1] == "pre-push" else b""
with open(os.path.join(here, "calls"), "a") as out:
    print(repr((sys.argv[1:], lines, os.environ.get("TENURE_GIT_PID"), bool(sys.flags.isolated))), file=out)
with open(os.path.join(here, "code")) as file:
    sys.exit(int(file.read()))
"""


class Ground:
    """One folder with a home, a git configuration and an environment of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("home", "tmp", "bin"):
            (root / name).mkdir()
        (root / "gitconfig").write_text(
            "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n"
            '[maintenance]\n\tauto = false\n[commit]\n\tgpgSign = false\n[protocol "file"]\n\tallow = always\n'
        )

    def environment(self, **extra: str) -> dict[str, str]:
        return {
            "PATH": f"{self.root / 'bin'}:{os.environ['PATH']}",
            "HOME": str(self.root / "home"),
            "XDG_CONFIG_HOME": str(self.root / "home" / ".config"),
            "XDG_CACHE_HOME": str(self.root / "home" / ".cache"),
            "TMPDIR": str(self.root / "tmp"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": str(self.root / "gitconfig"),
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C.UTF-8",
            "ANK_AGENT": "human:ada",
            **extra,
        }

    def run(
        self, *words: str, cwd: Path, exits: int | None = 0, stdin: bytes = b"", env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end; `exits` is the code it must end with (None: any)."""
        done = subprocess.run(
            words,
            cwd=cwd,
            env=self.environment(**(env or {})),
            input=stdin,
            capture_output=True,
            timeout=LIMIT,
            check=False,
        )
        out, err = (text.decode("utf-8", "backslashreplace") for text in (done.stdout, done.stderr))
        assert exits is None or done.returncode == exits, f"{shlex.join(words)}: {done.returncode}\n{out}\n{err}"
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    def tool(self, name: str) -> None:
        """Put a tool of the test environment on PATH; a test for a tool that is not there is skipped, and says so."""
        own = Path(sys.executable).parent / name
        found = str(own) if own.exists() else shutil.which(name)
        if found is None:
            pytest.skip(f"{name} is not installed here")
        if not (self.root / "bin" / name).exists():
            (self.root / "bin" / name).symlink_to(found)

    def command(self) -> None:
        """Put `tenure` itself on PATH, as an installation would."""
        text = f"#!/bin/sh\nPYTHONPATH='{ROOT / 'src'}' exec '{sys.executable}' -m tenure \"$@\"\n"
        script(self.root / "bin" / "tenure", text)

    def repo(self, name: str = "repo") -> Repo:
        made = Repo(self, self.root / name)
        made.path.mkdir()
        made.git("init", "-q")
        made.git("commit", "-q", "--allow-empty", "-m", "Begin")
        return made

    def origin(self, name: str = "origin.git") -> Path:
        self.run("git", "init", "-q", "--bare", name, cwd=self.root)
        return self.root / name


class Repo:
    """A working tree, or a bare repository, and what can be done in it."""

    def __init__(self, ground: Ground, path: Path) -> None:
        self.ground, self.path = ground, path

    def git(self, *words: str, exits: int | None = 0, **env: str) -> subprocess.CompletedProcess[str]:
        return self.ground.run("git", *words, cwd=self.path, exits=exits, env=env)

    def ask(self, *words: str) -> str:
        return self.git(*words).stdout.strip()

    def tenure(self, *words: str, exits: int | None = 0, **env: str) -> subprocess.CompletedProcess[str]:
        given = {"PYTHONPATH": str(ROOT / "src"), **env}
        return self.ground.run(sys.executable, "-m", "tenure", *words, cwd=self.path, exits=exits, env=given)

    def states(self, *words: str) -> dict[str, dict[str, Any]]:
        """What `hooks status` says, by event; its exit code must fit."""
        done = self.tenure("hooks", "status", "--json", *words, exits=None)
        found = json.loads(done.stdout)["hooks"]
        assert done.returncode == (0 if all(one["fires"] for one in found) else 8)
        return {one["name"]: one for one in found}

    def firing(self) -> set[str]:
        return {name for name, one in self.states().items() if one["fires"]}

    def snapshot(self) -> dict[str, tuple[str, bytes, int]]:
        """Every hook file here but git's samples (kind, bytes, mode), and the configuration."""
        found = {"config": ("", self.git("config", "--local", "--list").stdout.encode(), 0)}
        folder = self.hook("x").parent
        for path in sorted(folder.rglob("*")) if folder.is_dir() else []:
            if path.is_symlink():
                found[str(path)] = ("link", os.readlink(path).encode(), 0)
            elif path.is_file() and path.suffix != ".sample":
                found[str(path)] = ("file", path.read_bytes(), stat.S_IMODE(path.stat().st_mode))
        return found

    def write(self, path: str, text: str) -> Path:
        target = self.path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
        return target

    def commit(self, message: str, *words: str, exits: int | None = 0, **env: str) -> subprocess.CompletedProcess[str]:
        """Stage everything and commit, hooks and all."""
        self.git("add", "-A")
        return self.git("commit", "-q", "--allow-empty", "-m", message, *words, exits=exits, **env)

    @property
    def git_dir(self) -> Path:
        return Path(self.ask("rev-parse", "--path-format=absolute", "--git-dir"))

    @property
    def common(self) -> Path:
        return Path(self.ask("rev-parse", "--path-format=absolute", "--git-common-dir"))

    def hook(self, event: str) -> Path:
        return Path(self.ask("rev-parse", "--path-format=absolute", "--git-path", f"hooks/{event}"))

    def message(self) -> str:
        return self.git("log", "-1", "--format=%B").stdout

    def record(self, text: str = CLAIM, task: str = TASK, under: str = "refs/ank/claims") -> str:
        """Write a record by hand under a task's ref."""
        done = self.ground.run("git", "hash-object", "-w", "--stdin", cwd=self.path, stdin=text.encode())
        self.git("update-ref", f"{under}/{task}", done.stdout.strip())
        return done.stdout.strip()

    def wake(self) -> None:
        (self.common / "tenure").mkdir(exist_ok=True)
        (self.common / "tenure" / "wake").touch()


class Engine:
    """A stand-in for the engine: a real process that writes down how it was called and ends as it is told."""

    def __init__(self, folder: Path) -> None:
        self.package = folder / "tenure"
        self._hooks = self.package / "faces" / "hooks"
        self._hooks.mkdir(parents=True)
        (self._hooks / "entry.py").write_text(_ENGINE)
        self.ends(0)

    def ends(self, code: int) -> None:
        (self._hooks / "code").write_text(str(code))

    @property
    def calls(self) -> list[tuple[list[str], bytes, str, bool]]:
        """Each call so far: words, standard input, the git process it was told of, whether Python was isolated."""
        path = self._hooks / "calls"
        return [eval(line) for line in path.read_text().splitlines()] if path.exists() else []

    def forget(self) -> None:
        (self._hooks / "calls").unlink(missing_ok=True)

    def install(self, repo: Repo, *events: str, kept: str = "", python: str = sys.executable) -> None:
        for event in events or ("pre-commit", "pre-push", "commit-msg"):
            script(repo.hook(event), baked(event, python, str(self.package), kept and f"{kept}{event}"))


def baked(event: str, python: str, package: str, kept: str = "") -> str:
    """A shim with these values baked in, quoted as the shell itself would want it."""
    text = (SHIMS / event).read_text()
    for name, value in (("py", python), ("pkg", package), ("kept", kept)):
        text = text.replace(f"\n{name}=''\n", f"\n{name}={shlex.quote(value)}\n", 1)
    return text


def script(path: Path, text: str, mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    path.chmod(mode)
    return path


def execs(trace: Path) -> list[list[str]]:
    """The programs that a `strace -f -e trace=execve` saw start, each by name and first word."""
    found = []
    for line in trace.read_text().splitlines():
        if "execve(" in line and " = 0" in line:
            words = line.split("[", 1)[1].split("]", 1)[0]
            found.append([word.strip().strip('"') for word in words.split(", ")])
    return found
