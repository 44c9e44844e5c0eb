"""A team on sealed ground: a repository with tasks, an origin, clones, and records written by hand."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from hooks.ground import Ground, Repo

AUTH, GUIDE = "TASK-0a1b2c3d4e5f", "TASK-5f4e3d2c1b0a"
ADA, BOB = "human:ada", "human:bob"
CRITERION = "Every test of the folder passes\n"


def task_text(task: str, title: str, scope: str = "src/**", criterion: str = CRITERION) -> str:
    """A task file in the format's own form; the title is quoted, whatever is in it."""
    block = "".join(f"  {line}\n" for line in criterion.splitlines())
    return (
        f"---\nid: {task}\ntype: task\nslug: a-task\ntitle: {json.dumps(title)}\ncreated: 2026-01-01T00:00:00Z\n"
        f"author: {ADA}\nstatus: open\nscope:\n  - {scope}\nblocked_by: []\ndone_criteria: |\n{block}schema: 4\n"
        "version: 1\n---\n"
    )


def instant(seconds: float) -> str:
    """The record's text of an instant so many seconds from now."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))


def claim_text(task: str, holder: str, claimed: float, expires: float) -> str:
    """A claim, its instants in seconds from now."""
    return (
        f"state: claim\ntask: {task}\nholder: {json.dumps(holder)}\nclaimed: {instant(claimed)}\n"
        f"expires: {instant(expires)}\nttl: 1800\ncriteria: abcdef012345\nconstraints: abcdef012345\n"
    )


class Team:
    """Repositories that share one sealed ground."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground

    def project(self, *tasks: tuple[str, str], name: str = "project") -> Repo:
        """A repository with these tasks (id, title) on main."""
        repo = self.ground.repo(name)
        write(repo, ".ank/config.yml", "schema: 1\ndefault_branch: main\n")
        write(repo, "src/main.py", "print('here')\n")
        for task, title in tasks or ((AUTH, "Migrate auth"), (GUIDE, "Write the guide")):
            write(repo, f".ank/entities/{task}.md", task_text(task, title))
        repo.git("add", "-A")
        repo.git("commit", "-q", "-m", "Tasks")
        return repo

    def share(self, repo: Repo) -> Path:
        """Give a repository a bare origin."""
        origin = self.ground.origin()
        repo.git("remote", "add", "origin", str(origin))
        repo.git("push", "-q", "-u", "origin", "main")
        self.ground.run("git", "symbolic-ref", "HEAD", "refs/heads/main", cwd=origin)
        return origin

    def clone(self, name: str) -> Repo:
        self.ground.run("git", "clone", "-q", "origin.git", name, cwd=self.ground.root)
        return Repo(self.ground, self.ground.root / name)


def write(repo: Repo, path: str, text: str) -> None:
    target = repo.path / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def put(repo: Repo, task: str, text: str) -> str:
    """Write a record, or anything else, under a task's ref by hand."""
    done = repo.ground.run("git", "hash-object", "-w", "--stdin", cwd=repo.path, stdin=text.encode())
    repo.git("update-ref", f"refs/ank/claims/{task}", done.stdout.strip())
    return done.stdout.strip()


def document(repo: Repo, *words: str, exits: int | None = 0, **env: str) -> dict[str, Any]:
    """The document of a verb."""
    found = json.loads(repo.tenure(*words, "--json", exits=exits, **env).stdout)
    assert isinstance(found, dict)
    return found
