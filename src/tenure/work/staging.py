"""The verdict on what is about to be committed, and whether it touches the held task. On the hook path (R-H1, R-L5)."""

from __future__ import annotations

from tenure.git import objects, process
from tenure.git.changes import Change
from tenure.model import criteria, freeze, ids, scope
from tenure.model.freeze import Frozen, State
from tenure.model.glance import Glance, glance
from tenure.model.record import Claim
from tenure.model.value import replace, value
from tenure.model.verdict import Edit
from tenure.work import views
from tenure.work.session import Session
from tenure.work.views import View, Views


@value
class Shift:
    """A staged status change of a task that somebody else holds (R-K1, R-K6): pre-commit warns."""

    view: View
    old: str
    new: str


@value
class Look:
    """What one staged commit would do. `held_state`: the held task's file in the index, where it is there."""

    edits: tuple[Edit, ...]
    said: tuple[Edit, ...]
    shifts: tuple[Shift, ...]
    touched: tuple[str, ...]  # claimed tasks that this commit touches, the held one first
    held_state: State | None
    unreadable: tuple[str, ...]  # ids whose record cannot be read
    reopened: tuple[str, ...]  # tasks that this commit sets back to open (R-L4)


def wanted(session: Session, staged: list[Change]) -> list[str]:
    """The objects that a look will want, as far as can be told before any record is read."""
    mine = [one for one in session.store.all() if one.get("identity") == session.identity.value]
    return _names(staged) + [f":{place}" for one in mine for place in ids.usual_paths(one.task, one.get("path"))]


def look(session: Session, found: Views, staged: list[Change], mine: Claim | None, hint: str | None) -> Look:
    """Judge the index. `mine`: the claim of this identity (live, lapsed or swept), `hint` its file's place."""
    places = ids.usual_paths(mine.task, hint) if mine else ()
    things = _read(found, staged, places)
    glances = {name: glance(thing.data) for name, thing in things.items() if thing}
    tasks = [change for change in staged if ids.task_of_path(change.path)]
    edits = _edits(found, tasks, glances)
    refused, said = _sort(edits) if edits else ((), ())
    place = next((place for place in places if f":{place}" in glances), None)
    held = glances[f":{place}"] if place else None
    touches = mine is not None and _touches(mine.task, staged, things, place, held)
    return Look(
        refused,
        said,
        _shifts(session, found, tasks, glances),
        _touched(found, tasks, mine, touches),
        freeze.state(held, "") if held else None,
        tuple(view.task for view in found.tasks.values() if view.unreadable),
        tuple(_reopened(tasks, glances)),
    )


def _read(found: Views, staged: list[Change], places: tuple[str, ...]) -> dict[str, objects.Thing | None]:
    """By name: each state of the staged task files, the staged log entries, the held task's file in the index."""
    names = [*_names(staged), *(f":{place}" for place in places)]
    read = dict(found.also)
    left = [name for name in names if name not in read]
    return {**read, **dict(zip(left, objects.read_many(left), strict=True))}


def _names(staged: list[Change]) -> list[str]:
    """The objects of the staged task files, before and after, and of the staged log entries."""
    names = [oid for change in staged if ids.task_of_path(change.path) for oid in (*change.before, change.after) if oid]
    return names + [change.after for change in staged if _is_log(change.path) and change.after]


def _is_log(path: str) -> bool:
    return path.startswith(".ank/entities/LOG-") or "/.ank/entities/LOG-" in path or ".ank/log/" in path


def _edits(found: Views, tasks: list[Change], glances: dict[str, Glance]) -> list[tuple[Edit, Change]]:
    edits = []
    for change in tasks:
        task = ids.task_of_path(change.path) or ""
        before = tuple(freeze.state(glances.get(oid) if oid else None, oid) for oid in change.before)
        after = freeze.state(glances.get(change.after) if change.after else None, change.after)
        view = found.tasks.get(task)
        rules = [freeze.by_claim(one) for one in views.claims_of(view)]
        rules += [rule for old in before for rule in freeze.by_state(old)]
        edited = (rule for rule in rules if freeze.is_edit(rule, before, after))
        broken = next((rule for rule in edited if not _is_back(rule, task, after)), None)
        if broken and not _lies_elsewhere(broken, change, tasks, glances):
            edits.append((_edit(broken, task, change, before, after), change))
    return edits


def _is_back(rule: Frozen, task: str, after: State) -> bool:
    """Whether a finished task is as it was finished again, over an edit that slipped in: always allowed (R-F1)."""
    if rule.holder is not None or after.oid is None:
        return False
    from tenure.work import restoring  # only where a commit would be refused

    first = restoring.finished(task, "HEAD")
    return first is not None and freeze.keeps(Frozen(first.hash, None, None), after)


def _lies_elsewhere(rule: Frozen, change: Change, tasks: list[Change], glances: dict[str, Glance]) -> bool:
    """Whether a file that went away lies, with its frozen text, in another place of a task file (a move, no edit)."""
    if change.after is not None:
        return False
    task = ids.task_of_path(change.path)
    moved = [one.after for one in tasks if one.after and ids.task_of_path(one.path) == task]
    if any(freeze.keeps(rule, freeze.state(glances.get(oid), oid)) for oid in moved):
        return True
    places = [place for place in freeze.places(change.path) if place != change.path]
    things = objects.read_many([f":{place}" for place in places])
    return any(thing and freeze.keeps(rule, freeze.state(glance(thing.data), thing.oid)) for thing in things)


def _edit(rule: Frozen, task: str, change: Change, before: tuple[State, ...], after: State) -> Edit:
    old = next((one.criterion for one in before if one.criterion and criteria.fits(one.criterion, rule.hash)), None)
    now = freeze.hash_of(after)
    return Edit(
        task, change.path, None, rule.hash, now, rule.holder, rule.claimed, old, after.criterion,
        freeze.changed_line(old, after), freeze.why(rule, after),
    )  # fmt: skip


def _sort(edits: list[tuple[Edit, Change]]) -> tuple[tuple[Edit, ...], tuple[Edit, ...]]:
    """While a merge is concluded, what is as on the other side is said and not refused (R-F3)."""
    merged = process.run(["rev-parse", "--verify", "-q", "MERGE_HEAD"])
    if not merged.ok:
        return tuple(edit for edit, _ in edits), ()
    there = objects.read_many([f"{merged.line}:{change.path}" for _, change in edits])
    refused, said = [], []
    for (edit, change), thing in zip(edits, there, strict=True):
        if (thing.oid if thing else None) == change.after:
            said.append(replace(edit, excuse="it comes from the other side of the merge"))
        else:
            refused.append(edit)
    return tuple(refused), tuple(said)


def _shifts(session: Session, found: Views, tasks: list[Change], glances: dict[str, Glance]) -> tuple[Shift, ...]:
    shifts = []
    for change in tasks:
        view = found.tasks.get(ids.task_of_path(change.path) or "")
        old = glances.get(change.before[0] or "")
        new = glances.get(change.after or "")
        if not (view and view.live(session.at) and not view.held_by(session.identity.value) and old and new):
            continue
        if old.status and new.status and old.status != new.status:
            shifts.append(Shift(view, old.status, new.status))
    return tuple(shifts)


def _reopened(tasks: list[Change], glances: dict[str, Glance]) -> list[str]:
    pairs = [(change, glances.get(change.before[0] or ""), glances.get(change.after or "")) for change in tasks]
    return [
        ids.task_of_path(change.path) or ""
        for change, old, new in pairs
        if old and new and new.status == "open" and old.status != "open"
    ]


def _touches(
    task: str,
    staged: list[Change],
    things: dict[str, objects.Thing | None],
    place: str | None,
    held: Glance | None,
) -> bool:
    """R-L5: by the task's file, a log entry about it, or a path that its scope matches, below its corpus' folder."""
    if any(ids.task_of_path(change.path) == task for change in staged):
        return True
    about = f"about: {task}".encode()
    logs = [things.get(change.after) for change in staged if change.after and _is_log(change.path)]
    if any(thing is not None and about in thing.data for thing in logs):
        return True
    paths = freeze.below(freeze.root_of(place), [change.path for change in staged]) if place else []
    return held is not None and any(scope.matches(held.scope, path) for path in paths)


def _touched(found: Views, tasks: list[Change], mine: Claim | None, touches: bool) -> tuple[str, ...]:
    """The held task first, where the commit touches it; then other claimed ones whose file it changes."""
    by_file = {ids.task_of_path(change.path) or "" for change in tasks} - {mine.task if mine else ""}
    others = sorted(task for task in by_file if task in found.tasks and found.tasks[task].claim)
    return (mine.task, *others) if mine and touches else tuple(others)
