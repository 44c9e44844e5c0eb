"""`show`: an entity whole, with who holds it. Renews when it is the held task (R-L4)."""

from __future__ import annotations

import argparse
from typing import Any

from tenure.faces.cli import common
from tenure.faces.cli.output import Output
from tenure.model import ids
from tenure.model.errors import TenureError
from tenure.model.task import Task
from tenure.work import log, looking, views, working
from tenure.work.corpus import Corpus, Stored
from tenure.work.log import Line

_SHOWN = 10


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help="an id, or at least 4 of its hex digits")
    parser.set_defaults(needs=("an id", "tenure show <id>"))


def run(args: argparse.Namespace, out: Output) -> int:
    session = common.begin(args)
    corpus = common.corpus_of(session)
    stored = corpus.find(args.id)
    view = views.read(session, stored.id if isinstance(stored.entity, Task) else None).of(stored.id, session)
    renewed = working.renew_live(session, view) if isinstance(stored.entity, Task) else None
    for warning in renewed.warnings if renewed else ():
        out.warn(warning)
    entity = stored.entity
    told = looking.coordination(session, view, entity.status) if isinstance(entity, Task) else None
    lines = log.lines_about(corpus, stored.id, stored.entity.body)
    document = {
        "id": stored.id,
        "status": getattr(stored.entity, "status", None),
        "coordination": told,
        "lease_expires_at": common.instant(renewed.claim.expires if renewed else None),
        **_edges(corpus, stored),
        "log_total": len(log.said(lines)),
        "log": [row(line) for line in log.said(lines)],
        "machinery": [row(line) for line in lines if line.records is not None],
        "content": stored.text,
    }
    _say(stored, told, document, lines, out)
    common.end(session, out)
    out.document(document)
    return 0


def row(line: Line) -> dict[str, Any]:
    """One line of a log, for a document."""
    return {
        "id": line.id,
        "timestamp": line.timestamp,
        "who": line.who,
        "message": line.message,
        "records": line.records,
    }


def _edges(corpus: Corpus, stored: Stored) -> dict[str, Any]:
    task = stored.entity
    if not isinstance(task, Task):
        return {"blocked_by": [], "unblocks": []}
    return {
        "blocked_by": [_edge(corpus, one) for one in task.blocked_by],
        "unblocks": [_edge(corpus, other.id) for other in looking.unblocks(corpus, task.id)],
    }


def _edge(corpus: Corpus, one: str) -> dict[str, Any]:
    try:
        entity = corpus.stored(one).entity
    except TenureError:
        return {"id": one, "short": ids.short(one), "status": None, "title": None}
    return {"id": one, "short": ids.short(one), "status": getattr(entity, "status", None), "title": entity.title}


def _say(stored: Stored, told: str | None, document: dict[str, Any], lines: list[Line], out: Output) -> None:
    out.text(stored.text.rstrip("\n"))
    out.say()
    if told:
        out.say(f"coordination: {told}")
    if document["lease_expires_at"]:
        out.say(f"your lease runs to {document['lease_expires_at']}")
    for edge in document["blocked_by"]:
        out.say(f"waits for {edge['id']}  {edge['status'] or 'not in this corpus'}  {edge['title'] or ''}")
    for edge in document["unblocks"]:
        out.say(f"unblocks {edge['id']}  {edge['status']}  {edge['title']}")
    said = log.said(lines)
    if said:
        out.say(f"log ({len(said)}{', the last ' + str(_SHOWN) if len(said) > _SHOWN else ''}):")
    for line in said[-_SHOWN:]:
        out.text(f"  {line.timestamp} {line.who or '-'}: {line.message}", "    ")
