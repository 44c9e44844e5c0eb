"""Guard and contest, whole: a server, a shallow checkout, the Action as the runner starts it."""

from __future__ import annotations

import time

import pytest

from action.world import FILE, FROZEN, OTHER, SOFT, TASK, World, task_file
from tenure.model import event, record
from tenure.model.record import Claim


def test_an_edit_of_a_frozen_criterion_fails_the_step_on_its_line(world: World) -> None:
    """R-G4, R-F1: in a checkout of depth 1, with the token handed in."""
    base = world.start(TASK)
    world.claim()
    for number in range(3):
        world.commit({"src/x.py": f"{number}\n"})
    head = world.commit({FILE: task_file(TASK, SOFT)})
    world.push("topic")
    ran = world.pull_request(base, head, world.checkout(head))
    assert ran.code == 1, ran.log + ran.errors
    [line] = ran.annotations("error")
    assert line.startswith(
        f"::error file={FILE},line=13,title=TASK-820d%3A done criterion changed while claimed::Frozen "
    )
    assert "%0A- every session token is opaque%0A+ most session tokens are opaque%0A" in line
    assert ran.outputs["result"] == "refused"
    [row] = ran.rows("frozen-edits")
    assert (row["task"], row["commit"], row["holder"]) == (TASK, head, "human:marie")
    assert ran.summary.startswith("## tenure: refused: 1 frozen criterion edited")
    assert ran.outputs["live-claims"] == "1"


def test_a_clean_pull_request_gets_one_line_and_nothing_else(world: World) -> None:
    """R-G6"""
    base = world.start(TASK)
    world.claim()
    head = world.commit({"docs/x.md": "x\n", FILE: task_file(TASK, version=3)})
    world.push("topic")
    ran = world.pull_request(base, head, world.checkout(head))
    assert ran.code == 0, ran.errors
    assert ran.lines == ["tenure: ok: no frozen criterion edited, nothing contested"]
    assert ran.errors == ""
    assert ran.outputs["result"] == "ok"
    assert ran.outputs["contested"] == ran.outputs["frozen-edits"] == ran.outputs["pruned"] == "[]"


def test_the_checkout_is_left_as_it_was(world: World) -> None:
    """R-G5: not one ref, not one setting, not the list of shallow commits; claims onto no live ref."""
    base = world.start(TASK)
    world.claim()
    head = world.commit({FILE: task_file(TASK, SOFT)})
    world.push("topic")
    place = world.checkout(head)
    before = {path: path.read_bytes() for path in (place / ".git").rglob("*") if path.is_file()}
    assert world.pull_request(base, head, place).code == 1
    assert {path: path.read_bytes() for path in (place / ".git").rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("depth", [2, None])
def test_deeper_checkouts_and_none_at_all_give_the_same_verdict(world: World, depth: int | None) -> None:
    """R-G5: a recipe may check out nothing."""
    base = world.start(TASK)
    world.claim()
    world.commit({"a": "1"})
    head = world.commit({FILE: task_file(TASK, SOFT)})
    world.push("topic")
    assert world.pull_request(base, head, world.checkout(head, depth)).outputs["result"] == "refused"
    assert world.pull_request(base, head, None, name="pull_request_target").outputs["result"] == "refused"


def test_the_same_pull_request_is_judged_the_same_after_the_lease_lapsed(world: World) -> None:
    """R-F2, R-G4: a verdict does not change by waiting."""
    base = world.start(TASK)
    world.claim()
    head = world.commit({FILE: task_file(TASK, SOFT)})
    world.push("topic")
    first = world.pull_request(base, head, None)
    world.claim(ends=-3600, began=-7000)
    second = world.pull_request(base, head, None)
    assert (first.code, first.outputs["result"]) == (second.code, second.outputs["result"]) == (1, "refused")


def test_a_contest_is_a_warning_and_one_event(world: World) -> None:
    """R-K1, R-K2, R-G4: nothing is blocked; judged again it stays one."""
    base = world.start(TASK)
    world.claim()
    head = world.commit({FILE: task_file(TASK, status="done", version=3)}, agent="claude-code/opus-5+b")
    world.push("topic")
    ran = world.pull_request(base, head, world.checkout(head))
    assert ran.code == 0, ran.log
    [line] = ran.annotations("warning")
    assert line.startswith(f"::warning file={FILE},line=8,title=TASK-820d is held by human%3Amarie::This change sets ")
    assert "in_progress -> done" in line
    assert ran.outputs["result"] == "ok"
    [row] = ran.rows("contested")
    assert (row["task"], row["holder"], row["actor"], row["from"], row["to"]) == (
        TASK, "human:marie", "claude-code/opus-5+b", "in_progress", "done",
    )  # fmt: skip
    assert [event["type"] for event in world.events()] == ["task.contested"]
    world.pull_request(base, head, world.checkout(head))
    assert len(world.events()) == 1


@pytest.mark.parametrize(
    ("fail_on", "code", "result"), [("warning", 1, "refused"), ("none", 0, "ok"), ("error", 0, "ok")]
)
def test_fail_on_says_what_a_contest_does(world: World, fail_on: str, code: int, result: str) -> None:
    """R-G7"""
    base = world.start(TASK)
    world.claim()
    head = world.commit({FILE: task_file(TASK, status="done")}, agent="x/1")
    world.push("topic")
    ran = world.pull_request(base, head, None, fail_on=fail_on)
    assert (ran.code, ran.outputs["result"]) == (code, result)


def test_fail_on_none_tells_a_frozen_edit_and_passes(world: World) -> None:
    """R-G7: `result` says what was found, whether or not the step fails."""
    base = world.start(TASK)
    world.claim()
    head = world.commit({FILE: task_file(TASK, SOFT)})
    world.push("topic")
    ran = world.pull_request(base, head, None, fail_on="none")
    assert (ran.code, ran.outputs["result"]) == (0, "refused")
    assert len(ran.annotations("error")) == 1


def test_a_single_mode_does_only_its_own(world: World) -> None:
    """R-G1: each can be named."""
    base = world.start(TASK)
    world.claim()
    head = world.commit({FILE: task_file(TASK, SOFT, status="done")}, agent="x/1")
    world.push("topic")
    guard = world.pull_request(base, head, None, mode="guard")
    assert (len(guard.rows("frozen-edits")), len(guard.rows("contested"))) == (1, 0)
    contest = world.pull_request(base, head, None, mode="contest")
    assert (len(contest.rows("frozen-edits")), len(contest.rows("contested"))) == (0, 1)
    assert contest.code == 0


def test_an_input_that_cannot_be_read_ends_the_step_before_anything_is_done(world: World) -> None:
    """R-G7"""
    base = world.start(TASK)
    ran = world.pull_request(base, base, None, dry_run="yes")
    assert (ran.code, ran.outputs["result"]) == (1, "unverified")
    assert "input dry-run" in ran.annotations("error")[0]


def test_an_overlap_with_somebody_elses_claim_is_one_line_in_the_summary(world: World) -> None:
    """R-K5: and no annotation."""
    base = world.start(TASK, OTHER)
    world.claim()
    world.claim(OTHER, holder="x/1")
    head = world.commit({"src/auth/token.py": "x\n"}, agent="x/1")
    world.push("topic")
    ran = world.pull_request(base, head, None)
    assert len(ran.lines) == 1
    assert "1 claim overlaps, first: TASK-820d259af6a7, held by human:marie, until " in ran.summary


def test_the_holders_own_change_overlaps_with_nobody(world: World) -> None:
    """R-K5, R-K3: told by the e-mail that the feed saw with the claim, as for a human without trailers."""
    base = world.start(TASK)
    text = world.git("cat-file", "blob", world.claim(holder="human:ada"), cwd=world.bare)
    claim = record.parse(f"refs/ank/claims/{TASK}", f"{text}\n".encode())
    assert isinstance(claim, Claim)
    world.tell(event.of_claim("task.claimed", claim, event.Act("human:ada", claim.claimed, "ada@example.org")))
    head = world.commit({"src/auth/token.py": "x\n"})
    world.push("topic")
    assert "overlap" not in world.pull_request(base, head, None).summary
    head = world.commit({"src/auth/token.py": "y\n"}, agent="x/1")
    world.push("topic")
    assert "overlap" not in world.pull_request(base, head, None).summary
    world.git("reset", "-q", "--soft", base)
    world.git("commit", "-q", "-m", "all", env={"GIT_AUTHOR_EMAIL": "eve@example.org"})
    world.push("topic")
    ran = world.pull_request(base, world.git("rev-parse", "HEAD"), None)
    assert "1 claim overlaps, first: TASK-820d259af6a7, held by human:ada, until " in ran.summary


def test_a_scope_is_read_below_the_folder_of_its_corpus(world: World) -> None:
    """R-K5, §Names: `src/auth/**` of services/api is not that of the top."""
    world.start()
    base = world.commit({f"services/api/.ank/entities/{TASK}.md": task_file(TASK)})
    world.push()
    world.claim()
    for path, overlaps in (("src/auth/token.py", False), ("services/api/src/auth/token.py", True)):
        head = world.commit({path: "x\n"}, agent="x/1")
        world.push("topic")
        ran = world.pull_request(base, head, None)
        assert ("1 claim overlaps" in ran.summary) is overlaps


def test_a_record_that_cannot_be_read_is_said_and_hides_no_other(world: World) -> None:
    """R-C8, R-G5: unverified, not red."""
    base = world.start(TASK, OTHER)
    world.put(OTHER, "garbage")
    head = world.commit({f".ank/entities/{OTHER}.md": task_file(OTHER, SOFT)})
    world.push("topic")
    ran = world.pull_request(base, head, None)
    assert (ran.code, ran.outputs["result"]) == (0, "unverified"), ran.log
    assert len(ran.annotations("warning")) == 1
    world.claim()
    head = world.commit({FILE: task_file(TASK, SOFT)})
    world.push("topic")
    assert world.pull_request(base, head, None).outputs["result"] == "refused"


def test_the_frozen_text_is_known_by_its_hash() -> None:
    """The constant of these tests."""
    assert FROZEN.endswith("\n")
    assert int(time.time()) > 0


def test_sixty_edits_are_ten_annotations_and_all_are_told_elsewhere(world: World) -> None:
    """R-G6: ten errors, the last counts the rest; log, summary and outputs have them all."""
    tasks = [f"TASK-{number:012x}" for number in range(60)]
    base = world.start(*tasks)
    for task in tasks:
        world.claim(task, holder="eve ::error::x")
    head = world.commit({f".ank/entities/{task}.md": task_file(task, SOFT) for task in tasks})
    world.push("topic")
    ran = world.pull_request(base, head, None)
    assert len(ran.annotations("error")) == 10
    assert ran.annotations("error")[-1].endswith("::51 more, see the summary")
    assert len(ran.rows("frozen-edits")) == 60
    assert ran.summary.count("tenure criteria restore") == 60
    assert len([line for line in ran.lines if line.startswith("error: TASK-")]) == 51
    assert len([line for line in ran.lines if line.startswith("::stop-commands::")]) == 1
