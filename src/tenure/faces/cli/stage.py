"""The stage of the demo: a sealed scratch folder in which people type real commands, and each answer is checked."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from typing import NamedTuple

from tenure.faces.cli.output import Output, Styled
from tenure.git import process
from tenure.model.errors import Broken

_KEPT = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "SYSTEMROOT", "LANG", "LC_ALL")
_LIMIT = 60.0  # seconds for one command
_SHOWN = 14  # lines of one answer


class Person(NamedTuple):
    """Who types: a name for the prompt, an identity, a clone of their own."""

    name: str
    identity: str
    folder: str


class Answer(NamedTuple):
    """What a command said, both outputs in one text, and how it ended."""

    code: int | None
    text: str


class NotAsTold(Broken):
    """An answer of the story is not the one it tells of (9)."""


class Stage:
    """Runs commands in a scratch folder, shows them, and holds every answer against what it should be."""

    def __init__(self, folder: str, out: Output) -> None:
        self.folder = folder
        self.out = out
        self.steps: list[dict[str, object]] = []
        self._chapter = ""
        self._number = 0
        for name in ("home", "tmp"):
            os.makedirs(os.path.join(folder, name))
        with open(os.path.join(folder, "gitconfig"), "w", encoding="utf-8") as file:
            file.write("[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n")
            file.write("[advice]\n\tdetachedHead = false\n[merge]\n\tconflictStyle = merge\n")

    def chapter(self, sentence: str) -> None:
        """Open a part of the story."""
        self._number += 1
        self._chapter = sentence
        self.out.say()
        self.out.say(Styled(f"{self._number:2}. {sentence}", "bold"))

    def tell(self, sentence: str) -> None:
        """What happens between two commands."""
        self.out.say("    ", Styled(sentence, "dim"))

    def run(
        self, who: Person, line: str, exits: int = 0, hears: tuple[str, ...] = (), never: str = "", patience: float = 0
    ) -> Answer:
        """Type one command line; its exit code and each text of `hears` must be as told (NotAsTold).

        `patience`: seconds in which a look may be taken again, where the background still carries something.
        """
        self.out.say("    ", Styled(f"{who.name} $ {line}", "good"))
        end = time.monotonic() + patience
        answer = self.quietly(who, line)
        while _wrong(answer, exits, hears, never) and time.monotonic() < end:
            time.sleep(0.3)
            answer = self.quietly(who, line)
        for text in _shown(answer.text):
            self.out.say(f"      {text}")
        wrong = _wrong(answer, exits, hears, never)
        self._keep(line, who, answer.code, not wrong)
        if wrong:
            raise NotAsTold(f"{who.name} $ {line}: {wrong}", "tenure demo --keep", "tenure doctor")
        if exits:
            self.out.say("      ", Styled(f"refused as it should be: exit {exits}", "dim"))
        return answer

    def check(self, told: str, holds: bool) -> None:
        """A thing that must be so besides the answers themselves."""
        self._keep(told, None, None, holds)
        if not holds:
            raise NotAsTold(f"it is not so: {told}", "tenure demo --keep", "tenure doctor")
        self.out.say("      ", Styled(f"checked: {told}", "dim"))

    def quietly(self, who: Person, line: str) -> Answer:
        """Run a command without showing it."""
        words = shlex.split(line)
        env = self.environment(who)
        if words[0] == "git":
            done = process.run(words[1:], env=env, cwd=who.folder)
            return Answer(done.code, (done.out + done.err).decode("utf-8", "replace"))
        return _tenure(words[1:], env, who.folder)

    def environment(self, who: Person) -> dict[str, str]:
        """Nothing of the person who runs the demo gets in: no settings, no hooks, no identity."""
        return {
            **{name: os.environ[name] for name in _KEPT if name in os.environ},
            "HOME": os.path.join(self.folder, "home"),
            "XDG_CONFIG_HOME": os.path.join(self.folder, "home"),
            "TMPDIR": os.path.join(self.folder, "tmp"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.path.join(self.folder, "gitconfig"),
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_AUTHOR_NAME": who.name,
            "GIT_AUTHOR_EMAIL": f"{who.name}@example.org",
            "GIT_COMMITTER_NAME": who.name,
            "GIT_COMMITTER_EMAIL": f"{who.name}@example.org",
            "ANK_AGENT": who.identity,
            "NO_COLOR": "1",
        }

    def _keep(self, command: str, who: Person | None, code: int | None, holds: bool) -> None:
        step = {"chapter": self._chapter, "who": who.name if who else None, "command": command}
        self.steps.append({**step, "exit": code, "ok": holds})


def _tenure(words: list[str], env: dict[str, str], folder: str) -> Answer:
    """The command as installed: this interpreter, this package, nothing from the scratch folder on the path."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "tenure", *words],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_LIMIT,
        check=False,
    )
    return Answer(done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace"))


def _shown(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.strip("\n").split("\n")]
    lines = [line for line in lines if line and not line.startswith("remote:")]
    if len(lines) > _SHOWN:
        return [*lines[:_SHOWN], f"... {len(lines) - _SHOWN} more lines"]
    return lines


def _wrong(answer: Answer, exits: int, hears: tuple[str, ...], never: str) -> str:
    if answer.code != exits:
        return f"exit {answer.code}, not {exits}"
    missing = [text for text in hears if text not in answer.text]
    if missing:
        return f"it does not say {missing[0]!r}"
    return f"it says {never!r}" if never and never in answer.text else ""
