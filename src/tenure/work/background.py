"""A detached process carries what waits: at once, in its own session, holding no pipe of its parent (R-H2, B25)."""

from __future__ import annotations

import os
import sys

from tenure.work.session import Session

FAILURES = 3  # R-H2: after so many in a row only pushes and verbs try


def start(session: Session, insist: bool = False) -> bool:
    """Start the carrier. `insist`: a push or a verb tries even after three failures in a row."""
    if session.origin is None or os.environ.get("TENURE_NO_BACKGROUND"):
        return False
    failures = session.store.read("carrier").get("failures", "0")
    if not insist and failures.isdigit() and int(failures) >= FAILURES:
        return False
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    code = f"import sys; sys.path.insert(0, {root!r}); from tenure.work.carrier import main; main()"
    words = [sys.executable, "-I", "-S", "-B", "-c", code, session.place.common_dir]
    return _detach(words)


def _detach(words: list[str]) -> bool:
    null = os.open(os.devnull, os.O_RDWR)
    try:
        env = {name: text for name, text in os.environ.items() if name not in ("GIT_INDEX_FILE", "GIT_QUARANTINE_PATH")}
        actions = [(os.POSIX_SPAWN_DUP2, null, number) for number in (0, 1, 2)]
        os.posix_spawn(words[0], words, env, file_actions=actions, setsid=True)
        return True
    except (OSError, AttributeError, NotImplementedError):
        return _detach_portably(words)
    finally:
        os.close(null)


def _detach_portably(words: list[str]) -> bool:
    import subprocess

    null = subprocess.DEVNULL
    flags = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) | getattr(subprocess, "DETACHED_PROCESS", 0)
    try:
        subprocess.Popen(
            words, stdin=null, stdout=null, stderr=null, close_fds=True, start_new_session=True, creationflags=flags
        )
    except OSError:
        return False
    return True
