"""Handing back and closing, with a reason (R-C6, R-C9)."""

from __future__ import annotations

import shlex
import time

import pytest

from scenario.kit import away, back, head_of, picture, refused
from support import ADA, AUTH, BOB, Clone, World, claim_text, wait
from tenure.model import ids
from tenure.model.record import Completion

PROOF = ("--proof", "assertion:it works")


def test_release_needs_a_reason_records_it_and_frees_the_task(world: World) -> None:
    """R-C6: 7 without one or with a blank one; a log entry, file to open, ref deleted; others may claim at once."""
    repo = world.repo()
    repo.tenure("claim", AUTH)
    for words in (["release"], ["release", "--reason", " \t "], ["release", "--reason", "", AUTH]):
        said = refused(repo, 7, *words)
        assert head_of(said) == "release needs a reason that the next holder can read"
    done = repo.tenure("release", "--reason", " names a test that does not exist ")
    assert done.out.splitlines()[0] == f"released {AUTH} -> open"
    assert repo.record() is None and repo.status_of() == "open"
    assert repo.json("log", AUTH)["entries"][-1]["message"] == "released: names a test that does not exist"
    assert repo.events("task.released")[0]["reason"] == "names a test that does not exist"
    repo.tenure("claim", AUTH, agent=BOB)


def test_a_lapsed_claim_is_taken_back_without_being_re_acquired(world: World) -> None:
    """R-C6: also when the criterion differs by then."""
    repo = world.repo()
    repo.tenure("claim", AUTH)
    repo.shorten(-600)
    repo.soften()
    repo.tenure("release", "--reason", "the criterion is wrong", AUTH)
    assert repo.record() is None and repo.status_of() == "open"
    assert sorted(one["type"] for one in repo.events()) == ["task.claimed", "task.released"]


def test_a_completion_of_a_thrown_away_branch_may_be_released_by_anybody(world: World) -> None:
    """R-C6: with a reason; not once the default branch knows it as done (6)."""
    world.origin()
    ours, theirs = world.clone("ours"), world.clone("theirs")
    ours.git("checkout", "-q", "-b", "rotate")
    ours.tenure("claim", AUTH)
    ours.tenure("done", *PROOF)
    refused(theirs, 4, "claim", AUTH, agent=BOB)
    refused(theirs, 7, "release", AUTH, agent=BOB)
    theirs.tenure("release", "--reason", "the branch is gone", AUTH, agent=BOB)
    theirs.tenure("claim", AUTH, agent=BOB)
    assert theirs.events("task.released")[0]["reason"] == "the branch is gone"


def test_a_completion_that_the_default_branch_knows_is_pruned_not_released(world: World) -> None:
    """R-C6: 6, with the verb that prunes."""
    repo = world.repo()
    repo.tenure("claim", AUTH)
    repo.tenure("done", *PROOF)
    repo.commit("Done")
    said = refused(repo, 6, "release", "--reason", "x", AUTH, agent=BOB)
    assert "is done on the default branch; its completion is pruned, not released" in said and "tenure check" in said
    assert isinstance(repo.record(), Completion)


def test_a_completion_is_not_released_in_the_tree_that_says_done(world: World) -> None:
    """R-C6: 6, and nothing is said of the default branch, which does not know; the ways that it names work."""
    world.origin()
    repo = world.clone("ours")
    repo.git("checkout", "-q", "-b", "rotate")
    repo.tenure("claim", AUTH)
    repo.tenure("done", *PROOF)
    said = refused(repo, 6, "release", "--reason", "x", AUTH)
    head, mend, again = said.splitlines()
    assert head == f"error[6]: {AUTH} is done here: put its file back, then release"
    assert repo.git(*shlex.split(mend.removeprefix("  -> git "))).code == 0
    repo.tenure(*shlex.split(again.removeprefix("  -> tenure ")))
    assert "status: open\n" in repo.read(repo.task_path()) and repo.record() is None


def test_ones_own_renewal_in_flight_cannot_bring_the_claim_back(world: World) -> None:
    """R-C6, R-C2: origin moved to a renewal with the same token: deleted over."""
    bare = world.origin()
    clone = world.clone("clone")
    clone.tenure("claim", AUTH, TENURE_NO_BACKGROUND="1")
    later = clone.held().text.replace(clone.held().text.split("expires: ")[1][:20], "2026-11-30T23:59:00Z")
    fresh = bare.put(later)
    bare.put(clone.held().text)
    text = (
        f'#!/bin/sh\ngit --git-dir={bare.path} update-ref {ids.claim_ref(AUTH)} {fresh}\nexec git-receive-pack "$@"\n'
    )
    clone.git("config", "remote.origin.receivepack", str(_once(world, text)))
    clone.tenure("release", "--reason", "x")
    assert bare.record() is None and clone.record() is None


def _once(world: World, text: str) -> object:
    """A receiving end that does something before it begins, the first time."""
    done = world.root / "once"
    head, act, tail = text.splitlines()
    return world.script("receive", f"{head}\n[ -e {done} ] || {{ : >{done}; {act}; }}\n{tail}\n")


def test_a_deletion_waits_for_an_origin_that_is_away_and_then_goes(world: World) -> None:
    """R-C3, R-C6: said; free in this clone at once; the claim is not published again."""
    bare = world.origin()
    clone = world.clone("clone")
    clone.tenure("claim", AUTH)
    away(clone)
    said = clone.tenure("release", "--reason", "x")
    assert f"warning: the record of {AUTH} still stands on origin, which could not be reached" in said.err
    assert clone.json("status")["claim"] is None and bare.record() is not None
    back(clone)
    clone.tenure("status")
    wait("the deletion on origin", lambda: bare.record() is None)
    wait("nothing waits", lambda: clone.json("status")["pending"] == 0)


def test_close_ends_a_task_whoever_holds_it(world: World) -> None:
    """R-C9: one's own or nobody's is not contested; `claim_revoked` says whether a record went; twice: 6."""
    repo = world.repo()
    refused(repo, 7, "close", AUTH)
    found = repo.json("close", AUTH, "--reason", "overtaken")
    assert (found["status"], found["claim_revoked"], found["contested"]) == ("closed", False, False)
    assert repo.status_of() == "closed"
    assert head_of(refused(repo, 6, "close", AUTH, "--reason", "again")) == f"{AUTH} is closed already"
    refused(repo, 6, "claim", AUTH)


def test_close_drops_ones_own_lease_and_somebody_elses(world: World) -> None:
    """R-C9, R-L7: contested only if a lease of somebody else was live."""
    repo = world.repo()
    repo.tenure("claim", AUTH)
    found = repo.json("close", AUTH, "--reason", "mine to end")
    assert (found["claim_revoked"], found["contested"], found["lease_expires_at"]) == (True, False, None)
    assert repo.record() is None
    other = world.repo("other")
    other.put(claim_text(AUTH, BOB, int(time.time()) - 600))
    found = other.json("close", AUTH, "--reason", "long lapsed")
    assert (found["claim_revoked"], found["contested"]) == (True, False)
    third = world.repo("third")
    third.put(claim_text(AUTH, BOB, int(time.time()) + 600))
    assert third.json("close", AUTH, "--reason", "under his hands")["contested"] is True


@pytest.mark.parametrize("verb", ["release", "close"])
def test_a_reason_with_hostile_text_is_kept_as_written_or_refused_whole(world: World, verb: str) -> None:
    """R-X3, R-C6: a control character is refused (1) before anything is written."""
    repo = world.repo()
    repo.tenure("claim", AUTH)
    words = [verb, *([AUTH] if verb == "close" else []), "--reason", "bell \x07 rings"]
    said = refused(repo, 1, *words)
    assert "cannot hold U+0007" in said


def test_restore_puts_the_frozen_text_back_from_history(world: World) -> None:
    """§10 criteria restore, R-F1: from any commit reachable here; none: 2; nothing frozen: 2; a deleted file, too."""
    repo = world.repo()
    assert "nothing is frozen" in refused(repo, 2, "criteria", "restore", "820d")
    repo.tenure("claim", AUTH)
    good = repo.read(repo.task_path())
    repo.soften()
    repo.git("commit", "-q", "-a", "-m", "Soften")
    repo.tenure("criteria", "restore", "820d")
    assert repo.read(repo.task_path()) == good.replace("version: 2", "version: 3")
    before = picture(repo)
    repo.tenure("criteria", "restore", "820d")
    assert picture(repo) == before, "a second time changes nothing"
    repo.put(claim_text(AUTH, ADA, int(time.time()) + 900, criteria="0123456789ab"))
    said = refused(repo, 2, "criteria", "restore", "820d")
    assert "no commit here holds the text" in said


def test_a_task_file_that_was_deleted_comes_back(world: World) -> None:
    """§10 criteria restore: while its record still names it."""
    repo = world.repo()
    repo.tenure("claim", AUTH)
    repo.git("commit", "-q", "-a", "-m", "Take it")
    path = repo.path / repo.task_path()
    good = path.read_text()
    path.unlink()
    repo.tenure("criteria", "restore", AUTH)
    assert path.read_text() == good
    made = Clone(world, repo.path)
    assert made.git("status", "--porcelain").out == ""
