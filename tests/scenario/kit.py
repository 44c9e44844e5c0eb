"""What the scenarios share: a picture of all that must not change, a refusal that changes nothing, a server's hook."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from support import ADA, Clone, Result

LONG_AGO = "2026-01-02T03:04:05Z"


def picture(clone: Clone, feed: bool = False) -> dict[str, str]:
    """Refs, index, status and the bytes of every tracked or new file; `feed` counts refs/tenure, too."""
    names = ["refs"] if feed else ["refs/heads", "refs/tags", "refs/ank", "refs/remotes", "refs/stash"]
    refs = clone.git("for-each-ref", "--format=%(refname) %(objectname) %(symref)", *names).out
    found = {"refs": refs, "HEAD": clone.git("rev-parse", "--verify", "-q", "HEAD", exits=None).out}
    if (clone.path / "HEAD").is_file():
        return found
    found["index"] = clone.git("ls-files", "-s").out
    found["status"] = clone.git("status", "--porcelain=v2", "--ignored").out
    for path in sorted(clone.path.rglob("*")):
        if ".git" not in path.parts and path.is_file():
            found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def refused(clone: Clone, code: int, *words: str, agent: str | None = ADA, keeps: bool = True, **extra: str) -> str:
    """A verb that fails with that code, in the shape of every refusal, and changes nothing; returns what it said."""
    before = picture(clone)
    said = clone.tenure(*words, agent=agent, exits=code, **extra)
    check_refusal(said, code)
    if keeps:
        assert picture(clone) == before, "a refusal changed something"
    return said.err


def check_refusal(said: Result, code: int) -> None:
    """`error[N]: what`, then at least one command to run next; nothing on standard output."""
    lines = [line for line in said.err.splitlines() if not line.startswith("warning: ")]
    assert said.code == code and said.out == "", (said.code, said.out, said.err)
    assert lines[0].startswith(f"error[{code}]: "), said.err
    assert len(lines) > 1 and all(line.startswith("  -> ") for line in lines[1:]), said.err


def head_of(said: str) -> str:
    """The sentence of a refusal."""
    return said.splitlines()[0].partition("]: ")[2]


def server_hook(bare: Clone, event: str, body: str) -> Path:
    """A hook of the server's own, in sh; its folder is the bare repository."""
    return bare.world.script(f"{bare.path.name}/hooks/{event}", f"#!/bin/sh\n{body}\n")


def no_background(clone: Clone) -> dict[str, str]:
    """The environment of a command whose renewal stays here: nothing is carried behind the test's back."""
    del clone
    return {"TENURE_NO_BACKGROUND": "1"}


def away(clone: Clone) -> None:
    """Origin cannot be reached from this clone."""
    old = clone.git("config", "remote.origin.url").out.strip()
    clone.git("config", "test.url", old)
    clone.git("config", "remote.origin.url", os.path.join(clone.world.root, "gone.git"))


def back(clone: Clone) -> None:
    """Origin can be reached again."""
    clone.git("config", "remote.origin.url", clone.git("config", "test.url").out.strip())


def files(*texts: str) -> dict[str, str]:
    """Task files as `World.repo` and `World.origin` take them: by the digits of the id that each text names."""
    return {re.search(r"^id: TASK-(\w+)$", text, re.M)[1]: text for text in texts}  # type: ignore[index]


def no_answer(clone: Clone) -> None:
    """Origin accepts the connection and never says a word."""
    hang = clone.world.script("hang", "#!/bin/sh\nexec sleep 120\n")
    clone.git("config", "core.sshCommand", str(hang))
    clone.git("config", "remote.origin.url", "ssh://nowhere.invalid/x.git")
