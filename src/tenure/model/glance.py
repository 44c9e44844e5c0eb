"""A look at a task file for a hook: what decides about a freeze or a contest, and nothing else (R-F1, R-K1, R-X6)."""

from __future__ import annotations

from tenure.model import frontmatter
from tenure.model.value import value


@value
class Glance:
    """What a state of a task file says. `proofs` are the criteria hashes in proof entries; lines count from 1."""

    readable: bool
    status: str | None = None
    criterion: str | None = None
    scope: tuple[str, ...] = ()
    title: str | None = None
    proofs: tuple[str, ...] = ()
    criterion_line: int | None = None
    status_line: int | None = None
    is_block: bool = False  # the criterion stands below its line, a line of it in each


def glance(data: bytes) -> Glance:
    """Read a state of a task file; one that is no YAML mapping, or has a key twice, is not readable (R-X6)."""
    try:
        text = frontmatter.decoded(data)
        front, _ = frontmatter.split(text)
        fields = frontmatter.read(front)
    except ValueError:
        return Glance(False)
    return Glance(
        True,
        status=_text(fields.get("status")),
        criterion=_text(fields.get("done_criteria")),
        scope=_texts(fields.get("scope")),
        title=_title(fields.get("title")),
        proofs=_proofs(fields.get("proof")),
        criterion_line=_line_of(front, "done_criteria"),
        status_line=_line_of(front, "status"),
        is_block=_is_block(front),
    )


def _text(node: object) -> str | None:
    return str(node) if isinstance(node, str) and not frontmatter.is_null(node) else None


def _title(node: object) -> str | None:
    """A title must be there, so `NULL` without quotes is one: the word itself."""
    return str(node) if isinstance(node, str) and node else None


def _texts(node: object) -> tuple[str, ...]:
    return tuple(str(item) for item in node if isinstance(item, str)) if isinstance(node, list) else ()


def _proofs(node: object) -> tuple[str, ...]:
    entries = [item for item in node if isinstance(item, dict)] if isinstance(node, list) else []
    found = [_text(entry.get("criteria")) for entry in entries]
    return tuple(text for text in found if text)


def _is_block(front: str) -> bool:
    """Whether the criterion is a literal block: then its first line is the one below the key's."""
    line = _line_of(front, "done_criteria")
    head = front.split("\n")[line - 2].partition(":")[2].strip() if line else ""
    return head.startswith("|")


def _line_of(front: str, key: str) -> int | None:
    """The line of a top-level key in the file, whose first line is the opening one."""
    for number, line in enumerate(front.split("\n"), 2):
        if line.startswith((key + ":", f'"{key}"', f"'{key}'", key + " :")):
            return number
    return None
