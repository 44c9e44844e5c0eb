"""The frontmatter of an entity file: cut out, read, and written as the format writes it (format page C).

The canonical form is read by hand, since importing PyYAML costs a commit 20 ms and a large corpus many seconds; every
other form goes to `strict_yaml` with the same answers (R-X6). The writer's quoting is not that of records (`scalars`).
"""

from __future__ import annotations

from tenure.model import scalars

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

OPENING = "---\n"
CLOSING = "\n---\n"
_NOT_FIRST = frozenset("-?:#&*!|>'\"%@`[]{}, ")
_WORDS = frozenset(("null", "~", "true", "false", "yes", "no"))
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_NUMERIC = frozenset("+-.0123456789iInN")
_IN_FLOW = frozenset(",[]{}?\"'")
_UNCARRIED = frozenset((0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF))
_NEVER_RAW = frozenset("\u2028\u2029\ufffe\uffff")  # line ends to YAML, or no text
_FLOW_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./@+-")


class Plain(str):
    """A scalar that stood without quotes: a field that wants a number or may be empty looks at that."""

    __slots__ = ()


Node = str | list["Node"] | dict[str, "Node"]


def decoded(data: bytes) -> str:
    """The text of an entity file, CRLF read as LF. ValueError: no UTF-8."""
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as wrong:
        raise ValueError(f"it is no UTF-8 (byte {wrong.start})") from None


def split(text: str) -> tuple[str, str]:
    """Frontmatter (with its last LF) and body, verbatim. ValueError says how the file fails to be one."""
    if text.startswith("\ufeff"):
        raise ValueError("it begins with a byte order mark")
    if not text.startswith(OPENING):
        raise ValueError("it does not begin with a line ---")
    end = text.find(CLOSING, len(OPENING) - 1)
    if end >= 0:
        return text[len(OPENING) : end + 1], text[end + len(CLOSING) :]
    if text.endswith("\n---") and len(text) > len(OPENING):
        return text[len(OPENING) : -3], ""
    raise ValueError("its frontmatter is opened by --- and never closed")


def is_null(node: object) -> bool:
    """Whether a field that may be absent is as good as absent: an unquoted `~`, `null` or nothing."""
    return isinstance(node, Plain) and node in _NULLS


def read(front: str) -> dict[str, Node]:
    """The fields in the order of the file; scalars as their text. ValueError: no mapping, a duplicate key, bad YAML."""
    found = _by_hand(front)
    return found if found is not None else _by_yaml(front)


def _by_yaml(front: str) -> dict[str, Node]:
    from tenure.model import strict_yaml  # PyYAML only where the canonical reading does not do

    return strict_yaml.load_texts(front)


def _by_hand(front: str) -> dict[str, Node] | None:
    """The fields of a frontmatter in the writer's form; None where any line is of another form."""
    lines = front.split("\n")
    if lines.pop() or not "".join(lines).isprintable():
        return None
    found: dict[str, Node] = {}
    at = 0
    while at < len(lines):
        key, colon, rest = lines[at].partition(":")
        if not colon or key in found or not _is_key(key):
            return None
        at += 1
        node: Node | None
        if rest == "":
            node, at = _items(lines, at)
        elif rest in (" |", " |-"):
            node, at = _block(lines, at, rest == " |")
        else:
            node = _flow(rest[2:]) if rest.startswith(" [") else _scalar(rest[1:]) if rest[0] == " " else None
        if node is None:
            return None
        found[key] = node
    return found or None


def _is_key(text: str) -> bool:
    return text.isascii() and text.replace("_", "a").isalpha() and text.islower()


def _scalar(text: str) -> str | None:
    if text[:1] == '"':
        return _unquoted(text)
    if is_bare(text) or (text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")):
        return Plain(text)
    return None


def _unquoted(text: str) -> str | None:
    inner = text[1:-1]
    if len(text) < 2 or text[-1] != '"':
        return None
    if "\\" not in inner:
        return None if '"' in inner else inner
    out, rest = [], iter(inner)
    for char in rest:
        if char == '"':
            return None
        if char == "\\":
            char = {"\\": "\\", '"': '"', "n": "\n"}.get(next(rest, ""), "")
            if not char:
                return None
        out.append(char)
    return "".join(out)


def _flow(text: str) -> list[Node] | None:
    """What stands after `[`: plain items of harmless characters, the closing bracket last."""
    if text == "]":
        return []
    if text[-1:] != "]":
        return None
    items = text[:-1].split(", ")
    for item in items:
        if not (item and item[0].isalnum() and _FLOW_SAFE.issuperset(item) and is_bare(item)):
            return None
    return [Plain(item) for item in items]


def _block(lines: list[str], at: int, keeps: bool) -> tuple[str | None, int]:
    """A literal block at exactly two spaces, and the line after it (R-X6)."""
    taken: list[str] = []
    begun = False
    while at < len(lines):
        line = lines[at]
        if line.startswith("  "):
            line = line[2:]
            if not begun and line[:1] == " ":
                return None, at  # its indentation is another one
            begun = begun or line != ""
        elif line not in ("", " "):
            break
        else:
            line = ""
        taken.append(line)
        at += 1
    while taken and not taken[-1]:
        taken.pop()
    return "\n".join(taken) + ("\n" if keeps and taken else ""), at


def _items(lines: list[str], at: int) -> tuple[list[Node] | None, int]:
    """A sequence of scalars, or of mappings of scalars, at two spaces."""
    found: list[Node] = []
    while at < len(lines) and lines[at].startswith("  "):
        line = lines[at]
        at += 1
        if line.startswith("  - "):
            item: Node | None = _scalar(line[4:]) or _first_pair(line[4:])
            if item is None:
                return None, at
            found.append(item)
            continue
        pair = _first_pair(line[4:]) if line.startswith("    ") else None
        last = found[-1] if found else None
        if pair is None or not isinstance(last, dict) or not last.keys().isdisjoint(pair):
            return None, at
        last.update(pair)
    return found or None, at


def _first_pair(text: str) -> dict[str, Node] | None:
    key, colon, rest = text.partition(": ")
    scalar = _scalar(rest) if colon and _is_key(key) else None
    return None if scalar is None else {key: scalar}


def uncarried(text: str) -> str | None:
    """The first character that some reader of the format would refuse or read as something else, as `U+…`; or None.

    YAML takes CR, NEL, U+2028 and U+2029 for line ends; control characters, U+FEFF and surrogates are no text to it.
    """
    if text.isascii() and text.replace("\n", "").isprintable():
        return None
    for char in text:
        code = ord(char)
        if (code < 32 and char not in "\n\t") or 126 < code < 160 or code in _UNCARRIED or 0xD800 <= code < 0xE000:
            return f"U+{code:04X}"
    return None


def is_number(text: str) -> bool:
    """Whether Rust reads the text as an `f64`: decimal and exponent forms, and inf, infinity and nan in any case."""
    if text[:1] not in _NUMERIC:
        return False
    body = text[1:] if text[:1] in ("+", "-") else text
    return body.lower() in ("inf", "infinity", "nan") or scalars.is_float(text)


def is_bare(text: str) -> bool:
    """Whether the format writes this scalar without quotes."""
    if not text or text[0] in _NOT_FIRST or text[-1] in ": " or text in _WORDS:
        return False
    if "\n" in text or ": " in text or " #" in text or is_number(text) or _is_odd(text):
        return False
    return not ("\t" in text and (":\t" in text or "\t#" in text or "\t" in (text[0], text[-1])))


def scalar(text: str) -> str:
    """A scalar as the format writes it: bare, else in double quotes with only `\\`, `"` and LF escaped.

    Control characters and YAML's own line ends, which no YAML may hold as they are, are escaped too, and a tab is
    quoted where a reader would take it for an end: the file must stay readable.
    """
    return text if is_bare(text) else _quoted(text)


def _quoted(text: str) -> str:
    shown = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    if _is_odd(shown):
        shown = "".join(_escaped(char) if _is_odd(char) else char for char in shown)
    return f'"{shown}"'


def _escaped(char: str) -> str:
    return f"\\x{ord(char):02X}" if char < "\xa0" else f"\\u{ord(char):04X}"


def _is_odd(text: str) -> bool:
    """Whether a character is in it that no YAML may hold as it is."""
    return not text.isprintable() and any(
        char != "\t" and char != "\n" and (char < " " or "\x7f" <= char < "\xa0" or char in _NEVER_RAW) for char in text
    )


def is_indented(text: str) -> bool:
    """Whether a block of it begins with a blank, so that its reader must be told where its lines begin."""
    return text.lstrip("\n").startswith(" ")


def block(key: str, text: str) -> list[str]:
    """A literal block: `|` when the text ends in LF (that one goes), else `|-`; two spaces before each line.

    The writer of the format knows no other form, and spoils a text that needs one: `|2` before a leading blank, quotes
    round what no block can hold. Such a file came from elsewhere, and a rewrite must not change its meaning.
    """
    if _is_odd(text):
        return [f"{key}: {_quoted(text)}"]
    mark = "|2" if is_indented(text) else "|"
    head, rest = (f"{key}: {mark}", text[:-1]) if text.endswith("\n") else (f"{key}: {mark}-", text)
    return [head, *["  " + line for line in rest.split("\n")]]


def flow(key: str, items: Iterable[str]) -> str:
    """`key: [a, b]`. What would fall apart inside brackets is quoted, bare or not."""
    shown = [scalar(item) if _IN_FLOW.isdisjoint(item) else _quoted(item) for item in items]
    return f"{key}: [{', '.join(shown)}]"


def seq(key: str, items: Iterable[str]) -> list[str]:
    """`key:` and a line for each item."""
    return [f"{key}:", *[f"  - {scalar(item)}" for item in items]]


def maps(key: str, entries: Iterable[Sequence[tuple[str, str]]]) -> list[str]:
    """`key:` and for each mapping `  - first: …`, then its other pairs at four spaces."""
    lines = [f"{key}:"]
    for pairs in entries:
        lines += [
            ("    " if number else "  - ") + f"{name}: {scalar(text)}" for number, (name, text) in enumerate(pairs)
        ]
    return lines


def whole(lines: list[str], body: str) -> str:
    """A file of these frontmatter lines and this body."""
    return OPENING + "\n".join(lines) + CLOSING + body
