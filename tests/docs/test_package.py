"""What is released installs and runs in a clean environment (needs a package index; skipped where there is none)."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import tenure
from hooks.ground import ROOT, Ground

pytestmark = pytest.mark.slow
LIMIT = 900


def _run(*words: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=LIMIT, check=False)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel and the sdist of this checkout."""
    folder = tmp_path_factory.mktemp("build")
    venv.create(folder / "venv", with_pip=True)
    got = _run(folder / "venv/bin/pip", "install", "-q", "hatchling")
    if got.returncode:
        pytest.skip(f"no package index in reach: {got.stderr.strip().splitlines()[-1:]}")
    made = _run(folder / "venv/bin/hatchling", "build", "-d", folder / "dist")
    assert made.returncode == 0, made.stderr
    (wheel,) = (folder / "dist").glob("*.whl")
    (sdist,) = (folder / "dist").glob("*.tar.gz")
    return wheel, sdist


def test_the_wheel_holds_the_package_its_shims_and_nothing_else(built: tuple[Path, Path]) -> None:
    """Typed, licensed, three runtime dependencies, the hooks inside."""
    with zipfile.ZipFile(built[0]) as wheel:
        names = wheel.namelist()
        (name,) = [one for one in names if one.endswith("METADATA")]
        metadata = wheel.read(name).decode()
    tops = {one.split("/")[0] for one in names}
    assert tops == {"tenure", f"tenure-{tenure.__version__}.dist-info"}
    for event in ("pre-commit", "pre-push", "commit-msg"):
        assert f"tenure/shims/{event}" in names
    assert "tenure/py.typed" in names and any(one.endswith("LICENSE") for one in names)
    needed = [line for line in metadata.splitlines() if line.startswith("Requires-Dist") and "extra ==" not in line]
    assert [re.split(r"[ <>=]", line)[1] for line in needed] == ["pygit2", "pyyaml", "requests"]


def test_the_sdist_holds_what_the_tests_need(built: tuple[Path, Path]) -> None:
    """`make test` works from it as from a checkout."""
    with tarfile.open(built[1]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    listed = _run("git", "ls-files").stdout.split("\n")
    folders = ("src/", "hooks/", "tests/", "docs/", "bench/")
    wanted = [one for one in listed if one.startswith(folders)] or ["Makefile"]
    wanted += ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE", "Makefile", "action.yml"]
    assert [one for one in wanted if one not in names and (ROOT / one).exists()] == []


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_in_a_clean_environment_the_whole_story_runs(built: tuple[Path, Path], kind: str, tmp_path: Path) -> None:
    """Install with pip, both commands, the demo with its hooks."""
    venv.create(tmp_path / "venv", with_pip=True)
    got = _run(tmp_path / "venv/bin/pip", "install", "-q", built[0] if kind == "wheel" else built[1])
    assert got.returncode == 0, got.stderr
    ground = Ground(tmp_path)
    env = {"PATH": f"{tmp_path / 'venv/bin'}:{ground.environment()['PATH']}"}
    said = ground.run("tenure", "--version", cwd=tmp_path, env=env).stdout
    assert said == f"tenure {tenure.__version__}\n"
    ground.run("git", "tenure", "help", cwd=tmp_path, env=env)
    ground.run("tenure", "demo", "--quiet", cwd=tmp_path, env=env)


def test_a_newcomer_gets_to_the_first_renewed_lease_and_out_again(built: tuple[Path, Path]) -> None:
    """Seven commands at most, one page; after `uninit` 0 hooks, 0 keys, 0 refs but claims, 0 files."""
    done = _run(sys.executable, ROOT / "bench/first_five_minutes.py", built[0])
    assert done.returncode == 0, done.stdout + done.stderr
    seconds, typed = re.findall(r"(\d+) s, (\d+) commands typed, 1 page opened", done.stdout)[0]
    assert int(typed) <= 7 and int(seconds) < 300
    assert "after uninit: 0 hooks, 0 keys, 0 refs, 0 files left" in done.stdout
