"""pre-commit: refuse an edit of a frozen criterion, renew, warn before a contest, leave the trailers (R-H1)."""

from __future__ import annotations

import os

from tenure.faces.hooks.words import REFUSED, refusal, say, say_broken, told
from tenure.git import changes
from tenure.model import criteria, ids, instants, lease
from tenure.model.record import Claim
from tenure.work import background, renewing, staging, views
from tenure.work.renewing import Renewal
from tenure.work.session import Session
from tenure.work.staging import Look
from tenure.work.views import View, Views


def run(session: Session) -> int:
    """The exit code for the shim: 0 or REFUSED. Only R-F1 refuses (R-H4)."""
    staged = changes.staged()
    found = views.read(session, also=staging.wanted(session, staged))
    view, mine = _mine(session, found)
    look = staging.look(session, found, staged, mine, view.state.get("path") if view else None)
    for edit in look.edits:
        say(*refusal(edit, session.identity.value))
    if look.edits:
        return REFUSED
    try:
        _warn(session, found, look)
        if mine and view and mine.task in look.touched:
            _touch(session, view, mine, look)
        else:
            _tell_lost(session, found)
        _leave_trailers(session, look)
        _notice(session, found)
    except Exception as wrong:  # the verdict stands, with tenure.strict too: this was no part of it (R-H4, B33)
        say_broken(wrong)
    return 0


def _mine(session: Session, found: Views) -> tuple[View | None, Claim | None]:
    """The claim of this identity that a commit can touch: live, lapsed, or swept and kept here (R-L6)."""
    view = found.held(session.identity.value, session.at)
    if view and view.claim:
        return view, view.claim
    for state in session.store.all():
        one = found.of(state.task, session)
        if one.record is None and state.get("identity") == session.identity.value and state.get("ended") == "swept":
            kept = views.kept(one)
            if kept:
                return one, kept
    return None, None


def _warn(session: Session, found: Views, look: Look) -> None:
    for edit in look.said:
        say(told(edit))
    for shift in look.shifts:
        claim = shift.view.claim
        assert claim is not None
        say(
            f"tenure: {claim.task} is held by {claim.holder} until {instants.minute_of(claim.expires)};"
            f" this sets {shift.old} -> {shift.new}. Nothing is blocked and the claim stands;"
            f" ask {claim.holder} to release"
        )
    for task in look.unreadable:
        unreadable = found.tasks[task].unreadable
        assert unreadable is not None
        say(f"tenure: {unreadable.ref} cannot be read ({unreadable.why}); tenure doctor")
    for complaint in session.complaints:
        say(f"tenure: {complaint}")


def _touch(session: Session, view: View, mine: Claim, look: Look) -> None:
    """Renew, or say why not (R-L4, R-L5, R-L6)."""
    state = look.held_state
    if state and state.status == "done" and mine.criteria in state.proofs:
        _complete(session, view, mine)
        return
    if (state and state.status in ("done", "closed")) or mine.task in look.reopened:
        return  # a write that ends or hands back the task is no renewal (R-L4)
    lapsed = not view.live(session.at)
    if lapsed and not (state and state.criterion is not None and criteria.fits(state.criterion, mine.criteria)):
        say(
            f"tenure: your lease on {mine.task} lapsed and its criterion differs from the frozen one: not renewed;"
            f" tenure criteria restore {ids.short(mine.task)}"
        )
        return
    done = renewing.recreate(session, view.state, mine) if view.record is None else renewing.renew(session, view)
    if done is None:
        say(f"tenure: {mine.task} changed hands in this moment; tenure status")
        return
    _tell(session, view, done)
    _carry(session, view, done)


def _complete(session: Session, view: View, mine: Claim) -> None:
    """A done that was cut short after the file: this commit carries the file, the ref follows (R-C7)."""
    from tenure.work import completing

    if completing.complete(session, view, mine):
        say(f"tenure: {mine.task} is done; its record names that now")


def _tell(session: Session, view: View, done: Renewal) -> None:
    """R-L8: one line when the holder should know something; the runway each time for an agent or when verbose."""
    until = f"{instants.minute_of(done.claim.expires)} ({instants.span(done.claim.expires - session.at)})"
    if done.was_lapsed:
        then = " unless origin has another holder: tenure status" if session.has_origin else ""
        say(f"tenure: your lease on {view.task} had lapsed; it is yours again until {until}{then}")
    elif done.had < lease.SHORT:
        say(f"tenure: {view.task} renewed until {until}; only {instants.span(max(done.had, 0))} had been left")
    elif done.first:
        say(f"tenure: {view.task} renewed until {until}; every commit that touches it does this, quietly")
    elif session.identity.kind == "agent" or session.config.flag("tenure.verbose"):
        say(f"tenure: {view.task} until {until}")
    if lease.is_skewed(done.claim, session.at):
        say(f"tenure: {view.task} was claimed by a clock that runs ahead of this one")
    if done.first:
        view.state.set(told=1)
        session.store.save(view.state)


def _carry(session: Session, view: View, done: Renewal) -> None:
    """Origin needs the new end: a process of its own brings it there (R-H2)."""
    mode = session.config.get("tenure.renewpush") or "auto"
    if not done.carry or mode in ("never", "on-push"):
        return
    if mode == "always":
        from tenure.model import outcome
        from tenure.work import carrying

        found = carrying.carry(session, session.store.task(view.task), 5.0)
        if found.kind not in (outcome.WON, outcome.REGRANT):
            say(f"tenure: the renewal of {view.task} was not carried to origin ({found.kind})")
        return
    if not background.start(session):
        failed = session.store.read("carrier")
        if failed and not failed.get("said"):
            why = failed.get("why", "no answer")
            say(f"tenure: renewals do not reach origin ({why}); a push or any verb tries again")
            session.store.write("carrier", {**failed, "said": "1"})


def _tell_lost(session: Session, found: Views) -> None:
    """R-L6: who lost a task is told so at every commit until it claims again; the commit goes through."""
    for state in session.store.all():
        lost = state.lost(session.identity.value)
        if lost is None:
            continue
        view = found.of(state.task, session)
        holder = view.claim.holder if view.claim and view.live(session.at) else lost[0]
        session.store.note(
            f"you lost {state.task}: it is held by {holder} now"
        )  # a manager may swallow the line (R-H4)
        say(
            f"tenure: YOU LOST {state.task}: it is held by {holder} now. This commit goes through;"
            f" talk to {holder}, or: tenure claim --next"
        )


def _leave_trailers(session: Session, look: Look) -> None:
    """R-K4: for commit-msg, under the process id of the git that commits."""
    pid = os.environ.get("TENURE_GIT_PID", "")
    mode = session.config.get("tenure.trailers") or session.shared.trailers or "auto"
    if not look.touched or not pid.isdigit() or mode == "never":
        return
    if mode != "always" and session.identity.kind not in ("agent", "process"):
        return
    folder = session.place.worktree_state
    # A template that nobody wrote into is no message to git, and commit-msg must be able to tell.
    template = os.path.expanduser(session.config.get("commit.template") or "")
    said = f"template: {template}\n" if template else ""
    try:
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, f"commit-msg.{pid}"), "w", encoding="utf-8", newline="\n") as file:
            file.write(f"{said}Ank-Task: {look.touched[0]}\nAnk-Agent: {session.identity.value}\n")
    except OSError:
        pass  # R-H4: trailers are a help, not a condition


def _notice(session: Session, found: Views) -> None:
    """R-K6: without an origin, contests that HEAD holds become events now. Costs one process, and no import, else."""
    starts = [view.claim.claimed for view in found.claims() if view.claim]
    if session.has_origin or not starts:
        return
    checked = session.store.read("noticed").get("head")
    try:
        new = changes.commits(["HEAD"], [checked] if checked else [], since=min(starts))
    except Exception:  # no commit yet
        return
    if new:
        from tenure.work import contests

        contests.notice(session, "hook")
