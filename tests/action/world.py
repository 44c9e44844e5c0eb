"""A project with its server, and a runner that starts the Action as GitHub does: no INPUT_*, files for what it says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from action.git_server import GitServer
from action.test_outputs import runner_reads
from tenure.model import criteria, record
from tenure.model.event import Event
from tenure.model.record import Claim, Completion
from tenure.model.value import value

ROOT = Path(__file__).resolve().parents[2]
LAUNCH = ROOT / "src" / "tenure" / "faces" / "action" / "launch.py"
REPOSITORY = "acme/widgets"
TASK = "TASK-820d259af6a7"
FILE = f".ank/entities/{TASK}.md"
SOFT = "most session tokens are opaque\n"  # the criterion, softened
OTHER = "TASK-51c2a0f6d418"
FROZEN = "every session token is opaque\n"
ZERO = "0" * 40


def task_file(
    task: str, criterion: str = FROZEN, status: str = "in_progress", version: int = 2, scope: str = "src/auth/**"
) -> str:
    """A task of the format, as `claim` leaves it."""
    lines = [
        "---",
        f"id: {task}",
        "type: task",
        "slug: migrate-auth",
        "title: Migrate auth",
        "created: 2026-11-30T08:00:00Z",
        "author: human:ada",
        f"status: {status}",
        "scope:",
        f"  - {scope}",
        "blocked_by: []",
        "done_criteria: |",
        *[f"  {line}" for line in criterion.rstrip("\n").split("\n")],
        "criteria_by: creator",
        "schema: 4",
        f"version: {version}",
        "---",
        "",
        "Notes.",
    ]
    return "\n".join(lines) + "\n"


@value
class Ran:
    """How a run ended and all that it said."""

    code: int
    log: str
    errors: str
    outputs: dict[str, str]
    summary: str

    @property
    def lines(self) -> list[str]:
        return self.log.splitlines()

    def annotations(self, kind: str) -> list[str]:
        return [line for line in self.lines if line.startswith(f"::{kind} ")]

    def rows(self, name: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.outputs[name])
        return found


class World:
    """Server, the maintainer's clone `here`, and runs of the Action. Everything lies below one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "home").mkdir()
        (folder / "temp").mkdir()
        (folder / "srv" / "acme").mkdir(parents=True)
        self.server = GitServer(folder / "srv")
        self.bare = self.server.create(REPOSITORY)
        self.here = folder / "here"
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder / "home"),
            "TMPDIR": str(folder / "temp"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Ada",
            "GIT_AUTHOR_EMAIL": "ada@example.org",
            "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@example.org",
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C.UTF-8",
        }
        self.git("clone", "-q", self.remote("maint"), str(self.here), cwd=folder)
        self.git("symbolic-ref", "HEAD", "refs/heads/main")
        self._runs = 0

    def close(self) -> None:
        self.server.close()

    def remote(self, user: str | None = None) -> str:
        """The repository's address, with a name to push as."""
        at = f"{user}:s3cret@" if user else ""
        return self.server.url.replace("http://", f"http://{at}") + f"/{REPOSITORY}"

    def git(self, *words: str, cwd: Path | None = None, env: dict[str, str] | None = None, stdin: str = "") -> str:
        where = cwd or self.here
        done = subprocess.run(
            ["git", *words],
            cwd=where,
            env=self.env | (env or {}),
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"git {' '.join(words[:4])}: {done.stderr}"
        return done.stdout.strip()

    def commit(
        self, files: dict[str, str | None], message: str = "work", at: int | None = None, agent: str = ""
    ) -> str:
        """Write (None: delete) files and commit them; `at` is the committer date."""
        for name, text in files.items():
            path = self.here / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                path.unlink()
            else:
                path.write_text(text)
        self.git("add", "-A")
        trailer = f"\n\nAnk-Agent: {agent}" if agent else ""
        dates = {"GIT_COMMITTER_DATE": f"{at} +0000", "GIT_AUTHOR_DATE": f"{at} +0000"} if at else {}
        self.git("commit", "-q", "--no-verify", "-m", message + trailer, env=dates)
        return self.git("rev-parse", "HEAD")

    def push(self, ref: str = "main") -> None:
        self.git("push", "-q", "--no-verify", "-f", "origin", f"HEAD:refs/heads/{ref}")

    def start(self, *tasks: str, scope: str = "src/auth/**") -> str:
        """A default branch that holds these tasks in progress."""
        files = {f".ank/entities/{task}.md": task_file(task, scope=scope) for task in tasks}
        first = self.commit({"README.md": "widgets\n", **files}, "begin", int(time.time()) - 7200)
        self.push()
        return first

    def claim(self, task: str = TASK, holder: str = "human:marie", ends: int = 1800, began: int = -1800) -> str:
        """A claim on the server; `ends` and `began` in seconds from now. Returns its object."""
        now = int(time.time())
        frozen = criteria.freeze_hash(FROZEN)
        made = Claim(task, holder, now + began, now + ends, 1800, frozen, "e3b0c44298fc", "ab" * 16, 1)
        return self.put(task, record.emit_claim(made))

    def completion(self, task: str = TASK, who: str = "human:marie") -> str:
        return self.put(task, record.emit_completion(Completion(task, "c" * 40, "topic", who, int(time.time()) - 60)))

    def put(self, task: str, text: str) -> str:
        oid = self.git("hash-object", "-w", "--stdin", cwd=self.bare, stdin=text)
        self.git("update-ref", f"refs/ank/claims/{task}", oid, cwd=self.bare)
        return oid

    def refs(self, where: Path | None = None, below: str = "") -> dict[str, str]:
        """Every ref of the server's repository, or of another one."""
        text = self.git("for-each-ref", "--format=%(refname) %(objectname)", cwd=where or self.bare)
        rows = dict(line.split(" ") for line in text.splitlines())
        return {name: oid for name, oid in rows.items() if name.startswith(below)}

    def events(self) -> list[dict[str, Any]]:
        """The feed on the server."""
        if "refs/tenure/activity" not in self.refs():
            return []
        names = self.git("ls-tree", "-r", "--format=%(objectname)", "refs/tenure/activity", cwd=self.bare).split()
        return [json.loads(self.git("cat-file", "blob", oid, cwd=self.bare)) for oid in names]

    def tell(self, one: Event) -> None:
        """The feed on the server, with this event alone."""
        folder, name = one.path.split("/")
        oid = self.git("hash-object", "-w", "--stdin", cwd=self.bare, stdin=one.data.decode())
        inner = self.git("mktree", cwd=self.bare, stdin=f"100644 blob {oid}\t{name}\n")
        tree = self.git("mktree", cwd=self.bare, stdin=f"040000 tree {inner}\t{folder}\n")
        self.git("update-ref", "refs/tenure/activity", tree, cwd=self.bare)

    def checkout(self, oid: str, depth: int | None = 1, name: str = "") -> Path:
        """A checkout as actions/checkout leaves it: one commit, detached, without claims."""
        self._runs += 1
        path = self.folder / (name or f"checkout{self._runs}")
        self.git("init", "-q", str(path), cwd=self.folder)
        self.git("remote", "add", "origin", self.remote(), cwd=path)
        deep = [f"--depth={depth}"] if depth else ["--unshallow"] if (path / ".git" / "shallow").exists() else []
        self.git("fetch", "-q", "--no-tags", *deep, "origin", oid, cwd=path)
        self.git("checkout", "-q", "--detach", oid, cwd=path)
        return path

    def run(
        self,
        name: str,
        payload: dict[str, Any] | None,
        workspace: Path | None,
        token: str = "maint",
        more: dict[str, str] | None = None,
        **inputs: str,
    ) -> Ran:
        """Start the Action for an event. Inputs by their names with `_`; `more` are further variables."""
        self._runs += 1
        place = self.folder / f"run{self._runs}"
        for part in ("", "empty", "temp"):
            (place / part).mkdir()
        (place / "event.json").write_text(json.dumps(payload if payload is not None else {}))
        files = {key: str(place / key.lower()) for key in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        env = {
            "PATH": os.environ["PATH"],
            "HOME": self.env["HOME"],
            "GIT_CONFIG_NOSYSTEM": "1",
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": str(place / "event.json"),
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_SERVER_URL": self.server.url,
            "GITHUB_API_URL": "http://127.0.0.1:9",
            "GITHUB_GRAPHQL_URL": "http://127.0.0.1:9/graphql",
            "GITHUB_WORKSPACE": str(workspace or place / "empty"),
            "RUNNER_TEMP": str(place / "temp"),
            "TENURE_INPUT_TOKEN": token,
            **{f"TENURE_INPUT_{key.upper()}": text for key, text in inputs.items()},
            **files,
            **(more or {}),
        }
        done = subprocess.run(
            [sys.executable, "-I", str(LAUNCH)],
            cwd=workspace or place / "empty",
            env=env,
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
        )
        summary = Path(files["GITHUB_STEP_SUMMARY"])
        outputs = Path(files["GITHUB_OUTPUT"])
        assert list((place / "temp").iterdir()) == [], "something was left in the runner's folder"
        return Ran(
            done.returncode,
            done.stdout,
            done.stderr,
            runner_reads(outputs) if outputs.exists() else {},
            summary.read_text() if summary.exists() else "",
        )

    def pull_request(self, base: str, head: str, workspace: Path | None, token: str = "maint", **given: Any) -> Ran:
        """A run for a pull request, from a fork where the token may only read."""
        theirs = REPOSITORY if token == "maint" else "mallory/widgets"
        pull = {
            "number": 7,
            "base": {"sha": base, "ref": "main"},
            "head": {"sha": head, "repo": {"full_name": theirs}},
        }
        payload = {"number": 7, "pull_request": pull, "repository": {"default_branch": "main"}}
        more = {"GITHUB_REF": "refs/pull/7/merge", **given.pop("more", {})}
        return self.run(given.pop("name", "pull_request"), payload, workspace, token, more, **given)

    def pushed(self, before: str, after: str, workspace: Path | None, branch: str = "main", **given: Any) -> Ran:
        """A run for a push."""
        payload = {"before": before, "after": after, "repository": {"default_branch": "main"}}
        more = {"GITHUB_REF": f"refs/heads/{branch}", "GITHUB_SHA": after, **given.pop("more", {})}
        return self.run("push", payload, workspace, given.pop("token", "maint"), more, **given)

    def planned(self, workspace: Path | None, **given: Any) -> Ran:
        """A run on a schedule, whose payload names no default branch."""
        sha = self.git("rev-parse", "refs/heads/main", cwd=self.bare)
        more = {"GITHUB_REF": "refs/heads/main", "GITHUB_SHA": sha, **given.pop("more", {})}
        return self.run("schedule", {"schedule": "17 3 * * *"}, workspace, given.pop("token", "maint"), more, **given)
