"""What a verb prints: prose, warnings, or one JSON document (§10)."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, TextIO

from tenure.model.errors import TenureError
from tenure.model.text import for_terminal

CONTRACT = 1
_COLOURS = {"good": "32", "bad": "31", "warn": "33", "dim": "2", "bold": "1"}


class Styled(NamedTuple):
    """A part of a line in a style of its own, where a person is looking."""

    text: str
    style: str


class Output:
    """One command's output. `json` prints the document and no prose; `quiet` prints no prose."""

    def __init__(self, json_wanted: bool = False, quiet: bool = False) -> None:
        self.json = json_wanted
        self.quiet = quiet
        self.warnings: list[str] = []

    def say(self, *parts: str | Styled) -> None:
        """A line of prose from its parts; foreign text in it is neutralised and begins no line of its own (R-X3)."""
        if not (self.json or self.quiet):
            _write(sys.stdout, "".join(_shown(part) for part in parts) + "\n")

    def text(self, text: str, below: str = "") -> None:
        """Prose of several lines; `below` stands before each but the first."""
        first, *rest = text.split("\n")
        self.say(first)
        for line in rest:
            self.say(below + line)

    def raw(self, text: str) -> None:
        """What the command was asked to write to stdout, as it is: a file's content, no prose."""
        _write(sys.stdout, text)

    def warn(self, text: str, *next_commands: str) -> None:
        """A warning: never silenced, and in the document's `warnings`."""
        self.warnings.append(text)
        lines = [f"warning: {for_terminal(text)}", *(f"  -> {for_terminal(one)}" for one in next_commands)]
        _write(sys.stderr, "\n".join(lines) + "\n")

    def document(self, found: Mapping[str, Any]) -> None:
        """The one document of `--json`, `contract` first; nothing without `--json`."""
        if self.json:
            extra = {} if "warnings" in found and not self.warnings else {"warnings": self.warnings}
            _write(sys.stdout, json.dumps({"contract": CONTRACT, **found, **extra}) + "\n")

    @contextmanager
    def waiting(self, what: str) -> Iterator[None]:
        """Say on a terminal what takes long, and take it away again; nothing in a pipe."""
        if self.quiet or not _coloured(sys.stderr):
            yield
            return
        _write(sys.stderr, f"\r{for_terminal(what)} ...")
        try:
            yield
        finally:
            _write(sys.stderr, "\r\x1b[K")


def _shown(part: str | Styled) -> str:
    if isinstance(part, str):
        return for_terminal(part)
    text = for_terminal(part.text)
    return f"\x1b[{_COLOURS[part.style]}m{text}\x1b[0m" if part.style and _coloured(sys.stdout) else text


def say_error(error: TenureError, json_wanted: bool) -> None:
    """A refusal: `error[N]: what` and `  -> command` on stderr, or its document there."""
    if json_wanted:
        body = {"code": error.code, "message": error.message, "next": list(error.next)}
        _write(sys.stderr, json.dumps({"contract": CONTRACT, "error": body}) + "\n")
        return
    lines = [f"error[{error.code}]: {for_terminal(error.message)}"]
    lines += [f"  -> {for_terminal(command)}" for command in error.next]
    _write(sys.stderr, "\n".join(lines) + "\n")


def _coloured(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        # The reader has gone: nothing can be said to it, and the verb has done its work.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
