"""criteria restore: put the frozen text back (§10)."""

from __future__ import annotations

import argparse

from tenure.faces.cli import common
from tenure.faces.cli.output import Output
from tenure.work import restoring


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", metavar="restore", choices=["restore"], help="the one thing that it does")
    parser.add_argument("id", help="the task")
    parser.set_defaults(needs=("the word restore and a task", "tenure criteria restore <id>"))


def run(args: argparse.Namespace, out: Output) -> int:
    session = common.begin(args)
    stored, changed = restoring.restore(session, common.corpus_of(session), args.id)
    if changed:
        out.say(f"restored the criterion of {stored.id} in {stored.name}")
    else:
        out.say(f"the criterion of {stored.id} in {stored.name} is the frozen one already")
    out.say("  -> git add it and commit")
    common.end(session, out)
    out.document({"task": stored.id, "path": stored.name})
    return 0
