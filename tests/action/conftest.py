"""Fixtures of the Action's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from action.fake_github import FakeGitHub
from action.world import World


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    server = FakeGitHub()
    yield server
    server.close()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.close()
