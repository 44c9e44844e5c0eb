"""`new`: write a task or a decision."""

from __future__ import annotations

import argparse
import shlex

from tenure.faces.cli import common
from tenure.faces.cli.output import Output
from tenure.model.errors import Missing, WrongUse
from tenure.work import creating
from tenure.work.creating import NewAdr, NewTask

EVERYWHERE = "**"
OTHER_KINDS = ("spec", "log", "decision")  # as a whole title it is a slip, no task


def register(parser: argparse.ArgumentParser) -> None:
    """`new TITLE`, `new task …`, `new adr …`."""
    parser.add_argument("words", nargs="*", metavar="task|adr|TITLE", help="what to write, or a task's title alone")
    parser.add_argument("--title", help="one line")
    parser.add_argument("--scope", action="extend", nargs="+", default=[], metavar="GLOB", help="what it is about")
    parser.add_argument(
        "--criteria", action="append", metavar="TEXT", help="when the task is done (frozen by the claim)"
    )
    parser.add_argument(
        "--blocked-by", action="extend", nargs="+", default=[], metavar="ID", help="what must be done first"
    )
    parser.add_argument(
        "--verify", action="extend", nargs="+", default=[], metavar="NAME", help="verifiers that prove it"
    )
    parser.add_argument("--constraint", metavar="TEXT", help="what a decision demands")
    parser.add_argument("--supersedes", metavar="ID", help="the decision that this one replaces")
    parser.add_argument("--body", default="", metavar="TEXT", help="notes below the frontmatter")


def run(args: argparse.Namespace, out: Output) -> int:
    """Write it and print `created <id> <title>`."""
    kind = args.words[0] if args.words and args.words[0] in ("task", "adr") else "task"
    rest = args.words[1:] if args.words[:1] == [kind] else args.words
    if len(rest) > 1 or (rest and args.title):
        raise WrongUse("one title, please: put it in quotes", 'tenure new "Rotate the keys"')
    if len(args.criteria or ()) > 1:
        raise WrongUse("one --criteria, please: it may have several lines", "tenure new --help")
    title = rest[0] if rest else args.title
    if title is None and args.scope and " " in args.scope[-1]:
        raise _swallowed(*args.scope)
    if title in OTHER_KINDS:
        raise WrongUse(f"new writes a task or a decision (adr), no {title}", "tenure new --help")
    session = common.begin(args)
    corpus = common.corpus_of(session)
    globs = tuple(args.scope) or ((EVERYWHERE,) if rest else ())
    if kind == "adr":
        _refuse(args, ("criteria", "blocked_by", "verify"), "adr")
        made = creating.new_adr(session, corpus, NewAdr(title, globs, args.constraint, args.supersedes, args.body))
    else:
        _refuse(args, ("constraint", "supersedes"), "task")
        made = creating.new_task(
            session,
            corpus,
            NewTask(title, globs, (args.criteria or [None])[0], tuple(args.blocked_by), tuple(args.verify), args.body),
        )
        for name in creating.unknown_verifiers(corpus, tuple(args.verify)):
            out.warn(f"no verifier is named {name} in .ank/config.yml")
    out.say(f"created {made.id} {made.entity.title}")
    out.document({"id": made.id, "path": made.name})
    return 0


def _swallowed(*words: str) -> Missing:
    """`--scope GLOB TITLE`: the flag takes all the words after it."""
    *globs, title = words
    scope = f" --scope {shlex.join(globs)}" if globs else ""
    return Missing(f"a title is missing: {title!r} was taken for a scope", f"tenure new {shlex.quote(title)}{scope}")


def _refuse(args: argparse.Namespace, names: tuple[str, ...], kind: str) -> None:
    for name in names:
        if getattr(args, name):
            raise WrongUse(f"--{name.replace('_', '-')} says nothing about a new {kind}", "tenure new --help")
