"""How long a claim lasts, what renews it, how it ends (R-L2 to R-L9)."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest

from scenario.kit import head_of, refused
from support import ADA, AUTH, BOB, CY, DOCS, FROZEN, Clone, World, claim_text
from tenure.model import ids, instants, record
from tenure.model.record import Claim

SCOPED, TASK_FILE, ELSEWHERE = "src/auth/login.py", f".ank/entities/{AUTH}.md", "other.txt"


def left(repo: Clone, task: str = AUTH) -> int:
    return repo.held(task).expires - int(time.time())


def claimed(world: World, *options: str) -> Clone:
    """Ada holds AUTH with five minutes left, hooks in place, her claim's own edit committed."""
    repo = world.repo().hooks()
    repo.tenure("claim", AUTH, *options)
    repo.commit("Take it")
    repo.shorten(300)
    return repo


def same_but_the_end(one: Claim, other: Claim) -> bool:
    strip = re.compile(r"^expires: .*$", re.M)
    return strip.sub("", one.text) == strip.sub("", other.text)


def test_a_lease_ends_by_its_own_numbers_with_two_minutes_of_grace(world: World) -> None:
    """R-L2: judged at every read; nobody sweeps."""
    repo = world.repo()
    repo.tenure("claim", AUTH)
    repo.shorten(-100)
    assert repo.json("status")["claim"]["lapsed"] is False
    refused(repo, 4, "claim", AUTH, agent=BOB)
    repo.shorten(-125)
    assert repo.json("status")["claim"]["lapsed"] is True
    assert repo.json("status", agent=BOB)["elsewhere"][0]["live"] is False
    assert repo.json("claim", AUTH, agent=BOB)["taken_over"]


def test_verbs_of_work_renew_and_verbs_of_looking_do_not(world: World) -> None:
    """R-L4, R-L3: context in any form, show of the held task, a log message, a regrant; no look; byte for byte."""
    repo = claimed(world)
    for words in (
        ["context"],
        ["context", "docs"],
        ["context", "--json"],
        ["show", AUTH],
        ["log", "a word"],
        ["claim", AUTH],
    ):
        before = repo.shorten(300)
        repo.tenure(*words)
        assert 1770 <= left(repo) <= 1800, words
        assert same_but_the_end(before, repo.held()), words
    before = repo.shorten(300)
    looks = "find auth|status|scope src|graph|check|review|help|activity|board|hooks status|verify|sweep --dry-run"
    for look in (*looks.split("|"), f"log {AUTH}", f"show {DOCS}"):
        repo.tenure(*look.split(), exits=None)
        assert repo.held() == before, look


def test_only_the_holder_renews(world: World) -> None:
    """R-L4: neither the look nor the commit of somebody else."""
    repo = claimed(world)
    before = repo.held()
    repo.tenure("context", agent=BOB)
    repo.tenure("show", AUTH, agent=BOB)
    repo.touch()
    repo.commit("Bob works there, too", agent=BOB)
    assert repo.held() == before


def test_a_commit_renews_when_it_touches_the_held_task_and_only_then(world: World) -> None:
    """R-L5, R-L4: its file, a log entry about it, a path in its scope; a commit elsewhere leaves the lease alone."""
    repo = claimed(world)
    before = repo.held()
    repo.write(ELSEWHERE, "Changed.\n")
    repo.commit("Elsewhere")
    assert repo.held() == before
    repo.tenure("log", "seen")
    for path, text in ((SCOPED, "x\n"), (TASK_FILE, repo.read(TASK_FILE) + "More.\n"), ("", "")):
        repo.shorten(300)
        if path:
            repo.write(path, text)
            repo.git("add", path)
        else:
            repo.git("add", ".ank")
        repo.git("commit", "-q", "-m", f"Touch {path}")
        assert left(repo) >= 1770, path
    assert repo.git("status", "--porcelain").out == ""


def test_a_push_that_carries_a_touching_commit_renews(world: World) -> None:
    """R-L4: also where the commit's own hook was skipped; a push of other things does not."""
    world.origin()
    clone = world.clone("clone").hooks()
    clone.tenure("claim", AUTH)
    quiet: dict[str, Any] = {"TENURE_NO_BACKGROUND": "1"}
    clone.write(ELSEWHERE, "Changed.\n")
    clone.git("add", ELSEWHERE)
    clone.git("commit", "-q", "--no-verify", "-m", "Elsewhere")
    before = clone.shorten(300)
    clone.git("push", "-q", "origin", "main", **quiet)
    assert clone.held() == before
    clone.touch()
    clone.commit("Touch", "--no-verify")
    assert clone.held() == before
    clone.git("push", "-q", "origin", "main", **quiet)
    assert left(clone) >= 1770


def test_a_commit_that_hands_the_task_back_or_ends_it_renews_nothing(world: World) -> None:
    """R-L4: no write that releases, closes or finishes is a renewal."""
    repo = claimed(world)
    for status in ("open", "closed"):
        repo.set_status(status)
        before = repo.shorten(300)
        repo.commit(f"Set {status}")
        assert repo.held() == before, status
        repo.set_status("in_progress")
        repo.commit("Back", "--no-verify")


def test_a_renewal_never_shortens_and_reaches_as_far_as_the_grant(world: World) -> None:
    """R-L3: max(expires, now + min(ttl, cap)); a shorter `tenure.renewal`, one's own or the repository's."""
    repo = claimed(world, "--lease", "1h")
    repo.tenure("context")
    assert 3570 <= left(repo) <= 3600
    long = repo.shorten(5400)
    repo.tenure("context")
    repo.touch()
    repo.commit("Touch")
    assert repo.held() == long
    repo.shorten(60)
    repo.git("config", "tenure.renewal", "10m")
    repo.tenure("context")
    assert 570 <= left(repo) <= 600
    repo.git("config", "--unset", "tenure.renewal")
    repo.write(".tenure.yml", "renewal: 5m\n")
    repo.shorten(60)
    repo.tenure("context")
    assert 270 <= left(repo) <= 300
    repo.write(".ank/config.yml", "schema: 1\nclaim_ttl_max: 20m\n")
    repo.write(".tenure.yml", "")
    repo.tenure("context")
    assert 1170 <= left(repo) <= 1200


def _log(repo: Clone) -> None:
    repo.tenure("log", "back")


def _claim(repo: Clone) -> None:
    said = repo.json("claim", AUTH)
    assert said["regranted"] and not said["taken_over"]


def _commit(repo: Clone) -> None:
    repo.touch()
    assert "had lapsed; it is yours again until" in repo.commit("Touch").err


@pytest.mark.parametrize("comes_back", [_log, _claim, _commit])
@pytest.mark.parametrize("swept", [False, True])
def test_a_lapsed_claim_comes_back_as_the_same_acquisition(
    world: World, comes_back: Callable[[Clone], None], swept: bool
) -> None:
    """R-L6: by log, claim, a touching commit: token, generation, claimed and hash stay; also when it was swept."""
    repo = claimed(world)
    old = repo.shorten(-600)
    if swept:
        repo.tenure("sweep", "--after", "1s")
        assert repo.record() is None
    comes_back(repo)
    assert left(repo) >= 1770
    assert same_but_the_end(old, repo.held())
    assert not [one for one in repo.events() if one["type"] == "task.taken_over"]


def test_done_brings_a_lapsed_claim_to_its_end(world: World) -> None:
    """R-L6, R-C7: nobody took it over, so its former holder may finish."""
    repo = claimed(world)
    repo.shorten(-600)
    repo.tenure("done", "--proof", f"commit:{repo.head()}")
    assert repo.status_of() == "done"


def test_waiting_out_ones_own_lease_frees_no_criterion(world: World) -> None:
    """R-L6: lapsed and the criterion differs: 6 by verbs, a sentence by a commit, and nothing is renewed."""
    repo = claimed(world)
    repo.soften()
    repo.commit("Slip it in", "--no-verify")
    lapsed = repo.shorten(-600)
    for words in (["claim", AUTH], ["log", "back"], ["done", "--proof", "commit:x"]):
        said = refused(repo, 6, *words)
        assert f"the criterion of {AUTH} differs from the text frozen at" in said and FROZEN in said
        assert "tenure criteria restore 820d" in said
    repo.touch()
    said = repo.commit("Go on").err
    assert "your lease on TASK-820d259af6a7 lapsed and its criterion differs" in said and "not renewed" in said
    assert repo.held() == lapsed
    repo.tenure("sweep", "--after", "1s")
    refused(repo, 6, "claim", AUTH)


def test_a_live_regrant_over_a_changed_criterion_warns_and_keeps_the_old_hash(world: World) -> None:
    """R-L6: the frozen hash is the first one."""
    repo = claimed(world)
    repo.soften()
    said = repo.tenure("claim", AUTH)
    assert f"warning: the criterion of {AUTH} differs from the frozen one: tenure criteria restore 820d" in said.err
    assert repo.held().criteria == FROZEN


def test_who_lost_a_task_is_told_so_by_every_verb_until_it_claims_again(world: World) -> None:
    """R-L6: 4 naming the new holder, and nothing written; a commit is told so loudly and goes through."""
    repo = claimed(world)
    repo.shorten(-600)
    repo.tenure("claim", AUTH, agent=BOB)
    taken = repo.held()
    for words in (["log", "still here"], ["done"], ["release", "--reason", "x"], ["claim", AUTH], ["context"]):
        assert BOB in head_of(refused(repo, 4, *words)), words
    repo.touch()
    head = repo.head()
    said = repo.commit("Work that was under way").err
    assert "YOU LOST" in said and BOB in said and repo.head() != head
    assert repo.held() == taken
    assert repo.json("status")["lost"] == [{"id": AUTH, "holder": BOB}]
    repo.tenure("release", "--reason", "done with it", agent=BOB)
    repo.tenure("claim", AUTH)
    assert repo.json("status")["lost"] == []
    repo.touch()
    assert "YOU LOST" not in repo.commit("Again").err


def taken_over_elsewhere(world: World) -> tuple[Clone, Clone]:
    """A clone whose claim lapsed, and the one in which BOB took it over; the first has not seen it."""
    world.origin()
    ours, theirs = world.clone("ours"), world.clone("theirs")
    ours.tenure("claim", AUTH)
    now = int(time.time())
    ours.share(record.with_end(ours.held(), now - 600).text.replace(
        instants.text_of(ours.held().claimed), instants.text_of(now - 3000)))  # fmt: skip
    theirs.tenure("claim", AUTH, agent=BOB)
    return ours, theirs


def test_a_take_over_elsewhere_is_noticed_and_named(world: World) -> None:
    """R-L6, R-C2: the same between two clones: the first verb that reads origin says it, `claim.lost` is recorded."""
    ours, _ = taken_over_elsewhere(world)
    said = ours.tenure("done", exits=4)
    assert f"your claim on {AUTH} was taken over by {BOB}" in said.err
    assert ours.held().holder == BOB if ours.record() else True
    lost = ours.events("claim.lost")
    assert len(lost) == 1 and lost[0]["holder"] == ADA and lost[0]["actor"] == BOB and lost[0]["severity"] == "warn"


def test_a_log_entry_on_a_task_that_was_taken_over_elsewhere_is_refused(world: World) -> None:
    """R-L6: 4 naming the new holder, as in one clone: no entry is written under a lease that is somebody else's."""
    ours, theirs = taken_over_elsewhere(world)
    before = ours.git("status", "--porcelain").out
    said = ours.tenure("log", "still at it", exits=4)
    assert said.err.startswith(f"error[4]: your claim on {AUTH} was taken over by {BOB}\n  -> ") and said.out == ""
    assert ours.git("status", "--porcelain").out == before
    assert theirs.held().holder == BOB


def test_context_says_that_the_lease_lapsed_and_takes_nothing_back(world: World) -> None:
    """R-L6."""
    repo = claimed(world)
    lapsed = repo.shorten(-600)
    said = repo.tenure("context")
    assert f"warning: your lease on {AUTH} lapsed at " in said.err
    when = f"lapsed since {instants.minute_of(lapsed.expires)}"
    assert said.out.splitlines()[0].endswith(f"   ({when})")
    assert f"you hold {AUTH}, {when}   (tenure claim 820d brings it back)\n" in repo.tenure("status").out
    assert repo.held() == lapsed


def test_a_swept_claim_comes_back_on_origin_too(world: World) -> None:
    """R-L6: origin holds nothing: re-created from the clone's own record with an empty lease."""
    bare = world.origin()
    ours, other = world.clone("ours"), world.clone("other")
    ours.tenure("claim", AUTH)
    now = int(time.time())
    lapsed = record.with_end(ours.held(), now - 600).text.replace(
        instants.text_of(ours.held().claimed), instants.text_of(now - 3000)
    )
    ours.share(lapsed)
    other.tenure("sweep", "--after", "1s")
    assert bare.record() is None
    ours.tenure("log", "back")
    strip = re.compile(r"^expires: .*$", re.M)
    assert strip.sub("", bare.held().text) == strip.sub("", lapsed)
    assert left(bare) >= 1770


def test_a_claim_that_was_ended_elsewhere_is_not_brought_back(world: World) -> None:
    """R-L6, R-C2: closed by somebody else: the local ref follows origin, said once."""
    bare = world.origin()
    ours, other = world.clone("ours"), world.clone("other")
    ours.tenure("claim", AUTH)
    other.tenure("close", AUTH, "--reason", "overtaken", agent=BOB)
    said = ours.tenure("activity")
    assert f"warning: your claim on {AUTH} ended on origin: closed by {BOB}" in said.err or (
        f"warning: your claim on {AUTH} ended on origin: closed by {BOB}" in ours.tenure("status").err
    )
    assert ours.record() is None and bare.record() is None
    refused(ours, 6, "log", "still here")
    assert "ended on origin" not in ours.tenure("status").err


@pytest.mark.parametrize(
    "words", [("release", "--reason", "x"), ("done", "--proof", "assertion:it works"), ("close", AUTH, "--reason", "x")]
)
def test_a_terminal_transition_drops_the_lease(world: World, words: tuple[str, ...]) -> None:
    """R-L7, R-L8: a completion or nothing under the ref; `lease_expires_at` is null."""
    repo = world.repo()
    repo.tenure("claim", AUTH)
    assert repo.json(*words)["lease_expires_at"] is None
    assert not isinstance(repo.record(), Claim)
    assert (repo.record() is not None) == (words[0] == "done")


def test_every_writing_verb_tells_the_end_of_the_lease(world: World) -> None:
    """R-L8: `lease_expires_at` is the record's own end."""
    repo = world.repo()
    for words in (["claim", AUTH], ["log", "a word"], ["context"], ["show", AUTH], ["claim", AUTH]):
        assert repo.json(*words)["lease_expires_at"] == instants.text_of(repo.held().expires), words


def said_by(repo: Clone, agent: str = ADA) -> str:
    repo.touch()
    return repo.commit("Touch", agent=agent).err


def test_hooks_speak_when_the_holder_should_know_something_and_else_keep_quiet(world: World) -> None:
    """R-L8: the first renewal here, less than five minutes left; a person sees nothing more, unless verbose."""
    repo = world.repo().hooks()
    repo.tenure("claim", AUTH)
    first = said_by(repo)
    assert re.fullmatch(rf"tenure: {AUTH} renewed until .* UTC \((29|30)m\); every commit .* quietly\n", first)
    assert said_by(repo) == ""
    repo.shorten(200)
    assert "only 3m had been left" in said_by(repo)
    assert said_by(repo) == ""
    repo.git("config", "tenure.verbose", "true")
    assert re.fullmatch(rf"tenure: {AUTH} until .* UTC \((29|30)m\)\n", said_by(repo))


def test_an_agent_sees_its_runway_at_each_renewal(world: World) -> None:
    """R-L8: identities of kind `agent`."""
    repo = world.repo().hooks()
    repo.tenure("claim", AUTH, agent=CY)
    said_by(repo, CY)
    assert re.fullmatch(rf"tenure: {AUTH} until .* UTC \((29|30)m\)\n", said_by(repo, CY))


def test_the_skew_of_a_clock_is_said_by_claim_status_and_commit_and_the_claim_is_honoured(world: World) -> None:
    """R-L9: `claimed` more than 120 s in the future."""
    repo = world.repo().hooks()
    now = int(time.time())
    repo.put(claim_text(AUTH, ADA, now + 2400, claimed=now + 600))
    assert "clock that runs ahead" in repo.tenure("claim", AUTH).err
    assert "clock that runs ahead" in repo.tenure("status").err
    assert "clock that runs ahead" in said_by(repo)
    refused(repo, 4, "claim", AUTH, agent=BOB)
    repo.put(claim_text(DOCS, BOB, now + 1800, claimed=now + 60), DOCS)
    assert "clock" not in repo.tenure("status", agent=BOB).err


def test_an_end_far_ahead_is_believed_for_a_day_from_the_first_reading(world: World) -> None:
    """R-L9: more than 24 h ahead counts as lapsed 24 h after the moment at which this clone first read it."""
    repo = world.repo()
    now = int(time.time())
    oid = repo.put(claim_text(AUTH, BOB, now + 40 * 86_400, claimed=now))
    refused(repo, 4, "claim", AUTH)
    seen = repo.path / ".git/tenure/seen"
    assert seen.read_text().split() == [oid, seen.read_text().split()[1]]
    seen.write_text(f"{oid} {now - 86_400 - 60}\n")
    refused(repo, 4, "claim", AUTH)
    seen.write_text(f"{oid} {now - 86_400 - 300}\n")
    assert repo.json("claim", AUTH)["taken_over"]


def test_absurd_instants_make_a_record_unreadable(world: World) -> None:
    """R-L9, R-C8: year 9999, before 2000, no zone: neither free nor live."""
    repo = world.repo()
    text = claim_text(AUTH, BOB, int(time.time()) + 900)
    for end in ("9999-12-31T23:59:59Z", "1999-12-31T23:59:59Z", "2026-07-01T10:00:00", "tomorrow"):
        repo.put(re.sub(r"expires: .*", f"expires: {end}", text))
        said = refused(repo, 9, "claim", AUTH)
        assert head_of(said).startswith(f"unreadable record on {ids.claim_ref(AUTH)}: "), end


def test_instants_are_utc_whatever_the_time_zone(world: World) -> None:
    """R-L9."""
    repo = world.repo()
    repo.tenure("claim", AUTH, TZ="Asia/Kolkata")
    assert abs(repo.held().claimed - time.time()) < 30
    refused(repo, 4, "claim", AUTH, agent=BOB, TZ="America/Los_Angeles")


def test_a_log_entry_about_another_task_does_not_touch_mine(world: World) -> None:
    """R-L5: the entry's subject decides."""
    repo = claimed(world)
    repo.tenure("claim", DOCS, agent=BOB)
    repo.tenure("log", "about the guide", agent=BOB)
    before = repo.held()
    repo.git("add", ".ank/entities")
    repo.git("reset", "-q", "--", repo.task_path())
    repo.git("commit", "-q", "-m", "Bob's log")
    assert repo.held() == before
