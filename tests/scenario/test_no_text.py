"""Half a character out of an escape, bytes that are no UTF-8: refused or shown where they stand, stopping nothing."""

from __future__ import annotations

import json
import time

from support import ADA, AUTH, BOB, DOCS, Clone, World, claim_text, task_text
from tenure.model.event import FIELDS

HALF = "\ud800"
LONG_AGO = int(time.time()) - 90_000


def tell(clone: Clone, **fields: str | None) -> None:
    """An event of somebody else's making in this clone's feed."""
    ident = "0" * 40
    event = {**dict.fromkeys(FIELDS), "id": ident, **fields}
    oid = clone.world.run(["git", "hash-object", "-w", "--stdin"], clone.path, stdin=json.dumps(event)).out.strip()
    leaf = clone.world.run(["git", "mktree"], clone.path, stdin=f"100644 blob {oid}\t{ident}.json\n").out.strip()
    tree = clone.world.run(["git", "mktree"], clone.path, stdin=f"040000 tree {leaf}\t00\n").out.strip()
    clone.git("update-ref", "refs/tenure/activity", tree)


def test_a_record_with_half_a_character_is_unreadable_and_hides_no_other(world: World) -> None:
    """R-C8: a sweep goes on to the claims that it can read."""
    repo = world.repo()
    repo.put(claim_text(AUTH, "x", LONG_AGO).replace("holder: x", 'holder: "\\ud800"'))
    repo.put(claim_text(DOCS, BOB, LONG_AGO), DOCS)
    assert f"swept {DOCS}" in repo.tenure("sweep").out
    assert f"refs/ank/claims/{AUTH}" in repo.tenure("status").err


def test_an_event_with_half_a_character_does_not_stop_the_next_holder(world: World) -> None:
    """R-X3, R-C5: the hand-over is made of what others wrote into the feed."""
    repo = world.repo()
    repo.put(claim_text(AUTH, BOB, LONG_AGO))
    tell(repo, type="task.claimed", at="2026-01-05T09:14:00Z", task=AUTH, actor=BOB, holder=BOB, branch=HALF)
    said = repo.tenure("claim", AUTH).out
    assert f"taken over from {BOB}, branch \\ud800" in said


def test_a_branch_of_two_lines_in_an_event_names_no_commit(world: World) -> None:
    """R-X2: a name out of the feed is one question to git, never two."""
    repo = world.repo()
    repo.put(claim_text(AUTH, BOB, LONG_AGO))
    tell(repo, type="task.claimed", at="2026-01-05T09:14:00Z", task=AUTH, actor=BOB, holder=BOB, branch="x\nHEAD")
    said = repo.tenure("claim", AUTH).out
    assert "taken over" in said and repo.head()[:7] not in said


def test_a_task_file_with_half_a_character_cannot_be_read_and_is_left_alone(world: World) -> None:
    """R-X6: what no file could hold is not taken for text."""
    repo = world.repo()
    text = task_text(AUTH).replace("title: Migrate auth", 'title: "\\ud800"')
    repo.write(repo.task_path(), text)
    assert "U+D800" in repo.tenure("claim", AUTH, exits=1).err
    assert repo.read(repo.task_path()) == text


def test_settings_that_are_no_utf_8_do_not_stop_a_task_from_being_finished(world: World) -> None:
    """R-C7: `done` reads the verifiers as every other verb reads the settings."""
    repo = world.repo()
    repo.write(repo.task_path(), task_text(AUTH, verify="quick"))
    repo.tenure("claim", AUTH)
    settings = repo.path / ".ank" / "config.yml"
    settings.write_bytes(b"schema: 1\n# gr\xfc\xdfe\nverifiers:\n  quick:\n    run: 'true'\n")
    assert f"done {AUTH}" in repo.tenure("done").out


def test_a_completion_on_a_branch_that_is_no_utf_8_can_be_read_by_all(world: World) -> None:
    """R-C4, R-C8: the record names it as far as text can."""
    repo = world.repo()
    repo.tenure("claim", AUTH)
    repo.git("symbolic-ref", "HEAD", b"refs/heads/caf\xe9".decode("utf-8", "surrogateescape"))
    repo.git("commit", "-q", "--allow-empty", "-m", "x")
    repo.tenure("done", "--proof", "assertion:it works")
    assert "caf\ufffd" in repo.tenure("status").out


def test_an_identity_that_is_no_utf_8_is_refused_where_it_is_set(world: World) -> None:
    """R-I3: no reader of its record could be sure whom it means."""
    repo = world.repo()
    said = repo.tenure("claim", AUTH, agent="human:caf\udce9", exits=1).err
    assert "is no UTF-8" in said and repo.record() is None
    repo.tenure("claim", AUTH, agent=ADA)
