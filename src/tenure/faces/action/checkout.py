"""Makes the ground that a run stands on: our own repository, the claims, the default branch, the range (R-G5)."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping

from tenure.faces.action.event import Event
from tenure.git import checkout, process
from tenure.git.checkout import Range
from tenure.model.value import value

SHORT_LIMIT = 30.0  # seconds for one answer of origin
RANGE_LIMIT = 180.0  # seconds for the history of the range


@value
class Ground:
    """`folder` is the current folder of the run from now on; `default_branch` None where nobody says it."""

    folder: str
    default_branch: str | None


def prepare(event: Event, token: str, environment: Mapping[str, str]) -> Ground:
    """Make the repository, put the token where only its server gets it, and go there. Broken (9): git is too old."""
    process.version()
    server = environment.get("GITHUB_SERVER_URL") or "https://github.com"
    workspace = environment.get("GITHUB_WORKSPACE") or os.getcwd()
    os.environ.update(checkout.settings(server, token))
    there = checkout.origin_url(workspace)
    ours = checkout.leads_to(there, event.repository)
    url = there if ours else f"{server.rstrip('/')}/{event.repository}"
    if ours:
        os.environ.update(checkout.rerouted(server, there, event.repository))
    parent = environment.get("RUNNER_TEMP")
    inside = tempfile.mkdtemp(prefix="tenure-", dir=parent if parent and os.path.isdir(parent) else None)
    folder = os.path.join(inside, "repository.git")
    checkout.scratch(folder, url, workspace if ours else "")
    os.chdir(folder)
    return Ground(folder, event.default_branch or checkout.default_branch(SHORT_LIMIT))


def tip_of(branch: str | None) -> str | None:
    """The commit that origin's branch names, fetched; None where it cannot be had."""
    oid = checkout.tip(f"refs/heads/{branch}", SHORT_LIMIT) if branch else None
    if branch and oid:
        checkout.track(branch, oid)
    return oid


def bring(event: Event) -> Range:
    """The range of the event, as far as origin gives it."""
    base = event.base or (_named(event.base_ref) if event.base_ref else None)
    head = event.head or (_named(event.head_ref) if event.head_ref else None)
    if base is None or head is None:
        return Range(base, head, False)
    found = checkout.bring_range(base, head, RANGE_LIMIT)
    if found.base is None and event.name == "push" and event.default_branch:
        return _since_default(event, head)
    return found


def _since_default(event: Event, head: str) -> Range:
    """A forced push left the old tip behind: what the branch has beyond the default branch is judged instead."""
    base = tip_of(event.default_branch)
    return checkout.bring_range(base, head, RANGE_LIMIT) if base else Range(None, head, False)


def _named(ref: str) -> str | None:
    return checkout.tip(ref, SHORT_LIMIT)
