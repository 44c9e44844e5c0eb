"""Fixtures of the fault tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.kit import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A sealed world with an origin that holds two tasks."""
    return World(tmp_path / "w")
