"""`check`: the invariants of corpus and refs; prunes records whose task the default branch knows to be over (R-G2)."""

from __future__ import annotations

import argparse
from typing import Any

from tenure.faces.cli import common, paths
from tenure.faces.cli.output import Output
from tenure.git import reading
from tenure.model.errors import FaultsFound
from tenure.model.verdict import Removal
from tenure.work import contests, inspecting, mirroring, pruning, views
from tenure.work.findings import Finding
from tenure.work.inspecting import Inspection
from tenure.work.session import Session
from tenure.work.views import Views


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", help="only entities that cover it")
    parser.add_argument("--no-prune", action="store_true", help="read only: delete no record")


def run(args: argparse.Namespace, out: Output) -> int:
    """8 when there is at least one fault; signals alone are 0. Renews nothing (R-L4)."""
    session = common.begin(args)
    corpus = common.corpus_of(session)
    path = paths.path_of(corpus, args.path)
    known, pruned = (None, ()) if args.no_prune else _prune(session, out)
    with out.waiting("reading the corpus"):
        found = inspecting.inspect(session, corpus, path, known)
    say(found.findings, out)
    for one in pruned:
        out.say(f"pruned {one.ref}")
    out.say(_last_line(found))
    if not args.no_prune:
        common.end(session, out)
    out.document(
        {
            "faults": found.faults,
            "signals": found.signals,
            "tasks": found.tasks,
            "adr": found.decisions,
            "hot_files": found.hot_files,
            "plane_bytes": found.plane_bytes,
            "pruned": [{"task": one.task, "ref": one.ref, "state": one.state} for one in pruned],
            "findings": [row(one) for one in found.findings],
        }
    )
    return FaultsFound.code if found.faults else 0


def _prune(session: Session, out: Output) -> tuple[Views | None, tuple[Removal, ...]]:
    """R-G2, here and on origin; a contest is recorded before its record goes. The records, where none went."""
    with out.waiting("reading origin"):
        answered = mirroring.refresh(session)
    if not answered:
        out.warn("origin could not be read: only what this clone knows was pruned")
    contests.notice(session)
    known = views.read(session)
    gone = pruning.prune(session, known, reading.reader(session.place.git_dir), "verb").gone
    return (None if gone else known), gone


def say(findings: tuple[Finding, ...], out: Output) -> None:
    """A line a finding, its notes below it."""
    for one in findings:
        out.say(f"{one.level}: {one.subject}: {one.message}")
        for note in one.note:
            out.say(f"  -> {note}")


def row(one: Finding) -> dict[str, Any]:
    """A finding, for a document."""
    return {
        "level": one.level,
        "subject": one.subject,
        "message": one.message,
        "note": list(one.note),
        "charge": [{"id": name, "characters": size} for name, size in one.charge],
    }


def _last_line(found: Inspection) -> str:
    if found.faults:
        return (
            f"check: {found.faults} fault(s), {found.signals} signal(s) in {found.tasks} tasks, {found.decisions} adr"
        )
    return f"check: ok \u2014 {found.tasks} tasks, {found.decisions} adr, {found.signals} signal(s)"
