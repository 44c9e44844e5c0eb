"""Foreign text: to bytes and back without loss, and on a terminal without what could move, hide or reverse (R-X3)."""

from __future__ import annotations

_BIDI = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029\ufeff\u200b\u200c\u200d\u2060"
)


def from_bytes(data: bytes) -> str:
    """The text in bytes of git or of a file, UTF-8 or not: `to_bytes` gives back the very same."""
    return data.decode("utf-8", "surrogateescape")


def to_bytes(text: str) -> bytes:
    """UTF-8, and bytes that were none when they were read as they were. Half a character out of an escape is shown."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace")


def is_text(text: str) -> bool:
    """Whether every character is one: neither a byte that was no UTF-8, nor half a character out of an escape."""
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def for_terminal(text: str, lines: bool = False) -> str:
    """The text with control, escape, bidirectional and invisible characters escaped; `lines` keeps line feeds."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(char, lines) for char in text)


def _shown(char: str, lines: bool) -> str:
    if (char == "\n" and lines) or (char.isprintable() and char not in _BIDI):
        return char
    return char.encode("unicode_escape").decode("ascii")


def one_line(text: str, limit: int) -> str:
    """The first line, for a message or a table; longer ones end in `...`."""
    first = text.strip().split("\n", 1)[0].rstrip("\r")
    return first if len(first) <= limit else first[: limit - 3] + "..."


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 fault`, `2 faults`; `many` where it takes more than an s."""
    return f"{number} {one if number == 1 else many or one + 's'}"
