"""Taking a task: what it does, whom it refuses, who wins (R-C4, R-C5, R-C10, R-I4, R-I5, R-L1, R-K5)."""

from __future__ import annotations

import re
import subprocess
import time

import pytest

from scenario.kit import files, head_of, picture, refused, server_hook
from support import ADA, AUTH, BOB, CRITERION, CY, DOCS, FROZEN, Clone, World, claim_text, task_text
from tenure.model import ids

THIRD = "TASK-7d1e5a90c3b2"


def race(commands: list[tuple[Clone, str]], *words: str) -> list[int]:
    """Start them all, then wait for them all; the exit codes."""
    started = [
        subprocess.Popen(
            [clone.world.python, "-m", "tenure", *words],
            cwd=clone.path,
            env=clone.world.env(agent),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for clone, agent in commands
    ]
    return [child.wait(60) for child in started]


def test_a_claim_writes_file_ref_and_frozen_hash_and_nothing_else(world: World) -> None:
    """R-C5: `status` and `version` of one file, one ref; neither the index nor HEAD nor another file."""
    repo = world.repo()
    before, text = picture(repo), repo.read(repo.task_path())
    said = repo.tenure("claim", "820d")
    assert said.out.splitlines()[0] == f"claimed {AUTH} migrate-auth -> HEAD"
    after = picture(repo)
    path = str(repo.path / repo.task_path())
    assert {key for key in after if after[key] != before.get(key)} == {"refs", "status", path}
    assert repo.read(repo.task_path()) == text.replace("status: open", "status: in_progress").replace(
        "version: 1", "version: 2"
    )
    assert repo.held().holder == ADA and repo.held().criteria == FROZEN


def test_head_is_the_task_that_this_identity_holds(world: World) -> None:
    """R-C5: HEAD is derived from the records, by identity, and no file says so."""
    repo = world.repo()
    repo.tenure("claim", AUTH)
    repo.tenure("claim", DOCS, agent=BOB)
    assert repo.json("log", "mine")["about"] == AUTH
    assert repo.json("log", "his", agent=BOB)["about"] == DOCS
    assert repo.json("status", agent=CY)["claim"] is None


def test_refusals_come_in_the_order_of_the_format(world: World) -> None:
    """R-C5: not found 2, no criterion 7, blocked 7, from this state 6, already holding another 7, held elsewhere 4."""
    bare = "TASK-000000000001"
    repo = world.repo(
        **files(
            task_text(AUTH),
            task_text(DOCS, "docs/**", blocked_by=THIRD),
            task_text(THIRD, status="closed"),
            task_text(bare, criteria=None, blocked_by=THIRD),
        )
    )
    repo.put(claim_text(DOCS, BOB, int(time.time()) + 900), DOCS)
    repo.tenure("claim", AUTH)
    assert head_of(refused(repo, 2, "claim", "ffff")) == "nothing here is named ffff"
    assert head_of(refused(repo, 7, "claim", bare)) == f"{bare} has no done_criteria"
    assert head_of(refused(repo, 7, "claim", DOCS)) == f"{DOCS} is blocked by {THIRD}"
    assert head_of(refused(repo, 6, "claim", THIRD)) == f"{THIRD} is closed here"
    repo.write(repo.task_path(DOCS), task_text(DOCS, "docs/**"))
    said = refused(repo, 7, "claim", DOCS)
    assert re.fullmatch(rf"human:ada holds a live claim on {AUTH} \(expires in (29|30)m\)", head_of(said))
    said = refused(repo, 4, "claim", DOCS, agent=CY)
    assert re.fullmatch(rf"{DOCS} is held by human:bob \(expires in 1[45]m\)", head_of(said))


def test_a_criterion_is_set_by_the_claim_only_where_there_is_none(world: World) -> None:
    """R-C5, R-X6: set and frozen in one call; over another 6; one that the format cannot carry 1."""
    repo = world.repo(**files(task_text(AUTH, criteria=None), task_text(DOCS)))
    refused(repo, 6, "claim", DOCS, "--criteria", "Anything")
    refused(repo, 1, "claim", AUTH, "--criteria", "  begins with a blank")
    refused(repo, 7, "claim", AUTH, "--criteria", "")
    repo.tenure("claim", AUTH, "--criteria", CRITERION)
    assert repo.held().criteria == FROZEN
    assert "criteria_by: claimer" in repo.read(repo.task_path())
    assert f"done_criteria: |\n  {CRITERION}" in repo.read(repo.task_path())


def test_of_many_processes_in_one_clone_one_wins(world: World) -> None:
    """R-C1, R-C10: the local swap arbitrates, also between worktrees, without a remote."""
    repo = world.repo()
    tree = repo.worktree("tree")
    people = [f"human:p{number}" for number in range(6)]
    codes = race([((repo, tree)[number % 2], who) for number, who in enumerate(people)], "claim", AUTH)
    assert sorted(codes) == [0, 4, 4, 4, 4, 4]
    winner = repo.held().holder
    assert winner == people[codes.index(0)]
    assert tree.held().holder == winner
    assert [one["holder"] for one in repo.events("task.claimed")] == [winner]
    assert sum(one.status_of() == "in_progress" for one in (repo, tree)) == 1


def test_of_two_clones_one_wins_and_the_other_keeps_nothing(world: World) -> None:
    """R-C2: origin's swap arbitrates; the loser's ref follows origin, its file stays as it was."""
    bare = world.origin()
    ours, theirs = world.clone("ours"), world.clone("theirs")
    codes = race([(ours, ADA), (theirs, BOB)], "claim", AUTH)
    assert sorted(codes) == [0, 4]
    winner, loser = ((ours, ADA), (theirs, BOB)) if codes == [0, 4] else ((theirs, BOB), (ours, ADA))
    assert bare.held().holder == winner[1]
    assert loser[0].oid(ids.claim_ref(AUTH)) in (None, bare.oid(ids.claim_ref(AUTH)))
    assert loser[0].status_of() == "open"
    assert loser[0].json("status", agent=loser[1])["claim"] is None


def test_claim_next_takes_what_unblocks_most_then_the_oldest(world: World) -> None:
    """R-C5: how many tasks it directly unblocks, falling; then `created`; --scope narrows; nothing: 2."""
    old, young, hub, leaf = (f"TASK-00000000000{number}" for number in (9, 8, 7, 6))
    repo = world.repo(
        **files(
            task_text(young).replace("2026-01-05", "2026-03-05"),
            task_text(old).replace("2026-01-05", "2025-01-05"),
            task_text(hub, "docs/**").replace("2026-01-05", "2026-04-05"),
            task_text(leaf, blocked_by=hub),
        )
    )
    took = [repo.json("claim", "--next", agent=f"human:{name}")["task"] for name in ("a", "b", "c")]
    assert took == [hub, old, young]
    assert head_of(refused(repo, 2, "claim", "--next", agent="human:d")) == "nothing is claimable here"
    repo.tenure("release", "--reason", "later", agent="human:b")
    refused(repo, 2, "claim", "--next", "--scope", "docs/guide.md", agent="human:d")
    assert repo.json("claim", "--next", "--scope", "src/auth/login.py", agent="human:d")["task"] == old


def test_claim_next_goes_on_when_the_race_is_lost(world: World) -> None:
    """R-C5, R-C2: somebody lands first in the very moment of the push; the next claimable task is taken."""
    bare = world.origin(**files(task_text(AUTH).replace("2026-01-05", "2025-01-05"), task_text(DOCS, "docs/**")))
    clone = world.clone("clone")
    theirs = bare.put(claim_text(AUTH, BOB, int(time.time()) + 900))
    bare.git("update-ref", "-d", ids.claim_ref(AUTH))
    server_hook(bare, "update", f'[ "$1" != {ids.claim_ref(AUTH)} ] || {{ git update-ref "$1" {theirs}; exit 1; }}')
    assert clone.json("claim", "--next")["task"] == DOCS
    assert bare.held(AUTH).holder == BOB and bare.held(DOCS).holder == ADA
    assert clone.status_of(AUTH) == "open"


def test_one_identity_holds_one_live_claim_and_both_ways_out_work(world: World) -> None:
    """R-I4: 7 naming identity, task and minutes; a release, or another ANK_AGENT for the second session."""
    repo = world.repo()
    repo.tenure("claim", AUTH)
    said = refused(repo, 7, "claim", DOCS)
    assert "tenure release --reason" in said and "ANK_AGENT" in said
    repo.tenure("claim", DOCS, agent="human:ada-two")
    repo.tenure("release", "--reason", "no", agent="human:ada-two")
    repo.tenure("release", "--reason", "no")
    repo.tenure("claim", DOCS)


def test_a_lapsed_claim_of_mine_does_not_keep_me_from_another(world: World) -> None:
    """R-I4: live claims count, lapsed ones do not."""
    repo = world.repo()
    repo.tenure("claim", AUTH)
    repo.shorten(-600)
    repo.tenure("claim", DOCS)
    assert repo.json("status")["claim"]["id"] == DOCS


def test_a_regrant_keeps_the_acquisition_and_writes_no_second_event(world: World) -> None:
    """R-I5, R-C4: exit 0; token, generation, `claimed` and hash stay; exactly one fresh grant."""
    repo = world.repo()
    repo.tenure("claim", AUTH)
    first = repo.shorten(300)
    said = repo.json("claim", AUTH)
    again = repo.held()
    assert said["regranted"] and not said["taken_over"] and said["warnings"] == []
    assert (again.token, again.generation, again.claimed) == (first.token, 1, first.claimed)
    assert again.expires > first.expires + 1000
    assert len(repo.events()) == 1


def test_the_same_identity_in_another_clone_adopts_the_record(world: World) -> None:
    """R-I5: another token on origin: adopted, one fresh grant, stderr says that a session may share the identity."""
    bare = world.origin()
    first, second = world.clone("first"), world.clone("second")
    first.tenure("claim", AUTH)
    token = bare.held().token
    said = second.tenure("claim", AUTH)
    assert "another session may share the identity" in said.err
    assert second.held().token == bare.held().token == token
    assert len(second.events("task.claimed")) == 1


def test_two_clones_of_one_identity_race_to_one_grant(world: World) -> None:
    """R-I5: both exit 0, and there is one token in the end."""
    bare = world.origin()
    first, second = world.clone("first"), world.clone("second")
    assert race([(first, ADA), (second, ADA)], "claim", AUTH) == [0, 0]
    assert first.held().token == second.held().token == bare.held().token
    assert {one["token"] for one in first.events("task.claimed") + second.events("task.claimed")} >= {bare.held().token}


def test_a_take_over_is_a_new_acquisition_of_the_next_generation(world: World) -> None:
    """R-C4, R-C5, R-A2: new token, generation + 1, its own event, and the former holder's branch and last commit."""
    repo = world.repo()
    repo.git("checkout", "-q", "-b", "rotate")
    repo.tenure("claim", AUTH)
    old = repo.shorten(-600)
    repo.touch()
    repo.commit("Work of ada's")
    said = repo.tenure("claim", AUTH, agent=BOB)
    new = repo.held()
    assert new.holder == BOB and new.generation == 2 and new.token not in (None, old.token)
    assert f"taken over from {ADA}, branch rotate, last commit {repo.head()[:7]}" in said.out.splitlines()
    event = repo.events("task.taken_over")[0]
    assert event["severity"] == "warn" and event["holder"] == event["actor"] == BOB


def test_a_claim_hands_over_reason_and_log(world: World) -> None:
    """R-C5: the last release reason and the last log entries, oldest first, after the line `claimed`."""
    repo = world.repo()
    repo.tenure("claim", AUTH)
    repo.tenure("log", "the old sessions are in redis")
    repo.tenure("release", "--reason", "names a test that does not exist")
    lines = repo.tenure("claim", AUTH, agent=BOB).out.splitlines()
    found = [number for number, line in enumerate(lines) if "redis" in line or "names a test" in line]
    assert len(found) == 2 and "redis" in lines[found[0]] and 0 < found[0] < found[1]


def test_a_record_of_an_older_writer_is_renewed_in_its_own_form(world: World) -> None:
    """R-C4, R-L3: neither the comment line nor a ttl is added; a take-over of it has generation 1."""
    repo = world.repo()
    now = int(time.time())
    old = claim_text(AUTH, ADA, now + 300, token=None).replace("ttl: 1800\n", "")
    repo.put(old)
    repo.tenure("context")
    strip = re.compile(r"^expires: .*$", re.M)
    assert strip.sub("", repo.held().text) == strip.sub("", old)
    assert repo.held().expires >= now + 1790
    repo.put(claim_text(AUTH, ADA, now - 600, token=None).replace("ttl: 1800\n", ""))
    assert repo.json("claim", AUTH, agent=BOB)["generation"] == 1


@pytest.mark.parametrize(
    ("asked", "granted", "capped"),
    [((), 2700, False), (("--lease", "90m"), 5400, False), (("--lease", "5h"), 10800, True)],
)
def test_the_granted_length_is_the_records_ttl(
    world: World, asked: tuple[str, ...], granted: int, capped: bool
) -> None:
    """R-L1: the flag, else the repository's default; never above its cap, and capping is said on stderr."""
    repo = world.repo()
    repo.write(".ank/config.yml", "schema: 1\nclaim_ttl_default: 45m\nclaim_ttl_max: 3h\n")
    said = repo.tenure("claim", AUTH, *asked)
    assert repo.held().ttl == granted == repo.held().expires - repo.held().claimed
    assert ("warning: the lease is capped at 3h" in said.err) == capped


def test_a_persons_own_default_counts_but_no_cap_passes_a_day(world: World) -> None:
    """R-L1: `tenure.lease` before the repository's default; a repository may set up to 24 h."""
    repo = world.repo()
    repo.write(".ank/config.yml", "schema: 1\nclaim_ttl_default: 45m\nclaim_ttl_max: 9d\n")
    repo.git("config", "tenure.lease", "20m")
    repo.tenure("claim", AUTH)
    assert repo.held().ttl == 1200
    repo.tenure("claim", DOCS, "--lease", "3d", agent=BOB)
    assert repo.held(DOCS).ttl == 86_400


def test_two_clones_without_an_origin_do_not_see_each_other_and_status_says_so(world: World) -> None:
    """R-C10: no arbitration without a common origin; `remote: false` and a sentence with the command."""
    one = world.repo("one")
    one.git("clone", "-q", ".", str(world.root / "two"))
    two = Clone(world, world.root / "two")
    two.git("remote", "remove", "origin")
    one.tenure("claim", AUTH)
    two.tenure("claim", AUTH, agent=BOB)
    assert one.json("status")["remote"] is False
    assert "no origin is set: other clones do not see these claims" in one.tenure("status").out


def test_a_claim_that_meets_others_says_so_in_one_line(world: World) -> None:
    """R-K5: how many, the first of them with holder and end; a notice, the claim stands; my own and lapsed: silence."""
    repo = world.repo(
        **files(
            task_text(AUTH, "src/auth/**"),
            task_text(DOCS, "src/auth/login.py"),
            task_text(THIRD, "src/**"),
        )
    )
    repo.tenure("claim", DOCS, agent=BOB)
    repo.tenure("claim", THIRD, agent=CY)
    said = repo.tenure("claim", AUTH)
    lines = [line for line in said.err.splitlines() if "overlap" in line]
    assert len(lines) == 1
    assert re.fullmatch(
        rf"warning: 2 claims overlap, first: {DOCS}, held by {BOB}, until \d{{4}}-\d\d-\d\d \d\d:\d\d UTC", lines[0]
    )
    repo.shorten(-600, DOCS)
    repo.shorten(-600, THIRD)
    assert "overlap" not in repo.tenure("claim", AUTH).err
