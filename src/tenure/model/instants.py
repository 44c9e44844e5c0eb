"""Instants are whole seconds since 1970, UTC, as ints; their text is `YYYY-MM-DDThh:mm:ssZ` (R-L9)."""

from __future__ import annotations

import time

EARLIEST = 946_684_800  # 2000-01-01, the first instant that a record may name (R-L9)
LATEST = 32_503_680_000  # 3000-01-01: year 9999 and its like are no instants


class BadInstant(ValueError):
    """The text is no instant that a record may hold."""


def text_of(at: int) -> str:
    """`2026-11-30T08:15:00Z`."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))


def minute_of(at: int) -> str:
    """`2026-11-30 08:15 UTC`, for people."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(at))


def parse(text: str) -> int:
    """Read an instant as the format does: `T` and `Z` wanted, seconds optional, no fraction, no offset.

    Raises BadInstant, also before the year 2000 and from 3000 on (R-L9).
    """
    trimmed = text.strip()
    day, t, clock = trimmed.partition("T")
    if not t or not clock.endswith("Z"):
        raise BadInstant(f"no instant: {text!r}")
    year, month, mday = _numbers(day, "-", (4, 2, 2))
    parts = _numbers(clock[:-1], ":", (2, 2, 2) if clock.count(":") == 2 else (2, 2))
    hour, minute, second = (*parts, 0)[:3]
    if not (1 <= month <= 12 and 1 <= mday <= 31 and hour < 24 and minute < 60 and second <= 60):
        raise BadInstant(f"no instant: {text!r}")
    at = _days(year, month, mday) * 86400 + hour * 3600 + minute * 60 + second
    if not EARLIEST <= at < LATEST:
        raise BadInstant(f"absurd instant: {text!r}")
    return at


def parse_or_none(text: str) -> int | None:
    """The same; None for what is no instant."""
    try:
        return parse(text)
    except BadInstant:
        return None


def _numbers(text: str, mark: str, widths: tuple[int, ...]) -> tuple[int, ...]:
    parts = text.split(mark)
    fits = len(parts) == len(widths) and all(
        len(part) == width and part.isascii() and part.isdigit() for part, width in zip(parts, widths, strict=True)
    )
    if not fits:
        raise BadInstant(f"no instant: {text!r}")
    return tuple(int(part) for part in parts)


def _days(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 in the Gregorian calendar."""
    year -= month <= 2
    era_year = year % 400
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return year // 400 * 146_097 + era_year * 365 + era_year // 4 - era_year // 100 + of_year - 719_468


def duration(text: str) -> int:
    """Seconds in `30m`, `2h`, `90s`, `1d`: digits and one unit, no blank. Raises ValueError otherwise."""
    units = {"s": 1, "m": 60, "h": 3600, "d": 86400}
    digits, unit = text[:-1], text[-1:]
    if unit not in units or not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
        raise ValueError(f"no duration: {text!r} (write 30m, 2h, 90s or 1d)")
    seconds = int(digits) * units[unit]
    if seconds == 0:
        raise ValueError(f"no duration: {text!r} is no time at all")
    return seconds


def span(seconds: int) -> str:
    """`31s`, `29m`, `3h`, `2d`: what is left of a lease, rounded down, for people."""
    for size, unit, unit_size in ((172_800, "d", 86_400), (10_800, "h", 3600), (60, "m", 60)):
        if seconds >= size:
            return f"{seconds // unit_size}{unit}"
    return f"{max(seconds, 0)}s"
