"""pre-receive, a sample for those who run their own git server: the verdict where nobody can skip it (issue of R-H1).

Objects stand in quarantine, so nothing is written. Who pushes is not known to git: a live claim may be renewed or
completed in its holder's name and deleted whole, never replaced by somebody else's record.
"""

from __future__ import annotations

from tenure.faces.hooks.words import REFUSED, refusal, say, told
from tenure.git import objects, refs
from tenure.model import ids, lease, record
from tenure.model.record import Claim, Record, Unreadable
from tenure.model.text import from_bytes
from tenure.model.value import replace
from tenure.work import batches, judging, views
from tenure.work.session import Session
from tenure.work.views import Views


def run(session: Session, stdin: bytes) -> int:
    """Judge `old new ref` lines: 0, or REFUSED for the whole push."""
    lines = [line.split(" ", 2) for line in from_bytes(stdin).split("\n") if line]
    lines = [line for line in lines if len(line) == 3]
    pushed = [(ref, new if new.strip("0") else None) for _, new, ref in lines]
    found = views.read(session)
    wrong = _namespace(session, found, pushed)
    for text in wrong:
        say(f"tenure: refused: {text} [R-H1]")
    moves = [(old, new) for old, new, ref in lines if ref.startswith("refs/heads/") and old.strip("0")]
    refused = _criteria(session, found, pushed, moves if found.claims() else [])
    return REFUSED if wrong or refused else 0


def _criteria(
    session: Session, found: Views, pushed: list[tuple[str, str | None]], moves: list[tuple[str, str]]
) -> bool:
    branches = [(ref, new) for ref, new in pushed if new and ref.startswith(("refs/heads/", "refs/tags/"))]
    commits = objects.peeled([new for _, new in branches]) if branches else []
    tips = [(ref, oid) for (ref, _), oid in zip(branches, commits, strict=True) if oid]
    if not tips:
        return False
    known = [ref.oid for ref in refs.listed("refs/heads", "refs/tags") if not ref.symref]
    batch = replace(batches.gather(tips, known), moves=batches.moves(moves))
    verdict = judging.judge(session, found, batch, objects.read_many)
    for edit in verdict.said:
        say(told(edit))
    for edit in verdict.edits:
        say(*refusal(edit, session.identity.value))
    return bool(verdict.edits)


def _namespace(session: Session, found: Views, pushed: list[tuple[str, str | None]]) -> list[str]:
    claims = [(ref, new) for ref, new in pushed if ref.startswith(ids.CLAIMS)]
    if claims and any(ref.startswith(("refs/remotes/", "refs/tenure/origin/")) for ref, _ in pushed):
        return ["this push sweeps claim refs along (--mirror or a wildcard); push branches and tags by name"]
    things = objects.read_many([new for _, new in claims if new])
    written = iter(things)
    complaints = []
    for ref, new in claims:
        if new is None:
            continue
        thing = next(written)
        made = record.parse(ref, thing.data) if thing and thing.kind == "blob" else Unreadable(ref, "no blob")
        why = _why_not(session, found, ref, made)
        if why:
            complaints.append(why)
    return complaints


def _why_not(session: Session, found: Views, ref: str, made: Record) -> str | None:
    if isinstance(made, Unreadable):
        return f"{ref}: what is pushed is no readable record ({made.why})"
    view = found.tasks.get(ids.task_of_ref(ref) or "")
    there = view.local if view else None
    if not isinstance(there, Claim) or not lease.is_live(there, session.at):
        return None
    return None if record.whose(made) == there.holder else f"{ref} is a live claim of {there.holder}"
