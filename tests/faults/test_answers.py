"""Answers that are lost, refused or never come, and objects and locks that are in a bad way (F10-F19, F37-F40)."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from faults.kit import ADA, BOB, DAY, FROZEN, SRC, Clone, World, X, Y, agree, claim_text, settle
from tenure.model import ids
from tenure.model.record import Claim, Completion, Unreadable

LAPSED = 1800 + 120 + 1
DIE_AT_PUSH = 'case " $* " in *" push "*) kill -9 $PPID; sleep 1;; esac\nexec "$real" "$@"'
DIE_AFTER_PUSH = 'case " $* " in *" push "*) "$real" "$@"; kill -9 $PPID; sleep 1;; esac\nexec "$real" "$@"'


def test_f10_a_lost_answer_is_a_win_when_origin_holds_the_object(world: World) -> None:
    """S9 (R-C2): a claim, a renewal, and a completion."""
    (ada,) = world.clones("ada")
    for verb, args, at in (("claim", (X,), 0), ("log", (), 1500), ("done", (), 1600)):
        world.origin.lose_answers()
        result = ada.do(verb, *args, at=world.at + at).ok()
        assert not result["warnings"], result
        assert "pending" not in ada.state()
        assert world.origin.oid(ids.claim_ref(X)) == ada.oid(ids.claim_ref(X))
    assert isinstance(world.origin.record(), Completion)
    settle(world, ada)
    assert world.origin.kinds() == ["task.claimed", "task.completed"]


def test_f10_a_lost_answer_that_cannot_be_read_back_is_unknown_and_retried_with_the_same_object(world: World) -> None:
    """S9: neither won nor lost, and no second acquisition."""
    (ada,) = world.clones("ada")
    away = world.origin.path.with_suffix(".away")
    world.origin.committed("refs/ank/*", f"mv {world.origin.path} {away}; kill -9 $PPID")
    claimed = ada.do("claim", X).ok()
    assert claimed["pushed"] == "unreachable"
    world.origin.back()
    world.origin.unhook()
    assert world.origin.claim().token == claimed["token"]
    settle(world, ada)
    assert world.origin.claim().token == claimed["token"] == ada.claim().token
    agree(world, ada)


def test_f10_a_release_after_an_unknown_answer_deletes_what_may_have_landed(world: World) -> None:
    """S9 (R-C3): released while origin was still away, though it was never seen to hold the claim."""
    (ada,) = world.clones("ada")
    away = world.origin.path.with_suffix(".away")
    world.origin.committed("refs/ank/*", f"mv {world.origin.path} {away}; kill -9 $PPID")
    assert ada.do("claim", X).ok()["pushed"] == "unreachable"
    ada.do("release").ok()
    world.origin.back()
    world.origin.unhook()
    assert world.origin.record() is not None
    settle(world, ada)
    assert world.origin.record() is None and ada.state() == {}


def test_f11_a_lost_answer_and_then_another_holder_is_lost(world: World) -> None:
    """S9: what origin holds when it is read decides."""
    ada, bob = world.clones("ada", "bob")
    theirs = world.origin.blob(claim_text(BOB, world.at, world.at + 1800))
    once = world.root / "once"
    script = f"if mkdir {once}; then git update-ref {ids.claim_ref(X)} {theirs}; kill -9 $PPID; fi"
    world.origin.committed(ids.claim_ref(X), script)
    ada.do("claim", X).refused(4, BOB)
    assert ada.record() is None and ada.status_of() == "open"
    world.origin.unhook()
    settle(world, ada, bob)
    assert world.origin.oid(ids.claim_ref(X)) == theirs


def test_f12_a_lost_answer_to_a_deletion_is_a_release(world: World) -> None:
    """S9: nothing there, and the last that was seen was mine."""
    (ada,) = world.clones("ada")
    ada.do("claim", X).ok()
    world.origin.lose_answers()
    assert ada.do("release").ok()["warnings"] == []
    assert world.origin.record() is None and ada.state() == {}
    ada.do("release").refused(6)


def test_f13_a_push_of_several_refs_is_read_ref_by_ref(world: World) -> None:
    """S9 (R-G3): one deletion is declined, the others land, and the answer says which."""
    (bob,) = world.clones("bob")
    tasks = [f"TASK-00000000000{n}" for n in range(3)]
    for task in tasks:
        bob.share(task, claim_text(ADA, world.at, world.at + 1800, task=task))
    world.origin.refuse(f"*{tasks[1]}")
    swept = bob.do("sweep", agent=BOB, at=world.at + LAPSED + DAY).ok()
    assert swept["swept"] == [tasks[0], tasks[2]] and list(swept["kept"]) == [tasks[1]]
    assert world.origin.record(tasks[1]) is not None and world.origin.record(tasks[0]) is None
    world.origin.unhook()
    assert bob.do("sweep", agent=BOB, at=world.at + LAPSED + DAY).ok()["swept"] == [tasks[1]]


def test_f13_a_partial_prune_keeps_what_moved(world: World) -> None:
    """S9, S6 (R-G2)."""
    ada, bob = world.clones("ada", "bob")
    for task in (X, Y):
        ada.do("claim", task).ok()
        ada.do("done", task).ok()
    ada.git("commit", "-qam", "Both done")
    ada.git("push", "-q", "--no-verify", "origin", "main")
    bob.git("pull", "-q")
    world.origin.refuse(f"*{Y}")
    pruned = bob.do("prune", agent=BOB).ok()
    assert (pruned["gone"], pruned["kept"]) == ([X], [Y])
    assert world.origin.record(X) is None and isinstance(world.origin.record(Y), Completion)
    world.origin.unhook()
    assert bob.do("prune", agent=BOB).ok()["gone"] == [Y]
    settle(world, ada, bob)
    assert ada.record(X) is None and ada.record(Y) is None
    assert world.origin.kinds().count("task.pruned") == 2


def test_f13_the_end_of_a_claim_and_its_event_arrive_together(world: World) -> None:
    """S8, S9 (R-L6): also when the feed moved since it was read; else the claim would count as swept and come back."""
    ada, bob = world.clones("ada", "bob")
    ada.do("claim", X).ok()
    ada.do("carry").ok()
    seen = world.root / "seen"
    count = f"git ls-tree -r {ids.FEED} | wc -l >> {seen}"
    world.origin.hook("post-receive", f"while read old new ref; do case $ref in refs/ank/*) {count};; esac; done\n")
    gate = world.gate("release", '*" push "*')
    releasing = ada.start("release", env=gate.env)
    gate.reached()
    bob.do("claim", Y, agent=BOB).ok()
    bob.do("outbox", agent=BOB).ok()
    seen.unlink()
    gate.open()
    releasing.wait().ok()
    assert seen.read_text().split() == ["3"], "the ref went before its event was there"


def test_f14_a_claim_that_died_before_its_push_stands_here_only_and_is_carried_by_the_next_verb(world: World) -> None:
    """S9 (R-C3)."""
    (ada,) = world.clones("ada")
    assert ada.do("claim", X, env=world.wrapper("die", DIE_AT_PUSH)).code < 0
    assert world.origin.record() is None
    status = ada.cli("status", "--json")
    assert status["claim"]["local_only"] is True
    token = ada.claim().token
    ada.do("log").ok()
    assert world.origin.claim().token == token
    again = ada.do("claim", X).ok()
    assert again["regranted"] and ada.status_of() == "in_progress"
    settle(world, ada)
    assert world.origin.kinds() == ["task.claimed"]


def test_f15_a_claim_that_died_after_its_push_is_adopted_by_its_token(world: World) -> None:
    """S9: no second acquisition, nothing waits afterwards."""
    (ada,) = world.clones("ada")
    assert ada.do("claim", X, env=world.wrapper("die", DIE_AFTER_PUSH)).code < 0
    token = world.origin.claim().token
    again = ada.do("claim", X).ok()
    assert again["regranted"] and again["token"] == token and again["pushed"] == "yes"
    assert not again["warnings"], again["warnings"]
    settle(world, ada)
    agree(world, ada)
    assert world.origin.kinds() == ["task.claimed"]


def test_f16_a_refused_claim_is_published_by_nothing_but_claim(world: World) -> None:
    """S9 (R-C2)."""
    (ada,) = world.clones("ada")
    world.origin.refuse("refs/ank/*")
    refused = ada.do("claim", X).ok()
    assert refused["pushed"] == "refused" and "this clone only" in str(refused["warnings"])
    world.origin.unhook()
    for verb in ("context", "log", "refresh", "carry", "outbox"):
        ada.do(verb, at=world.at + 1500).ok()
        assert world.origin.record() is None, f"{verb} published it"
    assert ada.do("claim", X, at=world.at + 1500).ok()["pushed"] == "yes"
    assert world.origin.claim().token == refused["token"]


def test_f16_a_refused_take_over_stands_here_and_is_not_reported_lost_to_the_lapsed_holder(world: World) -> None:
    """S9 (R-C2)."""
    ada, bob = world.clones("ada", "bob")
    bob.do("claim", X, agent=BOB).ok()
    late = world.at + LAPSED
    world.origin.refuse("refs/ank/*")
    taken = ada.do("claim", X, at=late).ok()
    assert (taken["pushed"], taken["taken_over"]) == ("refused", True)
    ada.do("refresh", at=late).ok()
    assert ada.do("log", at=late + 1).ok()["token"] == taken["token"]
    world.origin.unhook()
    assert ada.do("claim", X, at=late + 2).ok()["pushed"] == "yes"
    assert (world.origin.claim().holder, world.origin.claim().generation) == (ADA, 2)


def test_f17_a_lock_file_of_git_is_waited_for_named_and_left_alone(world: World) -> None:
    """S4: bounded, with path and age; our own holds end with their process."""
    (ada,) = world.clones("ada")
    lock = ada.path / ".git" / f"{ids.claim_ref(X)}.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    begun = time.monotonic()
    result = ada.do("claim", X).refused(9, str(lock), "s old")
    assert time.monotonic() - begun < 8
    assert str(lock) in result["next"][0] and lock.exists()
    lock.unlink()
    ada.do("claim", X).ok()
    gate = world.gate("hold", '*" update-ref "*')
    holding = ada.start("log", at=world.at + 900, env=gate.env)
    gate.reached()
    holding.kill()
    assert holding.wait().code < 0
    ada.do("log", at=world.at + 901, limit=10).ok()


def test_f18_a_stale_lock_on_the_server_is_no_loss(world: World) -> None:
    """S9: the same words from git as a lost race, and yet not lost."""
    (ada,) = world.clones("ada")
    lock = world.origin.lock(ids.claim_ref(X))
    claimed = ada.do("claim", X).ok()
    assert claimed["pushed"] == "refused"
    lock.unlink()
    assert ada.do("claim", X).ok()["pushed"] == "yes"
    assert world.origin.claim().token == claimed["token"]


def test_f18_a_lock_on_the_server_that_goes_in_the_next_moment_costs_one_more_try(world: World) -> None:
    """S9 (R-C2): the server's git has given up on it; the lock is gone before the second push."""
    (ada,) = world.clones("ada")
    lock = world.origin.lock(ids.claim_ref(X))
    seen = world.root / "seen"
    world.origin.hook("update", f"test -e {seen} && rm -f {lock}; touch {seen}\n")
    assert ada.do("claim", X).ok()["pushed"] == "yes"
    assert isinstance(world.origin.record(), Claim)


@pytest.mark.parametrize("where", ["origin", "here"])
def test_f19_a_stale_packed_refs_lock_lets_claims_through_and_a_release_says_what_waits(
    world: World, where: str
) -> None:
    """S4: on the server the deletion waits; in the clone the file is named and nothing is half done."""
    (ada,) = world.clones("ada")
    ada.do("claim", X).ok()
    repo = world.origin if where == "origin" else ada
    repo.git("pack-refs", "--all")
    lock = (world.origin.path if where == "origin" else ada.path / ".git") / "packed-refs.lock"
    lock.touch()
    result = ada.do("release")
    if where == "here":
        result.refused(9, str(lock))
        lock.unlink()
        ada.do("release").ok()
    else:
        assert "still stands on origin" in str(result.ok()["warnings"])
        assert world.origin.record() is not None
        ada.do("look", X).ok()
        lock.unlink()
    settle(world, ada)
    assert world.origin.record() is None and ada.record() is None and ada.state() == {}


def test_f37_a_record_whose_blob_is_missing_is_unreadable_and_can_be_cleared(world: World) -> None:
    """S4 (R-C8): neither free nor live; the command that is named clears it."""
    (ada,) = world.clones("ada")
    ada.git("remote", "remove", "origin")
    oid = ada.put(X, claim_text(BOB, world.at, world.at + 1800))
    (ada.path / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    refused = ada.do("claim", X).refused(9, ids.claim_ref(X), "missing")
    ada.do("claim", Y).ok()
    ada.do("release", Y).ok()
    ada.git(*refused["next"][0].split()[1:])
    ada.do("claim", X).ok()


def test_f37_a_blob_that_is_missing_on_origin_does_not_hide_the_other_claims(world: World) -> None:
    """S4 (R-C8): the whole fetch fails; the refs are read one by one."""
    ada, bob = world.clones("ada", "bob")
    bob.do("claim", Y, agent=BOB).ok()
    oid = world.origin.put(X, claim_text(BOB, world.at, world.at + 1800))
    (world.origin.path / "objects" / oid[:2] / oid[2:]).unlink()
    ada.do("claim", Y).refused(4, BOB)
    ada.do("claim", X).refused(9, ids.claim_ref(X))
    assert ada.record(X) is None


def test_f38_an_object_collected_before_its_ref_is_written_again(world: World) -> None:
    """S9: a prune between hash-object and update-ref."""
    (ada,) = world.clones("ada")
    once = world.root / "once"
    script = f'mkdir {once} 2>/dev/null && "$real" prune --expire=now'
    env = world.wrapper("prune", f'case " $* " in *" update-ref "*" {ids.CLAIMS}"*) {script};; esac\nexec "$real" "$@"')
    for verb, args, at in (("claim", (X,), 0), ("log", (), 1500), ("done", (), 1501)):
        ada.do(verb, *args, at=world.at + at, env=env).ok()
        once.rmdir()
    assert isinstance(world.origin.record(), Completion)


@pytest.mark.parametrize("how", ["hook", "hidden", "update", "no-receiver"])
def test_f39_an_origin_that_takes_no_claim_refs_leaves_the_claim_here_and_says_so(world: World, how: str) -> None:
    """S9 (R-C2): exit 0, `pushed: refused`, words on standard error."""
    (ada,) = world.clones("ada")
    if how == "hook":
        world.origin.hook("pre-receive", "exit 1\n")
    elif how == "hidden":
        world.origin.git("config", "transfer.hideRefs", "refs/ank")
    elif how == "update":
        world.origin.refuse("refs/ank/*")
    else:
        ada.git("config", "remote.origin.receivepack", "false")
    result = ada.cli("claim", X, "--json")
    assert result.code == 0 and result["pushed"] == "refused"
    assert "this clone only" in result.words
    assert world.origin.record() is None


def test_f40_an_origin_that_hangs_is_left_in_bounded_time_and_leaves_no_process(world: World, tmp_path: Path) -> None:
    """S9: `claim` ends, a commit does not wait at all."""
    (ada,) = world.clones("ada")
    log = tmp_path / "pids"
    script = tmp_path / "ssh"
    script.write_text(f"#!/bin/sh\necho $$ >> {log}\nexec sleep 300\n")
    script.chmod(0o755)
    ada.git("remote", "set-url", "origin", "ssh://nowhere.invalid/x.git")
    env = {"GIT_SSH_COMMAND": str(script)}
    begun = time.monotonic()
    assert ada.do("claim", X, env=env).ok()["pushed"] == "unreachable"
    assert time.monotonic() - begun < 16
    ada.work()
    begun = time.monotonic()
    assert ada.do("pre-commit", env=env).code == 0
    assert time.monotonic() - begun < 2
    time.sleep(0.2)
    for pid in log.read_text().split():
        stat = Path(f"/proc/{pid}/stat")
        assert not stat.exists() or stat.read_text().split()[2] == "Z", f"{pid} still runs"


def test_f40_a_receiver_that_hangs_is_no_loss(world: World) -> None:
    """S9: origin can be read and takes nothing; what waits is carried once it answers."""
    (ada,) = world.clones("ada")
    ada.git("config", "remote.origin.receivepack", "sleep 60 #")
    claimed = ada.do("claim", X).ok()
    assert claimed["pushed"] in ("unreachable", "refused")
    ada.git("config", "--unset", "remote.origin.receivepack")
    ada.do("claim", X).ok()
    assert world.origin.claim().token == claimed["token"]
    assert world.origin.claim().criteria == FROZEN


def test_f40_an_origin_that_is_away_is_no_loss(world: World) -> None:
    """S9 (R-C3): every verb ends, says so, and is made good later."""
    (ada,) = world.clones("ada")
    world.origin.away()
    token = ada.do("claim", X).ok()["token"]
    assert ada.do("log", at=world.at + 60).ok()["warnings"]
    assert ada.do("done", at=world.at + 120).ok()["warnings"]
    world.origin.back()
    settle(world, ada)
    assert isinstance(world.origin.record(), Completion) and token
    agree(world, ada)
    assert world.origin.kinds() == ["task.claimed", "task.completed"]


def test_the_command_can_be_started_from_its_sources(world: World) -> None:
    """What the other tests call is what a person runs."""
    (ada,) = world.clones("ada")
    done = subprocess.run(
        [sys.executable, "-m", "tenure", "claim", X], cwd=ada.path, env=world.environment(ADA), capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert SRC and isinstance(ada, Clone) and not isinstance(ada.record(), Unreadable)
