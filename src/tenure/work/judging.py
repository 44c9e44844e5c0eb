"""The verdict on commits that are about to be shared: state decides, commits are blamed (R-F1, R-F2, R-F3).

One set of rules for pre-push, `verify`, the Action and a server: a batch of commits, the tips that they lead to, and
what is frozen. `work/staging.py` gives the same verdict on one staged commit.
"""

from __future__ import annotations

from collections.abc import Iterable

from tenure.git import changes, commits, objects, refs
from tenure.git.changes import Change, Commit
from tenure.git.commits import Info
from tenure.git.reading import Reader
from tenure.model import criteria, freeze, ids
from tenure.model.event import Event
from tenure.model.freeze import Frozen, State
from tenure.model.glance import Glance, glance
from tenure.model.value import replace, value
from tenure.model.verdict import Edit, Verdict
from tenure.work import contests, feed, views
from tenure.work.session import Session
from tenure.work.views import Views


@value
class Batch:
    """What is judged: tips by the name that people know them by, the commits with their changes, newest first.

    `moves`: what a branch held and what it is to hold, where both are known.
    """

    tips: tuple[tuple[str, str], ...]
    commits: tuple[Commit, ...]
    base: str | None = None  # the base of a range, where the proofs of finished tasks are read (R-F2)
    moves: tuple[tuple[str, str], ...] = ()
    is_whole: bool = False  # nothing of it is known on the other side: whole histories
    public: frozenset[str] = frozenset()  # commits that origin has, where the push goes to another remote


@value
class Step:
    """One task file in one commit: what it was in each parent and what it is."""

    commit: Info
    task: str
    path: str
    before: tuple[State, ...]
    after: State


def gather(tips: list[tuple[str, str]], known: list[str], origin: str | None = None) -> Batch:
    """The commits of a push: reachable from the tips, unknown so far, limited to those that touch task files.

    `origin`: its name, where the push goes to another remote and what is on origin already is to be told (R-F3).
    """
    names = [oid for _, oid in tips]
    oids = changes.commits(names, known) if tips else []
    there = known_of(origin, []) if oids and origin else []
    public = frozenset(oids).difference(changes.commits(names, known + there)) if there else frozenset[str]()
    return Batch(tuple(tips), tuple(changes.of_commits(oids)), is_whole=not known, public=public)


def gather_range(base: str, head: str, known: Iterable[str] = ()) -> Batch:
    """The commits of base..head (less what is known otherwise); the state at head decides."""
    oids = changes.commits([head], [base, *known])
    return Batch((("HEAD", head),), tuple(changes.of_commits(oids)), base)


def gather_trees(base: str, head: str) -> Batch:
    """Without history between them: the difference of two trees as if head had made it all (shallow checkouts)."""
    return Batch((("HEAD", head),), (Commit(head, tuple(changes.between(base, head, changes.TASK_PATHS))),), base)


def judge(session: Session, found: Views, batch: Batch, read: Reader) -> Verdict:
    """The verdict on a batch. Never raises for what the commits hold."""
    seen, events = steps(batch, read), told(found, batch)
    frozen = _frozen(found, seen, batch, read)
    unjudged = tuple(
        f"{view.task}: its record cannot be read ({view.unreadable.why})"
        for view in (found.tasks[step.task] for step in _first_of_each(seen) if step.task in found.tasks)
        if view.unreadable
    ) + tuple(
        f"{step.task}: its file in {step.commit.oid[:7]} is not in this clone" for step in seen if not step.after.here
    )
    edits, said = _edits(session, seen, frozen, batch, read, events)
    said += _dropped(found, batch, read, {edit.task for edit in (*edits, *said)})
    found_contests, open_ones = contests.of_steps(session, found, seen, events)
    outcome = "refused" if edits else "unverified" if unjudged else "ok"
    return Verdict(outcome, tuple(edits), tuple(said), found_contests, open_ones, unjudged)


def told(found: Views, batch: Batch) -> list[Event]:
    """The feed of the tasks where it matters who acted: changed by the batch, and claimed (R-K3)."""
    touched = {ids.task_of_path(change.path) or "" for commit in batch.commits for change in commit.changes}
    return feed.events(*(task for task in touched if task in found.tasks and views.claims_of(found.tasks[task])))


def steps(batch: Batch, read: Reader) -> list[Step]:
    """Every task file that the batch changes, commit by commit, newest first."""
    wanted = [
        (commit, change) for commit in batch.commits for change in commit.changes if ids.task_of_path(change.path)
    ]
    if not wanted:
        return []
    infos = {one.oid: commits.info(one) for one in read(list({commit.oid for commit, _ in wanted})) if one}
    names = {oid for _, change in wanted for oid in (*change.before, change.after) if oid}
    glances = {name: glance(one.data) for name, one in zip(names, read(list(names)), strict=True) if one}
    return [_step(infos[commit.oid], change, glances) for commit, change in wanted if commit.oid in infos]


def _step(commit: Info, change: Change, glances: dict[str, Glance]) -> Step:
    task = ids.task_of_path(change.path) or ""
    states = [freeze.state(glances.get(oid) if oid else None, oid) for oid in (*change.before, change.after)]
    return Step(commit, task, change.path, tuple(states[:-1]), states[-1])


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
    """R-F2: for hooks, the proof in the parent of the commit that changes a finished task."""
    return [rule for step in steps for before in step.before for rule in freeze.by_state(before)]


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
    edges = steps(Batch(batch.tips, tuple(changes.across(pairs))), read)
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
        line=now.line if now else None,
        why=freeze.why(rule, now),
        ref=ref,
    )


def known_of(remote_name: str | None, old: list[str]) -> list[str]:
    """What the other side is known to have: old objects that exist here, and its tracking refs (B16, B17)."""
    there = [oid for oid, present in zip(old, objects.present(old), strict=True) if present]
    if remote_name:
        there += [ref.oid for ref in refs.listed(f"refs/remotes/{remote_name}") if not ref.symref]
    return there
