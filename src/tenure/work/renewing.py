"""Working renews the lease: here at once, on origin when less than two thirds of a window stand there (R-L3, R-H2).

On the hook path: imports only what a renewal needs.
"""

from __future__ import annotations

from tenure.git import refs
from tenure.model import ids, lease, record, standing
from tenure.model.record import Claim
from tenure.model.text import to_bytes
from tenure.model.value import value
from tenure.work import entries
from tenure.work.entries import CLAIM, COMPLETION, DELETION, RENEWAL
from tenure.work.session import Session
from tenure.work.state import TaskState
from tenure.work.views import View


@value
class Renewal:
    """`had`: seconds that were left before (negative: lapsed that long ago); `carry`: origin needs the new end."""

    claim: Claim
    had: int
    first: bool
    carry: bool

    @property
    def was_lapsed(self) -> bool:
        return self.had < -lease.GRACE


def renew(session: Session, view: View) -> Renewal | None:
    """Renew a claim of this identity, live or lapsed; None when it changed hands in this very moment (R-L3, R-L6).

    The caller has decided that this write renews (R-L4) and that a lapsed claim may come back (R-L6).
    """
    claim = view.claim
    assert claim is not None
    new = record.with_end(claim, lease.renewed(claim, session.at, session.lengths))
    had = claim.expires - session.at
    first = view.state.get("told") is None
    moved = new.expires != claim.expires or view.oid != view.local_oid
    data = to_bytes(new.text)
    oid = refs.write_blob(data) if moved or view.local_oid is None else view.local_oid
    with session.store.swapping():
        session.store.again(view.state)
        if moved and not refs.swap(ids.claim_ref(view.task), oid, view.local_oid, "tenure: renew", data):
            return None
        carry = _must_carry(session, view, new)
        if moved or carry:
            _remember(session, view, new, oid, carry)
    return Renewal(new, had, first, carry)


def recreate(session: Session, state: TaskState, mine: Claim) -> Renewal | None:
    """Bring a swept claim back from this clone's own record: token, generation, `claimed` and hash stay (R-L6)."""
    new = record.with_end(mine, lease.renewed(mine, session.at, session.lengths))
    data = to_bytes(new.text)
    oid = refs.write_blob(data)
    with session.store.swapping():
        session.store.again(state)
        if not refs.swap(ids.claim_ref(state.task), oid, None, "tenure: bring back", data):
            return None
        state.set(record=new.text, token=new.token, identity=new.holder, ended=None, published=None, refused=None)
        if session.has_origin:
            entries.put(session, state, CLAIM, oid, None, new.text)
        session.store.save(state)
    return Renewal(new, mine.expires - session.at, False, session.has_origin)


def _must_carry(session: Session, view: View, new: Claim) -> bool:
    if not session.has_origin or view.state.get("refused"):
        return False
    if session.config.get("tenure.renewpush") == "always" or view.state.get("pending"):
        return True
    there = view.mirror if standing.same_acquisition(new, view.mirror) else None
    copy = there.expires if isinstance(there, Claim) else None
    return not lease.stands_long_enough(copy, session.at, lease.window(new, session.lengths))


def _remember(session: Session, view: View, new: Claim, oid: str, carry: bool) -> None:
    state = view.state
    adopted = state.get("token") != new.token or not state.ours
    state.set(token=new.token, identity=new.holder, record=new.text, ended=None)
    if state.get("pending") in (COMPLETION, DELETION):
        state.forget_pending()  # an end that was cut short before the ref moved: the work went on
    if adopted and view.mirror_oid and standing.same_acquisition(new, view.mirror):
        state.set(published=view.mirror_oid)
    if carry and state.get("pending") == CLAIM:
        entries.put(session, state, CLAIM, oid, state.get("pending_expected"), new.text)
    elif carry:
        ours_there = standing.same_acquisition(new, view.mirror)
        entries.put(session, state, RENEWAL, oid, view.mirror_oid if ours_there else state.get("published"), new.text)
    session.store.save(state)
