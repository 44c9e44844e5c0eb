"""pre-push: the verdict over every ref pushed, the guard of the claim namespace, renewal, contests (R-H1, R-H3)."""

from __future__ import annotations

from tenure.faces.hooks.words import REFUSED, refusal, say, say_broken, told
from tenure.git import changes, objects, refs
from tenure.model import freeze, ids, scope
from tenure.model.glance import glance
from tenure.model.text import from_bytes
from tenure.model.value import replace, value
from tenure.model.verdict import Verdict
from tenure.work import background, batches, contests, feed, guarding, judging, overlaps, renewing, views
from tenure.work.session import Session
from tenure.work.views import View, Views

_MOST_COMMITS = 500
_WAITED = 60  # R-H3
_HEADS = "refs/heads/"


@value
class Line:
    """One pushed ref, as git tells the hook; objects None where they are all zeros."""

    local: str
    new: str | None
    remote: str
    old: str | None


def parse(stdin: bytes) -> list[Line]:
    """All lines; zero object names are of any length (B13, B15, B32)."""
    lines = []
    for raw in from_bytes(stdin).split("\n"):
        words = raw.rsplit(" ", 3)
        if len(words) == 4:
            lines.append(Line(words[0], _oid(words[1]), words[2], _oid(words[3])))
    return lines


def _oid(text: str) -> str | None:
    return text if text.strip("0") else None


def run(session: Session, args: list[str], stdin: bytes) -> int:
    """The exit code for the shim. The verdict is local and always finishes (R-H3)."""
    lines = parse(stdin)
    remote = args[0] if args else ""
    found = views.read(session)
    for complaint in session.complaints:
        say(f"tenure: {complaint}")
    to_origin = session.origin is not None and (remote == session.origin.name or args[1:2] == [session.origin.url])
    complaints = guarding.namespace(session, found, [(one.remote, one.new, one.old) for one in lines], to_origin)
    for warning in complaints.warnings:
        say(f"tenure: {warning}")
    tips = _tips(lines)
    known = _known(session, lines, remote, to_origin)
    batch = batches.gather(tips, known, session.origin.name if session.origin and not to_origin else None)
    refused = _judge(session, found, replace(batch, moves=_moves(lines) if found.claims() else ()))
    for text in complaints.refusals:
        say(f"tenure: refused: {text} [R-H1]")
    if refused or complaints.refusals:
        return REFUSED
    try:
        if tips:
            _presence(session, found, tips, known)
        _carry(session)
    except Exception as wrong:  # the verdict stands, with tenure.strict too: this was no part of it (R-H4, B33)
        say_broken(wrong)
    return 0


def _tips(lines: list[Line]) -> list[tuple[str, str]]:
    """Each pushed commit by its remote name; tags peeled, blobs and trees passed over (B14)."""
    pushed = [one for one in lines if one.new and not one.remote.startswith((ids.CLAIMS, "refs/tenure/"))]
    commits = objects.peeled([one.new or "" for one in pushed]) if pushed else []
    found: dict[str, str] = {}
    for line, commit in zip(pushed, commits, strict=True):
        if commit:
            found.setdefault(commit, line.remote)
    return [(name, commit) for commit, name in found.items()]


def _known(session: Session, lines: list[Line], remote: str, to_origin: bool) -> list[str]:
    """What the other side has. Tracking refs that its own answer contradicts are not believed.

    A branch that was deleted over there takes no other along. Nobody deletes the default branch: where that one is
    missing the address has changed, and nothing that was seen at the old one is believed (B16, B17).
    """
    named = remote if session.config.get(f"remote.{remote}.url") else None
    there = named or (session.origin.name if session.origin and to_origin else None)
    mine = f"refs/remotes/{there}/"
    tracked = refs.listed(mine[:-1]) if there else []
    missing = {mine + one.remote[len(_HEADS) :] for one in lines if one.old is None and one.remote.startswith(_HEADS)}
    if missing & _defaults(session, mine, tracked):
        tracked = []
    known = batches.known_of(None, [one.old for one in lines if one.old])
    return known + [ref.oid for ref in tracked if not ref.symref and ref.name not in missing]


def _defaults(session: Session, mine: str, tracked: list[refs.Ref]) -> set[str]:
    """The tracking ref of the default branch; where nothing names it, of those that it may be."""
    said = [ref.symref for ref in tracked if ref.name == mine + "HEAD" and ref.symref]
    said += [mine + session.default_branch_setting] if session.default_branch_setting else []
    there = {ref.name for ref in tracked}
    return there.intersection(said or (mine + "main", mine + "master"))


def _moves(lines: list[Line]) -> tuple[tuple[str, str], ...]:
    """What each branch holds over there and what it is to hold, where this clone has both."""
    return batches.moves([(one.old, one.new) for one in lines if one.old and one.new and one.remote.startswith(_HEADS)])


def _judge(session: Session, found: Views, batch: batches.Batch) -> bool:
    if not batch.commits and not batch.moves:
        return False
    verdict = judging.judge(session, found, batch, objects.read_many)
    if verdict.unjudged and _fill(session, batch):
        verdict = judging.judge(session, found, batch, objects.read_many)
    for edit in verdict.edits:
        say(*refusal(edit, session.identity.value))
    for edit in verdict.said:
        say(told(edit))
    for text in verdict.unjudged:
        say(f"tenure: not judged: {text}")
    if verdict.edits:
        return True
    if verdict.unjudged and session.strict:
        say("tenure: refused: could not verify, and tenure.strict is set: see the lines above, and tenure doctor")
        return True
    try:
        _tell_contests(session, verdict)
    except Exception as wrong:
        say_broken(wrong)
    return False


def _tell_contests(session: Session, verdict: Verdict) -> None:
    for one in verdict.contested:
        said = f"contested: {contests.sentence(one)}. Nothing is blocked and the claim stands"
        say(f"tenure: {said}")
        session.store.note(said)  # a manager may have swallowed it (R-H4)
    for one in verdict.unattributed:
        say(f"tenure: status change by somebody unknown: {contests.sentence(one)}")
    contests.record(session, verdict.contested, "hook")


def _fill(session: Session, batch: batches.Batch) -> bool:
    """What a partial clone left behind of the pushed task files: asked for once, within bounds (B31)."""
    if session.origin is None:
        return False
    from tenure.git import remote

    wanted = [oid for commit in batch.commits for change in commit.changes for oid in (*change.before, change.after)]
    return remote.fill(session.origin, session.config, [oid for oid in wanted if oid])


def _presence(session: Session, found: Views, tips: list[tuple[str, str]], known: list[str]) -> None:
    """Renew when a pushed commit touches the held task (R-L4); say when paths meet others' claims (R-K5)."""
    live = [view for view in found.claims() if view.live(session.at)]
    mine = next((view for view in live if view.held_by(session.identity.value)), None)
    others = [view for view in live if not view.held_by(session.identity.value)]
    if not live:
        return
    oids = changes.commits([oid for _, oid in tips], known, (), most=_MOST_COMMITS)
    paths = sorted({change.path for commit in changes.of_commits(oids, ()) for change in commit.changes})
    scopes = _scopes(live, tips[0][1])
    if mine and _touches(mine, paths, scopes):
        renewing.renew(session, mine)
    meeting = [view.claim for view in others if view.claim and scopes.get(view.task, _NOWHERE).meets(paths)]
    overlap = overlaps.words(meeting)
    if overlap:
        say(f"tenure: {overlap}")


def _touches(mine: View, paths: list[str], scopes: dict[str, Perimeter]) -> bool:
    return scopes.get(mine.task, _NOWHERE).meets(paths) or any(ids.task_of_path(path) == mine.task for path in paths)


@value
class Perimeter:
    """A task's scope and the folder that it is relative to."""

    root: str
    globs: tuple[str, ...]

    def meets(self, paths: list[str]) -> bool:
        return any(scope.matches(self.globs, path) for path in freeze.below(self.root, paths))


_NOWHERE = Perimeter("", ())


def _scopes(live: list[View], tip: str) -> dict[str, Perimeter]:
    """The perimeter of each claimed task, read at the pushed tip."""
    names = [(view.task, place) for view in live for place in ids.usual_paths(view.task, view.state.get("path"))]
    elsewhere = {ids.task_of_path(path) or "": path for path in changes.tracked_tasks()}
    names += [(view.task, elsewhere[view.task]) for view in live if view.task in elsewhere]
    things = objects.read_many([f"{tip}:{place}" for _, place in names])
    found: dict[str, Perimeter] = {}
    for (task, place), thing in zip(names, things, strict=True):
        if thing and task not in found:
            found[task] = Perimeter(freeze.root_of(place), glance(thing.data).scope)
    return found


def _carry(session: Session) -> None:
    """R-H3: hand over to the background; the network itself only where it is asked for or has waited too long."""
    mode = session.config.get("tenure.renewpush") or "auto"
    if session.origin is None or mode == "never":
        return
    waits = [state for state in session.store.all() if state.get("pending")]
    late = any(session.at - (state.number("pending_since") or session.at) > _WAITED for state in waits)
    if waits and (mode in ("always", "on-push") or late):
        import time

        from tenure.work import carrier

        before = session.store.read("carrier")
        carrier.run(session, time.monotonic() + 5.0)
        now = session.store.read("carrier")
        if now.get("failures", "") > before.get("failures", ""):
            say(f"tenure: the renewal was not carried to origin ({now['why']}); the next push or verb tries again")
        return
    if waits or feed.waiting(True):
        background.start(session, insist=True)
