"""From a bare virtual environment to the first renewed lease, as README says, and back: what a newcomer pays.

    python bench/first_five_minutes.py [WHAT]     WHAT: what pip installs; this checkout where it is left out

Prints seconds, commands typed and pages opened; then what `uninit` leaves behind. Exits 1 where a lease was not renewed
or anything is left.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md",)
LIMIT = 600
_KEPT = ("PIP_", "SSL_", "http", "HTTP")  # how this machine reaches its package index


class Newcomer:
    """Somebody with an empty home, a git repository, and README open. Counts what is typed."""

    def __init__(self, root: Path) -> None:
        self.home, self.repo, binaries = root / "home", root / "repo", root / "venv" / "bin"
        self.typed = 0
        self.env = {
            "PATH": f"{binaries}:{os.environ['PATH']}",
            "HOME": str(self.home),
            "GIT_CONFIG_NOSYSTEM": "1",
            "LC_ALL": "C.UTF-8",
            **{name: text for name, text in os.environ.items() if name.startswith(_KEPT)},
        }
        self.home.mkdir()
        self.repo.mkdir()
        venv.create(root / "venv", with_pip=True)
        for line in ("git config --global user.name Ada", "git config --global user.email ada@example.org"):
            self._run(line)
        self._run("git init -q -b main && git commit -q --allow-empty -m Begin")

    def types(self, line: str) -> str:
        """A command that counts; what it said."""
        self.typed += 1
        return self._run(line)

    def left(self) -> dict[str, list[str]]:
        """What of tenure is in the clone: hooks, configuration keys, refs but claims, files."""
        git_dir = self.repo / ".git"
        hooks = [path.name for path in (git_dir / "hooks").iterdir() if path.suffix != ".sample"]
        keys = [line for line in self._run("git config --list --name-only").split() if "tenure" in line]
        refs = self._run("git for-each-ref --format='%(refname)' refs/tenure").split()
        return {"hooks": hooks, "keys": keys, "refs": refs, "files": [one.name for one in git_dir.glob("tenure*")]}

    def _run(self, line: str) -> str:
        done = subprocess.run(
            ["bash", "-c", line], cwd=self.repo, env=self.env, capture_output=True, timeout=LIMIT, check=False
        )
        said = (done.stdout + done.stderr).decode("utf-8", "replace")
        if done.returncode:
            raise SystemExit(f"$ {line}\nexit {done.returncode}\n{said}")
        return said


def first_lease(one: Newcomer, what: str) -> bool:
    """README's way to the first commit that renews; whether the hook said so."""
    one.types(f"pip install -q {what}")
    one.env["ANK_AGENT"] = "human:ada"
    one.typed += 1  # export ANK_AGENT=human:ada
    one.types("tenure init")
    said = one.types('tenure new task --title "Migrate auth" --scope "src/**" --criteria "every token is opaque"')
    task = re.findall(r"TASK-([0-9a-f]{4})", said)[0]
    one.types(f"tenure claim {task}")
    return "renewed until" in one.types('git add -A && git commit -m "Take the task"')


def main(argv: list[str]) -> int:
    """Go there and back, and print what it took."""
    with tempfile.TemporaryDirectory() as folder:
        one = Newcomer(Path(folder))
        begun = time.monotonic()
        renewed = first_lease(one, argv[0] if argv else str(ROOT))
        took = time.monotonic() - begun
        print(f"first renewed lease: {took:.0f} s, {one.typed} commands typed, {len(PAGES)} page opened")
        one.types("tenure uninit")
        left = one.left()
        print("after uninit: " + ", ".join(f"{len(found)} {what}" for what, found in left.items()) + " left")
    return 0 if renewed and not any(left.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
