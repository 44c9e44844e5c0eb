"""Foreign text in Markdown."""

from __future__ import annotations

import re

import pytest

from action.made import HOSTILE
from tenure.faces.action.markdown import block, code, row

TEXTS = [
    "plain",
    "`",
    "``",
    "a`b",
    "`a`",
    "a``b`c",
    "|",
    "\\|",
    "\\",
    "x\\",
    " ",
    "",
    "\n\n",
    "@team #12",
    "<img src=x>",
    HOSTILE,
]


def spans(text: str) -> list[str]:
    """The code spans of a line, as CommonMark finds them; what is left must hold nothing foreign."""
    found, rest = [], text
    while match := re.search(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", rest):
        found.append(match[2])
        rest = rest[: match.start()] + rest[match.end() :]
    found.append(rest)
    return found


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_is_one_code_span(text: str) -> None:
    """R-X3: nothing of it stands outside, where it could be a mention, a link, a picture or HTML."""
    *inside, outside = spans(code(text))
    assert outside in ("", "(empty)")
    assert len(inside) <= 1
    assert "\n" not in code(text)


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_stays_in_its_cell(text: str) -> None:
    """R-X3: a vertical line would begin another cell, also inside code and behind a backslash."""
    line = row((code(text), "next"))
    assert line.count("|") == 3
    assert line.count("\n") == 1


def test_long_text_is_cut_in_a_cell() -> None:
    """R-G6"""
    assert len(code("x" * 5000)) <= 122
    assert code("x" * 5000).endswith("...`")


@pytest.mark.parametrize("text", ["```\n@team", "a\n````\nb", "~~~\n```", HOSTILE])
def test_a_block_cannot_be_ended_by_its_text(text: str) -> None:
    """R-X3"""
    lines = block(text, "diff").split("\n")
    fence = lines[0].removesuffix("diff")
    assert lines[-2] == fence
    assert not any(line.lstrip().startswith(fence) for line in lines[1:-2])
