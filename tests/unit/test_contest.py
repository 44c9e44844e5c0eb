"""Who acted, what is a contest, and the key that makes it one event (R-K1, R-K2, R-K3, §7)."""

from __future__ import annotations

from tenure.model import contest, event
from tenure.model.event import Act
from tenure.model.record import Claim
from tenure.model.value import replace
from tenure.model.verdict import Contest

AT = 1_796_026_500
CLAIM = Claim("TASK-0f1e2d3c4b5a", "human:ada", AT, AT + 1800, 1800, "03c659e46adf", "e3b0c44298fc", "a" * 32, 1)
CONTEST = Contest(
    CLAIM.task, "human:ada", AT, AT + 1800, "human:bob", "bob@x", "in_progress", "done", "1" * 40, AT + 60
)
NOBODY: frozenset[str] = frozenset()


def test_the_trailer_settles_who_acted() -> None:
    """R-K3."""
    found = contest.attribute("human:ada", ("human:bob",), "ada@x", "human:ada", frozenset({"ada@x"}))
    assert (found.name, found.is_holder) == ("human:bob", False)


def test_then_the_shared_map_then_the_feed() -> None:
    """R-K3: another e-mail than the one seen with the claim is not the holder."""
    assert contest.attribute("human:ada", (), "a@x", "human:ada", frozenset({"z@x"})).is_holder is True
    assert contest.attribute("human:ada", (), "ada@x", None, frozenset({"ada@x"})).is_holder is True
    found = contest.attribute("human:ada", (), "bob@x", None, frozenset({"ada@x"}))
    assert (found.name, found.is_holder) == ("git:bob@x", False)


def test_nothing_settles_it_or_trailers_disagree() -> None:
    """R-K3: unattributed."""
    assert contest.attribute("human:ada", (), "bob@x", None, NOBODY).is_holder is None
    two = contest.attribute("human:ada", ("human:ada", "human:bob"), "bob@x", "human:ada", NOBODY)
    assert two.is_holder is None
    assert contest.attribute("human:ada", ("human:ada", "human:ada"), "x", None, NOBODY).is_holder is True


def test_under_the_lease_is_from_claimed_to_the_end_of_the_grace() -> None:
    """R-K1."""
    assert not contest.under_lease(CLAIM, AT - 1)
    assert contest.under_lease(CLAIM, AT)
    assert contest.under_lease(CLAIM, AT + 1800 + 120)
    assert not contest.under_lease(CLAIM, AT + 1800 + 121)


def test_the_file_half_of_an_act_in_the_feed_is_no_contest() -> None:
    """R-K1: for the same actor, by name or by e-mail, and for what that act sets."""
    told = event.of_claim("task.released", CLAIM, Act("human:ada", AT, "ada@x"))
    assert contest.is_file_half("human:ada", "", "open", AT + 60, [told])
    assert contest.is_file_half("git:ada@x", "ada@x", "open", AT + 60, [told])
    assert not contest.is_file_half("human:bob", "bob@x", "open", AT + 60, [told])
    assert not contest.is_file_half("human:ada", "ada@x", "done", AT + 60, [told])


def test_a_contest_is_one_event_whoever_sees_it_and_when() -> None:
    """R-K2: commit, actor's name and time play no part in its id; the six of the key do."""
    act = Act("anyone", AT)
    one = event.contested(CONTEST, act)
    again = event.contested(replace(CONTEST, commit="2" * 40, at=AT + 600, actor="git:bob@x"), Act("other", AT + 5))
    assert one.id == again.id
    for change in (
        {"holder": "human:cy"},
        {"claimed": AT + 1},
        {"author_email": "x@x"},
        {"old": "open"},
        {"new": "open"},
    ):
        assert event.contested(replace(CONTEST, **change), act).id != one.id, change


def test_an_event_has_every_field_and_comes_back_from_the_feed() -> None:
    """R-A1, R-A3: and the path is its id."""
    one = event.contested(CONTEST, Act("x", AT))
    assert set(event.FIELDS) <= set(one.fields)
    assert one.path == f"{one.id[:2]}/{one.id}.json"
    assert event.parse(one.path, one.data) == one
    assert one.fields["severity"] == "warn"


def test_what_is_no_event_is_passed_over() -> None:
    """R-X3: hostile content of the feed."""
    one = event.contested(CONTEST, Act("x", AT))
    for path, data in (
        (one.path, b"[]"),
        (one.path, b"{"),
        (one.path, b'{"id": "other"}'),
        (one.path, b"[" * 5000),
        ("aa/" + "b" * 40 + ".json", one.data),
        (one.path, one.data.replace(b"task.contested", b"task.invented")),
    ):
        assert event.parse(path, data) is None


def test_a_lapse_is_recorded_once_for_each_end_with_the_whole_record() -> None:
    """R-G3, R-A3."""
    act = Act("sweeper", AT + 9999)
    claim = replace(CLAIM, text="state: claim\n")
    one = event.lapsed(claim, act)
    assert one.fields["record"] == "state: claim\n"
    assert one.id == event.lapsed(claim, Act("another", AT + 12345)).id
    assert one.id != event.lapsed(replace(claim, expires=AT + 9), act).id


def test_within_one_second_an_older_claim_ends_before_a_newer_begins() -> None:
    """§7: the order of the feed is the order of what happened, as far as whole seconds tell."""
    act = Act("human:ada", AT + 60)
    newer = replace(CLAIM, claimed=AT + 60, token="b" * 32)
    released = event.of_claim("task.released", CLAIM, act)
    claimed, gone = event.of_claim("task.claimed", newer, act), event.of_claim("task.released", newer, act)
    assert sorted([gone, claimed, released], key=event.order) == [released, claimed, gone]
