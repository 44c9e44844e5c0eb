"""Which task to take next: what can be claimed, in the format's order (R-C5)."""

from __future__ import annotations

from tenure.model import scope
from tenure.model.errors import NotFound, Unavailable
from tenure.model.task import Task
from tenure.work import claimable, mirroring, views
from tenure.work.claiming import Grant, claim
from tenure.work.corpus import Corpus
from tenure.work.session import Session
from tenure.work.views import Views


def claim_next(session: Session, corpus: Corpus, path: str | None, asked: int | None) -> Grant:
    """The first claimable task of the perimeter, and the next one when the race is lost. NotFound (2): none (R-C5)."""
    mirroring.refresh(session)
    found = views.read(session)
    for task in by_order(session, corpus, found, path):
        try:
            corpus.reread(task.id)
            return claim(session, corpus, claimable.wish(corpus, task.id, None, asked))
        except Unavailable:
            continue
    where = f" that covers {path}" if path else ""
    raise NotFound(f"nothing is claimable here{where}", 'tenure find ""')


def by_order(session: Session, corpus: Corpus, found: Views, path: str | None = None) -> list[Task]:
    """Tasks that can be claimed now, lapsed ones included: most directly unblocked first, then the oldest (R-C5)."""
    tasks = corpus.tasks()
    unblocks: dict[str, int] = {}
    for task in tasks.values():
        for one in task.blocked_by if task.status not in ("done", "closed") else ():
            unblocks[one] = unblocks.get(one, 0) + 1
    free = [task for task in tasks.values() if claimable.is_free(session, tasks, found, task)]
    if path is not None:
        inside = scope.normal_path(path)
        free = [task for task in free if scope.covers_dir(task.scope, inside)]
    return sorted(free, key=lambda task: (-unblocks.get(task.id, 0), task.created, task.id))
