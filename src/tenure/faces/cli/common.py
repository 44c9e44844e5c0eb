"""What most verbs begin and end with."""

from __future__ import annotations

import argparse
import os

from tenure.faces.cli.output import Output
from tenure.git import process
from tenure.model import instants
from tenure.model.errors import WrongUse
from tenure.work import session as sessions
from tenure.work import working
from tenure.work.corpus import Corpus, find_root
from tenure.work.session import Session


def begin(args: argparse.Namespace) -> Session:
    """The session of a verb; `-C DIR` is honoured here. Settings are read strictly (R-X5). 9 where git is too old."""
    process.version()
    return sessions.begin(args.folder)


def corpus_of(session: Session) -> Corpus:
    """The corpus around the current folder, within this working tree. Broken (9) where there is none."""
    return Corpus(find_root(os.getcwd() if session.place.top else session.place.git_dir))


def end(session: Session, out: Output, warnings: tuple[str, ...] = ()) -> None:
    """Say the verb's own warnings, then what hooks and the background had to say; start what waits (R-H4, R-C3)."""
    for text in (*warnings, *working.finish(session)):
        out.warn(text)


def duration(text: str | None, flag: str) -> int | None:
    """Seconds of a flag's value. WrongUse (1)."""
    if text is None:
        return None
    try:
        return instants.duration(text)
    except ValueError as wrong:
        raise WrongUse(f"{flag}: {wrong}", f"{flag} 30m") from None


def instant(at: int | None) -> str | None:
    """The record's text of an instant, for a document."""
    return None if at is None else instants.text_of(at)
