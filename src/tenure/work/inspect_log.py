"""Log entries and prose: what they say about entities that are not there, or were changed past the tools (page F)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tenure.model import entity_writing
from tenure.model.entities import LogEntry
from tenure.work import log
from tenure.work.corpus import has_conflict
from tenure.work.findings import Finding, fault, several, signal
from tenure.work.ground import Ground
from tenure.work.log import Line

_ID = re.compile(r"\b(?:TASK|ADR|SPEC)-[0-9a-f]{12}\b")
_PRODUCED = re.compile(r"produced ([0-9a-f]{12})\)$")
_RECORDS = ("edit", "create", "method")
_MARK = "discrepancy:"


def inspect(ground: Ground) -> Iterator[Finding]:
    """All findings about logs and prose."""
    files = log.old_files(ground.corpus.root)
    lost = [entry.id for entry in ground.logs.values() if ground.corpus.name_of(entry.about) is None]
    lost += [name for name, (about, _) in files.items() if ground.corpus.name_of(about) is None]
    if lost:
        yield fault(
            sorted(lost)[0], f"{len(lost)} log entries are about entities that are not here: {several(sorted(lost))}"
        )
    for entry in ground.logs.values():
        yield from _entry(entry)
    yield from _old_files(files)
    yield from _old_discrepancies(ground)
    yield from _past_the_tools(ground)
    yield from _dead_names(ground)


def _entry(entry: LogEntry) -> Iterator[Finding]:
    if entry.version > 1:
        yield signal(entry.id, f"this log entry about {entry.about} was rewritten")
    if entry.records is not None and entry.records not in _RECORDS:
        yield signal(entry.id, f"it records {entry.records!r}, which no tool here knows")
    if entry.records is None and entry.title.startswith(_MARK):
        yield signal(entry.about, f"a discrepancy is recorded: {entry.title[len(_MARK) :].strip()}")


def _old_files(files: dict[str, tuple[str, str]]) -> Iterator[Finding]:
    """Logs as schema 3 keeps them: a file for each entity, a line for each entry."""
    for name, (about, text) in files.items():
        if has_conflict(text):
            yield fault(name, f"{name} cannot be read whole: git's conflict markers stand in it")
        yield from _discrepancies(about, log.old_lines(text) if _MARK in text else [])


def _old_discrepancies(ground: Ground) -> Iterator[Finding]:
    for stored in ground.stored.values():
        if "## Log" in stored.entity.body and _MARK in stored.entity.body:
            yield from _discrepancies(stored.id, log.section_lines(stored.entity.body))


def _discrepancies(about: str, lines: list[Line]) -> Iterator[Finding]:
    for line in lines:
        if line.message.startswith(_MARK):
            words = line.message[len(_MARK) :].strip().partition("\n")[0]
            yield signal(about, f"a discrepancy is recorded: {words}")


def _past_the_tools(ground: Ground) -> Iterator[Finding]:
    """The newest bookkeeping entry of an entity names the content that it left behind."""
    newest: dict[str, LogEntry] = {}
    for entry in ground.logs.values():
        if entry.records in _RECORDS and _PRODUCED.search(entry.message):
            kept = newest.get(entry.about)
            if kept is None or (entry.created, entry.seq, entry.id) > (kept.created, kept.seq, kept.id):
                newest[entry.about] = entry
    for about, entry in newest.items():
        stored = ground.stored.get(about)
        produced = _PRODUCED.search(entry.message)
        if stored and produced and entity_writing.content_hash(stored.entity) != produced.group(1):
            yield signal(about, "it was edited outside the tools: no log entry accounts for what it says now")


def _dead_names(ground: Ground) -> Iterator[Finding]:
    for stored in ground.stored.values():
        body = stored.entity.body
        if "-" not in body or stored.entity.kind == "log":
            continue
        dead = sorted({name for name in _ID.findall(body) if ground.corpus.name_of(name) is None})
        if dead:
            yield signal(stored.id, f"its text names what is not in this corpus: {several(dead)}")
