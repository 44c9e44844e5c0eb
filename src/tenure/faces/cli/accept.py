"""`accept`: ratify a proposed decision by one signed commit on the default branch."""

from __future__ import annotations

import argparse

from tenure.faces.cli import common
from tenure.faces.cli.output import Output
from tenure.work import accepting


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help="a proposed decision or specification")
    parser.set_defaults(needs=("a proposed decision", "tenure review", "tenure accept <id>"))


def run(args: argparse.Namespace, out: Output) -> int:
    session = common.begin(args)
    decision, commit = accepting.accept(session, common.corpus_of(session), args.id)
    out.say(f"accepted {decision} in {commit[:12]}")
    common.end(session, out)
    out.document({"id": decision, "commit": commit})
    return 0
