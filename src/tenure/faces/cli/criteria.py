"""criteria restore: put the frozen text back (§10)."""

from __future__ import annotations

import argparse

from tenure.faces.cli import common
from tenure.faces.cli.output import Output
from tenure.work import restoring


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", metavar="restore", choices=["restore"])
    parser.add_argument("id", help="the task")


def run(args: argparse.Namespace, out: Output) -> int:
    session = common.begin(args)
    stored = restoring.restore(session, common.corpus_of(session), args.id)
    out.say(f"restored the criterion of {stored.id} in {stored.name}")
    out.say("  -> git add it and commit")
    common.end(session, out)
    out.document({"task": stored.id, "path": stored.name})
    return 0
