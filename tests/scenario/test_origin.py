"""Between this clone and origin: what is sent, how it is judged, what waits (R-C1 to R-C3, R-C8)."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest

from scenario.kit import away, back, head_of, picture, refused, server_hook
from servers import GitOverHttp, GitOverSsh
from support import ADA, AUTH, BOB, DOCS, Clone, World, claim_text, wait
from tenure.model import ids
from tenure.model.record import Completion

REF = ids.claim_ref(AUTH)
QUIET: dict[str, Any] = {"TENURE_NO_BACKGROUND": "1"}


@pytest.fixture(params=["file", "http", "ssh"])
def url(request: pytest.FixtureRequest, world: World) -> Iterator[str]:
    """Where origin is reached, over each way that git knows."""
    bare = world.origin()
    if request.param == "file":
        yield bare.path.as_uri()
    elif request.param == "http":
        server = GitOverHttp(world.root)
        yield server.url("origin.git")
        server.stop()
    else:
        sshd = GitOverSsh(world.root)
        with (world.root / "gitconfig").open("a") as config:
            config.write(f"[core]\n\tsshCommand = {sshd.command}\n")
        yield sshd.url(bare.path)
        sshd.stop()


def test_the_whole_job_over_every_way_to_reach_an_origin(world: World, url: str) -> None:
    """R-C1, R-C2, R-H2: claim, second claim refused, commit renews, push, done, seen elsewhere, merged, pruned."""
    bare = Clone(world, world.root / "origin.git")
    ours, theirs = world.clone("ours", url).hooks(), world.clone("theirs", url)
    assert ours.json("claim", AUTH)["pushed"] == "yes"
    assert f"{AUTH} is held by {ADA}" in head_of(refused(theirs, 4, "claim", AUTH, agent=BOB))
    held = bare.held()
    ours.share(held.text.replace("ttl: 1800", "ttl: 3600"))
    ours.touch()
    ours.commit("Work")
    wait("the renewal on origin", lambda: bare.held().expires > held.expires)
    ours.git("push", "-q", "origin", "main")
    ours.tenure("done", "--proof", f"commit:{ours.head()}")
    assert isinstance(bare.record(), Completion)
    assert "not merged here yet" in refused(theirs, 4, "claim", AUTH, agent=BOB)
    ours.commit("Done")
    ours.git("push", "-q", "origin", "main")
    theirs.git("pull", "-q")
    assert [one["task"] for one in theirs.json("check")["pruned"]] == [AUTH]
    assert bare.record() is None
    wait("all events on origin", lambda: ours.json("status")["outbox"] == 0 == theirs.json("status")["outbox"])


def test_claims_travel_without_a_line_in_the_configuration(world: World) -> None:
    """R-C1: nothing in the fetch configuration, no ref on a wildcard, FETCH_HEAD as the person left it."""
    world.origin()
    ours, theirs = world.clone("ours"), world.clone("theirs")
    theirs.git("fetch", "-q")
    before = theirs.git("config", "--local", "--list").out
    fetched = (theirs.path / ".git/FETCH_HEAD").read_text()
    ours.tenure("claim", AUTH)
    theirs.tenure("activity")
    assert theirs.git("config", "--local", "--list").out == before
    assert (theirs.path / ".git/FETCH_HEAD").read_text() == fetched
    assert theirs.oid(ids.mirror_ref(AUTH)) and theirs.oid(REF) is None
    theirs.git("pull", "-q", "--prune")
    assert theirs.oid(ids.mirror_ref(AUTH))


def test_hostile_settings_send_and_take_nothing_more(world: World) -> None:
    """R-C1: mirror pushes, followTags, push options, tags, wildcards and hooks of the person's own."""
    bare = world.origin()
    clone = world.clone("clone")
    clone.git("tag", "-a", "v1", "-m", "v1")
    clone.git("branch", "private")
    settings = (
        "push.followTags=true push.default=matching remote.origin.push=refs/heads/*:refs/heads/* fetch.prune=true"
    )
    settings += (
        " remote.origin.tagOpt=--tags push.recurseSubmodules=on-demand fetch.pruneTags=true push.gpgSign=if-asked"
    )
    for word in settings.split():
        key, _, text = word.partition("=")
        clone.git("config", key, text)
    world.script("clone/.git/hooks/pre-push", "#!/bin/sh\nexit 1\n")
    clone.tenure("claim", AUTH, **QUIET)
    clone.tenure("release", "--reason", "x", **QUIET)
    clone.tenure("claim", AUTH, **QUIET)
    names = bare.git("for-each-ref", "--format=%(refname)").out.split()
    assert sorted(names) == [REF, "refs/heads/main", ids.FEED]
    assert clone.git("tag").out == "v1\n"


def test_a_refused_claim_stands_here_only_and_only_claim_tries_it_again(world: World) -> None:
    """R-C2: exit 0, `pushed: refused`, stderr says so, `local_only`; no commit, push or verb publishes it."""
    bare = world.origin()
    hook = server_hook(bare, "update", "case $1 in refs/ank/*) exit 1;; esac")
    clone = world.clone("clone").hooks()
    said = clone.tenure("claim", AUTH)
    assert f"warning: the claim on {AUTH} stands in this clone only: origin refused it" in said.err
    assert "only `tenure claim` tries it again" in said.err
    assert clone.json("claim", AUTH)["pushed"] == "refused"
    assert clone.json("status")["claim"]["local_only"] is True
    hook.unlink()
    clone.tenure("log", "at it")
    clone.touch()
    clone.commit("Work")
    clone.git("push", "-q", "origin", "main")
    time.sleep(1)
    assert bare.record() is None and clone.json("status")["pending"] == 0
    assert clone.json("claim", AUTH)["pushed"] == "yes"
    assert bare.held().token == clone.held().token
    assert clone.json("status")["claim"]["local_only"] is False


def test_an_unreachable_origin_leaves_the_claim_pending(world: World) -> None:
    """R-C2, R-C3: exit 0 and said; the next verb that reaches origin carries it."""
    bare = world.origin()
    clone = world.clone("clone")
    away(clone)
    said = clone.tenure("claim", AUTH)
    assert "origin could not be reached; another clone can take it (it is pushed when origin answers)" in said.err
    assert clone.json("status")["pending"] == 1 and clone.json("status")["claim"]["local_only"]
    back(clone)
    clone.tenure("status")
    wait("the claim on origin", lambda: bare.record() is not None)
    assert bare.held().token == clone.held().token


def rewind(clone: Clone, ago: int) -> None:
    """What waits ended so many seconds ago, in the ref and in what the clone knows of it."""
    state = clone.path / f".git/tenure/claims/{AUTH}"
    old = clone.oid(REF) or ""
    text = clone.shorten(-ago).text.replace("\n", "\\n")
    known = state.read_text().replace(old, clone.oid(REF) or "")
    state.write_text(re.sub(r"^(pending_record|record) .*", lambda found: f"{found[1]} {text}", known, flags=re.M))


def test_a_pending_claim_that_lapsed_is_never_published(world: World) -> None:
    """R-C3: only while live."""
    bare = world.origin()
    clone = world.clone("clone").hooks()
    away(clone)
    clone.tenure("claim", AUTH)
    rewind(clone, 600)
    assert clone.json("status")["pending"] == 1
    back(clone)
    clone.tenure("status")
    clone.write("other.txt", "x\n")
    clone.git("commit", "-q", "-m", "Elsewhere", "other.txt")
    clone.git("push", "-q", "origin", "main")
    time.sleep(1.5)
    assert bare.record() is None


def test_what_was_lost_is_never_published_later(world: World) -> None:
    """R-C3: pending here, taken by somebody else meanwhile: origin's record stands, the loser is told."""
    bare = world.origin()
    ours, theirs = world.clone("ours"), world.clone("theirs")
    away(ours)
    ours.tenure("claim", AUTH)
    theirs.tenure("claim", AUTH, agent=BOB)
    back(ours)
    ours.tenure("activity")
    ours.tenure("status")
    time.sleep(1)
    assert bare.held().holder == BOB
    assert ours.oid(REF) in (None, bare.oid(REF))
    assert ours.json("status")["pending"] == 0 and ours.json("status")["claim"] is None


def test_a_push_whose_answer_was_lost_has_won(world: World) -> None:
    """R-C2: it landed, and the connection broke before the answer: judged by what origin holds."""
    bare = world.origin()
    clone = world.clone("clone")
    clone.git(
        "config",
        "remote.origin.receivepack",
        str(world.script("deaf", '#!/bin/sh\ngit-receive-pack "$@" | head -c 200\nexit 1\n')),
    )
    land = '#!/bin/sh\ngit-receive-pack "$@" >"$0.out"\nhead -c 150 "$0.out"\nexit 1\n'
    clone.git("config", "remote.origin.receivepack", str(world.script("deaf", land)))
    said = clone.json("claim", AUTH, **QUIET)
    landed = bare.record() is not None
    assert said["pushed"] == ("yes" if landed else "unreachable")
    assert clone.held().holder == ADA
    server_hook(bare, "post-update", "kill -9 $(ps -o ppid= -p $PPID) 2>/dev/null; exit 1")
    clone.git("config", "--unset", "remote.origin.receivepack")
    said = clone.json("claim", DOCS, agent=BOB, **QUIET)
    assert bare.record(DOCS) is not None and said["pushed"] == "yes"


def test_a_record_with_my_token_that_moved_is_leased_on_and_pushed_again(world: World) -> None:
    """R-C2: my own renewal from another process came first."""
    bare = world.origin()
    clone = world.clone("clone")
    clone.tenure("claim", AUTH)
    now = int(time.time())
    moved = claim_text(AUTH, ADA, now + 200, clone.held().token, claimed=clone.held().claimed)
    bare.put(moved)
    clone.put(claim_text(AUTH, ADA, now + 100, clone.held().token, claimed=clone.held().claimed))
    clone.git("update-ref", ids.mirror_ref(AUTH), clone.oid(REF) or "")
    clone.tenure("log", "renews")
    assert bare.held().expires >= now + 1790 and bare.held().token == clone.held().token


def test_a_claim_that_vanished_without_a_word_counts_as_swept_and_comes_back(world: World) -> None:
    """R-C2, R-L6: something was published, nothing is there, the feed tells no end."""
    bare = world.origin()
    clone = world.clone("clone")
    clone.tenure("claim", AUTH)
    bare.git("update-ref", "-d", REF)
    said = clone.tenure("activity")
    assert "your claim on TASK-820d259af6a7 ended on origin: swept" in said.err + clone.tenure("status").err
    assert clone.record() is None
    clone.tenure("log", "still at it")
    assert bare.held().token == clone.held().token


@pytest.mark.parametrize("name", [f"{REF}/y", "refs/ank/claims"])
def test_a_ref_that_stands_in_the_way_is_named(world: World, name: str) -> None:
    """R-C2, R-C8: below or above the name, here or on origin: 9 naming it; nothing stays behind."""
    bare = world.origin()
    clone = world.clone("clone")
    bare.git("update-ref", name, bare.head())
    before = picture(clone)
    said = clone.tenure("claim", AUTH, exits=9).err
    assert head_of(said).startswith(f"unreadable record on origin's {name}: "), said
    assert picture(clone) == before
    bare.git("update-ref", "-d", name)
    clone.git("update-ref", name, clone.head())
    assert f"unreadable record on {name}: " in refused(clone, 9, "claim", AUTH)


def a_tree(repo: Clone) -> str:
    return repo.oid("HEAD^{tree}") or ""


UNREADABLE = {
    "garbage": "this is no record\n",
    "another task": claim_text(DOCS, BOB, 2_000_000_000),
    "unknown state": claim_text(AUTH, BOB, 2_000_000_000).replace("state: claim", "state: reserved"),
    "a duplicate key": claim_text(AUTH, BOB, 2_000_000_000) + "holder: human:eve\n",
    "an unknown field": claim_text(AUTH, BOB, 2_000_000_000) + "priority: 1\n",
    "too large": claim_text(AUTH, BOB, 2_000_000_000) + "#" * 16_384 + "\n",
}


def spoil(repo: Clone, how: str) -> None:
    if how in UNREADABLE:
        repo.put(UNREADABLE[how])
    elif how == "a symbolic ref":
        readable = repo.put(claim_text(AUTH, BOB, int(time.time()) - 600))
        repo.git("update-ref", "refs/elsewhere/x", readable)
        repo.git("symbolic-ref", REF, "refs/elsewhere/x")
    else:
        repo.git("update-ref", REF, a_tree(repo) if how == "a tree" else repo.head())


@pytest.mark.parametrize("how", [*UNREADABLE, "a tree", "a commit", "a symbolic ref"])
def test_an_unreadable_record_is_neither_free_nor_live_and_hides_nothing(world: World, how: str) -> None:
    """R-C8: 9 with the ref and the command that clears it; one line for verbs that list; the others go on."""
    repo = world.repo()
    repo.tenure("claim", DOCS, agent=BOB)
    spoil(repo, how)
    said = refused(repo, 9, "claim", AUTH)
    assert head_of(said).startswith(f"unreadable record on {REF}: ")
    assert f"  -> git update-ref --no-deref -d {REF}" in said.splitlines()
    refused(repo, 9, "close", AUTH, "--reason", "x")
    status = repo.tenure("status")
    assert len([line for line in status.err.splitlines() if line.startswith("warning: ") and REF in line]) == 1
    assert DOCS in status.out and BOB in status.out
    assert repo.json("log", "goes on", agent=BOB)["about"] == DOCS
    assert repo.json("find", "", "--free")["results"] == []
    others = repo.git("for-each-ref", "refs/heads", "refs/elsewhere").out
    repo.git(*said.splitlines()[1].removeprefix("  -> git ").split())
    repo.tenure("claim", AUTH)
    assert repo.git("for-each-ref", "refs/heads", "refs/elsewhere").out == others


def test_an_unreadable_record_on_origin_is_named_with_the_command_that_clears_it_there(world: World) -> None:
    """R-C8."""
    bare = world.origin()
    clone = world.clone("clone")
    bare.put("garbage\n")
    said = refused(clone, 9, "claim", AUTH)
    assert f"unreadable record on origin's {REF}" in said
    command = said.splitlines()[1].removeprefix("  -> git ")
    assert f"  -> git {command}" in clone.tenure("check", exits=8).out.splitlines()
    clone.git(*command.split())
    clone.tenure("claim", AUTH)
    assert bare.held().holder == ADA


def test_an_object_that_is_missing_is_one_unreadable_record(world: World) -> None:
    """R-C8: and not the end of every verb."""
    repo = world.repo()
    oid = repo.put(claim_text(AUTH, BOB, int(time.time()) + 900))
    (repo.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    assert "its object is missing" in refused(repo, 9, "claim", AUTH)
    repo.tenure("claim", DOCS)
    assert repo.json("status")["claim"]["id"] == DOCS


def test_a_local_copy_of_somebody_elses_record_is_dropped_when_the_mirror_is_read(world: World) -> None:
    """R-C1: it has served its time, and is not taken for a claim of this clone's."""
    bare = world.origin()
    clone = world.clone("clone")
    text = claim_text(AUTH, BOB, int(time.time()) - 600)
    clone.share(text)
    bare.put(claim_text(AUTH, BOB, int(time.time()) + 900))
    refused(clone, 4, "claim", AUTH, keeps=False)
    assert clone.oid(REF) is None and clone.oid(ids.mirror_ref(AUTH)) == bare.oid(REF)


def test_the_remote_that_is_named_counts_and_status_tells_of_an_upstream(world: World) -> None:
    """R-C1: `tenure.remote`; a fork's `origin` is not where the team's claims are."""
    bare = world.origin()
    clone = world.clone("clone")
    world.run(["git", "clone", "-q", "--bare", str(bare.path), str(world.root / "fork.git")], world.root)
    clone.git("remote", "rename", "origin", "upstream")
    clone.git("remote", "add", "origin", str(world.root / "fork.git"))
    assert "git config tenure.remote upstream" in clone.tenure("status").out
    clone.git("config", "tenure.remote", "upstream")
    assert "tenure.remote" not in clone.tenure("status").out
    clone.tenure("claim", AUTH)
    assert bare.held().holder == ADA
    assert Clone(world, world.root / "fork.git").record() is None
    clone.git("push", "-q", "--no-verify", "upstream", f":{REF}")
    garbage = world.run(["git", "hash-object", "-w", "--stdin"], bare.path, stdin="garbage").out.strip()
    bare.git("update-ref", ids.claim_ref(DOCS), garbage)
    refused = clone.tenure("claim", DOCS, exits=9, agent=BOB).err
    assert f"  -> git push upstream :{ids.claim_ref(DOCS)}" in refused.splitlines()
