"""Step outputs: one heredoc each, behind a delimiter that no value can hold (R-G7)."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence

MOST_CHARACTERS = 450_000  # of all arrays; the platform takes 1 MB a job, counted as UTF-16


def write(path: str | None, values: Mapping[str, str]) -> None:
    """Append the outputs to the file that GITHUB_OUTPUT names; nothing where there is none."""
    if not path:
        return
    with open(path, "a", encoding="utf-8", newline="\n") as file:
        file.write("".join(heredoc(name, text) for name, text in values.items()))


def heredoc(name: str, text: str) -> str:
    """`name<<delimiter`, the value, the delimiter, each on a line."""
    delimiter = f"tenure_{secrets.token_hex(16)}"
    while delimiter in text:
        delimiter = f"tenure_{secrets.token_hex(16)}"
    return f"{name}<<{delimiter}\n{text}\n{delimiter}\n"


def arrays(
    named: Mapping[str, Sequence[Mapping[str, object]]], most: int = MOST_CHARACTERS
) -> tuple[dict[str, str], bool]:
    """Every array by its name, the first ones first where there is no room for all; whether rows were left off."""
    found, cut = {}, False
    for name, rows in named.items():
        found[name], missing = array(rows, most)
        most -= len(found[name])
        cut = cut or missing
    return found, cut


def array(rows: Sequence[Mapping[str, object]], most: int) -> tuple[str, bool]:
    """The rows as ASCII JSON on one line, and whether rows were left off to keep within `most` characters."""
    kept: list[str] = []
    size = 2
    for row in rows:
        text = json.dumps(row, separators=(",", ":"), ensure_ascii=True)
        size += len(text) + 1
        if size > most:
            return f"[{','.join(kept)}]", True
        kept.append(text)
    return f"[{','.join(kept)}]", False
