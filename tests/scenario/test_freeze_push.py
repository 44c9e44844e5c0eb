"""The full gate: what bypasses pre-commit is caught at push, by the state of the tip (R-F1 to R-F3, R-H1)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from scenario.kit import picture
from support import ADA, AUTH, BOB, CRITERION, DOCS, FROZEN, Clone, World, claim_text
from tenure.model import ids

PATH = f".ank/entities/{AUTH}.md"
QUIET: dict[str, Any] = {"TENURE_NO_BACKGROUND": "1"}


def claimed(world: World) -> tuple[Clone, Clone]:
    """A bare origin and a clone with hooks, where Ada holds AUTH; the claim's own edit is on origin."""
    bare = world.origin()
    clone = world.clone("clone").hooks()
    clone.tenure("claim", AUTH)
    clone.commit("Take it", **QUIET)
    clone.git("push", "-q", "origin", "main", **QUIET)
    return bare, clone


def must_refuse(bare: Clone, clone: Clone, *words: str, agent: str = ADA) -> str:
    """The push fails, nothing lands, the clone's refs, index and files stay."""
    before, there = picture(clone), picture(bare)
    said = clone.git("push", "-q", "origin", *(words or ("HEAD",)), agent=agent, exits=1, **QUIET).err
    assert "tenure: refused: " in said.splitlines()[0], said
    assert picture(bare) == there
    assert picture(clone) == before
    return said


def soft_commit(clone: Clone, branch: str) -> None:
    """A commit on a branch of its own that softens, made past pre-commit."""
    clone.git("checkout", "-q", "-b", branch)
    clone.soften()
    clone.commit("Soften", "--no-verify")


def _no_verify(clone: Clone) -> None:
    clone.soften()
    clone.commit("Soften", "--no-verify")


def _amend(clone: Clone) -> None:
    clone.touch()
    clone.commit("Work", **QUIET)
    clone.soften()
    clone.commit("Work", "--amend", "--no-verify")


def _rebase(clone: Clone) -> None:
    soft_commit(clone, "side")
    clone.git("checkout", "-q", "main")
    clone.write("other.txt", "main\n")
    clone.commit("Main", **QUIET)
    clone.git("rebase", "-q", "main", "side", **QUIET)


def _cherry_pick(clone: Clone) -> None:
    soft_commit(clone, "side")
    clone.git("checkout", "-q", "main")
    clone.git("cherry-pick", "side", TENURE="0")


def _merge(clone: Clone) -> None:
    soft_commit(clone, "side")
    clone.git("checkout", "-q", "main")
    clone.git("merge", "-q", "--no-ff", "-m", "Merge", "side", TENURE="0")


def _am(clone: Clone) -> None:
    soft_commit(clone, "side")
    patch = clone.git("format-patch", "-1", "--stdout").out
    clone.git("checkout", "-q", "main")
    clone.world.run(["git", "am", "-q"], clone.path, stdin=patch, TENURE_NO_BACKGROUND="1")


def _revert(clone: Clone) -> None:
    clone.git("rm", "-q", PATH)
    clone.commit("Away", "--no-verify")
    clone.git("checkout", "-q", "-b", "on")
    clone.write("other.txt", "on\n")
    clone.commit("Work", **QUIET)


@pytest.mark.parametrize("way", [_no_verify, _amend, _rebase, _cherry_pick, _merge, _am, _revert])
def test_what_went_past_pre_commit_is_refused_at_push(world: World, way: Callable[[Clone], None]) -> None:
    """R-H1, R-F1: --no-verify, amend, rebase, cherry-pick, merge, am, and a commit on top of a deletion."""
    bare, clone = claimed(world)
    way(clone)
    said = must_refuse(bare, clone, "HEAD:refs/heads/work")
    assert f"tenure: refused: {AUTH}: " in said and "refs/heads/work) [R-F1]" in said.splitlines()[0]


def test_the_pushed_tip_decides(world: World) -> None:
    """R-F1: an edit that is restored within the same push passes; the refusal's own way out leads there."""
    bare, clone = claimed(world)
    _no_verify(clone)
    must_refuse(bare, clone)
    clone.tenure("criteria", "restore", "820d")
    clone.commit("Restore", **QUIET)
    clone.git("push", "-q", "origin", "HEAD", **QUIET)
    assert CRITERION in bare.git("show", f"main:{PATH}").out


def test_every_ref_of_a_push_is_judged(world: World) -> None:
    """R-H1: not only the first line: a branch behind a clean one, an annotated tag, --all; a deletion passes."""
    bare, clone = claimed(world)
    clone.git("checkout", "-q", "-b", "clean")
    clone.write("other.txt", "clean\n")
    clone.commit("Clean", **QUIET)
    soft_commit(clone, "soft")
    clone.git("tag", "-a", "v1", "-m", "v1")
    must_refuse(bare, clone, "clean", "soft")
    must_refuse(bare, clone, "v1")
    must_refuse(bare, clone, "--all")
    clone.git("push", "-q", "origin", "clean", **QUIET)
    clone.git("push", "-q", "origin", ":clean", **QUIET)
    assert bare.oid("refs/heads/clean") is None and bare.oid("refs/heads/soft") is None


def test_what_origin_holds_already_is_not_refused_again(world: World) -> None:
    """R-F3: an edit that is on origin is not brought by this push, also not to another branch."""
    bare, clone = claimed(world)
    _no_verify(clone)
    clone.git("push", "-q", "--no-verify", "origin", "main")
    clone.write("other.txt", "x\n")
    clone.commit("On top", **QUIET)
    clone.git("push", "-q", "origin", "HEAD:refs/heads/other", **QUIET)
    assert bare.oid("refs/heads/other") == clone.head()


def test_a_merge_is_blamed_only_for_what_differs_from_every_parent(world: World) -> None:
    """R-F3: merging what origin holds brings no edit; an edit made in the merge itself does."""
    bare, clone = claimed(world)
    other = world.clone("other")
    other.soften()
    other.commit("Soften, without hooks", agent=BOB)
    other.git("push", "-q", "origin", "HEAD:refs/heads/theirs")
    clone.git("fetch", "-q")
    clone.git("merge", "-q", "--no-ff", "-m", "Merge theirs", "origin/theirs", TENURE="0")
    clone.git("push", "-q", "origin", "HEAD:refs/heads/merged", **QUIET)
    assert bare.oid("refs/heads/merged") == clone.head()
    clone.git("checkout", "-q", "-b", "evil", "HEAD~1")
    clone.git("merge", "-q", "--no-ff", "--no-commit", "origin/theirs", exits=None, TENURE="0")
    clone.soften(text="My own text")
    clone.commit("Evil merge", "--no-verify")
    must_refuse(bare, clone)


def test_a_commit_from_before_the_claim_by_somebody_else_is_said(world: World) -> None:
    """R-F3: committer date before `claimed`, and not by the holder: said; by the holder: refused."""
    bare = world.origin()
    clone = world.clone("clone").hooks()
    clone.git("checkout", "-q", "-b", "old")
    clone.soften()
    date: dict[str, Any] = {"GIT_COMMITTER_DATE": "2026-02-01T10:00:00Z"}
    bob: dict[str, Any] = {"GIT_AUTHOR_EMAIL": "bob@example.org", "GIT_COMMITTER_EMAIL": "bob@example.org"}
    clone.commit("Soften, long ago", **date, **bob)
    clone.git("checkout", "-q", "main")
    clone.tenure("claim", AUTH)
    clone.git("checkout", "-q", "-f", "old")
    said = clone.git("push", "-q", "origin", "old", **QUIET).err
    assert f"tenure: {AUTH}: its done criterion was changed while it is claimed; not refused: " in said
    assert "committed before the claim, by git:bob@example.org [R-F3]" in said
    clone.git("push", "-q", "origin", ":old", **QUIET)
    clone.git("commit", "-q", "--amend", "--reset-author", "--no-edit", "--no-verify", **date)
    must_refuse(bare, clone, "old")


def test_verify_tells_what_the_push_would_be_told(world: World) -> None:
    """R-F1, R-F2: exit 8 with the edit, over what a push would send and over a range; it writes nothing."""
    _, clone = claimed(world)
    assert clone.json("verify")["verdict"] == "ok"
    _no_verify(clone)
    before = picture(clone, feed=True)
    for words in ((), ("HEAD~1..HEAD",)):
        found = clone.json("verify", *words, exits=8)
        assert found["verdict"] == "refused"
        assert [(one["task"], one["path"], one["commit"], one["holder"]) for one in found["edits"]] == [
            (AUTH, PATH, clone.head(), ADA)
        ]
    assert picture(clone, feed=True) == before


def test_a_finished_task_is_kept_by_the_proof_in_the_base(world: World) -> None:
    """R-F2: `verify BASE..HEAD` reads the proof in the base, a push in the parent; no claim is needed."""
    bare, clone = claimed(world)
    clone.tenure("done", "--proof", "assertion:it works")
    clone.commit("Done", **QUIET)
    clone.git("push", "-q", "origin", "main", **QUIET)
    clone.tenure("check")
    assert bare.record() is None
    base = clone.head()
    clone.tenure("claim", DOCS)
    _no_verify(clone)
    must_refuse(bare, clone)
    assert clone.json("verify", f"{base}..HEAD", exits=8)["edits"][0]["holder"] is None


def test_a_proof_that_is_put_right_within_the_same_push_passes(world: World) -> None:
    """R-F1, R-F2: the tip decides, however often it was spoiled on the way; put right, it stays frozen."""
    bare, clone = claimed(world)
    clone.tenure("done", "--proof", "assertion:it works")
    clone.commit("Done", **QUIET)
    clone.git("push", "-q", "origin", "main", **QUIET)
    clone.tenure("claim", DOCS)
    done = clone.read(PATH)
    spoiled = done.replace(f"criteria: {FROZEN}", "criteria: e3b0c44298fc")
    assert spoiled != done

    def commit(text: str) -> None:
        clone.write(PATH, text)
        clone.commit("One more state", "--no-verify")

    commit(spoiled)
    must_refuse(bare, clone)
    commit(spoiled.replace("e3b0c44298fc", "aaaaaaaaaaaa"))
    must_refuse(bare, clone)
    commit(done)
    commit(done.replace(CRITERION, "Anything\n"))
    must_refuse(bare, clone)
    clone.tenure("criteria", "restore", "820d")
    clone.commit("Back", **QUIET)
    clone.git("push", "-q", "origin", "main", **QUIET)
    assert bare.git("rev-parse", "main").out == clone.git("rev-parse", "HEAD").out


def test_reverting_the_commit_that_finished_a_task_is_let_through(world: World) -> None:
    """R-F2: the task is open again, its criterion whole; softened in the same push it is refused."""
    bare, clone = claimed(world)
    clone.tenure("done", "--proof", "assertion:it works")
    clone.commit("Done", **QUIET)
    clone.git("push", "-q", "origin", "main", **QUIET)
    clone.tenure("check")
    clone.tenure("claim", DOCS)
    clone.git("checkout", "-q", "--", ".ank")
    clone.git("revert", "--no-edit", "HEAD", **QUIET)
    reverted = clone.head()
    assert "status: in_progress" in clone.read(PATH)
    _no_verify(clone)
    must_refuse(bare, clone)
    clone.git("reset", "-q", "--hard", reverted, **QUIET)
    clone.git("push", "-q", "origin", "main", **QUIET)
    assert bare.oid("refs/heads/main") == reverted


def guard(clone: Clone, *specs: str, exits: int, agent: str = ADA) -> str:
    return clone.git("push", "-q", "origin", *specs, exits=exits, agent=agent, **QUIET).err


def test_the_guard_keeps_other_peoples_live_claims_from_a_push_by_hand(world: World) -> None:
    """R-H1: replacing or deleting a readable live record of another holder, writing garbage, sweeping along."""
    bare = world.origin()
    clone = world.clone("clone").hooks()
    now, ref = int(time.time()), ids.claim_ref(AUTH)
    theirs = clone.share(claim_text(AUTH, BOB, now + 900))
    mine = clone.put(claim_text(AUTH, ADA, now + 900))
    said = guard(clone, f"+{mine}:{ref}", exits=1)
    assert said.splitlines()[0] == f"tenure: refused: this push would replace {ref}, a live claim of {BOB} [R-H1]"
    assert f"this push would delete {ref}, a live claim of {BOB}" in guard(clone, f":{ref}", exits=1)
    assert bare.oid(ref) == theirs
    docs = ids.claim_ref(DOCS)
    garbage = clone.world.run(["git", "hash-object", "-w", "--stdin"], clone.path, stdin="garbage\n").out.strip()
    assert "no readable record of human:ada" in guard(clone, f"{garbage}:{docs}", exits=1)
    other = clone.put(claim_text(DOCS, BOB, now + 900), DOCS)
    assert "no readable record of human:ada" in guard(clone, f"{other}:{docs}", exits=1)
    said = guard(clone, "refs/*:refs/*", exits=1)
    assert "sweeps claim refs along" in said
    assert bare.git("for-each-ref", "refs/ank").out.split() == [theirs, "blob", ref]


def test_the_guard_lets_pass_what_is_ones_own_and_what_nobody_can_read(world: World) -> None:
    """R-H1: ank's own pushes, a lapsed record of somebody else, the deletion of garbage; unknown objects warn."""
    bare = world.origin()
    clone = world.clone("clone").hooks()
    now, ref = int(time.time()), ids.claim_ref(AUTH)
    mine = clone.put(claim_text(AUTH, ADA, now + 900, token=None))
    guard(clone, f"{mine}:{ref}", exits=0)
    guard(clone, f":{ref}", exits=0)
    clone.share(claim_text(AUTH, BOB, now - 900))
    guard(clone, f"+{mine}:{ref}", exits=0)
    bare.put("garbage\n")
    clone.git("update-ref", "-d", ids.mirror_ref(AUTH))
    assert "not judged" in guard(clone, f":{ref}", exits=0)
    assert bare.oid(ref) is None
    unknown = bare.put(claim_text(AUTH, BOB, now + 900))
    clone.mirrored()
    assert "a live claim of human:bob" in guard(clone, f":{ref}", exits=1)
    assert bare.oid(ref) == unknown
