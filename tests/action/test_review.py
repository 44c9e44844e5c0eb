"""Guard and contest, whole: a server, a shallow checkout, the Action as the runner starts it."""

from __future__ import annotations

import subprocess
import time

import pytest

from action.fake_github import FakeGitHub
from action.world import FROZEN, OTHER, TASK, ZERO, World, task_file
from tenure.model import event, record
from tenure.model.record import Claim

FILE = f".ank/entities/{TASK}.md"
SOFT = "most session tokens are opaque\n"


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


@pytest.mark.parametrize("token", ["forker", "reader"])
def test_a_token_that_may_only_read_judges_and_never_fails_for_it(world: World, token: str) -> None:
    """R-G5: annotations and summary are what is left; the feed is not written."""
    base = world.start(TASK)
    world.claim()
    head = world.commit({FILE: task_file(TASK, status="done")}, agent="x/1")
    world.push("topic")
    before = world.refs()
    ran = world.pull_request(base, head, world.checkout(head), token=token)
    assert ran.code == 0, ran.log + ran.errors
    assert len(ran.annotations("warning")) == 1
    assert len(ran.rows("contested")) == 1
    assert "not recorded in the feed" in ran.summary
    assert world.refs() == before


def test_a_dry_run_writes_nothing_anywhere(world: World) -> None:
    """R-G6: compared ref by ref."""
    base = world.start(TASK)
    world.claim()
    head = world.commit({FILE: task_file(TASK, status="done")}, agent="x/1")
    world.push("topic")
    before = world.refs()
    pushes = world.server.pushes
    ran = world.pull_request(base, head, world.checkout(head), dry_run="true")
    assert len(ran.rows("contested")) == 1
    assert world.refs() == before
    assert world.server.pushes == pushes


def test_origin_away_is_never_green(world: World) -> None:
    """R-G5: nothing could be read, so nothing passes; `fail-on: none` still says so."""
    base = world.start(TASK)
    head = world.commit({"a": "1"})
    world.push("topic")
    place = world.checkout(head)
    world.server.away = True
    ran = world.pull_request(base, head, place)
    assert (ran.code, ran.outputs["result"]) == (1, "unverified")
    assert len(ran.annotations("error")) == 1
    assert ran.outputs["live-claims"] == ""
    ran = world.pull_request(base, head, place, fail_on="none")
    assert (ran.code, ran.outputs["result"]) == (0, "unverified")


def test_commits_that_origin_does_not_give_are_never_green(world: World) -> None:
    """R-G5"""
    base = world.start(TASK)
    ran = world.pull_request(base, "d" * 40, None)
    assert (ran.code, ran.outputs["result"]) == (1, "unverified")
    assert "the head commit of this change could not be fetched" in ran.log


def test_a_private_repository_is_read_with_the_token(world: World) -> None:
    """R-G5: the token goes to its server; the checkout kept no credentials."""
    base = world.start(TASK)
    world.claim()
    head = world.commit({FILE: task_file(TASK, SOFT)})
    world.push("topic")
    place = world.checkout(head)
    world.server.private = True
    world.server.users.clear()
    assert world.pull_request(base, head, place).outputs["result"] == "refused"
    assert set(world.server.users) == {"maint"}
    assert world.pull_request(base, head, place, token="wrong").outputs["result"] == "unverified"


def test_credentials_that_settings_hold_already_do_not_make_two_headers(world: World) -> None:
    """R-G5: servers refuse a request with two."""
    base = world.start(TASK)
    key = f"http.{world.server.url}/.extraheader"
    world.git("config", "--file", str(world.folder / "home" / ".gitconfig"), key, "AUTHORIZATION: basic bm9ib2R5Ong=")
    ran = world.pull_request(base, base, None)
    assert ran.outputs["result"] == "ok", ran.log
    assert world.server.doubled == 0


def test_settings_come_from_the_base_never_from_the_change(world: World) -> None:
    """R-G4: a change that maps its own e-mail to the holder is contested all the same."""
    world.start(TASK)
    base = world.commit({".tenure.yml": "identities:\n  eve@example.org: human:eve\n"})
    world.push()
    world.claim()
    who = {"GIT_AUTHOR_EMAIL": "eve@example.org"}
    world.env |= who
    head = world.commit(
        {
            ".tenure.yml": "identities:\n  eve@example.org: human:marie\n",
            FILE: task_file(TASK, status="done"),
        }
    )
    world.push("topic")
    ran = world.pull_request(base, head, world.checkout(head))
    [row] = ran.rows("contested")
    assert row["actor"] == "human:eve"


def test_code_of_the_change_is_never_run(world: World) -> None:
    """R-G5: neither what lies beside the checkout's top, nor hooks or settings that it names."""
    base = world.start(TASK)
    trap = f"open({str(world.folder / 'sprung')!r}, 'w')\n"
    names = [
        "requests.py",
        "pygit2.py",
        "yaml.py",
        "json.py",
        "sitecustomize.py",
        "tenure/__init__.py",
        "src/tenure/__init__.py",
    ]
    head = world.commit({**dict.fromkeys(names, trap), ".tenure.yml": "unknown: 1\n"})
    world.push("topic")
    place = world.checkout(head)
    ran = world.pull_request(base, head, place, more={"PYTHONPATH": str(place)}, comment="true")
    assert ran.outputs["result"] == "ok", ran.log + ran.errors
    assert not (world.folder / "sprung").exists()


def test_a_foreign_owner_of_the_checkout_does_not_matter(world: World) -> None:
    """R-G5: in a container the folder belongs to another user; what only it holds is found there all the same."""
    base = world.start(TASK)
    world.claim()
    head = world.commit({FILE: task_file(TASK, SOFT)})
    world.push("topic")
    place = world.checkout(head, None)
    world.git("update-ref", "-d", "refs/heads/topic", cwd=world.bare)
    world.git("prune", "--expire=now", cwd=world.bare)
    if subprocess.run(["chown", "-R", "1234:1234", str(place)], check=False, capture_output=True).returncode:
        pytest.skip("only root can give files away")
    assert world.pull_request(base, head, place).outputs["result"] == "refused"


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


def test_hostile_names_reach_no_sink_alive(world: World) -> None:
    """R-X3"""
    base = world.start(TASK)
    world.claim(holder="eve ::error::x ##[add-mask]y @team | `z`")
    head = world.commit({FILE: task_file(TASK, SOFT + "##[error]z\n::set-output name=a::b\n")})
    world.push("topic")
    ran = world.pull_request(base, head, None)
    assert ran.outputs["result"] == "refused"
    assert "##[" not in ran.log
    assert len([line for line in ran.lines if line.lstrip().startswith("::")]) == 1


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


def test_a_git_that_is_too_old_is_one_clear_error(world: World) -> None:
    """§10: 2.34 is the oldest."""
    base = world.start(TASK)
    old = world.folder / "old"
    old.mkdir()
    (old / "git").write_text("#!/bin/sh\necho git version 2.25.1\n")
    (old / "git").chmod(0o755)
    ran = world.pull_request(base, base, None, more={"PATH": f"{old}:{world.env['PATH']}"})
    assert (ran.code, ran.outputs["result"]) == (1, "unverified")
    assert "git 2.25 is too old" in ran.annotations("error")[0]


def api(github: FakeGitHub) -> dict[str, str]:
    return {"GITHUB_API_URL": github.base, "GITHUB_GRAPHQL_URL": github.graphql}


def test_a_dry_run_asks_the_api_for_nothing(world: World, github: FakeGitHub) -> None:
    """R-G6"""
    base = world.start(TASK)
    world.claim()
    head = world.commit({FILE: task_file(TASK, SOFT)})
    world.push("topic")
    ran = world.pull_request(base, head, None, dry_run="true", comment="true", check_run="true", more=api(github))
    assert ran.outputs["result"] == "refused"
    assert github.requests == []


def test_a_comment_that_the_token_may_not_write_is_a_line_in_the_summary(world: World, github: FakeGitHub) -> None:
    """R-G5: no annotation more, and the run ends as it would have."""
    base = world.start(TASK)
    world.claim()
    head = world.commit({FILE: task_file(TASK, status="done")}, agent="x/1")
    world.push("topic")
    github.plan(403, "Resource not accessible by integration", count=2)
    ran = world.pull_request(base, head, None, "forker", comment="true", check_run="true", more=api(github))
    assert ran.code == 0
    assert len(ran.annotations("warning")) == 1
    assert "no comment: the token may not do this" in ran.summary
    assert "no check run: the token may not do this" in ran.summary


def test_an_api_that_does_not_answer_is_a_warning(world: World) -> None:
    """R-G5: the verdict stands."""
    base = world.start(TASK)
    ran = world.pull_request(base, base, None, comment="true")
    assert (ran.code, ran.outputs["result"]) == (0, "ok")
    assert "no comment: no answer from 127.0.0.1" in ran.annotations("warning")[0]


def test_a_run_that_judges_nothing_leaves_the_comment_alone(world: World, github: FakeGitHub) -> None:
    """R-G8: only who looked may say that it is resolved."""
    base = world.start(TASK)
    world.claim()
    head = world.commit({FILE: task_file(TASK, SOFT)})
    world.push("topic")
    world.pull_request(base, head, None, comment="true", more=api(github))
    [told] = [one["body"] for one in github.comments]
    world.pull_request(base, head, None, comment="true", mode="report", more=api(github))
    world.server.away = True
    world.pull_request(base, head, None, comment="true", more=api(github))
    assert [one["body"] for one in github.comments] == [told]
    assert "done criterion changed while claimed" in told
