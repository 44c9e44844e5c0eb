"""Every task's record as this clone sees it: local ref, mirror, and what the clone knows (§1, R-C8)."""

from __future__ import annotations

from tenure.git import objects, refs
from tenure.git.objects import Thing
from tenure.git.refs import Ref
from tenure.model import ids, lease, record, standing
from tenure.model.errors import Broken
from tenure.model.record import Claim, Completion, Record, Unreadable
from tenure.model.value import value
from tenure.work import entries
from tenure.work.session import Session
from tenure.work.state import TaskState


@value
class View:
    """One task: both copies, the one that counts (`record`, `oid`), and since when an end far ahead is known (R-L9)."""

    task: str
    local: Record | None
    local_oid: str | None
    mirror: Record | None
    mirror_oid: str | None
    record: Record | None
    oid: str | None
    state: TaskState
    first_seen: int | None = None

    @property
    def claim(self) -> Claim | None:
        """The record, where it is a claim."""
        return self.record if isinstance(self.record, Claim) else None

    @property
    def completion(self) -> Completion | None:
        return self.record if isinstance(self.record, Completion) else None

    @property
    def unreadable(self) -> Unreadable | None:
        """A copy that cannot be read: neither free nor live (R-C8)."""
        for copy in (self.record, self.local):
            if isinstance(copy, Unreadable):
                return copy
        return None

    def live(self, at: int) -> bool:
        """R-L2, R-L9."""
        return self.claim is not None and lease.is_live(self.claim, at, self.first_seen)

    def held_by(self, identity: str) -> bool:
        return self.claim is not None and self.claim.holder == identity


@value
class Views:
    """All tasks of which a ref or the clone's state tells, by id; `odd` are refs of the namespace that name no task."""

    tasks: dict[str, View]
    odd: tuple[Unreadable, ...] = ()
    also: tuple[tuple[str, Thing | None], ...] = ()

    def of(self, task: str, session: Session) -> View:
        """One task's view; of a task without any ref an empty one."""
        return self.tasks.get(task) or View(task, None, None, None, None, None, None, session.store.task(task))

    def claims(self) -> list[View]:
        return [view for view in self.tasks.values() if view.claim]

    def held(self, identity: str, at: int) -> View | None:
        """The task that HEAD means: the first live claim of the identity, else its first lapsed one (R-C5)."""
        mine = [view for view in self.claims() if view.held_by(identity)]
        live = [view for view in mine if view.live(at)]
        return next(iter(live or mine), None)


def read(session: Session, only: str | None = None, also: list[str] | None = None) -> Views:
    """Read claims and mirror: two git processes, however many there are. `only`: one task.

    `also`: further objects that the caller wants, read in the same breath and found in the answer's `also`.
    """
    names = [ids.claim_ref(only), ids.mirror_ref(only)] if only else [ids.CLAIMS[:-1], ids.MIRROR[:-1]]
    found = refs.listed(*names)
    records, more = _records(found, also or [])
    local = {ids.task_of_ref(ref.name): ref for ref in found if ref.name.startswith(ids.CLAIMS)}
    mirror = {ids.task_of_ref(ref.name): ref for ref in found if ref.name.startswith(ids.MIRROR)}
    seen = _first_seen(session, found, records, whole=only is None)
    tasks = sorted({task for task in (*local, *mirror) if task})
    odd = [item for name, item in records.items() if isinstance(item, Unreadable) and not ids.task_of_ref(name)]
    return Views(
        {task: _view(session, task, local.get(task), mirror.get(task), records, seen) for task in tasks},
        tuple(odd),
        more,
    )


def _view(
    session: Session, task: str, local: Ref | None, mirror: Ref | None, records: dict[str, Record], seen: dict[str, int]
) -> View:
    state = session.store.task(task)
    here = records[local.name] if local else None
    there = records[mirror.name] if mirror else None
    if here is None and there is not None and _given_up(state, there):
        return View(task, None, None, there, mirror.oid if mirror else None, None, None, state)
    ours = is_ours(state, here, session)
    use_mirror = standing.mirror_counts(here, there, ours, session.has_origin, session.at)
    chosen, oid = (there, mirror.oid if mirror else None) if use_mirror else (here, local.oid if local else None)
    return View(
        task, here, local.oid if local else None, there, mirror.oid if mirror else None, chosen, oid, state,
        seen.get(oid or ""),
    )  # fmt: skip


def _given_up(state: TaskState, there: Record) -> bool:
    """Whether this clone ended that record already and only its deletion on origin waits (R-C3)."""
    if state.get("pending") != entries.DELETION:
        return False
    ended = entries.pending_record(state)
    return ended == there or standing.same_acquisition(ended, there)


def kept(view: View) -> Claim | None:
    """The claim that this clone made: its local ref, else the record that its state keeps (R-L6)."""
    if isinstance(view.local, Claim) and view.local.token == view.state.get("token"):
        return view.local
    return entries.held(view.state)


def claims_of(view: View | None) -> list[Claim]:
    """What freezes a task's criterion: the record, and origin's copy of the same acquisition where it says otherwise.

    A record rewritten here by hand, its token kept, unfreezes nothing that origin was seen to hold (R-F2).
    """
    if view is None or view.claim is None:
        return []
    both = [copy for copy in (view.local, view.mirror) if isinstance(copy, Claim)]
    others = [one for one in both if one.criteria != view.claim.criteria and standing.same_acquisition(one, view.claim)]
    return [view.claim, *others]


def is_ours(state: TaskState, here: Record | None, session: Session) -> bool:
    """Whether this clone wrote the local record: its token; a record without one by its holder, as ank leaves it."""
    if isinstance(here, Claim):
        if here.token is None:
            return state.get("identity") == here.holder or here.holder == session.identity.value
        return state.get("token") == here.token
    # A completion is ours to defend only until origin has it: from then on what origin holds counts.
    return isinstance(here, Completion) and state.get("pending") == entries.COMPLETION


# By ref and object, for this process: a verb looks several times, and an object never changes.
_known: dict[tuple[str, str], Record] = {}


def _records(found: list[Ref], also: list[str]) -> tuple[dict[str, Record], tuple[tuple[str, Thing | None], ...]]:
    records = {ref.name: _known[ref.name, ref.oid] for ref in found if (ref.name, ref.oid) in _known and not ref.symref}
    new = [ref for ref in found if ref.name not in records]
    things = objects.read_many([*(ref.oid for ref in new), *also])
    for ref, thing in zip(new, things, strict=False):
        if ref.symref:
            records[ref.name] = Unreadable(ref.name, "a symbolic ref")
        elif thing is None:
            records[ref.name] = Unreadable(ref.name, "its object is missing")
        elif thing.kind != "blob":
            records[ref.name] = Unreadable(ref.name, f"a {thing.kind}, not a blob")
        else:
            records[ref.name] = _known[ref.name, ref.oid] = record.parse(ref.name, thing.data)
    return records, tuple(zip(also, things[len(new) :], strict=True))


def _first_seen(session: Session, found: list[Ref], records: dict[str, Record], whole: bool) -> dict[str, int]:
    """By object: when this clone first read a record whose end lies over 24 h ahead (R-L9).

    An instant that lies ahead of now was noted by a clock that had jumped, and counts as now (F21).
    """
    known = session.store.read("seen")
    far = {ref.oid for ref in found if _is_far(records[ref.name], session.at)}
    here = {ref.oid for ref in found}
    kept = {oid: min(int(at), session.at) for oid, at in known.items() if at.isdigit() and (oid in here or not whole)}
    kept |= {oid: session.at for oid in far if oid not in kept}
    if {oid: str(at) for oid, at in kept.items()} != known:
        try:
            session.store.write("seen", {oid: str(at) for oid, at in kept.items()})
        except Broken:
            pass  # a full disk, a folder that may only be read: no verdict waits for it (R-H4, B33)
    return kept


def _is_far(one: Record, at: int) -> bool:
    return isinstance(one, Claim) and lease.is_far(one, at)
