"""`help`: the verbs, one verb, the verbs as data, and shell completion; all from the one table."""

from __future__ import annotations

import argparse
from typing import Any

import tenure
from tenure.faces.cli import completion
from tenure.faces.cli.output import Output
from tenure.faces.cli.verbs import VERBS, Verb, find
from tenure.model.errors import WrongUse

GROUPS = {"work": "to work", "look": "to look", "keep": "to keep it honest", "begin": "to begin"}
COMMON = "everywhere: --json (one document), --quiet (no prose), -C DIR; a task is named by 4 hex digits or more"


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("verb", nargs="?", help="one verb, with its flags")
    parser.add_argument("--version", action="store_true", help="say the version")
    parser.add_argument("--completion", choices=["bash", "zsh"], help="print the completion script of a shell")


def run(args: argparse.Namespace, out: Output) -> int:
    if args.version:
        out.say(f"tenure {tenure.__version__}")
    elif args.completion:
        out.text(completion.script(args.completion).rstrip("\n"))
    elif args.verb:
        out.text(_parser(_known(args.verb)).format_help().rstrip("\n"))
    else:
        _say_all(out)
    verbs = [_known(args.verb)] if args.verb else [verb for verb in VERBS if not verb.hidden]
    described = [describe(verb) for verb in verbs] if out.json else []
    out.document({"version": tenure.__version__, "verbs": described})
    return 0


def _known(name: str) -> Verb:
    verb = find(name)
    if verb is None:
        raise WrongUse(f"there is no verb {name!r}", "tenure help")
    return verb


def _parser(verb: Verb) -> argparse.ArgumentParser:
    from tenure.faces.cli.main import parser_of

    return parser_of(verb)


def _say_all(out: Output) -> None:
    out.say("tenure: honest task claims on plain git refs")
    for group, title in GROUPS.items():
        out.say()
        out.say(f"{title}:")
        for verb in VERBS:
            if verb.group == group and not verb.hidden:
                out.say(f"  {verb.name:<10} {verb.summary}")
    out.say()
    out.text(COMMON)
    out.say("tenure help VERB says more; tenure help --completion bash|zsh prints the completion of a shell")


def describe(verb: Verb) -> dict[str, Any]:
    """A verb as data: its words, flags and the keys of its document."""
    words: list[dict[str, Any]] = []
    flags: list[dict[str, Any]] = []
    for action in completion.actions(_parser(verb)):
        described = {"help": action.help or "", "choices": [str(one) for one in action.choices or ()]}
        if action.option_strings:
            flags.append({"flags": action.option_strings, "value": action.nargs != 0, **described})
        else:
            shown = action.metavar if isinstance(action.metavar, str) else action.dest
            words.append({"name": shown, "optional": action.nargs in ("?", "*"), **described})
    return {
        "name": verb.name,
        "summary": verb.summary,
        "group": verb.group,
        "words": words,
        "flags": flags,
        "keys": ["contract", *verb.keys],
    }
