"""The frozen hash of a done-criterion (format page B)."""

from __future__ import annotations

from tenure.model import frontmatter
from tenure.model.text import to_bytes

# Unicode White_Space. str.rstrip() would strip U+001C to U+001F too, which the format keeps.
WHITE_SPACE = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029"
    "\u202f\u205f\u3000"
)


def normalise(text: str) -> str:
    """The text that is hashed: LF, no blanks at line ends, no empty lines at the end, no final LF."""
    lines = [line.rstrip(WHITE_SPACE) for line in text.replace("\r\n", "\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines)


def full_hash(text: str) -> str:
    """64 hex digits."""
    import hashlib  # 4 ms that most renewals need not pay

    return hashlib.sha256(to_bytes(normalise(text))).hexdigest()


def freeze_hash(text: str) -> str:
    """The 12 hex digits that a claim records as `criteria`."""
    return full_hash(text)[:12]


def fits(text: str, frozen: str) -> bool:
    """Whether the text has that hash: the short form, or any longer prefix of the full one."""
    return len(frozen) >= 12 and full_hash(text).startswith(frozen)


def why_not_carried(text: str) -> str | None:
    """Why a block scalar cannot hold the text, as a sentence about "it"; None where it can (R-X6)."""
    first = next((line for line in text.split("\n") if line), "")
    if first.startswith((" ", "\t")):
        return "its first line begins with a blank, which the format cannot carry (R-X6)"
    odd = frontmatter.uncarried(text)
    return f"it holds {odd}, which other readers would take for something else (R-X6)" if odd else None
