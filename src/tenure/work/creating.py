"""new: a task or a decision, written flat and canonical, refused before anything is on disk (§10, R-X6)."""

from __future__ import annotations

import os

from tenure.model import criteria, entities, frontmatter, ids, instants, scope
from tenure.model.criteria import WHITE_SPACE
from tenure.model.entities import Adr
from tenure.model.errors import Missing, TenureError, WrongUse
from tenure.model.task import Task, slug_of
from tenure.model.value import value
from tenure.work import files, repository
from tenure.work.corpus import Corpus, Stored
from tenure.work.session import Session


@value
class NewTask:
    """What is asked for: texts as typed, blockers as ids or prefixes."""

    title: str | None
    scope: tuple[str, ...]
    criteria: str | None = None
    blocked_by: tuple[str, ...] = ()
    verify: tuple[str, ...] = ()
    body: str = ""


@value
class NewAdr:
    """A decision to propose. `supersedes`: an id or a prefix."""

    title: str | None
    scope: tuple[str, ...]
    constraint: str | None
    supersedes: str | None = None
    body: str = ""


def new_task(session: Session, corpus: Corpus, asked: NewTask) -> Stored:
    """Write an open task. 7: title or scope missing; 1: what the format cannot carry; 2: an unknown blocker."""
    title = _title(asked.title, 'tenure new task --title "<title>" --scope "src/**"')
    globs = _scope(asked.scope, 'tenure new task --title "<title>" --scope "src/**"')
    if asked.criteria is not None:
        _must_be_carried("criterion", asked.criteria)
    blockers = tuple(dict.fromkeys(corpus.find_task(one)[0].id for one in asked.blocked_by))
    for name in asked.verify:
        _one_line("a verifier's name", name)
    created = instants.text_of(session.at)
    return files.create(
        corpus.root,
        Task(
            id=_id("TASK", created, session, title),
            title=title,
            created=created,
            scope=globs,
            slug=slug_of(title) or None,
            author=session.identity.value,
            blocked_by=blockers,
            done_criteria=asked.criteria,
            criteria_by="creator" if asked.criteria is not None else None,
            verify=tuple(asked.verify),
            body=_body(asked.body),
        ),
    )


def new_adr(session: Session, corpus: Corpus, asked: NewAdr) -> Stored:
    """Propose a decision. 7: title, scope or constraint missing; 1, 2 as for tasks."""
    example = 'tenure new adr --title "<title>" --scope "src/**" --constraint "<text>"'
    title, globs = _title(asked.title, example), _scope(asked.scope, example)
    if asked.constraint is None:
        raise Missing("a decision needs --constraint", example)
    _must_be_carried("constraint", asked.constraint)
    created = instants.text_of(session.at)
    return files.create(
        corpus.root,
        Adr(
            id=_id("ADR", created, session, title),
            title=title,
            created=created,
            scope=globs,
            constraint=asked.constraint,
            slug=slug_of(title) or None,
            author=session.identity.value,
            supersedes=_decision(corpus, asked.supersedes) if asked.supersedes else None,
            body=_body(asked.body),
        ),
    )


def _id(kind: str, created: str, session: Session, title: str) -> str:
    return ids.new_id(kind, created, session.identity.value, title, os.urandom(16))


def _decision(corpus: Corpus, text: str) -> str:
    found = corpus.find(text)
    if not isinstance(found.entity, Adr):
        raise WrongUse(f"{found.id} is no decision but {entities.a(found.entity.kind)}", 'tenure find "" --type adr')
    return found.id


def _title(text: str | None, example: str) -> str:
    if text is None or not text.strip(WHITE_SPACE):
        raise Missing("a title is missing", example)
    return _one_line("a title", text.strip(WHITE_SPACE))


def _one_line(what: str, text: str) -> str:
    """Text that a scalar of the format carries: no line break, no control character."""
    odd = "a line break" if "\n" in text else "a tab" if "\t" in text else frontmatter.uncarried(text)
    if odd:
        raise WrongUse(f"{what} cannot hold {odd}", "tenure new --help")
    if not text.strip(WHITE_SPACE):
        raise WrongUse(f"{what} is blank", "tenure new --help")
    return text


def _scope(globs: tuple[str, ...], example: str) -> tuple[str, ...]:
    if not globs:
        raise Missing("a scope is missing: at least one --scope", example)
    for glob in globs:
        _one_line("a scope", glob)
        try:
            scope.compile_glob(glob)
        except scope.BadGlob as wrong:
            raise WrongUse(str(wrong), example) from None
    return tuple(dict.fromkeys(globs))


def _must_be_carried(what: str, text: str) -> None:
    if not text.strip(WHITE_SPACE):
        raise WrongUse(f"the {what} says nothing", "tenure new --help")
    why = criteria.why_not_carried(text)
    if why:
        raise WrongUse(f"that {what} cannot be written: {why}", "tenure new --help")


def _body(text: str) -> str:
    odd = frontmatter.uncarried(text)
    if odd:
        raise WrongUse(f"a body cannot hold {odd}", "tenure new --help")
    return f"\n{text.rstrip()}\n" if text.strip() else ""


def unknown_verifiers(corpus: Corpus, names: tuple[str, ...]) -> list[str]:
    """Those of these verifiers that `.ank/config.yml` does not define, as far as it can be read."""
    try:
        config = repository.config(corpus)
    except TenureError:
        return []
    return [name for name in names if config.verifier(name) is None]
