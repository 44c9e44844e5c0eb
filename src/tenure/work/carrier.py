"""The detached process: carries what waits to origin, one at a time for a clone, at most 20 s, silently."""

from __future__ import annotations

import signal
import time

from tenure.model import outcome, record
from tenure.model.errors import TenureError
from tenure.work import carrying, entries, feed, mirroring, session, views
from tenure.work.session import Session

LIMIT = 20  # R-H2


class _OutOfTimeError(Exception):
    """The time is over; whatever runs is ended on the way out."""


def main() -> None:
    """Carry until nothing is due, or the time is over. Ends silently whatever happens (R-H2, R-H4)."""
    try:
        _limit()
        run(session.begin(lenient=True), time.monotonic() + LIMIT)
    except (TenureError, OSError, _OutOfTimeError):
        pass
    except Exception as wrong:
        _leave_word(wrong)


def _limit() -> None:
    def stop(*_: object) -> None:
        raise _OutOfTimeError

    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, stop)
        signal.alarm(LIMIT)


def _leave_word(wrong: Exception) -> None:
    try:
        session.begin(lenient=True).store.note(f"the background push failed: {type(wrong).__name__}: {wrong}")
    except (TenureError, OSError):
        pass


def run(asked: Session, end: float) -> bool:
    """Carry what is due while there is time; True when nothing is left that could be carried now."""
    while time.monotonic() < end:
        alone = asked.store.hold_if_free("carrier-process")
        if alone is None:
            return False  # another process of this clone is at it, and looks again before it ends
        with alone:
            done = _pass(asked, end)
        if done is None:
            return True  # origin did not take it: a later push or verb tries again
        if not _due(asked):  # asked again without the hold: a process that found it taken has left its entry to us
            return done
    return False


def _pass(asked: Session, end: float) -> bool | None:
    """Carry what is due once. True: the feed is carried too; None: origin did not answer, or did not take it."""
    if not mirroring.refresh(asked, max(1.0, min(5.0, end - time.monotonic()))):
        _failure(asked, "origin did not answer")
        return None
    for task in _due(asked):
        state = asked.store.task(task)
        found = carrying.carry(asked, state, max(1.0, min(8.0, end - time.monotonic())))
        if found.kind in (outcome.UNREACHABLE, outcome.REFUSED, outcome.BLOCKED):
            _failure(asked, f"origin did not take the claim on {task}")
            return None
        if found.kind == outcome.LOST and found.there is not None:
            who = record.whose(found.there) or "somebody else"
            asked.store.note(f"your claim on {task} is gone: {who} has it")
    told = feed.carry(asked, max(1.0, min(8.0, end - time.monotonic())))
    asked.store.write("carrier", {})
    return told


def _due(asked: Session) -> list[str]:
    found = views.read(asked)
    return [
        state.task for state in asked.store.all() if entries.is_due(asked, state, found.of(state.task, asked).local_oid)
    ]


def _failure(asked: Session, why: str) -> None:
    old = asked.store.read("carrier")
    count = int(old.get("failures", "0")) + 1 if old.get("failures", "0").isdigit() else 1
    told = old.get("told", "") if old.get("why") == why else ""
    asked.store.write("carrier", {"failures": str(count), "why": why, "said": old.get("said", ""), "told": told})
