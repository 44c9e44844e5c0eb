"""What the shims start: `python -I -S -B entry.py EVENT [ARGS]`. Exit 0: go on; 73: refused; anything else: broken.

`-S` keeps site-packages away until an answer needs them (R-X1); the package is found from this very file.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__" and not __package__:
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))


def main(argv: list[str]) -> int:
    """Run one event. Whatever goes wrong here lets the commit or push through, unless `tenure.strict` (R-H4)."""
    event, args = (argv[0] if argv else ""), argv[1:]
    stdin = sys.stdin.buffer.read() if event in ("pre-push", "pre-receive") and sys.stdin else b""
    strict = False
    try:
        from tenure.git import repo
        from tenure.work import session as sessions

        session = sessions.begin(lenient=True, place=repo.of_hook())
        if _skipped(session.config.get("tenure.enabled")) or _guarded(session.place.common_dir):
            return 0
        strict = session.strict
        if event == "pre-commit":
            from tenure.faces.hooks import commit

            return commit.run(session)
        if event == "pre-push":
            from tenure.faces.hooks import push

            return push.run(session, args, stdin)
        if event == "pre-receive":
            from tenure.faces.hooks import receive

            return receive.run(session, stdin)
        return 0
    except Exception as wrong:
        return _broken(wrong, strict)


def _skipped(enabled: str | None) -> bool:
    """`TENURE=0`, `SKIP=tenure`, or `tenure.enabled` is false (R-H8)."""
    off = (enabled or "").strip().lower() in ("false", "no", "off", "0")
    return off or os.environ.get("TENURE") == "0" or "tenure" in os.environ.get("SKIP", "").split(",")


def _guarded(common_dir: str) -> bool:
    """Started by a git command of our own in this very clone (B21); in another clone the guard says nothing."""
    guard = os.environ.get("TENURE_GUARD")
    return bool(guard) and os.path.realpath(guard or "") == os.path.realpath(common_dir)


def _broken(wrong: Exception, strict: bool) -> int:
    from tenure.faces.hooks.words import REFUSED, reason, say, say_broken

    if strict:
        say(f"tenure: refused: could not verify: {reason(wrong)} (tenure.strict)")
        return REFUSED
    say_broken(wrong)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
