"""The inputs of the step."""

from __future__ import annotations

import pytest

from tenure.faces.action import inputs
from tenure.model.errors import WrongUse


def test_nothing_set_means_the_defaults() -> None:
    """R-G7: a composite action gets no INPUT_* from the runner."""
    found = inputs.read({})
    assert found == inputs.Inputs("", (), False, "error", 86400, False, False, 1000)


def test_what_a_runner_might_set_by_itself_is_not_read() -> None:
    """R-G7: INPUT_* exist under some local runners only; reading them would hide an input that is not mapped."""
    assert inputs.read({"INPUT_MODE": "prune", "INPUT_DRY-RUN": "true", "INPUT_DRY_RUN": "true"}) == inputs.read({})


def test_every_input_is_read_from_its_variable() -> None:
    """R-G7"""
    given = {
        "token": " ghs_x ",
        "mode": "Prune, guard",
        "dry-run": "TRUE",
        "fail-on": "warning",
        "sweep-after": "2d",
        "comment": "true",
        "check-run": "true",
        "max-operations": "7",
    }
    found = inputs.read({inputs.variable(name): text for name, text in given.items()})
    assert found == inputs.Inputs("ghs_x", ("guard", "prune"), True, "warning", 172800, True, True, 7)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mode", "everything"),
        ("mode", "auto,prune"),
        ("mode", "guard\n::error::x"),
        ("dry-run", "yes"),
        ("fail-on", "never"),
        ("sweep-after", "a day"),
        ("sweep-after", "0h"),
        ("comment", "1"),
        ("max-operations", "-1"),
        ("max-operations", "99999999"),
    ],
)
def test_an_input_that_cannot_be_read_is_named(name: str, text: str) -> None:
    """R-G7: a misspelt `dry-run` must not become a run that writes."""
    with pytest.raises(WrongUse, match=f"^input {name}: "):
        inputs.read({inputs.variable(name): text})
