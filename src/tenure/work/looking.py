"""What a task's coordination looks like from here, and lists of entities (find, scope, graph, show)."""

from __future__ import annotations

from tenure.model import scope
from tenure.model.entities import Adr, Entity, LogEntry
from tenure.model.task import Task
from tenure.model.value import value
from tenure.work import choosing, claimable, holding
from tenure.work.corpus import Corpus, Stored
from tenure.work.session import Session
from tenure.work.views import View, Views

_ORDER = {"in_progress": 0, "open": 1, "proposed": 2, "accepted": 3, "superseded": 5, "done": 4, "closed": 5}


@value
class Row:
    """An entity in a list. `state` says what can be done with it now."""

    id: str
    kind: str
    status: str | None
    state: str | None
    title: str


def coordination(session: Session, view: View, status: str | None = None) -> str | None:
    """Who has a task: `claimed by …`, `lapsed, last held by …`, `finished on another branch …`; None: nobody.

    `status`: what the task's file says here; where it is over, its completion only waits for the default branch.
    """
    if view.unreadable:
        return f"unreadable record on {view.unreadable.ref}"
    if view.completion:
        where = holding.where(view.completion)
        if status in ("done", "closed"):
            return f"finished ({where}); the record is pruned when the default branch says so"
        return f"finished on another branch ({where}), not merged here yet"
    if view.claim:
        who = view.claim.holder
        return f"claimed by {who}" if view.live(session.at) else f"lapsed, last held by {who}"
    return None


def task_state(session: Session, tasks: dict[str, Task], found: Views, task: Task) -> str:
    """`free`, `blocked`, `no criterion`, the status where it is an end, or its coordination."""
    if task.status in ("done", "closed"):
        return task.status
    told = coordination(session, found.of(task.id, session))
    if told and not told.startswith("lapsed"):
        return told
    if claimable.is_blocked(tasks, task):
        return "blocked"
    if not claimable.has_criterion(task):
        return "no criterion"
    return told or "free"


def rows(session: Session, corpus: Corpus, found: Views, stored: list[Stored]) -> list[Row]:
    """Rows for a list, in the order given."""
    tasks = corpus.tasks()
    made = []
    for one in stored:
        entity = one.entity
        status = None if isinstance(entity, LogEntry) else entity.status
        state = task_state(session, tasks, found, entity) if isinstance(entity, Task) else status
        made.append(Row(one.id, entity.kind, status, state, entity.title))
    return made


def search(
    corpus: Corpus, query: str, status: str | None = None, kind: str | None = None, path: str | None = None
) -> list[Stored]:
    """Entities in which every word of the query occurs; log entries only where their kind is asked for."""
    words = query.lower().split()
    kinds = [kind.upper()] if kind else ["TASK", "ADR", "SPEC"]
    found = [one for name in kinds for one in corpus.all(name)]
    return in_order([one for one in found if _fits(one.entity, words, status, path)])


def _fits(entity: Entity, words: list[str], status: str | None, path: str | None) -> bool:
    if status is not None and getattr(entity, "status", None) != status:
        return False
    if path is not None and not covers(entity, path):
        return False
    text = searched(entity) if words else ""
    return all(word in text for word in words)


def searched(entity: Entity) -> str:
    """The text in which a query looks, in lower case."""
    parts = [entity.id, entity.title, entity.slug or "", *entity.scope, entity.body, entity.author or ""]
    parts.append((entity.done_criteria or "") if isinstance(entity, Task) else "")
    parts.append(entity.constraint if isinstance(entity, Adr) else "")
    return "\n".join(parts).lower()


def covers(entity: Entity, path: str) -> bool:
    """Whether the scope says something about a path, a folder included (path in normal form)."""
    return scope.covers_dir(entity.scope, path)


def in_order(stored: list[Stored]) -> list[Stored]:
    """Work first, then decisions, then what is over; the oldest first."""
    return sorted(
        stored, key=lambda one: (_ORDER.get(getattr(one.entity, "status", ""), 6), one.entity.created, one.id)
    )


def free(session: Session, corpus: Corpus, found: Views, stored: list[Stored]) -> list[Stored]:
    """Those that can be claimed now, in the order in which `claim --next` takes them."""
    order = {task.id: number for number, task in enumerate(choosing.by_order(session, corpus, found))}
    return sorted((one for one in stored if one.id in order), key=lambda one: order[one.id])


@value
class Edge:
    """`task` waits for `blocker`; `known`: the blocker is in this corpus."""

    task: str
    blocker: str
    known: bool


def graph(corpus: Corpus, path: str | None) -> tuple[list[Stored], list[Edge]]:
    """The tasks of a perimeter with what they wait for and what waits for them, and the edges between them."""
    stored = {one.id: one for one in corpus.all("TASK")}
    edges = [
        Edge(one.id, blocker, blocker in stored)
        for one in stored.values()
        if isinstance(one.entity, Task)
        for blocker in one.entity.blocked_by
    ]
    if path is not None:
        inside = {one.id for one in stored.values() if covers(one.entity, path)}
        edges = [edge for edge in edges if edge.task in inside or edge.blocker in inside]
        wanted = inside | {name for edge in edges for name in (edge.task, edge.blocker)}
        stored = {name: one for name, one in stored.items() if name in wanted}
    return in_order(list(stored.values())), sorted(edges, key=lambda edge: (edge.task, edge.blocker))


def unblocks(corpus: Corpus, task: str) -> list[Task]:
    """The tasks that wait for this one."""
    return [other for other in corpus.tasks().values() if task in other.blocked_by]
