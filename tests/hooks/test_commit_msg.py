"""The trailers: what commit-msg does with the lines that pre-commit left for it (R-K4)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hooks.ground import Ground, Repo, execs, script
from hooks.scene import Scene

WHO = "Ank-Agent: claude-code/opus-5+cy"
TASK = "Ank-Task: TASK-0a1b2c3d4e5f"
BOTH = f"{TASK}\n{WHO}\n"
CUT = "------------------------ >8 ------------------------"


@pytest.fixture
def noted(ground: Ground, repo: Repo) -> Repo:
    """A repository whose pre-commit leaves trailers as the engine does, under the number of the git process."""
    note = '"${GIT_DIR:-.git}/tenure"'
    text = f"#!/bin/sh\nmkdir -p {note}\ncat {ground.root}/trailers >{note}/commit-msg.$PPID\n"
    script(repo.hook("pre-commit"), text)
    script(repo.hook("commit-msg"), (Path(__file__).parents[2] / "hooks" / "commit-msg").read_text())
    (ground.root / "trailers").write_text(BOTH)
    return repo


def _said(repo: Repo, message: str, *words: str) -> str:
    path = repo.ground.root / "message"
    path.write_bytes(message.encode("utf-8", "surrogateescape"))
    repo.git("commit", "-q", "--allow-empty", "-F", str(path), *words)
    return repo.message().rstrip("\n") + "\n"


def _left(repo: Repo) -> list[str]:
    return [path.name for path in (repo.git_dir / "tenure").glob("commit-msg.*")]


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("Work", f"Work\n\n{BOTH}"),
        ("Fix: the title is no trailer\n", f"Fix: the title is no trailer\n\n{BOTH}"),
        ("Work\n\nWhy it was needed.\n\n\n", f"Work\n\nWhy it was needed.\n\n{BOTH}"),
        ("Work\n\nSigned-off-by: A <a@x>\n", f"Work\n\nSigned-off-by: A <a@x>\n{BOTH}"),
        ("Work\n\nReviewed-by: A\n and B\nCc: C", f"Work\n\nReviewed-by: A\n and B\nCc: C\n{BOTH}"),
        ("Work\n\nSee: it\nis prose, not a block", f"Work\n\nSee: it\nis prose, not a block\n\n{BOTH}"),
        ("Work\n\n(cherry picked from commit 1)\nodd", f"Work\n\n(cherry picked from commit 1)\nodd\n{BOTH}"),
        (f"Work\n\n{BOTH}", f"Work\n\n{BOTH}"),
        (f"Work\n\n{WHO}\n", f"Work\n\n{WHO}\n{TASK}\n"),
        ("Work\n\nAnk-Agent: human:ada\n", f"Work\n\nAnk-Agent: human:ada\n{TASK}\n"),
        ("* a\n* b", f"* a\n* b\n\n{BOTH}"),
        ("Grüße \udcff\n", None),
    ],
)
def test_trailers_follow_the_message_as_a_block_of_their_own(noted: Repo, message: str, wanted: str | None) -> None:
    """R-K4: a blank line before a new block, none before a block that is there, never twice."""
    found = _said(noted, message)
    if wanted is not None:
        assert found == wanted
    trailers = noted.git("log", "-1", "--format=%(trailers:only,unfold)").stdout
    assert trailers.count(TASK) == 1
    assert trailers.count("Ank-Agent: ") == 1
    assert _left(noted) == []


def _edited(repo: Repo, editor: str, *words: str, exits: int = 0) -> str:
    path = script(repo.ground.root / "editor", f"#!/bin/sh\n{editor}\n")
    before = repo.ask("rev-parse", "HEAD")
    repo.git("commit", "-q", "--allow-empty", *words, exits=exits, GIT_EDITOR=str(path))
    return repo.message().rstrip("\n") + "\n" if repo.ask("rev-parse", "HEAD") != before else ""


@pytest.mark.parametrize("mark", ["#", ";", "auto", "!"])
def test_git_s_own_comments_stay_behind_the_trailers(noted: Repo, mark: str) -> None:
    """R-K4: whatever core.commentChar names; a change that `commit -v` shows is left alone, below the cut."""
    noted.git("config", "core.commentChar", mark)
    noted.write("f", "+\n+ odd\n")
    noted.git("add", ".")
    for words in ((), ("-v",), ("--cleanup=scissors",)):
        write = 'printf "Work\\n\\nBecause.\\n" >"$1.new"; cat "$1" >>"$1.new"; mv "$1.new" "$1"'
        assert _edited(noted, write, *words) == f"Work\n\nBecause.\n\n{BOTH}"


@pytest.mark.parametrize("mark", ["#", ";"])
@pytest.mark.parametrize("editor", ["true", ': >"$1"', 'printf "\\n\\n" >"$1"'])
@pytest.mark.parametrize("words", [(), ("-s",), ("-v",)])
def test_no_message_is_made_out_of_nothing(noted: Repo, mark: str, editor: str, words: tuple[str, ...]) -> None:
    """R-K4: comments, blank lines and a Signed-off-by alone are no message to git: the commit is still aborted."""
    noted.git("config", "core.commentChar", mark)
    assert _edited(noted, editor, *words, exits=1) == ""
    assert _left(noted) == []


@pytest.mark.parametrize("editor", ["true", 'printf "Signed-off-by: A <a@x>\\n" >>"$1"', 'sed -i 1s/^/Work/ "$1"'])
def test_an_untouched_template_is_no_message(ground: Ground, scene: Scene, editor: str) -> None:
    """R-K4: git aborts such a commit, and does so with our trailers waiting."""
    template = ground.root / "home" / "template"
    template.write_text("\n# Say why.\nWhy:\n\nReviewed by:\n")
    scene.w.git("config", "commit.template", "~/template")
    scene.w.git("config", "tenure.trailers", "always")
    scene.w.write("src/a.py", "work\n")
    scene.w.git("add", "-A")
    touched = editor.startswith("sed")
    found = _edited(scene.w, editor, exits=0 if touched else 1)
    assert ("Ank-Task: " in found) == touched


@pytest.mark.parametrize("state", ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge/", "sequencer/"])
def test_nothing_is_added_while_git_replays_or_merges(noted: Repo, state: str) -> None:
    """R-K4: merges, rebase, cherry-pick, revert."""
    path = noted.git_dir / state
    path.mkdir() if state.endswith("/") else path.write_text(noted.ask("rev-parse", "HEAD") + "\n")
    message = noted.ground.root / "message"
    message.write_text("Work\n")
    (noted.git_dir / "tenure").mkdir(exist_ok=True)
    noted.git("-c", "core.hooksPath=.git/hooks", "commit", "--allow-empty", "-q", "-m", "Work", exits=None)
    assert "Ank-" not in (noted.git_dir / "COMMIT_EDITMSG").read_text()


def test_only_what_this_very_commit_left_is_used(noted: Repo) -> None:
    """R-K4: another process's lines are not ours, and without lines the message keeps its bytes."""
    script(noted.hook("pre-commit"), "#!/bin/sh\nmkdir -p .git/tenure; echo 'Ank-Task: X' >.git/tenure/commit-msg.1\n")
    assert _said(noted, "Work\n\n# no comment here\n", "--cleanup=verbatim") == "Work\n\n# no comment here\n"
    assert _left(noted) == ["commit-msg.1"]


def test_what_an_aborted_commit_left_is_taken_away_by_the_next_of_that_number(noted: Repo) -> None:
    """R-K4: process numbers come round again."""
    shim = (Path(__file__).parents[2] / "hooks" / "pre-commit").read_text()
    left = 'mkdir -p .git/tenure; echo "Ank-Task: X" >".git/tenure/commit-msg.$PPID"\n'
    script(noted.hook("pre-commit"), shim.replace("# shared: begin\n", left, 1))
    assert _said(noted, "Work") == "Work\n"
    assert _left(noted) == []


def test_a_skipped_commit_gets_no_trailers(noted: Repo) -> None:
    """R-H8: and what waited for it is gone."""
    noted.commit("Work", TENURE="0")
    assert noted.message().strip() == "Work"
    assert _left(noted) == []


def test_an_ordinary_commit_starts_no_process_for_the_trailers(ground: Ground, noted: Repo) -> None:
    """R-H6, R-K4: only pre-commit starts git or Python; with trailers, one rename."""
    trace = ground.root / "trace"
    for text, wanted in (("", ["rm"]), (BOTH, ["rm", "mv"])):
        (ground.root / "trailers").write_text(text)
        words = ("strace", "-f", "-qq", "-e", "trace=execve", "-o", str(trace))
        ground.run(*words, "git", "commit", "-q", "--allow-empty", "-m", "Work", cwd=noted.path)
        names = [Path(call[0]).name for call in execs(trace)]
        behind = names[names.index("commit-msg") + 1 :]
        assert [name for name in behind if name != "git"] == wanted
    script(noted.hook("pre-commit"), "#!/bin/sh\n")
    ground.run(*words, "git", "commit", "-q", "--allow-empty", "-m", "Work", cwd=noted.path)
    assert [Path(call[0]).name for call in execs(trace)][-1] in ("commit-msg", "git")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux tells who started whom")
def test_the_commit_is_found_beyond_a_manager_that_runs_the_hook(noted: Repo) -> None:
    """R-K4, R-H7: pre-commit, prek and lefthook start our hook from a process of their own."""
    shim = noted.hook("commit-msg").rename(noted.hook("commit-msg").with_name("ours"))
    manager = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"
    script(noted.hook("commit-msg"), f'#!/bin/sh\n{sys.executable} -c "{manager}" "{shim}" "$@"\n')
    assert _said(noted, "Work") == f"Work\n\n{BOTH}"


def test_a_full_disk_keeps_the_message(noted: Repo) -> None:
    """R-X4: written beside and renamed; where that fails the message stays as it was."""
    (noted.git_dir / "COMMIT_EDITMSG.tenure").mkdir()
    found = noted.commit("Work")
    assert "could not be written" in found.stderr
    assert noted.message().strip() == "Work"
