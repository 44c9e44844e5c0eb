"""`hooks status`: what stands where git looks, and whether git comes by ours, proved by letting it (B10, B35)."""

from __future__ import annotations

import os

from tenure.faces.hooks import install, managers, shims
from tenure.git import hooking
from tenure.git.repo import Place
from tenure.model.value import value


@value
class HookState:
    """One event in one worktree.

    state: installed, chained (beside another hook), absent, foreign (somebody else's), stale (ours, but edited, from
    another installation, or with an interpreter that is gone); fires: git was seen to reach it.
    """

    name: str
    state: str
    path: str
    fires: bool
    worktree: str


def status(place: Place, all_worktrees: bool = False) -> list[HookState]:
    """The state of every event here, or in every worktree of the clone (R-H7)."""
    here = place.top or place.git_dir
    trees = hooking.worktrees(here) if all_worktrees else [hooking.Worktree(here, place.top is None)]
    return [_state(place, tree, event) for tree in trees for event in shims.EVENTS]


def _state(place: Place, tree: hooking.Worktree, event: str) -> HookState:
    elsewhere = tree.path != (place.top or place.git_dir)
    found = hooking.folder(tree.path, elsewhere)
    top = None if tree.bare else tree.path
    state, path = _standing(place, found, event)
    ours = state in ("installed", "chained", "stale")
    if not ours:
        commands = hooking.config_hooks(tree.path).get(event, [])
        if any("tenure" in command for command in commands):
            state, path, ours = "installed", f"hook.tenure-{event}", True
    tried = ours or managers.speaks_of_us(event, found, top)
    fires = tried and hooking.reaches(event, tree.path, ours, elsewhere, managers.leave_out(top))
    return HookState(event, state, path, fires, tree.path)


def _standing(place: Place, found: hooking.Folder, event: str) -> tuple[str, str]:
    path = os.path.join(found.path, event)
    for spot in ("", ".legacy", os.path.join(".d", "tenure")):
        text = managers.read(path + spot) or ""
        shim = shims.recognise(text)
        if shim:
            return _of_ours(place, text, shim, spot), path + spot
    return ("foreign" if os.path.lexists(path) else "absent"), path


def _of_ours(place: Place, text: str, shim: shims.Shim, spot: str) -> str:
    if not shim.intact or not install.is_current(text, shim):
        return "stale"
    beside = bool(spot) or bool(shim.kept and os.path.lexists(install.kept_path(place, shim.kept)))
    return "chained" if beside else "installed"
