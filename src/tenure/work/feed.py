"""The activity feed: a tree under a ref, one file an event, merged as a union (§7)."""

from __future__ import annotations

import os

from tenure.git import changes, objects, refs, remote, trees
from tenure.model import event, ids, instants
from tenure.model.errors import Broken, TenureError
from tenure.model.event import Event
from tenure.work.session import Session

_TRIES = 4
MOST_WAITING = 2000  # the outbox is bounded: what is older goes first (R-A4)


def events(*tasks: str) -> list[Event]:
    """Every event that this clone knows of these tasks, oldest first; what origin holds beats a copy of ours (R-K2)."""
    return _events(set(tasks)) if tasks else []


def all_events() -> list[Event]:
    """The whole feed, oldest first."""
    return _events(None)


def _events(tasks: set[str] | None) -> list[Event]:
    paths = {**_files(ids.FEED), **_files(ids.FEED_MIRROR)}
    things = objects.read_many(list(paths.values()))
    found = []
    for path, thing in zip(paths, things, strict=True):
        if thing is None or thing.kind != "blob" or (tasks is not None and not event.may_concern(tasks, thing.data)):
            continue
        one = event.parse(path, thing.data)
        if one and (tasks is None or one.task in tasks):
            found.append(one)
    return sorted(found, key=event.order)


def waiting(has_origin: bool) -> int:
    """How many events origin is not known to hold (R-A4); 0 where there is no origin."""
    return len(_files(ids.FEED).keys() - _files(ids.FEED_MIRROR).keys()) if has_origin else 0


def append(session: Session, *new: Event) -> list[Event]:
    """Add events to this clone's feed; returns those that were not there. No lease depends on it (R-A4).

    Where it cannot be written (a ref in the way, a lock file left behind, a full disk), that is said and nothing stops.
    """
    try:
        return _append(session, *new)
    except (TenureError, OSError) as wrong:
        _say(session, getattr(wrong, "message", None) or str(wrong))
        return []


def _say(session: Session, why: str) -> None:
    try:
        session.store.note(f"the feed could not be written, so this is not told in it: {why}")
    except (TenureError, OSError):
        pass


def _append(session: Session, *new: Event) -> list[Event]:
    with session.store.hold("feed"):
        known = _files(ids.FEED).keys() | _files(ids.FEED_MIRROR).keys()
        fresh = list({one.path: one for one in new if one.path not in known}.values())
        for _ in range(_TRIES):
            if not fresh or _add(session, fresh):
                break
        return fresh


def _add(session: Session, fresh: list[Event]) -> bool:
    ours = refs.read(ids.FEED)
    scratch = os.path.join(session.store.folder, "scratch")
    stored = trees.blobs([one.data for one in fresh], scratch)
    entries = dict(zip((one.path for one in fresh), stored, strict=True))
    tree = trees.changed(_tree(ours), entries, set(), scratch)
    return refs.swap(ids.FEED, tree, ours.oid if ours else None, "tenure: events")


def _tree(ref: refs.Ref | None) -> str | None:
    """The tree to build on; None for garbage under the ref's name, which the next push then replaces."""
    return ref.oid if ref and objects.present([ref.oid + "^{tree}"])[0] else None


def carry(session: Session, seconds: float = remote.PUSH_LIMIT) -> bool:
    """Bring the events that wait to origin: a union pushed with a lease, merged again when it was lost (R-A1, R-A4)."""
    if session.origin is None:
        return True
    for attempt in range(_TRIES):
        one = update(session)
        if one is None:
            return True
        if remote.landed(remote.push(session.origin, [one], seconds).get(ids.FEED)):
            settle(one)
            return True
        if attempt + 1 == _TRIES or not remote.refresh(session.origin, seconds).ok:
            return False
    return False


def update(session: Session) -> remote.Update | None:
    """The push that brings what waits: the union, leased on what origin was last seen to hold; None: nothing waits."""
    base = refs.read(ids.FEED_MIRROR)  # first: a look at origin in between must not be overwritten
    mine, there = _files(ids.FEED), _files(base.oid) if base else {}
    fresh = _without_old(session, _newest({path: mine[path] for path in mine.keys() - there.keys()}))
    if not fresh:
        return None
    scratch = os.path.join(session.store.folder, "scratch")
    tree = trees.changed(_tree(base), fresh, set(), scratch)
    return remote.Update(ids.FEED, tree, base.oid if base else None)


def _newest(waits: dict[str, str]) -> dict[str, str]:
    """At most so many as the outbox holds, the latest; a path says nothing of an age."""
    if len(waits) <= MOST_WAITING:
        return waits
    things = objects.read_many(list(waits.values()))
    events = {path: event.parse(path, thing.data) for path, thing in zip(waits, things, strict=True) if thing}
    known = sorted((one for one in events.values() if one), key=event.order)
    return {one.path: waits[one.path] for one in known[-MOST_WAITING:]}


def _without_old(session: Session, waits: dict[str, str]) -> dict[str, str]:
    """What a sweep dropped from origin for its age is not brought back by a clone that still has it (R-A1)."""
    old = set()
    for path, thing in zip(waits, objects.read_many(list(waits.values())), strict=True):
        one = event.parse(path, thing.data) if thing and thing.kind == "blob" else None
        if one is None or (one.at and one.at < session.at - event.KEPT_SECONDS):
            old.add(path)
    ours = refs.read(ids.FEED) if old else None
    if ours:
        scratch = os.path.join(session.store.folder, "scratch")
        refs.swap(ids.FEED, trees.changed(_tree(ours), {}, old, scratch), ours.oid, "tenure: old events go")
    return {path: oid for path, oid in waits.items() if path not in old}


def settle(landed: remote.Update) -> None:
    """Origin holds this tree: the mirror says so, and our own ref is that union; else the next look says it."""
    try:
        _settle(landed.new or "")
    except Broken:
        pass


def _settle(tree: str) -> None:
    for name in (ids.FEED_MIRROR, ids.FEED):
        for _ in range(_TRIES):
            old = refs.read(name)
            if old and old.oid == tree:
                break
            if name == ids.FEED and old and _files(old.oid).keys() - _files(tree).keys():
                break  # events came in meanwhile: the next push carries them
            if refs.swap(name, tree, old.oid if old else None, "tenure: feed carried"):
                break


def drop_old(session: Session, at: int) -> int:
    """Events older than 180 days leave the feed, here and with the next push on origin (R-A1). How many went."""
    old = {one.path for one in all_events() if one.at and one.at < at - event.KEPT_SECONDS}
    if not old:
        return 0
    scratch = os.path.join(session.store.folder, "scratch")
    ours, there = refs.read(ids.FEED), refs.read(ids.FEED_MIRROR)
    if ours:
        refs.swap(ids.FEED, trees.changed(ours.oid, {}, old & _files(ours.oid).keys(), scratch), ours.oid)
    if there and session.origin:
        tree = trees.changed(there.oid, {}, old & _files(there.oid).keys(), scratch)
        if remote.landed(remote.push(session.origin, [remote.Update(ids.FEED, tree, there.oid)]).get(ids.FEED)):
            refs.swap(ids.FEED_MIRROR, tree, there.oid)
    return len(old)


def follow(session: Session, before: str | None) -> None:
    """What left origin's feed for its age since `before` (the mirror's tree as it was) leaves ours too.

    Anything else that vanished there (a ref deleted by hand) is carried once more: nothing is lost (R-A4).
    """
    there = refs.read(ids.FEED_MIRROR)
    if before is None or (there and there.oid == before):
        return
    mine = _files(ids.FEED)
    gone = (_files(before).keys() - (_files(there.oid).keys() if there else set())) & mine.keys()
    if gone:
        _without_old(session, {path: mine[path] for path in sorted(gone)})


def end_of(task: str, holder: str, claimed: int, but: str | None = None) -> Event | None:
    """The event that tells how this claim ended, as far as this clone's feed knows, `but` the one of that id (R-L6).

    A take-over that was itself ended by its holder ends it too; one that origin refused, or that was swept, does not.
    """
    known = [one for one in events(task) if one.id != but]
    over = {one.fields.get("token") for one in known if one.type in event.ENDS} - {None}
    for one in reversed(known):
        same = one.fields.get("claimed") == instants.text_of(claimed) and one.fields["holder"] == holder
        later = one.fields.get("claimed") is None and one.at >= claimed
        if one.type in event.ENDS and (same or later):
            return one
        if one.type == "task.taken_over" and not same and one.at > claimed and one.fields.get("token") in over:
            return one
    return None


def _files(tree: str) -> dict[str, str]:
    return {path: oid for path, oid in changes.files(tree).items() if path.endswith(".json")}
