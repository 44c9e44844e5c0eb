"""The step summary: verdict in the title, what was found, what was not judged, and folded what stands (R-G7).

Absolute times only, identities as declared and in code. Within the platform's size, counted in bytes, cut on a row.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from tenure.faces.action import words
from tenure.faces.action.markdown import block, code, head, row
from tenure.faces.action.report import Names, Report
from tenure.model import instants, lease
from tenure.model.record import Claim
from tenure.model.verdict import Contest, Edit, Removal

MOST_BYTES = 1_048_576
_ROOM = 4096  # for the line that says what was left off, and for what another step's tool may add
MOST_BARS = 40


def write(path: str | None, report: Report) -> None:
    """Append the summary to the file that GITHUB_STEP_SUMMARY names; nothing where there is none."""
    if not path:
        return
    taken = os.path.getsize(path) if os.path.exists(path) else 0
    with open(path, "a", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        file.write(text_of(report, MOST_BYTES - _ROOM - taken))


def text_of(report: Report, most: int = MOST_BYTES - _ROOM) -> str:
    """The whole summary within so many bytes; the rows that did not fit are counted."""
    names = Names(report.tasks)
    paper = _Paper(most)
    paper.put(f"## tenure: {words.verdict_title(report)}\n\n")
    for part in (_findings(report, names), _texts(report, names), _notes(report), *_folded(report, names)):
        paper.part(part)
    return paper.text


class _Paper:
    """Text that grows by whole pieces while they fit. A part is opened, filled with rows, closed."""

    def __init__(self, most: int) -> None:
        self.text = ""
        self._left = most

    def put(self, piece: str) -> bool:
        size = len(piece.encode("utf-8", "backslashreplace"))
        if size > self._left:
            return False
        self.text += piece
        self._left -= size
        return True

    def part(self, part: tuple[str, Iterable[str], str]) -> None:
        """Opening, rows and closing; the closing always fits, and rows that do not are counted in it."""
        opening, rows, closing = part
        reserve = len(closing.encode()) + 80
        if not opening or self._left < len(opening.encode()) + reserve:
            return
        self._left -= reserve
        self.put(opening)
        full, left_off = [], 0
        for one in rows:
            size = len(one.encode("utf-8", "backslashreplace"))
            if left_off or size > self._left:
                left_off += 1
                continue
            full.append(one)
            self._left -= size
        self.text += "".join(full)
        self._left += reserve
        more = f"\n{left_off} more rows left off: the platform takes no longer summary.\n" if left_off else ""
        self.put(more + closing)


_COLUMNS = ("Task", "What this change does", "Held by (declared)", "Until (UTC)", "Evidence", "Next step")


def _findings(report: Report, names: Names) -> tuple[str, Iterable[str], str]:
    verdict = report.verdict
    ends = {claim.task: claim.expires for claim in report.claims}
    rows = [_edit_row(one, names, ends.get(one.task)) for one in (*verdict.edits, *verdict.said)]
    rows += [_contest_row(one, names) for one in (*verdict.contested, *verdict.unattributed)]
    return (head(*_COLUMNS), rows, "\n") if rows else ("", (), "")


def _edit_row(edit: Edit, names: Names, expires: int | None) -> str:
    what = words.edit_title(edit, names).partition(": ")[2]
    holder = code(edit.holder) if edit.holder is not None else "nobody: finished"
    until = instants.minute_of(expires)[:16] if expires is not None else "-"
    since = f", frozen {instants.minute_of(edit.claimed)}" if edit.claimed is not None else ""
    place = code(f"{edit.path}:{edit.line}" if edit.line else edit.path)
    step = (
        f"said, not refused: {code(edit.excuse)}"
        if edit.excuse
        else f"`tenure criteria restore {names.digits(edit.task)}`"
    )
    return row((names.of(edit.task), what, holder, until, f"{_commit(edit.commit)}{place}{since}", step))


def _contest_row(contest: Contest, names: Names) -> str:
    what = f"sets {code(words.transition(contest))} as {code(contest.actor)}"
    until = instants.minute_of(contest.expires)[:16]
    step = "ask the holder to release, or merge" if contest.attributed else "none: authorship unknown"
    evidence = f"{_commit(contest.commit)}{code(contest.path)}"
    return row((names.of(contest.task), what, code(contest.holder), until, evidence, step))


def _commit(oid: str | None) -> str:
    return f"{code(oid[:7])} " if oid else ""


def _texts(report: Report, names: Names) -> tuple[str, Iterable[str], str]:
    """Both texts of each edit, below the table."""
    edits = (*report.verdict.edits, *report.verdict.said)
    blocks = [f"{names.of(one.task)}\n\n{block(chr(10).join(words.diff(one)), 'diff')}\n" for one in edits]
    return ("### Frozen text and new text\n\n", blocks, "\n") if blocks else ("", (), "")


def _notes(report: Report) -> tuple[str, Iterable[str], str]:
    notes = [f"- not judged: {code(text, 600)}\n" for text in report.verdict.unjudged]
    if report.failure:
        notes.insert(0, f"- nothing could be read: {code(report.failure, 600)}\n")
    notes += [f"- {code(text, 600)}\n" for text in (*report.warnings, *report.notes, *report.overlaps)]
    if report.truncated:
        notes.append("- not everything was done: the limit of `max-operations` or of an output was reached\n")
    if report.dry_run:
        notes.append("- dry run: nothing was written anywhere\n")
    return ("### Notes\n\n", notes, "\n") if notes else ("", (), "")


def _folded(report: Report, names: Names) -> Iterator[tuple[str, Iterable[str], str]]:
    claims = sorted(report.claims, key=lambda claim: (not lease.is_live(claim, report.at), claim.expires, claim.task))
    if claims:
        live = sum(lease.is_live(claim, report.at) for claim in claims)
        opening = _fold(f"Claims: {live} live, {len(claims) - live} lapsed", timeline(claims, report.at, names))
        rows = (_claim_row(claim, report.at, names) for claim in claims)
        yield opening + head("Task", "Holder (declared)", "Claimed (UTC)", "Until (UTC)", "State"), rows, _END
    would = "would be " if report.dry_run else ""
    for title, removals in (("pruned", report.pruned), ("swept", report.swept), ("kept", report.kept)):
        if removals:
            done = title if title == "kept" else would + title
            yield (
                _fold(f"{len(removals)} {done}") + head(*_REMOVED),
                (_removal_row(one, names) for one in removals),
                _END,
            )


_END = "\n</details>\n\n"
_REMOVED = ("Task", "Record", "Whose (declared)", "Completed or lapsed (UTC)", "Why")


def _fold(title: str, inside: str = "") -> str:
    return f"<details><summary>{title}</summary>\n\n{inside}"


def _claim_row(claim: Claim, at: int, names: Names) -> str:
    state = "live" if lease.is_live(claim, at) else "lapsed"
    times = (instants.minute_of(claim.claimed)[:16], instants.minute_of(claim.expires)[:16])
    return row((names.of(claim.task), code(claim.holder), *times, state))


def _removal_row(removal: Removal, names: Names) -> str:
    when = instants.minute_of(removal.at)[:16]
    return row((names.of(removal.task), removal.state, code(removal.holder), when, code(removal.why)))


def timeline(claims: list[Claim], at: int, names: Names) -> str:
    """A Mermaid Gantt chart of the live claims: a bar from claim to end, the first to end on top."""
    live = [claim for claim in claims if lease.is_live(claim, at)]
    if not live:
        return ""
    lines = ["gantt", "    dateFormat YYYY-MM-DDTHH:mm", "    axisFormat %d %H:%M", "    section UTC"]
    for claim in live[:MOST_BARS]:
        start, end = _stamp(claim.claimed), _stamp(max(claim.expires, claim.claimed + 60))
        lines.append(f"    {names.of(claim.task)} {_plain(claim.holder)} :{start}, {end}")
    more = f"The first {MOST_BARS} to end of {len(live)}.\n\n" if len(live) > MOST_BARS else ""
    return f"```mermaid\n{chr(10).join(lines)}\n```\n\n{more}"


def _stamp(at: int) -> str:
    return instants.text_of(at)[:16]


def _plain(text: str) -> str:
    """An identity as the chart's own syntax bears it: letters, digits and a few marks."""
    kept = "".join(char if char.isascii() and (char.isalnum() or char in "/+.-_") else "." for char in text[:40])
    return kept or "."
