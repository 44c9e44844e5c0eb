"""The settings that a corpus carries with it."""

from __future__ import annotations

import os

from tenure.model import settings
from tenure.model.settings import Config
from tenure.work.corpus import Corpus


def config(corpus: Corpus) -> Config:
    """`.ank/config.yml`, the defaults where there is none. WrongUse (1) where it cannot be read."""
    try:
        with open(os.path.join(corpus.root, settings.CONFIG), encoding="utf-8", errors="replace") as file:
            text = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return Config()
    return settings.parse_config(text)
