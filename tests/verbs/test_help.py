"""help and completion, generated from the one table of verbs."""

from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tenure.faces.cli import completion, helping
from tenure.faces.cli.main import parser_of
from tenure.faces.cli.verbs import VERBS
from verbs.world import TASK, Repo, task

SHOWN = [verb for verb in VERBS if not verb.hidden]


def test_every_verb_of_the_table_can_be_loaded_and_described(repo: Repo) -> None:
    """§10 help --json."""
    said = repo.json("help")
    assert [one["name"] for one in said["verbs"]] == [verb.name for verb in SHOWN]
    for one in said["verbs"]:
        assert one["keys"][0] == "contract"
        assert one["summary"]
    assert repo.json("help", "claim")["verbs"][0]["name"] == "claim"


def test_help_names_every_verb_and_refuses_what_is_none(repo: Repo) -> None:
    """§10 help."""
    said = repo.tenure("help").stdout
    for verb in SHOWN:
        assert f"  {verb.name} " in said
    assert "--criteria" in repo.tenure("help", "new").stdout
    repo.tenure("help", "nonsense", exits=1)
    assert repo.tenure("--version").stdout.startswith("tenure ")


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_completion_script_knows_every_verb_and_flag(shell: str) -> None:
    """Issue 6, part 6."""
    script = completion.script(shell)
    for verb in SHOWN:
        assert f"        {verb.name}) " in script
        for action in completion.actions(parser_of(verb)):
            for flag in action.option_strings:
                assert flag in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script.encode(), check=True)


@pytest.mark.parametrize(
    ("words", "wanted", "unwanted"),
    [
        (["cl"], ["claim", "close"], ["find"]),
        (["claim", "--"], ["--next", "--json"], ["--reason"]),
        (["-C", "x", "release", "--r"], ["--reason"], []),
        (["claim", "TASK-"], [TASK], []),
    ],
)
def test_bash_completes_verbs_flags_and_ids(
    repo: Repo, words: list[str], wanted: list[str], unwanted: list[str]
) -> None:
    """Issue 6, part 6: the script is run, not read."""
    repo.put(task())
    listed = " ".join(["tenure", *words])
    code = (
        f"{completion.script('bash')}\nCOMP_WORDS=({listed}); COMP_CWORD={len(words)}; _tenure\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(["bash", "-c", code], cwd=repo.path, capture_output=True, text=True, check=True)
    found = done.stdout.split()
    assert set(wanted) <= set(found)
    assert not set(unwanted) & set(found)


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed here")
@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("tenure rel", "tenure release "),
        ("tenure -C . release --re", "--reason "),
        ("tenure claim TASK-", f"tenure claim {TASK} "),
        ("git-tenure stat", "git-tenure status "),
    ],
)
def test_zsh_completes_verbs_flags_and_ids(repo: Repo, tmp_path: Path, typed: str, wanted: str) -> None:
    """Issue 6, part 6: typed into a real zsh on a terminal of its own."""
    repo.put(task())
    (tmp_path / "script").write_text(completion.script("zsh"))
    setup = f"autoload -Uz compinit && compinit -u -D; source {tmp_path}/script; echo rea''dy"
    pid, terminal = pty.fork()
    if pid == 0:  # pragma: no cover
        os.chdir(repo.path)
        os.execvpe("zsh", ["zsh", "-f", "-i"], {**repo.environment(), "TERM": "dumb", "HOME": str(tmp_path)})
    try:
        os.write(terminal, f"{setup}\n".encode())
        _shown(terminal, "ready")
        os.write(terminal, f"{typed}\t".encode())
        assert _shown(terminal, wanted)
    finally:
        os.close(terminal)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _shown(terminal: int, text: str) -> bool:
    """Whether the terminal shows a text within 20 s; bells and carriage returns are passed over."""
    seen, end = "", time.monotonic() + 20
    while text not in seen and time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            seen += os.read(terminal, 65536).decode(errors="replace").replace("\a", "").replace("\r", "")
    return text in seen


def test_groups_of_the_table_all_have_a_title() -> None:
    assert {verb.group for verb in SHOWN} <= set(helping.GROUPS)


@pytest.mark.parametrize(("typed", "meant"), [("clam", "claim"), ("statsu", "status"), ("relase", "release")])
def test_a_mistyped_verb_names_the_one_that_was_meant(repo: Repo, typed: str, meant: str) -> None:
    """§10: a refusal ends with the command to run next."""
    for words in ([typed], ["help", typed]):
        said = repo.tenure(*words, exits=1).stderr
        assert said == f"error[1]: there is no verb {typed!r}\n  -> tenure {meant}\n  -> tenure help\n"
    assert repo.tenure("zzzz", exits=1).stderr.endswith("'zzzz'\n  -> tenure help\n")


def test_the_overview_fits_a_terminal_and_help_names_no_rule(repo: Repo) -> None:
    """80 columns; the numbers of rules say nothing to who asks for help."""
    assert max(len(line) for line in repo.tenure("help").stdout.splitlines()) <= 80
    for verb in SHOWN:
        assert "(R-" not in repo.tenure("help", verb.name).stdout
