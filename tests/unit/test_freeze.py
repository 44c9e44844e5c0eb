"""What is frozen and what is an edit of it (R-F1, R-F2), and the hash's vectors (format page B)."""

from __future__ import annotations

import pytest

from tenure.model import criteria, freeze
from tenure.model.freeze import GONE, Frozen, State
from tenure.model.glance import glance

TEXT, OTHER = "The README names no JWT\n", "Nothing in particular\n"
RULE = Frozen("03c659e46adf", "human:ada", 1)
PROOF = Frozen("03c659e46adf", None, None)
GOOD = State("g", True, TEXT, "in_progress")
BAD = State("b", True, OTHER, "in_progress")
WORSE = State("w", True, "Even less\n", "in_progress")

VECTORS = {
    "The README names no JWT\n": "03c659e46adf",
    "The README names nothing\n": "ef485fff585a",
    "": "e3b0c44298fc",
    "\n\n": "e3b0c44298fc",
    "line one\nline two\n": "b6858b03a6ca",
    "line one  \r\nline two\t\r\n\r\n": "b6858b03a6ca",
    "  lead\ttab \r\n\r\n\r\n": "4f69d79e758b",
    "caf\u00e9 \u2014 done\n": "7130ef5a635a",
    "Ship it.": "0a14835d955e",
    "Ship it.\n": "0a14835d955e",
    "a\n\nb\n": "38022fd2b8db",
    "\n\nfirst\n": "6dbe5b0cba26",
    "tab\there \u00a0\n": "5b8765931ded",
}


@pytest.mark.parametrize("text", VECTORS)
def test_the_hash_of_a_criterion_is_the_formats(text: str) -> None:
    """Format B: the page's vectors."""
    assert criteria.freeze_hash(text) == VECTORS[text]


def test_control_separators_at_a_line_end_are_kept() -> None:
    """Format B: U+001C to U+001F are no white space there, though Python strips them."""
    assert criteria.freeze_hash("a\x1c\n") != criteria.freeze_hash("a\n")


def test_longer_prefixes_of_the_hash_are_taken_and_shorter_are_not() -> None:
    """Format B."""
    full = criteria.full_hash(TEXT)
    assert criteria.fits(TEXT, full)
    assert criteria.fits(TEXT, full[:12])
    assert not criteria.fits(TEXT, full[:11])


def test_another_text_is_an_edit_and_noise_and_restoring_are_none() -> None:
    """R-F1."""
    assert freeze.is_edit(RULE, (GOOD,), BAD)
    assert not freeze.is_edit(RULE, (GOOD,), State("n", True, TEXT.replace("\n", "  \r\n"), "open"))
    assert not freeze.is_edit(RULE, (BAD,), GOOD)


def test_deleting_emptying_and_breaking_the_file_is_the_same_edit() -> None:
    """R-F1."""
    assert freeze.is_edit(RULE, (GOOD,), GONE)
    assert freeze.is_edit(RULE, (GOOD,), State("x", False))
    assert freeze.is_edit(RULE, (GOOD,), State("x", True, None, "open"))


def test_an_edit_that_was_there_before_is_not_brought_again_but_a_further_one_is() -> None:
    """R-F1: this commit must have brought it."""
    assert not freeze.is_edit(RULE, (BAD,), State("b2", True, OTHER, "done"))
    assert freeze.is_edit(RULE, (BAD,), WORSE)


def test_a_merge_is_blamed_only_for_what_differs_from_every_parent() -> None:
    """R-F3."""
    assert not freeze.is_edit(RULE, (GOOD, BAD), BAD)
    assert freeze.is_edit(RULE, (GOOD, BAD), WORSE)


def test_the_proof_of_a_finished_task_freezes_criterion_and_proof() -> None:
    """R-F2: changing or dropping its `criteria` is the same edit."""
    done = State("d", True, TEXT, "done", ("03c659e46adf",))
    assert freeze.by_state(done) == [PROOF]
    assert freeze.by_state(GOOD) == []
    assert freeze.is_edit(PROOF, (done,), State("e", True, TEXT, "done", ()))
    assert freeze.is_edit(PROOF, (done,), State("e", True, OTHER, "done", ("03c659e46adf",)))
    assert not freeze.is_edit(PROOF, (done,), State("e", True, TEXT, "done", ("03c659e46adf", "ef485fff585a")))


@pytest.mark.parametrize(
    ("status", "edited"), [("open", False), ("in_progress", False), ("closed", True), (None, True)]
)
def test_a_finished_task_may_be_opened_again_with_its_criterion_whole(status: str | None, edited: bool) -> None:
    """R-F2: as reverting the commit that finished it does; its criterion is not softened on the way."""
    done = State("d", True, TEXT, "done", ("03c659e46adf",))
    assert freeze.is_edit(PROOF, (done,), State("e", True, TEXT, status, ())) is edited
    assert freeze.is_edit(PROOF, (done,), State("e", True, OTHER, status, ()))


def test_a_tree_keeps_the_rule_only_where_every_file_of_the_task_does() -> None:
    """R-F1: a second file in the other folder cannot shadow the frozen one."""
    assert freeze.holds(RULE, {"a": GOOD})
    assert not freeze.holds(RULE, {})
    assert not freeze.holds(RULE, {"a": GOOD, "b": BAD})


def test_a_criterion_that_begins_with_a_blank_cannot_be_carried() -> None:
    """R-X6."""
    assert criteria.why_not_carried("  indented\nthen not")
    assert criteria.why_not_carried("\n\n \tdeeper\n")
    assert not criteria.why_not_carried("First\n  then indented")
    assert not criteria.why_not_carried("\nFirst")


@pytest.mark.parametrize(
    ("block", "before", "line"),
    [
        ("done_criteria: |\n  a\n  B\n  c\n", "a\nb\nc\n", 8),
        ("done_criteria: |-\n  a\n  b\n  c\n", "a\nb\n", 9),
        ("done_criteria: |\n  a\n", "a\nb\nc\n", 7),
        ("done_criteria: |\n  b\n", "a\nb\n", 7),
        ("done_criteria: |\n  a  \n  B\n", "a\nb\n", 8),
        ("done_criteria: |\n  a\n", "a\n", 6),
        ("done_criteria: |\n  a\n", None, 6),
        ("done_criteria: B\n", "a\n", 6),
        ("done_criteria: >\n  B\n  c\n", "a\n", 6),
        ("", "a\n", None),
    ],
)
def test_the_line_of_a_change_is_the_first_that_is_not_as_it_was(
    block: str, before: str | None, line: int | None
) -> None:
    """R-G4: the key's own line may lie far from it in a long criterion."""
    text = f"---\nid: TASK-0f1e2d3c4b5a\ntitle: T\nstatus: open\nscope: [a]\n{block}schema: 4\n---\n"
    assert freeze.changed_line(before, freeze.state(glance(text.encode()), "x")) == line
