"""`review`: the queue of proposals, and the findings of `check`, without pruning."""

from __future__ import annotations

import argparse

from tenure.faces.cli import check, common
from tenure.faces.cli.output import Output
from tenure.model.errors import FaultsFound
from tenure.model.text import counted
from tenure.work import inspecting, looking


def register(parser: argparse.ArgumentParser) -> None:
    del parser


def run(args: argparse.Namespace, out: Output) -> int:
    """8 on faults. Renews nothing, writes nothing (R-L4)."""
    session = common.begin(args)
    corpus = common.corpus_of(session)
    proposals = looking.search(corpus, "", "proposed")
    if proposals:
        out.say("proposed:")
    for one in proposals:
        out.say(f"  {one.id} {one.entity.title}   (tenure accept {one.id})")
    found = inspecting.inspect(session, corpus)
    check.say(found.findings, out)
    parts = ((len(proposals), "proposal"), (found.faults, "fault"), (found.signals, "signal"))
    out.say("review: " + ", ".join(counted(number, name) for number, name in parts))
    out.document(
        {
            "proposals": [{"id": one.id, "kind": one.entity.kind, "title": one.entity.title} for one in proposals],
            "faults": found.faults,
            "signals": found.signals,
            "findings": [check.row(one) for one in found.findings],
        }
    )
    return FaultsFound.code if found.faults else 0
