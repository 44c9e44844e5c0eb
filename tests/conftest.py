"""A sealed process for every test, and the world that most of them live in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support import World


@pytest.fixture(autouse=True)
def sealed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the developer's, and none of a git that may be running these tests, reaches a test."""
    for name in list(os.environ):
        if name.startswith(("GIT_", "ANK_", "TENURE_")) or name in ("TENURE", "SKIP"):
            monkeypatch.delenv(name)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)
