"""Records against files: freezes, lapsed claims, completions that the default branch does not know (format page F)."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.git import objects, refs
from tenure.model import criteria, ids, instants, lease
from tenure.model.record import Claim
from tenure.model.task import Task
from tenure.work import constraints, holding
from tenure.work.findings import Finding, fault, signal
from tenure.work.ground import Ground
from tenure.work.views import View

PROOFS = "refs/ank/proof/"
WATCH = "refs/ank/watch/origin/proof"


def inspect(ground: Ground) -> Iterator[Finding]:
    """All findings about refs."""
    views = ground.views.tasks
    ground.learn([task for task, view in views.items() if view.completion])
    for odd in ground.views.odd:
        yield fault(
            odd.ref, f"a ref of the claim namespace that names no task: {odd.why}", f"git update-ref -d {odd.ref}"
        )
    for task, view in views.items():
        if view.unreadable:
            wrong = holding.unreadable_error(ground.session, view.unreadable.ref, view.unreadable.why)
            yield fault(task, wrong.message, *wrong.next)
        elif view.claim and task in ground.tasks:
            yield from _claim(ground, ground.tasks[task], view, view.claim)
        elif view.completion:
            yield from _completion(ground, task, view)
    for task_id, one in ground.tasks.items():
        if one.status == "in_progress" and (task_id not in views or views[task_id].record is None):
            yield signal(task_id, "it is in progress and nobody holds a claim on it", f"tenure claim {task_id}")
    yield from _proof_refs()


def _claim(ground: Ground, task: Task, view: View, claim: Claim) -> Iterator[Finding]:
    if not criteria.fits(task.done_criteria or "", claim.criteria):
        frozen = instants.minute_of(claim.claimed)
        words = f"its criterion is not the one frozen by {claim.holder} at {frozen} ({claim.criteria[:12]})"
        yield fault(task.id, words, f"tenure criteria restore {task.id}")
    if not view.live(ground.at):
        end = instants.minute_of(lease.end(claim, view.first_seen))
        yield signal(task.id, f"the claim of {claim.holder} lapsed at {end}")
    binding = constraints.hash_of(ground.binding(task.scope))
    if binding != claim.constraints:
        yield signal(task.id, "the decisions that bind it changed since it was claimed", f"tenure show {task.id}")
    for one in task.blocked_by:
        other = ground.tasks.get(one)
        if other and other.author == claim.holder and (other.created_at or 0) > claim.claimed:
            yield signal(task.id, f"its blocker {one} was written by its holder after the claim")


def _completion(ground: Ground, task: str, view: View) -> Iterator[Finding]:
    if view.completion is None or any(
        getattr(there, "status", "") in ("done", "closed") for there in ground.on_default(task)
    ):
        return
    yield signal(task, f"finished ({holding.where(view.completion)}); the default branch does not say so yet")


def _proof_refs() -> Iterator[Finding]:
    found = refs.listed(PROOFS[:-1], WATCH)
    things = objects.read_many([ref.oid for ref in found])
    for ref, thing in zip(found, things, strict=True):
        if ref.name.startswith(WATCH):
            yield signal(ref.name, "left over from a watcher", f"git update-ref -d {ref.name}")
            continue
        tail = ref.name[len(PROOFS) :]
        if not ids.is_id(tail):
            yield fault(ref.name, "a proof ref that names no task", f"git update-ref -d {ref.name}")
            continue
        why = _why_no_proof(tail, thing)
        if why:
            yield fault(ref.name, f"unreadable record on {ref.name}: {why}", f"git update-ref -d {ref.name}")


def _why_no_proof(task: str, thing: objects.Thing | None) -> str | None:
    from tenure.model import strict_yaml

    if thing is None or thing.kind != "blob":
        return "no blob"
    try:
        fields = strict_yaml.load_mapping(thing.data.decode("utf-8"))
    except ValueError as wrong:
        return str(wrong)
    if fields.get("state") != "proof":
        return f"its state is {fields.get('state')!r}, not 'proof'"
    if fields.get("task") != task:
        return "it names another task"
    return None if isinstance(fields.get("proofs"), list) else "it holds no proofs"
