"""`scope`: what covers a path."""

from __future__ import annotations

import argparse

from tenure.faces.cli import find, opening
from tenure.faces.cli.output import Output
from tenure.work import looking, views


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", help="a file or folder, from where you are")


def run(args: argparse.Namespace, out: Output) -> int:
    """Renews nothing (R-L4)."""
    session, corpus = opening.here(args)
    path = opening.path_of(corpus, args.path)
    stored = looking.search(corpus, "", path=path)
    find.say_rows(session, corpus, looking.rows(session, corpus, views.read(session), stored), out)
    return 0
