"""Identity (R-I1, R-I2, R-I3)."""

from __future__ import annotations

import pytest

from tenure.model import identity
from tenure.model.errors import WrongUse

KINDS = {
    "human:ada": "human",
    "process:nightly": "process",
    "claude-code/opus-5": "agent",
    "claude-code/opus-5+b": "agent",
    "grace@box": "untyped",
    "human:": "untyped",
    "a/b/c": "untyped",
    "a/": "untyped",
    "/b": "untyped",
    "a@b/c": "untyped",
    "x:y/z": "untyped",
}


@pytest.mark.parametrize("text", KINDS)
def test_kinds_are_told_apart(text: str) -> None:
    """R-I2."""
    assert identity.kind_of(text) == KINDS[text]


def test_the_variable_beats_the_setting_beats_user_and_host() -> None:
    """R-I1: trimmed; blank counts as not set; the host short and in lower case."""
    assert identity.resolve(" human:ada ", "human:bob", "u", "h").value == "human:ada"
    found = identity.resolve("  ", "human:bob", "u", "h")
    assert (found.value, found.source) == ("human:bob", "config")
    found = identity.resolve(None, " ", "grace", "Box.Example.ORG")
    assert (found.value, found.source) == ("grace@box", "fallback")


@pytest.mark.parametrize(
    "text", ["human:a\x1b[31m", "human:a\nb", "human:\x7f", "human:a\x85b", "human:a\u2028b", "x" * 201]
)
def test_control_characters_line_breaks_and_long_ones_are_refused(text: str) -> None:
    """R-I3: and nothing raw is in the message."""
    with pytest.raises(WrongUse) as wrong:
        identity.checked(text, "env")
    assert wrong.value.message.isprintable()


def test_two_hundred_bytes_are_not_too_long() -> None:
    """R-I3."""
    assert identity.checked("x" * 200, "env").value == "x" * 200
