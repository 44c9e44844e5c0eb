"""The installer: beside what is there, and out again as if it had never been (R-H7, B35)."""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from hooks.ground import Ground, Repo, script
from hooks.tools import follow, framework, manager, run

ALL = {"pre-commit", "pre-push", "commit-msg"}


def _nothing(repo: Repo) -> None:
    """Not even a hooks folder, as after an init without templates."""
    shutil.rmtree(repo.hook("x").parent)


def _script(repo: Repo) -> None:
    ran = f'#!/bin/sh\necho "$@" >>{repo.ground.root}/ran\n'
    for event in ALL:
        script(repo.hook(event), ran, mode=0o750)


def _not_executable(repo: Repo) -> None:
    script(repo.hook("pre-commit"), "#!/bin/sh\nexit 1\n", mode=0o644)


def _symlink(repo: Repo) -> None:
    script(repo.path / "tools" / "hook", f"#!/bin/sh\necho ran >>{repo.ground.root}/ran\n")
    repo.hook("pre-commit").symlink_to("../../tools/hook")
    repo.hook("pre-push").symlink_to(repo.ground.root / "nowhere")


def _folder_of_scripts(repo: Repo) -> None:
    for event in ("pre-commit", "pre-push"):
        loop = f'for one in "$(git rev-parse --git-path hooks)/{event}.d"/*; do "$one" "$@" || exit; done\n'
        script(repo.hook(event), f"#!/bin/sh\n{loop}")
    script(repo.hook("pre-commit.d") / "first", f"#!/bin/sh\necho ran >>{repo.ground.root}/ran\n")
    (repo.hook("pre-push.d")).mkdir()


def _git_lfs(repo: Repo) -> None:
    repo.ground.tool("git-lfs")
    repo.git("lfs", "install", "--local")


GROUNDS: dict[str, Callable[[Repo], None]] = {
    "nothing": _nothing,
    "script": _script,
    "not executable": _not_executable,
    "symlink": _symlink,
    "folder of scripts": _folder_of_scripts,
    "git-lfs": _git_lfs,
    "pre-commit": framework("pre-commit"),
    "prek": framework("prek"),
}


@pytest.mark.parametrize("kind", GROUNDS)
def test_b35_install_twice_and_uninstall_leave_every_byte_and_mode(repo: Repo, kind: str) -> None:
    """B35, R-H7: over whatever is there; the second install changes nothing; uninstall restores all of it."""
    GROUNDS[kind](repo)
    before = repo.snapshot()
    repo.tenure("hooks", "install")
    once = repo.snapshot()
    assert once != before
    repo.tenure("hooks", "install")
    assert repo.snapshot() == once
    assert repo.firing() == ALL
    repo.tenure("hooks", "uninstall")
    assert repo.snapshot() == before
    repo.tenure("hooks", "uninstall")
    assert repo.snapshot() == before


@pytest.mark.parametrize("kind", ["script", "symlink", "folder of scripts", "pre-commit", "prek"])
def test_b35_what_was_there_before_still_runs_once_a_commit(ground: Ground, repo: Repo, kind: str) -> None:
    """R-H7: chained, linked, dispatched or managed."""
    GROUNDS[kind](repo)
    repo.tenure("hooks", "install")
    repo.git("commit", "-q", "--allow-empty", "-m", "Work")
    ran = (ground.root / "ran").read_text().splitlines()
    assert len(ran) == (2 if kind == "script" else 1)
    assert (repo.states()["pre-commit"]["state"]) == "chained"


@pytest.mark.parametrize("manager", ["pre-commit", "prek"])
def test_b35_a_framework_may_come_before_after_and_again(ground: Ground, repo: Repo, manager: str) -> None:
    """B35, R-H7: both orders, and `install` repeated: theirs owns the hook, ours stands as `<event>.legacy`."""
    repo.tenure("hooks", "install")
    native = repo.hook("pre-commit").read_bytes()
    install = framework(manager)
    install(repo)
    assert repo.hook("pre-commit.legacy").read_bytes() == native
    for step in (lambda: None, lambda: install(repo), lambda: repo.tenure("hooks", "install")):
        step()
        assert repo.firing() == ALL
        states = repo.states()
        assert [states[event]["state"] for event in ("pre-commit", "pre-push")] == ["chained", "chained"]
    run(repo, manager, "uninstall", "-t", "pre-commit", "-t", "pre-push")
    assert repo.hook("pre-commit").read_bytes() == native
    assert repo.firing() == ALL


@pytest.mark.parametrize("manager", ["pre-commit", "prek"])
def test_b35_a_framework_that_overwrites_is_noticed(repo: Repo, manager: str) -> None:
    """B35: `install -f` deletes what it finds; status says so, and another install mends it."""
    repo.tenure("hooks", "install")
    framework(manager)(repo)
    run(repo, manager, "install", "-f")
    if repo.hook("pre-commit.legacy").exists():
        repo.hook("pre-commit.legacy").unlink()
    states = repo.states()
    assert (states["pre-commit"]["state"], states["pre-commit"]["fires"]) == ("foreign", False)
    repo.tenure("hooks", "install")
    assert repo.firing() == ALL


def test_status_runs_nothing_else(ground: Ground, repo: Repo) -> None:
    """B35: neither a chained hook, nor the hooks of a framework behind ours, nor a stranger's hook."""
    _script(repo)
    assert repo.firing() == set()
    repo.tenure("hooks", "install")
    assert repo.firing() == ALL
    repo.tenure("hooks", "uninstall")
    for event in ALL:
        repo.hook(event).unlink()
    repo.tenure("hooks", "install")
    ground.tool("pre-commit")
    framework("pre-commit")(repo)
    repo.write("unstaged", "kept")
    assert repo.firing() == ALL
    assert not (ground.root / "ran").exists()
    assert (repo.path / "unstaged").read_text() == "kept"


@pytest.mark.parametrize("name", ["lefthook", "husky"])
@pytest.mark.parametrize("first", ["theirs", "ours"])
def test_a_manager_that_runs_nothing_beside_itself_is_told_by_lines(
    ground: Ground, repo: Repo, node: Path, name: str, first: str
) -> None:
    """B35, R-H7: nothing of theirs is edited; install says what to add and exits 8; status notices the loss."""
    if first == "ours":
        repo.tenure("hooks", "install")
    manager(repo, node, name)
    theirs = {path: path.read_bytes() for path in repo.hook("x").parent.glob("pre-*") if path.suffix != ".old"}
    assert "pre-commit" not in repo.firing()
    done = repo.tenure("hooks", "install", "--json", exits=8)
    lines = {one["name"]: one["lines"] for one in json.loads(done.stdout)["hooks"]}
    assert "tenure hook pre-commit" in "".join(lines["pre-commit"])
    assert all(path.read_bytes() == data for path, data in theirs.items())
    if name == "lefthook":
        follow(repo, [line for event in sorted(ALL) for line in lines[event]])
        manager(repo, node, name)
    else:
        for event in ALL:
            script(repo.path / ".husky" / event, "\n".join(lines[event]) + "\n", mode=0o644)
    ground.command()
    assert repo.firing() == ALL
    assert repo.git("config", "--local", "core.hooksPath", exits=None).stdout.strip() in (
        (".husky/_",) if name == "husky" else ("",)
    )
    repo.tenure("hooks", "uninstall")
    assert not [path for path in repo.hook("x").parent.rglob("*") if b"tenure-shim" in path.read_bytes()]


@pytest.mark.parametrize("scope", ["--global", "worktree folder", "outside", "ignored"])
def test_core_hooks_path_is_followed_where_it_is_this_repository_s_own(ground: Ground, repo: Repo, scope: str) -> None:
    """B35, R-H7: a folder of all repositories, or one that the repository tracks, is left alone; nothing is unset."""
    place = {"--global": ground.root / "all", "outside": ground.root / "own"}.get(scope, repo.path / "dev" / "hooks")
    place.mkdir(parents=True)
    words = (["--global"] if scope == "--global" else []) + ["core.hooksPath"]
    repo.git("config", *words, "dev/hooks" if place.parent.name == "dev" else str(place))
    if scope == "ignored":
        repo.write(".gitignore", "/dev/\n")
    if scope == "worktree folder":
        repo.write("dev/hooks/readme", "Ours.\n")
    said = repo.tenure("hooks", "install", exits=0 if scope in ("outside", "ignored") else 8)
    if scope in ("outside", "ignored"):
        assert repo.firing() == ALL
        repo.tenure("hooks", "uninstall")
    else:
        assert "tenure hook pre-commit" in said.stdout
    assert [path.name for path in place.iterdir()] == (["readme"] if scope == "worktree folder" else [])
    assert repo.git("config", "core.hooksPath").stdout.strip()


def test_a_tracked_folder_gets_hooks_without_paths_of_this_machine_when_asked(ground: Ground, repo: Repo) -> None:
    """B35: --into-tracked."""
    repo.write("dev/hooks/readme", "Ours.\n")
    repo.git("config", "core.hooksPath", "dev/hooks")
    repo.tenure("hooks", "install", "--into-tracked")
    for event in ALL:
        assert str(ground.root).encode() not in (repo.path / "dev/hooks" / event).read_bytes()
        assert os.sep + "bin" + os.sep + "python" not in (repo.path / "dev/hooks" / event).read_text()
    assert repo.firing() == ALL
    repo.tenure("hooks", "uninstall")
    assert [path.name for path in (repo.path / "dev/hooks").iterdir()] == ["readme"]


def test_b35_an_edited_hook_is_left_to_its_editor(repo: Repo) -> None:
    """B35: neither install nor uninstall overwrites what somebody changed, and neither does half of it."""
    _script(repo)
    repo.tenure("hooks", "install")
    path = repo.hook("commit-msg")
    path.write_text(path.read_text() + "echo mine\n")
    before = repo.snapshot()
    for way in ("install", "uninstall"):
        said = repo.tenure("hooks", way, exits=6)
        assert "edited" in said.stderr
        assert said.stderr.endswith(f"-> tenure hooks {way}\n")
        assert repo.snapshot() == before
    assert repo.states()["commit-msg"]["state"] == "stale"


def test_a_hook_that_goes_by_its_own_name_is_not_moved(repo: Repo) -> None:
    """B35: kept under another name it would do something else."""
    script(repo.hook("pre-commit"), '#!/bin/sh\nexec "$(dirname "$0")/run-$(basename "$0")"\n')
    before = repo.hook("pre-commit").read_bytes()
    said = repo.tenure("hooks", "install", exits=8)
    assert "tenure hook pre-commit" in said.stdout
    assert repo.hook("pre-commit").read_bytes() == before
    assert repo.firing() == ALL - {"pre-commit"}


def test_a_failed_write_leaves_everything_as_it_was(repo: Repo) -> None:
    """R-H7: the third hook cannot be written: the first two are taken back."""
    _script(repo)
    before = repo.snapshot()
    name = repo.hook("commit-msg")
    place = {"PYTHONPATH": f"{repo.ground.root}/patch:{Path(__file__).parents[2] / 'src'}"}
    script(
        repo.ground.root / "patch" / "sitecustomize.py",
        "import os\nreal = os.replace\n"
        f"left = [{str(name)!r}]\ndef replace(a, b):\n"
        "    if str(b) in left: raise OSError(28, 'No space left on device', left.pop())\n"
        "    return real(a, b)\nos.replace = replace\n",
    )
    said = repo.tenure("hooks", "install", exits=9, **place)
    assert "No space left" in said.stderr
    after = repo.snapshot()
    assert {path: after[path] for path in before} == before
    assert set(after) == set(before)


def test_a_shared_repository_gets_hooks_that_all_mayrun(repo: Repo) -> None:
    """R-H7: core.sharedRepository."""
    repo.git("config", "core.sharedRepository", "group")
    old = os.umask(0o077)
    try:
        repo.tenure("hooks", "install")
    finally:
        os.umask(old)
    assert stat.S_IMODE(repo.hook("pre-commit").stat().st_mode) == 0o770
    repo.tenure("hooks", "uninstall")
    repo.git("config", "core.sharedRepository", "0640")
    repo.tenure("hooks", "install")
    assert stat.S_IMODE(repo.hook("pre-commit").stat().st_mode) == 0o750


def test_status_shows_a_worktree_where_no_hook_runs(ground: Ground, repo: Repo) -> None:
    """B10: the effective folder of each worktree, proved there; 8 where it does not run."""
    repo.tenure("hooks", "install")
    repo.git("worktree", "add", "-q", "-b", "side", str(ground.root / "side"))
    side = Repo(ground, ground.root / "side")
    assert side.firing() == ALL
    repo.git("config", "extensions.worktreeConfig", "true")
    side.git("config", "--worktree", "core.hooksPath", "/nonexistent")
    assert side.firing() == set()
    assert repo.firing() == ALL
    done = repo.tenure("hooks", "status", "--all-worktrees", "--json", exits=8)
    found = {(Path(one["worktree"]).name, one["name"]): one["fires"] for one in json.loads(done.stdout)["hooks"]}
    assert found == {(tree, event): tree == "repo" for tree in ("repo", "side") for event in ALL}


def test_hooks_installed_by_another_python_that_is_gone_are_stale(ground: Ground, repo: Repo) -> None:
    """B27, B35: install mends them."""
    repo.tenure("hooks", "install")
    import hashlib

    path = repo.hook("pre-commit")
    text = path.read_text()
    line = next(one for one in text.splitlines() if one.startswith("py="))
    signed = next(one for one in text.splitlines() if one.startswith("# tenure-sum: "))
    text = text.replace(line, "py='/gone/python'").replace(signed, "# tenure-sum: none")
    path.write_text(text.replace("# tenure-sum: none", f"# tenure-sum: {hashlib.sha256(text.encode()).hexdigest()}"))
    assert repo.states()["pre-commit"]["state"] == "stale"
    repo.tenure("hooks", "install")
    assert repo.states()["pre-commit"]["state"] == "installed"


def test_files_of_git_lfs_without_its_push_hook_are_warned_about(repo: Repo) -> None:
    """B35, §1.6: their content would never be uploaded."""
    repo.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
    assert "git-lfs" in repo.tenure("hooks", "install").stderr
    repo.tenure("hooks", "uninstall")
    _git_lfs(repo)
    assert "git-lfs" not in repo.tenure("hooks", "install").stderr


def test_hooks_in_the_configuration_need_a_git_that_runs_them(repo: Repo) -> None:
    """§1.1: older gits ignore the keys without a word."""
    version = tuple(int(part) for part in repo.ask("version").split()[2].split(".")[:2])
    done = repo.tenure("hooks", "install", "--hooks", "config", exits=0 if version >= (2, 54) else 9)
    if version >= (2, 54):
        assert repo.firing() == ALL
        repo.tenure("hooks", "uninstall")
    else:
        assert "2.54" in done.stderr
    assert "hook." not in repo.git("config", "--list").stdout


def test_a_bare_repository_and_a_moved_one_keep_their_hooks(ground: Ground, repo: Repo) -> None:
    """B12: pre-push works where the folder is the git directory; a kept hook is found after the folder moved."""
    _script(repo)
    repo.tenure("hooks", "install")
    moved = Repo(ground, repo.path.rename(ground.root / "moved"))
    moved.commit("Work")
    assert (ground.root / "ran").read_text().count("\n") == 2
    ground.run("git", "clone", "-q", "--bare", str(moved.path), "bare.git", cwd=ground.root)
    bare = Repo(ground, ground.root / "bare.git")
    bare.tenure("hooks", "install")
    assert "pre-push" in bare.firing()
