"""`tenure demo`: the story is told with real commands, checked, and sealed from whoever runs it (§10)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hooks.ground import ROOT, Repo, script
from team import AUTH, Team
from tenure.faces.cli.output import Output
from tenure.faces.cli.stage import NotAsTold, Person, Stage


def test_the_story_goes_as_told_whatever_the_settings_of_the_one_who_runs_it(team: Team) -> None:
    """§10 demo: every refusal has its code; no hook, identity or setting of the user gets in; nothing is left."""
    ground = team.ground
    trap = ground.root / "trap"
    script(ground.root / "myhooks" / "pre-commit", f"#!/bin/sh\ntouch {trap}\nexit 1\n")
    with (ground.root / "gitconfig").open("a") as config:
        config.write(f"[core]\n\thooksPath = {ground.root / 'myhooks'}\n[commit]\n\tgpgSign = true\n")
    done = _demo(ground.root, team, ANK_AGENT="human:me", GIT_DIR="/nowhere", GIT_AUTHOR_EMAIL="me@example.org")
    steps = json.loads(done)["steps"]
    assert all(step["ok"] for step in steps)
    refused = [(step["command"].split()[1], step["exit"]) for step in steps if step["exit"]]
    assert refused == [("claim", 4), ("commit", 1), ("push", 1), ("release", 7), ("done", 5), ("claim", 4)]
    assert not trap.exists()
    assert not list((ground.root / "tmp").glob("tenure-demo-*"))


def test_with_a_corpus_it_lists_claims_and_renews_in_a_copy(team: Team) -> None:
    """§10 demo --corpus: the folder itself stays as it was."""
    repo = team.project()
    before = (repo.path / f".ank/entities/{AUTH}.md").read_bytes()
    steps = json.loads(_demo(repo.path, team, "--corpus", str(repo.path)))["steps"]
    assert [step["ok"] for step in steps if step["command"] == "the commit renewed the lease"] == [True]
    assert (repo.path / f".ank/entities/{AUTH}.md").read_bytes() == before
    assert repo.ask("for-each-ref", "refs/ank") == ""


def test_a_folder_without_a_corpus_is_refused(team: Team) -> None:
    """§10: 2 with the command to run, before anything is made."""
    done = team.project().tenure("demo", "--corpus", "src", exits=2)
    assert "no .ank folder" in done.stderr


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("git rev-parse --git-dir", {"exits": 1}),
        ("git rev-parse --git-dir", {"hears": ("no such words",)}),
        ("git rev-parse --git-dir", {"never": ".git"}),
        ("tenure status", {"exits": 4}),
    ],
)
def test_an_answer_that_is_not_as_told_stops_the_story(
    team: Team, line: str, expected: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """§10 demo: it checks each answer itself; what is as told goes through."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    repo = team.project()
    (team.ground.root / "stage").mkdir()
    stage = Stage(str(team.ground.root / "stage"), Output(quiet=True))
    ada = Person("ada", "human:ada", str(repo.path))
    stage.run(ada, line)
    with pytest.raises(NotAsTold):
        stage.run(ada, line, **expected)  # type: ignore[arg-type]
    assert stage.steps[-1]["ok"] is False


def _demo(cwd: Path, team: Team, *words: str, **env: str) -> str:
    return Repo(team.ground, cwd).tenure("demo", "--json", *words, exits=0, **env).stdout
