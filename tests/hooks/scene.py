"""The usual scene of the hook kinds: an origin, a clone with hooks, and a task that human:ada holds and has pushed."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hooks.ground import TASK, Ground, Repo, script

CRITERION = "Every session token is opaque."
PATH = f".ank/entities/{TASK}.md"
REF = f"refs/ank/claims/{TASK}"
BOB: dict[str, Any] = {
    "ANK_AGENT": "human:bob",
    "GIT_AUTHOR_EMAIL": "bob@example.org",
    "GIT_COMMITTER_EMAIL": "bob@example.org",
}


def task_file(task: str = TASK, criterion: str = CRITERION, scope: str = "src/**", status: str = "open") -> str:
    return (
        f"---\nid: {task}\ntype: task\nslug: move-auth\ntitle: Move auth\ncreated: 2026-01-02T03:04:05Z\n"
        f"author: human:ada\nstatus: {status}\nscope:\n  - {scope}\nblocked_by: []\n"
        f"done_criteria: |-\n  {criterion}\ncriteria_by: creator\nschema: 4\nversion: 1\n---\nNotes.\n"
    )


class Scene:
    """`w` is the clone that holds the task; `origin` the bare repository that it pushes to."""

    def __init__(self, ground: Ground, claimed: bool = True, path: str = PATH) -> None:
        self.ground, self.path = ground, path
        self.origin = Repo(ground, ground.origin())
        ground.run("git", "clone", "-q", str(self.origin.path), "w", cwd=ground.root)
        self.w = Repo(ground, ground.root / "w")
        self.w.git("checkout", "-q", "-b", "main")
        self.w.write(".gitattributes", ".ank/** text eol=lf\n")
        self.w.write(".ank/config.yml", "schema: 1\ndefault_branch: main\n")
        self.w.write(path, task_file())
        self.w.write("src/a.py", "a = 1\n")
        self.w.write("other.txt", "Elsewhere.\n")
        self.w.commit("Begin")
        self.w.git("push", "-q", "-u", "origin", "main")
        self.w.tenure("hooks", "install")
        if claimed:
            self.w.tenure("claim", TASK)
            self.w.commit("Take the task")
            self.w.git("push", "-q", "origin", "main")

    def clone(self, name: str, *words: str, hooks: bool = True) -> Repo:
        self.ground.run("git", "clone", "-q", *words, f"file://{self.origin.path}", name, cwd=self.ground.root)
        made = Repo(self.ground, self.ground.root / name)
        if hooks:
            made.tenure("hooks", "install")
        return made

    def worktree(self, name: str) -> Repo:
        self.w.git("worktree", "add", "-q", "-b", name, str(self.ground.root / name))
        return Repo(self.ground, self.ground.root / name)

    def exp(self) -> str:
        """The claim's object on origin; it changes exactly when a renewal reached it."""
        return self.origin.git("rev-parse", "-q", "--verify", REF, exits=None).stdout.strip()

    def weaken(self, repo: Repo | None = None, to: str = "Some session tokens are opaque.") -> None:
        path = (repo or self.w).path / self.path
        path.write_text(path.read_text().replace(CRITERION, to))

    def restore(self, repo: Repo | None = None) -> None:
        path = (repo or self.w).path / self.path
        path.write_text(re.sub(r"(done_criteria: \|-\n).*\n", rf"\1  {CRITERION}\n", path.read_text()))

    def bad(self, repo: Repo | None = None, message: str = "Slip it in") -> str:
        """A commit that weakens the criterion, made with --no-verify; its name."""
        repo = repo or self.w
        self.weaken(repo)
        repo.git("commit", "-q", "--no-verify", "-am", message)
        return repo.ask("rev-parse", "HEAD")

    def push(self, *words: str, exits: int | None = 0, **env: str) -> str:
        """What a push said. One that goes through was judged: an error of ours would let it through as well."""
        said = self.w.git("push", "-q", "origin", *words, exits=exits, **env).stderr
        assert exits != 0 or "not blocking" not in said, said
        return said

    def refused(self, *words: str, **env: str) -> str:
        """A push that ours refuses: git ends with 1, nothing arrives, the reason names rule and task."""
        before = self.origin.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags").stdout
        said = self.push(*words, exits=1, **env)
        assert f"tenure: refused: {TASK}" in said, said
        after = self.origin.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags").stdout
        assert after == before
        return said

    def left(self, repo: Repo | None = None) -> float:
        """Seconds until the lease ends, by the record in this clone."""
        text = (repo or self.w).git("cat-file", "blob", REF).stdout
        ends = next(line[9:] for line in text.splitlines() if line.startswith("expires: "))
        return (datetime.strptime(ends, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC) - datetime.now(UTC)).total_seconds()

    def shorten(self, seconds: int, share: bool = False) -> None:
        """Move the end of the lease by hand; `share` writes it on origin and into the mirror as well."""
        end = (datetime.now(UTC) + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")
        text = re.sub(r"(?m)^expires: .*$", f"expires: {end}", self.w.git("cat-file", "blob", REF).stdout)
        done = self.ground.run("git", "hash-object", "-w", "--stdin", cwd=self.w.path, stdin=text.encode())
        oid = done.stdout.strip()
        self.w.git("update-ref", REF, oid)
        if share:
            self.w.git("push", "-q", "--no-verify", "-f", "origin", f"{REF}:{REF}")
            self.w.git("update-ref", f"refs/tenure/origin/claims/{TASK}", oid)

    def held_by(self, holder: str, repo: Repo | None = None) -> None:
        """A live claim of somebody, written by hand in one clone."""
        now = datetime.now(UTC)
        claimed, expires = ((now + timedelta(seconds=shift)).strftime("%Y-%m-%dT%H:%M:%SZ") for shift in (-60, 1740))
        (repo or self.w).record(
            f"state: claim\ntask: {TASK}\nholder: {holder}\nclaimed: {claimed}\nexpires: {expires}\nttl: 1800\n"
            "criteria: 1f5690948868\nconstraints: e3b0c44298fc\n"
        )

    def work(self, text: str, repo: Repo | None = None, **env: Any) -> str:
        """A commit that touches the scope; what it said."""
        (repo or self.w).write("src/a.py", text + "\n")
        return (repo or self.w).commit(text, **env).stderr

    def settle(self) -> None:
        """Until the background process of an earlier push has ended: it holds this file while it works."""
        import fcntl

        path = self.w.common / "tenure" / "carrier-process.hold"
        path.parent.mkdir(exist_ok=True)
        time.sleep(0.3)
        with path.open("a") as held:
            fcntl.flock(held, fcntl.LOCK_EX)

    def counted(self) -> Callable[[], int]:
        """Counts the pushes that reach a claim ref on origin from now on."""
        seen = self.ground.root / "arrived"
        script(self.origin.path / "hooks" / "post-receive", f"#!/bin/sh\ngrep refs/ank/claims/ >>{seen} || :\n")
        return lambda: seen.read_text().count("\n") if seen.exists() else 0


def wait(what: str, probe: Callable[[], object], seconds: float = 20) -> None:
    """Until the answer is true; the limit is a failure."""
    end = time.monotonic() + seconds
    while not probe():
        assert time.monotonic() < end, f"not seen within {seconds:.0f} s: {what}"
        time.sleep(0.05)


def tree_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
