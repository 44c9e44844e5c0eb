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


def _apart(name: str | None, texts: list[str]) -> tuple[str | None, list[str]]:
    """The task and the proofs; a task named behind the proofs counts too, since a flag takes all that follows."""
    if name is None and len(texts) > 1 and ":" not in texts[-1]:
        return texts[-1], texts[:-1]
    return name, texts


def run(args: argparse.Namespace, out: Output) -> int:
    name, texts = _apart(args.id, args.proof)
    given = [finishing.proof_of(text) for text in texts]
    session = common.begin(args)
    corpus = common.corpus_of(session)
    done = finishing.done(session, corpus, name, given)
    record = done.completion
    where = f" on {record.branch}" if record.branch else ""
    out.say(f"done {done.task.id} at {record.commit[:7]}{where}")
    out.say(f"  -> {common.commit_of(corpus)}   (the record is pruned when the default branch says done)")
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
