"""The board: who holds what and for how long, what lapsed, what was finished, where two met (§10). Renews nothing."""

from __future__ import annotations

from tenure.model import instants, lease
from tenure.model.errors import TenureError
from tenure.model.event import Event
from tenure.model.record import Completion
from tenure.model.value import value
from tenure.work import feed, pruning
from tenure.work.corpus import Corpus
from tenure.work.session import Session
from tenure.work.views import View, Views


@value
class Held:
    """One claim. `claimed`, `end`: seconds UTC; `remaining` (0 past the end), `until_free`: seconds (R-L2)."""

    task: str
    title: str | None
    holder: str
    claimed: int
    end: int
    live: bool
    remaining: int
    until_free: int
    mine: bool


@value
class Finished:
    """A completion; `merged`: the default branch says so and it waits to be pruned. `completed` in seconds UTC."""

    task: str
    title: str | None
    commit: str
    branch: str | None
    identity: str
    completed: int
    merged: bool


@value
class Contested:
    """A status change under somebody else's lease, as the feed holds it; `expires` None where it does not say."""

    task: str
    title: str | None
    holder: str
    actor: str
    old: str | None
    new: str | None
    commit: str | None
    at: int
    expires: int | None


@value
class Board:
    """All of it at one instant: live claims by their end; lapsed ones, completions and contests the latest first."""

    at: int
    live: tuple[Held, ...]
    lapsed: tuple[Held, ...]
    finished: tuple[Finished, ...]
    contested: tuple[Contested, ...]


def board(session: Session, found: Views, corpus: Corpus | None) -> Board:
    """The board as this clone knows it. `corpus` gives titles; without one there are none."""
    held = [_held(session, view, corpus) for view in found.claims()]
    merged = pruning.merged(session, found)
    done = [_finished(view.completion, corpus, merged) for view in found.tasks.values() if view.completion]
    met = [_contested(one, corpus) for one in feed.all_events() if one.type == "task.contested"]
    return Board(
        session.at,
        tuple(sorted((one for one in held if one.live), key=lambda one: (one.end, one.task))),
        tuple(sorted((one for one in held if not one.live), key=lambda one: (-one.end, one.task))),
        tuple(sorted(done, key=lambda one: (-one.completed, one.task))),
        tuple(sorted(met, key=lambda one: (-one.at, one.task))),
    )


def _held(session: Session, view: View, corpus: Corpus | None) -> Held:
    claim = view.claim
    assert claim is not None
    return Held(
        view.task,
        _title(corpus, view.task),
        claim.holder,
        claim.claimed,
        lease.end(claim, view.first_seen),
        view.live(session.at),
        lease.remaining(claim, session.at, view.first_seen),
        lease.until_free(claim, session.at, view.first_seen),
        view.held_by(session.identity.value),
    )


def _finished(done: Completion, corpus: Corpus | None, merged: set[str]) -> Finished:
    title = _title(corpus, done.task)
    return Finished(done.task, title, done.commit, done.branch, done.identity, done.completed, done.task in merged)


def _contested(one: Event, corpus: Corpus | None) -> Contested:
    fields = one.fields
    return Contested(
        one.task,
        _title(corpus, one.task),
        fields["holder"] or "",
        fields["actor"] or "",
        fields["from"],
        fields["to"],
        fields["commit"],
        one.at,
        instants.parse_or_none(fields["expires"] or ""),
    )


def _title(corpus: Corpus | None, task: str) -> str | None:
    try:
        return corpus.stored(task).entity.title if corpus else None
    except TenureError:
        return None  # on another branch, or unreadable: the claim is shown all the same
