"""criteria restore: the frozen text put back, found in any commit that can be reached (§10)."""

from __future__ import annotations

import os

from tenure.git import changes, objects, refs
from tenure.model import criteria, ids, resolve
from tenure.model.entities import Unparseable
from tenure.model.errors import NotFound
from tenure.model.glance import glance
from tenure.model.task import Task
from tenure.model.value import replace
from tenure.work import corpus as corpora
from tenure.work import files, holding, views
from tenure.work.corpus import Corpus, Stored
from tenure.work.session import Session


def restore(session: Session, corpus: Corpus, name: str) -> tuple[Stored, bool]:
    """Put the frozen criterion of a task back into its file (raises `version`); False where it stood there already.

    NotFound (2): no commit holds it.
    """
    task = _id_of(corpus, name)
    frozen = frozen_hash(session, corpus, task)
    if frozen is None:
        raise NotFound(f"nothing is frozen for {task}: no claim, no proof", f"tenure show {ids.short(task)}")
    text = find_text(task, frozen, _tips(session))
    if text is None:
        raise NotFound(f"no commit here holds the text of {task} with the hash {frozen[:12]}", "git fetch origin")
    try:
        stored, entity = corpus.find_task(task)
    except (NotFound, Unparseable):
        return _bring_back(session, corpus, task, text), True
    if entity.done_criteria is not None and criteria.fits(entity.done_criteria, frozen):
        return stored, False
    by = entity.criteria_by if entity.done_criteria is not None else "creator"
    return files.rewrite(stored, replace(entity, done_criteria=text, criteria_by=by)), True


def _id_of(corpus: Corpus, name: str) -> str:
    """The task, also one whose file was deleted but whose record or history still names it in full."""
    try:
        return corpus.find(name).id
    except Unparseable:
        return resolve.resolve(name, corpus.ids())
    except NotFound:
        known = {ids.task_of_ref(ref.name) for ref in refs.listed(ids.CLAIMS[:-1], ids.MIRROR[:-1])}
        return resolve.resolve(name, [task for task in known if task])


def frozen_hash(session: Session, corpus: Corpus, task: str) -> str | None:
    """What is frozen: the record's hash, the kept record's, or the proof's (R-F2)."""
    view = views.read(session, task).of(task, session)
    holding.must_be_readable(view)
    claim = view.claim or views.kept(view)
    if claim:
        return claim.criteria
    try:
        _, entity = corpus.find_task(task)
    except (NotFound, Unparseable):
        return None
    hashes = [proof.criteria for proof in entity.proof if proof.criteria]
    return hashes[0] if hashes and isinstance(entity, Task) else None


def find_text(task: str, frozen: str, tips: list[str]) -> str | None:
    """The newest text with that hash in any commit reachable from these tips."""
    paths = tuple(f":(top,glob)**/{path}" for path in ids.usual_paths(task))
    oids = changes.commits(tips, [], paths)
    blobs = []
    for commit in changes.of_commits(oids, paths):
        blobs += [oid for change in commit.changes for oid in (change.after, *change.before) if oid]
    for thing in objects.read_many(list(dict.fromkeys(blobs))):
        seen = glance(thing.data) if thing else None
        if seen and seen.criterion is not None and criteria.fits(seen.criterion, frozen):
            return seen.criterion
    return None


def _tips(session: Session) -> list[str]:
    head = objects.resolve("HEAD")
    origin = f"refs/remotes/{session.origin.name}" if session.origin else None
    others = [ref.oid for ref in refs.listed("refs/heads", *([origin] if origin else [])) if not ref.symref]
    return [oid for oid in (head, *others) if oid]


def _bring_back(session: Session, corpus: Corpus, task: str, text: str) -> Stored:
    """The file is gone or unreadable: HEAD's own version of it comes back, with the frozen text."""
    for name in ids.usual_paths(task):
        path = os.path.join(corpus.root, name)
        thing = objects.read(f"HEAD:{session.place.inside(path)}")
        if thing and criteria.freeze_hash(glance(thing.data).criterion or "") == criteria.freeze_hash(text):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            files.replace_file(path, thing.data)
            return corpora.read_file(corpus.root, name)
    raise NotFound(f"the file of {task} is gone and HEAD does not hold it with that text", f"git log -- '*{task}.md'")
