"""The shims alone: an engine that only writes down its calls stands where the real one would."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hooks.ground import CLAIM, SHIMS, TASK, Engine, Ground, Repo, baked, execs, script

EVENTS = ("pre-commit", "pre-push", "commit-msg")
ALL = (*EVENTS, "pre-receive")
ZERO = "0" * 40
SHELLS = (["dash"], ["busybox", "sh"], ["bash", "--posix"])


@pytest.mark.parametrize("event", ALL)
def test_b28_every_shell_reads_a_shim_and_shellcheck_has_nothing_to_say(event: str) -> None:
    """B28: POSIX sh, LF, first line /bin/sh, nothing derived from $0."""
    path = SHIMS / event
    data = path.read_bytes()
    assert data.startswith(b"#!/bin/sh\n")
    assert b"\r" not in data
    assert data.isascii()
    assert b"$0" not in data
    assert b"dirname" not in data
    assert b"/usr/bin/env" not in data
    for shell in SHELLS:
        subprocess.run([*shell, "-n", str(path)], check=True)
    subprocess.run(["shellcheck", "-s", "sh", str(path)], check=True)


def test_what_the_shims_share_is_the_same_text_in_each() -> None:
    """R-H6: a self-contained file an event, so that managers may rename and copy it; kept alike here."""
    for part, events in (("shared", ALL), ("engine", [event for event in ALL if event != "commit-msg"])):
        texts = {
            (SHIMS / event).read_text().split(f"# {part}: begin")[1].split(f"# {part}: end")[0] for event in events
        }
        assert len(texts) == 1, part


def _started(ground: Ground, repo: Repo, *words: str) -> list[str]:
    trace = ground.root / "trace"
    ground.run("strace", "-f", "-qq", "-s", "200", "-e", "trace=execve", "-o", str(trace), "git", *words, cwd=repo.path)
    own = [call for call in execs(trace) if call[:2] != ["git", words[0]]]
    return [" ".join(call[:2]) if Path(call[0]).name == "git" else Path(call[0]).name for call in own]


def test_a_commit_where_nobody_claims_starts_one_git_and_no_python(ground: Ground, repo: Repo, engine: Engine) -> None:
    """R-H6, B39: two shims and one for-each-ref, nothing else, also beside completions."""
    engine.install(repo)
    repo.record("state: completed\nbranch: state\n")
    started = _started(ground, repo, "commit", "-q", "--allow-empty", "-m", "Idle")
    started = [name for name in started if name not in ("git maintenance", "git gc")]
    assert started == ["pre-commit", "git for-each-ref", "commit-msg"]
    assert engine.calls == []


def test_beside_claims_of_others_only_a_staged_task_file_wakes_python(
    ground: Ground, repo: Repo, engine: Engine
) -> None:
    """R-H6: one `diff --cached --quiet` more, and no Python without a staged task file."""
    engine.install(repo)
    repo.record(under="refs/tenure/origin/claims")
    repo.write("src/x", "x")
    repo.git("add", ".")
    started = _started(ground, repo, "commit", "-q", "-m", "Idle")
    assert [name for name in started if name.startswith("git ") and "maintenance" not in name] == [
        "git for-each-ref",
        "git -c",
    ]
    assert engine.calls == []
    for path in (f"deep/er/.ank/entities/{TASK}.md", f".ank/tasks/{TASK}.md"):
        repo.write(path, "---\n")
        repo.commit("A task file")
        assert [call[0] for call in engine.calls] == [["pre-commit"]], path
        engine.forget()


def test_magit_s_literal_pathspecs_hide_no_task_file(repo: Repo, engine: Engine) -> None:
    """B30: a front end that sets GIT_LITERAL_PATHSPECS for the whole commit."""
    engine.install(repo)
    repo.record()
    repo.write(f".ank/tasks/{TASK}.md", "---\n")
    repo.git("add", ".")
    repo.git("--literal-pathspecs", "commit", "-q", "-m", "From magit")
    assert len(engine.calls) == 1


def test_a_wake_file_calls_the_engine_at_once_isolated_and_with_the_number_of_the_commit(
    repo: Repo, engine: Engine
) -> None:
    """R-H6, R-K4: no for-each-ref is needed when this clone holds something."""
    engine.install(repo)
    repo.wake()
    trace = repo.ground.root / "trace2"
    repo.commit("Awake", GIT_TRACE2_EVENT=str(trace))
    ((words, _, pid, isolated),) = engine.calls
    assert words == ["pre-commit"]
    assert isolated
    assert "for-each-ref" not in trace.read_text()
    commits = [line for line in trace.read_text().splitlines() if '"commit","-q"' in line and '"start"' in line]
    assert f"P{int(pid):08x}" in commits[0]


@pytest.mark.parametrize(("code", "exits"), [(0, 0), (73, 1), (1, 0), (2, 0), (49, 0), (126, 0), (127, 0)])
def test_b27_only_the_hand_shake_refuses(repo: Repo, engine: Engine, code: int, exits: int) -> None:
    """B27, R-H4: 73 refuses; every other end is no verdict: one line, and the commit goes through."""
    engine.install(repo)
    repo.wake()
    engine.ends(code)
    said = repo.commit("Work", exits=exits).stderr
    lines = [line for line in said.splitlines() if line.startswith("tenure: ")]
    assert len(lines) == (0 if code in (0, 73) else 1)
    assert all(line.startswith("tenure: hook error (not blocking): ") for line in lines)
    if code not in (0, 73):
        repo.git("config", "tenure.strict", "true")
        assert "tenure.strict" in repo.commit("Strict", exits=1).stderr
        repo.git("config", "tenure.enabled", "false")
        assert repo.commit("Disabled").stderr == ""


def test_a_killed_engine_is_no_refusal(repo: Repo, engine: Engine) -> None:
    """B27: a signal is not a verdict."""
    engine.install(repo)
    repo.wake()
    (engine.package / "faces/hooks/entry.py").write_text("import os; os.kill(os.getpid(), 9)\n")
    assert "not blocking" in repo.commit("Work").stderr


def test_without_its_interpreter_a_shim_falls_back_to_the_path(ground: Ground, repo: Repo, engine: Engine) -> None:
    """B26, B27: baked path, then `tenure` on PATH, then one line naming the fix."""
    engine.install(repo, python=str(ground.root / "gone" / "python"))
    repo.commit("Silent where nothing is claimed")
    repo.wake()
    said = repo.commit("Nothing there", exits=0).stderr
    assert said.count("\n") == 1
    assert "tenure hooks install" in said
    entry = engine.package / "faces/hooks/entry.py"
    script(ground.root / "bin" / "tenure", f'#!/bin/sh\nshift\nexec {sys.executable} -I {entry} "$@"\n')
    assert repo.commit("On the path").stderr == ""
    assert engine.calls[-1][0] == ["pre-commit"]
    engine.ends(73)
    repo.commit("Refused by it", exits=1)
    script(ground.root / "bin" / "tenure", "#!/bin/sh\necho 'pyenv: tenure: command not found' >&2\nexit 127\n")
    assert "not blocking" in repo.commit("A dead shim of pyenv").stderr


def test_b26_a_file_of_the_user_s_own_sets_what_a_graphical_client_lacks(
    ground: Ground, repo: Repo, engine: Engine
) -> None:
    """B26: read where the engine is started and nowhere else; a broken one costs a line and no commit."""
    ground.origin()
    engine.install(repo, "pre-commit", "pre-push", python=str(ground.root / "gone"))
    own = ground.root / "home" / ".config" / "tenure" / "hooks-env.sh"
    script(own, f"cat; echo read >>{ground.root}/read; PATH=$PATH:{ground.root}/more; export PATH\n", 0o644)
    entry = engine.package / "faces/hooks/entry.py"
    script(ground.root / "more" / "tenure", f'#!/bin/sh\nshift\nexec {sys.executable} -I {entry} "$@"\n')
    assert repo.commit("Quiet").stderr == ""
    assert not (ground.root / "read").exists()
    repo.wake()
    assert repo.commit("Work").stderr == ""
    assert _push(ground, repo, "main") == ""
    assert [call[0][0] for call in engine.calls] == ["pre-commit", "pre-push"]
    assert engine.calls[1][1].startswith(b"refs/heads/main ")
    own.write_text(f"PATH=$PATH:{ground.root}/more; false\n")
    assert repo.commit("Its last command fails").stderr == ""
    for broken in ("if\n", "exit 0\n", "exit 3\n"):
        own.write_text(broken)
        said = repo.commit("Work").stderr
        assert f"tenure: left out, since it ends the shell: {own}" in said
        assert "not blocking" in said


@pytest.mark.parametrize("kept", ["", "@hooks/lost."])
def test_b29_a_line_that_nobody_can_read_is_no_refusal(ground: Ground, repo: Repo, engine: Engine, kept: str) -> None:
    """B29, R-H4: standard error is a full disk, or a pipe that is closed."""
    engine.install(repo, kept=kept)
    repo.wake()
    engine.ends(1)
    for where in ("2>/dev/full", "2>&1 | true"):
        line = f"{{ git commit -q --allow-empty -m Work; echo $? >../code; }} {where}; sleep 0.3; cat ../code"
        assert ground.run("bash", "-c", line, cwd=repo.path).stdout == "0\n", where
    engine.ends(73)
    line = "{ git commit -q --allow-empty -m Work; echo $? >../code; } 2>/dev/full; cat ../code"
    assert ground.run("bash", "-c", line, cwd=repo.path).stdout == "1\n"


def test_a_python_that_ends_with_49_is_not_available(ground: Ground, repo: Repo, engine: Engine) -> None:
    """B27: the store's stub ends so, without a word."""
    engine.install(repo, python=str(script(ground.root / "python", "#!/bin/sh\nexit 49\n")))
    repo.wake()
    assert "ended with 49" in repo.commit("Work").stderr


def test_b28_odd_paths_are_baked_safely(ground: Ground, repo: Repo) -> None:
    """B28: blanks, quotes, `$`, a backslash and letters beyond ASCII in interpreter and package."""
    folder = ground.root / "a b'c\"d$HOME\\e-ü"
    folder.mkdir()
    python = script(folder / "py $(touch x) th", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    engine = Engine(folder / "lib")
    engine.install(repo, python=str(python))
    repo.wake()
    assert repo.commit("Work").stderr == ""
    assert len(engine.calls) == 1


def _push(ground: Ground, repo: Repo, *words: str, exits: int | None = 0, **env: str) -> str:
    return repo.git("push", "-q", str(ground.root / "origin.git"), *words, exits=exits, **env).stderr


def test_pre_push_hands_the_engine_every_byte(ground: Ground, repo: Repo, engine: Engine) -> None:
    """B15, B19: all lines, as git gave them, and both arguments."""
    ground.origin()
    engine.install(repo, "pre-push")
    repo.record()
    for name in ("one", "two"):
        repo.git("branch", name)
    _push(ground, repo, "one", "two")
    ((words, lines, _, _),) = engine.calls
    assert words == ["pre-push", str(ground.root / "origin.git"), str(ground.root / "origin.git")]
    oid = repo.ask("rev-parse", "HEAD")
    assert lines == b"".join(f"refs/heads/{b} {oid} refs/heads/{b} {ZERO}\n".encode() for b in ("one", "two"))


def test_pre_push_is_quiet_where_nothing_is_claimed_but_never_about_the_claim_refs(
    ground: Ground, repo: Repo, engine: Engine
) -> None:
    """R-H6, B13, B37: deletions pass by; a line that names a claim ref always goes to the guard."""
    ground.origin()
    engine.install(repo, "pre-push")
    for words in (("main", "HEAD:refs/heads/b"), (":b",)):
        _push(ground, repo, *words)
    assert engine.calls == []
    repo.record()
    repo.git("push", "-q", "--no-verify", str(ground.root / "origin.git"), f"refs/ank/claims/{TASK}")
    repo.git("update-ref", "-d", f"refs/ank/claims/{TASK}")
    engine.ends(73)
    _push(ground, repo, f":refs/ank/claims/{TASK}", exits=1)
    assert len(engine.calls) == 1


@pytest.mark.parametrize("event", ["pre-commit", "commit-msg"])
def test_a_hook_from_before_runs_with_its_arguments_and_its_verdict_stands(
    ground: Ground, repo: Repo, engine: Engine, event: str
) -> None:
    """R-H7: exit code and arguments; under the common git directory or by an absolute path."""
    other = repo.hook(event).with_name(f"{event}.before")
    script(other, f'#!/bin/sh\nprintf "%s\\n" "$#" "$@" >"{ground.root}/args"\nexit "$(cat "{ground.root}/verdict")"\n')
    for kept in (f"@hooks/{event}.before", str(other)):
        script(repo.hook(event), baked(event, sys.executable, str(engine.package), kept))
        (ground.root / "verdict").write_text("0")
        repo.commit("Goes on")
        assert (ground.root / "args").read_text() == ("0\n" if event == "pre-commit" else "1\n.git/COMMIT_EDITMSG\n")
        (ground.root / "verdict").write_text("3")
        repo.commit("Refused", exits=1)


def test_the_verdict_is_on_what_the_chained_hook_staged(ground: Ground, repo: Repo, engine: Engine) -> None:
    """R-H1: the hook from before comes first in a commit, since it may stage."""
    repo.record()
    engine.install(repo, "pre-commit", kept="@hooks/before.")
    stage = f"mkdir -p .ank/tasks; echo x >.ank/tasks/{TASK}.md; git add .ank\n"
    script(repo.common / "hooks" / "before.pre-commit", f"#!/bin/sh\n{stage}")
    repo.commit("Staged by the other hook")
    assert len(engine.calls) == 1


@pytest.mark.parametrize("env", [{}, {"TENURE": "0"}, {"SKIP": "a,tenure"}, {"SKIP": " tenure"}, {"SKIP": "tenure-x"}])
def test_skips_leave_out_ours_and_run_what_is_chained(
    ground: Ground, repo: Repo, engine: Engine, env: dict[str, str]
) -> None:
    """R-H8: TENURE=0 and `tenure` as one item of SKIP; a longer name is another hook's."""
    ground.origin()
    engine.ends(73)
    engine.install(repo, kept="@hooks/before.")
    for event in EVENTS:
        script(repo.common / "hooks" / f"before.{event}", f"#!/bin/sh\necho {event} >>{ground.root}/ran\n")
    repo.wake()
    refused = env in ({}, {"SKIP": "tenure-x"})
    repo.commit("Work", exits=1 if refused else 0, **env)
    _push(ground, repo, "main", exits=1 if refused else 0, **env)
    ran = ["pre-commit"] if refused else ["pre-commit", "commit-msg", "pre-push"]
    assert (ground.root / "ran").read_text().split() == ran
    assert bool(engine.calls) == refused


def _feed(repo: Repo, lines: bytes, *words: str, exits: int | None = 0, **env: str) -> None:
    repo.ground.run(str(repo.hook("pre-push")), *words, cwd=repo.path, stdin=lines, exits=exits, env=env)


MANY = b"".join(b"refs/heads/b%d %s refs/heads/b%d %s\n" % (n, b"1" * 40, n, b"0" * 40) for n in range(3000))


@pytest.mark.parametrize("env", [{}, {"TENURE": "0"}, {"SKIP": "tenure"}])
@pytest.mark.parametrize("awake", [True, False])
def test_b19_a_chained_pre_push_gets_the_very_same_bytes(
    ground: Ground, repo: Repo, engine: Engine, awake: bool, env: dict[str, str]
) -> None:
    """B19: none, one without a line end, blank lines at the end, bytes that are no UTF-8, 3000 lines."""
    engine.install(repo, "pre-push", kept="@hooks/before.")
    script(
        repo.common / "hooks" / "before.pre-push",
        f'#!/bin/sh\ncat >"{ground.root}/lines"\nprintf "%s|" "$@" >"{ground.root}/args"\nexit 5\n',
    )
    if awake:
        repo.wake()
    for lines in (b"", b"refs/heads/x 1 refs/heads/x 0", b"a b c d\n\n\n", b"refs/heads/\xff\xe9 1 r 0\n", MANY):
        _feed(repo, lines, "my remote", "file:///a b", exits=5, **env)
        assert (ground.root / "lines").read_bytes() == lines
        assert (ground.root / "args").read_text() == "my remote|file:///a b|"


def test_a_chained_hook_that_reads_nothing_is_no_error(repo: Repo, engine: Engine) -> None:
    """B19: 450 KB that nobody wants."""
    engine.install(repo, "pre-push", kept="@hooks/before.")
    script(repo.common / "hooks" / "before.pre-push", "#!/bin/sh\nexit 0\n")
    _feed(repo, MANY, "origin", "url")


def test_ours_refuses_before_a_chained_push_hook_could_upload(repo: Repo, engine: Engine) -> None:
    """R-H7: pre-push: ours first."""
    engine.install(repo, "pre-push", kept="@hooks/before.")
    script(repo.common / "hooks" / "before.pre-push", f"#!/bin/sh\necho ran >{repo.path}/ran\n")
    repo.wake()
    engine.ends(73)
    _feed(repo, b"refs/heads/x 1 refs/heads/x 0\n", "origin", "url", exits=1)
    assert not (repo.path / "ran").exists()


def test_a_kept_hook_that_was_not_executable_is_still_not_run_and_a_lost_one_is_said(
    repo: Repo, engine: Engine
) -> None:
    """R-H7: git would not have run it either."""
    engine.install(repo, "pre-commit", kept="@hooks/before.")
    other = script(repo.common / "hooks" / "before.pre-commit", "#!/bin/sh\nexit 1\n", mode=0o644)
    assert repo.commit("Not executable").stderr == ""
    other.unlink()
    assert "is gone" in repo.commit("Lost").stderr


def test_b21_the_guard_stops_our_own_calls_in_this_clone_and_in_no_other(
    ground: Ground, repo: Repo, engine: Engine
) -> None:
    """B21: keyed by the common git directory; standard input is read all the same."""
    engine.install(repo)
    repo.wake()
    repo.git("worktree", "add", "-q", "-b", "side", str(ground.root / "side"))
    side = Repo(ground, ground.root / "side")
    for place in (repo, side):
        place.commit("Ours", TENURE_GUARD=str(repo.common))
        _feed(place, MANY, "origin", "url", TENURE_GUARD=str(repo.common))
    assert engine.calls == []
    for guard in (str(ground.root), str(ground.root / "nowhere"), ""):
        repo.commit("Another's", TENURE_GUARD=guard)
        assert len(engine.calls) == 1
        engine.forget()


def test_a_probe_touches_its_file_and_does_nothing_else(ground: Ground, repo: Repo, engine: Engine) -> None:
    """R-H7, B35: what `hooks status` asks."""
    engine.install(repo, kept="@hooks/before.")
    repo.wake()
    engine.ends(73)
    for event in EVENTS:
        script(repo.common / "hooks" / f"before.{event}", "#!/bin/sh\nexit 1\n")
        mark = ground.root / f"mark-{event}"
        repo.git("hook", "run", event, TENURE_PROBE=str(mark))
        assert mark.exists()
        assert engine.calls == []
    repo.git("hook", "run", "pre-commit", TENURE_PROBE=str(ground.root / "no" / "such"))


def test_hooks_fire_in_worktrees_submodules_and_separate_git_folders(
    ground: Ground, repo: Repo, engine: Engine
) -> None:
    """B10, B11, B12: the wake file of the clone is found from each; another clone's is not."""
    repo.wake()
    engine.install(repo)
    repo.git("worktree", "add", "-q", "-b", "side", str(ground.root / "side"))
    Repo(ground, ground.root / "side").commit("In a worktree")
    assert len(engine.calls) == 1
    outer = ground.repo("outer")
    outer.git("submodule", "add", "-q", str(repo.path), "sub")
    sub = Repo(ground, outer.path / "sub")
    engine.install(outer)
    engine.install(sub)
    engine.forget()
    outer.wake()
    sub.commit("In a submodule: its own clone sleeps")
    assert engine.calls == []
    outer.commit("In the superproject")
    assert len(engine.calls) == 1
    ground.run("git", "init", "-q", "--separate-git-dir", "apart.git", "apart", cwd=ground.root)
    apart = Repo(ground, ground.root / "apart")
    engine.install(apart)
    apart.commit("Asleep")
    apart.wake()
    apart.commit("Awake")
    assert len(engine.calls) == 2


def test_a_broken_ref_store_wakes_the_engine(repo: Repo, engine: Engine) -> None:
    """R-H6: what git cannot answer is never taken for "nobody claims"."""
    engine.install(repo)
    path = repo.common / "refs" / "ank" / "claims" / TASK
    path.parent.mkdir(parents=True)
    path.write_text("1" * 40 + "\n")
    repo.commit("Work")
    assert len(engine.calls) == 1


def test_a_record_with_a_null_byte_makes_no_noise(repo: Repo, engine: Engine) -> None:
    """R-H6: bash would warn about it on every commit."""
    for event in EVENTS:
        text = baked(event, sys.executable, str(engine.package))
        script(repo.hook(event), text.replace("#!/bin/sh", "#!/bin/bash", 1))
    repo.record("a\0b\n")
    assert repo.commit("Work").stderr == ""
    repo.record(f"a\0b\n{CLAIM}", task="TASK-111111111111")
    repo.write(f".ank/tasks/{TASK}.md", "x")
    repo.commit("A claim behind it is seen")
    assert len(engine.calls) == 1
