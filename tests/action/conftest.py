"""Fixtures of the Action's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from action.fake_github import FakeGitHub


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    server = FakeGitHub()
    yield server
    server.close()
