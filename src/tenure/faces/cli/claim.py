"""claim: take a task (R-C5)."""

from __future__ import annotations

import argparse

from tenure.faces.cli import common
from tenure.faces.cli.output import Output
from tenure.model import instants, lease, record
from tenure.model.errors import WrongUse
from tenure.model.task import slug_of
from tenure.work import choosing, claimable, claiming, handover, overlaps, views
from tenure.work.claiming import Grant
from tenure.work.corpus import Corpus
from tenure.work.session import Session


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", help="the task: its id or at least four hex digits of it")
    parser.add_argument("--criteria", metavar="TEXT", help="set the criterion in the same call")
    parser.add_argument("--lease", metavar="D", help="how long the claim lasts: 30m, 2h")
    parser.add_argument("--next", action="store_true", help="the first claimable task of the perimeter")
    parser.add_argument("--scope", metavar="PATH", help="with --next: tasks that cover this path")


def run(args: argparse.Namespace, out: Output) -> int:
    asked = common.duration(args.lease, "--lease", f"tenure claim {args.id or '--next'} --lease 30m")
    if args.next == (args.id is not None):
        told = "name a task, or --next" + (", not both" if args.next else "")
        raise WrongUse(told, "tenure claim <id>", "tenure claim --next")
    session = common.begin(args)
    corpus = common.corpus_of(session)
    if args.next:
        grant = choosing.claim_next(session, corpus, args.scope, asked)
    else:
        grant = claiming.claim(session, corpus, claimable.wish(corpus, args.id, args.criteria, asked))
    for text in _same_length(grant, asked):
        out.warn(text)
    _tell(session, corpus, grant, out)
    return 0


def _same_length(grant: Grant, asked: int | None) -> tuple[str, ...]:
    """A regrant keeps the length that was granted (R-L3); who asks for another one is told."""
    length = grant.claim.ttl or record.DEFAULT_TTL
    if not grant.regranted or asked in (None, length):
        return ()
    return (f"you hold it already and it keeps its length of {instants.span(length)}; release it to claim anew",)


def _tell(session: Session, corpus: Corpus, grant: Grant, out: Output) -> None:
    claim, task = grant.claim, grant.task
    out.say(f"claimed {task.id} {task.slug or slug_of(task.title)} -> HEAD")
    out.say(f"until {instants.minute_of(claim.expires)}; a commit that touches it renews")
    for line in handover.lines(session, corpus, task, grant.former):
        out.say(line)
    for warning in grant.warnings:
        out.warn(warning)
    if lease.is_skewed(claim, session.at):
        out.warn(f"{task.id} was claimed by a clock that runs ahead of this one ({instants.minute_of(claim.claimed)})")
    overlap = overlaps.line(session, corpus, views.read(session), task.scope, task.id)
    if overlap:
        out.warn(overlap)
    common.end(session, out)
    out.document(
        {
            "task": task.id,
            "holder": claim.holder,
            "expires": instants.text_of(claim.expires),
            "lease_expires_at": instants.text_of(claim.expires),
            "ttl": claim.ttl or 1800,
            "generation": claim.generation,
            "regranted": grant.regranted,
            "taken_over": grant.taken_over,
            "pushed": grant.pushed,
        }
    )
