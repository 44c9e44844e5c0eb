"""What the last holder left: the reason of the last release, the last log entries, and after a take-over where the
work was (R-C5)."""

from __future__ import annotations

from tenure.git import objects
from tenure.model.record import Claim
from tenure.model.task import Task
from tenure.work import feed, log
from tenure.work.corpus import Corpus
from tenure.work.session import Session

_ENTRIES = 5


def lines(session: Session, corpus: Corpus, task: Task, former: Claim | None) -> list[str]:
    """Lines for the next holder, oldest first; empty where nobody was here before."""
    found = []
    if former is not None:
        found.append(f"taken over from {former.holder}{_where(session, task.id, former)}")
    entries = log.said(log.lines_about(corpus, task.id, task.body))
    found += [f"  {one.timestamp} {one.who or '?'}: {_first_line(one.message)}" for one in entries[-_ENTRIES:]]
    return found


def _where(session: Session, task: str, former: Claim) -> str:
    """`, branch rotate, last commit 3fa91c2`, as far as the feed and the branches here tell."""
    for one in reversed(feed.events(task)):
        if one.fields["actor"] == former.holder and one.fields["branch"]:
            branch = one.fields["branch"] or ""
            remote = f"refs/remotes/{session.origin.name}/{branch}" if session.origin else ""
            tips = objects.peeled([f"refs/heads/{branch}", *([remote] if remote else [])])
            last = next((tip for tip in tips if tip), one.fields["commit"])
            return f", branch {branch}" + (f", last commit {last[:7]}" if last else "")
    return ""


def _first_line(message: str) -> str:
    return message.strip().partition("\n")[0][:200]
