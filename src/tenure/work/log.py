"""What was said about an entity: LOG entities, united with the lines of the older layouts (format page C)."""

from __future__ import annotations

import os

from tenure.model import entity_writing, frontmatter, ids, instants
from tenure.model.criteria import WHITE_SPACE
from tenure.model.entities import Entity, LogEntry
from tenure.model.errors import WrongUse
from tenure.model.value import value
from tenure.work import files
from tenure.work.corpus import Corpus, Stored

TITLE_MOST = 100
TITLE_LEAST = 50
_DASH = " \u2014 "


@value
class Line:
    """One thing said. `at` in seconds UTC (0: unreadable); `records` set: bookkeeping of a tool, not a message."""

    timestamp: str
    at: int
    who: str | None
    message: str
    id: str | None = None
    records: str | None = None
    seq: int = 0


def cut(message: str) -> tuple[str, str]:
    """Title and body of an entry: at the last blank from 50 to 100, else at 100, or at an earlier line end."""
    place = len(message)
    if place > TITLE_MOST:
        blank = message.rfind(" ", TITLE_LEAST, TITLE_MOST + 1)
        place = blank if blank >= 0 else TITLE_MOST
    line_end = message.find("\n")
    if 0 <= line_end < place:
        place = line_end
    rest = message[place:]
    return message[:place], f"\n{rest}\n" if rest else ""


def checked_message(message: str) -> str:
    """The message without blanks around it. WrongUse (1) when nothing is left, or for what the format cannot carry."""
    trimmed = message.strip(WHITE_SPACE)
    if not trimmed:
        raise WrongUse("a log message must say something", 'tenure log "what was done"')
    odd = "a tab" if "\t" in trimmed else frontmatter.uncarried(trimmed)
    if odd:
        raise WrongUse(f"a log message cannot hold {odd}", "tenure log --help")
    return trimmed


def append(
    corpus: Corpus, subject: Entity, message: str, who: str, at: int, records: str | None = None
) -> tuple[LogEntry, Stored]:
    """Write an entry about a subject (at: seconds UTC); `records` for bookkeeping. WrongUse (1) as checked_message."""
    said = checked_message(message)
    created = instants.text_of(at)
    title, body = cut(said)
    entry = LogEntry(
        id=ids.new_id("LOG", created, who, said, os.urandom(16)),
        title=title,
        created=created,
        scope=subject.scope,
        about=subject.id,
        seq=_next_seq(corpus, subject.id),
        author=who,
        records=records,
        body=body,
    )
    return entry, files.create(corpus.root, entry)


def _next_seq(corpus: Corpus, subject: str) -> int:
    seen = [one.entity.seq for one in corpus.logs_about(subject) if isinstance(one.entity, LogEntry)]
    return max(seen) + 1 if seen else 0


def account(corpus: Corpus, old: Entity, new: Entity, fields: str, who: str, at: int) -> None:
    """Where tools keep books about an entity, write down an edit outside transitions; `fields` names what changed.

    Without it a tool that keeps them would take the edit for one past all tools (format page C, F).
    """
    if any(getattr(one.entity, "records", None) for one in corpus.logs_about(new.id)):
        hashes = f"replaced {entity_writing.replaced_hash(old)}, produced {entity_writing.content_hash(new)}"
        append(corpus, new, f"{fields} (version {old.version} to {new.version}, {hashes})", who, at, "edit")


def lines_about(corpus: Corpus, subject: str, body: str = "") -> list[Line]:
    """All that was said about an id, oldest first. `body` is its file's own, where old layouts keep the log."""
    found = [_line(one.entity) for one in corpus.logs_about(subject) if isinstance(one.entity, LogEntry)]
    known = {(line.timestamp, line.who, line.message) for line in found}
    for old in [*section_lines(body), *_file_lines(corpus, subject)]:
        if (old.timestamp, old.who, old.message) not in known:
            known.add((old.timestamp, old.who, old.message))
            found.append(old)
    return sorted(found, key=lambda line: (line.at, line.seq, line.id or ""))


def said(lines: list[Line]) -> list[Line]:
    """The lines that somebody meant to say: without bookkeeping."""
    return [line for line in lines if line.records is None]


def _line(entry: LogEntry) -> Line:
    at = entry.created_at or 0
    return Line(entry.created, at, entry.author, entry.message, entry.id, entry.records, entry.seq)


def _file_lines(corpus: Corpus, subject: str) -> list[Line]:
    """The lines of `.ank/log/<id>.md`, the layout of schema 3."""
    return old_lines(_old_text(os.path.join(corpus.root, ".ank", "log", subject + ".md")))


def _old_text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def old_files(root: str) -> dict[str, tuple[str, str]]:
    """The files of `.ank/log`, by their name from the corpus' folder: whom each is about, and its text."""
    folder = os.path.join(root, ".ank", "log")
    try:
        found = sorted(name for name in os.listdir(folder) if name.endswith(".md"))
    except OSError:
        return {}
    return {f".ank/log/{name}": (name[:-3], _old_text(os.path.join(folder, name))) for name in found}


def section_lines(body: str) -> list[Line]:
    """The lines of a `## Log` section, the layout of schemas 1 and 2."""
    head = "\n" + body
    start = head.find("\n## Log\n")
    return old_lines(head[start + len("\n## Log\n") :]) if start >= 0 else []


def old_lines(text: str) -> list[Line]:
    """Entries of the form `- <instant> <who> — <message>`; what follows belongs to the entry before it."""
    found: list[list[str]] = []
    heads: list[tuple[str, str]] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        head = _head(line)
        if head is not None:
            heads.append(head[:2])
            found.append([head[2]])
        elif line.startswith("## "):
            break
        elif found:
            found[-1].append(line)
    pairs = zip(heads, found, strict=True)
    return [
        Line(stamp, instants.parse_or_none(stamp) or 0, who, "\n".join(parts).rstrip("\n"), seq=number)
        for number, ((stamp, who), parts) in enumerate(pairs)
    ]


def _head(line: str) -> tuple[str, str, str] | None:
    if not line.startswith("- "):
        return None
    stamp, _, rest = line[2:].partition(" ")
    who, dash, message = rest.partition(_DASH)
    if not dash or instants.parse_or_none(stamp) is None:
        return None
    return stamp, who, message
