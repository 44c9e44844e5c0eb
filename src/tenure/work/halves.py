"""A verb that was stopped half-way says what stands by then, and how to go on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tenure.model.errors import Unwritable, VersionConflict


@contextmanager
def stands(what: str, *next_commands: str) -> Iterator[None]:
    """Add to the refusal of a write what was written before it; these commands go on from there."""
    try:
        yield
    except (Unwritable, VersionConflict) as wrong:
        wrong.message += f"; {what}"
        wrong.next = (*next_commands, *wrong.next)
        raise
