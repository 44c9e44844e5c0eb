"""`graph`: what waits for what."""

from __future__ import annotations

import argparse

from tenure.faces.cli import common, find, paths
from tenure.faces.cli.output import Output
from tenure.work import looking, views
from tenure.work.looking import Edge, Row


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", help="only tasks that cover it, with their neighbours")


def run(args: argparse.Namespace, out: Output) -> int:
    """Renews nothing (R-L4)."""
    session = common.begin(args)
    corpus = common.corpus_of(session)
    stored, edges = looking.graph(corpus, paths.path_of(corpus, args.path))
    rows = looking.rows(session, corpus, views.read(session), stored)
    _draw(rows, edges, out)
    find.say_faults(corpus, out)
    out.document(
        {
            "nodes": [{"id": row.id, "status": row.status, "state": row.state, "title": row.title} for row in rows],
            "edges": [{"task": edge.task, "blocked_by": edge.blocker, "known": edge.known} for edge in edges],
        }
    )
    return 0


def _draw(rows: list[Row], edges: list[Edge], out: Output) -> None:
    """Every task that is not over, or has an edge; under it what it waits for."""
    by_id = {row.id: row for row in rows}
    linked = {name for edge in edges for name in (edge.task, edge.blocker)}
    shown = [row for row in rows if row.status not in ("done", "closed") or row.id in linked]
    if not shown:
        out.say("nothing found")
    for row in shown:
        state = "" if row.state == row.status else f" ({row.state})"
        out.say(f"{row.id}  {row.status:<11} {find.out_title(row.title)}{state}")
        for edge in edges:
            if edge.task == row.id:
                other = by_id.get(edge.blocker)
                out.say(f"  waits for {edge.blocker}  {other.status if other else 'not in this corpus'}")
