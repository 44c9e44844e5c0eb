"""What a hook sees of a task file."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenure.model import frontmatter, strict_yaml
from tenure.model.glance import Glance, glance

FILE = b"""---
id: TASK-0f1e2d3c4b5a
title: Rotate keys
status: in_progress
scope:
  - src/keys/**
done_criteria: |
  Every key is younger than a day
proof:
  - type: commit
    ref: abc
    criteria: 03c659e46adf
version: 1
---
"""


def test_it_sees_status_criterion_scope_proofs_and_their_lines() -> None:
    """R-F1, R-F2, R-K1."""
    assert glance(FILE) == Glance(
        True,
        "in_progress",
        "Every key is younger than a day\n",
        ("src/keys/**",),
        "Rotate keys",
        ("03c659e46adf",),
        7,
        4,
        is_block=True,
    )
    assert glance(FILE.replace(b"\n", b"\r\n")) == glance(FILE)


@pytest.mark.parametrize(
    "form",
    [
        b"done_criteria: Every key is younger than a day\n",
        b'done_criteria: "Every key is younger than a day"\n',
        b"done_criteria: >-\n  Every key is\n  younger than a day\n",
        b"done_criteria: |-\n     Every key is younger than a day\n",
        b"'done_criteria': |2-\n  Every key is younger than a day\n",
    ],
)
def test_every_other_form_of_the_same_text_is_the_same_criterion(form: bytes) -> None:
    """R-X6."""
    seen = glance(FILE.replace(b"done_criteria: |\n  Every key is younger than a day\n", form))
    assert seen.criterion == "Every key is younger than a day"
    assert seen.criterion_line == 7


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"version: 1", b"version: 1\ndone_criteria: x"),
        (b"---\n", b""),
        (b"\n---\n", b"\n"),
        (b"title: R", b"title: [R"),
        (b"Rotate", b"\xff"),
    ],
)
def test_a_broken_file_is_not_readable(old: bytes, new: bytes) -> None:
    """R-F1: making it unreadable is an edit."""
    assert glance(FILE.replace(old, new)) == Glance(False)


@pytest.mark.parametrize(
    "form", [b"", b"done_criteria:\n", b"done_criteria: ~\n", b"done_criteria: [a]\n", b"done_when: |\n  x\n"]
)
def test_a_criterion_that_is_gone_is_none(form: bytes) -> None:
    """R-F1: moving it to another key is an edit."""
    seen = glance(FILE.replace(b"done_criteria: |\n  Every key is younger than a day\n", form))
    assert seen.readable
    assert seen.criterion is None


LINES = st.sampled_from(
    [
        "done_criteria: |",
        "done_criteria: |-",
        "done_criteria: >",
        "done_criteria: x",
        "  a",
        "   b",
        "  ",
        "",
        "    ",
        " c",
        "\td",
        "status: open",
        "status: 'open'",
        "# e",
        "scope:",
        "  - f",
        "- g",
        "title: h",
        "  i: j",
        "...",
        "? k",
        "  # l",
        "\u00a0",
        "  m\u2028n",
    ]
)


@given(st.lists(LINES, max_size=9))
@settings(max_examples=800, deadline=None)
def test_on_generated_files_it_says_what_yaml_says(lines: list[str]) -> None:
    """R-X6: one reading of a criterion."""
    text = "---\n" + "".join(line + "\n" for line in lines) + "---\n"
    seen = glance(text.encode())
    try:
        front, _ = frontmatter.split(text)
        found = strict_yaml.load_texts(front)
    except ValueError:
        assert not seen.readable
        return
    wanted = found.get("done_criteria")
    assert seen.readable
    assert seen.criterion == (str(wanted) if isinstance(wanted, str) and not frontmatter.is_null(wanted) else None)


def test_a_canonical_file_is_seen_without_heavy_imports() -> None:
    """R-H6, R-X1."""
    code = (
        "import sys; from tenure.model import glance, scope, settings\n"
        f"assert glance.glance({FILE!r}).readable and scope.matches(['a/**'], 'a/b')\n"
        "settings.light_config('claim_ttl_max: 1h\\n')\n"
        "heavy = ('re', 'yaml', 'typing', 'dataclasses', 'json', 'enum', 'pathlib', 'contextlib')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-E", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{code}"],
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().strip() == "[]"
