"""How it reads: the two texts of the design, and their variants."""

from __future__ import annotations

import io
from typing import Any

import pytest

from action.made import OTHER, PATH, TASK, contest, edit, refused, removal, report
from tenure.faces.action import annotate, words
from tenure.faces.action.annotate import Annotation
from tenure.faces.action.commands import Log
from tenure.faces.action.report import Names
from tenure.model.verdict import Verdict


def test_a_frozen_edit_reads_as_a_colleague_would_say_it() -> None:
    """R-F4, R-G4: the sentence of the design, on the changed line."""
    [found] = annotate.all_of(
        refused(edit(before="every session token is opaque", after="most session tokens are opaque"))
    )
    assert found == Annotation(
        "error",
        "TASK-820d: done criterion changed while claimed",
        "Frozen 2026-11-30 09:14 UTC by claude-code/opus-5 (declared):\n"
        "- every session token is opaque\n"
        "+ most session tokens are opaque\n"
        "Keep it: tenure criteria restore 820d. If it is wrong, the holder hands the task back: "
        'tenure release --reason "..."',
        PATH,
        7,
    )


def test_a_contest_reads_as_a_colleague_would_say_it() -> None:
    """R-K1, R-G4: on the line of the status; nothing is blocked."""
    [found] = annotate.all_of(report(verdict=Verdict("ok", contested=(contest(),))))
    assert found == Annotation(
        "warning",
        "TASK-820d is held by human:marie",
        "This change sets in_progress -> done (3fa91c2, by claude-code/opus-5+b). The lease ran to 10:44 UTC.\n"
        "Nothing is blocked and the claim stands. Ask marie to release, "
        "or merge and they are told at their next commit.",
        PATH,
        4,
    )


def test_a_lease_that_ended_on_another_day_says_which() -> None:
    """R-G7: absolute times only."""
    assert words.lease_end(contest(expires=contest().expires + 86400)) == "2026-12-01 10:44 UTC"


def test_only_the_lines_that_differ_are_shown() -> None:
    """R-F4: a short diff."""
    assert words.diff(edit()) == ["- every session token is opaque", "+ most session tokens are opaque"]
    long = edit(before="".join(f"{n}\n" for n in range(99)), after="x\n")
    assert len(words.diff(long)) == words.MOST_DIFF_LINES + 1
    assert "more lines" in words.diff(long)[-1]


@pytest.mark.parametrize(
    ("changes", "title", "line"),
    [
        ({"why": "deleted", "after": None, "now": None}, "task file deleted while claimed", "+ (the file is gone)"),
        ({"why": "moved", "after": None, "now": None}, "moved away while claimed", "+ (no criterion where it stood)"),
        ({"why": "unreadable", "after": None, "now": None}, "made unreadable while claimed", "+ (cannot be read)"),
        ({"before": None}, "done criterion changed while claimed", "- (the text that hashes to 03c659e46adf)"),
        (
            {"why": "proof", "holder": None, "claimed": None},
            "proof of its done criterion changed after the task was finished",
            "- a proof of the criterion 03c659e46adf\n+ (none)\n",
        ),
    ],
)
def test_every_kind_of_edit_has_its_words(changes: dict[str, Any], title: str, line: str) -> None:
    """R-F1, R-F2"""
    [found] = annotate.all_of(refused(edit(**changes)))
    assert title in found.title
    assert line in found.message
    assert "tenure criteria restore 820d" in found.message


def test_what_is_said_and_not_refused_is_a_warning_with_its_reason() -> None:
    """R-F3"""
    said = edit(excuse="it was committed before the claim")
    [found] = annotate.all_of(report(verdict=Verdict("ok", said=(said,))))
    assert found.kind == "warning"
    assert "Said, not refused: it was committed before the claim." in found.message


def test_an_unattributed_change_is_a_notice() -> None:
    """R-K3"""
    [found] = annotate.all_of(report(verdict=Verdict("ok", unattributed=(contest(attributed=False),))))
    assert found.kind == "notice"


@pytest.mark.parametrize("text", ["x" * 300_000, "\x1b" * 5000, "\n".join(f"{n}" + "\u202e" * 900 for n in range(40))])
def test_no_length_of_a_text_pushes_the_ways_out_from_the_annotation(text: str) -> None:
    """R-F4, R-G6: nor that of an identity that somebody wrote into a record."""
    [found] = annotate.all_of(refused(edit(before="opaque " * 500 + "\nend\n", after=text, holder="e" * 9000)))
    shown: list[str] = []
    annotate.emit([found], lambda _, message, __: shown.append(message))
    assert shown[0].endswith('tenure release --reason "..."')
    assert "\n- opaque" in shown[0]
    assert "\n+ " in shown[0]


def test_of_two_long_lines_the_part_that_differs_is_shown() -> None:
    """R-F4: a short diff is one in which the difference is seen."""
    same = "every token of every session " * 200
    [gone, come] = words.diff(edit(before=f"{same}is opaque\n", after=f"{same}may be opaque\n"))
    assert gone.startswith("- ...")
    assert (gone[-9:], come[-13:]) == ("is opaque", "may be opaque")


def test_a_title_tells_what_was_left_and_what_was_found_before_something_could_not_be_read() -> None:
    """R-G7: `nothing to do` and `nothing could be read` are said only where that is so."""
    assert words.verdict_title(report(judged=False, kept=(removal(1),))) == "ok: 1 kept"
    told = report(verdict=refused().verdict, failure="the default branch could not be read: nothing was pruned")
    assert words.verdict_title(told) == "refused: 1 frozen criterion edited, nothing pruned"
    assert words.verdict_title(report(judged=False, failure="x")) == "unverified: nothing could be read"


def test_short_names_tell_the_tasks_apart() -> None:
    """R-G7: four digits, more where two begin alike."""
    assert Names((TASK, OTHER)).of(TASK) == "TASK-820d"
    near = "TASK-820d259affff"
    assert Names((TASK, near)).of(TASK) == "TASK-820d259af6"
    assert Names((TASK, near)).digits(near) == "820d259aff"
    assert Names(()).of(TASK) == "TASK-820d"


def emitted(found: list[Annotation]) -> list[str]:
    stream = io.StringIO()
    annotate.emit(found, Log(stream).issue)
    return stream.getvalue().splitlines()


@pytest.mark.parametrize("count", [1, 10, 11, 60])
def test_no_more_than_ten_of_a_kind_and_the_rest_is_counted(count: int) -> None:
    """R-G6: the runner drops the eleventh without a word."""
    found = [Annotation(kind, f"{n}", "m") for kind in annotate.KINDS for n in range(count)]
    lines = emitted(found)
    for kind in annotate.KINDS:
        mine = [line for line in lines if line.startswith(f"::{kind} ")]
        assert len(mine) == min(count, 10)
        assert ("more, see the summary" in mine[-1]) == (count > 10)
        if count > 10:
            assert f"::{count - 9} more, see the summary" in mine[-1]


def test_the_severest_come_first() -> None:
    """R-G6: what falls out of the budget is the least. An overlap is for the summary alone (R-K5)."""
    verdict = Verdict(
        "refused", (edit(),), (edit(excuse="x"),), (contest(),), (contest(attributed=False),), ("no history",)
    )
    found = annotate.within_budget(annotate.all_of(report(verdict=verdict, warnings=("w",), overlaps=("o",))))
    assert [one.kind for one in found] == ["error", "warning", "warning", "warning", "warning", "notice"]
    assert found[1].title == "tenure: not judged"
    assert found[2].title.startswith("TASK-820d is held by")


def test_a_message_is_cut_at_4096_and_a_title_at_255_characters_after_neutralising() -> None:
    """R-G6: the platform counts what it unescapes."""
    shown: list[tuple[str, str]] = []
    annotate.emit(
        [Annotation("error", "\u202e" * 300, "\u202e" * 4000)],
        lambda _, message, place: shown.append((message, place["title"])),
    )
    [(message, title)] = shown
    assert len(message) == 4096
    assert message.endswith("(more in the summary)")
    assert len(title) == 255


def test_a_clean_report_asks_for_no_annotation() -> None:
    """R-G6"""
    assert annotate.all_of(report()) == []


def test_what_falls_out_of_the_budget_is_in_the_log() -> None:
    """R-G6: nothing is lost without a word."""
    found = [Annotation("error", f"{n}", "m") for n in range(12)]
    assert [one.title for one in annotate.beyond_budget(found)] == ["9", "10", "11"]
    assert annotate.beyond_budget(found[:10]) == []
