"""Commits and pushes through the real tools: the same verdict, renewal and trailers, whoever owns the hook (R-H7)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hooks.ground import TASK, Ground, script
from hooks.scene import BOB, CRITERION, PATH, Scene
from hooks.tools import follow, framework, manager, run

ALL = ("pre-commit", "pre-push", "commit-msg")
AGENT: dict[str, Any] = {"ANK_AGENT": "claude-code/opus-5+cy"}


def _works(scene: Scene) -> None:
    """Renewed by a commit, refused in a commit and in a push; nothing of the tool's own is lost."""
    scene.shorten(400)
    scene.work(f"Work after {scene.w.ask('rev-parse', 'HEAD')}")
    assert scene.left() > 1700
    scene.weaken()
    said = scene.w.commit("Soften", exits=1).stderr
    assert f"refused: {TASK}" in said
    scene.w.git("commit", "-q", "--no-verify", "-am", "Slip it in")
    scene.w.git("branch", "-f", "good", "HEAD~1")
    scene.w.git("branch", "-f", "bad")
    scene.w.git("checkout", "-q", "good")
    said = scene.push("good", "bad", exits=1)
    assert f"refused: {TASK}" in said
    assert scene.origin.git("rev-parse", "-q", "--verify", "bad", exits=None).returncode
    scene.push("good")
    scene.w.git("checkout", "-q", "main")
    scene.w.git("reset", "-q", "--hard", "good")
    assert CRITERION in (scene.w.path / PATH).read_text()


def _trailed(scene: Scene) -> None:
    """An agent's commit names task and agent, also when the hooks are children of a tool (R-K4)."""
    scene.w.tenure("release", "--reason", "for the agent")
    scene.w.commit("Hand it back")
    scene.w.tenure("claim", TASK, **AGENT)
    scene.w.commit("Take it", **AGENT)
    scene.work("By an agent", **AGENT)
    message = scene.w.message()
    assert message.count("Ank-Task: ") == 1
    assert message.count(f"Ank-Agent: {AGENT['ANK_AGENT']}") == 1


@pytest.mark.parametrize("name", ["pre-commit", "prek"])
@pytest.mark.parametrize("first", ["theirs", "ours"])
def test_behind_a_framework(ground: Ground, scene: Scene, name: str, first: str) -> None:
    """R-H7: both orders, and after the framework's install was repeated; its own hooks still run."""
    if first == "theirs":
        scene.w.tenure("hooks", "uninstall")
        framework(name)(scene.w)
        scene.w.tenure("hooks", "install")
    else:
        framework(name)(scene.w)
    scene.w.commit("Its configuration")
    _works(scene)
    framework(name)(scene.w)
    _works(scene)
    _trailed(scene)
    assert "ran" in (ground.root / "ran").read_text()


HOSTED = """\
repos:
  - repo: local
    hooks:
"""


@pytest.mark.parametrize("name", ["pre-commit", "prek"])
def test_as_an_entry_of_a_framework(ground: Ground, scene: Scene, name: str) -> None:
    """R-H7, B15: one ref a push is all that it tells its hooks; that one is judged, a deletion never is."""
    ground.command()
    ground.tool(name)
    scene.w.tenure("hooks", "uninstall")
    found = json.loads(scene.w.tenure("hooks", "print", "--json").stdout)["hooks"]
    lines = [line for one in found if "pre-commit or prek" in one["for"] for line in one["lines"]]
    scene.w.write(".pre-commit-config.yaml", HOSTED + "\n".join(lines) + "\n")
    scene.w.git("add", "-A")
    run(scene.w, name, "install", *(word for event in ALL for word in ("-t", event)))
    assert scene.w.firing() == set(ALL)
    scene.w.commit("Its configuration")
    scene.shorten(400)
    scene.work("Work")
    assert scene.left() > 1700
    scene.weaken()
    done = scene.w.commit("Soften", exits=1)
    assert f"refused: {TASK}" in done.stderr + done.stdout
    scene.w.git("commit", "-q", "--no-verify", "-am", "Slip it in")
    done = scene.w.git("push", "-q", "origin", "main", exits=1)
    assert f"refused: {TASK}" in done.stderr + done.stdout
    scene.w.git("push", "-q", "origin", "HEAD~1:refs/heads/good")
    scene.w.git("push", "-q", "origin", ":good")
    scene.w.git("reset", "-q", "--hard", "HEAD~1")
    _trailed(scene)


def _manifest(ground: Ground) -> Path:
    """This project's own .pre-commit-hooks.yaml in a repository that a framework can clone."""
    source = ground.repo("published")
    source.write(".pre-commit-hooks.yaml", (Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text())
    source.commit("Hooks")
    source.git("tag", "v1")
    return source.path


@pytest.mark.parametrize("name", ["pre-commit", "prek"])
def test_by_the_published_ids(ground: Ground, scene: Scene, name: str) -> None:
    """Issue part 3: `tenure-pre-commit-system` and its kin; the Python twins differ in their environment alone."""
    ground.command()
    ground.tool(name)
    scene.w.tenure("hooks", "uninstall")
    ids = "".join(f"      - id: tenure-{event}-system\n" for event in ALL)
    repo = f"repos:\n  - repo: file://{_manifest(ground)}\n    rev: v1\n    hooks:\n{ids}"
    scene.w.write(".pre-commit-config.yaml", repo)
    scene.w.git("add", "-A")
    run(scene.w, name, "install", *(word for event in ALL for word in ("-t", event)))
    scene.w.commit("Its configuration")
    scene.weaken()
    done = scene.w.commit("Soften", exits=1)
    assert f"refused: {TASK}" in done.stderr + done.stdout


def test_the_manifest_is_what_pre_commit_accepts(ground: Ground) -> None:
    """Issue part 3."""
    ground.tool("pre-commit")
    ground.run("pre-commit", "validate-manifest", str(_manifest(ground) / ".pre-commit-hooks.yaml"), cwd=ground.root)


@pytest.mark.parametrize("name", ["lefthook", "husky"])
@pytest.mark.parametrize("first", ["theirs", "ours"])
def test_by_the_lines_that_a_manager_is_given(ground: Ground, scene: Scene, node: Path, name: str, first: str) -> None:
    """R-H7: they run nothing beside themselves; a colleague without tenure is not stopped by the lines."""
    if first == "theirs":
        scene.w.tenure("hooks", "uninstall")
    manager(scene.w, node, name)
    scene.w.tenure("hooks", "install", exits=8)
    ground.command()
    _add_lines(scene, node, name)
    assert scene.w.firing() == set(ALL)
    scene.w.commit("Its configuration")
    _works(scene)
    _trailed(scene)
    (ground.root / "bin" / "tenure").unlink()
    for path in [scene.w.hook(event) for event in ALL]:
        if "tenure-shim" in path.read_text():
            path.unlink()
    scene.weaken()
    scene.w.commit("By somebody without tenure", **BOB)


def _add_lines(scene: Scene, node: Path, name: str) -> None:
    found = json.loads(scene.w.tenure("hooks", "print", "--json").stdout)["hooks"]
    mine = [one for one in found if name in one["for"]]
    if name == "husky":
        for one in mine:
            script(scene.w.path / ".husky" / one["name"], "\n".join(one["lines"]) + "\n", mode=0o644)
        return
    follow(scene.w, [line for one in mine for line in one["lines"]])
    manager(scene.w, node, name)


@pytest.mark.parametrize("order", ["lfs first", "ours first"])
def test_beside_git_lfs(ground: Ground, scene: Scene, order: str) -> None:
    """R-H7: chained behind ours; asked for later, git-lfs refuses to overwrite, and the way out is said."""
    ground.tool("git-lfs")
    _install_lfs(scene, order)
    scene.w.git("remote", "set-url", "origin", f"file://{scene.origin.path}")
    scene.w.git("lfs", "track", "*.bin")
    scene.w.write("docs/big.bin", "big\n" * 1000)
    scene.w.commit("A big file")
    scene.push("main")
    stored = [path for path in (scene.origin.path / "lfs" / "objects").rglob("*") if path.is_file()]
    assert [path.stat().st_size for path in stored] == [4000]
    _works(scene)


def _install_lfs(scene: Scene, order: str) -> None:
    if order == "ours first":
        done = scene.w.git("lfs", "install", "--local", exits=None)
        assert "already exists" in done.stderr + done.stdout
    scene.w.tenure("hooks", "uninstall")
    scene.w.git("lfs", "install", "--local")
    scene.w.tenure("hooks", "install")


def test_a_dispatcher_of_scripts_runs_ours_among_them(ground: Ground, scene: Scene) -> None:
    """§1.7: a `.d` folder whose dispatcher hands each script its standard input."""
    scene.w.tenure("hooks", "uninstall")
    for event in ("pre-commit", "pre-push"):
        one = f'"$(git rev-parse --git-path hooks)/{event}.d"/*'
        feed = 'lines=$(cat; echo x); for one in {}; do printf %s "${{lines%x}}" | "$one" "$@" || exit; done\n'
        script(scene.w.hook(event), "#!/bin/sh\n" + feed.format(one))
        script(scene.w.hook(f"{event}.d") / "other", f"#!/bin/sh\ncat >>{ground.root}/{event}\n")
    scene.w.tenure("hooks", "install")
    _works(scene)
    assert "refs/heads/good" in (ground.root / "pre-push").read_text()
