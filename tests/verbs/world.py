"""A sealed repository for the tests of verbs that look and write entities, and entities to put into it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tenure.model import criteria, entity_writing, ids, instants, record
from tenure.model.entities import Entity
from tenure.model.record import Claim, Completion
from tenure.model.task import Task
from tenure.model.value import replace

ROOT = Path(__file__).resolve().parents[2]
TASK = "TASK-0f1e2d3c4b5a"
OTHER = "TASK-77775555eeee"
CRITERION = "Every key is young\n"
CREATED = "2026-01-05T09:14:00Z"


def task(one: str = TASK, **changes: Any) -> Task:
    made = Task(
        one,
        "Rotate keys",
        CREATED,
        ("src/keys/**",),
        slug="rotate-keys",
        author="human:marie",
        done_criteria=CRITERION,
        criteria_by="creator",
    )
    return replace(made, **changes)


class Repo:
    """One repository without an origin; `tenure` runs the command as `human:ada`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.path = root / "repo"
        (root / "home").mkdir()
        self.path.mkdir()
        (root / "gitconfig").write_text(
            "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n"
            "[maintenance]\n\tauto = false\n"
        )
        self.git("init", "-q")
        self.write(".ank/config.yml", "schema: 1\ndefault_branch: main\n")
        self.write("src/keys/ring.py", "keys = []\n")
        self.write("docs/guide.md", "A guide.\n")
        self.commit("Begin")

    def environment(self, agent: str | None = "human:ada") -> dict[str, str]:
        made = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{ROOT / 'src'}",
            "HOME": str(self.root / "home"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": str(self.root / "gitconfig"),
            "LC_ALL": "C.UTF-8",
            "TERM": "dumb",
        }
        return made | ({"ANK_AGENT": agent} if agent else {})

    def git(self, *words: str) -> str:
        done = subprocess.run(["git", *words], cwd=self.path, env=self.environment(), capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().strip()

    def tenure(
        self, *words: str, exits: int = 0, agent: str = "human:ada", at: str = "."
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "tenure", *words],
            cwd=self.path / at,
            env=self.environment(agent),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        assert done.returncode == exits, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def json(self, *words: str, exits: int = 0, agent: str = "human:ada") -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.tenure(*words, "--json", exits=exits, agent=agent).stdout)
        assert next(iter(found)) == "contract"
        return found

    def write(self, name: str, text: str) -> None:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())

    def put(self, entity: Entity, folder: str = ".ank/entities") -> None:
        self.write(f"{folder}/{entity.id}.md", entity_writing.emit(entity))

    def commit(self, message: str) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")

    def blob(self, ref: str, text: str) -> None:
        """A record by hand."""
        done = subprocess.run(
            ["git", "hash-object", "-w", "--stdin"], cwd=self.path, input=text.encode(), capture_output=True, check=True
        )
        self.git("update-ref", ref, done.stdout.decode().strip())

    def claimed(
        self, one: str, holder: str = "human:bob", text: str = "Every key is young\n", left: int = 1200
    ) -> Claim:
        """A claim record by hand that has so many seconds left."""
        now = int(time.time())
        claim = Claim(
            one,
            holder,
            now + left - 1800,
            now + left,
            1800,
            criteria.freeze_hash(text),
            criteria.freeze_hash(""),
            "ab" * 16,
            1,
        )
        self.blob(ids.claim_ref(one), record.emit_claim(claim))
        return claim

    def completed(self, one: str, commit: str, branch: str | None = "rotate") -> None:
        done = Completion(one, commit, branch, "human:bob", int(time.time()) - 60)
        self.blob(ids.claim_ref(one), record.emit_completion(done))

    def findings(self, level: str | None = None, *words: str) -> list[str]:
        """`subject: message` of the findings of check, read only."""
        found = json.loads(self._checked(*words))
        return [f"{one['subject']}: {one['message']}" for one in found["findings"] if level in (None, one["level"])]

    def _checked(self, *words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "tenure", "check", "--no-prune", "--json", *words],
            cwd=self.path,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        found = json.loads(done.stdout)
        assert done.returncode == (8 if found["faults"] else 0), done.stderr
        return done.stdout


def stamp(at: int) -> str:
    return instants.text_of(at)
