"""Foreign text in GitHub's Markdown stands in code, where nothing is a mention, a link, a picture or HTML (R-X3)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tenure.model.text import for_terminal

_RUNS = re.compile("`+")
MOST_IN_CELL = 120


def code(text: str, most: int = MOST_IN_CELL) -> str:
    """The text as one code span on one line, which may stand in a cell of a table.

    A vertical line is shown as a broken one: behind a backslash of the text's own, no escape keeps it in its cell.
    """
    shown = " ".join(for_terminal(text.replace("\r\n", "\n"), lines=True).split()).replace("|", "\u00a6")
    if len(shown) > most:
        shown = shown[: most - 3] + "..."
    if not shown:
        return "(empty)"
    fence = "`" * (_longest_run(shown) + 1)
    edge = " " if shown[0] == "`" or shown[-1] == "`" else ""
    return f"{fence}{edge}{shown}{edge}{fence}"


def block(text: str, language: str = "") -> str:
    """The lines as a fenced block that they cannot end."""
    shown = for_terminal(text.replace("\r\n", "\n"), lines=True)
    fence = "`" * max(3, _longest_run(shown) + 1)
    return f"{fence}{language}\n{shown.rstrip(chr(10))}\n{fence}\n"


def row(cells: Iterable[str]) -> str:
    """A row of a table, of cells that are neutral already."""
    return f"| {' | '.join(cells)} |\n"


def head(*names: str) -> str:
    """The first two lines of a table."""
    return row(names) + row("---" for _ in names)


def _longest_run(text: str) -> int:
    return max((len(run) for run in _RUNS.findall(text)), default=0)
