"""hook: what the shims fall back on when their baked interpreter is gone, and what hook managers call."""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
import time

from tenure.faces.cli.output import Output
from tenure.faces.hooks import entry, shims
from tenure.git import process
from tenure.model.text import to_bytes


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("event", choices=["pre-commit", "pre-push", "commit-msg", "pre-receive"])
    parser.add_argument("rest", nargs=argparse.REMAINDER)


def run(args: argparse.Namespace, out: Output) -> int:
    """Run one event as its shim would; 73 where it refuses (R-H7)."""
    del out
    if _probed():
        return 0
    os.environ.setdefault("TENURE_GIT_PID", str(_serving()))
    if args.event == "commit-msg":
        return subprocess.run(["sh", shims.path(args.event), *args.rest], check=False).returncode
    if args.event == "pre-push":
        _take_what_a_framework_says()
    return entry.main([args.event, *args.rest])


def _probed() -> bool:
    """`hooks status` asks whether git reaches us (B35): leave its mark, do nothing else."""
    mark = os.environ.get("TENURE_PROBE")
    if not mark:
        return False
    try:
        with open(mark, "w", encoding="utf-8"):
            pass
    except OSError:
        return True
    if os.environ.get("TENURE_PROBE_HOLD"):
        time.sleep(10)
    return True


def _take_what_a_framework_says() -> None:
    """pre-commit and prek hand hooks no standard input, but the one ref that they looked at, in variables (B15)."""
    given = sys.stdin.buffer.read() if sys.stdin else b""
    to = os.environ.get("PRE_COMMIT_TO_REF") or os.environ.get("PRE_COMMIT_LOCAL_BRANCH")
    if not given and to:
        new = process.run(["rev-parse", "--verify", "-q", f"{to}^{{commit}}"]).line
        old = os.environ.get("PRE_COMMIT_FROM_REF") or "0" * 40
        local = os.environ.get("PRE_COMMIT_LOCAL_BRANCH") or to
        remote = os.environ.get("PRE_COMMIT_REMOTE_BRANCH") or local
        given = to_bytes(f"{local} {new} {remote} {old}\n") if new else b""
    sys.stdin = io.TextIOWrapper(io.BytesIO(given))


def _serving() -> int:
    """The git process that this hook serves, beyond the managers in between; the parent where nobody can tell."""
    pid = os.getppid()
    for _ in range(8):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                stat = file.read()
        except OSError:
            break
        if f"{pid} (git)" in stat[:32]:
            return pid
        pid = int(stat.rpartition(") ")[2].split()[1])
    return os.getppid()
