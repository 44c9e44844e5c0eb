"""doctor: what is wrong here, and the command that mends it; 8 where something is broken (§10)."""

from __future__ import annotations

import argparse
import itertools
import os

from tenure.faces.cli.output import Output, Styled
from tenure.faces.hooks import managers, probe
from tenure.git import hooking, process, repo
from tenure.git.repo import Place
from tenure.model.errors import FaultsFound, TenureError, WrongUse
from tenure.model.text import counted
from tenure.work import diagnosing
from tenure.work import session as sessions
from tenure.work.diagnosing import FAULT, HINT, Finding


def register(parser: argparse.ArgumentParser) -> None:
    del parser


def run(args: argparse.Namespace, out: Output) -> int:
    process.version()
    facts, found = _look(args.folder, out)
    place = repo.find()
    with out.waiting("letting git run the hooks"):
        found += _hooks(place)
    _say(facts, found, out)
    rows = [
        {"level": one.level, "subject": one.subject, "message": one.message, "next": list(one.next)} for one in found
    ]
    out.document({"findings": rows, "facts": [{"subject": name, "value": told} for name, told in facts]})
    return FaultsFound.code if any(one.level == FAULT for one in found) else 0


def _look(folder: str | None, out: Output) -> tuple[list[tuple[str, str]], list[Finding]]:
    """All but the hooks. A setting that stops every verb is a finding here, and ends the look (R-I3, R-X5)."""
    try:
        session = sessions.begin(folder, lenient=True)
    except WrongUse as wrong:
        return [], [Finding(FAULT, "settings", wrong.message, wrong.next)]
    with out.waiting("asking origin"):
        return diagnosing.facts(session), diagnosing.findings(session)


def _hooks(place: Place) -> list[Finding]:
    """Whether git comes by our hooks in every worktree, proved by letting it (R-H7)."""
    found = []
    if os.environ.get("TENURE") == "0" or "tenure" in os.environ.get("SKIP", "").split(","):
        found.append(Finding(HINT, "hooks", "this shell skips the hooks (TENURE=0 or SKIP)", ("unset TENURE SKIP",)))
    try:
        states = probe.status(place, all_worktrees=True)
        found += [_hook(state, place) for state in states if not state.fires or state.state == "stale"]
        lacking = managers.wants_lfs(place.top, hooking.folder(place.top or place.git_dir))
    except TenureError as wrong:
        return [*found, Finding(FAULT, "hooks", wrong.message, wrong.next)]
    if lacking:
        told = "files here go to git-lfs, and its push hook is not in reach: their content would not be uploaded"
        found.append(Finding(FAULT, "hooks", told, ("git lfs install --local && tenure hooks install",)))
    return found


def _hook(state: probe.HookState, place: Place) -> Finding:
    where = f" in {state.worktree}" if state.worktree != (place.top or place.git_dir) else ""
    mend = f"tenure -C {state.worktree} hooks install" if where else "tenure hooks install"
    if state.state == "absent":
        return Finding(HINT, "hooks", f"{state.name} is not installed{where}", (mend,))
    if state.state == "foreign":
        told = f"{state.name}{where} is somebody else's and does not come by tenure ({state.path})"
        return Finding(HINT, "hooks", told, (mend,))
    if state.fires:
        return Finding(
            HINT, "hooks", f"{state.name}{where} was edited, or is of another installation ({state.path})", (mend,)
        )
    told = f"{state.name} is {state.state}{where} and does not run ({state.path})"
    return Finding(FAULT, "hooks", told, (mend, "tenure hooks status"))


def _say(facts: list[tuple[str, str]], found: list[Finding], out: Output) -> None:
    for name, told in facts:
        out.say(f"{name:16}{told}")
    if facts and found:
        out.say()
    for one, after in itertools.zip_longest(found, found[1:]):
        out.say(Styled(one.level, "bad" if one.level == FAULT else "warn"), f"  {one.subject}: {one.message}")
        for command in () if after and after.next == one.next else one.next:
            out.say(f"  -> {command}")
    faults = sum(one.level == FAULT for one in found)
    hints = len(found) - faults
    if not found:
        out.say(Styled("nothing is wrong here", "good"))
    else:
        out.say()
        out.say(f"{counted(faults, 'fault')}, {counted(hints, 'hint')}")
