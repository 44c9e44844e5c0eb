"""The ref half of `done`, for a commit that carries the file half (R-C7). On the hook path."""

from __future__ import annotations

from tenure.git import refs
from tenure.model import ids, record
from tenure.model.event import Event, noted
from tenure.model.record import Claim, Completion
from tenure.model.text import to_bytes
from tenure.model.value import replace
from tenure.work import background, entries, whereabouts
from tenure.work.session import Session
from tenure.work.views import View


def complete(session: Session, view: View, mine: Claim) -> bool:
    """Turn a claim into its completion here, and let the background carry it; False when the ref moved."""
    commit = whereabouts.commit()
    if commit is None:
        return False
    made = Completion(mine.task, commit, whereabouts.branch(), session.identity.value, session.at)
    made = replace(made, text=record.emit_completion(made))
    from tenure.model import event
    from tenure.work import feed

    told = event.completed(made, mine, whereabouts.act(session, "hook"))
    if not swap(session, view, made, mine, told):
        return False
    feed.append(session, told)
    if session.has_origin:
        background.start(session)
    return True


def swap(session: Session, view: View, made: Completion, mine: Claim, told: Event) -> bool:
    """The local ref from claim to completion, with what waits for origin; False when it had moved.

    What waits is written down first: a process that dies in between leaves a completion that is carried, or a claim.
    """
    data = to_bytes(made.text)
    oid = refs.write_blob(data)
    with session.store.swapping():
        state = session.store.again(view.state)
        before = dict(state.fields)
        if session.has_origin:
            state.set(record=mine.text, token=mine.token, identity=mine.holder, ended=None)
            expected = view.mirror_oid or state.get("published")
            entries.wait(session, state, entries.COMPLETION, oid, expected, made.text, noted(told))
        moved = not refs.swap(ids.claim_ref(view.task), oid, view.local_oid, "tenure: done", data)
        if moved:
            state.fields = before
        elif not session.has_origin:
            state.forget_pending()
            state.forget_claim()
        session.store.save(state)
    return not moved
