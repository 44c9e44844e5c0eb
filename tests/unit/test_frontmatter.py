"""The frontmatter: read by hand and by YAML alike, written as the format writes it."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tenure.model import criteria, frontmatter, strict_yaml

# What a line may be made of: every character that means something to YAML, and some that do not.
YAMLISH = st.text(st.sampled_from(" ab0-:#|>'\"[]{},&*!%@`\\~?=.\té\u00a0\u2028\x07"), max_size=12)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Rotate keys", "Rotate keys"),
        ("a: b", '"a: b"'),
        ("a:b", "a:b"),
        ("a #b", '"a #b"'),
        ("a#b", "a#b"),
        ("ends:", '"ends:"'),
        ("ends ", '"ends "'),
        ("", '""'),
        ("- x", '"- x"'),
        ("-x", '"-x"'),
        ("@x", '"@x"'),
        ("yes", '"yes"'),
        ("Yes", "Yes"),
        ("on", "on"),
        ("True", "True"),
        ("null", '"null"'),
        ("12", '"12"'),
        ("1e999999", '"1e999999"'),
        (".5", '".5"'),
        ("1.", '"1."'),
        ("InFinity", '"InFinity"'),
        ("+nan", '"+nan"'),
        ("1_000", "1_000"),
        ("0x10", "0x10"),
        ('say "hi" \\ now', 'say "hi" \\ now'),
        ('"hi"', '"\\"hi\\""'),
        ("a\nb", '"a\\nb"'),
        ("2026-11-30T08:15:00Z", "2026-11-30T08:15:00Z"),
    ],
)
def test_a_scalar_is_quoted_exactly_where_the_format_quotes_it(text: str, written: str) -> None:
    """Format page C."""
    assert frontmatter.scalar(text) == written


@given(st.text(st.characters(exclude_categories=["Cs"])) | YAMLISH)
@example("a\t#b")
@example("a:\tb")
@example("a\t")
@example("a\u2028b")
@settings(max_examples=300, deadline=None)
def test_what_the_writer_writes_reads_back_the_same(text: str) -> None:
    """Format page C: scalars, items and the values of mappings, whatever a file may hold behind escapes."""
    written = "\n".join([f"title: {frontmatter.scalar(text)}", *frontmatter.seq("scope", [text])]) + "\n"
    found = strict_yaml.load_texts(written)
    assert found == {"title": text, "scope": [text]}
    assert frontmatter.read(written) == found


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["title", "status", "done_criteria", "scope"]), YAMLISH, st.lists(YAMLISH, max_size=3)
        )
    )
)
@settings(max_examples=600, deadline=None)
def test_the_reading_by_hand_is_the_reading_of_yaml(fields: list[tuple[str, str, list[str]]]) -> None:
    """R-X6: whatever stands there, both say the same or the hand says nothing."""
    lines = [line for key, rest, more in fields for line in [f"{key}:{rest}", *["  " + text for text in more]]]
    front = "".join(line + "\n" for line in lines)
    quick = frontmatter._by_hand(front)
    if quick is not None:
        assert quick == strict_yaml.load_texts(front)


@given(
    st.sampled_from(["|", "|-"]),
    st.lists(st.text(st.sampled_from(" ab-#:"), max_size=6), max_size=6),
    st.sampled_from(["schema: 4\n", ""]),
)
@settings(max_examples=600, deadline=None)
def test_a_block_at_two_spaces_is_read_as_yaml_reads_it(mark: str, lines: list[str], tail: str) -> None:
    """R-X6: blanks, blank lines and deeper lines included."""
    front = f"done_criteria: {mark}\n" + "".join(f"  {line}\n" for line in lines) + tail
    quick = frontmatter._by_hand(front)
    if quick is not None:
        assert quick == strict_yaml.load_texts(front)
    elif not any(line.startswith(" ") for line in lines):
        pytest.fail("a canonical block was left to YAML")


@given(st.text(max_size=8))
@settings(max_examples=500, deadline=None)
def test_what_is_said_to_be_carried_is_carried(text: str) -> None:
    """R-X6: a text that the guard lets through comes back with its own hash."""
    if criteria.why_not_carried(text) is not None:
        return
    front = "\n".join(frontmatter.block("done_criteria", text)) + "\nschema: 4\n"
    found = strict_yaml.load_texts(front)["done_criteria"]
    assert criteria.freeze_hash(str(found)) == criteria.freeze_hash(text)
    assert frontmatter.read(front)["done_criteria"] == found


BLANK_FIRST = [" a", "\ta", "\n\n a", "   \na"]
ODD = ["a\rb", "a\x85b", "a\u2028b", "a\ufeffb", "a\x00", "a\ud800"]


@pytest.mark.parametrize("text", [*BLANK_FIRST, *ODD], ids=ascii)
def test_what_a_block_cannot_carry_is_named(text: str) -> None:
    """R-X6."""
    assert criteria.why_not_carried(text) is not None


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | YAMLISH)
@example("  lead\nx")
@example("\n   \n a\n")
@example("a\x85b")
@settings(max_examples=500, deadline=None)
def test_a_rewritten_block_keeps_its_hash_whatever_the_text(text: str) -> None:
    """R-F1, R-X4: a file from elsewhere may hold a criterion that the format's own block cannot."""
    front = "\n".join(frontmatter.block("done_criteria", text)) + "\nschema: 4\n"
    found = frontmatter.read(front)
    assert criteria.freeze_hash(str(found["done_criteria"])) == criteria.freeze_hash(text)
    assert found["schema"] == "4"


@pytest.mark.parametrize(("line", "text"), [("a\tb", "a\tb"), ("a \t b", "a \t b"), ("a\tb\t", "a\tb"), ("a\t#b", "a")])
def test_a_tab_in_a_plain_scalar_is_read_as_the_format_reads_it(line: str, text: str) -> None:
    """Format page C: its writer leaves a tab without quotes."""
    assert frontmatter.read(f"title: {line}\nschema: 4\n") == {"title": text, "schema": "4"}


def test_the_canonical_form_needs_no_yaml() -> None:
    """R-X1: the quiet path of a hook imports nothing for it."""
    front = (
        'id: TASK-0123456789ab\ntitle: "a: b"\nscope:\n  - src/**\nblocked_by: [TASK-0123456789ac, x@y]\n'
        "done_criteria: |\n  one\n    two\n  \n  three\nproof:\n  - type: test\n    ref: local/1@2\nversion: 1\n"
    )
    found = frontmatter._by_hand(front)
    assert found is not None
    assert found["done_criteria"] == "one\n  two\n\nthree\n"
    assert found["proof"] == [{"type": "test", "ref": "local/1@2"}]
    assert found["blocked_by"] == ["TASK-0123456789ac", "x@y"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("\ufeff---\na: b\n---\n", "byte order mark"),
        ("a: b\n---\n", "does not begin"),
        ("---\na: b\n", "never closed"),
        ("---\na: b\n----\n", "never closed"),
    ],
)
def test_a_file_that_is_none_says_why(text: str, reason: str) -> None:
    """Format page C."""
    with pytest.raises(ValueError, match=reason):
        frontmatter.split(text)


def test_the_body_is_kept_verbatim_and_a_missing_last_line_end_is_read() -> None:
    """Format page C (PR #469)."""
    assert frontmatter.split("---\na: b\n---\n\n x\n---\n") == ("a: b\n", "\n x\n---\n")
    assert frontmatter.split("---\na: b\n---") == ("a: b\n", "")


@pytest.mark.parametrize(
    "front", ["a: 1\na: 2\n", "a: |\n  x\na: |\n  y\n", "a: &x 1\nb: *x\n", "- a\n", "a: [\n", "<<<<<<< HEAD\n"]
)
def test_duplicate_keys_aliases_and_other_shapes_are_refused(front: str) -> None:
    """R-X6."""
    with pytest.raises(ValueError, match=r"duplicate|anchors|mapping|YAML"):
        frontmatter.read(front)
