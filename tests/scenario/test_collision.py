"""Two at one task: said to both, recorded once, and nothing is blocked (R-K1 to R-K3, R-K5, R-K6, R-C9)."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from support import ADA, AUTH, BOB, CY, DOCS, Clone, World, claim_text
from tenure.model import ids

QUIET: dict[str, Any] = {"TENURE_NO_BACKGROUND": "1"}
BOBS: dict[str, Any] = {
    "GIT_AUTHOR_NAME": "Bob",
    "GIT_AUTHOR_EMAIL": "bob@example.org",
    "GIT_COMMITTER_EMAIL": "bob@example.org",
}


def shared(world: World) -> tuple[Clone, Clone, Clone]:
    """Origin, Ada's clone (she holds AUTH, her edit is on origin) and Bob's, both with hooks."""
    bare = world.origin()
    ours, theirs = world.clone("ours").hooks(), world.clone("theirs").hooks()
    ours.tenure("claim", AUTH)
    ours.commit("Take it", **QUIET)
    ours.git("push", "-q", "origin", "main", **QUIET)
    theirs.git("pull", "-q")
    theirs.tenure("activity")
    return bare, ours, theirs


def contested(clone: Clone) -> list[dict[str, str]]:
    return clone.events("task.contested")


def test_a_status_change_of_somebody_else_goes_through_and_is_one_event(world: World) -> None:
    """R-K1, R-K6: pre-commit warns, the push says and records it, severity warn; the lease is as it was."""
    bare, ours, theirs = shared(world)
    theirs.set_status("open")
    before = bare.held()
    said = theirs.commit("Back to open", agent=BOB, **BOBS, **QUIET).err
    assert f"tenure: {AUTH} is held by {ADA} until " in said
    assert "this sets in_progress -> open. Nothing is blocked and the claim stands" in said
    assert contested(theirs) == [], "not visible to others yet"
    said = theirs.git("push", "-q", "origin", "main", agent=BOB, **BOBS).err
    assert f"tenure: contested: {AUTH} is held by {ADA}" in said and "by git:bob@example.org" in said
    assert bare.oid("refs/heads/main") == theirs.head()
    assert bare.held() == before
    [one] = contested(theirs)
    assert one["severity"] == "warn" and one["holder"] == ADA and one["actor"] == "git:bob@example.org"
    assert (one["from"], one["to"], one["commit"]) == ("in_progress", "open", theirs.head())
    ours.git("fetch", "-q")
    assert [one["id"] for one in contested(ours)] == [one["id"]]


def test_however_often_it_is_seen_it_stays_one_event(world: World) -> None:
    """R-K2: pushed again, rebased, squashed, found by the other clone: one for task, lease, e-mail and change."""
    _, ours, theirs = shared(world)
    theirs.set_status("open")
    theirs.commit("Back to open", agent=BOB, **BOBS, **QUIET)
    theirs.git("push", "-q", "origin", "HEAD:refs/heads/one", agent=BOB, **QUIET)
    [first] = contested(theirs)
    theirs.git("commit", "-q", "--amend", "-m", "Other words", "--no-verify", agent=BOB, **BOBS)
    theirs.git("push", "-q", "-f", "origin", "HEAD:refs/heads/one", "HEAD:refs/heads/two", agent=BOB, **QUIET)
    assert contested(theirs) == [first]
    ours.git("fetch", "-q")
    ours.git("checkout", "-q", "-b", "pulled", "origin/two")
    ours.git("push", "-q", "origin", "HEAD:refs/heads/three", **QUIET)
    ours.git("checkout", "-q", "main")
    ours.git("merge", "-q", "--squash", "origin/two")
    ours.git("commit", "-q", "-m", "Squashed", "--no-verify", **BOBS)
    ours.git("push", "-q", "origin", "HEAD:refs/heads/four", **QUIET)
    assert [one["id"] for one in contested(ours)] == [first["id"]]
    theirs.set_status("closed")
    theirs.commit("Another change", agent=BOB, **BOBS, **QUIET)
    theirs.git("push", "-q", "origin", "HEAD:refs/heads/one", agent=BOB, **QUIET)
    assert len(contested(theirs)) == 2


def test_what_was_committed_outside_the_lease_is_no_contest(world: World) -> None:
    """R-K1: the committer date decides: before `claimed`, or after the end and its two minutes."""
    _, _, theirs = shared(world)
    theirs.set_status("open")
    for number, date in enumerate(("2026-02-01T10:00:00Z", f"@{int(time.time()) + 3600} +0000")):
        theirs.commit("Back", "--allow-empty", agent=BOB, GIT_COMMITTER_DATE=date, **BOBS, **QUIET)
        said = theirs.git("push", "-q", "origin", f"HEAD:refs/heads/b{number}", agent=BOB, **QUIET).err
        assert "contested" not in said
        theirs.git("commit", "-q", "--amend", "--no-edit", "--no-verify", agent=BOB, **BOBS)
        theirs.git("reset", "-q", "--soft", "HEAD~1")
    assert contested(theirs) == []


def test_the_file_half_of_an_act_is_no_contest(world: World) -> None:
    """R-K1: claimed, released and claimed by another: the edits that the verbs made pass without a word."""
    _, ours, theirs = shared(world)
    ours.tenure("release", "--reason", "over to bob")
    theirs.tenure("claim", AUTH, agent=BOB, **BOBS)
    ours.commit("Hand it back", **QUIET)
    said = ours.git("push", "-q", "origin", "HEAD:refs/heads/ada", **QUIET).err
    assert "contested" not in said
    assert contested(ours) == [] and contested(theirs) == []


def test_the_trailer_says_who_acted(world: World) -> None:
    """R-K3: `Ank-Agent` before the e-mail; the holder's own trailer is the holder."""
    _, ours, theirs = shared(world)
    ours.set_status("open")
    ours.commit(f"Mine\n\nAnk-Agent: {ADA}", GIT_AUTHOR_EMAIL="elsewhere@example.org", **QUIET)
    ours.git("push", "-q", "origin", "HEAD:refs/heads/mine", **QUIET)
    assert contested(ours) == []
    theirs.set_status("open")
    theirs.commit(f"Theirs\n\nAnk-Agent: {CY}", agent=BOB, **QUIET)
    theirs.git("push", "-q", "origin", "HEAD:refs/heads/theirs", agent=BOB, **QUIET)
    [one] = contested(theirs)
    assert one["actor"] == CY and one["author_email"] == "ada@example.org"


def test_the_repository_may_say_who_an_e_mail_is(world: World) -> None:
    """R-K3: `identities` in .tenure.yml, before the e-mail that the feed saw."""
    _, ours, theirs = shared(world)
    theirs.write(".tenure.yml", f"identities:\n  ada@home.example: {ADA}\n  bob@example.org: {BOB}\n")
    theirs.set_status("open")
    theirs.commit("Hers from home", agent=BOB, GIT_AUTHOR_EMAIL="ada@home.example", **QUIET)
    theirs.git("push", "-q", "origin", "HEAD:refs/heads/home", agent=BOB, **QUIET)
    assert contested(theirs) == []
    theirs.set_status("closed")
    theirs.commit("Bob's", agent=BOB, **BOBS, **QUIET)
    theirs.git("push", "-q", "origin", "HEAD:refs/heads/bob", agent=BOB, **QUIET)
    assert [one["actor"] for one in contested(theirs)] == [BOB]
    assert ours.held().holder == ADA


def test_the_e_mail_that_the_feed_saw_with_the_claim_settles_it(world: World) -> None:
    """R-K3: the same e-mail is the holder; another is not."""
    _, ours, _ = shared(world)
    ours.set_status("open")
    ours.commit("Mine, with no trailer", **QUIET)
    assert "contested" not in ours.git("push", "-q", "origin", "HEAD:refs/heads/mine", **QUIET).err
    assert contested(ours) == []


def test_what_nothing_settles_is_a_notice_and_no_event(world: World) -> None:
    """R-K3: a lease that the feed knows nothing of; trailers that disagree."""
    bare = world.origin()
    theirs = world.clone("theirs").hooks()
    bare.put(claim_text(AUTH, ADA, int(time.time()) + 900))
    theirs.mirrored()
    theirs.set_status("in_progress")
    theirs.commit("Somebody", agent=BOB, **BOBS, **QUIET)
    said = theirs.git("push", "-q", "origin", "HEAD:refs/heads/a", agent=BOB, **QUIET).err
    assert "tenure: status change by somebody unknown: " in said and "by git:bob@example.org" in said
    theirs.set_status("closed")
    theirs.commit(f"Two\n\nAnk-Agent: {BOB}\nAnk-Agent: {CY}", agent=BOB, **BOBS, **QUIET)
    said = theirs.git("push", "-q", "origin", "HEAD:refs/heads/b", agent=BOB, **QUIET).err
    assert "somebody unknown" in said
    assert contested(theirs) == []
    found = theirs.json("verify", "HEAD~2..HEAD", exits=0)
    assert len(found["unattributed"]) == 2 and found["contested"] == []


def test_a_transition_that_the_feed_holds_already_is_that_one(world: World) -> None:
    """R-K3: where nothing settles the author, and an event of this lease tells the same change: not said again."""
    _, _, theirs = shared(world)
    theirs.set_status("open")
    theirs.commit(f"Known\n\nAnk-Agent: {BOB}", agent=BOB, **BOBS, **QUIET)
    theirs.git("push", "-q", "origin", "HEAD:refs/heads/a", agent=BOB, **QUIET)
    assert len(contested(theirs)) == 1
    theirs.git("commit", "-q", "--amend", "--no-verify", "-m", f"Squash\n\nAnk-Agent: {BOB}\nAnk-Agent: {CY}")
    said = theirs.git("push", "-q", "-f", "origin", "HEAD:refs/heads/a", agent=BOB, **QUIET).err
    assert "unknown" not in said and len(contested(theirs)) == 1


def test_a_close_of_somebody_elses_task_is_contested_at_once(world: World) -> None:
    """R-C9, R-K6: a verb is visible at once: one event, the lease dropped here and on origin, the holder told."""
    bare, ours, theirs = shared(world)
    said = theirs.json("close", AUTH, "--reason", "overtaken", agent=BOB)
    assert said["contested"] and said["claim_revoked"] and said["status"] == "closed"
    assert bare.record() is None and theirs.record() is None
    [one] = contested(theirs)
    assert (one["holder"], one["actor"], one["to"], one["reason"]) == (ADA, BOB, "closed", "overtaken")
    theirs.commit("Close it", agent=BOB, **BOBS, **QUIET)
    theirs.git("push", "-q", "origin", "HEAD:refs/heads/closed", agent=BOB, **QUIET)
    assert len(contested(theirs)) == 1, "its file half is no second one"
    ours.tenure("activity")
    assert contested(ours) == [one]


@pytest.mark.parametrize("finder", ["hook", "verb"])
def test_without_an_origin_the_next_hook_or_verb_records_it(world: World, finder: str) -> None:
    """R-K6: once HEAD holds it; the commit itself only warns."""
    repo = world.repo().hooks()
    repo.tenure("claim", AUTH)
    repo.commit("Take it")
    repo.set_status("open")
    assert "Nothing is blocked" in repo.commit("Back", agent=BOB, **BOBS).err
    if finder == "hook":
        repo.write("other.txt", "x\n")
        repo.commit("Go on", agent=BOB, **BOBS)
    feed = repo.git("ls-tree", "-r", "--name-only", "refs/tenure/activity").out.splitlines()
    assert len(feed) == (2 if finder == "hook" else 1)
    repo.tenure("status")
    [one] = contested(repo)
    assert one["source"] == finder and one["commit"] == repo.oid("HEAD~1" if finder == "hook" else "HEAD")
    repo.tenure("status")
    assert len(contested(repo)) == 1


def test_a_push_says_when_its_paths_meet_somebody_elses_claim(world: World) -> None:
    """R-K5: one line with task, holder and end; nothing is refused, no event; other paths: silence."""
    _, _, theirs = shared(world)
    theirs.write("docs/guide.md", "Other.\n")
    theirs.commit("Elsewhere", agent=BOB, **QUIET)
    assert "overlap" not in theirs.git("push", "-q", "origin", "HEAD:refs/heads/a", agent=BOB, **QUIET).err
    theirs.touch()
    theirs.commit("There", agent=BOB, **QUIET)
    said = theirs.git("push", "-q", "origin", "HEAD:refs/heads/b", agent=BOB, **QUIET).err
    lines = [line for line in said.splitlines() if "overlap" in line]
    assert len(lines) == 1
    assert re.fullmatch(rf"tenure: 1 claim overlaps, first: {AUTH}, held by {ADA}, until .* UTC", lines[0])
    assert contested(theirs) == []


def test_identities_are_declared_and_nobody_is_refused_for_a_kind(world: World) -> None:
    """R-I2: an untyped identity, a process, an agent claim, commit and finish as a person does."""
    repo = world.repo().hooks()
    for number, who in enumerate(("some name", "process:nightly", CY, ADA)):
        repo.tenure("claim", AUTH, agent=who)
        repo.touch(f"{number}\n")
        repo.commit(f"Work {number}", agent=who)
        repo.tenure("release", "--reason", f"done {number}", agent=who)
        repo.commit(f"Hand back {number}", agent=who)
    assert {one["actor"] for one in repo.events("task.claimed")} == {"some name", "process:nightly", CY, ADA}


def test_docs_and_auth_are_two_leases(world: World) -> None:
    """R-K1: a status change of a task that nobody holds is no contest, whoever holds another."""
    _, _, theirs = shared(world)
    theirs.set_status("closed", DOCS)
    said = theirs.commit("Close docs by hand", agent=BOB, **BOBS, **QUIET).err
    assert said == ""
    theirs.git("push", "-q", "origin", "HEAD:refs/heads/x", agent=BOB, **QUIET)
    assert contested(theirs) == [] and theirs.oid(ids.claim_ref(DOCS)) is None
