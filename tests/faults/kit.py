"""A sealed world for fault tests: a bare origin that can misbehave, clones, and what their people do.

A use case runs in a process of its own (faults/processes). Instants are handed in (`at=`); no clock is touched.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from faults import verbs
from faults.processes import LIMIT, Result, Running, fork
from tenure.model import criteria, ids, instants
from tenure.model.record import Claim, Completion, Record, Unreadable, parse
from tenure.model.value import replace
from tenure.work import session as sessions

ADA, BOB, CY = "human:ada", "human:bob", "forge/2+cy"
X, Y = "TASK-00c0ffee0001", "TASK-00c0ffee0002"
CRITERION = "The parser refuses a second header\n"
FROZEN = criteria.freeze_hash(CRITERION)
DAY = 86_400
FEED = ids.FEED
SRC = str(Path(__file__).resolve().parents[2] / "src")


class World:
    """One folder with home, git configuration, environment, an origin and its clones."""

    def __init__(self, root: Path, at: int | None = None) -> None:
        self.root = root
        self.at = at if at is not None else int(time.time())
        self._count = 0
        for name in ("home", "tmp", "answers"):
            (root / name).mkdir(parents=True)
        (root / "gitconfig").write_text(
            "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n"
            '[maintenance]\n\tauto = false\n[commit]\n\tgpgSign = false\n[protocol "file"]\n\tallow = always\n'
            "[advice]\n\tdetachedHead = false\n"
        )
        self.origin = Origin(self, root / "origin.git")

    def environment(self, agent: str | None = None, extra: dict[str, str] | None = None) -> dict[str, str]:
        made = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root / "home"),
            "XDG_CONFIG_HOME": str(self.root / "home"),
            "TMPDIR": str(self.root / "tmp"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": str(self.root / "gitconfig"),
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C.UTF-8",
            "USER": "grace",
            "HOSTNAME": "box",
            "PYTHONPATH": SRC,
            "TENURE_NO_BACKGROUND": "1",
        }
        if agent is not None:
            made["ANK_AGENT"] = agent
        return made | (extra or {})

    def git(
        self, path: Path, *words: str, stdin: bytes = b"", env: dict[str, str] | None = None, ok: bool = True
    ) -> str:
        done = subprocess.run(
            ["git", *words], cwd=path, env=self.environment(None, env), input=stdin, capture_output=True, timeout=LIMIT
        )
        assert not ok or done.returncode == 0, f"git {' '.join(words)}: {done.stderr.decode(errors='replace')}"
        return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")

    def start(self, body: Callable[[], dict[str, Any]], env: dict[str, str]) -> Running:
        """Fork and run; the answer is written as JSON, a TenureError becomes its code."""
        self._count += 1
        answers = self.root / "answers" / f"{self._count}.json"
        return fork(body, env, answers)

    def clone(self, name: str) -> Clone:
        self.git(self.root, "clone", "-q", str(self.origin.path), str(self.root / name))
        return Clone(self, self.root / name)

    def clones(self, *names: str) -> list[Clone]:
        return [self.clone(name) for name in names]

    def wrapper(self, name: str, script: str) -> dict[str, str]:
        """A `git` in front of the real one; `$real` is that one in the script."""
        folder = self.root / f"git-{name}"
        write_script(folder / "git", f"real={shutil.which('git')}\n{script}\n")
        return {"PATH": f"{folder}:{os.environ['PATH']}"}

    def gate(self, name: str, pattern: str) -> Gate:
        """The first git call whose words fit the shell pattern stops before it starts, until the gate is opened."""
        folder = self.root / f"gate-{name}"
        folder.mkdir()
        env = self.wrapper(
            name,
            f'case " $* " in {pattern})\n'
            f"  if mkdir {folder}/reached 2>/dev/null; then while ! test -e {folder}/open; do sleep 0.01; done; fi;;\n"
            'esac\nexec "$real" "$@"',
        )
        return Gate(folder, env)


class Gate:
    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        self.folder, self.env = folder, env

    def reached(self, limit: float = 20) -> None:
        end = time.monotonic() + limit
        while not (self.folder / "reached").exists():
            assert time.monotonic() < end, "the gate was not reached"
            time.sleep(0.005)

    def open(self) -> None:
        (self.folder / "open").touch()


def write_script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)


class Repo:
    """A repository, looked at with git alone."""

    def __init__(self, world: World, path: Path) -> None:
        self.world, self.path = world, path

    def git(self, *words: str, stdin: bytes = b"", env: dict[str, str] | None = None, ok: bool = True) -> str:
        return self.world.git(self.path, *words, stdin=stdin, env=env, ok=ok)

    def oid(self, ref: str) -> str | None:
        return self.git("rev-parse", "--verify", "-q", ref, ok=False) or None

    def record(self, task: str = X, space: str = ids.CLAIMS) -> Record | None:
        oid = self.oid(space + task)
        if oid is None:
            return None
        done = subprocess.run(
            ["git", "cat-file", "blob", oid], cwd=self.path, env=self.world.environment(), capture_output=True
        )
        return parse(ids.claim_ref(task), done.stdout) if done.returncode == 0 else Unreadable(space + task, "no blob")

    def claim(self, task: str = X) -> Claim:
        found = self.record(task)
        assert isinstance(found, Claim), found
        return found

    def completion(self, task: str = X) -> Completion:
        found = self.record(task)
        assert isinstance(found, Completion), found
        return found

    def blob(self, data: str | bytes) -> str:
        return self.git("hash-object", "-w", "--stdin", stdin=data.encode() if isinstance(data, str) else data)

    def put(self, task: str, data: str | bytes, space: str = ids.CLAIMS) -> str:
        """Write a record by hand under a ref of this repository."""
        oid = self.blob(data)
        self.git("update-ref", "--no-deref", space + task, oid)
        return oid

    def refs(self, *under: str) -> dict[str, str]:
        lines = self.git("for-each-ref", "--format=%(refname) %(objectname)", *under).splitlines()
        return {name: oid for name, _, oid in (line.partition(" ") for line in lines)}

    def foreign_refs(self) -> dict[str, str]:
        """Everything that tenure must never write (S10)."""
        return {name: oid for name, oid in self.refs().items() if not name.startswith(("refs/ank/", "refs/tenure/"))}

    def events(self, ref: str = FEED) -> list[dict[str, str]]:
        paths = self.git("ls-tree", "-r", "--name-only", ref, ok=False).split()
        found = [json.loads(self.git("cat-file", "blob", f"{ref}:{path}")) for path in paths]
        return sorted(found, key=lambda one: (one["at"], one["id"]))

    def kinds(self, ref: str = FEED) -> list[str]:
        return sorted(one["type"] for one in self.events(ref))


class Origin(Repo):
    """A bare repository and the ways in which it can fail."""

    def __init__(self, world: World, path: Path) -> None:
        super().__init__(world, path)
        seed = world.root / "seed"
        seed.mkdir()
        world.git(seed, "init", "-q")
        (seed / ".ank" / "entities").mkdir(parents=True)
        (seed / ".gitattributes").write_text(".ank/** text eol=lf\n")
        (seed / ".ank" / "config.yml").write_text("schema: 1\ndefault_branch: main\n")
        for number, task in enumerate((X, Y)):
            (seed / ".ank" / "entities" / f"{task}.md").write_text(task_text(task, f"part{number}"))
            (seed / f"part{number}").mkdir()
            (seed / f"part{number}" / "code.py").write_text("pass\n")
        world.git(seed, "add", ".")
        world.git(seed, "commit", "-q", "-m", "Begin")
        world.git(world.root, "clone", "-q", "--bare", str(seed), str(path))

    def hook(self, name: str, script: str) -> None:
        write_script(self.path / "hooks" / name, script)

    def unhook(self) -> None:
        for path in (self.path / "hooks").iterdir():
            path.unlink()

    def refuse(self, pattern: str = "*") -> None:
        """Every update of a ref that fits the shell pattern is declined."""
        self.hook("update", f'case "$1" in {pattern}) exit 1;; esac\n')

    def lose_answers(self, pattern: str = "refs/ank/*", times: int = 1) -> None:
        """The refs move, then the connection dies before a word of it: for so many such ref updates (F10)."""
        count = self.world.root / "lost-answers"
        count.write_text("")
        self.committed(pattern, f"if test $(wc -c < {count}) -lt {times}; then printf x >> {count}; kill -9 $PPID; fi")

    def committed(self, pattern: str, script: str) -> None:
        """A script of the server's own, run once a ref that fits has moved and before anybody is answered."""
        self.hook(
            "reference-transaction",
            'test "$1" = committed || exit 0\n'
            f'while read old new ref; do case "$ref" in {pattern}) unset GIT_QUARANTINE_PATH; {script};; esac; done\n',
        )

    def meanwhile(self, pattern: str, *commands: str) -> None:
        """The first update of a ref that fits finds that somebody was there a moment before."""
        once = self.world.root / "meanwhile"
        lines = "; ".join(("unset GIT_QUARANTINE_PATH", *commands))
        inside = f"if mkdir {once} 2>/dev/null; then {lines}; fi"
        self.hook("pre-receive", f'while read old new ref; do case "$ref" in {pattern}) {inside};; esac; done\n')

    def away(self) -> None:
        self.path.rename(self.path.with_suffix(".away"))

    def back(self) -> None:
        self.path.with_suffix(".away").rename(self.path)

    def lock(self, ref: str) -> Path:
        path = self.path / f"{ref}.lock"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        return path


class Clone(Repo):
    """A clone (or a worktree of one) and what its people do in it."""

    def start(
        self, verb: str, *args: Any, agent: str = ADA, at: int | None = None, env: dict[str, str] | None = None,
        **named: Any,
    ) -> Running:  # fmt: skip
        """One use case in a process of its own; `at`: the instant at which it is judged."""
        instant = self.world.at if at is None else at

        def body() -> dict[str, Any]:
            session = replace(sessions.begin(str(self.path), lenient=verb in verbs.HOOKS), at=instant)
            return verbs.VERBS[verb](session, *args, **named)

        return self.world.start(body, self.world.environment(agent, env))

    def do(
        self, verb: str, *args: Any, agent: str = ADA, at: int | None = None, env: dict[str, str] | None = None,
        limit: float = LIMIT, **named: Any,
    ) -> Result:  # fmt: skip
        return self.start(verb, *args, agent=agent, at=at, env=env, **named).wait(limit)

    def cli(self, *words: str, agent: str = ADA, env: dict[str, str] | None = None) -> Result:
        """The command itself, as a person runs it."""
        command = [sys.executable, "-m", "tenure", *words]
        done = subprocess.run(
            command, cwd=self.path, env=self.world.environment(agent, env), capture_output=True, timeout=LIMIT
        )
        out, err = done.stdout.decode(errors="backslashreplace"), done.stderr.decode(errors="backslashreplace")
        assert "Traceback" not in err, err
        answer = json.loads(out) if "--json" in words and out else {"message": err, "out": out}
        return Result(done.returncode, answer, out + err)

    def state(self, task: str = X) -> dict[str, str]:
        from tenure.work.state import Store

        return Store(str(self.common / "tenure")).task(task).fields

    @property
    def common(self) -> Path:
        return Path(self.git("rev-parse", "--path-format=absolute", "--git-common-dir"))

    def mirror(self, task: str = X) -> Record | None:
        return self.record(task, ids.MIRROR)

    def worktree(self, name: str) -> Clone:
        self.git("worktree", "add", "-q", "-b", name, str(self.world.root / name))
        return Clone(self.world, self.world.root / name)

    def share(self, task: str, text: str) -> str:
        """A record by hand on origin, and in this clone's mirror as a fetch leaves it."""
        oid = self.put(task, text, ids.MIRROR)
        self.git("push", "-q", "--no-verify", "-f", "origin", f"{oid}:{ids.claim_ref(task)}")
        return oid

    def edit(self, old: str, new: str, task: str = X) -> None:
        path = self.path / ".ank" / "entities" / f"{task}.md"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    def status_of(self, task: str = X) -> str:
        text = (self.path / ".ank" / "entities" / f"{task}.md").read_text()
        return next(line for line in text.splitlines() if line.startswith("status: "))[8:]

    def work(self, text: str = "more", task: str = X) -> None:
        """Change a file that the task's scope matches, and stage it."""
        folder = "part0" if task == X else "part1"
        (self.path / folder / "code.py").write_text(f"{text}\n")
        self.git("add", "-A")


def task_text(task: str, folder: str) -> str:
    return (
        f"---\nid: {task}\ntype: task\nslug: do-{folder}\ntitle: Do {folder}\ncreated: 2026-02-03T04:05:06Z\n"
        f"author: human:marie\nstatus: open\nscope:\n  - {folder}/**\nblocked_by: []\ndone_criteria: |\n  {CRITERION}"
        "criteria_by: creator\nschema: 4\nversion: 1\n---\n\nNotes.\n"
    )


def claim_text(
    holder: str, claimed: int, expires: int, ttl: int | None = 1800, token: str | None = "5" * 32, generation: int = 1,
    task: str = X, hashed: str = FROZEN,
) -> str:  # fmt: skip
    """A claim record by hand."""
    lines = ["state: claim", f"task: {task}", f"holder: {holder}", f"claimed: {instants.text_of(claimed)}"]
    lines += [f"expires: {instants.text_of(expires)}", *([f"ttl: {ttl}"] if ttl is not None else [])]
    lines += [f"criteria: '{hashed}'", "constraints: 'e3b0c44298fc'"]
    lines += [f"# tenure: token={token} generation={generation}"] if token else []
    return "\n".join(lines) + "\n"


def completion_text(commit: str, identity: str, completed: int, task: str = X) -> str:
    return (
        f"state: completed\ntask: {task}\ncommit: '{commit}'\nbranch: main\nidentity: {identity}\n"
        f"completed: {instants.text_of(completed)}\n"
    )


def race(*running: Running) -> list[Result]:
    return [one.wait() for one in running]


def settle(world: World, *clones: Clone, agent: str = ADA, at: int | None = None) -> None:
    """Quiescence: everything that may be carried is carried, and everybody looks once more."""
    for _ in range(2):
        for clone in clones:
            clone.do("carry", agent=agent, at=at).ok()
    for clone in clones:
        clone.do("refresh", agent=agent, at=at).ok()


def agree(world: World, *clones: Clone, task: str = X) -> None:
    """S9 after quiescence: nobody believes to hold on origin what origin does not hold for them; nothing waits."""
    there = world.origin.record(task)
    for clone in clones:
        seen = clone.do("look", task).ok()
        state = clone.state(task)
        assert "pending" not in state, (clone.path.name, state)
        if state.get("refused"):
            continue
        text = there.text if isinstance(there, Claim | Completion) else None
        assert seen["text"] == text, (clone.path.name, seen.answer, text)
