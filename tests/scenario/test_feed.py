"""What happened, told once and to everybody (R-A1 to R-A5)."""

from __future__ import annotations

import json
import subprocess
import time
from typing import Any

from scenario.kit import away, back
from support import ADA, AUTH, BOB, DOCS, Clone, World, claim_text, wait
from tenure.model import event, ids, instants

FIELDS = {"id", "type", "severity", "at", "task", "holder", "actor", "author_email", "from", "to", "commit"} | {
    "branch", "expires", "criteria", "reason", "source",
}  # fmt: skip
KINDS = {
    "task.claimed": "info",
    "task.taken_over": "warn",
    "task.released": "info",
    "task.completed": "info",
    "task.closed": "info",
    "task.contested": "warn",
    "task.lapsed": "info",
    "task.pruned": "info",
    "claim.lost": "warn",
}
QUIET: dict[str, Any] = {"TENURE_NO_BACKGROUND": "1"}


def paths(clone: Clone, ref: str = ids.FEED) -> list[str]:
    return clone.git("ls-tree", "-r", "--name-only", ref).out.split()


def test_the_feed_is_a_tree_that_no_history_shows(world: World) -> None:
    """R-A1: a tree, never a commit: `git log --all` and `git rev-list --all` are as before; the path is the id."""
    repo = world.repo()
    before = repo.git("log", "--all", "--format=%H%d").out
    repo.tenure("claim", AUTH)
    assert repo.git("cat-file", "-t", ids.FEED).out.strip() == "tree"
    assert repo.git("log", "--all", "--format=%H%d").out == before
    assert repo.git("rev-list", "--all", "--count").out.strip() == "1"
    [one] = repo.events()
    assert paths(repo) == [f"{one['id'][:2]}/{one['id']}.json"]
    assert json.loads(repo.git("cat-file", "blob", f"{ids.FEED}:{paths(repo)[0]}").out) == one


def test_every_kind_of_event_is_told_with_all_fields_and_renewals_are_none(world: World) -> None:
    """R-A2, R-A3: nine kinds, their severities, sixteen fields each; `task.lapsed` carries the blob's text."""
    bare = world.origin()
    ours, theirs = world.clone("ours"), world.clone("theirs")
    ours.tenure("claim", AUTH)
    ours.tenure("log", "renews")
    ours.tenure("context")
    ours.tenure("release", "--reason", "not now")
    now = int(time.time())
    ours.tenure("claim", AUTH)
    lapsed = claim_text(AUTH, ADA, now - 600, ours.held().token)
    ours.share(lapsed)
    theirs.tenure("sweep", "--after", "1d")
    theirs.tenure("claim", AUTH, agent=BOB)
    ours.tenure("activity")
    theirs.git("add", "-A")
    theirs.git("commit", "-q", "-m", "Work")
    theirs.tenure("done", "--proof", "assertion:yes", agent=BOB)
    theirs.git("add", "-A")
    theirs.git("commit", "-q", "-m", "Done")
    theirs.git("push", "-q", "origin", "main")
    theirs.tenure("check")
    ours.tenure("claim", DOCS)
    theirs.tenure("close", DOCS, "--reason", "overtaken", agent=BOB)
    wait("the feed on origin", lambda: theirs.json("status")["outbox"] == 0 or theirs.tenure("status").code)
    ours.tenure("activity")
    found = ours.json("activity")["events"]
    assert {one["type"]: one["severity"] for one in found} == KINDS
    assert all(set(one) >= FIELDS for one in found)
    by = {one["type"]: one for one in found}
    assert by["task.lapsed"]["record"] == lapsed
    assert by["task.released"]["reason"] == "not now" and by["task.released"]["branch"] == "main"
    assert by["task.completed"]["actor"] == BOB and by["task.completed"]["commit"]
    assert by["task.taken_over"]["author_email"] == "ada@example.org"
    assert len([one for one in found if one["type"] == "task.claimed"]) == 3
    assert bare.git("cat-file", "-t", ids.FEED).out.strip() == "tree"


def test_appends_of_two_clones_merge_as_a_union(world: World) -> None:
    """R-A1: pushed with a lease; the one that was lost is merged again; nothing goes."""
    bare = world.origin()
    ours, theirs = world.clone("ours"), world.clone("theirs")
    started = [
        subprocess.Popen(
            [world.python, "-m", "tenure", "claim", task], cwd=clone.path, env=world.env(who),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for clone, task, who in ((ours, AUTH, ADA), (theirs, DOCS, BOB))
    ]  # fmt: skip
    assert [one.wait(60) for one in started] == [0, 0]
    wait("both events on origin", lambda: bare.oid(ids.FEED) and len(paths(bare)) == 2)


def test_an_event_waits_in_the_outbox_while_origin_is_away(world: World) -> None:
    """R-A4: the claim does not depend on it, status counts what waits, and it goes with the next push."""
    bare = world.origin()
    clone = world.clone("clone")
    away(clone)
    clone.tenure("claim", AUTH)
    assert clone.json("status")["outbox"] == 1
    back(clone)
    clone.tenure("log", "back again")
    wait("the event on origin", lambda: bare.oid(ids.FEED) is not None)
    wait("nothing waits", lambda: clone.json("status")["outbox"] == 0)
    assert len(paths(bare)) == 1


def test_an_origin_that_refuses_the_feed_does_not_stop_a_claim(world: World) -> None:
    """R-A4: nothing blocks on the feed."""
    bare = world.origin()
    world.script("origin.git/hooks/update", '#!/bin/sh\n[ "$1" != refs/tenure/activity ]\n')
    clone = world.clone("clone")
    assert clone.json("claim", AUTH)["pushed"] == "yes"
    clone.tenure("release", "--reason", "x")
    assert bare.record() is None and bare.oid(ids.FEED) is None
    assert len(clone.events()) == 2


def old_event(days: int) -> event.Event:
    at = int(time.time()) - days * 86_400
    return event.without_claim("task.pruned", AUTH, ADA, event.Act(ADA, at), f"{days}")


def test_sweep_drops_what_is_older_than_180_days_here_and_on_origin(world: World) -> None:
    """R-A1: 181 days go, 179 stay."""
    bare = world.origin()
    clone = world.clone("clone")
    old, young = old_event(181), old_event(179)
    index: dict[str, Any] = {"GIT_INDEX_FILE": str(world.root / "index")}
    for one in (old, young):
        oid = world.run(["git", "hash-object", "-w", "--stdin"], clone.path, stdin=one.data.decode()).out.strip()
        clone.git("update-index", "--add", "--cacheinfo", f"100644,{oid},{one.path}", **index)
    tree = clone.git("write-tree", **index).out.strip()
    clone.git("push", "-q", "origin", f"{tree}:{ids.FEED}")
    clone.tenure("sweep")
    assert paths(bare) == [young.path]
    assert [one["id"] for one in clone.json("activity")["events"]] == [young.id]


def test_activity_is_narrowed_by_task_severity_and_age(world: World) -> None:
    """R-A5: --task by prefix, --severity warn, --since; an unknown task is 2."""
    repo = world.repo()
    repo.tenure("claim", AUTH)
    repo.shorten(-600)
    repo.tenure("claim", AUTH, agent=BOB)
    repo.tenure("claim", DOCS)
    kinds = [one["type"] for one in repo.json("activity", "--task", "820d")["events"]]
    assert kinds == ["task.claimed", "task.taken_over"]
    assert [one["type"] for one in repo.json("activity", "--severity", "warn")["events"]] == ["task.taken_over"]
    time.sleep(2.1)
    assert repo.json("activity", "--since", "1s")["events"] == []
    assert len(repo.json("activity", "--since", "1h")["events"]) == 3
    repo.tenure("activity", "--task", "ffff", exits=2)
    assert f"! {repo.events('task.taken_over')[0]['at']} task.taken_over {AUTH}" in repo.tenure("activity").out


def test_follow_prints_a_line_for_each_event_as_it_comes(world: World) -> None:
    """R-A5: `--follow --json`, for a dashboard or a bot."""
    repo = world.repo()
    repo.tenure("claim", AUTH)
    with subprocess.Popen(
        [world.python, "-m", "tenure", "activity", "--follow", "--json"], cwd=repo.path, env=world.env(),
        stdout=subprocess.PIPE, text=True,
    ) as child:  # fmt: skip
        assert child.stdout
        first = json.loads(child.stdout.readline())
        repo.tenure("release", "--reason", "x")
        second = json.loads(child.stdout.readline())
        child.terminate()
    assert (first["type"], second["type"]) == ("task.claimed", "task.released")


def test_activity_reads_origin_first_and_says_when_it_could_not(world: World) -> None:
    """R-A5: another clone's act is seen at once; with origin away what is known is shown, with a warning."""
    world.origin()
    ours, theirs = world.clone("ours"), world.clone("theirs")
    ours.tenure("claim", AUTH)
    wait("the event of the other clone", lambda: len(theirs.events("task.claimed")) == 1)
    away(theirs)
    said = theirs.tenure("activity")
    assert "warning: origin could not be read" in said.err and "task.claimed" in said.out


def test_hostile_text_in_the_feed_is_shown_harmless(world: World) -> None:
    """R-X3, R-A5: a reason with an escape sequence and reversed text."""
    repo = world.repo()
    repo.tenure("claim", AUTH)
    one = event.without_claim(
        "task.released", AUTH, "\x1b[31mred", event.Act("a\u202eb", int(time.time())), "k", reason="\x1b[2J\nfake line"
    )
    index: dict[str, Any] = {"GIT_INDEX_FILE": str(world.root / "index")}
    oid = world.run(["git", "hash-object", "-w", "--stdin"], repo.path, stdin=one.data.decode()).out.strip()
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{oid},{one.path}", **index)
    repo.git("update-ref", ids.FEED, repo.git("write-tree", **index).out.strip())
    said = repo.tenure("activity").out
    assert "\x1b" not in said and "\u202e" not in said and "task.released" in said
    assert instants.text_of(one.at) in said
    assert len(said.splitlines()) == 1, "no text of an event passes for a line of its own"
