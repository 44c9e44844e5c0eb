"""The outcome table of R-C2, row by row, and which copy is the record (§1)."""

from __future__ import annotations

from tenure.model import outcome, standing
from tenure.model.outcome import AGAIN, BLOCKED, ENDED, LOST, REFUSED, REGRANT, WON
from tenure.model.record import Claim, Completion, Unreadable
from tenure.model.value import replace

AT = 1_796_026_500
MINE = Claim("TASK-0f1e2d3c4b5a", "human:ada", AT, AT + 1800, 1800, "03c659e46adf", "e3b0c44298fc", "a" * 32, 1)
THEIRS = replace(MINE, holder="human:bob", token="b" * 32)
DONE = Completion(MINE.task, "9" * 40, "rotate", "human:ada", AT)


def kind(there: object, oid: str | None, expected: str | None = None, published: bool = False) -> str:
    return outcome.of_write(MINE, "mine", expected, published, there, oid).kind  # type: ignore[arg-type]


def test_my_object_there_is_won() -> None:
    """R-C2: also after a lost answer."""
    assert kind(MINE, "mine", "old") == WON


def test_a_record_with_my_token_is_leased_on_and_pushed_again() -> None:
    """R-C2: unless it runs longer than mine, which is then adopted; a renewal never shortens (R-L3)."""
    assert kind(replace(MINE, expires=AT + 60), "renewed", "old") == AGAIN
    assert kind(replace(MINE, expires=AT + 9999), "renewed", "old") == REGRANT


def test_a_record_of_my_identity_with_another_token_is_a_regrant() -> None:
    """R-C2, R-I5."""
    assert kind(replace(MINE, token="c" * 32), "other") == REGRANT


def test_somebody_elses_record_is_lost() -> None:
    """R-C2."""
    assert kind(THEIRS, "other") == LOST
    assert kind(DONE, "other") == LOST


def test_what_i_leased_on_still_there_is_refused() -> None:
    """R-C2: nobody was faster; the server does not want it."""
    assert kind(THEIRS, "old", "old") == REFUSED


def test_nothing_there_is_refused_or_ended_by_what_was_published() -> None:
    """R-C2: nothing and nothing was ever published: refused; something was: the claim ended there."""
    assert kind(None, None) == REFUSED
    assert kind(None, None, None, published=True) == ENDED
    assert kind(None, None, "old") == ENDED


def test_an_unreadable_record_there_blocks() -> None:
    """R-C2, R-C8: neither won nor lost."""
    assert kind(Unreadable("refs/x", "garbage"), "junk") == BLOCKED


def test_a_deletion_is_done_when_nothing_is_there_and_over_when_somebody_else_is() -> None:
    """R-C3: one's own renewal in flight is deleted over; another token ends it."""
    assert outcome.of_deletion(MINE, "old", None, None).kind == WON
    assert outcome.of_deletion(MINE, "old", replace(MINE, expires=AT + 9999), "renewed").kind == AGAIN
    assert outcome.of_deletion(MINE, "old", THEIRS, "theirs").kind == LOST
    assert outcome.of_deletion(MINE, "old", MINE, "old").kind == REFUSED


def test_a_completion_follows_a_renewal_that_landed_first() -> None:
    """R-C7: and is lost to somebody else's take-over."""
    assert outcome.of_completion(DONE, MINE, "done", "old", replace(MINE, expires=AT + 99), "renewed").kind == AGAIN
    assert outcome.of_completion(DONE, MINE, "done", "old", THEIRS, "theirs").kind == LOST
    assert outcome.of_completion(DONE, MINE, "done", "old", DONE, "other-copy").kind == WON


def test_without_an_origin_the_local_ref_is_the_record() -> None:
    """§1."""
    assert not standing.mirror_counts(MINE, THEIRS, False, False, AT)


def test_the_own_local_ref_counts_while_it_is_live_and_the_mirror_once_it_lapsed() -> None:
    """§1: the mirror in other hands beats a lapsed record of mine."""
    assert not standing.mirror_counts(MINE, THEIRS, True, True, AT)
    assert standing.mirror_counts(MINE, THEIRS, True, True, AT + 99_999)


def test_the_mirror_counts_where_the_local_copy_is_not_ours_or_missing() -> None:
    """§1."""
    assert standing.mirror_counts(THEIRS, MINE, False, True, AT)
    assert standing.mirror_counts(None, MINE, False, True, AT)
    assert not standing.mirror_counts(THEIRS, None, False, True, AT)


def test_of_one_acquisition_the_later_end_counts() -> None:
    """§1, R-L3."""
    later = replace(MINE, expires=AT + 9999)
    assert standing.mirror_counts(MINE, later, True, True, AT)
    assert not standing.mirror_counts(later, MINE, False, True, AT)


def test_an_acquisition_is_its_token_or_without_one_its_holder_and_instant() -> None:
    """R-C4."""
    bare = replace(MINE, token=None)
    assert standing.same_acquisition(bare, replace(bare, expires=AT + 5))
    assert not standing.same_acquisition(bare, MINE)
    assert not standing.same_acquisition(bare, replace(bare, claimed=AT + 1))
    assert not standing.same_acquisition(MINE, DONE)


def test_a_completion_that_origin_does_not_have_yet_beats_the_claim_it_ends() -> None:
    """§1, R-C7: and a later claim on origin beats a completion that was taken back there (R-C6)."""
    assert not standing.mirror_counts(DONE, MINE, False, True, AT)
    assert standing.mirror_counts(DONE, THEIRS, False, True, AT)
    assert standing.mirror_counts(DONE, replace(MINE, claimed=AT + 1), False, True, AT)
