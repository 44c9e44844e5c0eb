"""What is published: metadata, tables, example workflows, pinned packages, and the script that sets it all up."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from action.world import ROOT
from tenure.faces.action import inputs

START = ROOT / "src" / "tenure" / "faces" / "action" / "start.sh"
NEEDS = START.parent / "requirements.txt"
EXAMPLES = sorted((ROOT / "docs" / "workflows").glob("*.yml"))
OWN = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"[\w./-]+@[0-9a-f]{40}")


def load(path: Path) -> dict[Any, Any]:
    found: dict[Any, Any] = yaml.safe_load(path.read_text())
    return found


ACTION = load(ROOT / "action.yml")


def tool(name: str) -> str:
    """A program of this environment; without it the test would prove nothing, so it fails."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    assert found, f"{name} is not installed: pip install -e '.[dev]'"
    return found


def table(document: str, heading: str) -> list[list[str]]:
    """The cells of the first table below a heading."""
    part = document.split(f"\n{heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in part.split("\n") if line.startswith("|")][2:]
    return [[cell.strip() for cell in row.strip("|").split(" |")] for row in rows]


@pytest.mark.parametrize("name", ["docs/action.md", "README.md"])
def test_the_tables_say_what_action_yml_says(name: str) -> None:
    """R-G7: where a document has them."""
    path = ROOT / name
    text = path.read_text() if path.exists() else ""
    if name != "docs/action.md" and "\n## Inputs\n" not in text:
        assert "docs/action.md" in text or not path.exists()
        return
    given = {row[0].strip("`"): row[1:] for row in table(text, "## Inputs")}
    assert given == {
        name: [f"`{one['default']}`" if one["default"] else "", one["description"]]
        for name, one in ACTION["inputs"].items()
    }
    told = {row[0].strip("`"): row[1] for row in table(text, "## Outputs")}
    assert told == {name: one["description"] for name, one in ACTION["outputs"].items()}


def test_every_input_is_mapped_by_hand_and_none_is_pasted_into_a_script() -> None:
    """R-G7, R-X3: the runner sets no INPUT_*, and what is pasted would be run."""
    mapped = {name: text for step in ACTION["runs"]["steps"] for name, text in step["env"].items()}
    assert {name: mapped[inputs.variable(name)] for name in ACTION["inputs"]} == {
        name: f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]
    }
    assert set(ACTION["inputs"]) == set(inputs.DEFAULTS)
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"]
        assert "GITHUB_ACTION_PATH" in step["run"]


def test_the_defaults_of_action_yml_are_those_of_the_code() -> None:
    """R-G7"""
    given = {inputs.variable(name): one["default"] for name, one in ACTION["inputs"].items() if name != "token"}
    assert inputs.read(given) == inputs.read({})


@pytest.mark.parametrize("path", [*EXAMPLES, *OWN], ids=lambda path: path.name)
def test_a_workflow_asks_for_the_least_and_is_pinned(path: Path) -> None:
    """R-G5: nothing for the whole workflow, something named for each job, every action by its hash."""
    found = load(path)
    assert found["permissions"] == {}
    assert found["concurrency"]["group"]
    for job in found["jobs"].values():
        assert job["permissions"]
        assert job["timeout-minutes"]
        for step in job["steps"]:
            uses = step.get("uses", "")
            assert not uses or uses == "./" or PINNED.fullmatch(uses), uses
            if uses.startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False


def test_the_recipe_for_forks_checks_out_nothing() -> None:
    """R-G5: with a token that may write, content of the pull request stays data."""
    text = (ROOT / "docs" / "workflows" / "pull-request-target.yml").read_text()
    [job] = yaml.safe_load(text)["jobs"].values()
    assert [step["uses"].partition("@")[0] for step in job["steps"]] == ["OWNER/tenure"]
    assert not any("run" in step for step in job["steps"])
    assert job["permissions"] == {"contents": "read", "pull-requests": "write"}


def test_zizmor_finds_nothing_of_medium_or_higher() -> None:
    """Issue 3: offline."""
    paths = [str(path) for path in (ROOT / "action.yml", *OWN, *EXAMPLES)]
    words = [tool("zizmor"), "--offline", "--no-progress", "--min-severity=medium", *paths]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No findings" in done.stdout + done.stderr


def test_action_and_workflows_fit_their_schemas() -> None:
    """Issue 3: the schemas that check-jsonschema brings along."""
    check = tool("check-jsonschema")
    for schema, paths in (
        ("vendor.github-actions", [ROOT / "action.yml"]),
        ("vendor.github-workflows", [*OWN, *EXAMPLES]),
    ):
        words = [check, "--builtin-schema", schema, *map(str, paths)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


def test_every_package_is_pinned_by_hash_for_every_system() -> None:
    """Part 1 of issue 3: pygit2 and PyYAML are compiled, so one hash would be one system's."""
    blocks = re.split(r"\n(?=\w)", NEEDS.read_text().split("\n#")[-1].partition("\n")[2])
    names = {block.partition("==")[0]: block.count("--hash=sha256:") for block in blocks if "==" in block}
    assert set(names) == {
        "certifi", "cffi", "charset-normalizer", "idna", "pycparser", "pygit2", "pyyaml", "requests", "urllib3",
    }  # fmt: skip
    assert all(names.values())
    assert min(names["pygit2"], names["pyyaml"], names["cffi"]) > 20
    for line in NEEDS.read_text().splitlines():
        assert not line or line.startswith(("#", "    --hash=sha256:")) or "==" in line


def start(folder: Path, path: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    """Run the set-up as the runner does, in a folder that is the change under review."""
    (folder / "temp").mkdir(exist_ok=True)
    (folder / "work").mkdir(exist_ok=True)
    kept = {name: text for name, text in os.environ.items() if name.startswith("PIP_") or name in ("HOME", "PATH")}
    env = {**kept, "RUNNER_TEMP": str(folder / "temp"), "GITHUB_OUTPUT": str(folder / "output"), **more}
    env["PATH"] = path or env["PATH"]
    bash = shutil.which("bash") or "bash"
    return subprocess.run(
        [bash, str(START)], cwd=folder / "work", env=env, capture_output=True, text=True, check=False, timeout=110
    )


def stand_in(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def bare_path(folder: Path) -> Path:
    """A PATH that holds what the script needs, and no Python."""
    place = folder / "bin"
    place.mkdir()
    for name in ("bash", "sh", "cat", "cksum", "dirname", "env"):
        (place / name).symlink_to(shutil.which(name) or name)
    return place


def test_no_python_is_one_clear_error(tmp_path: Path) -> None:
    """Part 1 of issue 3"""
    done = start(tmp_path, str(bare_path(tmp_path)))
    assert done.returncode == 1
    [line] = done.stdout.splitlines()
    assert line.startswith("::error title=tenure: no Python::Python 3.11 or newer")
    assert done.stderr == ""


def test_an_old_python_is_passed_over_for_a_newer_one(tmp_path: Path) -> None:
    """Part 1 of issue 3: python3 may be 3.10 where python3.12 stands beside it, or in the tool cache."""
    place = bare_path(tmp_path)
    stand_in(place, "python3", "exit 1")
    cache = tmp_path / "tools" / "Python" / "3.12.1" / "x64" / "bin"
    cache.mkdir(parents=True)
    stand_in(cache, "python3", f'echo "$@" >>{tmp_path}/asked; case "$*" in *"venv --clear"*) exit 1;; esac')
    done = start(tmp_path, str(place), RUNNER_TOOL_CACHE=str(tmp_path / "tools"))
    assert "::error title=tenure: no environment::" in done.stdout
    assert "-m venv --clear" in (tmp_path / "asked").read_text()


def test_the_python_that_was_named_is_the_only_one_tried(tmp_path: Path) -> None:
    """R-G7"""
    done = start(tmp_path, TENURE_INPUT_PYTHON=str(stand_in(tmp_path, "old", "exit 1")))
    assert done.returncode == 1
    assert "no Python" in done.stdout


def test_every_call_of_python_is_isolated_and_outside_the_checkout(tmp_path: Path) -> None:
    """R-G5: a `pip.py` in the change would otherwise be run with the token at hand."""
    log = tmp_path / "asked"
    made = f'mkdir -p "{tmp_path}/temp/tenure-python/bin"; cp "$0" "{tmp_path}/temp/tenure-python/bin/python"'
    text = f'echo "$PWD $1" >>{log}; case "$*" in *"venv --clear"*) {made};; esac'
    done = start(tmp_path, TENURE_INPUT_PYTHON=str(stand_in(tmp_path, "python", text)))
    assert done.returncode == 0, done.stdout + done.stderr
    assert set(log.read_text().splitlines()) == {f"{tmp_path}/temp -I"}
    assert len(log.read_text().splitlines()) >= 3
    assert (tmp_path / "output").read_text() == f"python={tmp_path}/temp/tenure-python/bin/python\n"


def test_packages_that_cannot_be_had_are_one_clear_error(tmp_path: Path) -> None:
    """Part 1 of issue 3: and the next run does not take the half-made environment for a whole one."""
    closed = {
        "PIP_INDEX_URL": "http://127.0.0.1:9/",
        "PIP_NO_INDEX": "1",
        "PIP_RETRIES": "0",
        "PIP_FIND_LINKS": "",
        "PIP_CONFIG_FILE": os.devnull,
    }
    done = start(tmp_path, **closed)
    assert done.returncode == 1
    assert "::error title=tenure: no packages::" in done.stdout
    assert not (tmp_path / "temp" / "tenure-python" / "ready").exists()


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="shellcheck is not installed")
def test_the_script_is_clean() -> None:
    """The house's lint for shell."""
    subprocess.run(["shellcheck", str(START)], check=True)


def test_the_examples_are_named_in_the_document() -> None:
    """Issue 3, part 6."""
    text = (ROOT / "docs" / "action.md").read_text()
    assert len(EXAMPLES) == 4
    assert all(f"workflows/{path.name}" in text for path in EXAMPLES)


def test_the_description_of_the_api_keeps_its_licence_and_stays_small() -> None:
    """Issue 3"""
    folder = Path(__file__).parent / "api"
    assert "MIT License" in (folder / "LICENSE.octokit-openapi").read_text()
    assert (folder / "github.json").stat().st_size < 300 * 1024
