"""init: what a repository needs, each thing said; commits nothing, stages nothing (§10)."""

from __future__ import annotations

import argparse

from tenure.faces.cli import common
from tenure.faces.cli.output import Output
from tenure.work import beginning


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
    out.say('  -> tenure new "What has to be done"' if done.empty else "  -> tenure claim --next")
    common.end(session, out)
    out.document({"created": list(done.created), "changed": changed, "hooks": hooks})
    return 0
