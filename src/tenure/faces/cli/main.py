"""`tenure VERB …`: find the verb, hand it its words, turn a TenureError into its exit code. Caught here alone."""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn

from tenure.faces.cli import verbs
from tenure.faces.cli.output import Output, say_error
from tenure.model.errors import Broken, TenureError, WrongUse


class _Parser(argparse.ArgumentParser):
    """argparse whose complaints are refusals of ours: exit 1, and how the verb is written.

    A verb that needs words says so by `set_defaults(needs=…)`: what it needs, then commands that are right.
    """

    def error(self, message: str) -> NoReturn:
        what, *right = self.get_default("needs") or ("",)
        if what and message.startswith("the following arguments are required"):
            message = f"{self.prog.removeprefix('tenure ')} needs {what}"
        raise WrongUse(message, *right, f"{self.prog} --help")


def parser_of(verb: verbs.Verb) -> argparse.ArgumentParser:
    """The parser of one verb, as help and completion see it too."""
    parser = _Parser(prog=f"tenure {verb.name}", description=verb.summary, add_help=True, allow_abbrev=False)
    verb.load().register(parser)
    return parser


def entry() -> NoReturn:
    """The console script."""
    sys.exit(main(sys.argv[1:]))


def main(argv: list[str]) -> int:
    """Run one command; returns its exit code (§10)."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    words, common = _common(argv)
    try:
        if common.wrong:
            raise WrongUse(common.wrong, "tenure help")
        return _run(words, common)
    except TenureError as error:
        say_error(error, common.json)
        return error.code
    except KeyboardInterrupt:
        return 130
    except (OSError, MemoryError, RecursionError) as error:
        say_error(Broken(_sentence(error), "tenure doctor"), common.json)
        return Broken.code


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.filename:
        return f"{error.strerror or error}: {error.filename}"
    return f"{type(error).__name__}: {error}"


class _Common:
    """The words that stand before or after any verb (§10)."""

    def __init__(self) -> None:
        self.json = False
        self.quiet = False
        self.folder: str | None = None
        self.wrong = ""


def _common(argv: list[str]) -> tuple[list[str], _Common]:
    words, common = [], _Common()
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--":
            words += [word, *rest]
            break
        if word == "--json":
            common.json = True
        elif word == "--quiet":
            common.quiet = True
        elif word == "-C":
            if not rest:
                common.wrong = "-C needs a folder"
                break
            common.folder = rest.pop(0)
        else:
            words.append(word)
    return words, common


def _run(words: list[str], common: _Common) -> int:
    if not words or words[0] in ("-h", "--help"):
        words = ["help", *words[1:]]
    if words[0] in ("--version", "version"):
        words = ["help", "--version"]
    name = words[0] if words[0] != "--" else ""
    verb = verbs.find(name)
    if verb is None:
        raise verbs.unknown(name)
    parsed = parser_of(verb).parse_args(words[1:])
    parsed.folder = common.folder
    return verb.load().run(parsed, Output(common.json, common.quiet))
