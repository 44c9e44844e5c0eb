"""done: the criterion against the frozen hash, the proof, the file, then the ref (R-C7, R-L7)."""

from __future__ import annotations

from contextlib import AbstractContextManager

from tenure.model import event, ids, outcome, record
from tenure.model.errors import Broken, ProofMissing, TenureError, Unavailable, WrongState, WrongUse
from tenure.model.record import Claim, Completion
from tenure.model.task import PROOF_TYPES, Proof, Task
from tenure.model.value import replace, value
from tenure.work import (
    carrying,
    completing,
    constraints,
    feed,
    files,
    halves,
    holding,
    log,
    mirroring,
    proving,
    views,
    whereabouts,
)
from tenure.work.corpus import Corpus, Stored
from tenure.work.holding import Held
from tenure.work.session import Session
from tenure.work.views import View


@value
class Finish:
    """A task that is done here; `warnings` say what did not reach origin."""

    task: Task
    completion: Completion
    proofs: tuple[Proof, ...]
    warnings: tuple[str, ...]


def proof_of(text: str) -> Proof:
    """`type:ref` as the format stores it, the reference as written. WrongUse (1)."""
    kind, colon, ref = text.partition(":")
    if not colon or kind not in PROOF_TYPES or not ref.strip():
        told = f"no proof: {text!r} (write type:ref, type one of {', '.join(PROOF_TYPES)})"
        raise WrongUse(told, "tenure done --proof commit:$(git rev-parse HEAD)")
    return Proof(kind, ref.strip())


def done(session: Session, corpus: Corpus, name: str | None, given: list[Proof]) -> Finish:
    """Finish a task: 4 or 6 where the claim is not this identity's, 6 for another criterion, 5 without proof, 9."""
    mirroring.refresh(session)
    found = views.read(session)
    if name is not None:
        stored, task = corpus.find_task(name)
        held = holding.mine(session, found, task.id, task.status)
    else:
        held = holding.mine(session, found)
        stored, task = corpus.find_task(held.task)
    _must_fit(task, held.claim)
    commit = whereabouts.commit()
    if commit is None:
        raise Broken("there is no commit yet that could be named", "git commit")
    warnings = _moved_constraints(corpus, task, held.claim)
    if task.status == "done" and task.proof:
        proofs = task.proof  # cut short after the file was written: only the ref is left to do
    else:
        proofs = _proofs(corpus, task, held, given, commit)
        task = _write(session, corpus, stored, task, proofs)
    with _half(task.id):
        return _complete(session, held, task, proofs, commit, warnings)


def _must_fit(task: Task, claim: Claim) -> None:
    holding.must_fit(task, claim)
    if task.status not in ("in_progress", "open", "done"):
        raise WrongState(f"{task.id} is {task.status} here", f"tenure show {ids.short(task.id)}")


def _moved_constraints(corpus: Corpus, task: Task, claim: Claim) -> list[str]:
    if constraints.hash_of(constraints.binding(corpus, task)) == claim.constraints:
        return []
    return [f"the decisions that bind {task.id} changed since it was claimed: tenure context"]


def _proofs(corpus: Corpus, task: Task, held: Held, given: list[Proof], commit: str) -> tuple[Proof, ...]:
    found = proving.run(corpus, task, held.claim, commit)
    via = "submitted" if task.schema >= 3 else None
    found += [replace(one, criteria=held.claim.criteria, via=via) for one in given]
    if not found:
        raise ProofMissing(
            f"{task.id} needs a proof: it names no verifier", "tenure done --proof commit:$(git rev-parse HEAD)"
        )
    return tuple(found)


def _write(session: Session, corpus: Corpus, stored: Stored, task: Task, proofs: tuple[Proof, ...]) -> Task:
    new = files.rewrite(stored, replace(task, status="done", proof=task.proof + proofs)).entity
    assert isinstance(new, Task)
    words = ", ".join(f"{one.type}:{one.ref}" for one in proofs)
    with _half(task.id):
        log.append(corpus, new, f"done: {words}", session.identity.value, session.at)
    return new


def _half(task: str) -> AbstractContextManager[None]:
    words = f"the file of {task} says done here, its record is still the claim"
    return halves.stands(words, f"tenure done {ids.short(task)}")


def _complete(
    session: Session, held: Held, task: Task, proofs: tuple[Proof, ...], commit: str, warnings: list[str]
) -> Finish:
    made = Completion(task.id, commit, whereabouts.branch(), session.identity.value, session.at)
    made = replace(made, text=record.emit_completion(made))
    view = held.view
    told = event.completed(made, held.claim, whereabouts.act(session))
    with _half(task.id):
        stands = completing.swap(session, view, made, held.claim, told)
    if not stands:
        raise _cut_short(session, task)
    feed.append(session, told)
    if session.has_origin:
        warnings += _carry(session, view, carrying.carry(session, view.state))
    return Finish(task, made, proofs, tuple(warnings))


def _carry(session: Session, view: View, found: outcome.Outcome) -> list[str]:
    if found.kind == outcome.LOST:
        wrong = holding.lost_to(session, view, found.there)
        wrong.message += "; this tree's file says done, and nothing on origin was changed"
        raise wrong
    if found.kind == outcome.ENDED:
        raise Unavailable(
            f"the claim on {view.task} ended on origin in this moment; this tree's file says done, and nothing on"
            " origin was changed",
            f"tenure activity --task {ids.short(view.task)}",
        )
    if found.kind in (outcome.WON, outcome.REGRANT):
        return []
    return [f"the completion of {view.task} is in this clone only: origin {_why(found.kind)}; it is pushed later"]


def _why(kind: str) -> str:
    return "could not be reached" if kind == outcome.UNREACHABLE else "refused it"


def _cut_short(session: Session, task: Task) -> TenureError:
    view = views.read(session, task.id).of(task.id, session)
    if view.held_by(session.identity.value):
        return Unavailable(
            f"{task.id} moved while it was being completed; its file says done here",
            f"tenure done {ids.short(task.id)}",
        )
    wrong = holding.taken_error(session, view)
    wrong.message += "; this tree's file says done"
    return wrong
