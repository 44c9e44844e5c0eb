"""One small fault for each rule, and the tests that must notice it: `python tests/mutants.py [-k RULE]`.

Each fault is made in a temporary copy of the source; only the tests named with it are run there. A fault that they do
not notice has survived, and the exit code is 1. Not part of `make test`: it runs about a hundred tests, each against
its own broken copy.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from mutations import MUTANTS, Mutant

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src" / "tenure"
LIMIT = 600


def survives(one: Mutant, folder: Path) -> bool:
    """Whether every test that should notice passes over the broken copy."""
    path = folder / "src" / "tenure" / one.file
    good = path.read_text("utf-8")
    assert good.count(one.old) == 1, f"{one.rule}: {one.file}: {one.old!r}"
    path.write_text(good.replace(one.old, one.new), "utf-8")
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *[f"tests/{t}" for t in one.tests]],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            timeout=LIMIT,
            check=False,
        )
    finally:
        path.write_text(good, "utf-8")
    assert done.returncode in (0, 1), done.stdout.decode() + done.stderr.decode()
    return done.returncode == 0


def copy(folder: Path) -> None:
    """What the tests need, and nothing that they could find the good source by."""
    skip = shutil.ignore_patterns("__pycache__", ".pytest_cache", "*.pyc")
    for name in ("src", "tests", "hooks"):
        shutil.copytree(ROOT / name, folder / name, ignore=skip)
    shutil.copy(ROOT / "pyproject.toml", folder)


def main() -> int:
    """Break, test, tell; 1 when a fault survived."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("-k", metavar="RULE", help="only the faults of one rule, say R-L3")
    wanted = [one for one in MUTANTS if parser.parse_args().k in (None, one.rule)]
    survivors = 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        folder = Path(name)
        copy(folder)
        for one in wanted:
            alive = survives(one, folder)
            survivors += alive
            print(f"{'SURVIVED' if alive else 'killed':9}{one.rule:6}{one.file}: {one.old.strip()[:70]!r}", flush=True)
    print(f"{len(wanted)} faults, {survivors} survived")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
