"""Every rule of the design has a test that names it, and a small fault in the source that some test must notice."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from mutants import SRC
from mutations import MUTANTS

ROOT = Path(__file__).resolve().parent
RULES = {
    "R-I1": "identity: variable, setting, user and host",
    "R-I2": "kinds of identities; nobody is refused for one",
    "R-I3": "identities that could break a line are refused where they are set",
    "R-I4": "one live claim for an identity",
    "R-I5": "a regrant adopts; one fresh grant exists",
    "R-L1": "the granted length and its caps",
    "R-L2": "live until the end and two minutes",
    "R-L3": "a renewal never shortens and keeps every byte",
    "R-L4": "what renews and what does not",
    "R-L5": "what touches the held task",
    "R-L6": "lapsed, swept, taken over",
    "R-L7": "a terminal transition drops the lease",
    "R-L8": "the end is told; hooks are quiet",
    "R-L9": "clocks",
    "R-C1": "expected old values; nothing else is sent or fetched",
    "R-C2": "outcomes are judged by what origin holds",
    "R-C3": "what waits",
    "R-C4": "token and generation",
    "R-C5": "claim: effects, refusals, hand-over, next",
    "R-C6": "release",
    "R-C7": "done",
    "R-C8": "unreadable records",
    "R-C9": "close",
    "R-C10": "worktrees; clones without an origin",
    "R-F1": "an edit of the frozen criterion",
    "R-F2": "what freezes",
    "R-F3": "judged by state, blamed by commit",
    "R-F4": "what a refusal says",
    "R-K1": "a contest",
    "R-K2": "one event for each",
    "R-K3": "who acted",
    "R-K4": "trailers",
    "R-K5": "overlap",
    "R-K6": "when a contest becomes an event",
    "R-A1": "the feed is a tree that merges as a union",
    "R-A2": "kinds of events",
    "R-A3": "fields of events",
    "R-A4": "the outbox",
    "R-A5": "activity and board",
    "R-H1": "what the hooks judge; the guard of the claim refs",
    "R-H2": "a commit never waits for the network",
    "R-H3": "a push and the network",
    "R-H4": "what cannot be verified goes through",
    "R-H5": "nothing but our refs and folders is written",
    "R-H6": "the quiet path",
    "R-H7": "installed beside what is there",
    "R-H8": "skipping",
    "R-G1": "modes of the Action",
    "R-G2": "prune",
    "R-G3": "sweep",
    "R-G4": "guard and contest in the Action",
    "R-G5": "degrading",
    "R-G6": "limits and dry runs",
    "R-G7": "inputs, outputs, summary",
    "R-G8": "comment and check run",
    "R-X1": "one door to git; imports of the hook path",
    "R-X2": "ids are checked before they become refs or paths",
    "R-X3": "foreign text is neutralised at its sink",
    "R-X4": "atomic writes and locks",
    "R-X5": "unknown settings are named",
    "R-X6": "one reading of a criterion",
}
WITHOUT_MUTANT = {"R-H7", "R-X1"} | {rule for rule in RULES if rule.startswith("R-G")}


def named() -> dict[str, list[str]]:
    """Every rule that a test's docstring names, and the tests that do."""
    found: dict[str, list[str]] = {}
    for path in sorted(ROOT.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for rule in re.findall(r"R-[A-Z]\d+", ast.get_docstring(node) or ""):
                    found.setdefault(rule, []).append(f"{path.relative_to(ROOT)}::{node.name}")
    return found


@pytest.fixture(scope="module")
def tests_of() -> dict[str, list[str]]:
    return named()


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_named_by_a_test(tests_of: dict[str, list[str]], rule: str) -> None:
    """§ all: the docstring of a test names the rules that it proves."""
    assert tests_of.get(rule), f"no test names {rule} ({RULES[rule]})"


def test_no_test_names_a_rule_that_does_not_exist(tests_of: dict[str, list[str]]) -> None:
    """A number that is no rule is a slip of the pen."""
    assert {rule: tests for rule, tests in tests_of.items() if rule not in {*RULES, "R-H9"}} == {}


@pytest.mark.parametrize("rule", sorted(RULES.keys() - WITHOUT_MUTANT))
def test_every_rule_has_a_fault_that_is_looked_for(rule: str) -> None:
    """`python tests/mutants.py` breaks it, and some test must go red."""
    assert any(one.rule == rule for one in MUTANTS)


@pytest.mark.parametrize("number", range(len(MUTANTS)))
def test_each_fault_still_fits_the_source_and_names_tests_that_exist(number: int) -> None:
    """A fault that fits nowhere proves nothing."""
    one = MUTANTS[number]
    assert (SRC / one.file).read_text("utf-8").count(one.old) == 1, f"{one.rule}: {one.file}: {one.old!r}"
    for test in one.tests:
        path, _, name = test.partition("::")
        assert f"def {name.partition('[')[0]}(" in (ROOT / path).read_text("utf-8"), test
