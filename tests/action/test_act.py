"""As a consumer runs it: a workflow file, `act` for GitHub's runner, a server with a maintainer and a fork's user.

What `act` does not emulate (INPUT_* unset, limits, `##[…]`) is tested without it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from action.fake_github import FakeGitHub
from action.world import FILE, REPOSITORY, ROOT, SOFT, TASK, World, task_file
from tenure.model.value import value

ACT = Path(sys.executable).parent / "act"
WORKFLOW = """\
name: use
on: [push, pull_request, schedule, merge_group, workflow_dispatch]
jobs:
  tenure:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - id: tenure
        uses: acme/tenure@v1
        with:
"""


@value
class Acted:
    """How act ended: commands that it saw by name, the outputs of the Action's step, and its summary."""

    code: int
    rows: list[dict[str, Any]]
    text: str

    def commands(self, name: str) -> list[dict[str, Any]]:
        return [row for row in self.rows if row.get("command") == name]

    @property
    def outputs(self) -> dict[str, str]:
        return {row["name"]: row["arg"] for row in self.commands("set-output") if row.get("stepID") == ["tenure"]}

    @property
    def summary(self) -> str:
        return "".join(row["content"] for row in self.commands("summary"))


@pytest.fixture(scope="module")
def action(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a consumer gets of the Action: a repository of its own."""
    place = tmp_path_factory.mktemp("published") / "tenure"
    (place / "src").mkdir(parents=True)
    shutil.copy(ROOT / "action.yml", place)
    shutil.copytree(ROOT / "src" / "tenure", place / "src" / "tenure", ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(["git", "init", "-q", "-b", "main", str(place)], check=True)
    return place


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pip keeps what it downloaded, as on a runner that is used again."""
    return tmp_path_factory.mktemp("pip")


class Runner:
    """Runs a workflow of a world under act."""

    def __init__(self, world: World, action: Path, packages: Path) -> None:
        self.world, self.action, self.packages = world, action, packages

    def __call__(
        self,
        event: str,
        payload: dict[str, Any],
        oid: str,
        token: str = "maint",
        api: str = "http://127.0.0.1:9",
        **given: str,
    ) -> Acted:
        place = self.world.checkout(oid)
        lines = "".join(f"          {name.replace('_', '-')}: '{text}'\n" for name, text in given.items())
        (place / ".github" / "workflows").mkdir(parents=True)
        (place / ".github" / "workflows" / "use.yml").write_text(WORKFLOW + (lines or "          mode: auto\n"))
        (self.world.folder / "event.json").write_text(json.dumps(payload))
        words = [str(ACT), event, "-P", "ubuntu-latest=-self-hosted", "-W", ".github/workflows/use.yml", "--json"]
        words += ["-e", str(self.world.folder / "event.json"), "--local-repository", f"acme/tenure@v1={self.action}"]
        words += ["-s", f"GITHUB_TOKEN={token}"]
        variables = {
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_SERVER_URL": self.world.server.url,
            "GITHUB_API_URL": api,
            "GITHUB_GRAPHQL_URL": f"{api}/graphql",
        }
        words += [word for name, text in variables.items() for word in ("--env", f"{name}={text}")]
        kept = {name: text for name, text in os.environ.items() if name.startswith("PIP_")}
        env = {**self.world.env, **kept, "XDG_CACHE_HOME": str(self.world.folder / "cache")}
        env["PIP_CACHE_DIR"] = str(self.packages)
        done = subprocess.run(words, cwd=place, env=env, capture_output=True, text=True, check=False, timeout=150)
        rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        return Acted(done.returncode, rows, done.stdout + done.stderr)


@pytest.fixture
def act(world: World, action: Path, packages: Path) -> Runner:
    assert ACT.exists(), "act is not installed: pip install -e '.[dev]'"
    return Runner(world, action, packages)


def pull(base: str, head: str) -> dict[str, Any]:
    request = {"number": 7, "base": {"sha": base, "ref": "main"}, "head": {"sha": head, "ref": "topic"}}
    return {"number": 7, "pull_request": request, "repository": {"default_branch": "main"}}


def test_a_pull_request_that_softens_a_frozen_criterion_fails_with_its_line_annotated(act: Runner) -> None:
    """Issue 3: the consumer's view of guard."""
    world = act.world
    base = world.start(TASK)
    world.claim()
    head = world.commit({FILE: task_file(TASK, SOFT)})
    world.push("topic")
    ran = act("pull_request", pull(base, head), head)
    assert ran.code == 1, ran.text
    [error] = ran.commands("error")
    assert error["kvPairs"] == {"file": FILE, "line": "13", "title": "TASK-820d: done criterion changed while claimed"}
    assert "\n- every session token is opaque\n+ most session tokens are opaque\n" in error["arg"]
    assert ran.outputs["result"] == "refused"
    assert json.loads(ran.outputs["frozen-edits"])[0]["task"] == TASK
    assert "## tenure: refused: 1 frozen criterion edited" in ran.summary


def test_a_push_to_the_default_branch_prunes_and_the_second_one_finds_nothing(act: Runner) -> None:
    """Issue 3: the maintainer's token deletes by lease over HTTP."""
    world = act.world
    before = world.start(TASK)
    world.completion()
    after = world.commit({FILE: task_file(TASK, status="done")})
    world.push()
    payload = {"before": before, "after": after, "ref": "refs/heads/main", "repository": {"default_branch": "main"}}
    first = act("push", payload, after, mode="prune")
    assert [row["task"] for row in json.loads(first.outputs["pruned"])] == [TASK]
    assert world.refs(below="refs/ank/claims/") == {}
    assert json.loads(act("push", payload, after, mode="prune").outputs["pruned"]) == []


def test_a_fork_sees_the_contest_and_writes_nothing(act: Runner) -> None:
    """Issue 3: a warning, a summary, not red."""
    world = act.world
    base = world.start(TASK)
    world.claim()
    head = world.commit({FILE: task_file(TASK, status="done")}, agent="x/1")
    world.push("topic")
    refs = world.refs()
    ran = act("pull_request", pull(base, head), head, token="forker")
    assert ran.code == 0, ran.text
    [warning] = ran.commands("warning")
    assert warning["kvPairs"]["title"] == "TASK-820d is held by human:marie"
    assert world.refs() == refs
    assert "not recorded in the feed" in ran.summary


def test_the_comment_follows_the_finding_over_several_runs(act: Runner, github: FakeGitHub) -> None:
    """R-G8: whole, from the workflow to the API."""
    world = act.world
    base = world.start(TASK)
    world.claim()
    head = world.commit({FILE: task_file(TASK, SOFT)})
    world.push("topic")
    for _ in range(2):
        act("pull_request", pull(base, head), head, api=github.base, comment="true", check_run="true")
    assert len(github.comments) == 1
    assert len([one for one in github.writes if "comments" in one.path]) == 1
    assert [run["shown"]["conclusion"] for run in github.check_runs.values()] == ["failure", "failure"]
    assert github.check_runs[1]["shown"]["head_sha"] == head
    fixed = world.commit({FILE: task_file(TASK)})
    world.push("topic")
    ran = act("pull_request", pull(base, fixed), fixed, api=github.base, comment="true")
    assert ran.code == 0, ran.text
    assert "resolved" in github.comments[0]["body"]


def test_a_schedule_sweeps(act: Runner) -> None:
    """R-G1, R-G3"""
    world = act.world
    head = world.start(TASK)
    world.claim(ends=-3 * 86400, began=-4 * 86400)
    ran = act("schedule", {"schedule": "17 4 * * *"}, head)
    assert ran.code == 0, ran.text
    assert [row["task"] for row in json.loads(ran.outputs["swept"])] == [TASK]
    assert ran.outputs["live-claims"] == "0"


def test_a_merge_group_is_judged(act: Runner) -> None:
    """R-G5"""
    world = act.world
    base = world.start(TASK)
    world.claim()
    head = world.commit({FILE: task_file(TASK, SOFT)})
    world.push("gh-readonly-queue/main/pr-7")
    group = {"merge_group": {"base_sha": base, "head_sha": head}, "repository": {"default_branch": "main"}}
    ran = act("merge_group", group, head)
    assert (ran.code, ran.outputs["result"]) == (1, "refused"), ran.text


def test_a_clean_pull_request_says_one_line(act: Runner) -> None:
    """R-G6: neither setting up nor judging says more."""
    world = act.world
    base = world.start(TASK)
    ran = act("pull_request", pull(base, base), base)
    assert ran.code == 0, ran.text
    assert ran.outputs["result"] == "ok"
    lines = [row["msg"] for row in ran.rows if row.get("raw_output") and "tenure" in row["msg"]]
    assert lines == ["tenure: ok: no frozen criterion edited, nothing contested\n"]
