"""activity: the feed of events (R-A5)."""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

from tenure.faces.cli import common
from tenure.faces.cli.output import Output
from tenure.model.event import Event
from tenure.model.text import for_terminal
from tenure.work import feed, mirroring
from tenure.work.session import Session

_PAUSE = 5.0


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--task", metavar="ID", help="events of one task")
    parser.add_argument("--severity", choices=["info", "warn"], help="warn: only what somebody should look at")
    parser.add_argument("--since", metavar="D", help="not older than 2h, 7d, …")
    parser.add_argument("--follow", action="store_true", help="go on and print what comes; with --json a line an event")
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)


def run(args: argparse.Namespace, out: Output) -> int:
    since = common.duration(args.since, "--since", "tenure activity --since 2h")
    session = common.begin(args)
    task = _task(session, args.task)
    if args.follow:
        return _follow(session, args, task, out)
    with out.waiting("reading origin"):
        answered = mirroring.refresh(session)
    if not answered:
        out.warn("origin could not be read; these are the events that this clone knows")
    found = _chosen(_known(task), args.severity, session.at - since if since else None)
    for one in found:
        out.say(_line(one))
    if not found:
        out.say("no events")
    out.document({"events": [one.fields for one in found]})
    return 0


def _task(session: Session, name: str | None) -> str | None:
    if name is None:
        return None
    from tenure.model import ids, resolve

    if ids.is_id(name):
        return name
    known = {one.task for one in feed.all_events()} | set(common.corpus_of(session).ids("TASK"))
    return resolve.resolve(name, known)


def _known(task: str | None) -> list[Event]:
    return feed.events(task) if task else feed.all_events()


def _chosen(found: list[Event], severity: str | None, since: int | None) -> list[Event]:
    return [
        one
        for one in found
        if (severity != "warn" or one.fields["severity"] == "warn") and (since is None or one.at >= since)
    ]


def _line(one: Event) -> str:
    fields = one.fields
    mark = "!" if fields["severity"] == "warn" else " "
    change = f" {fields['from']} -> {fields['to']}" if fields["to"] else ""
    held = f", held by {fields['holder']}" if fields["holder"] and fields["holder"] != fields["actor"] else ""
    reason = f": {fields['reason']}" if fields["reason"] else ""
    return f"{mark} {fields['at']} {one.type} {one.task}{change} by {fields['actor']}{held}{reason}"


def _follow(session: Session, args: argparse.Namespace, task: str | None, out: Output) -> int:
    """Print events as they come until the reader goes away or the person stops it."""
    seen: set[str] = set()
    while True:
        if not mirroring.refresh(session) and not out.quiet:
            out.warn("origin could not be read; trying again")
        for one in _chosen(_known(task), args.severity, None):
            if one.id not in seen:
                seen.add(one.id)
                _print(one.fields, one, out)
        if args.once:
            return 0
        time.sleep(_PAUSE)


def _print(fields: dict[str, Any], one: Event, out: Output) -> None:
    text = json.dumps(fields) if out.json else for_terminal(_line(one))
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
