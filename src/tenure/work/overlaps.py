"""Claims that meet: a notice and nothing else (R-K5)."""

from __future__ import annotations

from tenure.model import instants, scope
from tenure.model.errors import TenureError
from tenure.model.record import Claim
from tenure.model.task import Task
from tenure.work.session import Session
from tenure.work.views import Views

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenure.work.corpus import Corpus


def line(session: Session, corpus: Corpus, found: Views, globs: tuple[str, ...], but: str) -> str | None:
    """One line when this scope meets live claims of somebody else; `but` is the task that the scope is of."""
    meeting = []
    for view in found.claims():
        if view.task == but or view.held_by(session.identity.value) or not view.live(session.at):
            continue
        try:
            theirs = corpus.stored(view.task).entity
        except TenureError:
            continue
        if isinstance(theirs, Task) and scope.overlap(globs, theirs.scope) is not None and view.claim:
            meeting.append(view.claim)
    return words(meeting)


def words(meeting: list[Claim]) -> str | None:
    """`2 claims overlap, first: TASK-..., held by ..., until ... UTC`."""
    if not meeting:
        return None
    one = meeting[0]
    count = "1 claim overlaps" if len(meeting) == 1 else f"{len(meeting)} claims overlap"
    return f"{count}, first: {one.task}, held by {one.holder}, until {instants.minute_of(one.expires)}"
