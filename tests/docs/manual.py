"""Reads the manual (README and docs): its blocks, links and tables; and runs its commands in a sealed world.

A block marked `console` holds commands after `$ ` and what they answer, compared but for ids, instants and hashes (a
line `...` stands for any lines). A block marked `sh` holds commands that must end with 0. An HTML comment that begins
with `setup` holds commands that readers need not see.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from hooks.ground import ROOT, Ground, script

LIMIT = 90
_FENCE = re.compile(r"^( *)(`{3,}|~{3,})(\w*)\s*$")
_TASK = re.compile(r"\bTASK-([0-9a-f]{12})\b")


class Block(NamedTuple):
    """A fenced block, or a `setup` comment: its language, its lines, the line in the file at which it begins."""

    language: str
    lines: list[str]
    at: int


class Call(NamedTuple):
    """A command of a `console` block and the lines that stand below it."""

    line: str
    answer: list[str]


def pages() -> list[Path]:
    """README and everything below docs."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text: str) -> list[Block]:
    """All blocks in order."""
    found: list[Block] = []
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        mark = _FENCE.match(line)
        if fence and fence.startswith("<!--"):
            if line.strip() == "-->":
                fence = ""
            else:
                found[-1].lines.append(line)
        elif fence:
            if mark and mark[2].startswith(fence) and not mark[3]:
                fence = ""
            else:
                found[-1].lines.append(line)
        elif mark:
            fence = mark[2]
            found.append(Block(mark[3], [], number))
        elif line.strip() == "<!-- setup":
            fence = "<!--"
            found.append(Block("setup", [], number))
    return found


def calls(block: Block) -> list[Call]:
    """The commands of a `console` block; one that goes on after `\\` takes the next line in."""
    found: list[Call] = []
    open_line = False
    for line in block.lines:
        if open_line:
            last = found[-1]
            found[-1] = Call(last.line[:-1] + line.strip(), last.answer)
            open_line = line.endswith("\\")
        elif line.startswith("$ "):
            found.append(Call(line[2:], []))
            open_line = line.endswith("\\")
        elif found:
            found[-1].answer.append(line)
    for call in found:
        while call.answer and not call.answer[-1].strip():
            call.answer.pop()
    return found


class World:
    """A reader's machine: a home, an origin, and the folder `project`, in which the first command is typed."""

    def __init__(self, root: Path) -> None:
        self.ground = Ground(root)
        self.ground.command()
        script(root / "bin" / "pip", '#!/bin/sh\n[ "$1" = install ] && echo "pretended: pip $*"\n')
        self._env = root / "env"
        self._cwd = root / "cwd"
        self._env.write_text("")
        repo = self.ground.repo("project")
        self.ground.origin()
        repo.git("remote", "add", "origin", str(root / "origin.git"))
        repo.git("push", "-q", "-u", "origin", "main")
        repo.git("remote", "set-head", "origin", "main")
        self._cwd.write_text(str(repo.path))
        self.ids: dict[str, str] = {}

    def run(self, line: str) -> tuple[int, str]:
        """Type a line; `cd` and `export` last. Ids of the manual become those that this world made."""
        line = self._here(line)
        text = (
            f'. {self._env}\ncd "$(cat {self._cwd})" || exit 99\n{line}\nmanual_code=$?\n'
            f"pwd >{self._cwd}\nexport -p | grep -v ' PWD=\\| OLDPWD=' >{self._env}\nexit $manual_code\n"
        )
        done = subprocess.run(
            ["bash", "-c", text],
            cwd=self.ground.root,
            env=self.ground.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=LIMIT,
            check=False,
        )
        return done.returncode, done.stdout.decode("utf-8", "replace").replace(str(self.ground.root), "~")

    def learn(self, told: list[str], answered: str) -> None:
        """Pair the ids that the manual shows as created with the ones that were."""
        shown = [one[1] for line in told if line.startswith("created ") and (one := _TASK.search(line))]
        made = [one[1] for line in answered.split("\n") if line.startswith("created ") and (one := _TASK.search(line))]
        self.ids.update(zip(shown, made, strict=False))

    def _here(self, line: str) -> str:
        for shown, made in self.ids.items():
            line = line.replace(shown, made)
            line = re.sub(rf"(?<![0-9a-f]){shown[:4]}(?![0-9a-f])", made[:4], line)
        return line


_LOOSE = [
    (re.compile(r"TASK-[0-9a-f]{12}"), "TASK-id"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "<instant>"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC"), "<minute>"),
    (re.compile(r"\b\d{1,2}m\b"), "<span>"),
    (
        re.compile(r"\b\d{4}(?=\b)|\b[0-9a-f]{40}\b|\b(?=[0-9a-f]*\d)[0-9a-f]{7,12}\b|\b(?=[0-9a-f]*\d)[0-9a-f]{4}\b"),
        "<hex>",
    ),
    (re.compile(r"\bin \d+(\.\d+)? ?s\b"), "in <seconds>"),
]


def loose(line: str) -> str:
    """The line without what differs from run to run; an id's short form is as good as any."""
    for pattern, name in _LOOSE:
        line = pattern.sub(name, line)
    return re.sub(r"\b[a-f]{4}\b", "<hex>", line.rstrip())


def fits(told: list[str], answered: str) -> bool:
    """Whether an answer is what the manual shows; `...` stands for any number of lines."""
    pattern = "".join("(?:.*\n)*?" if line.strip() == "..." else re.escape(loose(line)) + "\n" for line in told)
    given = "".join(loose(line) + "\n" for line in answered.rstrip("\n").split("\n")) if answered.strip() else ""
    return re.fullmatch(pattern, given) is not None


def walk(page: Path, root: Path) -> list[str]:
    """Run every command of a page, in order; what went wrong, a text each."""
    world = World(root)
    wrong = []
    for block in blocks(page.read_text(encoding="utf-8")):
        where = f"{page.relative_to(ROOT)}:{block.at}"
        if block.language in ("sh", "setup"):
            text = "\n".join(block.lines)
            code, said = world.run(text)
            if code:
                wrong.append(f"{where}: exit {code}\n{text}\n{said}")
        elif block.language == "console":
            for call in calls(block):
                _, said = world.run(call.line)
                world.learn(call.answer, said)
                if not fits(call.answer, said):
                    told = "\n".join(call.answer)
                    wrong.append(f"{where}: $ {call.line}\n--- the manual says\n{told}\n--- the answer is\n{said}")
    return wrong


if __name__ == "__main__":
    # For a writer: what each command of a page answers today.
    import tempfile

    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as scratch:
            os.chdir(ROOT)
            print(shlex.quote(name))
            print("\n\n".join(walk(Path(name).resolve(), Path(scratch))) or "as the manual says")
