"""hook: what the shims fall back on when their baked interpreter is gone, and what hook managers call."""

from __future__ import annotations

import argparse

from tenure.faces.cli.output import Output
from tenure.faces.hooks import entry


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("event", choices=["pre-commit", "pre-push", "pre-receive"])
    parser.add_argument("rest", nargs="*")


def run(args: argparse.Namespace, out: Output) -> int:
    del out
    return entry.main([args.event, *args.rest])
