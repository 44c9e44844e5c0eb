"""The sentences that annotations, comment and summary share, as a colleague would say them (§9)."""

from __future__ import annotations

from difflib import unified_diff
from os.path import commonprefix

from tenure.faces.action.report import Names, Report
from tenure.model import instants
from tenure.model.text import for_terminal
from tenure.model.verdict import Contest, Edit

MOST_DIFF_LINES = 24
MOST_DIFF = 2500  # characters of a diff: the ways out below it must fit into an annotation of 4,096
MOST_NAME = 200  # of an identity in a sentence, as R-I3 has them

_WHAT = {
    "edited": "done criterion changed",
    "deleted": "task file deleted",
    "moved": "done criterion moved away",
    "unreadable": "task file made unreadable",
    "proof": "proof of its done criterion changed",
}


def edit_title(edit: Edit, names: Names) -> str:
    """`TASK-820d: done criterion changed while claimed`."""
    when = "while claimed" if edit.holder is not None else "after the task was finished"
    return f"{names.of(edit.task)}: {_WHAT.get(edit.why, _WHAT['edited'])} {when}"


def edit_text(edit: Edit, names: Names) -> str:
    """Who froze it and when, both texts as a short diff, the ways out (R-F4)."""
    lines = [_frozen(edit), *diff(edit)]
    if edit.excuse:
        lines.append(f"Said, not refused: {edit.excuse.rstrip('.')}.")
    lines.append(ways_out(edit, names))
    return "\n".join(lines)


def _frozen(edit: Edit) -> str:
    if edit.holder is None:
        return f"Frozen as {edit.frozen[:12]} by the proof of the finished task:"
    since = f" {instants.minute_of(edit.claimed)}" if edit.claimed is not None else ""
    return f"Frozen{since} by {_cut(for_terminal(edit.holder), MOST_NAME)} (declared):"


def ways_out(edit: Edit, names: Names) -> str:
    keep = f"Keep it: tenure criteria restore {names.digits(edit.task)}."
    if edit.holder is None:
        return f"{keep} A finished task keeps the criterion that it was finished by."
    return f'{keep} If it is wrong, the holder hands the task back: tenure release --reason "..."'


def diff(edit: Edit) -> list[str]:
    """The lines that went (`- `) and came (`+ `), each within its share; hashes where a text is not known."""
    lines = [for_terminal(line.rstrip("\r")) for line in _diff(edit)]
    most = max(80, MOST_DIFF // max(1, len(lines)))
    same = len(commonprefix([line[2:] for line in lines]))  # noqa: RUF071 (of characters, as wanted)
    skipped = same - 40 if same > most // 2 else 0  # so that the difference is seen
    shown = [f"{line[:2]}...{line[2 + skipped :]}" if skipped else line for line in lines]
    return [_cut(line, most) for line in shown]


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _diff(edit: Edit) -> list[str]:
    if edit.why == "proof":
        return [f"- a proof of the criterion {edit.frozen[:12]}", "+ (none)"]
    if edit.before is None:
        return [f"- (the text that hashes to {edit.frozen[:12]})", *_now(edit)]
    if edit.after is None:
        return [*(f"- {line}" for line in edit.before.rstrip("\n").split("\n")[:MOST_DIFF_LINES]), *_now(edit)]
    return _changed_lines(edit.before, edit.after)


def _now(edit: Edit) -> list[str]:
    if edit.after is not None:
        return [f"+ {line}" for line in edit.after.rstrip("\n").split("\n")[:MOST_DIFF_LINES]]
    gone = {"deleted": "the file is gone", "moved": "no criterion where it stood", "unreadable": "cannot be read"}
    return [f"+ ({gone.get(edit.why, edit.now or 'no criterion')})"]


def _changed_lines(before: str, after: str) -> list[str]:
    found = unified_diff(before.rstrip("\n").split("\n"), after.rstrip("\n").split("\n"), n=0, lineterm="")
    lines = [f"{line[0]} {line[1:]}" for line in found if line[:3] not in ("---", "+++") and line[0] in "+-"]
    if len(lines) > MOST_DIFF_LINES:
        return [*lines[:MOST_DIFF_LINES], f"  ({len(lines) - MOST_DIFF_LINES} more lines)"]
    return lines


def contest_title(contest: Contest, names: Names) -> str:
    """`TASK-820d is held by human:marie`."""
    return f"{names.of(contest.task)} is held by {contest.holder}"


def contest_text(contest: Contest) -> str:
    """What the change does to the status, until when the lease ran, and that nothing is blocked."""
    commit = f"{contest.commit[:7]}, " if contest.commit else ""
    actor = _cut(contest.actor, MOST_NAME)
    first = f"This change sets {transition(contest)} ({commit}by {actor}). The lease ran to {lease_end(contest)}."
    if not contest.attributed:
        return f"{first}\nWhether the author is the holder cannot be told: no Ank-Agent trailer, no known e-mail."
    return (
        f"{first}\nNothing is blocked and the claim stands. Ask {_cut(person(contest.holder), MOST_NAME)} to release, "
        "or merge and they are told at their next commit."
    )


def transition(contest: Contest) -> str:
    """`in_progress -> done`; a file that was not there or is gone reads as `(none)`."""
    return f"{contest.old or '(none)'} -> {contest.new or '(none)'}"


def lease_end(contest: Contest) -> str:
    """`10:44 UTC` on the day of the change, else with its date."""
    full, day = instants.minute_of(contest.expires), instants.minute_of(contest.at)[:10]
    return full[11:] if full.startswith(day) else full


def person(identity: str) -> str:
    """`marie` of `human:marie`; any other identity whole."""
    return identity.removeprefix("human:") or identity


def verdict_title(report: Report) -> str:
    """`refused: 1 frozen criterion edited, 2 contests`: the verdict and its numbers."""
    if report.failure and not report.judged:
        return f"{report.result}: nothing could be read"
    return f"{report.result}: {', '.join(_found(report))}"


def _found(report: Report) -> list[str]:
    verdict = report.verdict
    counted = [
        (len(verdict.edits), "frozen criterion edited", "frozen criteria edited"),
        (len(verdict.said), "edit said, not refused", "edits said, not refused"),
        (len(verdict.contested), "contest", "contests"),
        (len(verdict.unattributed), "change of unknown authorship", "changes of unknown authorship"),
        (len(verdict.unjudged), "thing not judged", "things not judged"),
    ]
    words = [f"{count} {one if count == 1 else many}" for count, one, many in counted if count]
    if report.judged and not words:
        words = ["no frozen criterion edited, nothing contested"]
    done = [("pruned", "to prune", report.pruned), ("swept", "to sweep", report.swept)]
    words += [f"{len(rows)} {would if report.dry_run else did}" for did, would, rows in done if rows]
    words += [f"{len(report.kept)} kept"] if report.kept else []
    words += ["nothing pruned"] if report.failure else []
    return words or ["nothing to do"]
