"""Entities: read strictly, written canonically."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenure.model import entity_reading, entity_writing, glance
from tenure.model.entities import Adr, Entity, LogEntry, Spec
from tenure.model.entity_reading import Unparseable
from tenure.model.task import Proof, Task, Verified, slug_of
from tenure.model.value import replace

FILE = """---
id: TASK-0f1e2d3c4b5a
type: task
slug: rotate-keys
title: Rotate keys
created: 2026-11-30T08:15:00Z
author: human:ada
status: open
scope:
  - src/keys/**
blocked_by: []
done_criteria: |
  Every key is younger than a day
criteria_by: creator
schema: 4
version: 1
---

Notes.
"""

WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"], exclude_characters="\ufeff"), max_size=30
)
ONE_LINE = WORDS.map(lambda text: text.strip("\u00a0 ")).filter(bool)
BLOCK = (
    st.lists(WORDS, min_size=1, max_size=4)
    .map("\n".join)
    .filter(lambda text: text.strip(" \n") != "" and not text.lstrip("\n").startswith(" ") and not text.endswith("\n"))
)
IDS = st.text("0123456789abcdef", min_size=12, max_size=12)
GLOBS = st.lists(
    st.sampled_from(["src/**", "*.md", "docs/a b.md", "peer:src/*", "{a,b}/c", "- x"]), min_size=1, max_size=3
)
STAMP = st.just("2026-11-30T08:15:00Z")


def optional(strategy: st.SearchStrategy[str]) -> st.SearchStrategy[str | None]:
    return st.none() | strategy.filter(lambda text: text not in ("Null", "NULL"))


COMMON = {
    "title": ONE_LINE,
    "created": STAMP,
    "scope": GLOBS.map(tuple),
    "slug": optional(ONE_LINE),
    "author": optional(ONE_LINE),
    "verified": st.lists(st.builds(Verified, by=ONE_LINE, at=STAMP), max_size=2).map(tuple),
    "schema": st.integers(1, 4),
    "version": st.integers(0, 99),
    "body": WORDS,
}
PROOFS = st.lists(
    st.builds(
        Proof,
        type=st.sampled_from(["test", "commit"]),
        ref=ONE_LINE,
        tree=optional(ONE_LINE),
        via=st.none() | st.just("attested"),
    ),
    max_size=2,
).map(tuple)
TASKS = st.builds(
    Task,
    id=IDS.map("TASK-{}".format),
    **COMMON,
    status=st.sampled_from(["open", "done"]),
    blocked_by=st.lists(IDS.map("TASK-{}".format), max_size=2).map(tuple),
    done_criteria=BLOCK | BLOCK.map(lambda text: text + "\n"),
    criteria_by=st.none() | st.just("creator"),
    verify=st.lists(ONE_LINE, max_size=2).map(tuple),
    method=optional(ONE_LINE),
    proof=PROOFS,
)
ADRS = st.builds(
    Adr,
    id=IDS.map("ADR-{}".format),
    **COMMON,
    constraint=BLOCK,
    status=st.sampled_from(["proposed", "accepted"]),
    see=optional(ONE_LINE),
    supersedes=st.none() | IDS.map("ADR-{}".format),
    ratified=st.none() | IDS,
)
SPECS = st.builds(Spec, id=IDS.map("SPEC-{}".format), **COMMON, references=st.lists(ONE_LINE, max_size=2).map(tuple))
LOGS = st.builds(
    LogEntry,
    id=IDS.map("LOG-{}".format),
    **COMMON,
    about=IDS.map("TASK-{}".format),
    seq=st.integers(0, 9),
    records=st.none() | st.just("edit"),
)


@given(TASKS | ADRS | SPECS | LOGS)
@settings(max_examples=300, deadline=None)
def test_a_canonical_file_comes_back_byte_for_byte(entity: Entity) -> None:
    """Format page C: emit(parse(x)) == x, and the entity is the same one."""
    text = entity_writing.emit(entity)
    found = entity_reading.parse(text)
    assert found == entity
    assert entity_writing.emit(found) == text
    assert entity_reading.parse(text.replace("\n", "\r\n")) == replace(entity, body=found.body)


@given(TASKS)
@settings(max_examples=200, deadline=None)
def test_a_glance_says_what_the_whole_reading_says(task: Task) -> None:
    """R-X6."""
    seen = glance.glance(entity_writing.emit(task).encode())
    hashes = tuple(one.criteria for one in task.proof if one.criteria)
    assert seen.readable
    assert (seen.status, seen.criterion, seen.scope, seen.title, seen.proofs) == (
        task.status,
        task.done_criteria,
        task.scope,
        task.title,
        hashes,
    )


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("criteria_by: creator", "criteria_by: creator\npriority: high", "unknown field 'priority'"),
        ("type: task", "type: epic", "unknown kind 'epic'"),
        ("type: task", "type: adr", "does not go with the id"),
        ("schema: 4", "schema: 5", "schema 5 is newer"),
        ("schema: 4", 'schema: "4"', "'schema' is no number"),
        ("status: open", "status: paused", "unknown status 'paused'"),
        ("  - src/keys/**", "  - src/[oops", "bracket is not closed"),
        ("scope:\n  - src/keys/**", "scope: []", "scope is empty"),
        ("done_criteria: |\n  Every key is younger than a day\n", "", "criteria_by and no done_criteria"),
        ("title: Rotate keys\n", "", "'title' is missing"),
        ("title: Rotate keys", "title: a\ntitle: b", "duplicate key 'title'"),
        ("blocked_by: []", "blocked_by: [nobody]", "'nobody' is no id"),
        ("id: TASK-0f1e2d3c4b5a", "id: TASK-xyz", "no id"),
        ("version: 1", "version: 1\nproof:\n  - type: hope\n    ref: x", "unknown proof type"),
        ("version: 1", "version: 1\nproof:\n  - type: test\n    ref: x\n    mood: y", "unknown field 'mood'"),
    ],
)
def test_what_is_no_entity_is_refused_by_name(old: str, new: str, reason: str) -> None:
    """Format page C: the file and the reason are named."""
    assert old in FILE
    with pytest.raises(Unparseable, match=r"TASK-0f1e2d3c4b5a\.md cannot be read") as caught:
        entity_reading.parse(FILE.replace(old, new), "TASK-0f1e2d3c4b5a.md")
    assert reason in caught.value.message
    assert caught.value.code == 1


def test_a_rewrite_changes_only_the_fields_meant() -> None:
    """R-C5: `status` and `version`, nothing else."""
    task = entity_reading.parse(FILE)
    assert isinstance(task, Task)
    after = entity_writing.emit(replace(task, status="in_progress", version=2))
    assert after == FILE.replace("status: open", "status: in_progress").replace("version: 1", "version: 2")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("done_criteria: |\n  Every key is younger than a day", "done_criteria: |2-\n    Every key\n  is young"),
        ("created: 2026-11-30T08:15:00Z", 'created: "2026: in autumn"'),
        ("title: Rotate keys", "title: Rotate\tkeys"),
        ("title: Rotate keys", 'title: "Rotate\\u2028keys\\uffff"'),
        ("  - src/keys/**", '  - "src/\\tkeys/**"'),
    ],
)
def test_a_rewrite_keeps_what_the_formats_own_writer_would_spoil(old: str, new: str) -> None:
    """R-C5, R-X4: a claim may neither change a criterion nor leave a file that nobody can read."""
    assert old in FILE
    task = entity_reading.parse(FILE.replace(old, new))
    after = entity_reading.parse(entity_writing.emit(replace(task, version=2)))
    assert after == replace(task, version=2)


def test_a_block_that_needs_a_number_is_not_canonical() -> None:
    """Format page C: there it is `|` or `|-` alone."""
    text = FILE.replace("done_criteria: |\n  Every", "done_criteria: |2\n    Every")
    assert entity_writing.emit(entity_reading.parse(text)) == text
    assert not entity_writing.is_canonical(text, entity_reading.parse(text))
    assert entity_writing.is_canonical(FILE, entity_reading.parse(FILE))


def test_upper_case_hex_is_read_and_written_in_lower_case() -> None:
    """Format page D."""
    found = entity_reading.parse(FILE.replace("TASK-0f1e2d3c4b5a", "TASK-0F1E2D3C4B5A"))
    assert found.id == "TASK-0f1e2d3c4b5a"


def test_the_content_hash_does_not_move_with_a_transition() -> None:
    """Format page B: status, proof, verified and version are neutral; a word of the title is not."""
    task = entity_reading.parse(FILE)
    assert isinstance(task, Task)
    moved = replace(task, status="done", proof=(Proof("commit", "abc"),), version=9)
    assert entity_writing.content_hash(moved) == entity_writing.content_hash(task)
    assert entity_writing.content_hash(replace(task, title="Rotate key")) != entity_writing.content_hash(task)


def test_the_anchor_covers_constraint_and_scope() -> None:
    """Format page B: blanks at line ends do not count, the scope does."""
    adr = Adr("ADR-0f1e2d3c4b5a", "T", "2026-11-30T08:15:00Z", ("src/**",), "No JWT\n")
    label, found = entity_writing.anchor(adr)
    assert label == "constraint+scope"
    assert len(found) == 12
    assert entity_writing.anchor(replace(adr, constraint="No JWT  \n\n")) == (label, found)
    assert entity_writing.anchor(replace(adr, scope=("src/a",)))[1] != found


def test_a_log_entry_gives_its_message_back_exactly() -> None:
    """Format page C: message = title + rest."""
    entry = LogEntry(
        "LOG-0f1e2d3c4b5a", "one", "2026-11-30T08:15:00Z", ("a",), "TASK-0f1e2d3c4b5a", body="\n two\nthree\n"
    )
    assert entry.message == "one two\nthree"


def test_slugs_are_short_and_plain() -> None:
    """Format page D."""
    assert slug_of("Migrate auth: to `opaque` Sessions!") == "migrate-auth-to-opaque-sessions"
    assert len(slug_of("word " * 40)) <= 48


CORPUS = Path(os.environ.get("TENURE_CORPUS") or Path(__file__).parents[2].parent / "shared" / "corpus")


@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus of real files here")
def test_real_files_come_back_byte_for_byte() -> None:
    """Issue 6: every valid file; CRLF comes back as LF; every invalid one is refused."""
    valid = [*CORPUS.glob("ank-0.1.3/.ank/*/*.md"), *CORPUS.glob("golden/valid/*.md")]
    assert len(valid) > 100
    for path in valid:
        data = path.read_bytes()
        assert entity_writing.emit(entity_reading.parse_bytes(data, path.name)).encode() == data.replace(
            b"\r\n", b"\n"
        ), path
    for path in CORPUS.glob("golden/invalid/*.md"):
        with pytest.raises(Unparseable):
            entity_reading.parse_bytes(path.read_bytes(), path.name)
