"""A verb that works on the held task renews its lease (R-L4), and brings a lapsed one back where it may (R-L6)."""

from __future__ import annotations

from tenure.model import outcome, record
from tenure.model.errors import TenureError, Unwritable
from tenure.model.outcome import Outcome
from tenure.model.record import Claim, Completion
from tenure.model.value import value
from tenure.work import background, carrying, contests, entries, holding, renewing, views
from tenure.work.corpus import Corpus
from tenure.work.holding import Held
from tenure.work.session import Session
from tenure.work.views import View

FOREGROUND = 5.0  # R-H2


@value
class Renewed:
    """The claim as it stands now; `warnings` say what the holder should know."""

    claim: Claim
    warnings: tuple[str, ...]


def renew_live(session: Session, view: View) -> Renewed | None:
    """Renew a live claim of this identity and carry it; None where there is none to renew (R-L4)."""
    if not (view.held_by(session.identity.value) and view.live(session.at)):
        return None
    done = renewing.renew(session, view)
    if done is None:
        return None
    return Renewed(done.claim, _told(view, _carried(session, view, done.carry)))


def come_back(session: Session, corpus: Corpus, held: Held) -> Renewed:
    """Renew a claim of this identity, a lapsed or swept one too; 6 where the criterion differs by then (R-L6).

    4 where origin shows that somebody else has taken the task over meanwhile.
    """
    live = held.view.live(session.at)
    if not live or held.swept:
        _, task = corpus.find_task(held.task)
        holding.must_fit(task, held.claim)
    done = renewing.recreate(session, held.view.state, held.claim) if held.swept else renewing.renew(session, held.view)
    if done is None:
        raise holding.taken_error(session, views.read(session, held.task).of(held.task, session))
    found = _carried(session, held.view, done.carry)
    if found and found.kind == outcome.LOST:
        raise _lost(session, held.task, found)
    return Renewed(done.claim, _told(held.view, found))


def _lost(session: Session, task: str, found: Outcome) -> TenureError:
    if isinstance(found.there, Completion):
        return holding.finished_error(found.there)
    return holding.lost_error(session, views.read(session, task).of(task, session))


def _carried(session: Session, view: View, needed: bool) -> Outcome | None:
    """A verb's renewal goes to origin in the foreground, at most 5 s (R-H2); None where it need not go."""
    mode = session.config.get("tenure.renewpush")
    if not needed or session.origin is None or mode in ("on-push", "never"):
        return None
    return carrying.carry(session, session.store.task(view.task), FOREGROUND)


def _told(view: View, found: Outcome | None) -> tuple[str, ...]:
    if found is None:
        return ()
    if found.kind == outcome.LOST:
        who = record.whose(found.there) or "somebody else"
        return (f"your claim on {view.task} was taken over by {who}; what you did stays here",)
    if found.kind in (outcome.UNREACHABLE, outcome.REFUSED):
        why = "could not be reached" if found.kind == outcome.UNREACHABLE else "did not take it"
        return (f"renewed here; origin {why}, so others may see the claim on {view.task} lapse",)
    return ()


def finish(session: Session) -> list[str]:
    """At the end of a verb: what waits is carried by a process of its own, and what hooks had to say is said (R-H4)."""
    try:
        contests.notice(session)
        if session.origin is not None and not session.store.origin_away and _something_waits(session):
            background.start(session, insist=True)
        return session.store.take_notes() + _background_failure(session)
    except Unwritable as wrong:
        return [wrong.message]  # the verb's own work is done: a note that cannot be kept is no refusal of it


def _background_failure(session: Session) -> list[str]:
    """The last failure of the process in the background, once (R-H2)."""
    failed = session.store.read("carrier")
    if not failed.get("why") or failed.get("told"):
        return []
    session.store.write("carrier", {**failed, "told": "1"})
    return [f"the last push in the background failed: {failed['why']}"]


def _something_waits(session: Session) -> bool:
    from tenure.work import feed

    if feed.waiting(True):
        return True
    found = views.read(session)
    return any(entries.is_due(session, state, found.of(state.task, session).local_oid) for state in session.store.all())
