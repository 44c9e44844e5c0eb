"""Kinds B24, B26 to B33, B38 to B40: terminals, paths, encodings, formats of repositories, read-only folders, cost."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from hooks.ground import ROOT, TASK, Ground, Repo, execs, script
from hooks.scene import PATH, REF, Scene, task_file, wait


def _commit_raw(repo: Repo, words: str, exits: int) -> bytes:
    """Run a commit by a shell line, as a client with odd file descriptors would."""
    done = subprocess.run(
        ["sh", "-c", words], cwd=repo.path, env=repo.ground.environment(), stdin=subprocess.DEVNULL, capture_output=True
    )
    assert done.returncode == exits, done.stderr
    return done.stdout + done.stderr


def test_b24_no_terminal_is_needed_or_read_and_pipes_get_no_colour(ground: Ground, scene: Scene) -> None:
    """B24: descriptors closed, in pipes, under `script`: the same verdict."""
    scene.weaken()
    scene.w.git("add", "-A")
    closed = "git commit -qm x <&- >&- 2>&-"
    _commit_raw(scene.w, closed, 1)
    piped = _commit_raw(scene.w, "git commit -qm x 2>&1 | cat; exit 1", 1)
    assert piped.startswith(b"tenure: refused: ")
    assert b"\x1b" not in piped
    _commit_raw(scene.w, "TERM=xterm CLICOLOR_FORCE=1 git commit -qm x 2>&1 | grep -q tenure", 0)
    if Path("/usr/bin/script").exists():
        said = _commit_raw(scene.w, "script -qec 'git commit -qm x' /dev/null", 1)
        assert b"tenure: refused: " in said
    scene.w.git("reset", "-q", "--hard")
    scene.w.write("src/a.py", "quiet\n")
    scene.w.git("add", "-A")
    _commit_raw(scene.w, closed, 0)
    assert ground.root.exists()


def _venv(ground: Ground) -> Path:
    """An interpreter at a place of its own, with the package beside it, as an installation in a venv has it."""
    venv = ground.root / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    (venv / "lib" / "tenure").symlink_to(ROOT / "src" / "tenure")
    return venv


def _installed_from(ground: Ground, scene: Scene, venv: Path) -> None:
    words = (str(venv / "bin" / "python"), "-c", "from tenure.__main__ import entry; entry()", "hooks", "install")
    ground.run(*words, cwd=scene.w.path, env={"PYTHONPATH": str(ROOT / "src")})


def test_b26_a_client_with_another_path_runs_the_very_same_hook(ground: Ground, scene: Scene) -> None:
    """B26: `env -i`, as a graphical client has it."""
    venv = _venv(ground)
    scene.w.tenure("hooks", "uninstall")
    _installed_from(ground, scene, venv)
    scene.weaken()
    bare = f"env -i HOME={ground.root}/home PATH=/usr/bin:/bin GIT_CONFIG_GLOBAL={ground.root}/gitconfig"
    said = _commit_raw(scene.w, f"{bare} git commit -qam x", 1)
    assert b"tenure: refused: " in said
    scene.w.git("reset", "-q", "--hard")
    venv.rename(ground.root / "elsewhere")
    scene.w.write("src/a.py", "work\n")
    said = _commit_raw(scene.w, f"{bare} git commit -qam x", 0)
    assert said.count(b"\n") == 1
    assert b"tenure: hook error (not blocking): " in said
    assert b"tenure hooks install" in said


def test_b27_a_moved_venv_is_told_where_it_matters_and_blocks_nothing(ground: Ground, scene: Scene) -> None:
    """B27, R-H4: silent without a claim, a warning with one, a refusal with tenure.strict; broken Pythons too."""
    venv = _venv(ground)
    scene.w.tenure("hooks", "uninstall")
    _installed_from(ground, scene, venv)
    poison: dict[str, Any] = {"PYTHONHOME": "/x", "PYTHONPATH": str(ground.root / "broken")}
    script(ground.root / "broken" / "yaml.py", "raise SystemExit(3)\n")
    script(ground.root / "broken" / "os.py", "raise SystemExit(3)\n")
    assert "hook error" not in scene.work("Isolated", **poison)
    venv.rename(ground.root / "venv2")
    scene.weaken()
    assert "not blocking" in scene.w.git("commit", "-q", "-am", "Nobody could tell").stderr
    assert "not blocking" in scene.w.git("push", "-q", "origin", "main").stderr
    scene.w.git("config", "tenure.strict", "true")
    scene.w.write("src/a.py", "strict\n")
    assert "tenure.strict" in scene.w.commit("Strict", exits=1).stderr
    assert "tenure.strict" in scene.push("main:refs/heads/strict", exits=1)
    quiet = ground.repo("quiet")
    for event in ("pre-commit", "pre-push"):
        script(quiet.hook(event), scene.w.hook(event).read_text())
    assert quiet.commit("No claim here").stderr == ""


def test_b28_hooks_keep_their_line_ends_through_a_windows_clone(ground: Ground) -> None:
    """B28: core.autocrlf puts no CR into a hook of the repository; the shells' own reading is in test_shims."""
    source = ground.repo("source")
    for name in ("pre-commit", "pre-push", "commit-msg"):
        source.write(f"hooks/{name}", (ROOT / "hooks" / name).read_text())
    source.write(".gitattributes", (ROOT / ".gitattributes").read_text())
    source.commit("Hooks")
    ground.run("git", "-c", "core.autocrlf=true", "clone", "-q", "source", "windows", cwd=ground.root)
    assert b"\r" not in (ground.root / "windows" / "hooks" / "pre-commit").read_bytes()


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8"])
def test_b29_no_letter_can_change_a_verdict(ground: Ground, locale: str) -> None:
    """B29: letters beyond ASCII in criterion and holder, printed under any locale and any encoding."""
    scene = Scene(ground, claimed=False)
    path = scene.w.path / PATH
    path.write_text(path.read_text().replace("Every session token", "Jedes ‘Token’ ✔ 密"), "utf-8")
    scene.w.commit("Letters")
    who: dict[str, Any] = {"ANK_AGENT": "human:zoë"}
    scene.w.tenure("claim", TASK, **who)
    scene.w.commit("Take it", **who)
    path.write_text(path.read_text("utf-8").replace("opaque", "dünn ✔"), "utf-8")
    env: dict[str, Any] = {"LC_ALL": locale, "PYTHONIOENCODING": "ascii", **who}
    said = scene.w.commit("Soften", exits=1, **env).stderr
    assert said.isascii()
    assert f"refused: {TASK}" in said
    _commit_raw(scene.w, "git commit -qm x 2>/dev/full", 1)
    _commit_raw(scene.w, "{ git commit -qm x 2>&1; echo $? >../code; } | true", 0)
    wait("the commit nobody listens to", lambda: (ground.root / "code").exists())
    assert (ground.root / "code").read_text() == "1\n"
    scene.w.git("commit", "-q", "--no-verify", "-am", "Soften")
    assert "refused" in scene.push("main", exits=1, **env)


ODD = ('a b "quoted"', "-dash", "new\nline", "umlaut-ü", "back\\slash")


@pytest.mark.parametrize("folder", ODD)
def test_b30_odd_paths_and_odd_settings_hide_no_task(ground: Ground, folder: str) -> None:
    """B30: every path by -z, every setting of diff neutralised."""
    path = f"{folder}/.ank/entities/{TASK}.md"
    scene = Scene(ground, claimed=False, path=path)
    settings = {
        "core.quotePath": "true",
        "diff.noprefix": "true",
        "diff.external": "false",
        "diff.relative": "true",
        "diff.renames": "copies",
        "color.ui": "always",
        "diff.mnemonicPrefix": "true",
        "diff.orderFile": os.devnull,
        "status.relativePaths": "true",
    }
    for key, value in settings.items():
        scene.w.git("config", key, value)
    scene.held_by("human:bob")
    scene.weaken()
    assert f"refused: {TASK}" in scene.w.commit("Soften", exits=1).stderr
    scene.w.git("reset", "-q", "--hard")
    scene.w.git("mv", "--", path, "away.md")
    assert f"refused: {TASK}" in scene.w.git("commit", "-q", "-m", "Out of reach", exits=1).stderr
    scene.w.git("commit", "-q", "--no-verify", "-m", "Out of reach")
    assert f"refused: {TASK}" in scene.push("main", exits=1)
    scene.w.git("reset", "-q", "--hard", "HEAD~1")
    scene.weaken()
    scene.w.git("commit", "-q", "--no-verify", "-am", "Soften")
    assert f"refused: {TASK}" in scene.push("main", exits=1)


@pytest.mark.parametrize("kind", ["--filter=blob:none", "--filter=tree:0"])
def test_b31_a_partial_and_sparse_clone_is_judged_without_fetching_in_a_commit(
    ground: Ground, scene: Scene, kind: str
) -> None:
    """B31: no fetch child under pre-commit; the task file need be neither in the working tree nor in the clone."""
    part = _part(scene, kind)
    state = part.common / "tenure" / "claims" / TASK
    state.parent.mkdir(parents=True)
    state.write_text((scene.w.common / "tenure" / "claims" / TASK).read_text())
    part.wake()
    trace = ground.root / "trace"
    part.write("src/a.py", "work\n")
    part.git("add", "src")
    assert part.git("commit", "-q", "-m", "Work", GIT_TRACE2_EVENT=str(trace)).stderr == ""
    begun, _, hook = trace.read_text().partition('"hook_name":"pre-commit"')
    assert begun
    assert not re.search(r'"argv":\[[^]]*"fetch"', hook.partition('"hook_name":"commit-msg"')[0])
    assert _lacks(part), "nothing was missing any more: the hook fetched it, or the test shows nothing"
    part.git("sparse-checkout", "disable")
    scene.weaken(part)
    assert "refused" in part.git("commit", "-q", "-am", "Soften", exits=1).stderr
    part.git("commit", "-q", "--no-verify", "-am", "Soften")
    assert "refused" in part.git("push", "-q", "origin", "main", exits=1).stderr


def _part(scene: Scene, kind: str) -> Repo:
    """A partial clone in which the task's file never was."""
    scene.origin.git("config", "uploadpack.allowFilter", "true")
    scene.origin.git("config", "uploadpack.allowAnySHA1InWant", "true")
    part = scene.clone("part", kind, "--no-checkout")
    part.git("sparse-checkout", "set", "src")
    part.git("checkout", "-q", "main")
    part.git("fetch", "-q", "origin", f"{REF}:{REF}")
    assert not (part.path / PATH).exists()
    assert _lacks(part)
    return part


def _lacks(part: Repo) -> bool:
    """Whether the clone lacks the task's file: asked without a fetch for it."""
    return "?" in part.git("rev-list", "--objects", "--missing=print", "HEAD").stdout


def test_b31_a_push_asks_once_for_what_a_partial_clone_left_behind(ground: Ground, scene: Scene) -> None:
    """B31, R-H4: then it is judged; where nobody answers it is said, and refused with tenure.strict."""
    part = _part(scene, "--filter=blob:none")
    other = scene.clone("other", hooks=False)
    path = other.path / PATH
    path.write_text(path.read_text().replace("Notes.", "Better notes."))
    other.git("commit", "-q", "-am", "Notes", ANK_AGENT="human:bob")
    other.git("push", "-q", "origin", "main")
    scene.bad(other)
    other.git("push", "-q", "--no-verify", "origin", "HEAD:refs/heads/bad")
    fork = str(ground.origin("f.git"))
    part.git("fetch", "-q")
    part.git("reset", "-q", "--hard", "origin/main")
    done = part.git("push", "-q", fork, "main")
    assert "not judged" not in done.stderr
    assert "not blocking" not in done.stderr
    part.git("reset", "-q", "--hard", "origin/bad")
    part.git("update-ref", "-d", "refs/remotes/origin/bad")  # else it is public
    part.git("remote", "set-url", "origin", str(ground.root / "nowhere"))
    assert "not judged" in part.git("push", "-q", fork, "main:refs/heads/b", exits=1).stderr
    part.git("config", "tenure.strict", "true")
    assert "tenure.strict" in part.git("push", "-q", fork, "main:refs/heads/b", exits=1).stderr
    part.git("config", "tenure.strict", "false")
    part.git("remote", "set-url", "origin", f"file://{scene.origin.path}")
    assert f"refused: {TASK}" in part.git("push", "-q", fork, "main:refs/heads/b", exits=1).stderr


def _cycle(ground: Ground, repo: Repo, origin: Path) -> None:
    """Claim, commit, refused edit, push, in a repository of some format."""
    repo.write(".ank/config.yml", "schema: 1\ndefault_branch: main\n")
    repo.write(PATH, task_file())
    repo.write("src/a.py", "a\n")
    repo.commit("Begin")
    repo.git("push", "-q", "-u", "origin", "HEAD:refs/heads/main")
    repo.tenure("hooks", "install")
    repo.tenure("claim", TASK)
    repo.write("src/a.py", "b\n")
    assert "hook error" not in repo.commit("Work").stderr
    path = repo.path / PATH
    path.write_text(path.read_text().replace("Every session", "Some session"))
    assert "refused" in repo.commit("Soften", exits=1).stderr
    repo.git("commit", "-q", "--no-verify", "-am", "Soften")
    assert "refused" in repo.git("push", "-q", "origin", "HEAD:refs/heads/main", exits=1).stderr
    repo.git("push", "-q", "origin", "HEAD~1:refs/heads/main", ":refs/heads/none", exits=None)
    assert Repo(ground, origin).ask("rev-parse", "main") == repo.ask("rev-parse", "HEAD~1")


@pytest.mark.parametrize("kind", ["sha256", "reftable", "packed", "shared", "relative worktree"])
def test_b32_every_format_that_this_git_reads_is_served(ground: Ground, kind: str) -> None:
    """B32: sha256, packed refs, alternates; reftable and relative worktrees where the git at hand has them."""
    words = {"sha256": ["--object-format=sha256"], "reftable": ["--ref-format=reftable"]}.get(kind, [])
    made = ground.run("git", "init", "-q", "--bare", *words, "o.git", cwd=ground.root, exits=None)
    if made.returncode:
        pytest.skip(f"this git has no {kind}")
    origin = ground.root / "o.git"
    if kind == "shared":
        seed = ground.repo("seed")
        ground.run("git", "clone", "-q", "--shared", str(seed.path), "r", cwd=ground.root)
        Repo(ground, ground.root / "r").git("remote", "set-url", "origin", str(origin))
    else:
        ground.run("git", "init", "-q", *words, "r", cwd=ground.root)
        Repo(ground, ground.root / "r").git("remote", "add", "origin", str(origin))
    repo = Repo(ground, ground.root / "r")
    if kind == "packed":
        for _ in range(2):
            repo.commit("Something")
        repo.git("pack-refs", "--all")
    if kind == "relative worktree":
        repo.commit("Something")
        done = repo.git(
            "worktree", "add", "-q", "--relative-paths", "-b", "side", str(ground.root / "side"), exits=None
        )
        if done.returncode:
            pytest.skip(f"this git has no {kind}")
        repo = Repo(ground, ground.root / "side")
    _cycle(ground, repo, origin)
    if kind == "packed":
        repo.git("pack-refs", "--all")
        repo.write("src/a.py", "c\n")
        assert "hook error" not in repo.commit("Packed").stderr


def test_b33_what_cannot_be_written_stops_nobody_and_no_safe_directory_is_added(scene: Scene) -> None:
    """B33: claim refs or state folder that cannot be written: no renewal, the commit goes through."""
    w = scene.w
    before = w.ask("rev-parse", REF)
    config = Path(scene.ground.root / "gitconfig").read_bytes()
    stuck = w.common / f"{REF}.lock"
    stuck.parent.mkdir(parents=True, exist_ok=True)
    stuck.touch()
    time.sleep(1.1)
    said = scene.work("Work")
    assert "Traceback" not in said
    assert w.ask("rev-parse", REF) == before
    stuck.unlink()
    state = w.common / "tenure"
    state.rename(w.common / "tenure-away")
    state.write_text("a file where the folder would be\n")
    assert "Traceback" not in scene.work("More work")
    state.unlink()
    (w.common / "tenure-away").rename(state)
    w.git("commit", "-q", "--allow-empty", "-m", "x", exits=128, GIT_TEST_ASSUME_DIFFERENT_OWNER="1")
    assert Path(scene.ground.root / "gitconfig").read_bytes() == config


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("place", ["refs/ank", "tenure"])
def test_b33_a_read_only_folder_costs_the_renewal_and_one_line(scene: Scene, place: str, strict: bool) -> None:
    """B33, R-H4: as a sandbox has it; the verdict needs no write, and a renewal that failed is no missing verdict."""
    w = scene.w
    w.git("config", "tenure.strict", str(strict).lower())
    scene.shorten(400)
    before = w.ask("rev-parse", REF)
    plain = _without_powers(scene.ground)
    subprocess.run(["chmod", "-R", "a-w", str(w.common / place)], check=True)
    try:
        w.write("src/a.py", "work\n")
        w.git("add", "-A")
        said = scene.ground.run(*plain, "git", "commit", "-q", "-m", "Work", cwd=w.path).stderr
        assert len([line for line in said.splitlines() if line.startswith("tenure: ")]) == 1, said
        assert "ermission denied" in said
        scene.weaken()
        w.git("add", "-A")
        said = scene.ground.run(*plain, "git", "commit", "-q", "-m", "Soften", cwd=w.path, exits=1).stderr
        assert f"refused: {TASK}" in said
        scene.ground.run(*plain, "git", "push", "-q", "origin", "main", cwd=w.path)
    finally:
        subprocess.run(["chmod", "-R", "u+w", str(w.common / place)], check=True)
    if place == "refs/ank":
        assert w.ask("rev-parse", REF) == before


def _without_powers(ground: Ground) -> tuple[str, ...]:
    """For root, to whom no folder is read-only: without the powers to pass over permissions."""
    if os.geteuid() != 0:
        return ()
    ground.tool("setpriv")
    drop = "-dac_override,-dac_read_search,-fowner"
    return ("setpriv", f"--bounding-set={drop}", f"--inh-caps={drop}")


def test_b38_verify_finds_what_no_hook_saw(scene: Scene) -> None:
    """B38: a commit by libgit2 runs no hook, a push with --no-verify neither; CI says the same as they would have."""
    pygit2 = pytest.importorskip("pygit2")
    scene.weaken()
    opened = pygit2.Repository(str(scene.w.path))
    opened.index.add(PATH)
    opened.index.write()
    who = pygit2.Signature("Ada", "ada@example.org")
    opened.create_commit("HEAD", who, who, "Unseen", opened.index.write_tree(), [opened.head.target])
    scene.w.git("push", "-q", "--no-verify", "origin", "main")
    said = scene.w.tenure("verify", "main~1..main", exits=8)
    assert TASK in said.stdout + said.stderr


def test_b39_an_idle_commit_costs_one_git_process_and_little_time(ground: Ground, repo: Repo) -> None:
    """B39, R-H6: two shells, one for-each-ref; the ratios are in `make bench`."""
    plain, ours = ground.repo("plain"), repo
    ours.tenure("hooks", "install")
    for event in ("pre-commit", "commit-msg"):
        script(plain.hook(event), "#!/bin/sh\nexit 0\n")
    trace = ground.root / "trace"
    words = ("strace", "-f", "-qq", "-e", "trace=execve", "-o", str(trace), "git", "commit", "-q", "--allow-empty")
    ground.run(*words, "-m", "Idle", cwd=ours.path)
    assert [Path(call[0]).name for call in execs(trace)][:4] == ["git", "pre-commit", "git", "commit-msg"]
    times: dict[str, list[float]] = {"plain": [], "ours": []}
    for _ in range(15):
        for name, one in (("plain", plain), ("ours", ours)):
            begun = time.perf_counter()
            one.git("commit", "-q", "--allow-empty", "-m", "Idle")
            times[name].append(time.perf_counter() - begun)
    assert min(times["ours"]) - min(times["plain"]) < 0.010


def test_b39_a_hundred_commits_where_nothing_is_claimed_say_nothing(repo: Repo) -> None:
    """Issue "Shown by": 0 lines."""
    repo.tenure("hooks", "install")
    assert "".join(repo.git("commit", "-q", "--allow-empty", "-m", "Idle").stderr for _ in range(100)) == ""


def test_b40_no_monitor_of_the_worktree_is_woken_and_no_lock_is_taken(scene: Scene) -> None:
    """B40: core.fsmonitor is off for our own commands; the index is not refreshed by them."""
    seen = scene.ground.root / "woken"
    monitor = script(scene.ground.root / "monitor", f'#!/bin/sh\nps -o args= -p $PPID >>{seen}\nprintf "/\\0"\n')
    scene.w.git("config", "core.fsmonitor", str(monitor))
    scene.w.git("config", "core.fsmonitorHookVersion", "1")
    scene.weaken()
    assert "refused" in scene.w.git("commit", "-q", "-am", "Soften", exits=1).stderr
    scene.w.git("reset", "-q", "--hard")
    scene.work("Work")
    callers = seen.read_text().splitlines() if seen.exists() else []
    assert not [
        line for line in callers if re.search(r"git (.* )?(diff|for-each-ref|cat-file|ls-files|rev-parse)", line)
    ]
    assert not os.path.exists(scene.w.git_dir / "index.lock")
