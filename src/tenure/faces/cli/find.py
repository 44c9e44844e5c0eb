"""`find`: list entities, a line each."""

from __future__ import annotations

import argparse

from tenure.faces.cli import common, paths
from tenure.faces.cli.output import Output
from tenure.work import looking, views
from tenure.work.corpus import Corpus
from tenure.work.looking import Row

STATUSES = ("open", "in_progress", "done", "closed", "proposed", "accepted", "superseded")


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="?", default="", help="words that must all occur; without any it lists all")
    parser.add_argument("--status", choices=STATUSES, metavar="STATUS", help=", ".join(STATUSES))
    parser.add_argument("--type", choices=["task", "adr", "spec", "log"], help="one kind (log entries only so)")
    parser.add_argument("--scope", metavar="PATH", help="what covers a path")
    parser.add_argument("--free", action="store_true", help="tasks that can be claimed now, lapsed claims included")


def run(args: argparse.Namespace, out: Output) -> int:
    """Renews nothing (R-L4)."""
    session = common.begin(args)
    corpus = common.corpus_of(session)
    path = paths.path_of(corpus, args.scope)
    found = views.read(session)
    stored = looking.search(corpus, args.query, args.status, args.type, path)
    if args.free:
        stored = looking.free(session, corpus, found, stored)
    say_rows(corpus, looking.rows(session, corpus, found, stored), out)
    return 0


def say_rows(corpus: Corpus, rows: list[Row], out: Output) -> None:
    """The rows as lines and as the document of find and scope."""
    for row in rows:
        state = "" if row.state in (None, row.status) else f" ({row.state})"
        out.say(f"{row.id}  {row.status or '-':<11} {out_title(row.title)}{state}")
    if not rows:
        out.say("nothing found")
    say_faults(corpus, out)
    results = [
        {"id": row.id, "kind": row.kind, "status": row.status, "state": row.state, "title": row.title} for row in rows
    ]
    out.document({"total": len(results), "results": results})


def out_title(title: str) -> str:
    """A title on one line of a list."""
    return title if len(title) <= 90 else title[:87] + "..."


def say_faults(corpus: Corpus, out: Output) -> None:
    """One warning for files that a list cannot show."""
    if corpus.faults:
        first = next(iter(corpus.faults.values()))
        more = f" (and {len(corpus.faults) - 1} more: tenure check)" if len(corpus.faults) > 1 else ""
        out.warn(f"{first.name} cannot be read: {first.reason}{more}")
