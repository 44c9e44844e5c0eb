"""A claim goes to origin, and what came of it for who claims: a word for `pushed`, a warning, or a refusal (R-C2)."""

from __future__ import annotations

from tenure.model import ids, outcome
from tenure.model.errors import Unavailable
from tenure.work import carrying, holding, settling, views
from tenure.work.session import Session
from tenure.work.views import View

CARRIED = {
    outcome.WON: "yes",
    outcome.REGRANT: "yes",
    outcome.REFUSED: "refused",
    outcome.UNREACHABLE: "unreachable",
}


def publish(session: Session, view: View, reachable: bool, warnings: list[str]) -> str:
    """Carry the claim to origin; a claim that was lost or blocked there is taken back here and raises."""
    state = view.state
    if not reachable and not _still_there(session, view):
        warnings.append(_only_here(view.task, "origin could not be reached", "it is pushed when origin answers"))
        return CARRIED[outcome.UNREACHABLE]
    found = carrying.carry(session, state)
    if found.kind == outcome.LOST:
        raise holding.lost_to(session, view, found.there)
    if found.kind == outcome.BLOCKED:
        settling.drop_local(state, views.kept(view))
        state.forget_pending()
        state.forget_claim()
        session.store.save(state)
        raise holding.in_the_way_there(session, found.ref or ids.claim_ref(view.task))
    if found.kind == outcome.ENDED:
        raise Unavailable(
            f"the claim on {view.task} ended on origin in this moment", f"tenure claim {ids.short(view.task)}"
        )
    if found.kind == outcome.REFUSED:
        warnings.append(_only_here(view.task, "origin refused it", "only `tenure claim` tries it again"))
    if found.kind == outcome.UNREACHABLE:
        warnings.append(_only_here(view.task, "origin could not be reached", "it is pushed when origin answers"))
    return CARRIED.get(found.kind, "refused")


def _still_there(session: Session, view: View) -> bool:
    """Whether origin answers for this one ref although the whole mirror could not be read."""
    from tenure.git import remote

    assert session.origin is not None
    return remote.look(session.origin, ids.claim_ref(view.task), 3.0) is not None


def _only_here(task: str, why: str, then: str) -> str:
    return f"the claim on {task} stands in this clone only: {why}; another clone can take it ({then})"
