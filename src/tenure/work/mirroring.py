"""The mirror brought up to origin, and what that tells about the claims of this clone (R-C1, R-C2, §1)."""

from __future__ import annotations

from tenure.git import refs, remote
from tenure.model import ids, lease, standing
from tenure.model.record import Claim, Completion, Record, Unreadable
from tenure.work import carrying, feed, views
from tenure.work.session import Session
from tenure.work.views import View


def refresh(session: Session, seconds: float = remote.READ_LIMIT) -> bool:
    """Read origin, bounded; True when it answered. Without an origin nothing is read and the answer is True."""
    if session.origin is None:
        return True
    before = {ref.name: ref.oid for ref in refs.listed(ids.MIRROR[:-1], ids.FEED_MIRROR)}
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
    for task in sorted(found.tasks.keys() | known):
        view = found.of(task, session)
        if view.state.ours:
            _follow(session, view)
        elif view.local_oid and _is_stale(session, view, before.get(ids.mirror_ref(task))):
            refs.delete(ids.claim_ref(task), view.local_oid)


def _follow(session: Session, view: View) -> None:
    """A claim of this clone's, against what origin holds."""
    state, there = view.state, view.mirror
    mine = views.kept(view)
    if isinstance(there, Unreadable) or mine is None:
        return
    if standing.same_acquisition(mine, there):
        if state.get("published") != view.mirror_oid:
            state.set(published=view.mirror_oid, refused=None)
            session.store.save(state)
        return
    if there is None:
        _vanished(session, view, mine)
        return
    _give_way(session, view, mine, there)


def _vanished(session: Session, view: View, mine: Claim) -> None:
    """Origin held it and holds it no more. A renewal that waits brings a swept claim back there (R-L6)."""
    state = view.state
    if not state.get("published") or state.get("pending") in (carrying.COMPLETION, carrying.DELETION):
        return
    waits = state.get("pending") in (carrying.CLAIM, carrying.RENEWAL) and lease.is_live(mine, session.at)
    if waits and feed.end_of(view.task, mine.holder, mine.claimed) is None:
        state.set(pending=carrying.CLAIM, pending_expected=None, published=None)
    else:
        state.set(record=mine.text)
        carrying.vanish(session, state)
    session.store.save(state)


def _give_way(session: Session, view: View, mine: Claim, there: Record) -> None:
    """Origin holds a record of another acquisition: ours is over."""
    who = there.holder if isinstance(there, Claim) else there.identity if isinstance(there, Completion) else ""
    state = view.state
    if state.get("pending") == carrying.DELETION:
        return  # already given up here; the deletion itself finds that there is nothing of ours to delete
    over = isinstance(there, Claim) and not lease.is_live(there, session.at)
    if over and lease.is_live(mine, session.at) and state.get("pending") == carrying.CLAIM:
        return  # a take-over of that lapsed record waits to be pushed
    if who == mine.holder:
        carrying.drop_local(state, mine)
        state.forget_pending()
        state.forget_claim()
    else:
        carrying.lose(session, state, there)
        verb = "finished" if isinstance(there, Completion) else "taken over"
        session.store.note(f"your claim on {view.task} is gone: {verb} by {who}")
    session.store.save(state)


def _is_stale(session: Session, view: View, mirrored_before: str | None) -> bool:
    """Whether a local copy of somebody else's record has served its time (§1)."""
    if isinstance(view.local, Unreadable):
        return False
    if view.mirror_oid is None:
        return mirrored_before == view.local_oid
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
