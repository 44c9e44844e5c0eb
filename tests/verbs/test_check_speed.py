"""check over a large corpus: bounded time and memory, and growth that stays near the size's own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tenure.model import ids
from tenure.model.record import Claim, emit_claim
from tenure.model.task import Proof
from verbs.world import Repo, task


def fill(repo: Repo, tasks: int, claims: int) -> None:
    now = int(time.time())
    names = [f"TASK-{number:012x}" for number in range(tasks)]
    for number, one in enumerate(names):
        status = "in_progress" if number < claims else ("open", "done")[number % 2]
        made = task(
            one,
            title=f"Task {number}",
            scope=(f"src/m{number % 200}/**",),
            status=status,
            blocked_by=(names[number - 1],) if number % 3 and number > claims else (),
            proof=(Proof("test", "local/1@2", criteria="0f0f0f0f0f0f"),) if status == "done" else (),
        )
        repo.put(made)
    for number in range(200):
        repo.write(f"src/m{number}/a.py", "x\n")
    repo.commit("All of them")
    folder = repo.root / "records"
    folder.mkdir()
    for one in names[:claims]:
        claim = Claim(
            one, f"human:{one[-4:]}", now - 60, now + 1500, 1800, "b1946ac92492", "e3b0c44298fc", "ab" * 16, 1
        )
        (folder / one).write_text(emit_claim(claim))
    paths = "".join(f"{folder / one}\n" for one in names[:claims])
    oids = _fed(repo, ["hash-object", "-w", "--stdin-paths"], paths).split()
    lines = "".join(f"create {ids.claim_ref(one)} {oid}\n" for one, oid in zip(names, oids, strict=False))
    _fed(repo, ["update-ref", "--stdin"], lines)


def _fed(repo: Repo, words: list[str], text: str) -> str:
    done = subprocess.run(["git", *words], cwd=repo.path, input=text, capture_output=True, text=True, check=True)
    return done.stdout


# A process starts with the peak of the one that forked it: pytest's own would count, so a small one stands between.
METER = """
import json, os, resource, subprocess, sys
null = subprocess.DEVNULL
code = subprocess.run(sys.argv[1:], stdin=null, stdout=null, stderr=null).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([code, used.ru_utime + used.ru_stime, used.ru_maxrss]))
"""


def cost(repo: Repo) -> tuple[float, int]:
    """Processor seconds (the best of three: a busy machine says little) and peak KiB of check and its git alone."""
    times, peaks = [], []
    for _ in range(3):
        words = [sys.executable, "-I", "-S", "-c", METER, sys.executable, "-m", "tenure", "check", "--json"]
        done = subprocess.run(words, cwd=repo.path, env=repo.environment(), capture_output=True, check=True)
        code, seconds, peak = json.loads(done.stdout)
        assert code == 8  # the frozen hashes above fit nothing
        times.append(seconds)
        peaks.append(peak)
    return min(times), max(peaks)


@pytest.mark.slow
def test_check_takes_under_3_s_and_200_mb_for_5000_tasks_and_1000_claims(tmp_path: Path) -> None:
    """Issue 6: and at most 12 times what it takes for 500."""
    for name in ("small", "large"):
        (tmp_path / name).mkdir()
    small, large = Repo(tmp_path / "small"), Repo(tmp_path / "large")
    fill(small, 500, 100)
    fill(large, 5000, 1000)
    (short, _), (long, peak) = cost(small), cost(large)
    assert long < 3
    assert long / short <= 12
    assert peak < 200_000
