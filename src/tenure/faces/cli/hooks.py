"""`tenure hooks install|uninstall|status|print` (R-H7)."""

from __future__ import annotations

import argparse

from tenure.faces.cli.output import Output, Styled
from tenure.faces.hooks import install, managers, probe, shims
from tenure.git import hooking, process, repo
from tenure.git.repo import Place
from tenure.model.errors import FaultsFound
from tenure.work import mirroring
from tenure.work import session as sessions
from tenure.work.session import Session

_WORDS = {
    "installed": "installed",
    "refreshed": "refreshed",
    "unchanged": "already in place",
    "removed": "removed",
    "restored": "removed, and the hook from before is back",
    "absent": "was not installed",
    "by-hand": "left to you",
}
_KINDS = {
    "a shell script of your own, husky's too (.husky/<event>); before anything that reads standard input": (
        managers.script_lines
    ),
    "lefthook (let no other job of pre-push use standard input)": managers.lefthook_lines,
    "git 2.54 and newer, beside whatever owns the hooks": managers.config_lines,
    "pre-commit or prek, under `- repo: local` and `hooks:` (better: tenure hooks install, which they run first)": (
        managers.pre_commit_lines
    ),
}


def register(parser: argparse.ArgumentParser) -> None:
    """The four ways, and their flags."""
    ways = parser.add_subparsers(dest="way", required=True, metavar="install|uninstall|status|print")
    put = ways.add_parser("install", help="put the hooks in place beside what is there")
    put.add_argument("--into-tracked", action="store_true", help="write into a hooks folder that the repository tracks")
    put.add_argument("--hooks", choices=("native", "config"), default="native", help="config: git 2.54 and newer")
    put.add_argument("--server", action="store_true", help="for a repository that is pushed to: pre-receive alone")
    ways.add_parser("uninstall", help="take them out, and give back what was there")
    look = ways.add_parser("status", help="prove by a probe that they fire; exit 8 where one does not")
    look.add_argument("--all-worktrees", action="store_true", help="in every worktree of this clone")
    ways.add_parser("print", help="the lines for those who manage hooks by hand")
    parser.set_defaults(needs=("one of install, uninstall, status, print", "tenure hooks status"))


def run(args: argparse.Namespace, out: Output) -> int:
    """Run one way; 8 where something is left to do or a hook does not run."""
    if args.way == "print":
        return _print(out)
    process.version()
    place = repo.find(args.folder)
    if args.way == "install":
        return _install(place, args, out)
    if args.way == "uninstall":
        return _changed(install.uninstall(place), place, out)
    return _status(place, args.all_worktrees, out)


def for_init(session: Session, how: str, out: Output) -> tuple[list[dict[str, object]], list[str]]:
    """The hooks of `init`: put in place (or printed), said, and as rows; with the files that were changed."""
    if how == "print":
        _print(out if not out.json else Output(quiet=True))
        return [], []
    changes = install.install(session.place, False, how == "config")
    say(changes, out)
    warn_about_lfs(session.place, out)
    look_at_origin(session, out)
    touched = [change.path for change in changes if change.did in ("installed", "refreshed")]
    return (rows(changes, session.place) if out.json else []), touched


def for_uninit(session: Session, out: Output) -> list[str]:
    """The hooks taken out for `uninit`; the files that went or were given back."""
    changes = install.uninstall(session.place)
    say(changes, Output(quiet=True))
    for change in changes:
        if change.lines:
            out.warn(f"{change.name}: {change.why}")
    return [change.path for change in changes if change.did in ("removed", "restored")]


def _install(place: Place, args: argparse.Namespace, out: Output) -> int:
    changes = install.install(place, args.into_tracked, args.hooks == "config", args.server)
    code = _changed(changes, place, out)
    warn_about_lfs(place, out)
    if not args.server:
        look_at_origin(sessions.begin(args.folder, lenient=True), out)
    return code


def look_at_origin(session: Session, out: Output) -> None:
    """In a fresh clone the hooks know of no claim, and would let an edit of a frozen criterion through (R-F2)."""
    if not mirroring.refresh(session):
        out.warn("origin did not answer: the hooks do not know what others hold until a command has asked it")


def warn_about_lfs(place: Place, out: Output) -> None:
    """Files of git-lfs without its push hook would be pushed as empty pointers."""
    if managers.wants_lfs(place.top, hooking.folder(place.top or place.git_dir)):
        out.warn(
            "files here go to git-lfs, but its push hook is not in reach: their content would not be uploaded",
            "tenure hooks uninstall && git lfs install --local && tenure hooks install",
        )


def say(changes: list[install.Change], out: Output) -> None:
    """What was done, a line an event, and the lines that are left to a person."""
    for change in changes:
        kept = f" (beside {change.kept})" if change.kept else ""
        out.say(f"{change.name}: {_WORDS[change.did]}{kept}")
    by_hand = [change for change in changes if change.lines]
    for change in by_hand:
        out.say()
        out.say(f"{change.name}: {change.why}. Add:")
        for line in change.lines:
            out.say(f"    {line}")
    if by_hand:
        out.say()
        out.say("Then: tenure hooks status")


def rows(changes: list[install.Change], place: Place) -> list[dict[str, object]]:
    """The document's `hooks`: how each stands afterwards (`name, state, path, fires`), and what was done for it."""
    done = {change.name: change for change in changes}
    found = []
    for state in probe.status(place):
        change = done.get(state.name)
        more = {"did": change.did, "lines": list(change.lines), "why": change.why} if change else {}
        found.append({**_row(state), **more})
    return found


def _row(state: probe.HookState) -> dict[str, object]:
    return {
        "name": state.name,
        "state": state.state,
        "path": state.path,
        "fires": state.fires,
        "worktree": state.worktree,
    }


def _changed(changes: list[install.Change], place: Place, out: Output) -> int:
    say(changes, out)
    if out.json:
        out.document({"hooks": rows(changes, place)})
    return FaultsFound.code if any(change.lines for change in changes) else 0


def _status(place: Place, everywhere: bool, out: Output) -> int:
    states = probe.status(place, everywhere)
    out.document({"hooks": [_row(state) for state in states]})
    last = ""
    for state in states:
        if everywhere and state.worktree != last:
            last = state.worktree
            out.say(last)
        told = Styled("fires", "good") if state.fires else Styled("does not run here", "bad")
        out.say(f"{state.name}: {state.state}, ", told, f"  {state.path}")
    silent = not all(state.fires for state in states)
    if silent or any(state.state == "stale" for state in states):
        out.say("  -> tenure hooks install")
    return FaultsFound.code if silent else 0


def _print(out: Output) -> int:
    rows = [
        {"name": event, "lines": list(of(event)), "for": kind} for kind, of in _KINDS.items() for event in shims.EVENTS
    ]
    out.document({"hooks": rows})
    _say_lines(out)
    return 0


def _say_lines(out: Output) -> None:
    for kind, lines_of in _KINDS.items():
        out.say(f"# {kind}")
        for event in shims.EVENTS:
            for line in lines_of(event):
                out.say(line)
        out.say()
