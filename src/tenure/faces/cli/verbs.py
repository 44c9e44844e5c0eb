"""The one table of verbs: help, completion and documents are generated from it."""

from __future__ import annotations

import argparse
import difflib
import importlib
from collections.abc import Callable
from typing import NamedTuple, Protocol, cast

from tenure.faces.cli.output import Output
from tenure.model.errors import WrongUse


class Module(Protocol):
    """What a verb's module offers: `register` its flags on a parser, `run` it and return the exit code."""

    register: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace, Output], int]


class Verb(NamedTuple):
    """`keys`: the document's keys besides `contract`; `renews`: whether it moves the lease (R-L4)."""

    name: str
    module: str
    summary: str
    keys: tuple[str, ...]
    group: str
    hidden: bool = False

    def load(self) -> Module:
        """The verb's module, imported only now."""
        return cast("Module", importlib.import_module(f"tenure.faces.cli.{self.module}"))


def _verb(name: str, group: str, summary: str, keys: str = "", module: str = "", hidden: bool = False) -> Verb:
    return Verb(name, module or name, summary, tuple(keys.split()), group, hidden)


VERBS: tuple[Verb, ...] = (
    _verb("init", "begin", "set a repository up: .ank/ skeleton, attributes, hooks", "created changed hooks"),
    _verb("uninit", "begin", "take everything of tenure out again, but claims and .ank/", "removed", "init_undo"),
    _verb("new", "begin", "write a task or a decision", "id path"),
    _verb(
        "claim",
        "work",
        "take a task: file, ref, frozen criterion",
        "task holder expires lease_expires_at ttl generation regranted taken_over pushed",
    ),
    _verb(
        "context",
        "work",
        "what you hold, or what can be claimed; renews",
        "mode task criteria constraints log tasks lease_expires_at",
    ),
    _verb(
        "show",
        "work",
        "an entity whole; renews if it is the held task",
        "id status coordination lease_expires_at blocked_by unblocks log content",
    ),
    _verb(
        "log",
        "work",
        "write down what you learned (renews), or read a task's log",
        "about entry logged lease_expires_at",
    ),
    _verb("release", "work", "hand a task back with a reason", "task status reason lease_expires_at"),
    _verb("done", "work", "finish a task with its proof", "task status commit branch proofs lease_expires_at"),
    _verb(
        "close", "work", "end a task for good, whoever holds it", "task status claim_revoked contested lease_expires_at"
    ),
    _verb("criteria", "work", "put the frozen text of a criterion back", "task path"),
    _verb(
        "status",
        "look",
        "who am I, what do I hold, what do others hold, what waits",
        "identity branch default_branch claim remote elsewhere completions pending outbox warnings",
    ),
    _verb("find", "look", "list entities", "total results"),
    _verb("scope", "look", "what covers a path", "total results"),
    _verb("graph", "look", "the blocked_by graph", "nodes edges"),
    _verb("board", "look", "live claims, lapsed ones, completions, contests", "claims completions contested"),
    _verb("activity", "look", "the feed of events", "events"),
    _verb("check", "keep", "invariants of the corpus and of the refs; prunes", "faults signals tasks pruned findings"),
    _verb("review", "keep", "the queue of proposals and findings", "findings"),
    _verb("verify", "keep", "the guard and the contests over a range", "verdict edits contested"),
    _verb("sweep", "keep", "delete claims that lapsed long ago", "swept kept dry_run"),
    _verb("accept", "keep", "ratify a proposed decision by a signed commit", "id commit"),
    _verb("hooks", "begin", "the git hooks: install, uninstall, status, print", "hooks"),
    _verb("doctor", "keep", "what is wrong here, and the command that mends it", "findings"),
    _verb("demo", "begin", "the whole story on a scratch repository", "steps"),
    _verb("help", "begin", "help; with --json, the verbs described", "verbs", "helping"),
    _verb("hook", "hidden", "what the hooks call", module="hook", hidden=True),
)


def find(name: str) -> Verb | None:
    """The verb of that name."""
    return next((verb for verb in VERBS if verb.name == name), None)


def unknown(name: str) -> WrongUse:
    """1: no verb is called that; the one that was probably meant comes first."""
    near = difflib.get_close_matches(name, [verb.name for verb in VERBS if not verb.hidden], 1)
    return WrongUse(f"there is no verb {name!r}", *(f"tenure {one}" for one in near), "tenure help")
