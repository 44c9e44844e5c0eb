from __future__ import annotations

from pathlib import Path

import pytest

from verbs.world import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path)
