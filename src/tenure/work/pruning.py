"""Records that the default branch no longer needs: deleted by their object, one push with a lease on each (R-G2)."""

from __future__ import annotations

from tenure.git import changes, objects, refs, remote
from tenure.git.reading import Reader
from tenure.git.remote import Update
from tenure.model import event, ids
from tenure.model.glance import glance
from tenure.model.record import Claim, Completion
from tenure.model.value import value
from tenure.model.verdict import Removal
from tenure.work import contests, feed, settling, whereabouts
from tenure.work.session import Session
from tenure.work.views import View, Views

OVER = ("done", "closed")


@value
class Pruned:
    """`gone`: removed (or what a dry run would remove); `kept`: had moved; `truncated`: more were left for later."""

    gone: tuple[Removal, ...] = ()
    kept: tuple[Removal, ...] = ()
    truncated: bool = False


def statuses(tips: list[str], tasks: list[str], read: Reader) -> dict[str, dict[str, str | None]]:
    """Per tip the status of these tasks there: None where its file cannot be read; a task without a file is absent."""
    found: dict[str, dict[str, str | None]] = {}
    for tip in tips:
        oids = _task_blobs(tip, set(tasks))
        names = list(oids.values())
        things = dict(zip(names, read(names), strict=True))
        found[tip] = {
            task: glance(thing.data).status if (thing := things[oid]) is not None else None
            for task, oid in oids.items()
        }
    return found


def _task_blobs(tip: str, tasks: set[str]) -> dict[str, str]:
    """The task files of a tree that concern us; `.ank/entities` beats `.ank/tasks` for a doubled id."""
    found: dict[str, str] = {}
    for path, oid in sorted(changes.files(tip).items(), key=lambda item: "/entities/" in "/" + item[0]):
        task = ids.task_of_path(path)
        if task in tasks:
            found[task] = oid
    return found


def over(session: Session, found: Views, read: Reader, tips: list[str] | None = None) -> list[View]:
    """The tasks with a record that the default branch says are done or closed; its reachability plays no part."""
    tips = whereabouts.default_tips(session) if tips is None else tips
    with_record = [view for view in found.tasks.values() if view.claim or view.completion]
    known = statuses(tips, [view.task for view in with_record], read)
    return [view for view in with_record if any(known[tip].get(view.task) in OVER for tip in tips)]


def merged(session: Session, found: Views) -> set[str]:
    """The finished tasks that the default branch says are over: their record waits to be pruned. Reads only."""
    done = {name: view for name, view in found.tasks.items() if view.completion}
    return {view.task for view in over(session, Views(done), objects.read_many)} if done else set()


def prune(
    session: Session, found: Views, read: Reader, source: str, dry_run: bool = False, most: int | None = None,
    tips: list[str] | None = None,
) -> Pruned:  # fmt: skip
    """Delete every record of a task that is over on the default branch, here and on origin; idempotent (R-G2)."""
    tips = whereabouts.default_tips(session) if tips is None else tips
    wanted = over(session, found, read, tips)
    chosen = wanted if most is None else wanted[:most]
    rows = [_row(view) for view in chosen]
    if dry_run or not chosen:
        return Pruned(tuple(rows), (), len(chosen) < len(wanted))
    contests.before_pruning(session, found, [view for view in chosen if view.claim], tips, source)
    moved = _delete(session, chosen)
    gone = [row for row in rows if row.task not in moved]
    act = whereabouts.act(session, source)
    feed.append(
        session,
        *(event.without_claim("task.pruned", row.task, row.holder, act, row.oid, reason=row.why) for row in gone),
    )
    return Pruned(tuple(gone), tuple(row for row in rows if row.task in moved), len(chosen) < len(wanted))


def _row(view: View) -> Removal:
    one, ref, oid = view.record, ids.claim_ref(view.task), view.oid or ""
    if isinstance(one, Completion):
        return Removal(view.task, ref, oid, "completed", one.identity, one.completed, "done on the default branch")
    assert isinstance(one, Claim)
    return Removal(view.task, ref, oid, "claim", one.holder, one.expires, "done or closed on the default branch")


def _delete(session: Session, chosen: list[View]) -> set[str]:
    """Delete by object, origin first; returns the tasks whose record had moved and was kept."""
    moved = delete_on_origin(session, [(view.task, view.mirror_oid) for view in chosen if view.mirror_oid])
    for view in chosen:
        if view.task not in moved and not _delete_here(session, view):
            moved.add(view.task)
    return moved


def _delete_here(session: Session, view: View) -> bool:
    with session.store.swapping():
        if view.local_oid and not refs.delete(ids.claim_ref(view.task), view.local_oid):
            return False
        state = session.store.again(view.state)
        if state.fields:
            state.forget_pending()
            state.forget_claim()
            session.store.save(state)
    return True


def delete_on_origin(session: Session, wanted: list[tuple[str, str]]) -> set[str]:
    """One push, a lease on each object, read per ref; what is gone already counts as deleted (R-G2, R-G3)."""
    if session.origin is None or not wanted:
        return set()
    updates = [Update(ids.claim_ref(task), None, oid) for task, oid in wanted]
    flags = remote.push(session.origin, updates, max(remote.PUSH_LIMIT, 20 + len(updates) / 20))
    left = [(task, oid) for task, oid in wanted if not remote.landed(flags.get(ids.claim_ref(task)))]
    gone = [task for task, _ in wanted if remote.landed(flags.get(ids.claim_ref(task)))]
    mirrors = {ids.mirror_ref(task) for task in gone}
    refs.delete_all({ref.name: ref.oid for ref in refs.listed(ids.MIRROR[:-1]) if ref.name in mirrors})
    moved = set()
    if left:
        there = remote.claims(session.origin)
        for task, _ in left:
            if there is not None and ids.claim_ref(task) not in there:
                settling.see(task, None)
            else:
                moved.add(task)
    return moved
