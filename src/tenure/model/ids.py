"""Ids and their refs: checked against the format before they become either a ref or a path (R-X2)."""

from __future__ import annotations

CLAIMS = "refs/ank/claims/"
MIRROR = "refs/tenure/origin/claims/"
FEED = "refs/tenure/activity"
FEED_MIRROR = "refs/tenure/origin/activity"
KINDS = ("TASK", "ADR", "SPEC", "LOG")
_HEX = frozenset("0123456789abcdef")


def is_id(text: str, kind: str = "TASK") -> bool:
    """`TASK-` and 12 lower-case hex digits."""
    return text.startswith(kind + "-") and len(text) == len(kind) + 13 and _HEX.issuperset(text[len(kind) + 1 :])


def is_any_id(text: str) -> bool:
    """An id of any kind of entity."""
    return any(is_id(text, kind) for kind in KINDS)


def claim_ref(task: str) -> str:
    """The live ref of a task's record. The id must be one (ValueError)."""
    if not is_id(task):
        raise ValueError(f"not a task id: {task!r}")
    return CLAIMS + task


def mirror_ref(task: str) -> str:
    """Where this clone keeps what it last saw of that ref on origin."""
    if not is_id(task):
        raise ValueError(f"not a task id: {task!r}")
    return MIRROR + task


def task_of_ref(ref: str) -> str | None:
    """The task of a claim ref or of its mirror; None for any other name."""
    for space in (CLAIMS, MIRROR):
        if ref.startswith(space):
            tail = ref[len(space) :]
            return tail if is_id(tail) else None
    return None


def task_of_path(path: str) -> str | None:
    """The task whose file a tracked path is: `….ank/entities/TASK-<12 hex>.md` or `….ank/tasks/…` (§Names)."""
    folder, _, name = path.rpartition("/")
    if not name.endswith(".md") or not is_id(name[:-3]):
        return None
    for inside in (".ank/entities", ".ank/tasks"):
        if folder == inside or folder.endswith("/" + inside):
            return name[:-3]
    return None


def short(task: str) -> str:
    """The part of an id that a person types."""
    return task[5:9]


def usual_paths(task: str, noted: str | None = None) -> tuple[str, ...]:
    """Where a task's file may lie in its corpus, the place that somebody noted first (§Names)."""
    usual = (f".ank/entities/{task}.md", f".ank/tasks/{task}.md")
    return (noted, *(place for place in usual if place != noted)) if noted else usual


def new_id(kind: str, created: str, identity: str, title: str, entropy: bytes) -> str:
    """A fresh id (format page D). `created` is the instant's text, `entropy` any bytes."""
    import hashlib

    seed = b"\0".join([created.encode(), identity.encode(), title.encode(), entropy])
    return f"{kind}-{hashlib.sha256(seed).hexdigest()[:12]}"


def split_prefix(text: str) -> tuple[str | None, str] | None:
    """Kind (or None) and lower-case hex digits of what a person typed; None where it can name nothing."""
    kind, dash, digits = text.partition("-")
    if not dash:
        kind, digits = "", text
    elif kind not in KINDS:
        return None
    digits = digits.lower()
    if not (4 <= len(digits) <= 12 and _HEX.issuperset(digits)):
        return None
    return kind or None, digits
