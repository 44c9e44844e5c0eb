from __future__ import annotations

import fcntl
import subprocess
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


@pytest.fixture
def node(ground: Ground, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """lefthook and husky from npm, fetched once for all workers of a run."""
    ground.tool("npm")
    ground.tool("node")
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if hasattr(request.config, "workerinput") else shared
    with (shared / "npm.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        place = shared / "npm"
        if not (place / "done").exists():
            place.mkdir(exist_ok=True)
            (place / "done").write_text(_fetch(place))
    if wrong := (place / "done").read_text():
        pytest.skip(f"npm cannot fetch lefthook and husky: {wrong}")
    return place / "node_modules" / ".bin"


def _fetch(place: Path) -> str:
    """Install them there; why it did not work, or nothing. Tried once in a run, and not for long."""
    (place / "package.json").write_text("{}")
    words = ["npm", "install", "--no-audit", "--no-fund", "--fetch-retries=0", "--prefix", str(place)]
    try:
        done = subprocess.run(
            [*words, "lefthook@2", "husky@9"], cwd=place, capture_output=True, text=True, timeout=120, check=False
        )
    except subprocess.TimeoutExpired:
        return "no answer in time"
    return done.stderr[-200:] if done.returncode else ""
