"""Claims that lapsed long ago: recorded once, then deleted by their object. Never claims, never renews (R-G3)."""

from __future__ import annotations

from tenure.git import refs
from tenure.model import event, ids, lease, standing
from tenure.model.value import value
from tenure.model.verdict import Removal
from tenure.work import feed, pruning, whereabouts
from tenure.work.session import Session
from tenure.work.views import View, Views

AFTER = 86_400  # R-G3


@value
class Swept:
    """`swept` went (or would go), `kept` stays: live, lapsed lately, or moved; `lapsed`: how many events are new."""

    swept: tuple[Removal, ...]
    kept: tuple[Removal, ...]
    lapsed: int
    truncated: bool = False


def sweep(
    session: Session,
    found: Views,
    after: int = AFTER,
    dry_run: bool = False,
    source: str = "verb",
    most: int | None = None,
) -> Swept:
    """Record every claim that is seen lapsed, delete those that lapsed more than `after` seconds ago; idempotent."""
    lapsed = [view for view in found.claims() if not view.live(session.at)]
    due = [view for view in lapsed if session.at > _end(view) + lease.GRACE + after]
    chosen = due if most is None else due[:most]
    kept = [_row(view, _why(session, view)) for view in found.claims() if view not in chosen]
    rows = [_row(view, "lapsed") for view in chosen]
    if dry_run:
        return Swept(tuple(rows), tuple(kept), 0, len(chosen) < len(due))
    act = whereabouts.act(session, source)
    new = feed.append(session, *(event.lapsed(view.claim, act) for view in lapsed if view.claim))
    moved = _delete(session, chosen)
    feed.drop_old(session, session.at)
    stays = [_row(view, "moved meanwhile") for view in chosen if view.task in moved]
    gone = [row for row in rows if row.task not in moved]
    return Swept(tuple(gone), tuple(kept + stays), len(new), len(chosen) < len(due))


def _end(view: View) -> int:
    assert view.claim is not None
    return lease.end(view.claim, view.first_seen)


def _why(session: Session, view: View) -> str:
    return "live" if view.live(session.at) else "lapsed lately"


def _row(view: View, why: str) -> Removal:
    claim = view.claim
    assert claim is not None
    return Removal(view.task, ids.claim_ref(view.task), view.oid or "", "claim", claim.holder, _end(view), why)


def _delete(session: Session, chosen: list[View]) -> set[str]:
    """A renewal that landed first wins: each deletion is leased on the object that was judged (R-G3, F4)."""
    moved = pruning.delete_on_origin(session, [(view.task, view.mirror_oid) for view in chosen if view.mirror_oid])
    for view in chosen:
        if view.task not in moved and not _delete_here(session, view):
            moved.add(view.task)
    return moved


def _delete_here(session: Session, view: View) -> bool:
    if view.local is not None and view.local != view.record and not standing.same_acquisition(view.local, view.record):
        return True  # another acquisition, of this clone's own, stands here: it was not judged
    with session.store.swapping():
        if view.local_oid and not refs.delete(ids.claim_ref(view.task), view.local_oid):
            return False
        state = session.store.again(view.state)
        if state.ours and view.claim:
            # The holder's own clone swept it: the record is kept, so that it can come back (R-L6).
            state.forget_pending()
            state.set(ended="swept", published=None, record=view.claim.text)
            session.store.save(state)
    return True
