"""What most verbs begin with: the session, the corpus, and paths as the corpus sees them."""

from __future__ import annotations

import argparse
import os

from tenure.model import scope
from tenure.model.instants import text_of
from tenure.model.record import Claim
from tenure.work import corpus as corpora
from tenure.work import session as sessions
from tenure.work.corpus import Corpus
from tenure.work.session import Session


def here(args: argparse.Namespace) -> tuple[Session, Corpus]:
    """The session of this command and the corpus around the current folder (9 where either is missing)."""
    session = sessions.begin(args.folder)
    return session, Corpus(corpora.find_root(os.getcwd()))


def path_of(corpus: Corpus, text: str | None) -> str | None:
    """A path as typed, from the corpus' folder and in normal form. WrongUse (1) where it leads out of it."""
    if text is None:
        return None
    inside = os.path.relpath(os.getcwd(), corpus.root)
    absolute = text.startswith(("/", "\\")) or text[1:2] == ":"
    return scope.normal_path(text if inside == "." or absolute else f"{inside}/{text}")


def end_of(claim: Claim | None) -> str | None:
    """`lease_expires_at` of a document."""
    return text_of(claim.expires) if claim else None
