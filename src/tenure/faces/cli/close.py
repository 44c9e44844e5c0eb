"""close: end a task for good, whoever holds it (R-C9)."""

from __future__ import annotations

import argparse

from tenure.faces.cli import common
from tenure.faces.cli.output import Output
from tenure.work import handing


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help="the task")
    parser.add_argument("--reason", metavar="R", help="why")
    parser.set_defaults(needs=("a task and a reason", 'tenure close <id> --reason "<why>"'))


def run(args: argparse.Namespace, out: Output) -> int:
    session = common.begin(args)
    corpus = common.corpus_of(session)
    done = handing.close(session, corpus, args.id, args.reason)
    out.say(f"closed {done.task.id}" + (" (contested: somebody else's lease was live)" if done.contested else ""))
    out.say(f"  -> {common.commit_of(corpus)}")
    common.end(session, out, done.warnings)
    out.document(
        {
            "task": done.task.id,
            "status": done.task.status,
            "claim_revoked": done.revoked,
            "contested": done.contested,
            "reason": done.reason,
            "lease_expires_at": None,
        }
    )
    return 0
