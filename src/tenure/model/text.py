"""Foreign text on a terminal: what could move the cursor, hide or reverse text is shown as its escape (R-X3)."""

from __future__ import annotations

_BIDI = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029\ufeff\u200b\u200c\u200d\u2060"
)


def for_terminal(text: str, lines: bool = False) -> str:
    """The text with control, escape, bidirectional and invisible characters escaped; `lines` keeps line feeds."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(char, lines) for char in text)


def _shown(char: str, lines: bool) -> str:
    if (char == "\n" and lines) or (char.isprintable() and char not in _BIDI):
        return char
    return char.encode("unicode_escape").decode("ascii")


def one_line(text: str, limit: int = 200) -> str:
    """The first line, for a message or a table; longer ones end in `...`."""
    first = text.strip().split("\n", 1)[0].rstrip("\r")
    return first if len(first) <= limit else first[: limit - 3] + "..."


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 fault`, `2 faults`; `many` where it takes more than an s."""
    return f"{number} {one if number == 1 else many or one + 's'}"
