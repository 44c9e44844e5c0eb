"""What the runner would read on standard output. The runner's own rules are written down here as a small reader."""

from __future__ import annotations

import io
import re

from action.made import HOSTILE
from tenure.faces.action import commands
from tenure.faces.action.commands import Log


def runner_sees(text: str) -> list[tuple[str, str]]:
    """The commands that GitHub's runner finds: `::name …::` after blanks, `##[name]` anywhere, none while stopped."""
    found, stopped = [], None
    for line in text.split("\n"):
        trimmed = line.lstrip()
        if stopped:
            stopped = None if trimmed == f"::{stopped}::" else stopped
            continue
        second = re.match(r"::([\w-]+)(?: [^\n]*?)?::(.*)", trimmed)
        first = re.search(r"##\[([\w-]+)[^\]]*\](.*)", line)
        if second and second[1] == "stop-commands":
            stopped = second[2]
        elif second or first:
            match = second or first
            assert match is not None
            found.append((match[1], match[2]))
    return found


def test_the_percent_sign_is_escaped_before_the_rest() -> None:
    """R-G6: otherwise what was escaped would be escaped again."""
    assert commands.data("100%0A\r\n") == "100%250A%0D%0A"
    assert commands.prop("a:b,c%3A\n") == "a%3Ab%2Cc%253A%0A"
    line = commands.command("error", "m\nn", {"file": "a,b:c", "line": 3, "title": None})
    assert line == "::error file=a%2Cb%3Ac,line=3::m%0An"


def test_foreign_text_is_no_command_in_either_syntax() -> None:
    """R-X3: at the start after blanks, and in the middle of a line; also after neutralising twice."""
    for text in ("::error::x", "  \t::add-mask::x", "said ##[add-mask]x", "###[error]y", "##[##[error]", HOSTILE):
        shown = commands.neutral(text)
        assert runner_sees(shown) == [], shown
        assert commands.neutral(shown) == shown


def test_a_log_quotes_foreign_text_between_stop_and_a_token_nobody_knows() -> None:
    """R-X3: two logs have two tokens, and the text cannot hold the token."""
    first, second = io.StringIO(), io.StringIO()
    Log(first).quote(HOSTILE)
    Log(second).quote(HOSTILE)
    assert runner_sees(first.getvalue()) == []
    assert first.getvalue().split("\n")[0].startswith("::stop-commands::")
    assert first.getvalue().split("\n")[0] != second.getvalue().split("\n")[0]
    known = io.StringIO()
    Log(known, token="abc").quote("x\n::abc::\n::error::y")
    assert runner_sees(known.getvalue()) == []


def test_an_issue_is_one_command_whatever_its_text() -> None:
    """R-X3: message and parameters are foreign."""
    stream = io.StringIO()
    Log(stream).issue("warning", HOSTILE, {"file": HOSTILE, "line": 4, "title": HOSTILE})
    assert [name for name, _ in runner_sees(stream.getvalue())] == ["warning"]
    assert stream.getvalue().count("\n") == 1
    assert "\u202e" not in stream.getvalue()
    assert "\x1b" not in stream.getvalue()
