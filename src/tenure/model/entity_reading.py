"""An entity's file, read strictly: unknown fields, kinds and newer schemas are told, never passed over (format page C).

What cannot be read raises Unparseable (1) naming the file and the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tenure.model import frontmatter, ids, scope
from tenure.model.entities import DECISION_STATUSES, KIND_OF, Adr, Entity, LogEntry, Spec
from tenure.model.errors import WrongUse
from tenure.model.task import PROOF_TYPES, ROUTES, SCHEMA, STATUSES, Proof, Task, Verified


class Unparseable(WrongUse):
    """1: a file that holds no entity; `name` is the file, `reason` a sentence about "it"."""

    def __init__(self, name: str | None, reason: str, *mend: str) -> None:
        shown = name or "the text"
        super().__init__(f"{shown} cannot be read: {reason}", *mend, *([f"git log -p -- {name}"] if name else []))
        self.name, self.reason = shown, reason


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
