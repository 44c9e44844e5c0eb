"""What started this run: the event, the range that it brings, and what `mode: auto` does with it (R-G1)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tenure.model.value import replace, value

_HEX = frozenset("0123456789abcdef")
_CHANGES = ("pull_request", "pull_request_target")
_PLANNED = ("schedule", "workflow_dispatch", "repository_dispatch")


@value
class Event:
    """`base` and `head` are full commit ids; where one is not known, `base_ref` or `head_ref` names a ref of origin.

    `no_range` says why there is no range; `idle`: there is none because nothing changed, so nothing goes unjudged.
    `number` is the pull request's.
    """

    name: str
    repository: str
    ref: str
    sha: str
    default_branch: str | None
    base: str | None = None
    head: str | None = None
    base_ref: str | None = None
    head_ref: str | None = None
    number: int | None = None
    no_range: str | None = None
    idle: bool = False

    @property
    def branch(self) -> str | None:
        """The branch that was pushed."""
        return self.ref.removeprefix("refs/heads/") if self.ref.startswith("refs/heads/") else None

    @property
    def has_range(self) -> bool:
        return bool((self.base or self.base_ref) and (self.head or self.head_ref))


def read(environment: Mapping[str, str]) -> Event:
    """The event that GITHUB_* describe. A payload that is missing, empty or not JSON is an empty one."""
    payload = _payload(environment.get("GITHUB_EVENT_PATH", ""))
    name = environment.get("GITHUB_EVENT_NAME", "")
    start = Event(
        name=name,
        repository=environment.get("GITHUB_REPOSITORY", ""),
        ref=environment.get("GITHUB_REF", ""),
        sha=environment.get("GITHUB_SHA", ""),
        default_branch=_text(payload, "repository", "default_branch"),
    )
    if name == "push":
        return _push(start, payload)
    if name in _CHANGES:
        return _change(start, payload, environment)
    if name == "merge_group":
        return _queue(start, payload)
    return replace(start, no_range=f"the event {name or 'of this run'} names no range of commits")


def auto_modes(event: Event, default_branch: str | None) -> tuple[str, ...]:
    """R-G1. A pushed tag or a deleted branch asks for nothing; an unknown event gets the report."""
    if event.name == "push":
        if event.branch is None:
            return ()
        return ("guard", "contest", "prune") if event.branch == default_branch else ("guard", "contest")
    if event.name in (*_CHANGES, "merge_group"):
        return ("guard", "contest")
    return ("prune", "sweep", "report") if event.name in _PLANNED else ("report",)


def is_known(event: Event) -> bool:
    """Whether R-G1 says what `auto` does with this event."""
    return event.name in ("push", "merge_group", *_CHANGES, *_PLANNED)


def _push(start: Event, payload: Mapping[str, Any]) -> Event:
    before, after = _commit(_text(payload, "before")), _commit(_text(payload, "after") or start.sha)
    if start.branch is None:
        return replace(start, no_range="a pushed tag changes no branch", idle=True)
    if payload.get("deleted") is True or after is None:
        return replace(start, no_range="the branch was deleted", idle=True)
    if before is None and start.branch == start.default_branch:
        return replace(start, head=after, no_range="the default branch is new", idle=True)
    base_ref = None if before else f"refs/heads/{start.default_branch}" if start.default_branch else "HEAD"
    return replace(start, base=before, head=after, base_ref=base_ref)


def _change(start: Event, payload: Mapping[str, Any], environment: Mapping[str, str]) -> Event:
    base, head = (
        _commit(_text(payload, "pull_request", "base", "sha")),
        _commit(_text(payload, "pull_request", "head", "sha")),
    )
    number = _number(payload, "pull_request", "number") or _number(payload, "number") or _number_of(start.ref)
    branch = _text(payload, "pull_request", "base", "ref") or environment.get("GITHUB_BASE_REF") or start.default_branch
    known = replace(
        start,
        base=base,
        head=head,
        base_ref=None if base or not branch else f"refs/heads/{branch}",
        head_ref=None if head or not number else f"refs/pull/{number}/head",
        number=number,
    )
    return known if known.has_range else replace(known, no_range="the event does not say which pull request this is")


def _queue(start: Event, payload: Mapping[str, Any]) -> Event:
    base, head = _commit(_text(payload, "merge_group", "base_sha")), _commit(_text(payload, "merge_group", "head_sha"))
    if base and head:
        return replace(start, base=base, head=head)
    base_ref = _text(payload, "merge_group", "base_ref")
    if base_ref and _commit(start.sha):
        return replace(start, base_ref=base_ref, head=start.sha)
    return replace(start, no_range="the event does not say which commits the merge queue brings")


def _payload(path: str) -> Mapping[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _inside(payload: Mapping[str, Any], *keys: str) -> Any:
    found: Any = payload
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def _text(payload: Mapping[str, Any], *keys: str) -> str | None:
    found = _inside(payload, *keys)
    return found if isinstance(found, str) and found else None


def _number(payload: Mapping[str, Any], *keys: str) -> int | None:
    found = _inside(payload, *keys)
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else None


def _number_of(ref: str) -> int | None:
    """7 of `refs/pull/7/merge`."""
    words = ref.split("/")
    fits = len(words) == 4 and words[:2] == ["refs", "pull"] and words[2].isascii() and words[2].isdigit()
    return int(words[2]) if fits else None


def _commit(text: str | None) -> str | None:
    """A full commit id in lower case; None for all zeros and for anything else."""
    lower = (text or "").lower()
    return lower if len(lower) in (40, 64) and _HEX.issuperset(lower) and set(lower) != {"0"} else None
