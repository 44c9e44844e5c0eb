from __future__ import annotations

from pathlib import Path

import pytest

from hooks.ground import Ground
from team import Team


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return Team(Ground(tmp_path))
