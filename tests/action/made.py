"""Values for tests: one edit, one contest, claims, reports."""

from __future__ import annotations

from typing import Any

from tenure.faces.action.report import Report
from tenure.model import instants
from tenure.model.record import Claim
from tenure.model.verdict import Contest, Edit, Removal, Verdict

AT = instants.parse("2026-11-30T10:00:00Z")
TASK = "TASK-820d259af6a7"
OTHER = "TASK-51c2a0f6d418"
PATH = f".ank/entities/{TASK}.md"
HOSTILE = "a`b|c\r\n::error::x\n ##[error]y @team #12 [l](http://e.example) ![p](q) <b>\u202e\x1b[31m`` ${{ x }}"


def edit(**changes: Any) -> Edit:
    given: dict[str, Any] = {
        "task": TASK,
        "path": PATH,
        "commit": "3fa91c2" + "0" * 33,
        "frozen": "03c659e46adf",
        "now": "ef485fff585a",
        "holder": "claude-code/opus-5",
        "claimed": instants.parse("2026-11-30T09:14:00Z"),
        "before": "every session token is opaque\nand short\n",
        "after": "most session tokens are opaque\nand short\n",
        "line": 7,
    }
    return Edit(**{**given, **changes})


def contest(**changes: Any) -> Contest:
    given: dict[str, Any] = {
        "task": TASK,
        "holder": "human:marie",
        "claimed": instants.parse("2026-11-30T09:14:00Z"),
        "expires": instants.parse("2026-11-30T10:44:00Z"),
        "actor": "claude-code/opus-5+b",
        "author_email": "b@example.org",
        "old": "in_progress",
        "new": "done",
        "commit": "3fa91c2" + "0" * 33,
        "at": AT,
        "path": PATH,
        "line": 4,
    }
    return Contest(**{**given, **changes})


def claim(number: int = 0, holder: str = "human:ada", ends: int = 1800) -> Claim:
    task = f"TASK-{number:012x}"
    return Claim(task, holder, AT - 600, AT + ends, 1800, "03c659e46adf", "e3b0c44298fc")


def removal(number: int, **changes: Any) -> Removal:
    task = f"TASK-{number:012x}"
    given: dict[str, Any] = {
        "task": task,
        "ref": f"refs/ank/claims/{task}",
        "oid": f"{number:040x}",
        "state": "completed",
        "holder": "human:ada",
        "at": AT - 60,
        "why": "done on main",
    }
    return Removal(**{**given, **changes})


def report(**changes: Any) -> Report:
    given: dict[str, Any] = {"at": AT, "judged": True, "claims_known": True}
    return Report(**{**given, **changes})


def refused(*edits: Edit, **parts: Any) -> Report:
    return report(verdict=Verdict("refused", edits=edits or (edit(),), **parts))
