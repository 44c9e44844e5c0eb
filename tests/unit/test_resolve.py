"""From what a person typed to an id."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model import resolve
from tenure.model.errors import NotFound

KNOWN = ["TASK-0f1e2d3c4b5a", "TASK-0f1eaaaaaaaa", "ADR-0f1e2d3c4b5b", "LOG-77770000aaaa"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("0f1ea", "TASK-0f1eaaaaaaaa"),
        ("TASK-0f1e2", "TASK-0f1e2d3c4b5a"),
        ("TASK-0F1E2", "TASK-0f1e2d3c4b5a"),
        ("ADR-0f1e", "ADR-0f1e2d3c4b5b"),
        ("7777", "LOG-77770000aaaa"),
        ("0f1e2d3c4b5b", "ADR-0f1e2d3c4b5b"),
    ],
)
def test_a_prefix_names_the_one_that_it_fits(text: str, found: str) -> None:
    """Format page D."""
    assert resolve.resolve(text, KNOWN) == found


@pytest.mark.parametrize("text", ["", "0f1", "zzzz", "task-0f1e2", "TASK-0f1e2d3c4b5a0", "9999", "TASK-7777", "../x"])
def test_what_names_nothing_is_not_found(text: str) -> None:
    """Format page D: 2."""
    with pytest.raises(NotFound):
        resolve.resolve(text, KNOWN)


def test_an_ambiguous_prefix_lists_the_candidates_of_all_kinds() -> None:
    """Format page D: without a kind all kinds compete."""
    with pytest.raises(NotFound, match="ambiguous") as caught:
        resolve.resolve("0f1e", KNOWN, {"TASK-0f1e2d3c4b5a": "Rotate\x1b[2J keys"})
    for one in KNOWN[:3]:
        assert one in caught.value.message
    assert "\x1b" not in caught.value.message


@given(
    st.sets(st.text("0123456789abcdef", min_size=12, max_size=12), min_size=1, max_size=8),
    st.integers(4, 12),
    st.data(),
)
def test_a_prefix_resolves_exactly_when_one_id_has_it(tails: set[str], length: int, data: st.DataObject) -> None:
    """Format page D."""
    known = [f"TASK-{tail}" for tail in tails]
    one = data.draw(st.sampled_from(sorted(known)))
    prefix = one[: 5 + length]
    if sum(other.startswith(prefix) for other in known) == 1:
        assert resolve.resolve(prefix, known) == one
    else:
        with pytest.raises(NotFound, match="ambiguous"):
            resolve.resolve(prefix, known)
