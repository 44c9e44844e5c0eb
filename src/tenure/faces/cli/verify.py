"""verify: the guard of §5 and the contests of §6 over a range; reads only."""

from __future__ import annotations

import argparse

from tenure.faces import rows
from tenure.faces.cli import common
from tenure.faces.cli.output import Output
from tenure.faces.hooks.words import diff, happened
from tenure.git import objects, reading
from tenure.model import ids
from tenure.model.errors import FaultsFound, NotFound
from tenure.model.verdict import Verdict
from tenure.work import batches, contests, judging, views
from tenure.work.session import Session


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("range", nargs="?", metavar="BASE..HEAD", help="without it: what a push would send")


def run(args: argparse.Namespace, out: Output) -> int:
    session = common.begin(args)
    read = reading.reader(session.place.common_dir)
    with out.waiting("reading commits"):
        batch = _batch(session, args.range)
        verdict = judging.judge(session, views.read(session), batch, read)
    _say(verdict, out)
    out.document(
        {
            "verdict": verdict.outcome,
            "edits": [rows.edit(one) for one in verdict.edits],
            "said": [rows.edit(one) for one in verdict.said],
            "contested": [rows.contest(one) for one in verdict.contested],
            "unattributed": [rows.contest(one) for one in verdict.unattributed],
            "unjudged": list(verdict.unjudged),
        }
    )
    return FaultsFound.code if verdict.outcome != "ok" else 0


def _batch(session: Session, asked: str | None) -> batches.Batch:
    if asked is None:
        head = objects.resolve("HEAD")
        if head is None:
            return batches.Batch((), ())
        known = batches.known_of(session.origin.name if session.origin else None, [])
        return batches.gather([("HEAD", head)], known)
    base, dots, head_name = asked.partition("...") if "..." in asked else asked.partition("..")
    names = [base, head_name or "HEAD"] if dots else [f"{asked}^", asked]
    found = [objects.resolve(name) for name in names]
    for name, oid in zip(names, found, strict=True):
        if oid is None:
            raise NotFound(*_unknown(session, asked, name))
    return batches.gather_range(found[0] or "", found[1] or "")


def _unknown(session: Session, asked: str, name: str) -> tuple[str, str]:
    """A commit that was not named but meant, its parent, is said by the one that was."""
    if name == f"{asked}^" and objects.resolve(asked):
        return f"{asked} has no parent here to judge it against", "git log --oneline"
    named = name.removesuffix("^") if name == f"{asked}^" else name
    return f"no commit here is named {named}", f"git fetch {session.remote}"


def _say(verdict: Verdict, out: Output) -> None:
    for edit in verdict.edits:
        who = f", held by {edit.holder}" if edit.holder else ""
        out.say(f"refused: {edit.task} ({edit.path}) in {(edit.commit or '')[:7]}: {happened(edit)}{who}")
        for line in diff(edit):
            out.say(line)
        out.say(f"  -> tenure criteria restore {ids.short(edit.task)}")
    for edit in verdict.said:
        out.say(f"not refused: {edit.task} in {(edit.commit or '')[:7]}: {edit.excuse}")
    for one in verdict.contested:
        out.say(f"contested: {contests.sentence(one)}")
    for one in verdict.unattributed:
        out.say(f"by somebody unknown: {contests.sentence(one)}")
    for text in verdict.unjudged:
        out.say(f"not judged: {text}")
    out.say(f"verify: {verdict.outcome}")
