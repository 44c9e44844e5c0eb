"""A sealed world for tests: real git, real clones, real servers on loopback; nothing of the developer's machine."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tenure.model import ids, instants, record
from tenure.model.record import Claim, Record

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
ADA, BOB, CY = "human:ada", "human:bob", "claude-code/opus-5+cy"
AUTH, DOCS = "TASK-820d259af6a7", "TASK-51c2a0f6d418"
CRITERION = "The README names no JWT\n"
FROZEN = "03c659e46adf"
LIMIT = 60


def task_text(task: str, scope: str = "src/auth/**", criteria: str | None = CRITERION, **more: str) -> str:
    """A canonical task file of schema 4; `more` sets status, blocked_by, verify, title."""
    lines = ["---", f"id: {task}", "type: task", f"title: {more.get('title', 'Migrate auth')}"]
    lines += ["created: 2026-01-05T09:14:00Z", "author: human:marie", f"status: {more.get('status', 'open')}"]
    lines += ["scope:", f"  - {scope}", f"blocked_by: [{more.get('blocked_by', '')}]"]
    if criteria is not None:
        body = criteria.removesuffix("\n").split("\n")
        lines += [f"done_criteria: {'|' if criteria.endswith(chr(10)) else '|-'}", *[f"  {line}" for line in body]]
        lines.append("criteria_by: creator")
    if "verify" in more:
        lines.append(f"verify: [{more['verify']}]")
    return "\n".join([*lines, "schema: 4", "version: 1", "---", "", "Notes for whoever takes it.", ""])


def claim_text(task: str, holder: str, expires: int, token: str | None = "0" * 31 + "1", **more: Any) -> str:
    """A record by hand; `more` sets claimed, ttl, criteria, generation."""
    ttl = more.get("ttl", 1800)
    made = Claim(
        task, holder, more.get("claimed", expires - ttl), expires, ttl, more.get("criteria", FROZEN), "e3b0c44298fc",
        token, more.get("generation", 1),
    )  # fmt: skip
    return record.emit_claim(made)


class Result:
    """How a command ended: exit code, both outputs as text."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def document(self) -> dict[str, Any]:
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


class World:
    """A folder with a home of its own; repositories and people live in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.python = sys.executable
        for name in ("home", "tmp"):
            (root / name).mkdir(parents=True, exist_ok=True)
        (root / "gitconfig").write_text(
            "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
            "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[commit]\n\tgpgSign = false\n"
        )

    def env(self, agent: str | None = ADA, **extra: str) -> dict[str, str]:
        """The whole environment of a command."""
        made = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(SRC),
            "HOME": str(self.root / "home"),
            "TMPDIR": str(self.root / "tmp"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": str(self.root / "gitconfig"),
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C.UTF-8",
            "USER": "grace",
            "HOSTNAME": "box",
        }
        if agent is not None:
            made["ANK_AGENT"] = agent
        return made | extra

    def run(
        self, words: list[str], cwd: Path, agent: str | None = ADA, exits: int | None = 0, stdin: str = "", **extra: str
    ) -> Result:
        done = subprocess.run(
            words,
            cwd=cwd,
            env=self.env(agent, **extra),
            input=stdin.encode(),
            capture_output=True,
            timeout=LIMIT,
            check=False,
        )
        result = Result(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))
        assert "Traceback (most recent call last)" not in result.err, result.err
        if exits is not None:
            assert result.code == exits, f"{words}: exit {result.code}, expected {exits}\n{result.out}\n{result.err}"
        return result

    def repo(self, name: str = "repo", **tasks: str) -> Clone:
        """A repository without a remote; `tasks` maps ids (without `TASK-`) to file texts; AUTH and DOCS by default."""
        path = self.root / name
        path.mkdir()
        made = Clone(self, path)
        made.git("init", "-q")
        made.write(".gitattributes", ".ank/** text eol=lf\n")
        made.write(".ank/config.yml", "schema: 1\ndefault_branch: main\n")
        made.write("src/auth/login.py", "print('login')\n")
        made.write("docs/guide.md", "A guide.\n")
        made.write("other.txt", "Elsewhere.\n")
        texts = {f"TASK-{key.removeprefix('T_')}": text for key, text in tasks.items()} or {
            AUTH: task_text(AUTH),
            DOCS: task_text(DOCS, "docs/**", "The guide says what a session is\n", title="Say it"),
        }
        for task, text in texts.items():
            made.write(f".ank/entities/{task}.md", text)
        made.git("add", "-A")
        made.git("commit", "-q", "-m", "Begin")
        return made

    def origin(self, **tasks: str) -> Clone:
        """A bare repository with that content on main."""
        seed = self.repo("seed", **tasks)
        seed.git("clone", "-q", "--bare", str(seed.path), str(self.root / "origin.git"))
        bare = Clone(self, self.root / "origin.git")
        bare.git("remote", "remove", "origin")
        bare.git("config", "http.receivepack", "true")
        return bare

    def clone(self, name: str, url: str | None = None) -> Clone:
        path = self.root / name
        self.run(["git", "clone", "-q", url or str(self.root / "origin.git"), str(path)], self.root)
        return Clone(self, path)

    def script(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path


class Clone:
    """A working tree (or a bare repository) and what a person does in it."""

    def __init__(self, world: World, path: Path) -> None:
        self.world, self.path = world, path

    def tenure(self, *words: str, agent: str | None = ADA, exits: int | None = 0, **extra: str) -> Result:
        return self.world.run([self.world.python, "-m", "tenure", *words], self.path, agent, exits, **extra)

    def json(self, *words: str, agent: str | None = ADA, exits: int | None = 0, **extra: str) -> dict[str, Any]:
        return self.tenure(*words, "--json", agent=agent, exits=exits, **extra).document

    def git(self, *words: str, agent: str | None = ADA, exits: int | None = 0, **extra: str) -> Result:
        return self.world.run(["git", *words], self.path, agent, exits, **extra)

    def write(self, path: str, text: str) -> None:
        target = self.path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())

    def read(self, path: str) -> str:
        return (self.path / path).read_bytes().decode()

    def task_path(self, task: str = AUTH) -> str:
        return f".ank/entities/{task}.md"

    def soften(self, task: str = AUTH, text: str = "Nothing in particular") -> None:
        old = self.read(self.task_path(task))
        self.write(self.task_path(task), re.sub(r"(done_criteria: \|\n).*\n", rf"\1  {text}\n", old, count=1))

    def set_status(self, status: str, task: str = AUTH) -> None:
        old = self.read(self.task_path(task))
        self.write(self.task_path(task), re.sub(r"^status: .*$", f"status: {status}", old, count=1, flags=re.M))

    def status_of(self, task: str = AUTH) -> str:
        found = re.search(r"^status: (.*)$", self.read(self.task_path(task)), re.M)
        assert found
        return found.group(1)

    def commit(
        self, message: str, *options: str, agent: str | None = ADA, exits: int | None = 0, **extra: str
    ) -> Result:
        self.git("add", "-A")
        return self.git("commit", "-q", "-m", message, *options, agent=agent, exits=exits, **extra)

    def touch(self, text: str = "") -> None:
        self.write("src/auth/login.py", text or f"{time.time_ns()}\n")

    def oid(self, name: str) -> str | None:
        return self.git("rev-parse", "--verify", "-q", name, exits=None).out.strip() or None

    def head(self) -> str:
        found = self.oid("HEAD")
        assert found
        return found

    def record(self, task: str = AUTH) -> Record | None:
        ref = ids.claim_ref(task)
        oid = self.oid(ref)
        if oid is None:
            return None
        return record.parse(ref, self.git("cat-file", "blob", oid).out.encode())

    def held(self, task: str = AUTH) -> Claim:
        found = self.record(task)
        assert isinstance(found, Claim), found
        return found

    def put(self, text: str, task: str = AUTH) -> str:
        """Write a record by hand, here only."""
        oid = self.world.run(["git", "hash-object", "-w", "--stdin"], self.path, stdin=text).out.strip()
        self.git("update-ref", ids.claim_ref(task), oid)
        return oid

    def share(self, text: str, task: str = AUTH) -> str:
        """Write a record by hand here, on origin and into the mirror."""
        oid = self.put(text, task)
        self.git("push", "-q", "--no-verify", "-f", "origin", f"{ids.claim_ref(task)}:{ids.claim_ref(task)}")
        self.git("update-ref", ids.mirror_ref(task), oid)
        return oid

    def shorten(self, seconds: int, task: str = AUTH) -> Claim:
        """Move the end of a lease by hand to so many seconds from now."""
        now = int(time.time())
        moved = record.with_end(self.held(task), now + seconds)
        text = moved.text
        if moved.claimed >= moved.expires:
            text = text.replace(instants.text_of(moved.claimed), instants.text_of(moved.expires - (moved.ttl or 1800)))
        self.put(text, task)
        return self.held(task)

    def mirrored(self) -> None:
        spec = f"+{ids.CLAIMS}*:{ids.MIRROR}*"
        self.git("fetch", "-q", "--prune", "--no-tags", "--no-write-fetch-head", "origin", spec)

    def hooks(self) -> Clone:
        self.tenure("hooks", "install")
        return self

    def worktree(self, name: str) -> Clone:
        path = self.world.root / name
        self.git("worktree", "add", "-q", "-b", name, str(path))
        return Clone(self.world, path)

    def events(self, kind: str | None = None, task: str = AUTH) -> list[dict[str, Any]]:
        found = self.json("activity", "--task", task)["events"]
        return [one for one in found if kind in (None, one["type"])]


def wait(what: str, probe: Callable[[], object], seconds: float = 20) -> None:
    """Ask again and again until the answer is true; the limit is a failure."""
    end = time.monotonic() + seconds
    while not probe():
        assert time.monotonic() < end, f"not seen within {seconds} s: {what}"
        time.sleep(0.1)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def is_open(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def needs(program: str) -> str:
    """The path of a program that CI installs; a test that lacks it fails, since a skip would prove nothing."""
    found = shutil.which(program) or shutil.which(program, path="/usr/sbin:/usr/local/sbin:/sbin")
    assert found, f"{program} is missing: .ci/run installs it"
    return found
