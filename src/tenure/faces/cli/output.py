"""What a verb prints: prose, warnings, or one JSON document (§10)."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import Any, TextIO

from tenure.model.errors import TenureError
from tenure.model.text import for_terminal

CONTRACT = 1
_COLOURS = {"good": "32", "bad": "31", "warn": "33", "dim": "2", "bold": "1"}


class Output:
    """One command's output. `json` prints the document and no prose; `quiet` prints no prose."""

    def __init__(self, json_wanted: bool = False, quiet: bool = False) -> None:
        self.json = json_wanted
        self.quiet = quiet
        self.warnings: list[str] = []

    def say(self, text: str = "") -> None:
        """A line of prose; foreign text in it is neutralised here (R-X3)."""
        if not (self.json or self.quiet):
            _write(sys.stdout, for_terminal(text, lines=True) + "\n")

    def warn(self, text: str) -> None:
        """A warning: never silenced, and in the document's `warnings`."""
        self.warnings.append(text)
        _write(sys.stderr, f"warning: {for_terminal(text, lines=True)}\n")

    def document(self, found: Mapping[str, Any]) -> None:
        """The one document of `--json`, `contract` first; nothing without `--json`."""
        if self.json:
            extra = {} if "warnings" in found and not self.warnings else {"warnings": self.warnings}
            _write(sys.stdout, json.dumps({"contract": CONTRACT, **found, **extra}) + "\n")

    def paint(self, text: str, style: str) -> str:
        """The text in colour where a person is looking; plain in a pipe or with NO_COLOR."""
        return f"\x1b[{_COLOURS[style]}m{for_terminal(text)}\x1b[0m" if _coloured(sys.stdout) else text


def say_error(error: TenureError, json_wanted: bool) -> None:
    """A refusal: `error[N]: what` and `  -> command` on stderr, or its document there."""
    if json_wanted:
        body = {"code": error.code, "message": error.message, "next": list(error.next)}
        _write(sys.stderr, json.dumps({"contract": CONTRACT, "error": body}) + "\n")
        return
    lines = [f"error[{error.code}]: {for_terminal(error.message, lines=True)}"]
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
