"""The use cases as the faces call them, with the session (and so the instant) handed in."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from tenure.faces.hooks import commit as commit_hook
from tenure.faces.hooks import push as push_hook
from tenure.git import objects, remote
from tenure.model import lease
from tenure.model.record import Claim
from tenure.work import (
    carrier,
    carrying,
    claimable,
    claiming,
    contests,
    feed,
    finishing,
    handing,
    holding,
    mirroring,
    pruning,
    sweeping,
    views,
    working,
)
from tenure.work.corpus import Corpus
from tenure.work.session import Session

HOOKS = ("pre-commit", "pre-push")


def _corpus(session: Session) -> Corpus:
    from tenure.work.corpus import find_root

    return Corpus(find_root(session.place.top or ""))


def claim(session: Session, task: str, seconds: int | None = None) -> dict[str, Any]:
    corpus = _corpus(session)
    grant = claiming.claim(session, corpus, claimable.wish(corpus, task, None, seconds))
    notes = working.finish(session)
    return {
        "task": task,
        "token": grant.claim.token,
        "generation": grant.claim.generation,
        "expires": grant.claim.expires,
        "criteria": grant.claim.criteria,
        "pushed": grant.pushed,
        "regranted": grant.regranted,
        "taken_over": grant.taken_over,
        "warnings": list(grant.warnings),
        "notes": notes,
    }


def log(session: Session, task: str | None = None) -> dict[str, Any]:
    """A verb that renews, a lapsed claim too (R-L6)."""
    held = holding.mine(session, views.read(session), task)
    done = working.come_back(session, _corpus(session), held)
    return _with_notes(session, token=done.claim.token, expires=done.claim.expires, warnings=list(done.warnings))


def context(session: Session) -> dict[str, Any]:
    view = views.read(session).held(session.identity.value, session.at)
    done = working.renew_live(session, view) if view else None
    return _with_notes(session, held=view.task if view else None, expires=done.claim.expires if done else None)


def release(session: Session, task: str | None = None) -> dict[str, Any]:
    handed = handing.release(session, _corpus(session), "not now", task)
    return _with_notes(session, status=handed.task.status, warnings=list(handed.warnings))


def close(session: Session, task: str) -> dict[str, Any]:
    handed = handing.close(session, _corpus(session), task, "no longer wanted")
    return _with_notes(session, revoked=handed.revoked, contested=handed.contested, warnings=list(handed.warnings))


def done(session: Session, task: str | None = None) -> dict[str, Any]:
    proof = [finishing.proof_of("human-review:seen")]
    finish = finishing.done(session, _corpus(session), task, proof)
    return _with_notes(session, commit=finish.completion.commit, warnings=list(finish.warnings))


def sweep(session: Session, after: int = sweeping.AFTER) -> dict[str, Any]:
    reached = mirroring.refresh(session)
    found = sweeping.sweep(session, views.read(session), after)
    return _with_notes(
        session,
        reached=reached,
        swept=[row.task for row in found.swept],
        kept={row.task: row.why for row in found.kept},
        lapsed=found.lapsed,
    )


def prune(session: Session) -> dict[str, Any]:
    mirroring.refresh(session)
    found = pruning.prune(session, views.read(session), objects.read_many, "verb")
    return _with_notes(session, gone=[row.task for row in found.gone], kept=[row.task for row in found.kept])


def refresh(session: Session) -> dict[str, Any]:
    return {"reached": mirroring.refresh(session), "notes": session.store.take_notes()}


def carry(session: Session) -> dict[str, Any]:
    """What the background process does, here and now."""
    return {"done": carrier.run(session, time.monotonic() + carrier.LIMIT)}


def renewal(session: Session, task: str) -> dict[str, Any]:
    """Carry one entry as the background does, without looking first."""
    found = carrying.carry(session, session.store.task(task))
    return {"kind": found.kind}


def look(session: Session, task: str) -> dict[str, Any]:
    """The record that counts here, without any network."""
    view = views.read(session).of(task, session)
    claim = view.claim
    return {
        "text": getattr(view.record, "text", None),
        "holder": claim.holder if claim else None,
        "live": view.live(session.at),
        "remaining": lease.remaining(claim, session.at, view.first_seen) if claim else None,
        "unreadable": view.unreadable.why if view.unreadable else None,
        "ref": view.unreadable.ref if view.unreadable else None,
        "mine": view.held_by(session.identity.value),
        "waiting": feed.waiting(session.has_origin),
        "lost": view.state.lost(session.identity.value),
        "odd": [one.ref for one in views.read(session).odd],
    }


def notes(session: Session) -> dict[str, Any]:
    return {"notes": session.store.take_notes()}


def outbox(session: Session) -> dict[str, Any]:
    return {"told": feed.carry(session, remote.PUSH_LIMIT), "waiting": feed.waiting(True)}


def notice(session: Session) -> dict[str, Any]:
    return {"new": len(contests.notice(session, "hook"))}


def pre_commit(session: Session) -> dict[str, Any]:
    return {"code": commit_hook.run(session)}


def pre_push(session: Session, lines: str) -> dict[str, Any]:
    return {"code": push_hook.run(session, ["origin", "url"], lines.encode())}


def _with_notes(session: Session, **answer: Any) -> dict[str, Any]:
    return {**answer, "notes": working.finish(session)}


def record_of(claim: Claim) -> str:
    return claim.text


VERBS: dict[str, Callable[..., dict[str, Any]]] = {
    "claim": claim,
    "log": log,
    "context": context,
    "release": release,
    "close": close,
    "done": done,
    "sweep": sweep,
    "prune": prune,
    "refresh": refresh,
    "carry": carry,
    "renewal": renewal,
    "look": look,
    "notes": notes,
    "outbox": outbox,
    "notice": notice,
    "pre-commit": pre_commit,
    "pre-push": pre_push,
}
