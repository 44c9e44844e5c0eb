"""Paths as people type them, seen from the corpus' folder."""

from __future__ import annotations

import os

from tenure.model import scope
from tenure.work.corpus import Corpus


def path_of(corpus: Corpus, text: str | None) -> str | None:
    """A path as typed, from the corpus' folder and in normal form. WrongUse (1) where it leads out of it."""
    if text is None:
        return None
    inside = os.path.relpath(os.getcwd(), corpus.root)
    absolute = text.startswith(("/", "\\")) or text[1:2] == ":"
    return scope.normal_path(text if inside == "." or absolute else f"{inside}/{text}")
