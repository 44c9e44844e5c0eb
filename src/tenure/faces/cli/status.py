"""status: who am I, what do I hold, what do others hold, what waits (§10). Reads only; no network; renews nothing."""

from __future__ import annotations

import argparse
from typing import Any

from tenure.faces.cli import common
from tenure.faces.cli.output import Output
from tenure.model import ids, instants, lease
from tenure.model.errors import TenureError
from tenure.model.identity import SOURCES
from tenure.model.text import counted
from tenure.work import feed, pruning, views, whereabouts
from tenure.work.corpus import Corpus
from tenure.work.session import Session
from tenure.work.views import View, Views


def register(parser: argparse.ArgumentParser) -> None:
    del parser


def run(args: argparse.Namespace, out: Output) -> int:
    session = common.begin(args)
    found = views.read(session)
    corpus = common.corpus_or_none(session)
    document = _document(session, found, _titles(corpus, found))
    _say(session, found, corpus, document, out)
    common.warn_unreadable(session, found, out)
    common.end(session, out)
    out.document(document)
    return 0


def _titles(corpus: Corpus | None, found: Views) -> dict[str, str]:
    if corpus is None:
        return {}
    return {task: title for task in found.tasks if (title := _title(corpus, task))}


def _title(corpus: Corpus, task: str) -> str | None:
    try:
        return corpus.stored(task).entity.title
    except TenureError:
        return None


def _document(session: Session, found: Views, titles: dict[str, str]) -> dict[str, Any]:
    who = session.identity
    held = found.held(who.value, session.at)
    others = [view for view in found.claims() if not view.held_by(who.value)]
    done = [view.completion for view in found.tasks.values() if view.completion]
    waits = [state for state in session.store.all() if state.get("pending")] if session.has_origin else []
    return {
        "identity": {"value": who.value, "source": who.source, "kind": who.kind},
        "branch": whereabouts.branch(),
        "default_branch": whereabouts.default_branch(session),
        "claim": _claim(session, held) if held else None,
        "remote": session.has_origin,
        "elsewhere": [
            {
                "id": view.task,
                "title": titles.get(view.task),
                "holder": view.claim.holder if view.claim else None,
                "expires": common.instant(view.claim.expires) if view.claim else None,
                "live": view.live(session.at),
            }
            for view in others
        ],
        "completions": [{"id": one.task, "commit": one.commit, "branch": one.branch} for one in done],
        "pending": len(waits),
        "outbox": feed.waiting(session.has_origin),
        "lost": _lost(session),
    }


def _lost(session: Session) -> list[dict[str, str]]:
    found = [(state.task, state.lost(session.identity.value)) for state in session.store.all()]
    return [{"id": task, "holder": lost[0]} for task, lost in found if lost]


def _claim(session: Session, view: View) -> dict[str, Any]:
    claim = view.claim
    assert claim is not None
    return {
        "id": view.task,
        "expires": common.instant(claim.expires),
        "lapsed": not view.live(session.at),
        "remaining_s": lease.remaining(claim, session.at, view.first_seen),
        "generation": claim.generation,
        "local_only": _local_only(session, view),
    }


def _local_only(session: Session, view: View) -> bool:
    """Whether origin was never seen to hold it: another clone can take the task (R-C2)."""
    if not session.has_origin:
        return False
    return view.state.get("refused") is not None or (view.mirror is None and view.state.get("published") is None)


def _say(session: Session, found: Views, corpus: Corpus | None, document: dict[str, Any], out: Output) -> None:
    out.say(f"you are {session.identity.value} (from {SOURCES[session.identity.source]})")
    if document["branch"]:
        out.say(f"on branch {document['branch']}")
    held = document["claim"]
    if held:
        view = found.tasks[held["id"]]
        back = f"   (tenure claim {ids.short(held['id'])} brings it back)" if held["lapsed"] else ""
        only = "  [this clone only]" if held["local_only"] else ""
        out.say(f"you hold {held['id']}, {_until(session, view)}{only}{back}")
        if view.claim and lease.is_skewed(view.claim, session.at):
            out.warn(f"{view.task} was claimed by a clock that runs ahead ({instants.minute_of(view.claim.claimed)})")
    else:
        out.say(f"you hold nothing   ({common.begin_with(corpus)})")
    for one in document["lost"]:
        out.say(f"you lost {one['id']} to {one['holder']}   (tenure show {ids.short(one['id'])})")
    for one in document["elsewhere"]:
        view = found.tasks[one["id"]]
        out.say(
            f"  {one['id']} held by {one['holder']}, {_until(session, view)}"
            + (f": {one['title']}" if one["title"] else "")
        )
    merged = pruning.merged(session, found)
    for one in document["completions"]:
        where = f", branch {one['branch']}" if one["branch"] else ""
        then = "merged here   (tenure check prunes it)" if one["id"] in merged else "not on the default branch yet"
        out.say(f"  {one['id']} finished (commit {one['commit'][:7]}{where}), {then}")
    _say_origin(session, document, out)


def _say_origin(session: Session, document: dict[str, Any], out: Output) -> None:
    """Whether others see these claims: without an origin only the worktrees of this clone are arbitrated (R-C10)."""
    if not document["remote"]:
        out.say("no origin is set: other clones do not see these claims   (git remote add origin <url>)")
    elif session.config.get("tenure.remote") is None and session.config.get("remote.upstream.url"):
        out.say(
            "a remote `upstream` exists and tenure.remote is not set: claims go to `origin`"
            "   (git config tenure.remote upstream)"
        )
    if document["pending"] or document["outbox"]:
        parts = [counted(document["pending"], "claim push", "claim pushes")] if document["pending"] else []
        parts += [counted(document["outbox"], "event")] if document["outbox"] else []
        out.say(f"waiting for origin: {', '.join(parts)}   (the next command or commit tries again)")
    if document["remote"]:
        out.say("what others hold is as last seen on origin   (tenure board looks again)")


def _until(session: Session, view: View) -> str:
    claim = view.claim
    assert claim is not None
    if not view.live(session.at):
        return f"lapsed since {instants.minute_of(lease.end(claim, view.first_seen))}"
    end, left = lease.end(claim, view.first_seen), lease.remaining(claim, session.at, view.first_seen)
    if left:
        return f"until {instants.minute_of(end)} ({instants.span(left)} left)"
    free = instants.span(lease.until_free(claim, session.at, view.first_seen))
    return f"ended {instants.minute_of(end)} (free to be taken over in {free})"
