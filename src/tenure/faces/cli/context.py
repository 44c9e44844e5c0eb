"""`context`: what you hold and what binds it, or what can be claimed. Renews a live claim (R-L4)."""

from __future__ import annotations

import argparse
from typing import Any

from tenure.faces.cli import common, paths, show
from tenure.faces.cli.output import Output
from tenure.model import instants, lease
from tenure.model.errors import NotFound
from tenure.model.record import Claim
from tenure.model.text import counted
from tenure.work import briefing, holding, mirroring, views, working
from tenure.work.briefing import Briefing
from tenure.work.corpus import Corpus
from tenure.work.session import Session
from tenure.work.views import View


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", help="a perimeter: a file or folder, from where you are")


def run(args: argparse.Namespace, out: Output) -> int:
    session = common.begin(args)
    corpus = common.corpus_of(session)
    path = paths.path_of(corpus, args.path)
    view = views.read(session).held(session.identity.value, session.at)
    if view is None:
        _orient(session, corpus, path, out)
    else:
        _brief(session, corpus, view, path, out)
    common.end(session, out)
    return 0


def _brief(session: Session, corpus: Corpus, view: View, path: str | None, out: Output) -> None:
    renewed = working.renew_live(session, view)
    claim = renewed.claim if renewed else view.claim
    assert claim is not None
    if not view.live(session.at):
        lapsed = instants.minute_of(lease.end(claim, view.first_seen))
        out.warn(f"your lease on {view.task} lapsed at {lapsed}; `tenure log` or `tenure claim` brings it back")
    for warning in renewed.warnings if renewed else ():
        out.warn(warning)
    try:
        _, task = corpus.find_task(view.task)
    except NotFound:
        raise NotFound(
            f"you hold {view.task}, whose file is not in this tree", "git switch <its branch>", "tenure status"
        ) from None
    found = briefing.execution(corpus, task, path)
    _say_held(session, found, view, claim, out)
    out.document(_document("execution", found, claim))


def _orient(session: Session, corpus: Corpus, path: str | None, out: Output) -> None:
    for state in session.store.all():
        if state.lost(session.identity.value):
            raise holding.lost_error(session, views.read(session, state.task).of(state.task, session))
    if not mirroring.refresh(session, 3.0):
        out.warn("origin could not be read: others may hold some of these")
    found = briefing.orientation(session, corpus, views.read(session), path)
    out.say("you hold nothing; claimable here:" if found.tasks else "you hold nothing, and nothing is claimable here")
    for task in found.tasks:
        out.say(f"  {task.id} {task.title}")
    if found.cut_tasks:
        out.say(f'  and {found.cut_tasks} more   (tenure find "" --free)')
    _say_constraints(found, out)
    out.document(_document("orientation", found, None))


def _say_held(session: Session, found: Briefing, view: View, claim: Claim, out: Output) -> None:
    task = found.task
    assert task is not None
    if view.live(session.at):
        when = f"until {instants.minute_of(claim.expires)}, {instants.span(lease.remaining(claim, session.at))} left"
    else:
        when = f"lapsed since {instants.minute_of(lease.end(claim, view.first_seen))}"
    out.say(f"{task.id} {task.title}   ({when})")
    out.say("done when:")
    for line in (task.done_criteria or "nothing is said").rstrip("\n").split("\n"):
        out.say("  " + line)
    _say_constraints(found, out)
    if found.log or found.cut_log:
        out.say("log:")
    if found.cut_log:
        cut = counted(found.cut_log, "earlier entry is", "earlier entries are")
        out.say(f"  {cut} left out   (tenure log {task.id})")
    for one in found.log:
        out.text(f"  {one.timestamp} {one.who or '-'}: {one.message}", "    ")


def _say_constraints(found: Briefing, out: Output) -> None:
    if found.constraints:
        out.say("constraints:")
    for one in found.constraints:
        if one.id in found.named:
            out.say(f"  {one.id} {one.title}   (cut: tenure show {one.id})")
            continue
        out.say(f"  {one.id} {one.title}")
        for line in one.constraint.rstrip("\n").split("\n"):
            out.say("    " + line)


def _document(mode: str, found: Briefing, claim: Claim | None) -> dict[str, Any]:
    task = found.task
    return {
        "mode": mode,
        "task": {"id": task.id, "title": task.title, "slug": task.slug, "status": task.status} if task else None,
        "criteria": task.done_criteria if task else None,
        "constraints": [
            {"id": one.id, "title": one.title, "constraint": None if one.id in found.named else one.constraint}
            for one in found.constraints
        ],
        "log": [show.row(line) for line in found.log],
        "tasks": [{"id": one.id, "title": one.title, "slug": one.slug, "status": one.status} for one in found.tasks],
        "cut": {"log": found.cut_log, "tasks": found.cut_tasks, "constraints": len(found.named)},
        "lease_expires_at": instants.text_of(claim.expires) if claim else None,
    }
