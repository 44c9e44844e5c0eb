"""Step outputs as the runner reads them."""

from __future__ import annotations

import json
from pathlib import Path

from action.made import HOSTILE
from tenure.faces.action import outputs


def runner_reads(path: Path) -> dict[str, str]:
    """`name<<delimiter`, lines, the delimiter; what follows must begin a new output."""
    found, lines = {}, path.read_bytes().decode().split("\n")
    assert lines.pop() == "", "the last delimiter has no line end"
    while lines:
        name, mark, delimiter = lines.pop(0).partition("<<")
        assert mark
        value = []
        while lines[0] != delimiter:
            value.append(lines.pop(0))
        lines.pop(0)
        found[name] = "\n".join(value)
    return found


def test_each_output_stands_behind_a_delimiter_of_its_own(tmp_path: Path) -> None:
    """R-G7: a value with lines cannot end itself and begin another output."""
    path = tmp_path / "out"
    path.write_text("before<<x\n1\nx\n")
    outputs.write(str(path), {"a": "1\nb<<EOF\n2\nEOF", "c": HOSTILE.replace("\r", "")})
    assert runner_reads(path) == {"before": "1", "a": "1\nb<<EOF\n2\nEOF", "c": HOSTILE.replace("\r", "")}
    marks = [line.split("<<")[1] for line in path.read_text().split("\n") if "<<tenure_" in line]
    assert len(set(marks)) == 2


def test_no_output_file_is_no_error(tmp_path: Path) -> None:
    """R-G5: started by hand."""
    outputs.write(None, {"a": "1"})
    outputs.write("", {"a": "1"})


def test_an_array_is_ascii_json_on_one_line_and_cut_on_a_whole_row() -> None:
    """R-G6, R-G7."""
    rows = [{"task": f"TASK-{number:012x}", "holder": HOSTILE} for number in range(500)]
    text, cut = outputs.array(rows, 10_000)
    assert cut
    assert len(text) <= 10_000
    assert text.isascii()
    assert "\n" not in text
    assert json.loads(text) == rows[: len(json.loads(text))] != []
    assert outputs.array(rows[:3], 10_000) == (json.dumps(rows[:3], separators=(",", ":")), False)
    assert outputs.array([], 10) == ("[]", False)


def test_all_arrays_together_keep_within_the_platforms_size() -> None:
    """R-G6: the limit is the job's, so the first ones take from what the later ones may."""
    rows = [{"task": f"TASK-{number:012x}"} for number in range(100)]
    found, cut = outputs.arrays({"a": rows, "b": rows, "c": []}, 4000)
    assert cut
    assert json.loads(found["a"]) == rows
    assert 0 < len(json.loads(found["b"])) < len(rows)
    assert sum(len(text) for text in found.values()) <= 4002
    assert found["c"] == "[]"
