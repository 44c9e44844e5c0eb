"""Completion for bash and zsh, generated from the table of verbs and their parsers.

Verbs, flags and fixed words come from the table; ids from the file names of the corpus, without starting tenure.
"""

from __future__ import annotations

import argparse
import shlex

from tenure.faces.cli.verbs import VERBS, Verb

COMMON_FLAGS = ("--json", "--quiet", "-C", "--help")
_BASH = """\
# bash completion for tenure; load it with: eval "$(tenure help --completion bash)"
_tenure_ids() {{
    local top
    top=$(git rev-parse --show-toplevel 2>/dev/null) || return
    find "$top/.ank/entities" "$top/.ank/tasks" -name 'TASK-*.md' 2>/dev/null | sed 's|.*/||; s|\\.md$||'
}}
_tenure() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} verb= skip= one
    for one in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        if [ -n "$skip" ]; then skip=; continue; fi
        case $one in
            -C) skip=1 ;;
            -*|tenure) ;;
            *) verb=$one; break ;;
        esac
    done
    if [ -z "$verb" ]; then
        COMPREPLY=($(compgen -W {verbs} -- "$word"))
        return
    fi
    case $verb in
{cases}
        *) COMPREPLY=() ;;
    esac
}}
complete -o default -F _tenure tenure git-tenure
"""
_ZSH = """\
#compdef tenure git-tenure
# zsh completion for tenure; load it with: eval "$(tenure help --completion zsh)"
_tenure_ids() {{
    local top
    top=$(git rev-parse --show-toplevel 2>/dev/null) || return
    compadd -- "$top"/.ank/entities/TASK-*.md(N:t:r) "$top"/.ank/tasks/TASK-*.md(N:t:r)
}}
_tenure() {{
    local -a verbs
    verbs=(
{verbs}
    )
    local n=2 verb=
    while (( n < CURRENT )); do
        case $words[n] in
            -C) (( n++ )) ;;
            -*) ;;
            *) verb=$words[n]; break ;;
        esac
        (( n++ ))
    done
    if [[ -z $verb ]]; then
        _describe verb verbs
        return
    fi
    case $verb in
{cases}
        *) _files ;;
    esac
}}
if [[ $funcstack[1] == _tenure ]]; then _tenure "$@"; else compdef _tenure tenure git-tenure; fi
"""


def actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """What a parser takes, without its own `--help`."""
    return [one for one in parser._actions if not isinstance(one, argparse._HelpAction)]


def script(shell: str) -> str:
    """The completion script of `bash` or `zsh`."""
    verbs = [verb for verb in VERBS if not verb.hidden]
    if shell == "bash":
        return _BASH.format(verbs=shlex.quote(" ".join(verb.name for verb in verbs)), cases=_cases(verbs, _bash_case))
    listed = "\n".join(f"        {shlex.quote(_zsh_item(verb))}" for verb in verbs)
    return _ZSH.format(verbs=listed, cases=_cases(verbs, _zsh_case))


def _cases(verbs: list[Verb], render: object) -> str:
    assert callable(render)
    return "\n".join(f"        {verb.name}) {render(*_words(verb))} ;;" for verb in verbs)


def _words(verb: Verb) -> tuple[list[str], bool]:
    """What may follow a verb: flags and fixed words, and whether ids of tasks may."""
    from tenure.faces.cli.main import parser_of

    words: list[str] = []
    takes_id = False
    for action in actions(parser_of(verb)):
        words += action.option_strings or [str(one) for one in action.choices or ()]
        takes_id = takes_id or (not action.option_strings and "id" in action.dest.lower().split("_"))
    return [*words, *COMMON_FLAGS], takes_id or verb.name == "log"


def _bash_case(words: list[str], takes_id: bool) -> str:
    listed = shlex.quote(" ".join(words))
    if takes_id:
        return f'COMPREPLY=($(compgen -W {listed}" $(_tenure_ids)" -- "$word"))'
    return f'COMPREPLY=($(compgen -W {listed} -- "$word"))'


def _zsh_case(words: list[str], takes_id: bool) -> str:
    listed = " ".join(shlex.quote(word) for word in words)
    return f"compadd -- {listed}; {'_tenure_ids' if takes_id else '_files'}"


def _zsh_item(verb: Verb) -> str:
    summary = verb.summary.replace(":", "\\:")
    return f"{verb.name}:{summary}"
