"""What waits to be pushed, as a task's state holds it: kind, object, expected value, record (R-C3).

Any process of this clone may push an entry as long as the local ref still holds its object.
"""

from __future__ import annotations

from tenure.model import ids, lease, record
from tenure.model.record import Claim, Record
from tenure.model.text import to_bytes
from tenure.work.session import Session
from tenure.work.state import TaskState

CLAIM, RENEWAL, COMPLETION, DELETION = "claim", "renewal", "completion", "deletion"


def put(session: Session, state: TaskState, kind: str, oid: str | None, expected: str | None, text: str) -> None:
    """Set what is to be pushed: `oid` None deletes. `text` is the record that this is about. The caller saves."""
    state.set(
        pending=kind,
        pending_object=oid,
        pending_expected=expected,
        pending_since=state.get("pending_since") or session.at,
        pending_record=text,
        pending_event=None,
    )


def wait(
    session: Session, state: TaskState, kind: str, oid: str | None, expected: str | None, text: str, event: str = ""
) -> None:
    """The same, written down; where nothing is expected, what the entry before it expected still is (R-C3).

    `event`: of an end, as the feed keeps it, so that a process that dies before it is told leaves it to the next one.
    """
    old = state.get("pending_expected") if state.get("pending") else None
    put(session, state, kind, oid, expected if expected is not None else old, text)
    state.set(pending_event=event or None)
    session.store.save(state)


def wait_fresh(session: Session, state: TaskState, oid: str, expected: str | None, text: str) -> None:
    """The same for a fresh claim, which goes over an acquisition that was given back here a moment before (R-C6).

    `pending_untold`: nobody was told yet that it stands, so that losing it now is a refusal and no loss.
    """
    gone = pending_record(state) if state.get("pending") == DELETION else None
    state.set(pending_given_back=token_of(gone), pending_since=None, pending_untold=1)
    wait(session, state, CLAIM, oid, expected, text)


def told(session: Session, state: TaskState) -> None:
    """Its holder is told now that the claim stands, here at least."""
    if state.get("pending_untold") is None:
        return
    with session.store.swapping():
        session.store.again(state).set(pending_untold=None)
        session.store.save(state)


def is_due(session: Session, state: TaskState, local_oid: str | None) -> bool:
    """Whether what waits may still be pushed: nothing that was lost, lapsed or replaced here (R-C3)."""
    kind = state.get("pending")
    if kind is None or session.origin is None:
        return False
    if kind == DELETION:
        return local_oid is None
    if local_oid != state.get("pending_object"):
        return False
    if kind == COMPLETION:
        return True
    mine = pending_record(state)
    return isinstance(mine, Claim) and lease.is_live(mine, session.at) and not state.get("refused")


def pending_record(state: TaskState) -> Record | None:
    """The record that the waiting push is about."""
    text = state.get("pending_record")
    return record.parse(ids.claim_ref(state.task), to_bytes(text)) if text else None


def held(state: TaskState) -> Claim | None:
    """The claim that this clone made or adopted, as it last wrote or saw it."""
    text = state.get("record")
    found = record.parse(ids.claim_ref(state.task), to_bytes(text)) if text else None
    return found if isinstance(found, Claim) else None


def token_of(there: Record | None) -> str | None:
    """The token of a claim; None for anything else."""
    return there.token if isinstance(there, Claim) else None
