"""Prune, sweep and report, whole: a server, a run, and the server's refs before and after."""

from __future__ import annotations

import re
import time

import pytest

from action.world import OTHER, TASK, World, task_file
from tenure.model import record
from tenure.model.record import Completion

DAY = 86_400
CLAIMS = "refs/ank/claims/"


def finish(world: World, *tasks: str, status: str = "done", agent: str = "human:marie") -> tuple[str, str]:
    """The default branch says that these are done; the commits before and after."""
    before = world.git("rev-parse", "HEAD")
    after = world.commit({f".ank/entities/{task}.md": task_file(task, status=status) for task in tasks}, agent=agent)
    world.push()
    return before, after


@pytest.mark.parametrize("status", ["done", "closed"])
def test_a_push_to_the_default_branch_prunes_what_it_finished(world: World, status: str) -> None:
    """R-G1, R-G2: the commit that the completion names is nowhere; another task's record stays."""
    world.start(TASK, OTHER)
    world.completion(TASK)
    world.completion(OTHER)
    before, after = finish(world, TASK, status=status)
    ran = world.pushed(before, after, world.checkout(after))
    assert ran.code == 0, ran.log + ran.errors
    assert set(world.refs(below=CLAIMS)) == {CLAIMS + OTHER}
    [row] = ran.rows("pruned")
    assert (row["task"], row["state"]) == (TASK, "completed")
    assert [event["type"] for event in world.events()] == ["task.pruned"]
    assert ran.log == "tenure: ok: no frozen criterion edited, nothing contested, 1 pruned\n"
    assert "<summary>1 pruned</summary>" in ran.summary


def test_a_second_run_finds_nothing_to_do(world: World) -> None:
    """R-G2, R-G3: idempotent, and not one push."""
    world.start(TASK, OTHER)
    world.completion(TASK)
    world.claim(OTHER, ends=-3 * DAY, began=-4 * DAY)
    finish(world, TASK)
    first = world.planned(None)
    assert (len(first.rows("pruned")), len(first.rows("swept"))) == (1, 1), first.log
    refs, pushes = world.refs(), world.server.pushes
    second = world.planned(None)
    assert second.rows("pruned") == second.rows("swept") == []
    assert second.log == "tenure: ok: nothing to do\n"
    assert world.refs() == refs
    assert world.server.pushes == pushes


def test_a_dry_run_of_everything_moves_no_ref(world: World) -> None:
    """R-G6: compared ref by ref; it tells what would go."""
    world.start(TASK, OTHER)
    world.completion(TASK)
    world.claim(OTHER, ends=-3 * DAY, began=-4 * DAY)
    _, after = finish(world, TASK)
    place = world.checkout(after)
    refs, pushes, here = world.refs(), world.server.pushes, world.refs(place)
    ran = world.planned(place, dry_run="true")
    assert world.refs() == refs
    assert world.refs(place) == here
    assert world.server.pushes == pushes
    assert [row["task"] for row in ran.rows("pruned")] == [TASK]
    assert [row["task"] for row in ran.rows("swept")] == [OTHER]
    assert "1 would be pruned" in ran.summary
    assert "dry run: nothing was written anywhere" in ran.summary
    real = world.planned(place)
    assert real.rows("pruned") == ran.rows("pruned")
    assert real.rows("swept") == ran.rows("swept")


def test_a_lapsed_claim_is_recorded_once_and_swept_after_its_time(world: World) -> None:
    """R-G3: the feed keeps the whole record; the task file is not edited."""
    world.start(TASK)
    world.claim(ends=-3600, began=-7200)
    early = world.planned(None)
    assert early.rows("swept") == []
    assert CLAIMS + TASK in world.refs()
    [event] = world.events()
    assert event["type"] == "task.lapsed"
    assert "holder: human:marie" in event["record"]
    later = world.planned(None, sweep_after="30m")
    assert [row["task"] for row in later.rows("swept")] == [TASK]
    assert CLAIMS + TASK not in world.refs()
    assert len([event for event in world.events() if event["type"] == "task.lapsed"]) == 1
    assert later.outputs["live-claims"] == "0"


def test_a_live_claim_and_an_unknown_task_are_not_touched(world: World) -> None:
    """R-G2, R-G3"""
    world.start(TASK)
    world.claim(TASK)
    world.claim(OTHER)
    refs = world.refs()
    ran = world.planned(None)
    assert world.refs() == refs
    assert ran.outputs["live-claims"] == "2"


def test_a_claim_of_a_finished_task_goes_after_its_contest_is_recorded(world: World) -> None:
    """R-G2, R-K1: also when no push told of it, from a shallow checkout."""
    world.start(TASK)
    world.claim()
    _, after = finish(world, TASK, agent="x/1")
    for number in range(5):
        after = world.commit({"a": str(number)})
    world.push()
    ran = world.planned(world.checkout(after))
    assert [row["state"] for row in ran.rows("pruned")] == ["claim"], ran.log + ran.errors
    actors = {event["type"]: event["actor"] for event in world.events()}
    assert actors == {"task.contested": "x/1", "task.pruned": "process:github-actions"}


def test_a_record_that_moved_is_kept(world: World) -> None:
    """R-G2: a renewal or another completion that lands between reading and deleting wins."""
    world.start(TASK, OTHER)
    old = world.completion(TASK)
    world.completion(OTHER)
    finish(world, TASK, OTHER)
    new = record.emit_completion(Completion(TASK, "d" * 40, "again", "human:eve", int(time.time())))
    oid = world.git("hash-object", "-w", "--stdin", cwd=world.bare, stdin=new)
    hook = world.bare / "hooks" / "pre-receive"
    move = f"git update-ref refs/ank/claims/{TASK} {oid} {old} 2>/dev/null\n"
    hook.write_text(f"#!/bin/sh\nunset GIT_QUARANTINE_PATH\n{move}exit 0\n")
    ran = world.planned(None)
    assert [row["task"] for row in ran.rows("pruned")] == [OTHER], ran.log
    assert world.refs(below=CLAIMS) == {CLAIMS + TASK: oid}
    assert "1 kept" in ran.summary
    assert ran.annotations("warning") == []


@pytest.mark.parametrize("token", ["forker", "reader"])
def test_a_token_that_may_not_write_prunes_nothing_and_is_not_red(world: World, token: str) -> None:
    """R-G5: it is said once, with what is needed."""
    world.start(TASK, OTHER)
    world.completion(TASK)
    world.claim(OTHER, ends=-3 * DAY, began=-4 * DAY)
    finish(world, TASK)
    refs = world.refs()
    ran = world.planned(None, token=token)
    assert ran.code == 0
    assert world.refs() == refs
    assert ran.rows("pruned") == ran.rows("swept") == []
    [line] = ran.annotations("warning")
    assert "delete 2 records (contents: write is needed)" in line
    assert ran.lines[-1] == "tenure: ok: 2 kept"


def test_a_thousand_completions_go_by_one_push(world: World) -> None:
    """R-G2: with a lease on each; what is left for later is told by `truncated`."""
    tasks = [f"TASK-{number:012x}" for number in range(1001)]
    world.start(*tasks)
    finish(world, *tasks)
    rows = []
    for task in tasks:
        text = record.emit_completion(Completion(task, "c" * 40, "topic", "human:marie", int(time.time())))
        rows.append(f"blob\ndata {len(text)}\n{text}\nreset {CLAIMS}{task}\nfrom :0\n")
    texts = [row.split("\nreset ")[0].replace("blob\n", f"blob\nmark :{n}\n", 1) for n, row in enumerate(rows, 1)]
    marks = world.folder / "marks"
    world.git("fast-import", "--quiet", f"--export-marks={marks}", cwd=world.bare, stdin="\n".join(texts) + "\n")
    found = dict(line.split(" ") for line in marks.read_text().splitlines())
    lines = [f"create {CLAIMS}{task} {found[f':{number}']}\n" for number, task in enumerate(tasks, 1)]
    world.git("update-ref", "--stdin", cwd=world.bare, stdin="".join(lines))
    counts = world.folder / "counts"
    hook = world.bare / "hooks" / "post-receive"
    hook.write_text(f'#!/bin/sh\ngrep -c "{CLAIMS}" >>{counts}\nexit 0\n')
    hook.chmod(0o755)
    begun = time.monotonic()
    ran = world.planned(None)
    assert time.monotonic() - begun < 60
    assert ran.code == 0, ran.log + ran.errors
    assert len(ran.rows("pruned")) == 1000
    assert ran.outputs["truncated"] == "true"
    assert len(world.refs(below=CLAIMS)) == 1
    assert [count for count in counts.read_text().split() if count != "0"] == ["1000"]
    assert len(world.planned(None).rows("pruned")) == 1
    assert world.refs(below=CLAIMS) == {}


def test_max_operations_bounds_what_both_delete_together(world: World) -> None:
    """R-G7: ref deletions, of sweep and prune together."""
    tasks = [f"TASK-{number:012x}" for number in range(4)]
    world.start(*tasks)
    finish(world, *tasks[:2])
    for task in tasks[:2]:
        world.completion(task)
    for task in tasks[2:]:
        world.claim(task, ends=-3 * DAY, began=-4 * DAY)
    ran = world.planned(None, max_operations="3")
    assert len(ran.rows("pruned")) + len(ran.rows("swept")) == 3
    assert len(world.refs(below=CLAIMS)) == 1
    assert ran.outputs["truncated"] == "true"
    assert "max-operations" in ran.summary
    nothing = world.planned(None, max_operations="0")
    assert nothing.outputs["truncated"] == "true"
    assert len(world.refs(below=CLAIMS)) == 1


def test_the_default_branch_comes_from_origin_where_the_payload_is_silent(world: World) -> None:
    """R-G1: a schedule's payload names none; another name than usual."""
    world.start(TASK)
    world.completion(TASK)
    before, after = finish(world, TASK)
    world.git("update-ref", "refs/heads/trunk", after, cwd=world.bare)
    world.git("update-ref", "refs/heads/main", before, cwd=world.bare)
    world.git("symbolic-ref", "HEAD", "refs/heads/trunk", cwd=world.bare)
    more = {"GITHUB_REF": "refs/heads/trunk", "GITHUB_SHA": after}
    ran = world.run("schedule", {}, None, more=more)
    assert [row["task"] for row in ran.rows("pruned")] == [TASK], ran.log


def test_prune_without_a_readable_default_branch_is_never_green(world: World) -> None:
    """R-G5"""
    world.start(TASK)
    payload = {"repository": {"default_branch": "gone"}}
    ran = world.run("workflow_dispatch", payload, None, mode="prune")
    assert (ran.code, ran.outputs["result"]) == (1, "unverified")
    assert "nothing was pruned" in ran.annotations("error")[0]


def test_a_report_shows_who_holds_what_and_writes_nothing(world: World) -> None:
    """R-G1, R-G7"""
    world.start(TASK, OTHER)
    world.claim()
    world.claim(OTHER, holder="x/1", ends=-3600, began=-7200)
    refs = world.refs()
    ran = world.planned(None, mode="report")
    assert world.refs() == refs
    assert "Claims: 1 live, 1 lapsed" in ran.summary
    assert re.search(r"TASK-820d human\.marie :\d{4}-\d\d-\d\dT\d\d:\d\d, ", ran.summary)
    assert ran.outputs["live-claims"] == "1"


def test_a_record_that_cannot_be_read_is_one_line_of_the_summary(world: World) -> None:
    """R-C8, R-G5: with the command that clears it, and no annotation; the other claims are shown."""
    world.start(TASK, OTHER)
    world.claim()
    oid = world.put(OTHER, "garbage ::error::x @team")
    world.git("update-ref", f"{CLAIMS}nonsense", oid, cwd=world.bare)
    ran = world.planned(None)
    assert (ran.code, ran.lines) == (0, ["tenure: ok: nothing to do"])
    for name in (OTHER, "nonsense"):
        [line] = [line for line in ran.summary.splitlines() if f"{CLAIMS}{name} " in line]
        assert line.startswith("- `unreadable record on origin's ")
        assert line.endswith(f"clear it: git push origin :{CLAIMS}{name}`")
    assert "Claims: 1 live, 0 lapsed" in ran.summary


def test_an_event_that_auto_does_not_know_reports_and_says_so(world: World) -> None:
    """R-G1"""
    world.start(TASK)
    ran = world.run("release", {"repository": {"default_branch": "main"}}, None)
    assert ran.code == 0
    assert "mode auto knows no event release" in ran.annotations("warning")[0]
