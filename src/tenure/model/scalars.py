"""YAML scalars as the record needs them: `serde_yaml` quoting out, one flat mapping in (format page A).

PyYAML's dumper quotes other things, and importing it costs a commit 20 ms: the canonical form is read here, and every
other form goes to PyYAML with the same answers.
"""

from __future__ import annotations

from tenure.model.text import is_text

Scalar = str | int | float | bool | None
_WORDS = frozenset(["null", "Null", "NULL", "~", "true", "True", "TRUE", "false", "False", "FALSE"])
_SPECIAL = frozenset(
    sign + dot + word
    for sign in ("", "+", "-")
    for dot in (".",)
    for word in ("inf", "Inf", "INF", "nan", "NaN", "NAN")
)
_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@`")
_DIGITS = frozenset("0123456789")


def is_float(text: str) -> bool:
    """Decimal and exponent forms with an optional sign: `1`, `.5`, `1.`, `1e5`; no underscore, no hex."""
    body = text[1:] if text[:1] in ("+", "-") else text
    mantissa, exponent = body, None
    for mark in "eE":
        if mark in body:
            mantissa, exponent = body.split(mark, 1)
            break
    whole, _, fraction = mantissa.partition(".")
    if not (whole or fraction) or not _DIGITS.issuperset(whole) or not _DIGITS.issuperset(fraction):
        return False
    if exponent is None:
        return True
    power = exponent[1:] if exponent[:1] in ("+", "-") else exponent
    return bool(power) and _DIGITS.issuperset(power)


def _is_int(text: str) -> bool:
    body = text[1:] if text[:1] in ("+", "-") else text
    if body[:2] in ("0x", "0o", "0b"):
        digits = {"0x": "0123456789abcdefABCDEF", "0o": "01234567", "0b": "01"}[body[:2]]
        return len(body) > 2 and set(digits).issuperset(body[2:])
    return bool(body) and _DIGITS.issuperset(body)


def reads_as_another_type(text: str) -> bool:
    """Whether plain text would come back as null, bool, number: overflowing exponents are text (format page A)."""
    if text in _WORDS or text in _SPECIAL or text == "" or _is_int(text):
        return True
    return is_float(text) and float(text) not in (float("inf"), float("-inf"))


def emit(text: str) -> str:
    """The scalar as the record's writer writes it: plain, else single quotes, double for what cannot be printed."""
    if any(not (char.isprintable() or char == "\u00a0") for char in text):
        return _double(text)
    if reads_as_another_type(text) or not _plain(text):
        return "'" + text.replace("'", "''") + "'"
    return text


def _plain(text: str) -> bool:
    first, second = text[0], text[1:2]
    if first in _INDICATORS and not (first in "-?:" and second not in ("", " ")):
        return False
    if text in ("---", "...") or text.startswith(("--- ", "... ")):
        return False
    return not (": " in text or " #" in text or text[-1] in ": " or first == " ")


def _double(text: str) -> str:
    named = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\x1b": "\\e", "\x07": "\\a", "\0": "\\0"}
    out = []
    for char in text:
        if char in named:
            out.append(named[char])
        elif char.isprintable():
            out.append(char)
        else:
            code = ord(char) if is_text(char) else 0xFFFD  # a branch whose name is no UTF-8: no reader takes an escape
            out.append(f"\\x{code:02X}" if code < 256 else f"\\u{code:04X}" if code < 65536 else f"\\U{code:08X}")
    return '"' + "".join(out) + '"'


def mapping(text: str) -> dict[str, Scalar]:
    """The flat mapping in a record. ValueError: not one, a duplicate key, a nested value, no scalar."""
    plain = _canonical(text.replace("\r\n", "\n"))
    return plain if plain is not None else _by_yaml(text)


def _canonical(text: str) -> dict[str, Scalar] | None:
    """Fields of the form that writers of the format produce; None where any line is of another form."""
    found: dict[str, Scalar] = {}
    for line in text.split("\n"):
        if not line or line.startswith("#"):
            continue
        key, colon, raw = line.partition(": ")
        if not colon or not key.isascii() or not key.isalpha() or key in found:
            return None
        scalar = _scalar(raw)
        if scalar is None:
            return None
        found[key] = scalar
    return found or None


def _scalar(raw: str) -> str | int | None:
    if raw[:1] == "'" and raw[-1:] == "'" and len(raw) > 2:
        inner = raw[1:-1]
        return inner.replace("''", "'") if inner.replace("''", "").find("'") < 0 else None
    if not raw or not _plain(raw) or "\t" in raw or any(not char.isprintable() for char in raw):
        return None
    if raw.isdigit() and raw.isascii() and (raw == "0" or raw[0] != "0"):
        return int(raw) if len(raw) < 20 else None
    return None if reads_as_another_type(raw) else raw


def _by_yaml(text: str) -> dict[str, Scalar]:
    from tenure.model import strict_yaml  # PyYAML only where the canonical reading does not do

    found = strict_yaml.load_mapping(text)
    for name, scalar in found.items():
        if not isinstance(scalar, str | int | float | bool | type(None)):
            raise ValueError(f"field {name!r} is no scalar")
    return found
