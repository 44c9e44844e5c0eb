"""The inputs of the step (R-G7), from `TENURE_INPUT_*`, which action.yml maps one by one.

The runner sets no INPUT_* in a composite action, so none is read.
"""

from __future__ import annotations

from collections.abc import Mapping

from tenure.model import instants
from tenure.model.errors import WrongUse
from tenure.model.value import value

PREFIX = "TENURE_INPUT_"
MODES = ("guard", "contest", "prune", "sweep", "report")
FAIL_ON = ("error", "warning", "none")
DEFAULTS = {
    "token": "",
    "mode": "auto",
    "dry-run": "false",
    "fail-on": "error",
    "sweep-after": "24h",
    "comment": "false",
    "check-run": "false",
    "max-operations": "1000",
    "python": "",
}


@value
class Inputs:
    """`modes` is empty for `auto`; `sweep_after` in seconds."""

    token: str
    modes: tuple[str, ...]
    dry_run: bool
    fail_on: str
    sweep_after: int
    comment: bool
    check_run: bool
    max_operations: int


def read(environment: Mapping[str, str]) -> Inputs:
    """The inputs, blank ones as their defaults. WrongUse (1) naming the input that cannot be read."""

    def given(name: str) -> str:
        return environment.get(variable(name), "").strip() or DEFAULTS[name]

    return Inputs(
        token=given("token"),
        modes=_modes(given("mode")),
        dry_run=_flag("dry-run", given("dry-run")),
        fail_on=_choice("fail-on", given("fail-on"), FAIL_ON),
        sweep_after=_duration("sweep-after", given("sweep-after")),
        comment=_flag("comment", given("comment")),
        check_run=_flag("check-run", given("check-run")),
        max_operations=_number("max-operations", given("max-operations")),
    )


def variable(name: str) -> str:
    """`dry-run` → `TENURE_INPUT_DRY_RUN`."""
    return PREFIX + name.upper().replace("-", "_")


def _modes(text: str) -> tuple[str, ...]:
    words = [word.strip().lower() for word in text.split(",") if word.strip()]
    if words == ["auto"]:
        return ()
    for word in words:
        _choice("mode", word, ("auto", *MODES))
    if "auto" in words:
        raise _wrong("mode", text, "auto stands alone")
    return tuple(mode for mode in MODES if mode in words)


def _choice(name: str, text: str, among: tuple[str, ...]) -> str:
    if text.lower() not in among:
        raise _wrong(name, text, f"one of {', '.join(among)}")
    return text.lower()


def _flag(name: str, text: str) -> bool:
    return _choice(name, text, ("true", "false")) == "true"


def _duration(name: str, text: str) -> int:
    try:
        return instants.duration(text)
    except ValueError:
        raise _wrong(name, text, "a duration as 30m, 24h or 2d") from None


def _number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 8):
        raise _wrong(name, text, "a whole number")
    return int(text)


def _wrong(name: str, text: str, wanted: str) -> WrongUse:
    return WrongUse(f"input {name}: {text!r} is not {wanted}")
