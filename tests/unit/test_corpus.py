"""The entities of a working tree, how they are rewritten, and their log."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model import entity_reading, entity_writing
from tenure.model.entities import LogEntry
from tenure.model.errors import Broken, NotFound, VersionConflict, WrongUse
from tenure.model.task import Task
from tenure.model.value import replace
from tenure.work import corpus, files, log
from tenure.work.corpus import Corpus

AT = 1_796_026_500  # 2026-11-30T08:15:00Z
ID = "TASK-0f1e2d3c4b5a"


def task_text(one: str = ID, **changes: object) -> str:
    task = Task(
        one, "Rotate keys", "2026-11-30T08:15:00Z", ("src/**",), done_criteria="Young keys\n", criteria_by="creator"
    )
    return entity_writing.emit(replace(task, **changes))


def put(root: Path, name: str, text: str) -> Path:
    path = root / ".ank" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def test_all_layouts_are_read_and_the_flat_one_wins(tmp_path: Path) -> None:
    """Format page C."""
    put(tmp_path, f"tasks/{ID}.md", task_text(title="old"))
    put(tmp_path, f"entities/{ID}.md", task_text(title="new"))
    put(tmp_path, "tasks/TASK-0f1eaaaaaaaa.md", task_text("TASK-0f1eaaaaaaaa", schema=1))
    put(tmp_path, "archive/entities/TASK-0f1ebbbbbbbb.md", task_text("TASK-0f1ebbbbbbbb"))
    found = Corpus(str(tmp_path))
    assert found.ids() == [ID, "TASK-0f1eaaaaaaaa", "TASK-0f1ebbbbbbbb"]
    assert found.tasks()[ID].title == "new"
    assert found.doubled == {f".ank/tasks/{ID}.md": f".ank/entities/{ID}.md"}


def test_one_unreadable_file_hides_nothing_else(tmp_path: Path) -> None:
    """Issue 6: it is kept as a fault that names it."""
    put(tmp_path, f"entities/{ID}.md", task_text())
    put(tmp_path, "entities/TASK-0f1eaaaaaaaa.md", "---\nnothing\n")
    put(tmp_path, "entities/TASK-0f1ebbbbbbbb.md", task_text("TASK-0f1ecccccccc"))
    put(
        tmp_path,
        "entities/TASK-0f1edddddddd.md",
        task_text("TASK-0f1edddddddd", body="<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"),
    )
    put(tmp_path, "entities/notes.md", "x")
    found = Corpus(str(tmp_path))
    assert list(found.tasks()) == [ID]
    broken = ("TASK-0f1eaaaaaaaa", "TASK-0f1ebbbbbbbb", "TASK-0f1edddddddd", "notes")
    assert sorted(found.faults) == [f".ank/entities/{name}.md" for name in broken]
    assert found.faults[".ank/entities/TASK-0f1edddddddd.md"].reason.startswith("git's conflict markers")
    with pytest.raises(WrongUse, match="TASK-0f1eaaaaaaaa"):
        found.find("0f1ea")
    assert found.find_task("0f1e2")[1].title == "Rotate keys"


def test_the_corpus_is_found_from_any_folder_below(tmp_path: Path) -> None:
    """Format page D."""
    put(tmp_path, f"entities/{ID}.md", task_text())
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert corpus.find_root(str(tmp_path / "a" / "b")) == str(tmp_path)


def test_a_rewrite_raises_the_version_and_keeps_place_and_schema(tmp_path: Path) -> None:
    """R-X4."""
    path = put(tmp_path, f"tasks/{ID}.md", task_text(schema=1).replace("\n", "\r\n"))
    path.chmod(0o600)
    old, task = Corpus(str(tmp_path)).find_task(ID)
    made = files.rewrite(old, replace(task, status="in_progress"))
    assert path.read_text() == task_text(schema=1, status="in_progress", version=2)
    assert made.entity.version == 2
    assert path.stat().st_mode & 0o777 == 0o600
    assert sorted(os.listdir(path.parent)) == [path.name]


def test_a_file_that_moved_since_it_was_read_is_not_overwritten(tmp_path: Path) -> None:
    """Exit 3."""
    path = put(tmp_path, f"entities/{ID}.md", task_text())
    old, task = Corpus(str(tmp_path)).find_task(ID)
    path.write_text(task_text(title="Somebody else"))
    with pytest.raises(VersionConflict):
        files.rewrite(old, replace(task, status="closed"))
    assert "Somebody else" in path.read_text()


def _claim(root: str, gate: object, word: str) -> None:
    old, task = Corpus(root).find_task(ID)
    gate.wait()  # type: ignore[attr-defined]
    try:
        files.rewrite(old, replace(task, title=word))
    except VersionConflict:
        sys.exit(3)


def test_of_several_writers_exactly_one_wins(tmp_path: Path) -> None:
    """R-X4: swap by version, under the file's lock."""
    put(tmp_path, f"entities/{ID}.md", task_text())
    fork = multiprocessing.get_context("fork")
    gate = fork.Barrier(6)
    writers = [fork.Process(target=_claim, args=(str(tmp_path), gate, f"w{number}")) for number in range(6)]
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    assert sorted(one.exitcode or 0 for one in writers) == [0, 3, 3, 3, 3, 3]
    assert Corpus(str(tmp_path)).stored(ID).entity.version == 2


def test_what_a_dead_process_left_is_taken_over_at_once(tmp_path: Path) -> None:
    """R-X4."""
    path = put(tmp_path, f"entities/{ID}.md", task_text())
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    beside = path.parent / f".{ID}.md.lock"
    beside.write_text(f"tenure {dead.pid} {os.uname().nodename}\n")
    with files.FileLock(str(path), patience=0.5):
        assert str(os.getpid()) in beside.read_text()
    assert not beside.exists()


@pytest.mark.parametrize("content", ["", "tenure 1 elsewhere\n", "tenure SELF HOST\n", "ank"])
def test_any_other_lock_file_is_an_error_that_names_it(tmp_path: Path, content: str) -> None:
    """R-X4."""
    path = put(tmp_path, f"entities/{ID}.md", task_text())
    beside = path.parent / f".{ID}.md.lock"
    content = content.replace("SELF", str(os.getpid())).replace("HOST", os.uname().nodename)
    beside.write_text(content)
    with pytest.raises(Broken, match=r"\.md\.lock has been in the way"), files.FileLock(str(path), patience=0.1):
        pytest.fail("it went through")
    assert beside.read_text() == content


def test_a_new_entity_never_overwrites_one(tmp_path: Path) -> None:
    """R-X4."""
    task = entity_reading.parse(task_text())
    made = files.create(str(tmp_path), task)
    assert made.name == f".ank/entities/{ID}.md"
    with pytest.raises(VersionConflict):
        files.create(str(tmp_path), task)


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=300))
def test_a_message_is_cut_and_comes_back_whole(message: str) -> None:
    """Format page C: title + rest is the message."""
    title, body = log.cut(message)
    assert len(title) <= 100
    assert "\n" not in title
    entry = LogEntry("LOG-0f1e2d3c4b5a", title, "2026-11-30T08:15:00Z", ("a",), ID, body=body)
    assert entry.message == message


@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("short", "short"),
        ("x" * 100, "x" * 100),
        ("x" * 101, "x" * 100),
        ("a" * 60 + " " + "b" * 60, "a" * 60),
        ("a" * 40 + " " + "b" * 80, "a" * 40 + " " + "b" * 59),
        ("a" * 100 + " b", "a" * 100),
        ("a" * 60 + " " + "b" * 39 + " c", "a" * 60 + " " + "b" * 39),
        ("one\n" + "b" * 200, "one"),
    ],
)
def test_a_title_ends_at_the_last_blank_from_50_to_100(message: str, title: str) -> None:
    """Format page C."""
    assert log.cut(message)[0] == title


@pytest.mark.parametrize("message", ["", " \n ", "a\x1b[2Jb", "a\tb", "a\x85b", "a\u2028b", "a\udcffb"])
def test_an_empty_message_or_a_control_character_is_refused(message: str) -> None:
    """Format page C: 1."""
    with pytest.raises(WrongUse):
        log.checked_message(message)


def test_entries_of_all_layouts_are_one_log_in_order(tmp_path: Path) -> None:
    """Format page C: a line equal to an entry is dropped; the later ones go flat."""
    first = "- 2026-01-05T09:14Z ada@box \u2014 first\n\nand more\n"
    body = f"\nNotes.\n\n## Log\n{first}- 2026-01-05T09:15:00Z ada@box \u2014 second\n"
    put(tmp_path, f"tasks/{ID}.md", task_text(schema=2, body=body))
    put(
        tmp_path,
        f"log/{ID}.md",
        "- 2026-01-05T09:15:00Z ada@box \u2014 second\n- 2026-01-05T09:16:00Z ada@box \u2014 third\n",
    )
    found = Corpus(str(tmp_path))
    task = found.stored(ID).entity
    log.append(found, task, "fourth: " + "word " * 30, "human:ada", AT)
    found = Corpus(str(tmp_path))
    entry, _ = log.append(found, task, "fifth", "human:ada", AT)
    assert entry.seq == 1
    lines = log.lines_about(Corpus(str(tmp_path)), ID, task.body)
    assert [line.message.split()[0] for line in lines] == ["first", "second", "third", "fourth:", "fifth"]
    assert lines[0].message == "first\n\nand more"
    assert lines[3].message == "fourth: " + ("word " * 30).strip()
    assert lines[4].who == "human:ada"


def test_bookkeeping_is_told_apart_from_what_was_said(tmp_path: Path) -> None:
    """Format page C: an unknown `records` is machinery too; an edit is accounted for where books are kept."""
    put(tmp_path, f"entities/{ID}.md", task_text())
    found = Corpus(str(tmp_path))
    old = found.stored(ID).entity
    new = replace(old, done_criteria="Other keys\n", version=2)
    log.account(found, old, new, "done_criteria", "human:ada", AT)
    assert found.ids("LOG") == Corpus(str(tmp_path)).ids("LOG") == []
    log.append(
        found, old, f"created (version 0 to 1, produced {entity_writing.content_hash(old)})", "human:ada", AT, "create"
    )
    log.account(Corpus(str(tmp_path)), old, new, "done_criteria", "human:ada", AT)
    lines = log.lines_about(Corpus(str(tmp_path)), ID)
    assert log.said(lines) == []
    hashes = f"replaced {entity_writing.replaced_hash(old)}, produced {entity_writing.content_hash(new)}"
    assert lines[-1].message == f"done_criteria (version 1 to 2, {hashes})"
    assert lines[-1].records == "edit"


def test_an_unknown_id_is_not_found(tmp_path: Path) -> None:
    """Exit 2."""
    put(tmp_path, f"entities/{ID}.md", task_text())
    with pytest.raises(NotFound):
        Corpus(str(tmp_path)).stored("TASK-999999999999")
