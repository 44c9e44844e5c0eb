"""The mirror brought up to origin, and what that tells about the claims of this clone (R-C1, R-C2, §1)."""

from __future__ import annotations

from tenure.git import refs, remote
from tenure.model import ids, lease, record, standing
from tenure.model.record import Claim, Completion, Record, Unreadable
from tenure.work import entries, feed, settling, views
from tenure.work.session import Session
from tenure.work.views import View


def refresh(session: Session, seconds: float = remote.READ_LIMIT) -> bool:
    """Read origin, bounded; True when it answered. Without an origin nothing is read and the answer is True."""
    if session.origin is None:
        return True
    there = refs.listed(ids.MIRROR[:-1], ids.FEED_MIRROR)
    for ref in there:
        if ref.symref:
            refs.drop_symbolic(ref.name)  # git's fetch would write through it (F29)
    before = {ref.name: ref.oid for ref in there if not ref.symref}
    if not remote.refresh(session.origin, seconds).ok:
        session.store.origin_away = True
        return False
    feed.follow(session, before.get(ids.FEED_MIRROR))
    reconcile(session, before)
    return True


def reconcile(session: Session, before: dict[str, str]) -> None:
    """Let the clone's own refs and state follow what origin now holds. `before`: the mirror as it was, by name."""
    found = views.read(session)
    known = {state.task for state in session.store.all() if state.ours}
    alike = session.store.read("alike")
    for task in sorted(found.tasks.keys() | known):
        view = found.of(task, session)
        if view.state.ours:
            _follow(session, view)
        elif view.local_oid and _is_stale(session, view, {before.get(ids.mirror_ref(task)), alike.get(task)}):
            refs.delete(ids.claim_ref(task), view.local_oid)
    now = {view.task: view.oid for view in found.tasks.values() if view.oid and view.local_oid == view.mirror_oid}
    if now != alike:
        session.store.write("alike", now)  # a plain `git fetch` may move the mirror before the next refresh


def _follow(session: Session, view: View) -> None:
    """A claim of this clone's, against what origin holds."""
    there, mine = view.mirror, views.kept(view)
    if isinstance(there, Unreadable) or mine is None:
        return
    if standing.same_acquisition(mine, there):
        _note_published(session, view, mine)
    elif _is_set_back(session, mine, there):
        _push_again(session, view, mine)
    elif _is_over(session, view, mine) and _still_so(session, view):
        with session.store.swapping():
            now = views.read(session, view.task).of(view.task, session)
            if (now.local_oid, now.mirror_oid, now.state.fields) != (
                view.local_oid,
                view.mirror_oid,
                view.state.fields,
            ):
                return  # another process of this clone was at it: the next look judges
            if there is None:
                _vanished(session, now, mine)
            else:
                _give_way(session, now, mine, there)


def _note_published(session: Session, view: View, mine: Claim) -> None:
    if view.state.get("published") == view.mirror_oid:
        return
    with session.store.swapping():
        state = session.store.again(view.state)
        if state.ours and state.get("token") == mine.token:
            state.set(published=view.mirror_oid, refused=None)
            session.store.save(state)


def _is_set_back(session: Session, mine: Claim, there: Record | None) -> bool:
    """Whether an old clone pushed what it once had over a live claim of ours (`--mirror`): an earlier generation."""
    older = isinstance(there, Claim) and there.generation < mine.generation
    return (
        isinstance(there, Claim) and older and not lease.is_live(there, session.at) and lease.is_live(mine, session.at)
    )


def _push_again(session: Session, view: View, mine: Claim) -> None:
    """Our claim stands; it goes to origin once more, leased on what was put in its place (F24)."""
    if view.state.get("pending") is not None or view.state.get("refused") or view.local_oid is None:
        return
    with session.store.swapping():
        state = session.store.again(view.state)
        if state.ours and state.get("token") == mine.token and state.get("pending") is None:
            entries.wait(session, state, entries.CLAIM, view.local_oid, view.mirror_oid, mine.text)


def _is_over(session: Session, view: View, mine: Claim) -> bool:
    """Whether what origin holds (nothing, or another acquisition) ends the claim of this clone."""
    state, there = view.state, view.mirror
    if _has_ended_here(view):
        return False  # given up here already: its own push finds what there is to do
    if there is None:
        return state.get("published") is not None or _was_handed_back(view, mine)
    lapsed_there = isinstance(there, Claim) and not lease.is_live(there, session.at)
    # A take-over of a lapsed record that waits to be pushed, or that origin refused, stands in this clone (R-C2).
    # One that was made without a look at origin is none: what was there first counts, and its generation goes on.
    taken = state.get("pending") == entries.CLAIM or state.get("refused") is not None
    taken = taken and isinstance(there, Claim) and mine.generation > there.generation
    given_back = state.get("pending_given_back")
    if given_back is not None and entries.token_of(there) == given_back:
        return False  # released here, claimed afresh since: the new claim goes over it
    return not (lapsed_there and taken)


def _was_handed_back(view: View, mine: Claim) -> bool:
    """Whether a sibling session ended a claim of which this clone never heard that it had landed (F10, R-I5)."""
    told = feed.end_of(view.task, mine.holder, mine.claimed)
    return told is not None and told.fields.get("claimed") is not None and told.type != "task.taken_over"


def _has_ended_here(view: View) -> bool:
    kind = view.state.get("pending")
    if kind == entries.COMPLETION:
        return view.local_oid == view.state.get("pending_object")
    return kind == entries.DELETION and view.local is None


def _still_so(session: Session, view: View) -> bool:
    """Asked once more, since another process of this clone may have pushed while the mirror was being read."""
    assert session.origin is not None
    seen = remote.look(session.origin, ids.claim_ref(view.task))
    return seen is not None and seen.oid == view.mirror_oid


def _vanished(session: Session, view: View, mine: Claim) -> None:
    """Origin held it and holds it no more. A renewal that waits brings a swept claim back there (R-L6)."""
    state = view.state
    waits = state.get("pending") in (entries.CLAIM, entries.RENEWAL) and lease.is_live(mine, session.at)
    if waits and feed.end_of(view.task, mine.holder, mine.claimed) is None:
        state.set(pending=entries.CLAIM, pending_expected=None, published=None)
    else:
        state.set(record=mine.text)
        settling.vanish(session, state)
    session.store.save(state)


def _give_way(session: Session, view: View, mine: Claim, there: Record) -> None:
    """Origin holds a record of another acquisition: ours is over."""
    who = record.whose(there)
    state = view.state
    if who == mine.holder:
        settling.drop_local(state, mine)
        state.forget_pending()
        state.forget_claim()
    else:
        settling.lose(session, state, there)
        verb = "finished" if isinstance(there, Completion) else "taken over"
        session.store.note(f"{settling.whose(session, mine)} claim on {view.task} is gone: {verb} by {who}")
    session.store.save(state)


def _is_stale(session: Session, view: View, mirrored: set[str | None]) -> bool:
    """Whether a local copy of somebody else's record has served its time (§1). `mirrored`: what origin once held."""
    if isinstance(view.local, Unreadable):
        return False
    if view.mirror_oid is None:
        return view.local_oid in mirrored
    if view.mirror_oid == view.local_oid:
        return False  # the same object says nothing old
    if isinstance(view.local, Completion) and standing.ends(view.local, view.mirror):
        return False
    if isinstance(view.mirror, Unreadable) or views.is_ours(view.state, view.local, session):
        return False
    unpublished = isinstance(view.local, Claim) and lease.is_live(view.local, session.at)
    theirs_counts = isinstance(view.mirror, Completion) or (
        isinstance(view.mirror, Claim) and lease.is_live(view.mirror, session.at)
    )
    return not unpublished or theirs_counts
