"""Tokens, settings, code and names of others: no change is trusted, and what a token may not do stops nothing."""

from __future__ import annotations

import subprocess

import pytest

from action.fake_github import FakeGitHub
from action.world import FILE, SOFT, TASK, World, task_file


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
