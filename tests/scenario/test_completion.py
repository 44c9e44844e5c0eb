"""Finishing a task: proof, completion, what other trees are told, and the end of its record (R-C7, R-G2, R-G3)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from scenario.kit import away, back, files, head_of, picture, refused
from support import ADA, AUTH, BOB, DOCS, FROZEN, Clone, World, claim_text, task_text, wait
from tenure.model import ids, instants
from tenure.model.record import Claim, Completion

PROOF = ("--proof", "assertion:it works")
QUIET: dict[str, Any] = {"TENURE_NO_BACKGROUND": "1"}


def config(repo: Clone, run: str, timeout: str = "10m") -> None:
    repo.write(
        ".ank/config.yml",
        f"schema: 1\ndefault_branch: main\nverifiers:\n  unit:\n    run: {run}\n    timeout: {timeout}\n",
    )


def test_done_writes_the_file_with_its_proof_then_the_completion(world: World) -> None:
    """R-C7, R-L7: status, proof with the frozen hash, a log entry; the ref names commit, branch, who and when."""
    repo = world.repo()
    repo.git("checkout", "-q", "-b", "rotate")
    repo.tenure("claim", AUTH)
    said = repo.tenure("done", "--proof", f"commit:{repo.head()}")
    assert said.out.splitlines()[0] == f"done {AUTH} at {repo.head()[:7]} on rotate"
    text = repo.read(repo.task_path())
    proof = f"proof:\n  - type: commit\n    ref: {repo.head()}\n    criteria: {FROZEN}\n    via: submitted\n"
    assert proof in text and "status: done\n" in text and "version: 3\n" in text
    done = repo.record()
    assert isinstance(done, Completion)
    assert (done.commit, done.branch, done.identity) == (repo.head(), "rotate", ADA)
    assert abs(done.completed - time.time()) < 30
    assert repo.json("log", AUTH)["entries"][-1]["message"] == f"done: commit:{repo.head()}"
    assert repo.events("task.completed")[0]["branch"] == "rotate"


def test_a_completion_on_a_detached_head_names_no_branch(world: World) -> None:
    """R-C7: the field is left out."""
    repo = world.repo()
    repo.git("checkout", "-q", "--detach")
    repo.tenure("claim", AUTH)
    assert repo.json("done", *PROOF)["branch"] is None
    done = repo.record()
    assert isinstance(done, Completion) and done.branch is None and "branch" not in done.text


def test_done_without_a_proof_is_refused_and_says_what_one_is(world: World) -> None:
    """R-C7: 5 without a verifier and without --proof; 1 for what is no proof; nothing is written."""
    repo = world.repo()
    repo.tenure("claim", AUTH)
    assert "needs a proof" in head_of(refused(repo, 5, "done"))
    for wrong in ("it works", "rumour:it works", "test:", "test: "):
        assert "no proof" in head_of(refused(repo, 1, "done", "--proof", wrong))
    assert isinstance(repo.record(), Claim)


def test_the_verifiers_that_the_task_names_are_run(world: World) -> None:
    """R-C7: a yes leaves its proof; a no or a timeout 5; undefined, 126 or 127: 9; nothing is written."""
    repo = world.repo(**files(task_text(AUTH, verify="unit")))
    repo.tenure("claim", AUTH)
    repo.write(".ank/config.yml", "schema: 1\n")
    assert "verifier 'unit'" in head_of(refused(repo, 9, "done", *PROOF)), "undefined"
    for run, code, words in (
        ("echo broke; exit 3", 5, "said no (exit 3): broke"),
        ("exit 126", 9, "cannot be run (exit 126)"),
        ("no-such-program", 9, "cannot be run (exit 127)"),
    ):
        config(repo, run)
        assert words in head_of(refused(repo, code, "done", *PROOF)), run
    config(repo, "sleep 30", "1s")
    assert "gave no answer in 1 s" in head_of(refused(repo, 5, "done"))
    config(repo, "grep -q login src/auth/login.py")
    repo.tenure("done")
    text = repo.read(repo.task_path())
    assert f"  - type: test\n    ref: local/e3b0c44298fc@{repo.head()[:7]}\n    tree: scope/" in text
    assert f"    criteria: {FROZEN}\n    verifier: unit@" in text and "    via: verifier\n" in text


def test_done_refuses_a_criterion_that_is_not_the_frozen_one(world: World) -> None:
    """R-C7: 6, before any verifier runs; nothing is written."""
    repo = world.repo(**files(task_text(AUTH, verify="unit")))
    config(repo, "touch ran")
    repo.tenure("claim", AUTH)
    repo.soften()
    said = refused(repo, 6, "done", *PROOF)
    assert f"the criterion of {AUTH} differs from the text frozen at" in head_of(said)
    assert not (repo.path / "ran").exists()


def test_decisions_that_changed_since_the_claim_are_a_warning(world: World) -> None:
    """R-C7, format page A: constraints diverge: said, not refused."""
    repo = world.repo()
    made = repo.json("new", "adr", "--title", "Opaque", "--scope", "src/**", "--constraint", "Tokens are opaque")
    repo.tenure("claim", AUTH)
    path = f".ank/entities/{made['id']}.md"
    repo.write(path, repo.read(path).replace("status: proposed", "status: accepted"))
    said = repo.tenure("done", *PROOF)
    assert f"warning: the decisions that bind {AUTH} changed since it was claimed: tenure context" in said.err


def test_from_another_tree_the_task_is_finished_elsewhere(world: World) -> None:
    """R-C7: 4 in the words of the seed, with commit and branch; also between clones."""
    world.origin()
    ours, theirs = world.clone("ours"), world.clone("theirs")
    ours.git("checkout", "-q", "-b", "rotate")
    ours.tenure("claim", AUTH)
    ours.tenure("done", *PROOF)
    tree = ours.worktree("tree")
    tree.git("reset", "-q", "--hard", "origin/main")
    words = f"finished on another branch (commit {ours.head()[:7]}, branch rotate), not merged here yet"
    for clone in (tree, theirs):
        assert words in head_of(refused(clone, 4, "claim", AUTH, agent=BOB))
    assert "not on the default branch yet" in theirs.tenure("status").out
    assert theirs.json("status")["completions"] == [{"id": AUTH, "commit": ours.head(), "branch": "rotate"}]


def test_a_task_that_was_finished_in_this_tree_is_said_to_be_finished_here(world: World) -> None:
    """R-C7: 6, and not `on another branch`; a verb that names no task says so, too."""
    world.origin()
    repo = world.clone("ours")
    repo.git("checkout", "-q", "-b", "rotate")
    repo.tenure("claim", AUTH)
    repo.tenure("done", *PROOF)
    where = f"(commit {repo.head()[:7]}, branch rotate)"
    for words in (["done"], ["log", "one more thing"], ["release", "--reason", "x"]):
        assert head_of(refused(repo, 6, *words)) == f"{ADA} holds no claim: {AUTH} is finished already {where}"
    assert head_of(refused(repo, 6, "done", AUTH)) == f"{AUTH} is done already"
    assert f"coordination: finished {where}; the record is pruned when" in repo.tenure("show", AUTH).out
    repo.commit("Done")
    repo.git("checkout", "-q", "-b", "other")
    assert head_of(refused(repo, 6, "done")) == f"{ADA} holds no claim"


def test_a_task_that_is_over_is_not_offered_to_be_claimed(world: World) -> None:
    """R-C6, R-C7: its record is gone and its file says done or closed: that, not the claim that is lacking."""
    repo = world.repo()
    repo.tenure("claim", AUTH)
    repo.tenure("done", *PROOF)
    repo.commit("Done")
    repo.tenure("check", exits=None)
    repo.tenure("close", DOCS, "--reason", "not wanted")
    assert repo.record() is None
    for words in (["release", "--reason", "x"], ["done", *PROOF]):
        for task, status in ((AUTH, "done"), (DOCS, "closed")):
            said = refused(repo, 6, *words, task)
            assert said == f"error[6]: {task} is {status} already\n  -> tenure show {task[5:9]}\n"


def test_strangers_write_nothing(world: World) -> None:
    """R-C7: release, done, log by somebody who holds nothing 6; while somebody else holds it 4; nothing written."""
    repo = world.repo()
    for words in (["release", "--reason", "x"], ["done", *PROOF], ["log", "x y"]):
        assert head_of(refused(repo, 6, *words, agent=BOB)) == f"{BOB} holds no claim"
    repo.tenure("claim", AUTH)
    for words in (["release", "--reason", "x", AUTH], ["done", AUTH, *PROOF]):
        assert f"{AUTH} is held by {ADA} (expires in " in head_of(refused(repo, 4, *words, agent=BOB))
        assert f"holds no claim on {DOCS}" in head_of(refused(repo, 6, *[w.replace(AUTH, DOCS) for w in words]))


def cut_short(world: World) -> tuple[Clone, str]:
    """A `done` that was killed between the file and the ref, as its files and refs stand then."""
    repo = world.repo().hooks()
    repo.tenure("claim", AUTH)
    repo.commit("Take it")
    record = repo.held().text
    repo.tenure("done", *PROOF)
    repo.put(record)
    (repo.path / f".git/tenure/claims/{AUTH}").write_text("")
    assert repo.status_of() == "done" and isinstance(repo.record(), Claim)
    return repo, repo.read(repo.task_path())


def test_a_done_that_was_cut_short_is_completed_by_done_again(world: World) -> None:
    """R-C7: the proof that stands in the file is enough; it is not given twice."""
    repo, text = cut_short(world)
    repo.tenure("done")
    assert isinstance(repo.record(), Completion)
    assert repo.read(repo.task_path()) == text


def test_a_done_that_was_cut_short_is_completed_by_the_holders_next_commit(world: World) -> None:
    """R-C7: which says so."""
    repo, _ = cut_short(world)
    said = repo.commit("Done")
    assert f"tenure: {AUTH} is done; its record names that now" in said.err
    assert isinstance(repo.record(), Completion)


def finished(world: World) -> tuple[Clone, Clone, Clone]:
    """Origin and two clones; Ada finished AUTH on a branch and pushed the branch."""
    bare = world.origin()
    ours, theirs = world.clone("ours"), world.clone("theirs")
    ours.git("checkout", "-q", "-b", "rotate")
    ours.tenure("claim", AUTH)
    ours.tenure("done", *PROOF)
    ours.commit("Done", **QUIET)
    ours.git("push", "-q", "origin", "rotate", **QUIET)
    return bare, ours, theirs


def test_a_completion_stays_until_the_default_branch_says_done(world: World) -> None:
    """R-G2: then any clone's `check` deletes it, here and on origin, once; a squash is as good as a merge."""
    bare, ours, theirs = finished(world)
    assert theirs.json("check")["pruned"] == []
    assert isinstance(bare.record(), Completion)
    theirs.git("fetch", "-q")
    theirs.git("merge", "-q", "--squash", "origin/rotate")
    theirs.git("commit", "-q", "-m", "Squashed")
    assert theirs.json("check")["pruned"] == [], "what is not pushed is not known to the others"
    theirs.git("push", "-q", "origin", "main")
    found = theirs.json("check")["pruned"]
    assert found == [{"task": AUTH, "ref": ids.claim_ref(AUTH), "state": "completed"}]
    assert bare.record() is None and theirs.oid(ids.mirror_ref(AUTH)) is None
    assert theirs.json("check")["pruned"] == []
    assert len(theirs.events("task.pruned")) == 1
    ours.tenure("activity")
    assert ours.record() is None and ours.json("status")["completions"] == []


def test_check_can_look_without_pruning(world: World) -> None:
    """R-G2: --no-prune writes nothing."""
    bare, ours, _ = finished(world)
    ours.git("checkout", "-q", "main")
    ours.git("merge", "-q", "rotate")
    before = picture(ours, feed=True)
    assert ours.json("check", "--no-prune")["pruned"] == []
    assert picture(ours, feed=True) == before and isinstance(bare.record(), Completion)


def test_prune_never_touches_a_live_claim_of_a_task_that_the_default_branch_does_not_know(world: World) -> None:
    """R-G2: a task that exists on a branch alone; and what moved on origin meanwhile is kept."""
    bare = world.origin()
    clone = world.clone("clone")
    clone.git("checkout", "-q", "-b", "new")
    made = clone.json("new", "Something new", "--scope", "src/**", "--criteria", "It is there")["id"]
    clone.tenure("claim", made)
    clone.commit("New")
    other = world.clone("other")
    assert other.json("check", exits=None)["pruned"] == []
    assert isinstance(bare.record(made), Claim)


def test_a_claim_of_a_task_that_is_over_is_pruned_too(world: World) -> None:
    """R-G2: closed on the default branch by hand: the claim record goes, its holder's next verb is told."""
    bare = world.origin()
    clone, other = world.clone("clone"), world.clone("other")
    clone.tenure("claim", AUTH)
    other.set_status("closed")
    other.git("commit", "-q", "-a", "-m", "Close by hand")
    other.git("push", "-q", "origin", "main")
    assert [one["state"] for one in other.json("check", exits=None)["pruned"]] == ["claim"]
    assert bare.record() is None
    clone.tenure("activity")
    assert clone.record() is None


def lapse(clone: Clone, ago: int, task: str = AUTH, holder: str = BOB) -> None:
    clone.share(claim_text(task, holder, int(time.time()) - ago), task)


def test_sweep_records_a_lapse_once_and_deletes_after_a_day(world: World) -> None:
    """R-G3: 24 h by default; the file is not edited; a second sweep finds nothing; nothing is claimed or renewed."""
    bare = world.origin()
    clone = world.clone("clone")
    lapse(clone, 86_400 + 60)
    lapse(clone, 86_400 + 300, DOCS)
    before = clone.read(clone.task_path(DOCS))
    dry = clone.json("sweep", "--dry-run")
    assert [one["task"] for one in dry["swept"]] == [DOCS] and dry["dry_run"] is True
    assert bare.record(DOCS) is not None and clone.events() == []
    found = clone.json("sweep")
    assert [one["task"] for one in found["swept"]] == [DOCS]
    assert [(one["task"], one["why"]) for one in found["kept"]] == [(AUTH, "lapsed lately")]
    assert bare.record(DOCS) is None and bare.held().holder == BOB
    assert clone.read(clone.task_path(DOCS)) == before
    assert clone.json("sweep")["swept"] == []
    assert len(clone.events("task.lapsed")) == len(clone.events("task.lapsed", DOCS)) == 1


def test_a_renewal_that_landed_first_survives_the_sweep(world: World) -> None:
    """R-G3, R-C1: the deletion is leased on the object that was judged."""
    bare = world.origin()
    clone = world.clone("clone")
    lapse(clone, 90_000)
    fresh = bare.put(claim_text(AUTH, BOB, int(time.time()) + 1800))
    bare.put(clone.held().text)
    clone.git("config", "remote.origin.receivepack", _after(world, bare, fresh))
    found = clone.json("sweep")
    assert found["swept"] == [] and [one["why"] for one in found["kept"]] == ["moved meanwhile"]
    assert bare.oid(ids.claim_ref(AUTH)) == fresh


def _after(world: World, bare: Clone, fresh: str) -> str:
    """A receiving end that meets a renewal in the very moment before it begins."""
    text = (
        f'#!/bin/sh\ngit --git-dir={bare.path} update-ref {ids.claim_ref(AUTH)} {fresh}\nexec git-receive-pack "$@"\n'
    )
    return str(world.script("receive", text))


def test_a_completion_waits_for_an_origin_that_is_away(world: World) -> None:
    """R-C3, R-C7: said with the verb, pushed by whatever comes next; the claim does not stay on origin."""
    bare = world.origin()
    clone = world.clone("clone")
    clone.tenure("claim", AUTH)
    away(clone)
    said = clone.tenure("done", *PROOF)
    assert f"warning: the completion of {AUTH} is in this clone only: origin could not be reached" in said.err
    assert isinstance(bare.record(), Claim) and clone.json("status")["pending"] == 1
    back(clone)
    clone.tenure("status")
    wait("the completion on origin", lambda: isinstance(bare.record(), Completion))


def test_done_after_a_take_over_is_lost_and_says_what_stands(world: World) -> None:
    """R-C7, R-L6: 4 naming the new holder; nothing is written here or there."""
    bare = world.origin()
    ours = world.clone("ours")
    ours.tenure("claim", AUTH)
    theirs = bare.put(claim_text(AUTH, BOB, int(time.time()) + 900, "b" * 32, generation=2))
    said = ours.tenure("done", *PROOF, exits=4)
    assert BOB in said.err and said.out == ""
    assert bare.oid(ids.claim_ref(AUTH)) == theirs and ours.status_of() == "in_progress"


def test_a_take_over_in_the_very_moment_of_done_is_told_with_what_was_changed(world: World) -> None:
    """R-C7: the file was written by then; the refusal says so."""
    bare = world.origin()
    ours = world.clone("ours")
    ours.tenure("claim", AUTH, **QUIET)
    theirs = bare.put(claim_text(AUTH, BOB, int(time.time()) + 900, "b" * 32, generation=2))
    bare.put(ours.held().text)
    ours.git("config", "remote.origin.receivepack", _after(world, bare, theirs))
    said = ours.tenure("done", *PROOF, exits=4).err
    assert BOB in head_of(said) and "this tree's file says done, and nothing on origin was changed" in head_of(said)
    assert bare.held().holder == BOB
    assert Path(ours.path, ours.task_path()).read_text().count("status: done") == 1
    assert instants.text_of(bare.held().expires) in bare.held().text
