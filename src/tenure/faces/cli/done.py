"""done: finish a task with its proof (R-C7)."""

from __future__ import annotations

import argparse

from tenure.faces.cli import common
from tenure.faces.cli.output import Output
from tenure.work import finishing


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", help="the task; without it the one that you hold")
    parser.add_argument(
        "--proof",
        action="extend",
        nargs="+",
        default=[],
        metavar="TYPE:REF",
        help="test, commit, human-review or assertion, and what it points at",
    )


def run(args: argparse.Namespace, out: Output) -> int:
    given = [finishing.proof_of(text) for text in args.proof]
    session = common.begin(args)
    done = finishing.done(session, common.corpus_of(session), args.id, given)
    record = done.completion
    where = f" on {record.branch}" if record.branch else ""
    out.say(f"done {done.task.id} at {record.commit[:7]}{where}")
    out.say("the record stays until the default branch says done; then it is pruned")
    common.end(session, out, done.warnings)
    out.document(
        {
            "task": done.task.id,
            "status": done.task.status,
            "commit": record.commit,
            "branch": record.branch,
            "proofs": len(done.proofs),
            "lease_expires_at": None,
        }
    )
    return 0
