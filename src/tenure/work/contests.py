"""A status change under somebody else's lease: found in commits, recorded once, told to people (§6)."""

from __future__ import annotations

from tenure.git import changes, objects
from tenure.git.commits import Info
from tenure.git.reading import Reader
from tenure.model import contest, event, ids, instants
from tenure.model.contest import Actor
from tenure.model.event import Event
from tenure.model.verdict import Contest
from tenure.work import batches, feed, views
from tenure.work.batches import Batch, Step
from tenure.work.session import Session
from tenure.work.views import View, Views


def actor_of(session: Session, holder: str, claimed: int, task: str, commit: Info, events: list[Event]) -> Actor:
    """Who made a commit, seen from a claim (R-K3)."""
    start = instants.text_of(claimed)
    seen = {
        one.fields["author_email"] or ""
        for one in events
        if one.task == task
        and one.type in ("task.claimed", "task.taken_over")
        and one.fields.get("claimed") == start
        and one.fields["holder"] == holder
    } - {""}
    mapped = session.shared.identity_of(commit.author_email)
    return contest.attribute(holder, commit.agents, commit.author_email, mapped, frozenset(seen))


def told(found: Views, batch: Batch) -> list[Event]:
    """The feed of the tasks where it matters who acted: changed by the batch, and claimed (R-K3)."""
    touched = {ids.task_of_path(change.path) or "" for commit in batch.commits for change in commit.changes}
    return feed.events(*(task for task in touched if task in found.tasks and views.claims_of(found.tasks[task])))


def of_steps(
    session: Session, found: Views, steps: list[Step], events: list[Event]
) -> tuple[tuple[Contest, ...], tuple[Contest, ...]]:
    """Contests among these changes, and those that nothing attributes (R-K1, R-K3)."""
    settled: dict[tuple[object, ...], Contest] = {}
    unsettled: dict[tuple[object, ...], Contest] = {}
    for step in steps:
        one = _of_step(session, found.tasks.get(step.task), step, events)
        if one is None:
            continue
        key = (one.task, one.holder, one.claimed, one.author_email, one.old, one.new)
        (settled if one.attributed else unsettled).setdefault(key, one)
    return tuple(settled.values()), tuple(unsettled.values())


def _of_step(session: Session, view: View | None, step: Step, events: list[Event]) -> Contest | None:
    claim = view.claim if view else None
    new = step.after.status
    if view is None or claim is None or not step.before or step.after.oid is None:
        return None
    if any(old.status == new for old in step.before):
        return None
    old = step.before[0].status
    if old is None or new is None or not contest.under_lease(claim, step.commit.committed_at, view.first_seen):
        return None
    about = [one for one in events if one.task == step.task]
    actor = actor_of(session, claim.holder, claim.claimed, step.task, step.commit, events)
    if actor.is_holder:
        return None
    if contest.is_file_half(actor.name, step.commit.author_email, new, step.commit.committed_at, about):
        return None
    start = instants.text_of(claim.claimed)
    if actor.is_holder is None and contest.known_already(start, claim.holder, old, new, about):
        return None
    return Contest(
        step.task, claim.holder, claim.claimed, claim.expires, actor.name, step.commit.author_email, old, new,
        step.commit.oid, step.commit.committed_at, step.path, step.after.status_line, actor.is_holder is not None,
    )  # fmt: skip


def record(session: Session, found: tuple[Contest, ...], source: str) -> list[Event]:
    """One event for each contest, whoever sees it first; returns those that were new (R-K2)."""
    act = event.Act(session.identity.value, session.at, session.email or None, source=source)
    return feed.append(session, *(event.contested(one, act) for one in found)) if found else []


def notice(session: Session, source: str = "verb") -> list[Event]:
    """Without an origin a contest becomes an event once a hook or a verb finds it in HEAD (R-K6)."""
    if session.has_origin:
        return []
    known = views.read(session)
    starts = [view.claim.claimed for view in known.claims() if view.claim]
    head = objects.resolve("HEAD")
    if not starts or head is None:
        return []
    checked = session.store.read("noticed").get("head")
    oids = changes.commits([head], [checked] if checked else [], since=min(starts))
    session.store.write("noticed", {"head": head})
    if not oids:
        return []
    return record(session, in_commits(session, known, oids), source)


def in_commits(
    session: Session, known: Views, oids: list[str], read: Reader = objects.read_many
) -> tuple[Contest, ...]:
    """The contests that these commits hold and that somebody is settled to have made (R-K1, R-K3)."""
    batch = batches.Batch((), tuple(changes.of_commits(oids)))
    settled, _ = of_steps(session, known, batches.steps(batch, read), told(known, batch))
    return settled


def before_pruning(session: Session, known: Views, claims: list[View], tips: list[str], source: str) -> list[Event]:
    """What ended a claimed task on the default branch is recorded before the claim's record goes (R-G2)."""
    starts = [view.claim.claimed for view in claims if view.claim]
    oids = changes.commits(tips, [], since=min(starts)) if starts and tips else []
    tasks = {view.task for view in claims}
    found = tuple(one for one in in_commits(session, known, oids) if one.task in tasks) if oids else ()
    return record(session, found, source)


def sentence(one: Contest) -> str:
    """`TASK-… is held by …; this sets in_progress -> open (3fa91c2, by …)`."""
    where = f"{one.commit[:7]}, " if one.commit else ""
    return (
        f"{one.task} is held by {one.holder} until {instants.minute_of(one.expires)};"
        f" this sets {one.old} -> {one.new} ({where}by {one.actor})"
    )
