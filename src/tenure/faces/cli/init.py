"""init: what a repository needs, each thing said; commits nothing, stages nothing (§10)."""

from __future__ import annotations

import argparse
import os
import shlex

from tenure.faces.cli import common
from tenure.faces.cli.output import Output
from tenure.work import beginning
from tenure.work.beginning import Begun
from tenure.work.session import Session


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-hooks", action="store_true", help="install no hooks")
    parser.add_argument(
        "--hooks", choices=["native", "config", "print"], default="native", help="how hooks are put in place"
    )
    parser.add_argument("--refspec", action="store_true", help="let a plain git fetch bring the mirror of claims, too")


def run(args: argparse.Namespace, out: Output) -> int:
    session = common.begin(args)
    done = beginning.begin(session, args.refspec)
    for name in done.created:
        out.say(f"created {name}")
    for name in done.changed:
        out.say(f"changed {name}")
    hooks: list[dict[str, object]] = []
    changed = list(done.changed)
    if not args.no_hooks:
        from tenure.faces.cli import hooks as hooks_verb

        hooks, more = hooks_verb.for_init(session, args.hooks, out)
        changed += more
    if not (done.created or changed):
        out.say("everything is in place already")
    if session.identity.source == "fallback":
        out.say(
            f"you are {session.identity.value}, made from user and host   (a second session sets its own ANK_AGENT)"
        )
        out.say("  -> git config tenure.agent human:<you>")
    if files := _files(session, done):
        out.say(f'  -> git add {shlex.join(files)} && git commit -m "Use tenure"')
    out.say('  -> tenure new "What has to be done"' if done.empty else "  -> tenure claim --next")
    common.end(session, out)
    out.document({"created": list(done.created), "changed": changed, "hooks": hooks})
    return 0


def _files(session: Session, done: Begun) -> list[str]:
    """What there is to commit, from where we are; a key of git's configuration is no file."""
    names = [name for name in (".ank", ".gitattributes", ".gitignore") if _touched(name, done)]
    return [os.path.relpath(os.path.join(session.place.top or "", name)) for name in names]


def _touched(name: str, done: Begun) -> bool:
    return any(one == name or one.startswith(name + "/") for one in (*done.created, *done.changed))
