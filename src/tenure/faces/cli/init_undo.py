"""uninit: no hook, no key, no ref of ours but claims, no file; `.ank/` belongs to the repository (R-H7)."""

from __future__ import annotations

import argparse

from tenure.faces.cli import common
from tenure.faces.cli.output import Output
from tenure.work import beginning


def register(parser: argparse.ArgumentParser) -> None:
    del parser


def run(args: argparse.Namespace, out: Output) -> int:
    session = common.begin(args)
    from tenure.faces.cli import hooks as hooks_verb

    gone = hooks_verb.for_uninit(session, out) + beginning.undo(session)
    for name in gone:
        out.say(f"removed {name}")
    out.say("claims and .ank/ are left: they belong to the repository" if gone else "nothing of tenure was here")
    out.document({"removed": gone})
    return 0
