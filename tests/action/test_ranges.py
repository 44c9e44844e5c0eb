"""Which commits an event brings: pushes, new and forced branches, merge queues, payloads and histories that are cut."""

from __future__ import annotations

from action.world import FILE, SOFT, TASK, ZERO, World, task_file


def test_a_push_to_a_branch_is_judged_from_before_to_after(world: World) -> None:
    """R-G1"""
    base = world.start(TASK)
    world.claim()
    middle = world.commit({"a": "1"})
    head = world.commit({FILE: task_file(TASK, SOFT)})
    world.push("topic")
    assert world.pushed(middle, head, world.checkout(head), "topic").outputs["result"] == "refused"
    assert world.pushed(base, middle, world.checkout(middle), "topic").outputs["result"] == "ok"


def test_a_new_branch_is_judged_against_the_default_branch(world: World) -> None:
    """R-G1: and the same after it was merged there."""
    world.start(TASK)
    world.claim()
    head = world.commit({FILE: task_file(TASK, SOFT)})
    world.push("topic")
    assert world.pushed(ZERO, head, world.checkout(head), "topic").outputs["result"] == "refused"
    world.git("checkout", "-q", "-B", "main", "origin/main")
    world.git("merge", "-q", "--no-ff", "-m", "merge", head)
    world.push()
    assert world.pushed(ZERO, head, world.checkout(head), "topic").outputs["result"] == "refused"


def test_what_a_merge_brings_from_the_default_branch_is_not_blamed_on_the_push(world: World) -> None:
    """R-F3: it was judged there."""
    base = world.start(TASK)
    world.claim()
    topic = world.commit({"a": "1"})
    world.git("checkout", "-q", "-b", "other", base)
    world.commit({FILE: task_file(TASK, SOFT)})
    world.push()
    world.git("checkout", "-q", "--detach", topic)
    world.git("merge", "-q", "-m", "merge", "other")
    head = world.git("rev-parse", "HEAD")
    world.push("topic")
    assert world.pushed(topic, head, world.checkout(head), "topic").outputs["result"] == "ok"


def test_a_forced_push_whose_old_tip_is_gone_is_judged_from_the_default_branch(world: World) -> None:
    """R-G1"""
    world.start(TASK)
    world.claim()
    head = world.commit({FILE: task_file(TASK, SOFT)})
    world.push("topic")
    assert world.pushed("e" * 40, head, world.checkout(head), "topic").outputs["result"] == "refused"


def test_a_tag_a_deleted_branch_and_a_new_default_branch_leave_nothing_to_judge(world: World) -> None:
    """R-G1: green, because nothing went unjudged."""
    base = world.start(TASK)
    for before, after, ref in (
        (ZERO, base, "refs/tags/v1"),
        (base, ZERO, "refs/heads/topic"),
        (ZERO, base, "refs/heads/main"),
    ):
        ran = world.pushed(before, after, None, more={"GITHUB_REF": ref})
        assert (ran.code, ran.outputs["result"]) == (0, "ok"), ran.log
        assert len(ran.lines) == 1


def test_a_merge_group_is_judged_like_a_change(world: World) -> None:
    """R-G5"""
    base = world.start(TASK)
    world.claim()
    head = world.commit({FILE: task_file(TASK, SOFT)})
    world.push("gh-readonly-queue/main/pr-7")
    payload = {
        "merge_group": {"base_sha": base, "head_sha": head, "base_ref": "refs/heads/main"},
        "repository": {"default_branch": "main"},
    }
    assert world.run("merge_group", payload, world.checkout(head)).outputs["result"] == "refused"


def test_an_empty_pull_request_payload_is_judged_by_the_refs(world: World) -> None:
    """R-G5"""
    world.start(TASK)
    world.claim()
    head = world.commit({FILE: task_file(TASK, SOFT)})
    world.push("topic")
    world.git("update-ref", "refs/pull/7/head", head, cwd=world.bare)
    more = {"GITHUB_REF": "refs/pull/7/merge", "GITHUB_BASE_REF": "main"}
    ran = world.run("pull_request", {}, world.checkout(head), more=more)
    assert ran.outputs["result"] == "refused", ran.log


def test_guard_named_on_an_event_without_a_range_is_not_green_in_silence(world: World) -> None:
    """R-G5"""
    world.start(TASK)
    ran = world.planned(None, mode="guard")
    assert ran.outputs["result"] == "unverified"
    assert len(ran.annotations("warning")) == 1


def test_a_history_that_stays_cut_is_judged_by_what_the_test_merge_changes_and_says_so(world: World) -> None:
    """R-G5: origin itself is shallow here."""
    base = world.start(TASK)
    world.claim()
    world.commit({"a": "1"})
    head = world.commit({FILE: task_file(TASK, SOFT)})
    world.git("checkout", "-q", "--detach", base)
    tip = world.commit({"b": "1"})
    world.push()
    world.git("merge", "-q", "--no-ff", "-m", "test merge", head)
    merge = world.git("rev-parse", "HEAD")
    world.git("push", "-q", "origin", f"{merge}:refs/pull/7/merge", f"{head}:refs/pull/7/head")
    (world.bare / "shallow").write_text(f"{tip}\n{head}\n")
    ran = world.pull_request(tip, head, world.checkout(merge), more={"GITHUB_SHA": merge})
    assert ran.outputs["result"] == "refused", ran.log
    assert "only its two ends were compared" in ran.summary
