"""Annotations within the platform's budget: ten of a kind a step, the severest first (R-G6).

The runner drops what is over the budget without a word, so the last of a kind says how many more there are.
"""

from __future__ import annotations

from collections.abc import Callable

from tenure.faces.action import words
from tenure.faces.action.commands import neutral
from tenure.faces.action.report import Names, Report
from tenure.model.value import value
from tenure.model.verdict import Contest, Edit

BUDGET = 10
MOST_CHARACTERS = 4096
MOST_TITLE = 255
KINDS = ("error", "warning", "notice")


@value
class Annotation:
    """One annotation: `kind` is error, warning or notice; `path` from the top of the repository; `line` from 1."""

    kind: str
    title: str
    message: str
    path: str | None = None
    line: int | None = None


def all_of(report: Report) -> list[Annotation]:
    """Every annotation that the report asks for, the severest of each kind first; a clean one asks for none."""
    names = Names(report.tasks)
    verdict = report.verdict
    found = [_edit("error", one, names) for one in verdict.edits]
    if report.failure:
        found.insert(0, Annotation("error", "tenure: nothing could be read", report.failure))
    found += [Annotation("warning", "tenure: not judged", text) for text in verdict.unjudged]
    found += [_contest("warning", one, names) for one in verdict.contested]
    found += [_edit("warning", one, names) for one in verdict.said]
    found += [Annotation("warning", "tenure", text) for text in report.warnings]
    return found + [_contest("notice", one, names) for one in verdict.unattributed]


def within_budget(found: list[Annotation], budget: int = BUDGET) -> list[Annotation]:
    """At most `budget` of each kind; where there are more, the last says how many and where they are."""
    kept: list[Annotation] = []
    for kind in KINDS:
        mine = [one for one in found if one.kind == kind]
        if len(mine) > budget:
            more = len(mine) - (budget - 1)
            mine = [*mine[: budget - 1], Annotation(kind, "tenure", f"{more} more, see the summary")]
        kept += mine
    return kept


def beyond_budget(found: list[Annotation], budget: int = BUDGET) -> list[Annotation]:
    """Those that `within_budget` leaves out."""
    kept = within_budget(found, budget)
    return [one for one in found if one not in kept]


def emit(found: list[Annotation], issue: Callable[..., None]) -> None:
    """Hand each to the log, cut to what the platform takes."""
    for one in within_budget(found):
        place = {"file": one.path, "line": one.line if one.path else None, "title": cut(neutral(one.title), MOST_TITLE)}
        issue(one.kind, cut(neutral(one.message), MOST_CHARACTERS), place)


def cut(text: str, most: int) -> str:
    """The text, or as much of it as fits with a last word about the rest."""
    end = " ... (more in the summary)" if most > 1000 else "..."
    return text if len(text) <= most else text[: most - len(end)] + end


def _edit(kind: str, edit: Edit, names: Names) -> Annotation:
    return Annotation(kind, words.edit_title(edit, names), words.edit_text(edit, names), edit.path or None, edit.line)


def _contest(kind: str, contest: Contest, names: Names) -> Annotation:
    text = words.contest_text(contest)
    return Annotation(kind, words.contest_title(contest, names), text, contest.path or None, contest.line)
