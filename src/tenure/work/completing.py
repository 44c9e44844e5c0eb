"""The ref half of `done`, for a commit that carries the file half (R-C7). On the hook path."""

from __future__ import annotations

from tenure.git import refs
from tenure.model import ids, record
from tenure.model.record import Claim, Completion
from tenure.model.value import replace
from tenure.work import background, whereabouts
from tenure.work.session import Session
from tenure.work.views import View


def complete(session: Session, view: View, mine: Claim) -> bool:
    """Turn a claim into its completion here, and let the background carry it; False when the ref moved."""
    commit = whereabouts.commit()
    if commit is None:
        return False
    made = Completion(mine.task, commit, whereabouts.branch(), session.identity.value, session.at)
    made = replace(made, text=record.emit_completion(made))
    oid = refs.write_blob(made.text.encode("utf-8", "surrogateescape"))
    if not refs.swap(ids.claim_ref(view.task), oid, view.local_oid, "tenure: done"):
        return False
    from tenure.model import event
    from tenure.work import carrying, feed

    feed.append(session, event.completed(made, mine, whereabouts.act(session, "hook")))
    if session.has_origin:
        view.state.set(record=mine.text)
        carrying.wait(session, view.state, carrying.COMPLETION, oid, view.mirror_oid, made.text)
        background.start(session)
    else:
        view.state.forget_claim()
        session.store.save(view.state)
    return True
