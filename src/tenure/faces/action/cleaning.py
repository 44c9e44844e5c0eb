"""Prune and sweep for a run; events reach origin before the ground that they wait on goes away (R-G2, R-G3)."""

from __future__ import annotations

from tenure.faces.action import checkout
from tenure.faces.action.inputs import Inputs
from tenure.faces.action.report import Report
from tenure.git import checkout as git_checkout
from tenure.git import reading, remote
from tenure.model.value import replace
from tenure.model.verdict import Removal
from tenure.work import contests, feed, pruning, sweeping, views
from tenure.work.session import Session
from tenure.work.views import Views

REFUSED = "origin refused to let it go"


def sweep(report: Report, session: Session, asked: Inputs) -> Report:
    """R-G3. The lapsed records are in the feed before their refs go, so that the hand-over is never lost."""
    most = _room(asked, report)
    if asked.dry_run:
        done = sweeping.sweep(session, views.read(session), asked.sweep_after, True, "action", most)
        return replace(report, swept=done.swept, truncated=report.truncated or done.truncated)
    sweeping.sweep(session, views.read(session), asked.sweep_after, False, "action", 0)
    report = carried(report, session)
    before = _objects(session)
    done = sweeping.sweep(session, views.read(session), asked.sweep_after, False, "action", most)
    stays = _told(tuple(row for row in done.kept if row.why not in ("live", "lapsed lately")), before, session)
    report = replace(report, swept=done.swept, kept=(*report.kept, *stays))
    return replace(report, truncated=report.truncated or done.truncated)


def prune(report: Report, session: Session, asked: Inputs, tip: str | None) -> Report:
    """R-G2. Nothing is pruned where the default branch cannot be read, and then the run is not green (R-G5)."""
    if tip is None:
        return replace(report, failure="the default branch could not be read from origin: nothing was pruned")
    read = reading.reader(session.place.git_dir)
    most = _room(asked, report)
    found = views.read(session)
    if not asked.dry_run:
        report = _contests_first(report, session, found, tip)
    before = _objects(session)
    done = pruning.prune(session, found, read, "action", asked.dry_run, most, [tip])
    stays = _told(done.kept, before, session)
    report = replace(report, pruned=done.gone, kept=(*report.kept, *stays))
    report = replace(report, truncated=report.truncated or done.truncated)
    return report if asked.dry_run or not done.gone else carried(report, session)


def _room(asked: Inputs, report: Report) -> int:
    """How many refs may still go."""
    return min(max(0, asked.max_operations - len(report.pruned) - len(report.swept)), remote.MOST_REFS)


def _contests_first(report: Report, session: Session, found: Views, tip: str) -> Report:
    """A claim of a task that is over goes only after the contest that ended it is recorded (R-G2, R-K1)."""
    read = reading.reader(session.place.git_dir)
    over = [view for view in pruning.over(session, found, read, [tip]) if view.claim]
    starts = [view.claim.claimed for view in over if view.claim]
    if not starts:
        return report
    if not git_checkout.bring_since(tip, min(starts), checkout.RANGE_LIMIT):
        note = "the default branch's history could not be fetched whole: who ended a claimed task may be unrecorded"
        report = replace(report, notes=(*report.notes, note))
    contests.before_pruning(session, found, over, [tip], "action")
    return carried(report, session)


def carried(report: Report, session: Session) -> Report:
    """Bring the events that wait to origin; a note where it does not take them."""
    if feed.carry(session, checkout.SHORT_LIMIT):
        return report
    note = "events are not recorded in the feed: origin did not take them (a token that may only read?)"
    return report if note in report.notes else replace(report, notes=(*report.notes, note))


def _objects(session: Session) -> dict[str, str | None]:
    return {task: view.mirror_oid for task, view in views.read(session).tasks.items()}


def _told(kept: tuple[Removal, ...], before: dict[str, str | None], session: Session) -> tuple[Removal, ...]:
    """Why a record stays: it moved meanwhile, or origin did not let this token delete it."""
    if not kept:
        return ()
    there = remote.claims(session.origin) if session.origin else None
    return tuple(
        replace(row, why=REFUSED) if there is None or there.get(row.ref) == before.get(row.task) else row
        for row in kept
    )


def refusal(report: Report) -> str | None:
    """One sentence where origin refused deletions."""
    count = sum(row.why == REFUSED for row in report.kept)
    if not count:
        return None
    records = "1 record" if count == 1 else f"{count} records"
    return f"origin did not let this token delete {records} (contents: write is needed)"
