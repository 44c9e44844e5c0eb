"""Garbage and malice under refs, in names, in records and in what is shown of them (F28-F36)."""

from __future__ import annotations

import io
import json

import pytest

from faults.kit import ADA, BOB, FEED, Clone, World, X, Y, claim_text
from tenure.faces.action import commands, markdown, outputs
from tenure.git import process
from tenure.model import ids

HOSTILE = "human:\x1b]8;;http://x\x07\x1b[2Jeve\r::error::gone \u202egnp"
GARBAGE = {
    "empty": b"",
    "no yaml": b"\x00\x01\x02 nothing",
    "another schema": b"state: claim\nwho: me\n",
    "unknown state": b"state: maybe\ntask: " + X.encode() + b"\n",
    "list": b"- state: claim\n",
    "deep": b"{" * 5000,
    "byte order mark": b"\xef\xbb\xbfnothing: 1\n",
    "no utf-8": b"state: claim\xff\n",
    "twenty megabytes": b"state: claim\n" + b"# " * 10_000_000,
}


def refused_and_cleared(clone: Clone, place: Clone | None, ref: str) -> None:
    """R-C8: 9 with ref and command for the verb that needs it; one line in a list; the others go on; it is cleared."""
    refused = clone.do("claim", X).refused(9, ref)
    assert clone.do("release", X).code == 9 and clone.do("done", X).code == 9
    status = clone.cli("status").ok()
    assert status.words.count(ref) >= 1
    clone.do("claim", Y).ok()
    clone.do("release", Y).ok()
    words = refused["next"][0].split()
    assert words[0] == "git"
    clone.git(*words[1:])
    clone.do("claim", X).ok()
    del place


@pytest.mark.parametrize("kind", sorted(GARBAGE))
def test_f28_garbage_is_neither_free_nor_live_and_can_be_cleared(world: World, kind: str) -> None:
    """S11, S4 (R-C8): on origin, seen from a clone."""
    (ada,) = world.clones("ada")
    world.origin.put(X, GARBAGE[kind])
    refused_and_cleared(ada, None, ids.claim_ref(X))


def test_f28_doubled_keys_and_another_tasks_record_are_garbage(world: World) -> None:
    """S4 (R-C8): in a clone without an origin."""
    (ada,) = world.clones("ada")
    ada.git("remote", "remove", "origin")
    good = claim_text(BOB, world.at, world.at + 1800)
    for text in (
        good.replace("claim\n", f"claim\nholder: {ADA}\n", 1),
        claim_text(BOB, world.at, 0 + world.at, task=Y),
    ):
        ada.put(X, text)
        refused_and_cleared(ada, None, ids.claim_ref(X))
        ada.do("release", X).ok()


@pytest.mark.parametrize("kind", ["tree", "commit", "tag", "symbolic"])
def test_f29_a_ref_of_another_type_is_refused_and_nothing_behind_it_is_written(world: World, kind: str) -> None:
    """S10 (R-C8): here and on origin; a symbolic ref's victim stays."""
    (ada,) = world.clones("ada")
    before = ada.foreign_refs()
    for repo in (ada, world.origin):
        if kind == "symbolic":
            repo.git("symbolic-ref", ids.claim_ref(X), "refs/heads/main")
        else:
            repo.git("tag", "-f", "-am", "t", "victim")
            name = {"tree": "main^{tree}", "commit": "main", "tag": "victim"}[kind]
            repo.git("update-ref", ids.claim_ref(X), repo.git("rev-parse", name))
            repo.git("tag", "-d", "victim")
        refused = ada.do("claim", X).refused(9, ids.claim_ref(X))
        if repo is ada:
            ada.git(*refused["next"][0].split()[1:])
        else:
            world.origin.git("update-ref", "--no-deref", "-d", ids.claim_ref(X))
    ada.do("claim", X).ok()
    assert ada.foreign_refs() == before, "something outside our refs was written"
    assert world.origin.oid("refs/heads/main") == ada.oid("refs/heads/main")


@pytest.mark.parametrize("name", [ids.mirror_ref(X), ids.FEED_MIRROR])
def test_f29_a_symbolic_ref_in_the_mirror_leads_no_fetch_elsewhere(world: World, name: str) -> None:
    """S10 (R-C1): git's own fetch would write through it; it gives way to what origin holds."""
    ada, bob = world.clones("ada", "bob")
    bob.do("claim", X, agent=BOB).ok()
    bob.do("outbox", agent=BOB).ok()
    ada.git("update-ref", "refs/tags/victim", ada.blob("mine"))
    before = ada.foreign_refs()
    ada.git("symbolic-ref", name, "refs/tags/victim")
    ada.do("claim", X).refused(4, BOB)
    ada.do("refresh").ok()
    assert ada.foreign_refs() == before, "something outside our refs was written"
    assert ada.oid(name) == world.origin.oid(ids.claim_ref(X) if name != ids.FEED_MIRROR else FEED)


@pytest.mark.parametrize("verb", ["claim", "log", "release", "done"])
def test_f29_a_symbolic_ref_planted_before_a_write_leads_to_nothing(world: World, verb: str) -> None:
    """S10 (R-C1): between the look and the write; git would follow it, to a tag that holds the very same object."""
    (ada,) = world.clones("ada")
    ada.git("remote", "remove", "origin")
    ref, victim = ids.claim_ref(X), "refs/tags/victim"
    if verb != "claim":
        ada.do("claim", X).ok()
    gate = world.gate("plant", f'*" update-ref "*"{ref}"*')
    writing = ada.start(verb, *([X] if verb == "claim" else []), at=world.at + 60, env=gate.env)
    gate.reached()
    held = ada.oid(ref)
    if held:
        ada.git("update-ref", victim, held)
        ada.git("update-ref", "--no-deref", "-d", ref)
    before = ada.foreign_refs()
    ada.git("symbolic-ref", ref, victim)
    gate.open()
    assert writing.wait().code in (0, 4, 6, 9)
    assert ada.foreign_refs() == before, "something outside our refs was written"


@pytest.mark.parametrize(
    "name",
    ["-rf", "$(id)", ";id", "`id`", "..", "../../x", "TASK-../x", "x.lock", "TASK-00c0ffee000\u202e", "\x1b[2J",
     "TASK-:x", "--upload-pack=touch pwned", "@{0}", "TASK-00C0FFEE000G", "TASK-00c0ffee0001/x", "x\ny", ""],
)  # fmt: skip
def test_f30_a_hostile_id_becomes_neither_a_ref_nor_a_path_nor_an_option(world: World, name: str) -> None:
    """S10, S11 (R-X2): refused, shown neutralised, nothing is written."""
    (ada,) = world.clones("ada")
    before = (ada.refs(), world.origin.refs(), sorted(path.name for path in ada.path.iterdir()))
    for verb in ("claim", "show", "close"):
        result = ada.cli(verb, *(["--reason", "r"] if verb == "close" else []), "--", name)
        assert result.code in (1, 2), result
        assert_clean(result.words)
    assert (ada.refs(), world.origin.refs(), sorted(path.name for path in ada.path.iterdir())) == before


def assert_clean(text: str) -> None:
    """S11: no control, escape or bidirectional character."""
    for char in text:
        assert char == "\n" or (char.isprintable() and char not in "\u202e\u200b"), repr(text)


@pytest.mark.parametrize("squat", [f"refs/ank/claims/{X}/y", f"refs/ank/claims/{X}/a/b", "refs/ank/claims"])
def test_f31_a_ref_in_the_way_on_origin_is_named_with_the_command_that_clears_it(world: World, squat: str) -> None:
    """S9 (R-C2): blocked, not lost; no claim is left here."""
    (ada,) = world.clones("ada")
    world.origin.git("update-ref", squat, world.origin.blob("squat"))
    refused = ada.do("claim", X).refused(9, squat)
    assert ada.record(X) is None and ada.status_of() == "open" and ada.state() == {}
    assert refused["next"][0] == f"git push origin :{squat}"
    ada.git("push", "-q", "--no-verify", "origin", f":{squat}")
    assert ada.do("claim", X).ok()["pushed"] == "yes"


def test_f31_a_ref_in_the_way_here_is_named_and_leaves_the_others_alone(world: World) -> None:
    """S9 (R-C8)."""
    (ada,) = world.clones("ada")
    squat = f"{ids.claim_ref(X)}/y"
    ada.git("update-ref", squat, ada.blob("squat"))
    refused = ada.do("claim", X).refused(9, squat)
    ada.do("claim", Y).ok()
    ada.do("release", Y).ok()
    ada.git(*refused["next"][0].split()[1:])
    ada.do("claim", X).ok()


def test_f31_a_squat_that_replaces_a_claim_on_origin_does_not_stop_the_others(world: World) -> None:
    """R-C8: a mirror that held the name gives way."""
    ada, bob = world.clones("ada", "bob")
    bob.do("claim", X, agent=BOB).ok()
    ada.do("refresh").ok()
    world.origin.git("update-ref", "-d", ids.claim_ref(X))
    world.origin.git("update-ref", f"{ids.claim_ref(X)}/y", world.origin.blob("squat"))
    assert ada.do("refresh").ok()["reached"]
    assert ada.do("claim", Y).ok()["pushed"] == "yes"


def test_f32_upper_and_lower_case_name_one_task(world: World) -> None:
    """S1 (R-X2): one canonical case; a ref in the other one is no task's and stands in nobody's way."""
    ada, bob = world.clones("ada", "bob")
    other = ids.CLAIMS + X.replace("c0ffee", "C0FFEE")
    ada.put(X.replace("c0ffee", "C0FFEE"), claim_text(BOB, world.at, world.at + 1800))
    assert ada.cli("claim", X.replace("c0ffee", "C0FFEE"), "--json").ok()["task"] == X
    bob.do("claim", X, agent=BOB).refused(4, ADA)
    assert other in ada.do("look", X).ok()["odd"]
    assert world.origin.refs(ids.CLAIMS) == {ids.claim_ref(X): ada.oid(ids.claim_ref(X))}


def test_f33_what_a_record_says_reaches_no_terminal_raw(world: World) -> None:
    """S11 (R-X3): holder and reasons, in status, refusals, hooks and the board; JSON escapes it."""
    (ada,) = world.clones("ada")
    quoted = json.dumps(HOSTILE)
    ada.share(X, claim_text("eve", world.at, world.at + 1800).replace("holder: eve", f"holder: {quoted}"))
    shown = [ada.cli(*words) for words in (["status"], ["claim", X], ["find", ""], ["show", X], ["board"])]
    ada.edit("status: open", "status: done")
    ada.git("add", "-A")
    shown.append(ada.do("pre-commit"))
    ada.edit("status: done", "status: open")
    for result in shown:
        assert_clean(result.words)
    assert any("eve" in result.words for result in shown)
    status = ada.cli("status", "--json").ok()
    assert [one["holder"] for one in status["elsewhere"]] == [HOSTILE]
    refused = ada.cli("claim", X, "--json")
    assert refused.code == 4
    assert "\x1b" not in refused.words and "\u202e" not in refused.words.replace("\\u202e", "")


def test_f33_reasons_titles_branches_and_paths_reach_no_terminal_raw(world: World) -> None:
    """S11 (R-X3): what others wrote into logs, files, completions and commits, in each verb, in a push."""
    ada, bob = world.clones("ada", "bob")
    evil = "\x1b]8;;http://x\x07\x1b[2J\r::error::gone \u202egnp"
    bob.do("claim", X, agent=BOB).ok()
    assert bob.cli("release", "--reason", evil, X, agent=BOB).code == 1
    bob.cli("release", "--reason", "because", X, agent=BOB).ok()
    (entry,) = (bob.path / ".ank" / "entities").glob("LOG-*.md")
    entry.write_text(entry.read_text().replace("because", "because \u202egnp \u200b\u2066::error::x"))
    bob.edit("title: Do part0", f"title: {json.dumps('Do ' + evil)}")
    folder = bob.path / "part1" / "\x1b[2J\u202e"
    folder.mkdir()
    (folder / "f.py").write_text("pass\n")
    bob.git("checkout", "-q", "-b", "side-\u202egnp")
    bob.do("claim", Y, agent=BOB).ok()
    bob.do("done", Y, agent=BOB).ok()
    bob.git("add", "-A")
    bob.git("commit", "-q", "--no-verify", "-m", evil)
    bob.git("push", "-q", "--no-verify", "origin", "HEAD:main")
    ada.git("pull", "-q")
    shown = [ada.cli("claim", X).ok()]
    assert any("because" in ada.cli(*one).words for one in (["log", X], ["show", X])), "nothing hostile was shown"
    words = (
        ["show", X], ["log", X], ["context"], ["status"], ["board"], ["find", ""], ["graph"], ["scope", "part0"],
        ["activity"], ["review"], ["check", "--no-prune"], ["verify", "HEAD~1..HEAD"], ["claim", Y], ["doctor"],
    )  # fmt: skip
    shown += [ada.cli(*one) for one in words]
    line = f"refs/heads/x\u202e {ada.oid('HEAD')} refs/heads/x\u202e {'0' * 40}\n"
    shown.append(ada.do("pre-push", line))
    for result in shown:
        assert_clean(result.words)


def test_f33_an_identity_with_control_characters_is_refused_where_it_is_set(world: World) -> None:
    """S11 (R-I3)."""
    (ada,) = world.clones("ada")
    for bad in ("human:e\x1bve", "human:e\nve", "human:" + "e" * 300):
        result = ada.cli("status", agent=bad)
        assert result.code == 1
        assert_clean(result.words)


@pytest.mark.parametrize(
    "text", ["::error::x", "  ::add-mask::x", "##[error]x", "a\n::stop-commands::x", "%0A::error::x"]
)
def test_f34_foreign_text_is_no_workflow_command(text: str) -> None:
    """S11 (R-X3): on the log, in a message, in an output."""
    stream = io.StringIO()
    commands.Log(stream).quote(text)
    inside = stream.getvalue().splitlines()[1:-1]
    assert inside and not any(line.lstrip().startswith("::") or "##[" in line for line in inside)
    message = commands.command("warning", text, {"title": text})
    assert "\n" not in message and message.startswith("::warning title=")
    written = outputs.heredoc("swept", text).splitlines()
    delimiter = written[0].partition("<<")[2]
    assert len(delimiter) >= 16 and written.count(delimiter) == 1
    assert outputs.heredoc("swept", text).splitlines()[0] != written[0], "the delimiter can be known beforehand"


@pytest.mark.parametrize(
    "text", ["<img src=x>", "@all", "a | b", "[x](http://y)", "![x](y)", "``` `code", "\u202eevil"]
)
def test_f35_foreign_text_is_code_in_markdown(text: str) -> None:
    """S11 (R-X3): no HTML, mention, link, image, or broken table."""
    shown = markdown.code(text)
    assert shown.startswith("`") and shown.endswith("`") and "|" not in shown and "\n" not in shown
    fence = shown[: len(shown) - len(shown.lstrip("`"))]
    assert fence not in shown[len(fence) : -len(fence)].replace("`" * (len(fence) + 1), "")
    assert_clean(shown)


def test_f36_no_setting_becomes_an_option_or_a_shell_command(world: World) -> None:
    """S10 (R-X2): the remote's name, a branch's name, a reason."""
    (ada,) = world.clones("ada")
    pwned = world.root / "pwned"
    ada.git("config", "tenure.remote", f"--upload-pack=touch {pwned}")
    ada.do("claim", X)
    ada.git("config", "--unset", "tenure.remote")
    ada.git("config", "remote.--exec.url", f"ext::touch {pwned}")
    ada.git("config", "tenure.remote", "--exec")
    ada.do("log")
    ada.git("config", "--unset", "tenure.remote")
    ada.git("checkout", "-q", "-b", "x;touch${IFS}pwned")
    ada.do("claim", X).ok()
    ada.cli("release", "--reason", f"$(touch {pwned}) `touch {pwned}` --exec=x", X).ok()
    assert not pwned.exists() and not (ada.path / "pwned").exists()
    assert all(isinstance(word, str) for word in process.environment().values())
