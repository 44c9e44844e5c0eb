"""What a person typed, as an id: a prefix of at least 4 hex digits, with or without its kind (format page D)."""

from __future__ import annotations

from tenure.model import ids
from tenure.model.errors import NotFound
from tenure.model.text import for_terminal, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SHOWN = 8


def candidates(text: str, known: Iterable[str]) -> list[str]:
    """The ids that the text may mean, sorted; none for a text that can name nothing."""
    wanted = ids.split_prefix(text)
    if wanted is None:
        return []
    kind, digits = wanted
    kinds = (kind,) if kind else ids.KINDS
    starts = tuple(f"{name}-{digits}" for name in kinds)
    return sorted(one for one in set(known) if one.startswith(starts))


def resolve(text: str, known: Iterable[str], titles: Mapping[str, str] | None = None) -> str:
    """The one id that the text names. NotFound (2): too short, no hex, none, or several (they are listed)."""
    shown = for_terminal(one_line(text, 60))
    if ids.split_prefix(text) is None:
        raise NotFound(f"'{shown}' names nothing: give an id or at least 4 of its hex digits", 'tenure find ""')
    found = candidates(text, known)
    if not found:
        raise NotFound(f"nothing here is named {shown}", 'tenure find ""')
    if len(found) > 1:
        listed = ", ".join(_named(one, titles) for one in found[:_SHOWN])
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise NotFound(f"'{shown}' is ambiguous: {listed}{more}", *(f"tenure show {one}" for one in found[:2]))
    return found[0]


def _named(one: str, titles: Mapping[str, str] | None) -> str:
    title = (titles or {}).get(one)
    return f"{one} ({for_terminal(one_line(title, 40))})" if title else one
