"""Tells what a run found: annotations, summary and outputs always, comment and check run on request (R-G5 to R-G8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tenure.faces import rows
from tenure.faces.action import annotate, checkrun, comment, summary, words
from tenure.faces.action import outputs as step_outputs
from tenure.faces.action.commands import Log
from tenure.faces.action.event import Event
from tenure.faces.action.github import Api, ApiError, NotAllowedError
from tenure.faces.action.inputs import Inputs
from tenure.faces.action.report import Report
from tenure.model import lease
from tenure.model.value import replace


def over_api(report: Report, event: Event, asked: Inputs, environment: Mapping[str, str]) -> Report:
    """Comment and check run. What could not be written is added to the report; nothing here fails a run (R-G5)."""
    if asked.dry_run or not (asked.comment or asked.check_run):
        return report
    api = Api(
        environment.get("GITHUB_API_URL") or "https://api.github.com",
        environment.get("GITHUB_GRAPHQL_URL") or "https://api.github.com/graphql",
        asked.token,
    )
    repository, number, head = event.repository, event.number, event.head or event.sha
    if asked.comment and number is not None and report.judged and not report.failure:
        report = _try("comment", report, lambda: comment.post(api, repository, number, report))
    if asked.check_run and head:
        told = report
        report = _try("check run", report, lambda: checkrun.create(api, repository, head, told))
    return report


def _try(name: str, report: Report, write: Callable[[], object]) -> Report:
    try:
        write()
    except NotAllowedError as wrong:
        return replace(report, notes=(*report.notes, f"no {name}: {wrong}"))
    except ApiError as wrong:
        return replace(report, warnings=(*report.warnings, f"no {name}: {wrong}"))
    except Exception as wrong:  # an answer that nobody foresaw must not turn a run red
        told = f"no {name}: an error of tenure's own: {type(wrong).__name__}: {wrong}"
        return replace(report, warnings=(*report.warnings, told))
    return report


def on_the_spot(report: Report, environment: Mapping[str, str], log: Log) -> None:
    """Annotations, the line in the log, the summary and the outputs."""
    found = annotate.all_of(report)
    annotate.emit(found, log.issue)
    left = annotate.beyond_budget(found)
    if left:
        log.quote("\n".join(f"{one.kind}: {one.title} ({one.path or 'no file'})" for one in left))
    log.say(f"tenure: {words.verdict_title(report)}")
    whole = outputs(report, environment)
    summary.write(environment.get("GITHUB_STEP_SUMMARY"), whole)


def outputs(report: Report, environment: Mapping[str, str]) -> Report:
    """Write the step's outputs; the report comes back truncated where an array was too long."""
    named = {
        "frozen-edits": [rows.edit(one) for one in report.verdict.edits],
        "contested": [rows.contest(one) for one in report.verdict.contested],
        "pruned": [rows.removal(one) for one in report.pruned],
        "swept": [rows.removal(one) for one in report.swept],
    }
    arrays, cut = step_outputs.arrays(named)
    report = replace(report, truncated=report.truncated or cut)
    live = sum(lease.is_live(claim, report.at) for claim in report.claims)
    values = {
        "result": report.result,
        **arrays,
        "live-claims": str(live) if report.claims_known else "",
        "truncated": "true" if report.truncated else "false",
    }
    step_outputs.write(environment.get("GITHUB_OUTPUT"), values)
    return report
