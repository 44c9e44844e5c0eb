"""criteria restore: the frozen text put back, found in any commit that can be reached (§10)."""

from __future__ import annotations

import os

from tenure.git import changes, objects, refs
from tenure.model import criteria, entity_reading, freeze, ids, resolve
from tenure.model.entity_reading import Unparseable
from tenure.model.errors import NotFound
from tenure.model.glance import glance
from tenure.model.task import Task
from tenure.model.value import replace, value
from tenure.work import corpus as corpora
from tenure.work import files, holding, views, whereabouts
from tenure.work.corpus import Corpus, Stored
from tenure.work.session import Session


@value
class Rule:
    """What is frozen: a hash, and for a finished task the task as it was finished, whose proof must stay too (R-F2)."""

    hash: str
    finished: Task | None = None


def restore(session: Session, corpus: Corpus, name: str) -> tuple[Stored, bool]:
    """Put the frozen criterion of a task back into its file, and the proof of a finished one that lost it (raises
    `version`); False where they stood there already.

    NotFound (2): no commit holds it.
    """
    task = _id_of(session, corpus, name)
    rule = frozen(session, corpus, task)
    if rule is None:
        raise NotFound(f"nothing is frozen for {task}: no claim, no proof", f"tenure show {ids.short(task)}")
    path, data = _version(task, rule.hash, _tips(session))
    if path is None:
        told = f"no commit here holds the text of {task} with the hash {rule.hash[:12]}"
        raise NotFound(told, f"git fetch {session.remote}")
    try:
        stored, entity = corpus.find_task(task)
    except (NotFound, Unparseable):
        return _bring_back(corpus, path, data), True
    mended = _mended(entity, rule, glance(data).criterion or "")
    return (stored, False) if mended == entity else (files.rewrite(stored, mended), True)


def _mended(task: Task, rule: Rule, text: str) -> Task:
    """The task with what was frozen; all else as it stands."""
    if task.done_criteria is None or not criteria.fits(task.done_criteria, rule.hash):
        by = task.criteria_by if task.done_criteria is not None else "creator"
        task = replace(task, done_criteria=text, criteria_by=by)
    if rule.finished and task.status not in freeze.REOPENED and rule.hash not in [one.criteria for one in task.proof]:
        task = replace(task, proof=rule.finished.proof)
    return task


def _id_of(session: Session, corpus: Corpus, name: str) -> str:
    """The task, also one whose file was deleted but whose record or history still names it."""
    try:
        return corpus.find(name).id
    except Unparseable:
        return resolve.resolve(name, corpus.ids())
    except NotFound:
        known = {ids.task_of_ref(ref.name) for ref in refs.listed(ids.CLAIMS[:-1], ids.MIRROR[:-1])}
        if not any(name.removeprefix("TASK-").lower() in (task or "") for task in known):
            gone = [change for one in changes.of_commits(changes.commits(_tips(session), [])) for change in one.changes]
            known |= {ids.task_of_path(change.path) for change in gone if change.after is None}
        return resolve.resolve(name, [task for task in known if task])


def frozen(session: Session, corpus: Corpus, task: str) -> Rule | None:
    """The record's hash, the kept record's, or that of the proof which finished the task: there, else here (R-F2)."""
    view = views.read(session, task).of(task, session)
    holding.must_be_readable(session, view)
    claim = view.claim or views.kept(view)
    if claim:
        return Rule(claim.criteria)
    for tip in (*whereabouts.default_tips(session), *([head] if (head := whereabouts.commit()) else [])):
        rule = finished(task, tip)
        if rule:
            return rule
    try:
        return _finished([corpus.find_task(task)[1]])
    except (NotFound, Unparseable):
        return None


def finished(task: str, tip: str) -> Rule | None:
    """What froze when the task was finished, as the history of that commit tells it; None where it is not."""
    return _finished([_task(data) for _, data in _versions(task, [tip])])


def _finished(versions: list[Task | None]) -> Rule | None:
    """The version that finished the task, newest ones first: what became of it since may have lost its proof."""
    rule = None
    for one in versions:
        if one and one.status in freeze.REOPENED:
            break
        hashes = [proof.criteria for proof in one.proof if proof.criteria] if one and one.status == "done" else []
        rule = Rule(hashes[0], one) if hashes else rule
    return rule


def _task(data: bytes) -> Task | None:
    try:
        found = entity_reading.parse_bytes(data)
    except Unparseable:
        return None
    return found if isinstance(found, Task) else None


def _version(task: str, frozen: str, tips: list[str]) -> tuple[str | None, bytes]:
    """Path and content of the newest file with that criterion in any commit reachable from these tips."""
    for path, data in _versions(task, tips):
        seen = glance(data).criterion
        if seen is not None and criteria.fits(seen, frozen):
            return path, data
    return None, b""


def _versions(task: str, tips: list[str]) -> list[tuple[str, bytes]]:
    """Path and content of every state of a task's file in the history of these tips, newest first."""
    paths = tuple(f":(top,glob)**/{path}" for path in ids.usual_paths(task))
    oids = changes.commits(tips, [], paths)
    found: dict[str, str] = {}
    for commit in changes.of_commits(oids, paths):
        for change in commit.changes:
            found |= {oid: change.path for oid in (change.after, *change.before) if oid and oid not in found}
    return [(found[thing.oid], thing.data) for thing in objects.read_many(list(found)) if thing]


def _tips(session: Session) -> list[str]:
    head = objects.resolve("HEAD")
    origin = f"refs/remotes/{session.origin.name}" if session.origin else None
    others = [ref.oid for ref in refs.listed("refs/heads", *([origin] if origin else [])) if not ref.symref]
    return [oid for oid in (head, *others) if oid]


def _bring_back(corpus: Corpus, path: str, data: bytes) -> Stored:
    """The file is gone or unreadable: its newest version with the frozen text comes back, where it was."""
    name = path[len(freeze.root_of(path)) :]
    whole = os.path.join(corpus.root, *name.split("/"))
    os.makedirs(os.path.dirname(whole), exist_ok=True)
    files.replace_file(whole, data)
    return corpora.read_file(corpus.root, name)
