"""Records: byte for byte out, strictly in (R-C4, R-C8, format page A)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model import ids, instants, record, scalars
from tenure.model.record import Claim, Completion, Unreadable

TASK = "TASK-0f1e2d3c4b5a"
REF = ids.claim_ref(TASK)
CLAIM = (
    "state: claim\n"
    f"task: {TASK}\n"
    "holder: human:ada\n"
    "claimed: 2026-11-30T08:15:00Z\n"
    "expires: 2026-11-30T08:45:00Z\n"
    "ttl: 1800\n"
    "criteria: 03c659e46adf\n"
    "constraints: e3b0c44298fc\n"
)
MARK = "# tenure: token=0123456789abcdef0123456789abcdef generation=3\n"
DONE = (
    "state: completed\n"
    f"task: {TASK}\n"
    "commit: 9b1c0de4a77f3c2b1a0099887766554433221100\n"
    "branch: feature/rotate\n"
    "identity: human:ada\n"
    "completed: 2026-11-30T09:02:11Z\n"
)


def claim(text: str) -> Claim:
    found = record.parse(REF, text.encode())
    assert isinstance(found, Claim), found
    return found


def test_a_claim_comes_back_byte_for_byte() -> None:
    """R-C4, format A: field order, instants, ttl in seconds, the comment line last."""
    found = claim(CLAIM + MARK)
    assert (found.holder, found.ttl, found.generation) == ("human:ada", 1800, 3)
    assert found.expires - found.claimed == 1800
    assert record.emit_claim(found) == CLAIM + MARK


def test_a_record_without_the_comment_has_no_token_and_generation_0() -> None:
    """R-C4: and emitting it again adds none."""
    found = claim(CLAIM)
    assert (found.token, found.generation) == (None, 0)
    assert record.emit_claim(found) == CLAIM


def test_a_completion_comes_back_byte_for_byte_and_may_lack_its_branch() -> None:
    """R-C4, R-L7: no comment line, no lease."""
    for text in (DONE, DONE.replace("branch: feature/rotate\n", "")):
        found = record.parse(REF, text.encode())
        assert isinstance(found, Completion)
        assert record.emit_completion(found) == text


def test_a_renewal_changes_one_line_and_no_other_byte() -> None:
    """R-L3: whatever the writer's order, line ends and comments were."""
    odd = "# by hand\r\nexpires: 2026-11-30T08:45:00Z\r\n" + CLAIM.replace(
        "expires: 2026-11-30T08:45:00Z\n", ""
    ).replace("\n", "\r\n")
    found = claim(odd)
    new = record.with_end(found, found.expires + 60)
    assert new.text == odd.replace("08:45:00", "08:46:00")
    assert record.parse(REF, new.text.encode()) == new


def test_a_renewal_adds_neither_mark_nor_ttl() -> None:
    """R-C4: to a record of an older writer."""
    old = claim(CLAIM.replace("ttl: 1800\n", ""))
    new = record.with_end(old, old.expires + 60)
    assert "ttl" not in new.text
    assert "tenure" not in new.text


def test_json_bodies_and_other_orders_are_read_and_renewed() -> None:
    """Format K: a JSON body is a record too."""
    text = (
        f'{{"state": "claim", "task": "{TASK}", "holder": "h", "claimed": "2026-11-30T08:15:00Z",'
        ' "expires": "2026-11-30T08:45:00Z", "criteria": "03c659e46adf", "constraints": "e3b0c44298fc"}'
    )
    found = claim(text)
    new = record.with_end(found, found.expires + 60)
    again = record.parse(REF, new.text.encode())
    assert isinstance(again, Claim)
    assert again.expires == found.expires + 60


BROKEN = {
    "garbage": "neither here nor there: [\n",
    "empty": "",
    "no mapping": "- a\n- b\n",
    "unknown state": CLAIM.replace("state: claim", "state: borrowed"),
    "unknown field": CLAIM + "colour: blue\n",
    "duplicate key": CLAIM + "holder: human:eve\n",
    "another task": CLAIM.replace(TASK, "TASK-000000000001"),
    "missing field": CLAIM.replace("holder: human:ada\n", ""),
    "year 9999": CLAIM.replace("2026-11-30T08:45", "9999-11-30T08:45"),
    "before 2000": CLAIM.replace("2026-11-30T08:45", "1999-11-30T08:45"),
    "no zone": CLAIM.replace("08:45:00Z", "08:45:00"),
    "an offset": CLAIM.replace("08:45:00Z", "08:45:00+02:00"),
    "fractions": CLAIM.replace("08:45:00Z", "08:45:00.5Z"),
    "an unquoted number for a hash": CLAIM.replace("03c659e46adf", "123456789012"),
    "a float for a hash": CLAIM.replace("03c659e46adf", "00000012e003"),
    "negative ttl": CLAIM.replace("ttl: 1800", "ttl: -1800"),
    "ttl no number": CLAIM.replace("ttl: 1800", "ttl: soon"),
    "nested": CLAIM.replace("human:ada", "{a: b}"),
    "an alias": CLAIM.replace("human:ada", "&x human:ada"),
    "17 KiB": CLAIM + "# " + "x" * 17_000 + "\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_record_of_its_task_is_unreadable(name: str) -> None:
    """R-C8, R-L9: never free, never live, never an exception."""
    found = record.parse(REF, BROKEN[name].encode())
    assert isinstance(found, Unreadable), found
    assert found.ref == REF
    assert found.why


@given(st.binary(max_size=400))
def test_no_bytes_raise(data: bytes) -> None:
    """R-C8: hostile content is an answer, not an exception."""
    assert isinstance(record.parse(REF, data), Unreadable | Claim | Completion)


@given(
    st.text(min_size=1, max_size=60).filter(
        lambda text: text.strip() == text and "\0" not in text and "\ufeff" not in text
    )
)
def test_any_holder_survives_emission(holder: str) -> None:
    """Format A: quoted as YAML needs it, read back as the same text."""
    try:
        holder.encode()
    except UnicodeEncodeError:
        return
    if any(
        ord(char) in (0xFFFE, 0xFFFF) or (ord(char) < 32 and char not in "\t\n\r\x1b\x07") or ord(char) == 127
        for char in holder
    ):
        return  # YAML has no such characters
    made = Claim(TASK, holder, 1796026500, 1796028300, 1800, "03c659e46adf", "e3b0c44298fc")
    again = record.parse(REF, record.emit_claim(made).encode())
    assert isinstance(again, Claim), (again, record.emit_claim(made))
    assert again.holder == holder


QUOTED = {
    "123456789012": "'123456789012'",
    "00000012e003": "'00000012e003'",
    "1e5678901234": "1e5678901234",
    "yes": "yes",
    "no": "no",
    "true": "'true'",
    "~": "'~'",
    "": "''",
    "human:x": "human:x",
    "a/b+c": "a/b+c",
    "u@h": "u@h",
    "@x": "'@x'",
    "it's: so": "'it''s: so'",
    "a #b": "'a #b'",
    "- x": "'- x'",
    "-x": "-x",
    "2026-11-30T08:15:00Z": "2026-11-30T08:15:00Z",
    "0x1f": "'0x1f'",
    ".inf": "'.inf'",
    " x": "' x'",
}


@pytest.mark.parametrize("text", QUOTED)
def test_scalars_are_quoted_as_the_format_quotes_them(text: str) -> None:
    """Format A: what would read back as another type in single quotes; overflowing exponents and `yes` plain."""
    assert scalars.emit(text) == QUOTED[text]


def test_instants_go_there_and_back() -> None:
    """R-L9: UTC, whole seconds; leap days; seconds optional."""
    for text in ("2026-11-30T08:15:00Z", "2024-02-29T23:59:59Z", "2000-01-01T00:00:00Z"):
        assert instants.text_of(instants.parse(text)) == text
    assert instants.parse(" 2026-11-30T08:15Z ") == instants.parse("2026-11-30T08:15:00Z")


@pytest.mark.parametrize("text", ["0", "-5m", "1y", "5", "m", "1.5h", "1 h", "", "٣m"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    """R-L1: digits and one unit."""
    with pytest.raises(ValueError, match="no duration"):
        instants.duration(text)


def test_durations_are_seconds() -> None:
    """R-L1."""
    assert [instants.duration(text) for text in ("90s", "30m", "2h", "1d")] == [90, 1800, 7200, 86400]
