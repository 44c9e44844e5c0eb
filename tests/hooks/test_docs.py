"""The table in docs/hooks.md names a test for each kind, and the tests are there."""

from __future__ import annotations

import re

from hooks.ground import ROOT


def test_every_kind_has_a_row_and_every_test_in_it_exists() -> None:
    """Issue "Shown by": a test per kind B1 to B40, named by it, and a table that says which."""
    rows = re.findall(r"(?m)^\| B(\d+) (.*) \| (.*) \| (.*) \|$", (ROOT / "docs" / "hooks.md").read_text())
    assert [int(row[0]) for row in rows] == list(range(1, 41))
    tests = "\n".join(path.read_text() for path in (ROOT / "tests" / "hooks").glob("test_*.py"))
    for number, _, _, proof in rows:
        assert f"`test_b{int(number):02}" in proof
        for name in re.findall(r"`(test_\w+)`", proof):
            assert f"def {name}" in tests
