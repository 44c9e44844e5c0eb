"""Bad input gets a clear error, and nothing is lost: the list of issue 2, item by item (R-X2, R-X4, R-X5, R-X6)."""

from __future__ import annotations

import os
import resource
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scenario.kit import away, check_refusal, files, head_of, no_answer, picture, refused, server_hook
from support import ADA, AUTH, BOB, CRITERION, DOCS, Clone, Result, World, claim_text, needs, task_text
from tenure.model.record import Claim

PROOF = ("--proof", "assertion:it works")
VERBS = (["claim", AUTH], ["status"], ["release", "--reason", "x"], ["done"], ["log", "x y"], ["check"], ["sweep"])
LONG_BODY = "A line of the body.\n" * 2000


def test_outside_a_repository_every_verb_says_so(world: World) -> None:
    """9 with `git init`; the folder stays empty."""
    folder = Clone(world, world.root / "empty")
    folder.path.mkdir()
    for words in (*VERBS, ["init"], ["context"], ["new", "X", "--scope", "a"], ["activity"]):
        said = folder.tenure(*words, exits=9)
        check_refusal(said, 9)
        assert said.err == (
            "error[9]: not a git repository (nor any folder above)\n  -> git init\n  -> tenure init\n"
        ), words
    assert not list(folder.path.iterdir())


@pytest.mark.parametrize(
    ("says", "why"), [("git version 2.33.8", "git 2.33 is too old"), ("", "does not say its version")]
)
def test_a_git_that_is_too_old_is_refused(world: World, says: str, why: str) -> None:
    """9 naming both versions, by every verb, before anything is written."""
    repo = world.repo()
    real = shutil.which("git")
    world.script(
        "old/git", f'#!/bin/sh\ncase " $* " in *" version "*) echo "{says}"; exit 0;; esac\nexec {real} "$@"\n'
    )
    path = {"PATH": f"{world.root / 'old'}:{os.environ['PATH']}"}
    extra: dict[str, Any] = path
    before = picture(repo)
    for words in (["init"], *VERBS):
        said = repo.tenure(*words, exits=9, **extra)
        check_refusal(said, 9)
        assert why in head_of(said.err)
    assert picture(repo) == before


def test_without_git_every_verb_says_so(world: World) -> None:
    """9 with what to install."""
    repo = world.repo()
    before = picture(repo)
    (world.root / "nothing").mkdir()
    for words in VERBS:
        said = repo.tenure(*words, exits=9, PATH=str(world.root / "nothing"))
        check_refusal(said, 9)
        assert said.err == "error[9]: git is not on PATH\n  -> install git 2.34 or newer\n"
    assert picture(repo) == before


def test_without_an_ank_folder_the_next_command_is_init(world: World) -> None:
    """9; status works all the same."""
    repo = Clone(world, world.root / "bare-of-tasks")
    repo.path.mkdir()
    repo.git("init", "-q")
    for words in (["claim", AUTH], ["context"], ["find", ""], ["check"], ["done"], ["new", "X", "--scope", "a"]):
        said = refused(repo, 9, *words)
        assert said == "error[9]: there is no .ank folder here (nor in any folder above)\n  -> tenure init\n", words
    assert "you hold nothing   (tenure init)\n" in repo.tenure("status").out
    assert repo.tenure("board").out == "nothing is claimed   (tenure init)\n"
    said = repo.tenure("init", "--no-hooks", agent=None).out
    mend, keep, begin = said.splitlines()[-3:]
    assert mend == "  -> git config tenure.agent human:<you>" and begin == '  -> tenure new "What has to be done"'
    for line in (mend.replace("<you>", "ada"), keep):
        repo.git(*shlex.split(line.removeprefix("  -> git ").partition(" && git ")[0]))
    assert keep.endswith(' && git commit -m "Use tenure"')
    assert repo.git("diff", "--cached", "--name-only").out == ".ank/config.yml\n.gitattributes\n.gitignore\n"
    assert repo.tenure("init", "--no-hooks", agent=None).out.splitlines()[-2:] == [
        "everything is in place already", begin,
    ]  # fmt: skip
    repo.tenure("context")


def test_in_a_bare_repository_the_next_command_is_not_init(world: World) -> None:
    """9: there are no files here; `init` would refuse, too. doctor does not advise it either."""
    bare = world.origin()
    words = "error[9]: this is a bare repository; run it in a working tree\n  -> git worktree list\n"
    for verb in (
        ["claim", AUTH],
        ["context"],
        ["find", ""],
        ["check"],
        ["done"],
        ["new", "X", "--scope", "a"],
        ["init"],
    ):
        assert refused(bare, 9, *verb) == words, verb
    assert "tenure init" not in bare.tenure("doctor", exits=None).out


SPOILED: tuple[Callable[[str], str], ...] = (
    lambda text: text.replace("title: Migrate auth", "title: [Migrate"),
    lambda text: text.replace("title:", "done_criteria: |\n  Anything\ntitle:"),
    lambda text: text.replace("schema: 4", "schema: 5"),
    lambda text: text.replace("schema: 4", "colour: red\nschema: 4"),
    lambda text: f"<<<<<<< ours\n{text}=======\n>>>>>>> theirs\n",
    lambda _: "\x00\x01",
    lambda _: "",
)


def test_an_unreadable_task_file_is_named_and_the_others_still_work(world: World) -> None:
    """R-X6: 1 naming file and reason for a verb that needs it; the others go on; check says it as a fault (8)."""
    repo = world.repo()
    path = repo.task_path()
    text = repo.read(path)
    repo.tenure("claim", DOCS)
    for spoil in SPOILED:
        repo.write(path, spoil(text))
        said = refused(repo, 1, "claim", "820d", agent=BOB)
        assert head_of(said).startswith(f"{path} cannot be read: "), said
        assert f"  -> git log -p -- {path}" in said
        assert (f"  -> ${{EDITOR:-vi}} {path}\n" in said) is ("git's conflict markers stand in it" in said)
        assert [one["id"] for one in repo.json("find", "")["results"] if one["kind"] == "task"] == [DOCS]
        repo.tenure("log", "goes on")
    for words in (["show", AUTH], ["close", AUTH, "--reason", "x"], ["criteria", "restore", AUTH]):
        refused(repo, 2 if words[0] == "criteria" else 1, *words)
    faults = [one for one in repo.json("check", exits=8)["findings"] if one["level"] == "fault"]
    assert len(faults) == 1 and path in str(faults[0])
    repo.tenure("done", *PROOF)


def test_an_ambiguous_prefix_lists_the_candidates(world: World) -> None:
    """2, with ids and titles; a longer prefix works; too short and no hex are told apart."""
    twin = "TASK-820dffff0000"
    repo = world.repo(**files(task_text(AUTH), task_text(twin, title="The other one")))
    said = refused(repo, 2, "claim", "820d")
    assert head_of(said) == f"'820d' is ambiguous: {AUTH} (Migrate auth), {twin} (The other one)"
    assert said.splitlines()[1:] == [f"  -> tenure show {AUTH}", f"  -> tenure show {twin}"]
    assert "give an id or at least 4 of its hex digits" in refused(repo, 2, "claim", "820")
    assert "give an id or at least 4 of its hex digits" in refused(repo, 2, "claim", "xyzw")
    repo.tenure("claim", "820df")


def test_an_id_that_is_none_never_becomes_a_ref_or_a_path(world: World) -> None:
    """R-X2: refused (1 or 2) before git is asked; nothing changes."""
    repo = world.repo()
    before = picture(repo, feed=True)
    names = ("../../etc/passwd", "TASK-820d/../x", "--help-me", "820d;ls", "820d\n", "TASK-820D259AF6A7 ")
    for words in [*(["claim", name] for name in names), ["show", names[0]], ["criteria", "restore", names[0]]]:
        said = repo.tenure(*words, exits=None)
        assert said.code in (1, 2), words
        check_refusal(said, said.code)
    assert picture(repo, feed=True) == before


def test_a_lease_that_is_none_is_refused(world: World) -> None:
    """R-L1: 1, with the forms that work; by the flag, the setting and the repository's default."""
    repo = world.repo()
    for lease in ("0", "-5m", "1y", "0m", "30", "1.5h", "", "30 m", "9999999999d"):
        said = refused(repo, 1, "claim", AUTH, f"--lease={lease}")
        assert head_of(said).startswith("--lease: no duration: "), lease
        assert said.splitlines()[1] == f"  -> tenure claim {AUTH} --lease 30m"
    for lease in ("0", "-5m", "1y"):
        repo.git("config", "tenure.lease", lease)
        said = refused(repo, 1, "claim", AUTH)
        assert head_of(said).startswith("git config tenure.lease: no duration: ")
        assert said.splitlines()[1] == "  -> git config tenure.lease 30m"
    repo.git("config", "--unset", "tenure.lease")
    repo.write(".ank/config.yml", 'schema: 1\nclaim_ttl_default: "1y"\n')
    assert head_of(refused(repo, 1, "claim", AUTH)).startswith(".ank/config.yml cannot be read: ")


def test_an_identity_with_a_line_break_is_refused(world: World) -> None:
    """R-I3: 1 in one line, and no ref, no file."""
    repo = world.repo()
    said = refused(repo, 1, "claim", AUTH, agent="human:ada\nstate: completed")
    assert said.splitlines()[1:] == ["  -> export ANK_AGENT=human:<you>"]
    assert "holds a control character" in head_of(said)


def test_unknown_keys_of_settings_are_named(world: World) -> None:
    """R-X5: 1 with the key, for verbs; each known key is taken."""
    repo = world.repo()
    repo.write(".tenure.yml", "renewal: 10m\ntrailers: auto\ndefault_branch: main\nstrict: false\nidentities: {}\n")
    repo.tenure("status")
    repo.write(".tenure.yml", "renewal: 10m\nrenewals: 10m\n")
    said = refused(repo, 1, "claim", AUTH)
    assert head_of(said) == ".tenure.yml cannot be read: unknown key 'renewals'"
    repo.write(".tenure.yml", "")
    repo.write(".ank/config.yml", "schema: 1\nclaim_ttl_mix: 2h\nverifiers: {unit: {run: 'true'}}\n")
    assert "unknown key 'claim_ttl_mix'" in repo.tenure("check", exits=None).out


NEEDS = {
    "show": ("an id", "tenure show <id>"),
    "log": ("a message to write, or an id to read", 'tenure log "<message>"'),
    "close": ("a task and a reason", 'tenure close <id> --reason "<why>"'),
    "criteria": ("the word restore and a task", "tenure criteria restore <id>"),
    "hooks": ("one of install, uninstall, status, print", "tenure hooks status"),
    "accept": ("a proposed decision", "tenure review"),
    "scope": ("a path", "tenure scope src/"),
}


@pytest.mark.parametrize("verb", NEEDS)
def test_a_verb_without_its_words_says_how_it_is_written(world: World, verb: str) -> None:
    """§10: 1; the next command is the verb written right, not its help alone."""
    what, right = NEEDS[verb]
    said = refused(world.repo(), 1, verb).splitlines()
    assert said[:2] == [f"error[1]: {verb} needs {what}", f"  -> {right}"]
    assert said[-1] == f"  -> tenure {verb} --help"


def test_what_is_none_is_no_empty_answer(world: World) -> None:
    """§10: a status that there is not, 1; a commit that there is not, 2, by the name that was typed."""
    repo = world.repo()
    assert "argument --status: invalid choice: 'bogus'" in refused(repo, 1, "find", "", "--status", "bogus")
    assert head_of(refused(repo, 2, "verify", "nope")) == "no commit here is named nope"
    assert head_of(refused(repo, 2, "verify", "HEAD..nope")) == "no commit here is named nope"
    root = repo.git("rev-list", "--max-parents=0", "HEAD").out.strip()
    assert head_of(refused(repo, 2, "verify", root)) == f"{root} has no parent here to judge it against"


def test_a_path_that_is_not_there_is_no_full_disk(world: World) -> None:
    """§10: 9, and the command shows the folder."""
    said = refused(world.repo(), 9, "board", "--html", "/nowhere/board.html")
    assert said.splitlines()[-1] == "  -> ls -ld /nowhere"


def test_a_decision_is_no_adr_to_those_who_do_not_know_the_word(world: World) -> None:
    """§10: in the words of the help."""
    repo = world.repo()
    made = repo.json("new", "adr", "--title", "Opaque", "--scope", "src/**", "--constraint", "Opaque tokens")["id"]
    assert head_of(refused(repo, 1, "claim", made)) == f"{made} is no task but a decision"
    assert head_of(refused(repo, 1, "accept", AUTH)) == f"{AUTH} is no decision but a task"


def test_wrong_words_are_refused_with_the_help_to_read(world: World) -> None:
    """§10: 1; a verb that is none, a flag that is none, a folder that is none."""
    repo = world.repo()
    assert refused(repo, 1, "seize", AUTH).startswith("error[1]: there is no verb 'seize'\n  -> ")
    assert "tenure claim --help" in refused(repo, 1, "claim", AUTH, "--now")
    assert "name a task, or --next" in refused(repo, 1, "claim")
    assert "name a task, or --next, not both" in refused(repo, 1, "claim", AUTH, "--next")
    assert "cannot go to" in refused(repo, 1, "-C", "nowhere", "status")
    found = repo.tenure("seize", "--json", exits=1)
    assert found.out == "" and '"code": 1' in found.err and '"tenure help"]' in found.err


def as_a_person(repo: Clone, *words: str, limit: int | None = None, agent: str = ADA) -> Result:
    """Run a verb without root's right to write everywhere; `limit`: bytes that a file may grow to (a full disk)."""
    prefix: list[str] = []
    if os.geteuid() == 0:
        caps = "-dac_override,-dac_read_search,-fowner"
        prefix = [needs("setpriv"), f"--bounding-set={caps}", f"--inh-caps={caps}"]

    def cut() -> None:
        if limit is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run(
        [*prefix, repo.world.python, "-m", "tenure", *words],
        cwd=repo.path, env=repo.world.env(agent, TENURE_NO_BACKGROUND="1", PYTHONDONTWRITEBYTECODE="1"),
        capture_output=True, timeout=60,
        preexec_fn=cut, check=False,
    )  # fmt: skip
    result = Result(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in result.err, result.err
    return result


def lock(folder: Path, mode: int = 0o555) -> None:
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir():
            path.chmod(mode)


@pytest.mark.parametrize("words", [["claim", DOCS], ["release", "--reason", "x"], ["done", *PROOF], ["log", "a word"]])
def test_an_unwritable_git_directory_is_told_and_nothing_is_half_done(world: World, words: list[str]) -> None:
    """9 with git's own reason; files and refs as before, or the sentence says what was changed."""
    repo = world.repo()
    agent = BOB if words[0] == "claim" else ADA
    repo.tenure("claim", AUTH)
    repo.shorten(600)
    before = picture(repo)
    lock(repo.path / ".git")
    try:
        said = as_a_person(repo, *words, agent=agent)
    finally:
        lock(repo.path / ".git", 0o755)
    check_refusal(said, 9)
    assert "ermission" in said.err, said.err
    must_be_whole(repo, before, said.err)
    repo.tenure(*words, agent=agent)


def must_be_whole(repo: Clone, before: dict[str, str], said: str) -> None:
    """Nothing changed; or what did is named in the refusal, every file is whole, and the record is one."""
    now = picture(repo)
    changed = {key for key in now | before if now.get(key) != before.get(key)} - {"status"}
    names = {Path(key).name for key in changed if key.startswith("/")}
    assert not [name for name in names if name.startswith(".") or ".tmp" in name], names
    if changed:
        assert "stands" in said or "changed already" in said or "says " in said, (changed, said)
    found = repo.json("find", "")["results"]
    assert {one["id"] for one in found if one["kind"] == "task"} == {AUTH, DOCS}
    assert not list((repo.path / ".git/refs").rglob("*.lock"))


def test_an_unwritable_task_folder_is_told_with_what_stands(world: World) -> None:
    """9: the claim's ref was written first; the sentence says so, and the same command goes on."""
    repo = world.repo()
    lock(repo.path / ".ank")
    try:
        said = as_a_person(repo, "claim", AUTH)
    finally:
        lock(repo.path / ".ank", 0o755)
    check_refusal(said, 9)
    assert f"the claim on {AUTH} stands, its file was not marked in_progress" in said.err
    assert said.err.splitlines()[1] == "  -> tenure claim 820d"
    assert repo.status_of() == "open" and repo.held().holder == ADA
    repo.tenure("claim", "820d")
    assert repo.status_of() == "in_progress"


def heavy(world: World) -> Clone:
    """A repository whose task file is larger than what the full disk still takes."""
    return world.repo(**files(task_text(AUTH) + LONG_BODY, task_text(DOCS, "docs/**")))


def test_a_disk_that_is_full_before_the_record_changes_nothing(world: World) -> None:
    """9; not a byte of record or file."""
    repo = heavy(world)
    before = picture(repo)
    said = as_a_person(repo, "claim", AUTH, limit=0)
    check_refusal(said, 9)
    assert picture(repo) == before
    repo.tenure("claim", AUTH)


@pytest.mark.parametrize("limit", [0, 200, 20_000])
@pytest.mark.parametrize(
    "words", [["claim", AUTH], ["release", "--reason", "x"], ["done", *PROOF], ["close", AUTH, "--reason", "x"]]
)
def test_a_disk_that_fills_up_while_a_verb_writes_leaves_nothing_torn(
    world: World, words: list[str], limit: int
) -> None:
    """R-X4: old or new, never half; a verb that fails says what it changed; the same verb goes on afterwards."""
    repo = heavy(world)
    if words[0] != "claim":
        repo.tenure("claim", AUTH)
    before = picture(repo)
    said = as_a_person(repo, *words, limit=limit)
    text = repo.read(repo.task_path())
    assert text.endswith(LONG_BODY) and CRITERION in text, "the task file is torn"
    if said.code != 0:
        check_refusal(said, 9)
        must_be_whole(repo, before, said.err)
        repo.tenure(*words)
    assert repo.status_of() == {"claim": "in_progress", "release": "open", "done": "done", "close": "closed"}[words[0]]


@pytest.mark.parametrize("moment", ["hash-object", "update-ref", "for-each-ref", "rename"])
def test_a_verb_that_is_killed_leaves_the_old_state_or_the_new_one(world: World, moment: str) -> None:
    """R-X4: killed with its git in that moment; no lock is left to remove by hand; the same verb goes on."""
    repo = world.repo()
    real = shutil.which("git")
    body = f'case " $* " in *" {moment} "*) kill -9 $PPID; exit 1;; esac'
    world.script("killer/git", f'#!/bin/sh\n{body}\nexec {real} "$@"\n')
    text = repo.read(repo.task_path())
    if moment == "rename":
        said = kill_at_rename(repo)
    else:
        said = repo.tenure("claim", AUTH, exits=None, PATH=f"{world.root / 'killer'}:{os.environ['PATH']}").code
    assert said == -9
    assert repo.read(repo.task_path()) in (
        text,
        text.replace("status: open", "status: in_progress").replace("version: 1", "version: 2"),
    )
    record = repo.record()
    assert record is None or isinstance(record, Claim)
    begun = time.monotonic()
    repo.tenure("claim", AUTH)
    assert time.monotonic() - begun < 8, "waited for a dead process"
    assert repo.status_of() == "in_progress" and repo.held().holder == ADA
    assert not list((repo.path / ".ank").rglob("*.lock"))


def kill_at_rename(repo: Clone) -> int:
    """Kill the process when it renames the new task file into place."""
    code = (
        "import os, signal, sys\n"
        "real = os.replace\n"
        "def replace(a, b):\n"
        "    if str(b).endswith('.md'): os.kill(os.getpid(), signal.SIGKILL)\n"
        "    real(a, b)\n"
        "os.replace = replace\n"
        "from tenure.faces.cli.main import main\n"
        f"sys.exit(main(['claim', {AUTH!r}]))\n"
    )
    return repo.world.run([repo.world.python, "-c", code], repo.path, exits=None).code


def test_a_file_that_moved_since_it_was_read_is_a_conflict(world: World) -> None:
    """R-X4: 3: read again; the other's edit stands."""
    repo = world.repo(**files(task_text(AUTH, verify="unit")))
    edit = f"sed -i s/Notes/Edited/ {repo.task_path()}"
    repo.write(".ank/config.yml", f"schema: 1\nverifiers:\n  unit:\n    run: {edit}\n")
    repo.tenure("claim", AUTH)
    said = repo.tenure("done", exits=3)
    check_refusal(said, 3)
    assert head_of(said.err).startswith(f"{repo.task_path()} moved since it was read")
    assert "Edited for whoever takes it." in repo.read(repo.task_path()) and repo.status_of() == "in_progress"
    assert isinstance(repo.record(), Claim)


@pytest.mark.parametrize("whose", ["dead", "other host"])
def test_a_lock_file_of_a_dead_process_is_cleared_and_any_other_is_named(world: World, whose: str) -> None:
    """R-X4: ours names process and host; another is an error naming the file after 10 s."""
    repo = world.repo()
    child = subprocess.Popen(["true"])
    child.wait()
    host = os.uname().nodename if whose == "dead" else "elsewhere"
    path = repo.path / ".ank/entities" / f".{AUTH}.md.lock"
    path.write_text(f"tenure {child.pid} {host}\n")
    if whose == "dead":
        repo.tenure("claim", AUTH)
        assert not path.exists()
        return
    begun = time.monotonic()
    said = repo.tenure("claim", AUTH, exits=9)
    assert 9 < time.monotonic() - begun < 25
    assert "has been in the way for 10 s" in said.err and f"rm {path}" in said.err
    assert path.exists() and f"the claim on {AUTH} stands" in said.err


def test_an_unreadable_record_stops_the_verbs_that_need_it_and_no_other(world: World) -> None:
    """R-C8: 9 with the ref and the command that clears it (the other forms are in test_origin)."""
    repo = world.repo()
    repo.put("state: claim\n")
    for words in (
        ["claim", AUTH],
        ["close", AUTH, "--reason", "x"],
        ["release", "--reason", "x", AUTH],
        ["done", AUTH],
    ):
        said = refused(repo, 9, *words)
        assert "git update-ref --no-deref -d refs/ank/claims/" in said.splitlines()[1], words
    repo.tenure("claim", DOCS)


def test_an_origin_that_is_away_stops_nothing(world: World) -> None:
    """R-C2, R-A4: each verb of the job exits 0 and says what did not reach origin; nothing hangs."""
    world.origin()
    clone = world.clone("clone").hooks()
    away(clone)
    begun = time.monotonic()
    assert "stands in this clone only" in clone.tenure("claim", AUTH).err
    assert clone.tenure("log", "a word").code == 0
    clone.touch()
    clone.commit("Work")
    assert "in this clone only" in clone.tenure("done", *PROOF).err
    assert "origin could not be read" in clone.tenure("activity").err
    assert "could not be read" in clone.tenure("check", exits=None).err
    assert clone.json("status")["pending"] == 1
    assert time.monotonic() - begun < 30


def test_an_origin_that_hangs_is_given_up_in_time(world: World) -> None:
    """R-C2: bounded; the claim stands here, pending."""
    world.origin()
    clone = world.clone("clone")
    no_answer(clone)
    begun = time.monotonic()
    said = clone.json("claim", AUTH, TENURE_NO_BACKGROUND="1")
    assert said["pushed"] == "unreachable" and time.monotonic() - begun < 25


def test_an_origin_that_refuses_is_told_apart(world: World) -> None:
    """R-C2: claim stands here only; a done that origin refuses waits; nothing of it on origin."""
    bare = world.origin()
    server_hook(bare, "pre-receive", "exit 1")
    clone = world.clone("clone")
    assert "origin refused it" in clone.tenure("claim", AUTH).err
    assert "origin refused it; it is pushed later" in clone.tenure("done", *PROOF).err
    assert bare.git("for-each-ref", "refs/ank", "refs/tenure").out == ""


def test_a_criterion_that_the_format_cannot_carry_is_refused(world: World) -> None:
    """R-X6: 1, by `new` and by `claim --criteria`; no file, no claim."""
    repo = world.repo(**files(task_text(AUTH, criteria=None)))
    refused(repo, 1, "claim", AUTH, "--criteria", "\n  begins with a blank\n")
    refused(repo, 1, "new", "X", "--scope", "src/**", "--criteria", "\n  begins with a blank\n")


def test_hostile_names_of_branches_and_holders_do_no_harm_in_refusals(world: World) -> None:
    """R-X3: what a completion of elsewhere names is shown with its escapes."""
    repo = world.repo()
    repo.put(
        f'state: completed\ntask: {AUTH}\ncommit: {"a" * 40}\nbranch: "x\\e[2Jy\\n  -> rm -rf /"\n'
        f"identity: {BOB}\ncompleted: 2026-02-01T10:00:00Z\n"
    )
    said = refused(repo, 4, "claim", AUTH)
    assert "\x1b" not in said and len(said.splitlines()) == 2


def test_a_claim_with_an_identity_of_another_script_is_whole(world: World) -> None:
    """R-X3, R-C4: bytes in, the same bytes out."""
    repo = world.repo()
    repo.tenure("claim", AUTH, agent="human:ägidius 東京")
    assert repo.held().holder == "human:ägidius 東京"
    assert "human:ägidius 東京" in repo.tenure("status").out
    repo.put(claim_text(AUTH, "human:ägidius 東京", int(time.time()) + 300))
    repo.tenure("context", agent="human:ägidius 東京")
    assert repo.held().expires > time.time() + 1700
