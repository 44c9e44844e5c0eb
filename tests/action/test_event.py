"""The event, its range, and the modes of `auto`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tenure.faces.action import event
from tenure.faces.action.event import Event

A, B, ZERO = "a" * 40, "b" * 40, "0" * 40
REPOSITORY = {"default_branch": "trunk", "full_name": "acme/widgets"}


def read(folder: Path, name: str, payload: Any, **more: str) -> Event:
    path = folder / "event.json"
    path.write_text(payload if isinstance(payload, str) else json.dumps(payload))
    given = {"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(path), "GITHUB_REPOSITORY": "acme/widgets", **more}
    return event.read(given)


def push(folder: Path, before: str, after: str, ref: str = "refs/heads/topic", **more: Any) -> Event:
    payload = {"before": before, "after": after, "repository": REPOSITORY, **more}
    return read(folder, "push", payload, GITHUB_REF=ref, GITHUB_SHA=after)


def test_a_push_brings_before_to_after(tmp_path: Path) -> None:
    """R-G1"""
    found = push(tmp_path, A, B)
    assert (found.base, found.head, found.base_ref, found.default_branch) == (A, B, None, "trunk")
    assert event.auto_modes(found, "trunk") == ("guard", "contest")


def test_a_push_to_the_default_branch_prunes_too(tmp_path: Path) -> None:
    """R-G1"""
    found = push(tmp_path, A, B, "refs/heads/trunk")
    assert event.auto_modes(found, "trunk") == ("guard", "contest", "prune")


def test_a_new_branch_is_judged_against_the_default_branch(tmp_path: Path) -> None:
    """R-G1: `before` is all zeros."""
    found = push(tmp_path, ZERO, B)
    assert (found.base, found.base_ref, found.head) == (None, "refs/heads/trunk", B)


def test_a_new_default_branch_a_tag_and_a_deleted_branch_leave_nothing_to_judge(tmp_path: Path) -> None:
    """R-G1: nothing goes unjudged in these."""
    for found in (
        push(tmp_path, ZERO, B, "refs/heads/trunk"),
        push(tmp_path, A, B, "refs/tags/v1"),
        push(tmp_path, A, ZERO, deleted=True),
        push(tmp_path, A, ZERO),
    ):
        assert found.idle
        assert found.no_range
        assert not found.has_range
    assert event.auto_modes(push(tmp_path, A, B, "refs/tags/v1"), "trunk") == ()


@pytest.mark.parametrize("name", ["pull_request", "pull_request_target"])
def test_a_pull_request_brings_its_own_commits_not_the_test_merge(tmp_path: Path, name: str) -> None:
    """R-G1, R-G8: GITHUB_SHA is the test merge."""
    pull = {
        "number": 7,
        "base": {"sha": A, "ref": "trunk"},
        "head": {"sha": B, "repo": {"full_name": "Mallory/widgets"}},
    }
    payload = {"number": 7, "pull_request": pull, "repository": REPOSITORY}
    found = read(tmp_path, name, payload, GITHUB_REF="refs/pull/7/merge", GITHUB_SHA="c" * 40)
    assert (found.base, found.head, found.number) == (A, B, 7)
    assert event.auto_modes(found, "trunk") == ("guard", "contest")


def test_an_empty_pull_request_payload_falls_back_to_what_the_runner_says(tmp_path: Path) -> None:
    """R-G5: forks and merged pull requests may send one."""
    payloads: list[Any] = [{}, {"pull_request": {}}, {"pull_request": None}, "", "[]", "{", {"repository": "x"}]
    for payload in payloads:
        more = {"GITHUB_REF": "refs/pull/7/merge", "GITHUB_BASE_REF": "trunk"}
        found = read(tmp_path, "pull_request", payload, **more)
        assert (found.base_ref, found.head_ref, found.number) == ("refs/heads/trunk", "refs/pull/7/head", 7)
        assert found.has_range
    lost = read(tmp_path, "pull_request", {})
    assert not lost.has_range
    assert lost.no_range
    assert not lost.idle


def test_a_merge_group_is_a_change_without_a_number(tmp_path: Path) -> None:
    """R-G5"""
    payload = {"merge_group": {"base_sha": A, "head_sha": B, "base_ref": "refs/heads/trunk"}, "repository": REPOSITORY}
    found = read(tmp_path, "merge_group", payload, GITHUB_SHA=B)
    assert (found.base, found.head, found.number) == (A, B, None)
    assert event.auto_modes(found, "trunk") == ("guard", "contest")
    bare = read(tmp_path, "merge_group", {"merge_group": {"base_ref": "refs/heads/trunk"}}, GITHUB_SHA=B)
    assert (bare.base_ref, bare.head) == ("refs/heads/trunk", B)


@pytest.mark.parametrize("name", ["schedule", "workflow_dispatch", "repository_dispatch"])
def test_a_schedule_prunes_sweeps_and_reports(tmp_path: Path, name: str) -> None:
    """R-G1: its payload names neither range nor default branch."""
    found = read(tmp_path, name, {"schedule": "17 3 * * *"}, GITHUB_REF="refs/heads/trunk", GITHUB_SHA=A)
    assert set(event.auto_modes(found, "trunk")) == {"sweep", "prune", "report"}
    assert found.default_branch is None
    assert not found.has_range
    assert not found.idle


def test_an_event_that_nobody_described_only_reports(tmp_path: Path) -> None:
    """R-G1"""
    found = read(tmp_path, "release", {"repository": REPOSITORY}, GITHUB_REF="refs/tags/v1")
    assert event.auto_modes(found, "trunk") == ("report",)
    assert not event.is_known(found)


def test_ids_that_are_no_commit_ids_are_not_taken(tmp_path: Path) -> None:
    """R-X2: they would become words of a git command."""
    found = push(tmp_path, "--upload-pack=x", "HEAD")
    assert found.head is None
    assert found.idle or not found.has_range
