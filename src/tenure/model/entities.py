"""Entities as text: read strictly, written canonically; a rewrite changes only the fields meant (format pages B, C).

What cannot be read raises Unparseable (1) naming the file and the reason: unknown fields, kinds and newer schemas too.
"""

from __future__ import annotations

from tenure.model import criteria, frontmatter, ids, instants, scope
from tenure.model.errors import WrongUse
from tenure.model.task import PROOF_TYPES, ROUTES, SCHEMA, STATUSES, Proof, Task, Verified
from tenure.model.value import replace, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

KIND_OF = {"task": "TASK", "adr": "ADR", "spec": "SPEC", "log": "LOG"}
DECISION_STATUSES = ("proposed", "accepted", "superseded")


def a(kind: str) -> str:
    """The kind of an entity in a sentence."""
    return {"adr": "a decision", "spec": "a specification", "log": "a log entry"}.get(kind, f"a {kind}")


class Unparseable(WrongUse):
    """1: a file that holds no entity; `name` is the file, `reason` a sentence about "it"."""

    def __init__(self, name: str | None, reason: str, *mend: str) -> None:
        shown = name or "the text"
        super().__init__(f"{shown} cannot be read: {reason}", *mend, *([f"git log -p -- {name}"] if name else []))
        self.name, self.reason = shown, reason


@value
class Adr:
    """A decision: its constraint binds the tasks whose scope meets its own, once it is accepted."""

    id: str
    title: str
    created: str
    scope: tuple[str, ...]
    constraint: str
    status: str = "proposed"
    slug: str | None = None
    author: str | None = None
    see: str | None = None
    supersedes: str | None = None
    amends: tuple[str, ...] = ()
    ratified: str | None = None
    verified: tuple[Verified, ...] = ()
    schema: int = SCHEMA
    version: int = 1
    body: str = ""

    @property
    def kind(self) -> str:
        return "adr"

    @property
    def created_at(self) -> int | None:
        return instants.parse_or_none(self.created)


@value
class Spec:
    """A specification: its body is what is ratified."""

    id: str
    title: str
    created: str
    scope: tuple[str, ...]
    status: str = "proposed"
    slug: str | None = None
    author: str | None = None
    references: tuple[str, ...] = ()
    supersedes: str | None = None
    ratified: str | None = None
    verified: tuple[Verified, ...] = ()
    schema: int = SCHEMA
    version: int = 1
    body: str = ""

    @property
    def kind(self) -> str:
        return "spec"

    @property
    def created_at(self) -> int | None:
        return instants.parse_or_none(self.created)


@value
class LogEntry:
    """What somebody said about an entity. `records` set: the tool's own bookkeeping, whatever the word is."""

    id: str
    title: str
    created: str
    scope: tuple[str, ...]
    about: str
    seq: int = 0
    slug: str | None = None
    author: str | None = None
    records: str | None = None
    verified: tuple[Verified, ...] = ()
    schema: int = SCHEMA
    version: int = 1
    body: str = ""

    @property
    def kind(self) -> str:
        return "log"

    @property
    def created_at(self) -> int | None:
        return instants.parse_or_none(self.created)

    @property
    def message(self) -> str:
        """Title and rest, exactly as they were said."""
        rest = self.body[1:] if self.body.startswith("\n") else self.body
        return self.title + (rest[:-1] if rest.endswith("\n") else rest)


Decision = Adr | Spec
Entity = Task | Adr | Spec | LogEntry


class _Fields:
    """The fields of one file: each is taken once, and what is left over is unknown."""

    def __init__(self, fields: dict[str, frontmatter.Node]) -> None:
        self._left = dict(fields)

    def maybe(self, name: str) -> str | None:
        node = self._left.pop(name, None)
        if node is None or frontmatter.is_null(node):
            return None
        return _a_text(name, node)

    def text(self, name: str) -> str:
        node = self._left.pop(name, None)
        if node is None or node == "":
            raise ValueError(f"field '{name}' is missing")
        return _a_text(name, node)

    def number(self, name: str) -> int:
        text = self.text(name)
        if not (isinstance(text, frontmatter.Plain) and text.isascii() and text.isdigit() and len(text) < 19):
            raise ValueError(f"field '{name}' is no number")
        return int(text)

    def texts(self, name: str) -> tuple[str, ...]:
        return tuple(_a_text(name, item) for item in self._list(name))

    def verified(self) -> tuple[Verified, ...]:
        return tuple(Verified(**_pairs("verified", item, ("by", "at"), ())) for item in self._list("verified"))

    def proof(self) -> tuple[Proof, ...]:
        optional = ("tree", "criteria", "verifier", "via")
        found = tuple(Proof(**_pairs("proof", item, ("type", "ref"), optional)) for item in self._list("proof"))
        for one in found:
            _one_of("proof type", one.type, PROOF_TYPES)
            if one.via is not None:
                _one_of("proof route", one.via, ROUTES)
        return found

    def _list(self, name: str) -> list[frontmatter.Node]:
        node = self._left.pop(name, None)
        if node is None or frontmatter.is_null(node):
            return []
        if not isinstance(node, list):
            raise ValueError(f"field '{name}' is no list")
        return node

    def end(self) -> None:
        for name in self._left:
            raise ValueError(f"unknown field '{name}'")


def _a_text(name: str, node: frontmatter.Node) -> str:
    if not isinstance(node, str):
        raise ValueError(f"field '{name}' is no text")
    return node


def _pairs(name: str, node: frontmatter.Node, needed: tuple[str, ...], optional: tuple[str, ...]) -> dict[str, str]:
    if not isinstance(node, dict):
        raise ValueError(f"an entry of '{name}' is no mapping")
    for key in node:
        if key not in needed and key not in optional:
            raise ValueError(f"unknown field '{key}' in '{name}'")
    for key in needed:
        if key not in node:
            raise ValueError(f"field '{key}' is missing in '{name}'")
    return {
        key: str(_a_text(key, text)) for key, text in node.items() if key in needed or not frontmatter.is_null(text)
    }


def _one_of(name: str, text: str, known: tuple[str, ...]) -> None:
    if text not in known:
        raise ValueError(f"unknown {name} '{text}' (known: {', '.join(known)})")


def parse(text: str, name: str | None = None) -> Entity:
    """The entity in a file's text (CRLF read as LF). Unparseable (1) names the file and the reason."""
    try:
        front, body = frontmatter.split(text.replace("\r\n", "\n"))
        return _entity(_Fields(frontmatter.read(front)), body)
    except ValueError as wrong:
        raise Unparseable(name, str(wrong)) from None


def parse_bytes(data: bytes, name: str | None = None) -> Entity:
    """`parse` over a file's bytes, which must be UTF-8."""
    try:
        text = frontmatter.decoded(data)
    except ValueError as wrong:
        raise Unparseable(name, str(wrong)) from None
    return parse(text, name)


def _entity(fields: _Fields, body: str) -> Entity:
    kind = fields.text("type")
    if kind not in KIND_OF:
        raise ValueError(f"unknown kind '{kind}' (known: {', '.join(KIND_OF)})")
    schema = fields.number("schema")
    if not 1 <= schema <= SCHEMA:
        raise ValueError(f"schema {schema} is newer than this tenure reads (1 to {SCHEMA})" if schema else "schema 0")
    common: dict[str, Any] = {
        "id": _id(fields.text("id"), KIND_OF[kind]),
        "slug": fields.maybe("slug"),
        "title": str(fields.text("title")),
        "created": str(fields.text("created")),
        "author": fields.maybe("author"),
        "scope": _scope(fields.texts("scope")),
        "verified": fields.verified(),
        "schema": schema,
        "version": fields.number("version"),
        "body": body,
    }
    made = _MAKERS[kind](fields, common)
    fields.end()
    return made


def _id(text: str, kind: str) -> str:
    prefix, _, digits = text.partition("-")
    lowered = f"{prefix}-{digits.lower()}"
    if not ids.is_any_id(lowered):
        raise ValueError(f"'{text}' is no id")
    if prefix != kind:
        raise ValueError(f"the type does not go with the id '{text}'")
    return lowered


def _scope(globs: tuple[str, ...]) -> tuple[str, ...]:
    if not globs:
        raise ValueError("its scope is empty")
    for glob in globs:
        scope.compile_glob(glob)
    return globs


def _task(fields: _Fields, common: dict[str, Any]) -> Task:
    made = Task(
        **common,
        status=str(fields.text("status")),
        blocked_by=tuple(_edge(item) for item in fields.texts("blocked_by")),
        done_criteria=fields.maybe("done_criteria"),
        criteria_by=fields.maybe("criteria_by"),
        verify=fields.texts("verify"),
        method=fields.maybe("method"),
        proof=fields.proof(),
    )
    _one_of("status", made.status, STATUSES)
    if made.criteria_by is not None:
        _one_of("criteria_by", made.criteria_by, ("creator", "claimer"))
        if made.done_criteria is None:
            raise ValueError("it has criteria_by and no done_criteria")
    return made


def _edge(text: str) -> str:
    task, at, peer = text.partition("@")
    made = _id(task, "TASK")
    if at and not peer:
        raise ValueError(f"'{text}' names no peer")
    return made + at + peer


def _adr(fields: _Fields, common: dict[str, Any]) -> Adr:
    supersedes = fields.maybe("supersedes")
    made = Adr(
        **common,
        status=str(fields.text("status")),
        constraint=fields.text("constraint"),
        see=fields.maybe("see"),
        supersedes=_id(supersedes, "ADR") if supersedes else None,
        amends=tuple(_id(item, "ADR") for item in fields.texts("amends")),
        ratified=fields.maybe("ratified"),
    )
    _one_of("status", made.status, DECISION_STATUSES)
    return made


def _spec(fields: _Fields, common: dict[str, Any]) -> Spec:
    supersedes = fields.maybe("supersedes")
    made = Spec(
        **common,
        status=str(fields.text("status")),
        references=fields.texts("references"),
        supersedes=_id(supersedes, "SPEC") if supersedes else None,
        ratified=fields.maybe("ratified"),
    )
    _one_of("status", made.status, DECISION_STATUSES)
    return made


def _log(fields: _Fields, common: dict[str, Any]) -> LogEntry:
    about = fields.text("about")
    prefix, _, digits = about.partition("-")
    if not ids.is_any_id(f"{prefix}-{digits.lower()}"):
        raise ValueError(f"'{about}' is no id")
    return LogEntry(
        **common,
        about=f"{prefix}-{digits.lower()}",
        seq=fields.number("seq"),
        records=fields.maybe("records"),
    )


_MAKERS: dict[str, Callable[[_Fields, dict[str, Any]], Entity]] = {
    "task": _task,
    "adr": _adr,
    "spec": _spec,
    "log": _log,
}


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
