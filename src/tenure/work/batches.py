"""What is judged: commits that are about to be shared, and each task file in them as a step from state to state.

Read once from git for the verdict (work/judging) and for contests (work/contests).
"""

from __future__ import annotations

from collections.abc import Iterable

from tenure.git import changes, commits, objects, refs
from tenure.git.changes import Change, Commit
from tenure.git.commits import Info
from tenure.git.reading import Reader
from tenure.model import freeze, ids
from tenure.model.freeze import State
from tenure.model.glance import Glance, glance
from tenure.model.value import value


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


def moves(pairs: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The commits that branches held and are to hold, of these pairs those of which this clone has both."""
    ends = iter(objects.peeled([oid for pair in pairs for oid in pair]) if pairs else [])
    return tuple((old, new) for old, new in zip(ends, ends, strict=True) if old and new)


def gather_range(base: str, head: str, known: Iterable[str] = ()) -> Batch:
    """The commits of base..head (less what is known otherwise); the state at head decides."""
    oids = changes.commits([head], [base, *known])
    return Batch((("HEAD", head),), tuple(changes.of_commits(oids)), base)


def gather_trees(base: str, head: str) -> Batch:
    """Without history between them: the difference of two trees as if head had made it all (shallow checkouts)."""
    return Batch((("HEAD", head),), (Commit(head, tuple(changes.between(base, head, changes.TASK_PATHS))),), base)


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


def known_of(remote_name: str | None, old: list[str]) -> list[str]:
    """What the other side is known to have: old objects that exist here, and its tracking refs (B16, B17)."""
    there = [oid for oid, present in zip(old, objects.present(old), strict=True) if present]
    if remote_name:
        there += [ref.oid for ref in refs.listed(f"refs/remotes/{remote_name}") if not ref.symref]
    return there
