"""Runs the modes one after the other and gathers what they found (R-G1 to R-G4)."""

from __future__ import annotations

from tenure.faces.action import checkout, cleaning, event, reviewing
from tenure.faces.action.checkout import Ground
from tenure.faces.action.event import Event
from tenure.faces.action.inputs import Inputs
from tenure.faces.action.report import Report
from tenure.git import remote
from tenure.model.errors import Broken
from tenure.model.value import replace
from tenure.model.verdict import Verdict
from tenure.work import holding, views
from tenure.work import session as sessions
from tenure.work.session import Session
from tenure.work.views import Views

MOST_UNREADABLE = 20


def failed(asked: Inputs, at: int, why: str) -> Report:
    """Nothing could be read or done."""
    return Report(at, failure=why, fail_on=asked.fail_on, dry_run=asked.dry_run)


def run(ground: Ground, what: Event, asked: Inputs, at: int) -> Report:
    """Do what the modes ask for. TenureError where nothing could be read (R-G5)."""
    wanted = asked.modes or event.auto_modes(what, ground.default_branch)
    if what.default_branch is None:
        what = replace(what, default_branch=ground.default_branch)
    session = replace(sessions.begin(ground.folder, lenient=True), at=at)
    read_origin(session)
    report = Report(at, fail_on=asked.fail_on, dry_run=asked.dry_run)
    if not asked.modes and not event.is_known(what):
        report = replace(report, warnings=(f"mode auto knows no event {what.name}: it only reports; name a mode",))
    if "guard" in wanted or "contest" in wanted:
        report = _review(report, session, what, asked, wanted)
    report = _clean(report, session, ground, asked, wanted)
    return _with_claims(report, session)


def _clean(report: Report, session: Session, ground: Ground, asked: Inputs, wanted: tuple[str, ...]) -> Report:
    if "sweep" in wanted:
        report = cleaning.sweep(report, session, asked)
    if "prune" in wanted:
        report = cleaning.prune(report, session, asked, checkout.tip_of(ground.default_branch))
    if (report.pruned or report.swept) and not asked.dry_run:
        read_origin(session)
    refused = cleaning.refusal(report)
    return replace(report, warnings=(*report.warnings, refused)) if refused else report


def read_origin(session: Session) -> None:
    """Claims and feed into the mirrors. Broken (9) where origin cannot be read: then nothing is known (R-G5)."""
    if session.origin is None or not remote.refresh(session.origin, checkout.SHORT_LIMIT).ok:
        raise Broken("origin's claims could not be read: nothing was judged or done (does the token allow to read?)")


def _review(report: Report, session: Session, what: Event, asked: Inputs, wanted: tuple[str, ...]) -> Report:
    found = views.read(session)
    review = reviewing.review(session, what, found)
    review = replace(review, verdict=_only(review.verdict, wanted))
    report = replace(report, verdict=review.verdict, judged=review.batch is not None)
    report = replace(report, warnings=(*report.warnings, *review.complaints))
    report = replace(report, overlaps=reviewing.overlaps(review, found))
    if review.verdict.contested and not asked.dry_run:
        left = reviewing.record(review)
        report = replace(report, notes=(*report.notes, *([left] if left else [])))
    return report


def _only(verdict: Verdict, wanted: tuple[str, ...]) -> Verdict:
    """What was asked for: frozen edits by guard, contests by contest."""
    if "guard" not in wanted:
        outcome = "unverified" if verdict.unjudged else "ok"
        verdict = replace(verdict, edits=(), said=(), outcome=outcome)
    return verdict if "contest" in wanted else replace(verdict, contested=(), unattributed=())


def _with_claims(report: Report, session: Session) -> Report:
    """The claims that stand after the run."""
    found = views.read(session)
    claims = tuple(view.claim for view in found.claims() if view.claim)
    return replace(report, claims=claims, claims_known=True, notes=(*report.notes, *_unreadable(session, found)))


def _unreadable(session: Session, found: Views) -> list[str]:
    """One line each for what is no record: it is no claim, and nobody can claim its task until it is cleared (R-C8)."""
    refs = [view.unreadable for view in found.tasks.values() if view.unreadable]
    errors = [holding.unreadable_error(session, one.ref, one.why) for one in (*refs, *found.odd)]
    told = [f"{one.message}; clear it: {one.next[0]}" for one in errors]
    return (
        told if len(told) <= MOST_UNREADABLE else [*told[:MOST_UNREADABLE], f"{len(told) - MOST_UNREADABLE} more such"]
    )
