"""Commands as processes of their own: forked from the test, so that no interpreter starts, ended with `os._exit`.

Each can be killed, paused and raced like any other.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tenure.model.errors import TenureError

LIMIT = 60


class Result:
    """How a command ended: exit code (negative: the signal that ended it), what it answered, its words."""

    def __init__(self, code: int, answer: dict[str, Any], words: str) -> None:
        self.code, self.answer, self.words = code, answer, words

    def __getitem__(self, key: str) -> Any:
        return self.answer[key]

    def __repr__(self) -> str:
        return f"exit {self.code} {self.answer} {self.words[-2000:]}"

    @property
    def won(self) -> bool:
        return self.code == 0

    @property
    def message(self) -> str:
        return str(self.answer.get("message", ""))

    def refused(self, code: int, *names: str) -> Result:
        """A refusal with that code whose sentence names these."""
        assert self.code == code, self
        for name in names:
            assert name in self.message, self
        return self

    def ok(self) -> Result:
        assert self.code == 0, self
        return self


class Running:
    """A command on its way."""

    def __init__(self, pid: int, answers: Path) -> None:
        self.pid, self._answers = pid, answers

    def wait(self, limit: float = LIMIT) -> Result:
        end = time.monotonic() + limit
        while True:
            found, status = os.waitpid(self.pid, os.WNOHANG)
            if found:
                break
            if time.monotonic() > end:
                self.kill()
                os.waitpid(self.pid, 0)
                raise AssertionError(f"did not end within {limit:.0f} s")
            time.sleep(0.002)
        text = self._answers.read_text() if self._answers.exists() else ""
        words = self._answers.with_suffix(".err").read_text(errors="replace")
        code = os.waitstatus_to_exitcode(status)
        return Result(code, json.loads(text) if text else {}, words)

    def kill(self) -> None:
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def fork(body: Callable[[], dict[str, Any]], env: dict[str, str], answers: Path) -> Running:
    """Start it; the answer is written to that file as JSON, a TenureError becomes its code."""
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        _child(body, env, answers)
    return Running(pid, answers)


def _child(body: Callable[[], dict[str, Any]], env: dict[str, str], answers: Path) -> None:
    code = 99
    try:
        os.setpgid(0, 0)
        log = os.open(answers.with_suffix(".err"), os.O_WRONLY | os.O_CREAT, 0o600)
        null = os.open(os.devnull, os.O_RDONLY)
        for number, fd in ((0, null), (1, log), (2, log)):
            os.dup2(fd, number)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
        os.environ.clear()
        os.environ.update(env)
        code, answer = _answer(body)
        sys.stdout.flush()
        sys.stderr.flush()
        part = answers.with_suffix(".part")
        part.write_text(json.dumps(answer))
        part.rename(answers)
    except BaseException:
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)


def _answer(body: Callable[[], dict[str, Any]]) -> tuple[int, dict[str, Any]]:
    try:
        answer = body()
        return int(answer.get("code", 0)), answer
    except TenureError as wrong:
        return wrong.code, {"error": type(wrong).__name__, "message": wrong.message, "next": list(wrong.next)}
