"""Which task a verb means, and whether this identity may act on it (R-C7, R-L6)."""

from __future__ import annotations

from tenure.model import criteria, ids, instants, lease
from tenure.model.errors import Broken, NotFound, TenureError, Unavailable, WrongState
from tenure.model.record import Claim, Completion, Record
from tenure.model.task import Task
from tenure.model.value import value
from tenure.work import entries, whereabouts
from tenure.work.session import Session
from tenure.work.views import View, Views


@value
class Held:
    """A claim of this identity. `swept`: the ref is gone and `claim` is what this clone kept of it (R-L6)."""

    view: View
    claim: Claim
    swept: bool

    @property
    def task(self) -> str:
        return self.claim.task


def mine(session: Session, found: Views, task: str | None = None, status: str | None = None) -> Held:
    """The claim of this identity that a verb acts on: of the task named, else the one that HEAD means.

    6 when it holds nothing; 4 naming the holder when somebody else holds it or took it over; 9 when it is unreadable.
    `status`: what the file of the task named says here; one that is over needs no claim to be told so.
    """
    if task is not None:
        return _named(session, found, task, status if status in ("done", "closed") else None)
    view = found.held(session.identity.value, session.at)
    if view and view.claim:
        return Held(view, view.claim, False)
    for state in session.store.all():
        held = _swept(session, found.of(state.task, session))
        if held:
            return held
    for state in session.store.all():
        if state.lost(session.identity.value):
            raise lost_error(session, found.of(state.task, session))
    raise _nothing_held(session, found)


def _nothing_held(session: Session, found: Views) -> WrongState:
    """6; where this identity has just finished its task on this branch, that is why."""
    who, here = session.identity.value, whereabouts.branch()
    done = [view.completion for view in found.tasks.values() if view.completion]
    last = max((one for one in done if one.identity == who and one.branch == here), key=_when, default=None)
    if last is None:
        return WrongState(f"{who} holds no claim", "tenure claim <id>", "tenure claim --next")
    told = f"{who} holds no claim: {last.task} is finished already ({where(last)})"
    return WrongState(told, f"tenure show {ids.short(last.task)}", "tenure claim --next")


def _when(done: Completion) -> tuple[int, str]:
    return done.completed, done.task


def _named(session: Session, found: Views, task: str, over: str | None) -> Held:
    view = found.of(task, session)
    must_be_readable(session, view)
    if view.claim and view.held_by(session.identity.value):
        return Held(view, view.claim, False)
    finished = view.completion is not None
    if view.live(session.at) or (not over if finished else view.state.lost(session.identity.value)):
        raise taken_error(session, view)
    held = _swept(session, view)
    if held:
        return held
    if over:
        raise WrongState(f"{task} is {over} already", f"tenure show {ids.short(task)}")
    raise WrongState(f"{session.identity.value} holds no claim on {task}", f"tenure claim {ids.short(task)}")


def _swept(session: Session, view: View) -> Held | None:
    state = view.state
    if view.record is not None or state.get("identity") != session.identity.value or state.get("ended") != "swept":
        return None
    kept = entries.held(state)
    return Held(view, kept, True) if kept else None


def must_be_readable(session: Session, view: View) -> None:
    """Broken (9) naming the ref and the command that clears it, where the record cannot be read (R-C8)."""
    if view.unreadable:
        raise unreadable_error(session, view.unreadable.ref, view.unreadable.why)


def unreadable_error(session: Session, ref: str, why: str) -> Broken:
    """What a verb says that needs a record which cannot be read (R-C8)."""
    if ref.startswith(ids.MIRROR):
        there = ids.CLAIMS + ref[len(ids.MIRROR) :]
        return Broken(f"unreadable record on origin's {there} ({ref}): {why}", f"git push {session.remote} :{there}")
    return Broken(f"unreadable record on {ref}: {why}", f"git update-ref --no-deref -d {ref}")


def in_the_way_there(session: Session, ref: str) -> Broken:
    """9: a ref on origin whose name blocks the task's, and the command that clears it (R-C2, R-C8)."""
    return Broken(f"unreadable record on origin's {ref}: it stands in the way", f"git push {session.remote} :{ref}")


def taken_error(session: Session, view: View) -> TenureError:
    """4: held, finished elsewhere, or lost; names who and until when (R-C5, R-C7)."""
    if view.completion:
        return finished_error(view.completion)
    if view.claim and not view.held_by(session.identity.value) and view.live(session.at):
        return held_error(view.claim, session.at, view.first_seen)
    return lost_error(session, view)


def lost_to(session: Session, view: View, there: Record | None) -> TenureError:
    """4: what origin was found to hold instead, whatever this clone's mirror says by now (R-C2)."""
    if isinstance(there, Completion):
        return finished_error(there)
    return held_error(there, session.at) if isinstance(there, Claim) else taken_error(session, view)


def held_error(claim: Claim, at: int, first_seen: int | None = None) -> Unavailable:
    """`TASK-… is held by … (expires in 29m)`."""
    rest = lease.remaining(claim, at, first_seen)
    free = instants.span(lease.until_free(claim, at, first_seen))
    left = f"expires in {instants.span(rest)}" if rest else f"ended, free to be taken over in {free}"
    return Unavailable(f"{claim.task} is held by {claim.holder} ({left})", "tenure claim --next", "tenure status")


def finished_error(done: Completion) -> Unavailable:
    """The words of the seed, with the commit and the branch named."""
    return Unavailable(
        f"{done.task}: finished on another branch ({where(done)}), not merged here yet",
        f'tenure release --reason "<why>" {ids.short(done.task)}   (only if that branch was thrown away)',
    )


def where(done: Completion) -> str:
    """`commit 3fa91c2, branch main`."""
    return f"commit {done.commit[:7]}" + (f", branch {done.branch}" if done.branch else "")


def lost_error(session: Session, view: View) -> TenureError:
    """4: taken over meanwhile, naming the holder of now (R-L6)."""
    lost = view.state.lost(session.identity.value)
    holder = view.claim.holder if view.claim and not view.held_by(session.identity.value) else lost[0] if lost else ""
    if not holder:
        return NotFound(f"there is no claim on {view.task}", f"tenure claim {ids.short(view.task)}")
    return Unavailable(
        f"your claim on {view.task} was taken over by {holder}",
        f"tenure show {ids.short(view.task)}",
        "tenure claim --next",
    )


def must_fit(task: Task, claim: Claim) -> None:
    """WrongState (6) where the criterion is not the frozen one (R-C7, R-L6)."""
    if task.done_criteria is None or not criteria.fits(task.done_criteria, claim.criteria):
        raise criterion_error(claim)


def criterion_error(claim: Claim) -> WrongState:
    """6: the criterion is not the frozen one (R-C7, R-L6)."""
    name = ids.short(claim.task)
    return WrongState(
        f"the criterion of {claim.task} differs from the text frozen at {instants.minute_of(claim.claimed)}"
        f" ({claim.criteria[:12]})",
        f"tenure criteria restore {name}",
        'tenure release --reason "<why>"',
    )
