"""Which paths a scope means."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenure.model import scope
from tenure.model.errors import WrongUse


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("src/*", "src/a/b.rs", True),
        ("*.md", "docs/a.md", True),
        ("src/**", "src/a", True),
        ("src/**", "src", False),
        ("src/**", "src/", True),
        ("**/*.rs", "a.rs", True),
        ("**/*.rs", "x/y/a.rs", True),
        ("**/a", "xa", False),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("a/**/b", "axb", False),
        ("a/**/**/b", "a/b", True),
        ("**/**/a", "a", True),
        ("a/**/**", "a/b", True),
        ("src", "src/a", False),
        ("src", "src", True),
        ("./src/**", "src/a", False),
        ("**", "any/thing", True),
        ("**", "", True),
        ("a**b", "axx/b", True),
        ("?", "/", True),
        ("?", "é", False),
        ("??", "é", True),
        ("[ab]c", "bc", True),
        ("[!a]c", "ac", False),
        ("[^a]c", "/c", True),
        ("[]]c", "]c", True),
        ("[a-]", "-", True),
        ("[-a]", "-", True),
        ("[a-c]", "b", True),
        (r"a\*b", "a*b", True),
        (r"a\*b", "axb", False),
        ("{a,b}/c", "b/c", True),
        ("{a,b}/c", "c/c", False),
        ("{**/a,b}", "x/a", True),
        ("x/{**,y}", "x/q", True),
        ("{,a}b", "b", False),
        ("{{a,b},c}d", "bd", True),
        ("a,b", "a,b", True),
        (".*", ".hidden", True),
        ("*", ".hidden", True),
        ("SRC", "src", False),
        ("a\nb", "a\nb", True),
        ("*", "a\nb", True),
        ("other:src/**", "src/a", False),
        ("other:src/**", "other:src/a", False),
        ("docs/a b.md", "docs/a b.md", True),
    ],
)
def test_a_glob_matches_as_the_table_says(glob: str, path: str, fits: bool) -> None:
    """Format page D."""
    assert scope.matches([glob], path) is fits


@pytest.mark.parametrize("glob", ["[", "{a", "a\\", "[c-a]", "a}", "[!", "[]", "{a,[}", "peer:["])
def test_what_is_no_glob_is_refused_with_its_text(glob: str) -> None:
    """Format page D."""
    with pytest.raises(scope.BadGlob, match=re.escape(glob.partition(":")[2] or glob)):
        scope.compile_glob(glob)
    assert scope.matches([glob, "ok"], "ok")


PIECES = {
    "a": "a", "b": "b", "/": "/", "*": ".*", "?": ".", "[ab]": "[ab]", "[!a]": "[^a]", "{a,b/}": "(?:a|b/)", "é": "é",
}  # fmt: skip


@given(st.lists(st.sampled_from(sorted(PIECES)), max_size=6), st.text("ab/", max_size=8))
@settings(max_examples=600, deadline=None)
def test_globs_without_double_stars_agree_with_their_regular_expression(pieces: list[str], path: str) -> None:
    """Format page D: the shapes it gives."""
    glob = "".join(pieces)
    if "**" in glob:
        return
    wanted = re.fullmatch("".join(PIECES[piece] for piece in pieces), path, re.S)
    assert scope.matches([glob], path) is (wanted is not None)


@given(
    st.lists(st.sampled_from(["a", "b", "/", "*", "**", "**/", "/**", "/**/", "?", "{a,**}"]), max_size=7),
    st.text("ab/", max_size=9),
)
@settings(max_examples=400, deadline=None)
def test_no_pattern_breaks_the_matcher(pieces: list[str], path: str) -> None:
    """R-X6: hostile globs cost little and raise nothing."""
    scope.matches(["".join(pieces)], path)


def test_a_hostile_glob_takes_no_longer_than_its_length_times_the_path() -> None:
    """Format page D: no backtracking."""
    assert not scope.matches(["*a" * 60 + "c"], "a" * 4000)


def test_a_folder_is_covered_when_it_matches_or_a_glob_begins_inside_it() -> None:
    """Format page D."""
    assert scope.covers_dir(["src/auth/**"], "src")
    assert scope.covers_dir(["src/auth/**"], "src/auth")
    assert scope.covers_dir(["*"], "anything")
    assert not scope.covers_dir(["src/auth/**"], "docs")
    assert not scope.covers_dir(["srcs/a"], "src")


@pytest.mark.parametrize(
    ("text", "found"), [("a\\b", "a/b"), ("./a//b/", "a/b"), ("a/../b", "b"), (".", ""), ("a/./b/..", "a")]
)
def test_a_path_has_one_normal_form(text: str, found: str) -> None:
    """Format page D."""
    assert scope.normal_path(text) == found


@pytest.mark.parametrize("text", ["/etc", "../x", "a/../../b", "C:/x", "\\\\host\\x"])
def test_a_path_that_leaves_the_repository_is_refused(text: str) -> None:
    """Format page D: 1."""
    with pytest.raises(WrongUse):
        scope.normal_path(text)


@pytest.mark.parametrize(
    ("ours", "theirs", "met"),
    [
        (["src/**"], ["src/**"], "src/**"),
        (["src/**"], ["src/auth/**"], "src/auth/**"),
        (["src/auth/**"], ["src/**"], "src/auth/**"),
        (["src"], ["src/a.py"], "src/a.py"),
        (["src/a.py"], ["src/**"], "src/a.py"),
        (["src/a.py"], ["src/*.rs"], None),
        (["docs/**"], ["src/**"], None),
        (["src2/**"], ["src/**"], None),
        (["peer:src/**"], ["src/**"], None),
        (["docs/**", "src/x"], ["src/x"], "src/x"),
        (["*.md"], ["src/**"], "src/**"),
    ],
)
def test_two_scopes_meet_where_one_lies_in_the_other(ours: list[str], theirs: list[str], met: str | None) -> None:
    """Format page D, R-K5."""
    assert scope.overlap(ours, theirs) == met


def test_braces_nested_without_end_are_no_glob_and_match_nothing() -> None:
    """R-H4: a scope comes from a file that anybody may write, and a hook reads it before it refuses."""
    deep = "{" * 3000 + "a" + "}" * 3000
    assert not scope.matches([deep], "a")
    with pytest.raises(scope.BadGlob):
        scope.compile_glob(deep)
