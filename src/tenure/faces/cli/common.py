"""What most verbs begin and end with."""

from __future__ import annotations

import argparse
import os
import shlex

from tenure.faces.cli.output import Output
from tenure.git import process
from tenure.model import instants
from tenure.model.errors import Broken, TenureError, WrongUse
from tenure.work import beginning, holding, working
from tenure.work import session as sessions
from tenure.work.corpus import Corpus, find_root
from tenure.work.session import Session
from tenure.work.views import Views


def begin(args: argparse.Namespace) -> Session:
    """The session of a verb; `-C DIR` is honoured here. Settings are read strictly (R-X5). 9 where git is too old."""
    process.version()
    return sessions.begin(args.folder)


def corpus_of(session: Session) -> Corpus:
    """The corpus around the current folder, within this working tree. Broken (9) where there is none."""
    if session.place.top:
        return Corpus(find_root(os.getcwd()))
    try:
        return Corpus(find_root(session.place.git_dir))
    except Broken:
        raise beginning.bare_error() from None


def corpus_or_none(session: Session) -> Corpus | None:
    """The same for what works without one, too."""
    try:
        return corpus_of(session)
    except TenureError:
        return None


def begin_with(corpus: Corpus | None) -> str:
    """The command of somebody who holds nothing."""
    return "tenure claim --next" if corpus else "tenure init"


def commit_of(corpus: Corpus) -> str:
    """The command that commits what a verb wrote below `.ank/`; verbs themselves stage and commit nothing."""
    folder = os.path.relpath(os.path.join(corpus.root, ".ank"))
    return f"git add {shlex.quote(folder)} && git commit"


def warn_unreadable(session: Session, found: Views, out: Output) -> None:
    """A warning for each ref of the claim namespace that holds no record (R-C8)."""
    for view in found.tasks.values():
        if view.unreadable:
            out.warn(str(holding.unreadable_error(session, view.unreadable.ref, view.unreadable.why)))
    for odd in found.odd:
        out.warn(f"{odd.ref}: {odd.why}")


def end(session: Session, out: Output, warnings: tuple[str, ...] = ()) -> None:
    """Say the verb's own warnings, then what hooks and the background had to say; start what waits (R-H4, R-C3)."""
    for text in (*warnings, *working.finish(session)):
        out.warn(text)


def duration(text: str | None, flag: str, right: str) -> int | None:
    """Seconds of a flag's value. WrongUse (1), with the command written right."""
    if text is None:
        return None
    try:
        return instants.duration(text)
    except ValueError as wrong:
        raise WrongUse(f"{flag}: {wrong}", right) from None


def instant(at: int | None) -> str | None:
    """The record's text of an instant, for a document."""
    return None if at is None else instants.text_of(at)
