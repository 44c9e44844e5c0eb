"""What an inspection found, in two levels: a fault breaks an invariant (exit 8), a signal asks for a look."""

from __future__ import annotations

from tenure.model.value import value

FAULT, SIGNAL = "fault", "signal"


@value
class Finding:
    """`subject`: an id, a file or a ref. `charge`: what weighs how many characters, for an over-constrained scope."""

    level: str
    subject: str
    message: str
    note: tuple[str, ...] = ()
    charge: tuple[tuple[str, int], ...] = ()


def fault(subject: str, message: str, *note: str) -> Finding:
    """An invariant is broken."""
    return Finding(FAULT, subject, message, note)


def signal(subject: str, message: str, *note: str) -> Finding:
    """Worth a look; nothing is broken."""
    return Finding(SIGNAL, subject, message, note)


def in_order(found: list[Finding]) -> list[Finding]:
    """Faults first, then by subject and message; each once."""
    return sorted(dict.fromkeys(found), key=lambda one: (one.level != FAULT, one.subject, one.message))


def several(names: list[str], most: int = 5) -> str:
    """The first of these names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
