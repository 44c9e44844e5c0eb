"""Files, authors and settings: whether each entity is written as the format wants it (format page F)."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterator

from tenure.model import entity_writing, identity, instants
from tenure.model.text import counted, to_bytes
from tenure.work.findings import Finding, fault, several, signal
from tenure.work.ground import Ground

DAY = 86400
_BURST, _BURST_SECONDS = 10, 3600
_OLD_HOMES = {".ank/tasks": "task", ".ank/adr": "adr"}


def inspect(ground: Ground) -> Iterator[Finding]:
    """All findings about files."""
    yield from _unreadable(ground)
    yield from _form(ground)
    yield from _layout(ground)
    yield from _authors(ground)
    yield from _bursts(ground)
    yield from _weight(ground)


def _unreadable(ground: Ground) -> Iterator[Finding]:
    for one in ground.corpus.faults.values():
        subject = one.id or one.name
        yield fault(subject, f"{one.name} cannot be read: {one.reason}")
    if ground.corpus.faults:
        yield signal(".ank", "what hangs on unreadable files could not be judged: names may resolve wrongly")
    if ground.config_error:
        yield fault(".ank/config.yml", ground.config_error.removeprefix(".ank/config.yml "))


def _form(ground: Ground) -> Iterator[Finding]:
    soon = instants.text_of(ground.at + DAY)
    for one in ground.stored.values():
        if not entity_writing.is_canonical(one.text, one.entity):
            yield fault(one.id, f"{one.name} is not in canonical form", f"tenure show {one.id}")
        elif one.crlf:
            yield signal(one.id, f"{one.name} ends its lines in CRLF", "git add --renormalize .ank")
        if one.entity.created > soon and (one.entity.created_at or 0) > ground.at + DAY:
            yield signal(one.id, f"it was created in the future ({one.entity.created})")


def _layout(ground: Ground) -> Iterator[Finding]:
    old = []
    for one in ground.stored.values():
        home = _OLD_HOMES.get(os.path.dirname(one.name))
        if home is None:
            continue
        old.append(one.id)
        if home != one.entity.kind:
            yield fault(one.id, f"{one.name}: a {one.entity.kind} has no place in this folder")
    if old:
        yield signal(".ank", f"{counted(len(old), 'entity lies', 'entities lie')} in the old layout: {several(old)}")
    if os.path.isdir(os.path.join(ground.corpus.root, ".ank", "log")):
        yield signal(".ank/log", "log entries lie in the old layout")
    for lost, kept in ground.corpus.doubled.items():
        yield signal(lost, f"the same id has {kept}, which counts")


def _authors(ground: Ground) -> Iterator[Finding]:
    nameless = [one.id for one in ground.stored.values() if one.entity.author is None]
    if nameless:
        name_none = counted(len(nameless), "entity names", "entities name")
        yield signal(".ank", f"{name_none} no author: {several(sorted(nameless))}")
    untyped = defaultdict(list)
    unread = []
    for one in ground.stored.values():
        author = one.entity.author
        kind = identity.kind_of(author) if author else "human"
        if kind == "untyped":
            untyped[str(author)].append(one.id)
        read = any(identity.kind_of(seen.by) == "human" for seen in one.entity.verified)
        if kind == "agent" and not read and one.entity.kind != "log":
            unread.append(one.id)
    for author, written in sorted(untyped.items()):
        many = counted(len(written), "entity", "entities")
        yield signal(author, f"an author of no declared kind wrote {many}: {several(sorted(written))}")
    if unread:
        were = counted(len(unread), "entity was", "entities were")
        yield signal(".ank", f"{were} written by an agent and read by no human: {several(sorted(unread))}")


def _bursts(ground: Ground) -> Iterator[Finding]:
    """More than ten entities by one author within an hour."""
    times = defaultdict(list)
    for one in ground.stored.values():
        created = one.entity.created_at
        if one.entity.kind != "log" and one.entity.author and created is not None:
            times[one.entity.author].append(created)
    for author, stamps in sorted(times.items()):
        stamps.sort()
        spans = [stamps[at + _BURST] - stamp for at, stamp in enumerate(stamps[: -_BURST or None])]
        if spans and min(spans) <= _BURST_SECONDS:
            yield signal(author, f"more than {_BURST} entities were written within an hour")


def _weight(ground: Ground) -> Iterator[Finding]:
    if ground.config is None:
        return
    files, bytes_there = weight(ground)
    if files > ground.config.hot_files:
        yield signal(
            ".ank/config.yml", f"{files} entities are hot, more than weight.hot_files ({ground.config.hot_files})"
        )
    if bytes_there > ground.config.plane_bytes:
        yield signal(".ank/config.yml", f"records take {bytes_there} bytes, more than weight.plane_bytes")


def weight(ground: Ground) -> tuple[int, int]:
    """Entities outside the archive, and bytes of the records."""
    places = Counter(one.name.startswith(".ank/archive/") for one in ground.stored.values())
    texts = [getattr(view.record, "text", "") for view in ground.views.tasks.values()]
    return places[False], sum(len(to_bytes(text)) for text in texts)
