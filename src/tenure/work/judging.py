"""The verdict on commits that are about to be shared: state decides, commits are blamed (R-F1, R-F2, R-F3).

One set of rules for pre-push, `verify`, the Action and a server: a batch of commits, the tips that they lead to, and
what is frozen. `work/staging.py` gives the same verdict on one staged commit.
"""

from __future__ import annotations

from tenure.git import changes, commits, objects
from tenure.git.reading import Reader
from tenure.model import criteria, freeze
from tenure.model.event import Event
from tenure.model.freeze import Frozen, State
from tenure.model.glance import glance
from tenure.model.value import replace
from tenure.model.verdict import Edit, Verdict
from tenure.work import batches, contests, views
from tenure.work.batches import Batch, Step
from tenure.work.session import Session
from tenure.work.views import Views


def judge(session: Session, found: Views, batch: Batch, read: Reader) -> Verdict:
    """The verdict on a batch. Never raises for what the commits hold."""
    seen, events = batches.steps(batch, read), contests.told(found, batch)
    frozen = _frozen(found, seen, batch, read)
    unjudged = _unjudged(found, seen)
    edits, said = _edits(session, seen, frozen, batch, read, events)
    said += _dropped(found, batch, read, {edit.task for edit in (*edits, *said)})
    found_contests, open_ones = contests.of_steps(session, found, seen, events)
    outcome = "refused" if edits else "unverified" if unjudged else "ok"
    return Verdict(outcome, tuple(edits), tuple(said), found_contests, open_ones, unjudged)


def _unjudged(found: Views, seen: list[Step]) -> tuple[str, ...]:
    """Sentences about what cannot be read: records, and files whose object is not here (R-H4)."""
    views_of = [found.tasks[step.task] for step in _first_of_each(seen) if step.task in found.tasks]
    records = [f"{one.task}: its record cannot be read ({one.unreadable.why})" for one in views_of if one.unreadable]
    lost = [one for one in seen if not one.after.here]
    return (*records, *(f"{one.task}: its file in {one.commit.oid[:7]} is not in this clone" for one in lost))


def _first_of_each(steps: list[Step]) -> list[Step]:
    return list({step.task: step for step in steps}.values())


def _frozen(found: Views, steps: list[Step], batch: Batch, read: Reader) -> dict[str, list[Frozen]]:
    """What is frozen for each task that the batch touches: the record's hash, and the proof's in the base (R-F2)."""
    frozen: dict[str, list[Frozen]] = {}
    for step in _first_of_each(steps):
        rules = [freeze.by_claim(one) for one in views.claims_of(found.tasks.get(step.task))]
        if rules:
            frozen[step.task] = rules
    if batch.base is not None:
        paths = list({(step.task, step.path) for step in steps})
        for (task, _), thing in zip(paths, read([f"{batch.base}:{path}" for _, path in paths]), strict=True):
            if thing:
                frozen.setdefault(task, []).extend(freeze.by_proof(glance(thing.data)))
    return frozen


def _edits(
    session: Session,
    steps: list[Step],
    frozen: dict[str, list[Frozen]],
    batch: Batch,
    read: Reader,
    events: list[Event],
) -> tuple[list[Edit], list[Edit]]:
    edits, said = [], []
    for task in dict.fromkeys(step.task for step in steps):
        mine = [step for step in steps if step.task == task]
        rules = frozen.get(task, []) if batch.base is not None else frozen.get(task, []) + _parent_proofs(mine)
        for rule in dict.fromkeys(rules):
            brought = [step for step in mine if freeze.is_edit(rule, step.before, step.after)]
            for edit in _at_tips(rule, brought, mine, batch, read):
                step = next(one for one in brought if one.commit.oid == edit.commit)
                blamed = [one for one in brought if not _excuse(session, rule, one, events, batch)]
                if blamed:
                    first = blamed[0] if step not in blamed else step
                    edits.append(replace(edit, commit=first.commit.oid))
                else:
                    said.append(replace(edit, excuse=_excuse(session, rule, step, events, batch)))
    return edits, said


def _parent_proofs(steps: list[Step]) -> list[Frozen]:
    """R-F2: for hooks, the proof in the parent of the commit that changes a finished task.

    Not that of a parent which these commits themselves spoiled: putting it right is no edit of it (R-F1).
    """
    rules: list[Frozen] = []
    spoiled: set[str | None] = set()
    for step in reversed(steps):
        mine = [rule for old in step.before if old.oid not in spoiled for rule in freeze.by_state(old)]
        rules += mine
        if not all(freeze.keeps(rule, step.after) for rule in mine or rules):
            spoiled.add(step.after.oid)
    return rules


def _excuse(session: Session, rule: Frozen, step: Step, events: list[Event], batch: Batch) -> str | None:
    """R-F3: a commit from before the freeze by somebody who is not the holder, or cannot be told, is said only.

    So is the holder's own where the frozen text did not stand yet: an old tag that is pushed takes nothing away. So is
    what origin has already; and what once became of finished tasks, where a history goes to a new place as a whole.
    And, in a push, what stood there already where a shallow clone begins (B16).
    """
    if batch.base is None and _is_boundary(step):
        return "it stood there already where this shallow clone begins"
    if step.commit.oid in batch.public:
        return "it is on origin already"
    if rule.holder is None and batch.is_whole:
        return "it is part of a history that is new to the other side"
    if rule.claimed is None or rule.holder is None or step.commit.committed_at >= rule.claimed:
        return None
    actor = contests.actor_of(session, rule.holder, rule.claimed, step.task, step.commit, events)
    if actor.is_holder and any(freeze.keeps(rule, old) for old in step.before):
        return None
    return f"committed before the claim, by {actor.name}"


def _is_boundary(step: Step) -> bool:
    """Whether git shows a commit without the parents that it names, since they were never fetched."""
    parents = list(step.commit.parents)
    return bool(parents) and all(old.oid is None for old in step.before) and not any(objects.present(parents))


def _dropped(found: Views, batch: Batch, read: Reader, told: set[str]) -> list[Edit]:
    """R-F3: where a frozen text goes with no commit to blame: a merge took its other side, a branch was moved back."""
    rules = {view.task: freeze.by_claim(view.claim) for view in found.claims() if view.claim and view.task not in told}
    if not rules:
        return []
    merges = [commits.info(one) for one in read([one.oid for one in batch.commits if not one.changes]) if one]
    pairs = [*batch.moves, *((parent, merge.oid) for merge in merges for parent in merge.parents)]
    edges = batches.steps(Batch(batch.tips, tuple(changes.across(pairs))), read)
    said = []
    for task, rule in rules.items():
        mine = [one for one in edges if one.task == task]
        lost = [one for one in mine if freeze.is_loss(rule, one.before, one.after)]
        said += _at_tips(rule, lost, mine, batch, read)
    return [replace(edit, excuse="no commit of this push wrote it: a merge or a move of the branch") for edit in said]


def _at_tips(rule: Frozen, brought: list[Step], steps: list[Step], batch: Batch, read: Reader) -> list[Edit]:
    """Where a pushed tip still holds the edit: the tip decides, so what was restored within the push passes (R-F1)."""
    if not brought:
        return []
    paths = tuple(dict.fromkeys(place for step in steps for place in freeze.places(step.path)))
    edits = []
    gone = {step.path for step in brought if step.after.oid is None}
    heirs: dict[str, set[str]] = {}
    for name, tip, states in _states_at(batch.tips, paths, read):
        found = _files_of(tip, states, gone)
        step = _reached(brought, tip, batch, heirs)
        if step is None:
            continue
        if freeze.holds(rule, found):
            if not changes.is_doubled(tip, step.path):
                continue
            found = {**found, step.path: step.after}  # a checkout may take either
        edits.append(_edit(rule, step, found, name, brought))
        break
    return edits


def _states_at(
    tips: tuple[tuple[str, str], ...], paths: tuple[str, ...], read: Reader
) -> list[tuple[str, str, dict[str, State]]]:
    """The task's files at each tip."""
    names = [f"{tip}:{path}" for _, tip in tips for path in paths]
    things = read(names)
    known = {one.oid: freeze.state(glance(one.data), one.oid) for one in {t.oid: t for t in things if t}.values()}
    found = []
    for number, (name, tip) in enumerate(tips):
        row = things[number * len(paths) : (number + 1) * len(paths)]
        found.append((name, tip, {path: known[one.oid] for path, one in zip(paths, row, strict=True) if one}))
    return found


def _files_of(tip: str, states: dict[str, State], gone: set[str]) -> dict[str, State]:
    """Without what stands there and is no file: a link or a submodule can name the frozen text's very object."""
    asked = gone & states.keys()
    there = changes.files(tip, *asked) if asked else {}
    return {path: one for path, one in states.items() if path not in asked or path in there}


def _reached(brought: list[Step], tip: str, batch: Batch, heirs: dict[str, set[str]]) -> Step | None:
    """The first of these steps that the tip's history holds. `heirs` keeps what was asked, by commit."""
    for step in brought:
        oid = step.commit.oid
        if len(batch.tips) == 1 or oid == tip:
            return step
        if oid not in heirs:
            heirs[oid] = changes.reached_from(oid, step.commit.parents, [one for _, one in batch.tips])
        if tip in heirs[oid]:
            return step
    return None


def _edit(rule: Frozen, step: Step, states: dict[str, State], ref: str, brought: list[Step]) -> Edit:
    now = states.get(step.path) or (next(iter(states.values()), None))
    old = next(
        (
            state.criterion
            for one in reversed(brought)
            for state in one.before
            if state.criterion is not None and criteria.fits(state.criterion, rule.hash)
        ),
        None,
    )
    return Edit(
        task=step.task,
        path=step.path,
        commit=step.commit.oid,
        frozen=rule.hash,
        now=freeze.hash_of(now),
        holder=rule.holder,
        claimed=rule.claimed,
        before=old,
        after=now.criterion if now else None,
        line=freeze.changed_line(old, now) if now else None,
        why=freeze.why(rule, now),
        ref=ref,
    )
