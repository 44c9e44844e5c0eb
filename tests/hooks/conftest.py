from __future__ import annotations

from pathlib import Path

import pytest

from hooks.ground import Engine, Ground, Repo
from hooks.scene import Scene


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


@pytest.fixture
def repo(ground: Ground) -> Repo:
    return ground.repo()


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return Engine(tmp_path / "engine")


@pytest.fixture
def scene(ground: Ground) -> Scene:
    return Scene(ground)
