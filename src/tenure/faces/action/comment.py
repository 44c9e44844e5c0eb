"""One comment on the pull request, only when there is a finding, found again and edited in place (R-G8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tenure.faces.action import words
from tenure.faces.action.github import Api, ApiError
from tenure.faces.action.markdown import block, code
from tenure.faces.action.report import Names, Report
from tenure.model.verdict import Contest, Edit

MARKER = "<!-- tenure: claims and frozen criteria -->"
MOST_CHARACTERS = 65_536
RESOLVED = (
    f"{MARKER}\n### tenure: resolved\n\nWhat was found in an earlier state of this pull request is no longer there.\n"
)


def post(api: Api, repository: str, number: int, report: Report) -> str:
    """Bring the comment to what the report says: `none`, `created`, `edited` or `kept`. Raises ApiError."""
    wanted = body(report) if report.has_finding else RESOLVED
    if not report.has_finding and report.result == "unverified":
        return "kept"  # what an earlier run found may still be there
    mine = _mine(api, repository, number)
    if mine is None:
        if not report.has_finding:
            return "none"
        api.call("POST", f"repos/{repository}/issues/{number}/comments", {"body": wanted})
        return "created"
    if _plain(mine.get("body")) == _plain(wanted):
        return "kept"
    api.call("PATCH", f"repos/{repository}/issues/comments/{int(mine['id'])}", {"body": wanted})
    return "edited"


def body(report: Report, most: int = MOST_CHARACTERS) -> str:
    """The comment for a report with findings, within so many characters, whole findings only."""
    names = Names(report.tasks)
    verdict = report.verdict
    pieces = [_edit(one, names) for one in (*verdict.edits, *verdict.said)]
    pieces += [_contest(one, names) for one in verdict.contested]
    text = f"{MARKER}\n### tenure: {words.verdict_title(report)}\n\n"
    room = most - 200
    for number, piece in enumerate(pieces):
        if len(text) + len(piece) > room:
            return text + f"{len(pieces) - number} more, see the summary of the run.\n"
        text += piece
    return text


def _edit(edit: Edit, names: Names) -> str:
    held = f"held by {code(edit.holder)} (declared)" if edit.holder is not None else "finished"
    excuse = f"\nSaid, not refused: {code(edit.excuse, 400)}\n" if edit.excuse else ""
    title = f"**{words.edit_title(edit, names)}**, {held}, {code(edit.path)}\n\n"
    return (
        f"{title}{block(chr(10).join(words.diff(edit)), 'diff')}{excuse}\n{_commands(words.ways_out(edit, names))}\n\n"
    )


def _commands(text: str) -> str:
    return text.replace('tenure release --reason "..."', '`tenure release --reason "..."`')


def _contest(contest: Contest, names: Names) -> str:
    commit = f"{code(contest.commit[:7])}, " if contest.commit else ""
    return (
        f"**{names.of(contest.task)} is held** by {code(contest.holder)} (declared). This change sets "
        f"{code(words.transition(contest))} ({commit}by {code(contest.actor)}). The lease ran to "
        f"{words.lease_end(contest)}.\nNothing is blocked and the claim stands.\n\n"
    )


def _mine(api: Api, repository: str, number: int) -> Mapping[str, Any] | None:
    """Our comment: it carries the marker and was written by the token's own account."""
    marked = [one for one in api.pages(f"repos/{repository}/issues/{number}/comments") if _is_marked(one)]
    if not marked:
        return None
    viewer = _viewer(api)
    return next((one for one in marked if _is_by(one, viewer)), None)


def _viewer(api: Api) -> str | None:
    """The account behind the token; None where the server cannot be asked (REST's /user refuses job tokens)."""
    try:
        found = api.query("query { viewer { login } }").get("viewer")
    except ApiError:
        return None
    login = found.get("login") if isinstance(found, dict) else None
    return login if isinstance(login, str) and login else None


def _is_marked(comment: Mapping[str, Any]) -> bool:
    return isinstance(comment.get("id"), int) and str(comment.get("body") or "").lstrip().startswith(MARKER)


def _is_by(comment: Mapping[str, Any], viewer: str | None) -> bool:
    """By that account; where it is not known, by a bot, as an app's own account is. A person's is not ours (R-G8)."""
    user = comment.get("user")
    user = user if isinstance(user, dict) else {}
    if viewer is not None:
        return _bare(str(user.get("login") or "")) == _bare(viewer)
    return user.get("type") == "Bot"  # a person may write through an app, so that alone says nothing


def _bare(login: str) -> str:
    return login.lower().removesuffix("[bot]")


def _plain(text: object) -> str:
    """A body as it is compared: the server may change line ends."""
    return str(text or "").replace("\r\n", "\n").strip()
