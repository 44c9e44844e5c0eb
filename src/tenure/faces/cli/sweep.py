"""sweep: delete claims that lapsed long ago, here and on origin (R-G3)."""

from __future__ import annotations

import argparse

from tenure.faces.cli import common
from tenure.faces.cli.output import Output
from tenure.model import instants
from tenure.model.verdict import Removal
from tenure.work import mirroring, sweeping, views


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--after", metavar="D", help="how long after the lapse (default 24h)")
    parser.add_argument("--dry-run", action="store_true", help="say what would go, write nothing")


def run(args: argparse.Namespace, out: Output) -> int:
    after = common.duration(args.after, "--after", "tenure sweep --after 24h")
    session = common.begin(args)
    if not mirroring.refresh(session):
        out.warn("origin could not be read; judged by what it held last")
    done = sweeping.sweep(session, views.read(session), sweeping.AFTER if after is None else after, args.dry_run)
    verb = "would sweep" if args.dry_run else "swept"
    for row in done.swept:
        out.say(f"{verb} {row.task}: {row.holder}, lapsed since {instants.minute_of(row.at)}")
    out.say(f"{verb} {len(done.swept)}, {'would keep' if args.dry_run else 'kept'} {len(done.kept)}")
    if not args.dry_run:
        common.end(session, out)
    out.document({"swept": _rows(done.swept), "kept": _rows(done.kept), "dry_run": args.dry_run})
    return 0


def _rows(rows: tuple[Removal, ...]) -> list[dict[str, str]]:
    return [
        {"task": row.task, "holder": row.holder, "expires": instants.text_of(row.at), "why": row.why} for row in rows
    ]
