"""The step summary."""

from __future__ import annotations

from pathlib import Path

import pytest

from action.made import AT, HOSTILE, claim, contest, edit, refused, removal, report
from tenure.faces.action import summary
from tenure.model.verdict import Verdict


def test_the_verdict_stands_in_the_title() -> None:
    """R-G7"""
    assert summary.text_of(refused()).startswith("## tenure: refused: 1 frozen criterion edited\n")
    assert summary.text_of(report()).startswith("## tenure: ok: no frozen criterion edited, nothing contested\n")
    both = refused(contested=(contest(), contest(task="TASK-51c2a0f6d418")))
    assert summary.text_of(both).startswith("## tenure: refused: 1 frozen criterion edited, 2 contests\n")


def test_a_finding_is_a_row_with_everything_a_reader_needs() -> None:
    """R-G7: task, what this change does, held by, until, evidence, next step."""
    text = summary.text_of(refused(contested=(contest(),)))
    rows = [line for line in text.split("\n") if line.startswith("| TASK-")]
    assert rows[0] == (
        "| TASK-820d | done criterion changed while claimed | `claude-code/opus-5` | - | `3fa91c2` "
        "`.ank/entities/TASK-820d259af6a7.md:7`, frozen 2026-11-30 09:14 UTC | `tenure criteria restore 820d` |"
    )
    assert rows[1].startswith("| TASK-820d | sets `in_progress -> done` as `claude-code/opus-5+b` | `human:marie` |")
    assert "2026-11-30 10:44" in rows[1]
    assert "```diff\n- every session token is opaque\n+ most session tokens are opaque\n```" in text


def test_what_was_not_judged_is_said() -> None:
    """R-G5"""
    text = summary.text_of(report(verdict=Verdict("unverified", unjudged=("the history is cut",)), dry_run=True))
    assert "- not judged: `the history is cut`" in text
    assert "- dry run: nothing was written anywhere" in text
    assert "could not be reached" in summary.text_of(report(failure="origin could not be reached"))


def test_live_claims_pruned_and_swept_are_folded() -> None:
    """R-G7"""
    told = report(
        claims=(claim(1), claim(2, ends=-9999)), pruned=(removal(3),), swept=(removal(4, state="claim"), removal(5))
    )
    text = summary.text_of(told)
    assert text.count("<details>") == text.count("</details>") == 3
    assert "<details><summary>Claims: 1 live, 1 lapsed</summary>" in text
    assert "<details><summary>1 pruned</summary>" in text
    assert "<details><summary>2 swept</summary>" in text
    assert "<details><summary>1 would be pruned</summary>" in summary.text_of(
        report(pruned=(removal(3),), dry_run=True)
    )


def test_the_timeline_is_a_chart_of_the_live_claims() -> None:
    """R-G7: absolute times, the first to end on top, and no foreign character that its syntax knows."""
    text = summary.text_of(report(claims=(claim(1, ends=900), claim(2, holder=HOSTILE, ends=60), claim(3, ends=-999))))
    chart = text.split("```mermaid\n")[1].split("```")[0].split("\n")
    bars = [line.strip() for line in chart if "TASK-" in line]
    assert bars[1] == "TASK-000000000001 human.ada :2026-11-30T09:50, 2026-11-30T10:15"
    assert bars[0].startswith("TASK-000000000002 ")
    assert len(bars) == 2
    name = bars[0].partition(" :")[0]
    assert not set(name) & set(":;#,`|<>\n\r%{}")


def test_five_thousand_claims_fit_under_a_mebibyte() -> None:
    """R-G6"""
    told = report(
        claims=tuple(claim(number, holder="claude-code/opus-5+session-" + "x" * 60) for number in range(5000))
    )
    text = summary.text_of(told)
    assert len(text.encode()) < summary.MOST_BYTES
    assert text.count("\n| TASK-") == 5000


@pytest.mark.parametrize("most", [400, 4_000, 40_000, 400_000])
def test_a_summary_is_cut_on_a_row_and_counts_bytes_not_characters(most: int) -> None:
    """R-G6: over the limit the platform drops all of it."""
    claims = tuple(claim(number, holder="é" * 90) for number in range(3000))
    text = summary.text_of(report(verdict=Verdict("refused", (edit(),) * 50), claims=claims), most)
    assert len(text.encode()) <= most
    assert text.count("<details>") == text.count("</details>")
    assert text.count("```") % 2 == 0
    assert all(line.endswith("|") for line in text.split("\n") if line.startswith("|"))
    if most > 10_000:
        assert "more rows left off" in text


def test_what_stands_in_the_file_already_counts(tmp_path: Path) -> None:
    """R-G6"""
    path = tmp_path / "summary"
    path.write_bytes(b"x" * 1_000_000)
    summary.write(str(path), report(claims=tuple(claim(number, holder="h" * 99) for number in range(5000))))
    assert 1_000_000 < path.stat().st_size <= summary.MOST_BYTES
    summary.write(None, report())


def test_text_that_is_no_utf8_does_not_stop_the_summary(tmp_path: Path) -> None:
    """R-G5: git paths are bytes."""
    path = tmp_path / "summary"
    summary.write(str(path), refused(edit(path="a\udcff", holder="b\udcfe")))
    assert "\\udcff" in path.read_bytes().decode()


def test_foreign_text_makes_no_row_link_or_mention() -> None:
    """R-X3"""
    hostile = edit(holder=HOSTILE, path=HOSTILE, excuse=HOSTILE, before=HOSTILE, after="x")
    gone = removal(9, holder=HOSTILE, why=HOSTILE)
    verdict = Verdict("ok", (), (hostile,), (contest(holder=HOSTILE, actor=HOSTILE),), (), (HOSTILE,))
    text = summary.text_of(
        report(verdict=verdict, claims=(claim(1, holder=HOSTILE),), pruned=(gone,), warnings=(HOSTILE,), at=AT)
    )
    assert "\u202e" not in text
    assert "\x1b" not in text
    for line in text.split("\n"):
        if line.startswith("| TASK-"):
            assert line.count("|") in (6, 7)
