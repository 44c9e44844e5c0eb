"""An entity's file, written canonically, and the hashes of what was written (format pages B, C)."""

from __future__ import annotations

from tenure.model import criteria, frontmatter
from tenure.model.entities import Adr, Decision, Entity, LogEntry
from tenure.model.task import Task
from tenure.model.value import replace


def emit(entity: Entity) -> str:
    """The canonical file of an entity."""
    lines = [f"id: {entity.id}", f"type: {entity.kind}"]
    lines += _maybe("slug", entity.slug)
    lines += [f"title: {frontmatter.scalar(entity.title)}", f"created: {frontmatter.scalar(entity.created)}"]
    lines += _maybe("author", entity.author)
    if not isinstance(entity, LogEntry):
        lines.append(f"status: {entity.status}")
    lines += frontmatter.seq("scope", entity.scope)
    lines += _own_lines(entity)
    if entity.verified:
        lines += frontmatter.maps("verified", [(("by", one.by), ("at", one.at)) for one in entity.verified])
    lines += [f"schema: {entity.schema}", f"version: {entity.version}"]
    return frontmatter.whole(lines, entity.body)


def _own_lines(entity: Entity) -> list[str]:
    if isinstance(entity, Task):
        return _task_lines(entity)
    if isinstance(entity, LogEntry):
        return [f"about: {entity.about}", f"seq: {entity.seq}", *_maybe("records", entity.records)]
    lines = [] if isinstance(entity, Adr) else _flow("references", entity.references)
    if isinstance(entity, Adr):
        lines += frontmatter.block("constraint", entity.constraint) + _maybe("see", entity.see)
    lines += [f"supersedes: {entity.supersedes}"] if entity.supersedes else []
    lines += _flow("amends", entity.amends) if isinstance(entity, Adr) else []
    return lines + _maybe("ratified", entity.ratified)


def _task_lines(task: Task) -> list[str]:
    lines = [frontmatter.flow("blocked_by", task.blocked_by)]
    if task.done_criteria is not None:
        lines += frontmatter.block("done_criteria", task.done_criteria)
    lines += _maybe("criteria_by", task.criteria_by) + _flow("verify", task.verify) + _maybe("method", task.method)
    if task.proof:
        keys = ("type", "ref", "tree", "criteria", "verifier", "via")
        entries = [[(key, getattr(one, key)) for key in keys if getattr(one, key) is not None] for one in task.proof]
        lines += frontmatter.maps("proof", entries)
    return lines


def _maybe(name: str, text: str | None) -> list[str]:
    return [] if text is None else [f"{name}: {frontmatter.scalar(text)}"]


def _flow(name: str, items: tuple[str, ...]) -> list[str]:
    return [frontmatter.flow(name, items)] if items else []


def is_canonical(text: str, entity: Entity) -> bool:
    """Whether the file (with LF) is what a writer of the format writes; `|2` is ours, for what it cannot write."""
    blocks = (getattr(entity, "done_criteria", None), getattr(entity, "constraint", None))
    return emit(entity) == text and not any(frontmatter.is_indented(one) for one in blocks if one)


def content_hash(entity: Entity) -> str:
    """The produced hash: of the whole file with the fields that transitions move made neutral (format page B)."""
    if isinstance(entity, Task):
        return criteria.freeze_hash(emit(replace(entity, status="open", proof=(), verified=(), version=0)))
    if isinstance(entity, LogEntry):
        return criteria.freeze_hash(emit(replace(entity, verified=(), version=0)))
    return criteria.freeze_hash(emit(replace(entity, status="proposed", ratified=None, verified=(), version=0)))


def replaced_hash(entity: Entity) -> str:
    """The hash of the whole canonical file as it was before a write."""
    return criteria.freeze_hash(emit(entity))


def anchor(decision: Decision) -> tuple[str, str]:
    """Label and hash that the commit of a ratification carries: `constraint+scope` or `body+scope` (format page B)."""
    if isinstance(decision, Adr):
        label, text = "constraint+scope", decision.constraint
    else:
        label, text = "body+scope", decision.body
    globs = "".join(glob.strip() + "\n" for glob in decision.scope)
    return label, criteria.freeze_hash(criteria.normalise(text) + "\n" + globs)
