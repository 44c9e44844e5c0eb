"""The table of faults is complete, and every test that it names is there (part 8, "no row without a test")."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLE = HERE.parent.parent / "docs" / "faults.md"


def rows() -> dict[int, list[str]]:
    """By number: the tests that a row names."""
    found = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if re.fullmatch(r"F\d+", cells[0]):
            assert len(cells) == 4 and all(cells), line
            found[int(cells[0][1:])] = re.findall(r"`(test_\w+)`", cells[3])
    return found


def named() -> set[str]:
    """Every test of this folder."""
    files = HERE.glob("test_*.py")
    return {name for file in files for name in re.findall(r"^def (test_\w+)\(", file.read_text("utf-8"), re.M)}


def test_the_table_has_every_class_and_every_row_a_test_that_exists() -> None:
    found, known = rows(), named()
    assert sorted(found) == list(range(1, 53))
    for number, names in found.items():
        assert names, f"F{number} names no test"
        assert set(names) <= known, f"F{number}: {set(names) - known}"


def test_every_test_of_a_fault_class_stands_in_its_row() -> None:
    found = rows()
    for name in named():
        number = re.match(r"test_f(\d\d)_", name)
        assert not number or name in found[int(number[1])], f"{name} is missing in its row"
