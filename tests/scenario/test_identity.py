"""Who is asking (R-I1, R-I2, R-I3)."""

from __future__ import annotations

import time
from typing import Any

import pytest

from scenario.kit import head_of, refused
from support import ADA, AUTH, BOB, CY, World, claim_text


def test_the_variable_then_the_setting_then_user_and_host(world: World) -> None:
    """R-I1: status names the source; blank counts as not set; a worktree's own setting counts."""
    repo = world.repo()

    def who(**env: Any) -> tuple[str, str]:
        found = world.run([world.python, "-m", "tenure", "status", "--json"], repo.path, None, **env).document
        return found["identity"]["value"], found["identity"]["source"]

    assert who() == ("grace@box", "fallback")
    assert who(HOSTNAME="Box.Example.ORG", USERNAME="heidi") == ("heidi@box", "fallback")
    repo.git("config", "tenure.agent", BOB)
    assert who() == who(ANK_AGENT="  ") == (BOB, "config")
    assert who(ANK_AGENT=f" {ADA} ") == (ADA, "env")
    tree = repo.worktree("tree")
    repo.git("config", "extensions.worktreeConfig", "true")
    tree.git("config", "--worktree", "tenure.agent", CY)
    assert tree.json("status", agent=None)["identity"] == {"value": CY, "source": "config", "kind": "agent"}
    assert who() == (BOB, "config")
    said = world.run([world.python, "-m", "tenure", "status"], repo.path, None).out
    assert said.splitlines()[0] == f"you are {BOB} (from git config tenure.agent)"


def test_a_claim_is_held_by_whoever_the_identity_says(world: World) -> None:
    """R-I1: the fallback, too."""
    repo = world.repo()
    repo.tenure("claim", AUTH, agent=None)
    assert repo.held().holder == "grace@box"


def test_the_kind_is_told_and_check_signals_the_untyped(world: World) -> None:
    """R-I2: untyped authors, and what an agent wrote and no human has read; nothing is refused because of it."""
    repo = world.repo()
    for who, kind in ((ADA, "human"), (CY, "agent"), ("process:nightly", "process"), ("grace@box", "untyped")):
        assert repo.json("status", agent=who)["identity"]["kind"] == kind
    path = repo.task_path()
    text = repo.read(path)

    def signals(author: str, reader: str = "") -> list[str]:
        seen = f"verified:\n  - by: {reader}\n    at: 2026-02-01T10:00:00Z\n" if reader else ""
        repo.write(path, text.replace("human:marie", author).replace("schema: 4", f"{seen}schema: 4"))
        found = repo.json("check")["findings"]
        assert {one["level"] for one in found} <= {"signal"}
        return [
            f"{one['subject']}: {one['message']}"
            for one in found
            if AUTH in one["message"] and one["subject"] != "HEAD"
        ]

    assert signals("human:marie") == []
    assert [one for one in signals("some bot") if one.startswith("some bot: an author of no declared kind")]
    assert [one for one in signals(CY) if "read by no human" in one]
    assert [one for one in signals(CY, "codex/2") if "read by no human" in one]
    assert signals(CY, ADA) == []


@pytest.mark.parametrize(
    ("identity", "why"),
    [("human:ada\neve", "control character"), ("human:\x1b[31mada", "control character"), ("x" * 201, "200 bytes")],
)
def test_an_identity_that_could_hide_or_break_a_line_is_refused_where_it_is_set(
    world: World, identity: str, why: str
) -> None:
    """R-I3: 1, by the variable and by the setting; the raw text is never shown; nothing is written."""
    repo = world.repo()
    said = refused(repo, 1, "claim", AUTH, agent=identity)
    assert why in head_of(said) and "\x1b" not in said and len(said.splitlines()) == 2
    repo.git("config", "tenure.agent", identity)
    refused(repo, 1, "status", agent=None)
    repo.tenure("claim", AUTH)


def test_two_hundred_bytes_are_not_too_many(world: World) -> None:
    """R-I3: at the edge, in bytes."""
    repo = world.repo()
    repo.tenure("claim", AUTH, agent="human:" + "ä" * 97)
    assert repo.held().holder == "human:" + "ä" * 97


def test_a_hostile_holder_of_elsewhere_is_shown_harmless(world: World) -> None:
    """R-I3, R-X3: neither escapes, nor reversed text, nor a line break that would pass for a hint of ours."""
    repo = world.repo().hooks()
    evil = '"eve\\e[2J\\u202e\\n  -> rm -rf /"'
    text = claim_text(AUTH, BOB, int(time.time()) + 900).replace(f"holder: {BOB}", f"holder: {evil}")
    repo.put(text)
    assert "eve" in repo.held().holder and "\n" in repo.held().holder
    repo.soften()
    repo.git("add", "-A")
    said = [
        repo.tenure("status").out,
        repo.tenure("claim", AUTH, exits=4).err,
        repo.tenure("board").out,
        repo.tenure("show", AUTH).out,
        repo.git("commit", "-m", "x", exits=1).err,
    ]
    for one in said:
        assert "eve" in one and "\x1b" not in one and "\u202e" not in one
        assert "  -> rm -rf /" not in one.splitlines()
