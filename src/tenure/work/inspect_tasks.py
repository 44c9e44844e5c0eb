"""Tasks: edges, criteria, proofs and scopes (format page F)."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.git import objects, process
from tenure.model import criteria, scope
from tenure.model.entities import Entity
from tenure.model.task import Task
from tenure.work import proving
from tenure.work.findings import SIGNAL, Finding, fault, several, signal
from tenure.work.ground import Ground

_OVER = ("done", "closed", "superseded")


def inspect(ground: Ground) -> Iterator[Finding]:
    """All findings about tasks, and about the scopes of all entities."""
    ground.learn([task.id for task in ground.tasks.values() if task.status == "done"])
    for task in ground.tasks.values():
        yield from _edges(ground, task)
        yield from _criterion(task)
        yield from _verifiers(ground, task)
        if task.status == "done":
            yield from _proofs(ground, task)
    yield from _cycles(ground.tasks)
    yield from _commit_proofs(ground)
    yield from _dead_scopes(ground)
    yield from _over_constrained(ground)


def _edges(ground: Ground, task: Task) -> Iterator[Finding]:
    for one in task.blocked_by:
        if "@" in one:
            continue
        if ground.corpus.name_of(one) is None:
            yield fault(task.id, f"it waits for {one}, which is not in this corpus")
        elif one in ground.tasks and ground.tasks[one].status == "closed" and task.status not in ("done", "closed"):
            yield signal(task.id, f"it waits for {one}, which was closed: closed does not unblock")


def _criterion(task: Task) -> Iterator[Finding]:
    if task.status == "in_progress" and not (task.done_criteria or "").strip():
        yield fault(task.id, "it is in progress and has no done_criteria")
    if task.criteria_by == "claimer" and task.status != "closed":
        yield signal(task.id, "its criterion was written by whoever claimed it")


def _verifiers(ground: Ground, task: Task) -> Iterator[Finding]:
    if ground.config is None:
        return
    if task.status in ("open", "in_progress"):
        for name in task.verify:
            if ground.config.verifier(name) is None:
                yield signal(task.id, f"its verifier {name} is not in .ank/config.yml")
    for proof in task.proof if task.status == "done" else ():
        name, at, known = (proof.verifier or "").partition("@")
        now = ground.config.verifier(name) if at else None
        if at and now is None:
            yield signal(task.id, f"the verifier {name} that proved it is not in .ank/config.yml")
        elif now is not None and not proving.definition_hash(now).startswith(known[:12]):
            yield signal(task.id, f"the verifier {name} changed since it proved this task")


def _proofs(ground: Ground, task: Task) -> Iterator[Finding]:
    if not task.proof:
        yield fault(task.id, "it is done and has no proof")
        return
    for frozen in sorted({proof.criteria for proof in task.proof if proof.criteria}):
        if not criteria.fits(task.done_criteria or "", frozen):
            yield fault(
                task.id,
                f"its criterion is not the one that was proved ({frozen})",
                f"tenure criteria restore {task.id}",
            )
    if all(proof.type == "assertion" for proof in task.proof):
        yield signal(task.id, "nothing but an assertion proves it")
    if not any(getattr(there, "status", None) == "done" for there in ground.on_default(task.id)):
        return
    tests = [proof for proof in task.proof if proof.type == "test"]
    if not tests:
        yield signal(task.id, "it is done on the default branch and no test proves it")
    elif all(proof.via == "submitted" for proof in tests):
        yield signal(task.id, "its test was submitted and never attested")


def _cycles(tasks: dict[str, Task]) -> Iterator[Finding]:
    """Each circle of blocked_by once, named by its smallest id."""
    done: set[str] = set()
    for start in sorted(tasks):
        path: list[str] = []
        stack: list[tuple[str, int]] = [(start, 0)]
        while stack:
            one, depth = stack.pop()
            del path[depth:]
            if one in path:
                circle = path[path.index(one) :]
                if start == min(circle) and one == start:
                    yield fault(start, f"it waits for itself: {' -> '.join([*circle, one])}")
                continue
            if one in done or one not in tasks:
                continue
            path.append(one)
            stack += [(other, len(path)) for other in tasks[one].blocked_by]
        done.add(start)


def _commit_proofs(ground: Ground) -> Iterator[Finding]:
    wanted = [
        (proof.ref, task.id)
        for task in ground.tasks.values()
        if task.status == "done"
        for proof in task.proof
        if proof.type == "commit" and proof.ref.isalnum()
    ]
    if not wanted:
        return
    names = list(dict.fromkeys(name for name, _ in wanted))
    found = dict(zip(names, objects.peeled(names), strict=True))
    lost = _unreached([oid for oid in found.values() if oid], [*ground.tips, "HEAD"])
    for name, task in dict.fromkeys(wanted):
        oid = found[name]
        if oid is None and ground.shallow:
            yield signal(task, f"the commit that proves it ({name[:12]}) is not in this shallow clone: not judged")
        elif oid is None or oid in lost:
            yield signal(task, f"the commit that proves it ({name[:12]}) is not in the history here")


def _unreached(oids: list[str], tips: list[str]) -> set[str]:
    """Those of the commits that no tip reaches; one process for all."""
    if not oids:
        return set()
    data = "".join([*(oid + "\n" for oid in oids), *(f"^{tip}\n" for tip in tips)]).encode()
    done = process.run(["rev-list", "--ignore-missing", "--stdin"], data)
    return set(done.text.split()) & set(oids)


def _dead_scopes(ground: Ground) -> Iterator[Finding]:
    """Scopes that match nothing. Git's history may explain it; where it cannot, it is a fault for what is settled."""
    unsure: list[tuple[Entity, list[str]]] = []
    for stored in ground.stored.values():
        entity = stored.entity
        if entity.kind == "log" or stored.name.startswith(".ank/archive/"):
            continue
        dead = [
            glob for glob in entity.scope if scope.compile_glob(glob).peer is None and not ground.tracked.matched(glob)
        ]
        status = getattr(entity, "status", "")
        if dead and status in ("open", "in_progress"):
            yield signal(entity.id, f"its scope matches nothing yet: {several(dead)}")
        elif dead and status in ("closed", "superseded"):
            yield signal(entity.id, f"its scope matches nothing any more: {several(dead)}")
        elif dead:
            unsure.append((entity, dead))
    gone = _gone(ground) if unsure and not ground.shallow else []
    for entity, dead in unsure:
        yield _judged(ground, entity, dead, gone)


def _judged(ground: Ground, entity: Entity, dead: list[str], gone: list[str]) -> Finding:
    if ground.shallow:
        return signal(
            entity.id, f"its scope matches nothing, and this clone is too shallow to say why: {several(dead)}"
        )
    unexplained = [glob for glob in dead if not any(scope.matches([glob], path) for path in gone)]
    if unexplained:
        return fault(entity.id, f"its scope matches nothing and never did: {several(unexplained)}")
    return signal(entity.id, f"what its scope matched was renamed or deleted: {several(dead)}")


def _gone(ground: Ground) -> list[str]:
    """Paths below the corpus' folder that the history deleted or renamed away."""
    words = [
        "log",
        "--format=",
        "--name-only",
        "-z",
        "--no-renames",
        "--diff-filter=D",
        "--relative",
        "HEAD",
        "--",
        ".",
    ]
    done = process.run(words, cwd=ground.corpus.root)
    return sorted({name.strip("\n") for name in done.text.split("\0")} - {""}) if done.ok else []


def _over_constrained(ground: Ground) -> Iterator[Finding]:
    """Constraints that would take more than half of what `context` may say."""
    if ground.config is None:
        return
    most = ground.config.context_budget // 2
    for task in ground.tasks.values():
        if task.status in _OVER:
            continue
        binding = ground.binding(task.scope)
        total = sum(len(one.constraint) for one in binding)
        if total > most:
            words = f"constraints of {total} characters bind it, more than half of the budget"
            yield Finding(SIGNAL, task.id, words, charge=tuple((one.id, len(one.constraint)) for one in binding))
