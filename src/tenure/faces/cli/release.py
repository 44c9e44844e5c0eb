"""release: hand a task back with a reason (R-C6)."""

from __future__ import annotations

import argparse

from tenure.faces.cli import common
from tenure.faces.cli.output import Output
from tenure.work import handing


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", help="the task; without it the one that you hold")
    parser.add_argument("--reason", metavar="R", help="why; the next holder reads it")


def run(args: argparse.Namespace, out: Output) -> int:
    session = common.begin(args)
    corpus = common.corpus_of(session)
    done = handing.release(session, corpus, args.reason, args.id)
    out.say(f"released {done.task.id} -> {done.task.status}")
    out.say(f"  -> {common.commit_of(corpus)}   (the next holder reads the reason there)")
    common.end(session, out, done.warnings)
    out.document({"task": done.task.id, "status": done.task.status, "reason": done.reason, "lease_expires_at": None})
    return 0
