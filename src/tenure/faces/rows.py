"""Rows of documents and outputs that more than one face prints: objects with `task` first (§10, R-G7)."""

from __future__ import annotations

from tenure.model import instants
from tenure.model.verdict import Contest, Edit, Removal

Row = dict[str, object]


def edit(one: Edit) -> Row:
    """An edit of a frozen criterion."""
    return {
        "task": one.task,
        "path": one.path,
        "line": one.line,
        "commit": one.commit,
        "frozen": one.frozen,
        "now": one.now,
        "holder": one.holder,
        "why": one.why,
        "excuse": one.excuse,
    }


def contest(one: Contest) -> Row:
    """A status change under somebody else's lease."""
    return {
        "task": one.task,
        "holder": one.holder,
        "actor": one.actor,
        "from": one.old,
        "to": one.new,
        "commit": one.commit,
        "at": instants.text_of(one.at),
        "expires": instants.text_of(one.expires),
    }


def removal(one: Removal) -> Row:
    """A record that went, or would go."""
    return {
        "task": one.task,
        "object": one.oid,
        "state": one.state,
        "holder": one.holder,
        "at": instants.text_of(one.at),
        "why": one.why,
    }
