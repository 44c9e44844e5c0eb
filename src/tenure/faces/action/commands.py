"""Workflow commands on standard output, and foreign text on the same stream that must not become one (R-G6, R-X3).

The runner reads two syntaxes: `::name key=value::data` after leading blanks, and `##[name]data` anywhere in a line.
"""

from __future__ import annotations

import re
import secrets
import sys
from collections.abc import Mapping
from typing import TextIO

from tenure.model.text import for_terminal

_LEADING = re.compile(r"^(\s*):(?=:)", re.MULTILINE)  # the runner strips blanks before it looks


def neutral(text: str) -> str:
    """Foreign text for a log or a message: no control or bidirectional character, neither syntax of a command.

    Neutral text comes back unchanged.
    """
    shown = for_terminal(text.replace("\r\n", "\n"), lines=True)
    while "##[" in shown:
        shown = shown.replace("##[", "# #[")
    return _LEADING.sub(r"\1: ", shown)


def data(text: str) -> str:
    """The message of a command: the percent sign first, or it would escape the others again."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def prop(text: str) -> str:
    """A parameter of a command."""
    return data(text).replace(":", "%3A").replace(",", "%2C")


def command(name: str, message: str, properties: Mapping[str, str | int | None] | None = None) -> str:
    """One command as a line without its end; parameters that are None or empty are left out."""
    given = [(key, str(text)) for key, text in (properties or {}).items() if text not in (None, "")]
    words = ",".join(f"{key}={prop(text)}" for key, text in given)
    return f"::{name}{' ' + words if words else ''}::{data(message)}"


class Log:
    """Where lines go. Foreign text stands between `stop-commands` and a token that nobody outside can know."""

    def __init__(self, stream: TextIO | None = None, token: str | None = None) -> None:
        self._stream = stream if stream is not None else sys.stdout
        self._token = token or secrets.token_hex(16)

    def say(self, line: str) -> None:
        """A line of our own words and numbers."""
        self._write(line)

    def quote(self, text: str) -> None:
        """Foreign text: neutralised, and with commands stopped round it."""
        shown = neutral(text).replace(self._token, "")
        self._write(f"::stop-commands::{self._token}\n{shown}\n::{self._token}::")

    def issue(self, name: str, message: str, properties: Mapping[str, str | int | None] | None = None) -> None:
        """A command whose message and parameters are neutralised and escaped here."""
        given = (properties or {}).items()
        clean = {key: neutral(text).replace("\n", " ") if isinstance(text, str) else text for key, text in given}
        self._write(command(name, neutral(message), clean))

    def _write(self, text: str) -> None:
        self._stream.write(text + "\n")
        self._stream.flush()
