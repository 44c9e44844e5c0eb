"""Origin away and back, refs that vanish, fetches of all kinds, clones that know less (F24, F41, F42, F50)."""

from __future__ import annotations

import pytest

from faults.kit import ADA, BOB, CY, DAY, FROZEN, Clone, World, X, Y, agree, claim_text, race, settle
from tenure.model import event, ids
from tenure.model.event import KEPT_SECONDS, Act
from tenure.model.record import Claim, Completion
from tenure.work.feed import MOST_WAITING

LAPSED = 1800 + 120 + 1


@pytest.mark.parametrize("how", ["by hand", "mirror"])
def test_f24_a_claim_that_vanished_is_told_and_comes_back_as_it_was(world: World, how: str) -> None:
    """S1, S2 (R-L6): with an empty lease on origin, never with generation 1 again for a take-over."""
    ada, bob = world.clones("ada", "bob")
    bob.do("claim", X, agent=BOB).ok()
    late = world.at + LAPSED
    before = ada.do("claim", X, at=late).ok()
    assert before["generation"] == 2
    if how == "mirror":
        bob.do("refresh", agent=BOB, at=late).ok()
        bob.git("push", "-q", "--mirror", "--no-verify")
    else:
        bob.git("push", "-q", "--no-verify", "origin", f":{ids.claim_ref(X)}")
    assert world.origin.record() is None
    gone = ada.do("refresh", at=late + 5).ok()
    assert len(gone["notes"]) == 1 and "ended on origin" in gone["notes"][0]
    assert ada.do("refresh", at=late + 6).ok()["notes"] == []
    back = ada.do("log", at=late + 10).ok()
    there = world.origin.claim()
    assert (there.token, there.generation, there.criteria) == (before["token"], 2, FROZEN) and back["token"]


def test_f24_a_record_that_an_old_clone_put_over_a_live_claim_is_put_right(world: World) -> None:
    """S2: `push --mirror` of a clone that slept; the generation does not stay behind."""
    ada, bob = world.clones("ada", "bob")
    bob.do("claim", X, agent=BOB).ok()
    late = world.at + LAPSED
    token = ada.do("claim", X, at=late).ok()["token"]
    bob.git("push", "-q", "--mirror", "--no-verify")
    assert world.origin.claim().holder == BOB
    settle(world, ada, at=late)
    assert (world.origin.claim().token, world.origin.claim().generation) == (token, 2)


def test_f24_a_claim_that_vanished_and_was_taken_stays_taken(world: World) -> None:
    """S1 (R-L6)."""
    ada, bob = world.clones("ada", "bob")
    ada.do("claim", X).ok()
    world.origin.git("update-ref", "-d", ids.claim_ref(X))
    bob.do("claim", X, agent=BOB).ok()
    ada.do("log", at=world.at + 1500)
    ada.do("log", at=world.at + 1501).refused(4, BOB)
    settle(world, ada, bob, at=world.at + 1502)
    assert world.origin.claim().holder == BOB


@pytest.mark.parametrize("online_first", [True, False])
def test_f41_a_claim_made_offline_gives_way_to_one_that_is_there_first(world: World, online_first: bool) -> None:
    """S1, S8 (R-C3): the loser is told once, with one event; what it did stays; nothing is published later."""
    ada, bob = world.clones("ada", "bob")
    world.origin.away()
    offline = ada.do("claim", X).ok()
    ada.work("offline work")
    assert offline["pushed"] == "unreachable"
    world.origin.back()
    if not online_first:
        settle(world, ada)
        bob.do("claim", X, agent=BOB).refused(4, ADA)
        agree(world, ada)
        return
    theirs = bob.do("claim", X, agent=BOB).ok()["token"]
    first = ada.do("refresh").ok()["notes"]
    assert len(first) == 1 and BOB in first[0]
    assert ada.do("refresh").ok()["notes"] == []
    ada.do("log").refused(4, BOB)
    for verb in ("context", "carry", "outbox", "refresh"):
        ada.do(verb, at=world.at + 100).ok()
    settle(world, ada, bob)
    assert world.origin.claim().token == theirs
    assert (ada.path / "part0" / "code.py").read_text() == "offline work\n"
    lost = [one for one in world.origin.events() if one["type"] == "claim.lost"]
    assert [(one["holder"], one["actor"], one["severity"]) for one in lost] == [(ADA, BOB, "warn")]
    agree(world, bob)


def test_f41_a_hook_that_renews_an_offline_claim_does_not_publish_what_was_lost(world: World) -> None:
    """S1, S9: the first thing after the reconnection is a commit, and the background carries."""
    ada, bob = world.clones("ada", "bob")
    world.origin.away()
    ada.do("claim", X).ok()
    world.origin.back()
    theirs = bob.do("claim", X, agent=BOB).ok()["token"]
    ada.work()
    ada.do("pre-commit", at=world.at + 60).ok()
    ada.do("carry", at=world.at + 61).ok()
    assert world.origin.claim().token == theirs
    assert any(BOB in one for one in ada.do("notes").ok()["notes"])
    assert "YOU LOST" in ada.do("pre-commit", at=world.at + 70).words


def test_f41_an_offline_claim_that_lapsed_before_the_reconnection_is_never_published(world: World) -> None:
    """R-C3: tried only while live; `claim` is a new one."""
    (ada,) = world.clones("ada")
    world.origin.away()
    ada.do("claim", X).ok()
    world.origin.back()
    late = world.at + LAPSED
    settle_at_late = ada.do("carry", at=late).ok()
    assert settle_at_late["done"] and world.origin.record() is None


def test_a_release_while_origin_is_away_is_a_release_for_every_verb_of_the_clone(world: World) -> None:
    """S5 (R-C3): what origin still shows was given back here; nothing brings it to life."""
    (ada,) = world.clones("ada")
    old = ada.do("claim", X).ok()["token"]
    world.origin.away()
    ada.do("release").ok()
    assert ada.do("look", X).ok()["text"] is None
    assert ada.do("context").ok()["held"] is None
    ada.work()
    ada.do("pre-commit", at=world.at + 5).ok()
    ada.do("log").refused(6)
    new = ada.do("claim", X, at=world.at + 10).ok()
    assert not new["regranted"] and new["token"] != old
    world.origin.back()
    settle(world, ada, at=world.at + 11)
    assert world.origin.claim().token == new["token"]
    agree(world, ada)


def test_a_take_over_that_is_handed_back_before_it_was_published_leaves_what_it_found(world: World) -> None:
    """S5 (R-C6): offline; the lapsed record of somebody else is not mine to delete."""
    ada, bob = world.clones("ada", "bob")
    bob.do("claim", X, agent=BOB).ok()
    ada.do("refresh").ok()
    late = world.at + LAPSED
    world.origin.away()
    assert ada.do("claim", X, at=late).ok()["taken_over"]
    ada.do("release", at=late).ok()
    world.origin.back()
    settle(world, ada, at=late)
    assert world.origin.claim().holder == BOB
    assert bob.do("log", agent=BOB, at=late + 1).ok()


def test_what_is_done_lands_though_the_claim_that_was_taken_over_was_swept_unseen(world: World) -> None:
    """S9 (R-C7): the take-over was made offline and never published; the completion expects what origin holds now."""
    ada, bob, cy = world.clones("ada", "bob", "cy")
    ada.do("claim", X).ok()
    bob.do("refresh", agent=BOB).ok()
    late = world.at + 2 * LAPSED
    world.origin.away()
    assert bob.do("claim", X, agent=BOB, at=late).ok()["pushed"] == "unreachable"
    world.origin.back()
    cy.do("sweep", 0, agent=CY, at=late).ok()
    assert world.origin.record() is None
    bob.do("done", X, agent=BOB, at=late + 60).ok()
    there = world.origin.record()
    assert isinstance(there, Completion) and there.identity == BOB
    assert bob.state().get("pending") is None


def test_what_is_done_meets_its_own_end_on_origin_and_says_so(world: World) -> None:
    """S9: a sibling handed the task back in this moment; no completion is said to wait that does not."""
    ada, sibling = world.clones("ada", "sibling")
    ada.do("claim", X).ok()
    there = world.origin.refs()[ids.claim_ref(X)]
    sibling.do("release", X).ok()
    world.origin.git("update-ref", ids.claim_ref(X), there)
    world.origin.meanwhile(ids.claim_ref(X), f"git update-ref -d {ids.claim_ref(X)}")
    ada.do("done", X).refused(4, "ended on origin in this moment")
    assert world.origin.record() is None and ada.state().get("pending") is None


def test_f42_no_fetch_touches_a_live_ref_and_a_mirror_that_git_moved_is_understood(world: World) -> None:
    """S9 (R-C1): with the mirror in the fetch configuration, pruning or not."""
    ada, bob = world.clones("ada", "bob")
    ada.git("config", "--add", "remote.origin.fetch", f"+{ids.CLAIMS}*:{ids.MIRROR}*")
    world.origin.away()
    offline = ada.do("claim", X).ok()["token"]
    world.origin.back()
    for words in (("fetch", "-q"), ("fetch", "-q", "--prune"), ("fetch", "-q", "--all", "--prune")):
        ada.git(*words)
        assert ada.claim(X).token == offline
    settle(world, ada)
    ada.do("done", X).ok()
    commit = ada.oid("HEAD")
    bob.do("release", X, agent=BOB).ok()  # a completion whose branch was thrown away
    ada.git("fetch", "-q", "--prune")
    assert ada.mirror(X) is None
    ada.do("refresh").ok()
    assert ada.record(X) is None, "a completion that ended on origin still stands here"
    ada.edit("status: done", "status: open")
    ada.do("claim", X).ok()
    assert commit and world.origin.claim().holder == ADA


@pytest.mark.parametrize("spec", ["+refs/ank/*:refs/ank/*", "+refs/*:refs/*"])
def test_f42_no_fetch_of_ours_writes_over_live_refs_though_the_user_s_settings_would(world: World, spec: str) -> None:
    """S5, S7 (R-C1): ank's own refspec is set; git moves along whatever that names, unless it is told not to."""
    ada, bob = world.clones("ada", "bob")
    ada.git("config", "--add", "remote.origin.fetch", spec)
    ada.git("config", "tenure.renewPush", "never")
    ada.do("claim", X).ok()
    ada.work()
    ada.do("pre-commit", at=world.at + 100).ok()
    ada.do("refresh", at=world.at + 101).ok()
    assert ada.claim().expires == world.at + 1900, "a look at origin took the renewal back"
    bob.do("claim", Y, agent=BOB).ok()
    ada.do("claim", Y, at=world.at + 102)
    assert ada.record(Y) is None, "somebody else's record became a live ref of this clone"
    world.origin.away()
    ada.do("release", X, at=world.at + 103).ok()
    world.origin.back()
    ada.do("refresh", at=world.at + 104).ok()
    assert ada.record() is None, "a look at origin brought back what was released"


def test_f42_a_push_of_ours_takes_back_no_later_renewal_though_git_would(world: World) -> None:
    """S7 (R-C1): git moves what such a refspec names after a push as well."""
    (ada,) = world.clones("ada")
    ada.git("config", "--add", "remote.origin.fetch", "+refs/ank/*:refs/ank/*")
    ada.do("claim", X).ok()
    ada.work()
    ada.do("pre-commit", at=world.at + 1200).ok()
    gate = world.gate("carrier", '*" push "*')
    carrying = ada.start("renewal", X, at=world.at + 1200, env=gate.env)
    gate.reached()
    ada.do("pre-commit", at=world.at + 1700).ok()
    gate.open()
    assert carrying.wait().ok()["kind"] == "won"
    assert ada.claim().expires == world.at + 1700 + 1800
    settle(world, ada, at=world.at + 1700)
    assert world.origin.claim().expires == world.at + 1700 + 1800


def test_f42_a_mirror_that_git_moved_shows_a_loss_to_the_next_verb(world: World) -> None:
    """S1 (§1): the claim lapsed, another took it, and only a plain fetch told this clone."""
    ada, bob = world.clones("ada", "bob")
    ada.do("claim", X).ok()
    late = world.at + LAPSED
    bob.do("claim", X, agent=BOB, at=late).ok()
    ada.git("fetch", "-q", "--prune", "origin", f"+{ids.CLAIMS}*:{ids.MIRROR}*")
    seen = ada.do("look", X, at=late).ok()
    assert seen["holder"] == BOB
    ada.do("done", X, at=late).refused(4, BOB)
    ada.do("log", at=late).refused(4, BOB)


def test_f50_a_shallow_clone_without_claim_refs_claims_and_completes(world: World) -> None:
    """S9: depth 1."""
    world.git(world.root, "clone", "-q", "--depth", "1", f"file://{world.origin.path}", str(world.root / "thin"))
    thin = Clone(world, world.root / "thin")
    thin.do("claim", X, agent=CY).ok()
    thin.do("done", X, agent=CY).ok()
    settle(world, thin, agent=CY)
    assert isinstance(world.origin.record(), Completion)


def test_f50_a_token_that_may_only_read_reports_and_changes_nothing(world: World) -> None:
    """S9 (R-G5): the push goes elsewhere or nowhere; sweep says what was kept."""
    (bob,) = world.clones("bob")
    oid = bob.share(X, claim_text(ADA, world.at, world.at + 1800))
    world.origin.hook("pre-receive", "exit 1\n")
    late = world.at + LAPSED + DAY
    swept = bob.do("sweep", agent=BOB, at=late).ok()
    assert swept["swept"] == [] and list(swept["kept"]) == [X]
    assert world.origin.oid(ids.claim_ref(X)) == oid


def test_the_feed_keeps_every_event_of_many_writers_exactly_once(world: World) -> None:
    """S8 (R-A1, R-A4): at once, with lost answers, retried, and while origin was away."""
    clones = {who: world.clone(who.partition(":")[2]) for who in (ADA, BOB, "human:dee")}
    tasks = dict(zip(clones, (X, Y, None), strict=True))
    world.origin.away()
    for who, clone in clones.items():
        if tasks[who]:
            clone.do("claim", tasks[who], agent=who).ok()
            clone.do("release", agent=who).ok()
    waits = clones[ADA].do("look", X).ok()["waiting"]
    assert waits == 2
    world.origin.back()
    world.origin.lose_answers("refs/tenure/*", times=2)
    running = []
    for who, clone in clones.items():
        if tasks[who]:
            running.append(clone.start("claim", tasks[who], agent=who, at=world.at + 1))
    for one in race(*running):
        one.ok()
    race(*(clone.start("outbox", agent=who) for who, clone in clones.items()))
    for _ in range(2):
        for who, clone in clones.items():
            clone.do("outbox", agent=who).ok()
    assert world.origin.kinds() == sorted(["task.claimed", "task.claimed", "task.released"] * 2)
    for who, clone in clones.items():
        clone.do("refresh", agent=who).ok()
        assert clone.do("look", X, agent=who).ok()["waiting"] == 0


def test_the_outbox_is_bounded_and_what_is_older_goes_first(world: World) -> None:
    """R-A4: what waited longest is left out, whatever its name; how much waits is shown."""
    (ada,) = world.clones("ada")
    made = [
        event.of_claim("task.claimed", Claim(X, ADA, at, at + 60, 60, FROZEN, FROZEN), Act(ADA, at))
        for at in range(world.at - MOST_WAITING - 3, world.at)
    ]
    folder = world.root / "events"
    folder.mkdir()
    for one in made:
        (folder / one.id).write_bytes(one.data)
    paths = "".join(f"{folder / one.id}\n" for one in made)
    oids = ada.git("hash-object", "-w", "--stdin-paths", stdin=paths.encode()).split()
    index = {"GIT_INDEX_FILE": str(world.root / "index")}
    lines = "".join(f"100644 {oid}\t{one.path}\n" for one, oid in zip(made, oids, strict=True))
    ada.git("update-index", "--index-info", stdin=lines.encode(), env=index)
    ada.git("update-ref", ids.FEED, ada.git("write-tree", env=index))
    status = ada.cli("status", "--json").ok()
    assert status["outbox"] == len(made)
    assert ada.do("outbox").ok()["told"]
    there = set(world.origin.git("ls-tree", "-r", "--name-only", ids.FEED).split())
    assert there == {one.path for one in made[-MOST_WAITING:]}


def test_the_feed_waits_for_an_origin_that_refuses_it_and_for_garbage_under_its_name(world: World) -> None:
    """R-A4: no verb fails or waits for it; garbage is replaced, a squatted name leaves the events here."""
    (ada,) = world.clones("ada")
    world.origin.git("update-ref", ids.FEED, world.origin.blob("no tree"))
    ada.do("claim", X).ok()
    ada.do("release").ok()
    ada.do("outbox").ok()
    assert world.origin.kinds() == ["task.claimed", "task.released"]
    world.origin.git("update-ref", "-d", ids.FEED)
    world.origin.git("update-ref", ids.FEED + "/x", world.origin.blob("squat"))
    assert ada.do("claim", X).ok()["pushed"] == "yes"
    assert ada.do("release").ok()["warnings"] == []
    assert ada.do("outbox").ok()["told"] is False
    assert world.origin.record() is None
    world.origin.git("update-ref", "-d", ids.FEED + "/x")
    ada.do("outbox").ok()
    ada.do("refresh").ok()
    assert ada.do("look", X).ok()["waiting"] == 0 and len(world.origin.kinds()) == 4


def test_a_feed_that_was_deleted_on_origin_is_carried_again(world: World) -> None:
    """R-A4: nothing is lost."""
    (ada,) = world.clones("ada")
    ada.do("claim", X).ok()
    ada.do("outbox").ok()
    world.origin.git("update-ref", "-d", ids.FEED)
    ada.do("refresh").ok()
    ada.do("outbox").ok()
    assert world.origin.kinds() == ["task.claimed"]


def test_old_events_are_dropped_once_and_no_clone_brings_them_back(world: World) -> None:
    """R-A1: 180 days."""
    ada, bob = world.clones("ada", "bob")
    long_ago = world.at - KEPT_SECONDS - DAY
    for clone, who in ((ada, ADA), (bob, BOB)):
        clone.do("claim", X, agent=who, at=long_ago).ok()
        clone.do("release", agent=who, at=long_ago).ok()
        clone.do("outbox", agent=who, at=long_ago).ok()
    assert len(world.origin.kinds()) == 4
    ada.do("sweep").ok()
    assert world.origin.kinds() == []
    bob.do("claim", X, agent=BOB).ok()
    for clone, who in ((bob, BOB), (ada, ADA)):
        clone.do("outbox", agent=who).ok()
    assert world.origin.kinds() == ["task.claimed"]


def test_a_swept_claim_keeps_its_frozen_hash_in_the_clone_that_lost_sight_of_it(world: World) -> None:
    """R-G3, R-L6: swept by another, re-created by the holder's commit; the criterion of then decides."""
    ada, bob = world.clones("ada", "bob")
    ada.do("claim", X).ok()
    late = world.at + LAPSED + DAY
    assert bob.do("sweep", agent=BOB, at=late).ok()["swept"] == [X]
    lapsed = next(one for one in bob.events() if one["type"] == "task.lapsed")
    assert FROZEN in lapsed["record"]
    ada.do("refresh", at=late).ok()
    ada.edit("second header", "any header")
    ada.git("add", "-A")
    refused = ada.do("pre-commit", at=late)
    assert "not renewed" in refused.words or refused.code != 0
    assert world.origin.record() is None
    ada.edit("any header", "second header")
    ada.work("on")
    ada.do("pre-commit", at=late).ok()
    ada.do("carry", at=late).ok()
    assert (world.origin.claim().criteria, world.origin.claim().holder) == (FROZEN, ADA)


def test_somebody_else_in_the_same_clone_who_takes_a_swept_claim_tells_the_former_holder(world: World) -> None:
    """R-L6: two identities, one clone."""
    (base,) = world.clones("base")
    base.do("claim", X, agent=ADA).ok()
    late = world.at + LAPSED + DAY
    base.do("sweep", agent=CY, at=late).ok()
    base.do("claim", X, agent=BOB, at=late).ok()
    base.do("log", agent=ADA, at=late).refused(4, BOB)
