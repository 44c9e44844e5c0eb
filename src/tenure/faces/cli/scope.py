"""`scope`: what covers a path."""

from __future__ import annotations

import argparse

from tenure.faces.cli import common, find, paths
from tenure.faces.cli.output import Output
from tenure.work import looking, views


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", help="a file or folder, from where you are")
    parser.set_defaults(needs=("a path", "tenure scope src/"))


def run(args: argparse.Namespace, out: Output) -> int:
    """Renews nothing (R-L4)."""
    session = common.begin(args)
    corpus = common.corpus_of(session)
    path = paths.path_of(corpus, args.path)
    stored = looking.search(corpus, "", path=path)
    find.say_rows(corpus, looking.rows(session, corpus, views.read(session), stored), out)
    return 0
