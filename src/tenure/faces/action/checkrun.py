"""A check run with every annotation, fifty a request (R-G8)."""

from __future__ import annotations

from typing import Any

from tenure.faces.action import annotate, summary, words
from tenure.faces.action.annotate import Annotation
from tenure.faces.action.commands import neutral
from tenure.faces.action.github import Api, ApiError
from tenure.faces.action.report import Report

NAME = "tenure: claims and frozen criteria"
A_REQUEST = 50
MOST_TEXT = 65_535
_LEVELS = {"error": "failure", "warning": "warning", "notice": "notice"}


def create(api: Api, repository: str, head: str, report: Report) -> int:
    """Create the check run on that commit; the number of annotations it holds. Raises ApiError."""
    notes = [_note(one) for one in annotate.all_of(report) if one.path]
    batches = [notes[at : at + A_REQUEST] for at in range(0, len(notes), A_REQUEST)] or [[]]
    path = f"repos/{repository}/check-runs"
    first = {"name": NAME, "head_sha": head, **_state(report, len(batches) == 1), "output": _output(report, batches[0])}
    made = api.call("POST", path, first)
    number = made.get("id") if isinstance(made, dict) else None
    if len(batches) > 1 and not isinstance(number, int):
        raise ApiError("the server did not name the check run it made")
    for done, batch in enumerate(batches[1:], 2):
        body = {**_state(report, done == len(batches)), "output": _output(report, batch)}
        api.call("PATCH", f"{path}/{number}", body)
    return len(notes)


def _state(report: Report, last: bool) -> dict[str, str]:
    """In progress until its last annotation is there."""
    return {"status": "completed", "conclusion": conclusion(report)} if last else {"status": "in_progress"}


def conclusion(report: Report) -> str:
    """As the step ends; `neutral` for what is said and stops nothing."""
    if report.fails:
        return "failure"
    return "success" if report.result == "ok" and not report.has_finding else "neutral"


def _output(report: Report, notes: list[dict[str, Any]]) -> dict[str, Any]:
    text = summary.text_of(report, MOST_TEXT - 1000)
    title = annotate.cut(words.verdict_title(report), annotate.MOST_TITLE)
    return {"title": title, "summary": text, "annotations": notes}


def _note(one: Annotation) -> dict[str, Any]:
    line = one.line or 1
    return {
        "path": one.path,
        "start_line": line,
        "end_line": line,
        "annotation_level": _LEVELS[one.kind],
        "title": annotate.cut(neutral(one.title), annotate.MOST_TITLE),
        "message": annotate.cut(neutral(one.message), 16_000),
    }
