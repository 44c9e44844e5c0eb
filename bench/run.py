"""What the hooks cost, as ratios of medians of one run: beside empty hooks, pre-commit and lefthook (`make bench`).

Every commit is made in turn by each contender, so that a busy machine slows all of them alike. Ends with 1 when a
target is missed; what is not installed here is not measured, and said.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src")]

from hooks.ground import Ground, Repo, script  # noqa: E402
from hooks.scene import Scene, task_file  # noqa: E402

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "25"))
REFS, TASKS = 3000, 100


class Report:
    """Lines of what was measured against its target, and whether all were met."""

    def __init__(self) -> None:
        self.missed = False

    def say(self, what: str, found: float, limit: float, unit: str) -> None:
        met = found <= limit
        self.missed = self.missed or not met
        print(f"{'ok    ' if met else 'MISSED'} {what:<72} {found:8.2f} {unit:<5} (at most {limit:g})", flush=True)

    def tell(self, what: str, found: float, unit: str = "ms") -> None:
        print(f"       {what:<72} {found:8.2f} {unit}", flush=True)

    def skip(self, what: str, why: str) -> None:
        print(f"  --   {what}: not measured ({why})", flush=True)


def plain(ground: Ground) -> Repo:
    """The yardstick: as many hooks, all empty."""
    made = ground.repo("plain")
    for event in ("pre-commit", "commit-msg"):
        script(made.hook(event), "#!/bin/sh\nexit 0\n")
    return made


def idle(ground: Ground) -> Repo:
    """Ours, where nobody claims anything."""
    made = ground.repo("idle")
    made.tenure("hooks", "install")
    return made


def with_pre_commit(ground: Ground) -> Repo | None:
    """pre-commit with one hook that does nothing."""
    tool = Path(sys.executable).parent / "pre-commit"
    if not tool.exists():
        return None
    made = ground.repo("framework")
    made.write(
        ".pre-commit-config.yaml",
        "repos:\n  - repo: local\n    hooks:\n      - id: nothing\n        name: nothing\n        entry: 'true'\n"
        "        language: system\n        always_run: true\n        pass_filenames: false\n",
    )
    made.commit("Its configuration")
    ground.run(str(tool), "install", cwd=made.path)
    script(made.hook("commit-msg"), "#!/bin/sh\nexit 0\n")
    return made


def with_lefthook(ground: Ground) -> Repo | None:
    """lefthook with one job that does nothing."""
    found = shutil.which("lefthook") or _fetched(ground)
    if found is None:
        return None
    made = ground.repo("lefthook")
    made.write("lefthook.yml", "pre-commit:\n  scripts:\n    nothing.sh:\n      runner: sh\n")
    made.write(".lefthook/pre-commit/nothing.sh", "exit 0\n")
    made.commit("Its configuration")
    ground.run(found, "install", cwd=made.path)
    script(made.hook("commit-msg"), "#!/bin/sh\nexit 0\n")
    return made


def _fetched(ground: Ground) -> str | None:
    npm = shutil.which("npm")
    place = ground.root / "npm"
    place.mkdir()
    (place / "package.json").write_text("{}")
    words = [npm or "npm", "install", "--no-audit", "--no-fund", "--prefix", str(place), "lefthook@2"]
    done = subprocess.run(words, cwd=place, capture_output=True, check=False) if npm else None
    return str(place / "node_modules" / ".bin" / "lefthook") if done and done.returncode == 0 else None


def timed(act: Callable[[], object]) -> float:
    begun = time.perf_counter()
    act()
    return (time.perf_counter() - begun) * 1000


def commits(contenders: dict[str, tuple[Repo, Callable[[], object]]]) -> dict[str, float]:
    """Median milliseconds of a commit by each; `before` is called ahead of each one, outside the time."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(ROUNDS + 2):
        for name, (repo, before) in contenders.items():
            before()
            repo.write("src/a.py", f"{number}\n")
            repo.git("add", "-A")
            spent = timed(lambda repo=repo: repo.git("commit", "-q", "-m", "Work"))  # type: ignore[misc]
            if number >= 2:
                times[name].append(spent)
    return {name: statistics.median(found) for name, found in times.items()}


def bench_commits(ground: Ground, report: Report) -> None:
    scene = Scene(ground)
    nothing: Callable[[], object] = lambda: None  # noqa: E731
    runs: dict[str, tuple[Repo, Callable[[], object]]] = {
        "plain": (plain(ground), nothing),
        "idle": (idle(ground), nothing),
        "renewing": (scene.w, lambda: scene.shorten(1000)),
    }
    for name, made in (("pre-commit", with_pre_commit(ground)), ("lefthook", with_lefthook(ground))):
        if made:
            runs[name] = (made, nothing)
    found = commits(runs)
    assert scene.left() > 1700, "the commits did not renew"
    for name, spent in found.items():
        report.tell(f"commit, {name}", spent)
    base = found["plain"]
    report.say("idle commit / the same with empty hooks", found["idle"] / base, 1.5, "x")
    renewal = found["renewing"] - base
    report.say("renewing commit, added to the same with empty hooks", renewal, 60, "ms")
    if "pre-commit" in found:
        report.say(
            "added by a renewal / added by pre-commit, one no-op", renewal / (found["pre-commit"] - base), 0.25, "x"
        )
    else:
        report.skip("pre-commit", "it is not installed")
    if "lefthook" in found:
        report.say(
            "added by an idle commit / added by lefthook", (found["idle"] - base) / (found["lefthook"] - base), 1, "x"
        )
    else:
        report.skip("lefthook", "neither on PATH nor to be had from npm")


def bench_processes(ground: Ground, report: Report) -> None:
    """R-H6: exactly one git process and no Python in an idle commit, by git's own trace and the shell's."""
    repo = Repo(ground, ground.root / "idle")
    trace = ground.root / "trace"
    done = repo.commit("Idle", GIT_TRACE2_EVENT=str(trace), PYTHONPROFILEIMPORTTIME="1")
    names = [line.split('"name":"')[1].split('"')[0] for line in trace.read_text().splitlines() if '"cmd_name"' in line]
    started = [name for name in names if name not in ("commit", "gc", "maintenance")]
    report.say(f"git processes of an idle commit: {' '.join(started)}", len(started), 1, "")
    report.say("Pythons of an idle commit", done.stderr.count("import time:"), 0, "")


def bench_push(ground: Ground, report: Report) -> None:
    """3,000 refs, each a commit of its own, over 100 tasks that are claimed."""
    repo = ground.repo("wide")
    names = [f"TASK-{number:012x}" for number in range(TASKS)]
    for name in names:
        repo.write(f".ank/entities/{name}.md", task_file(name, f"Criterion of {name}.", f"src/{name}/**"))
    repo.commit("Tasks")
    now = time.gmtime()
    for name in names:
        repo.record(_record(name, f"human:h{name[-3:]}", now), task=name)
    _branches(repo, names)
    repo.git("remote", "add", "origin", str(ground.origin("wide.git")))
    repo.tenure("hooks", "install")
    tips = repo.ask("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/b").splitlines()
    lines = "".join(f"{ref} {oid} {ref} {'0' * len(oid)}\n" for ref, oid in (tip.split() for tip in tips)).encode()
    words = (str(repo.hook("pre-push")), "origin", str(ground.root / "wide.git"))
    spent = [timed(lambda: ground.run(*words, cwd=repo.path, stdin=lines, env=QUIET)) for _ in range(3)]
    report.say(f"pre-push, {len(tips)} refs, {TASKS} frozen tasks", statistics.median(spent) / 1000, 2, "s")


QUIET = {"TENURE_NO_BACKGROUND": "1"}


def _record(task: str, holder: str, now: time.struct_time) -> str:
    from tenure.model import criteria

    until = time.gmtime(time.time() + 1500)
    claimed, expires = (time.strftime("%Y-%m-%dT%H:%M:%SZ", at) for at in (now, until))
    frozen = criteria.freeze_hash(f"Criterion of {task}.")
    return (
        f"state: claim\ntask: {task}\nholder: {holder}\nclaimed: {claimed}\nexpires: {expires}\nttl: 1800\n"
        f"criteria: {frozen}\nconstraints: e3b0c44298fc\n"
    )


def _branches(repo: Repo, names: list[str]) -> None:
    """By fast-import: most branches touch code, every thirtieth a task file."""
    base, parts = repo.ask("rev-parse", "HEAD"), []
    for number in range(REFS):
        name = names[number % TASKS]
        path, text = f"src/{number}.py", f"{number}\n"
        if number % 30 == 0:
            path = f".ank/entities/{name}.md"
            text = task_file(name, f"Criterion of {name}.", f"src/{name}/**") + f"Note {number}.\n"
        parts.append(
            f"commit refs/heads/b/{number}\ncommitter Ada <ada@example.org> {1_700_000_000 + number} +0000\n"
            f"data 4\nWork\nfrom {base}\nM 100644 inline {path}\ndata {len(text.encode())}\n{text}\n"
        )
    repo.ground.run("git", "fast-import", "--quiet", cwd=repo.path, stdin="".join(parts).encode())


def main() -> int:
    report = Report()
    with tempfile.TemporaryDirectory(prefix="tenure-bench-") as place:
        ground = Ground(Path(place))
        for bench in (bench_commits, bench_processes, bench_push):
            bench(ground, report)
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
