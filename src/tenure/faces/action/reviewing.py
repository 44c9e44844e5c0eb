"""Guard and contest over the commits that an event brings, with the settings of the base (R-G4).

What a run judges comes from the event, not from where branches are by now, so that the same run says the same later.
"""

from __future__ import annotations

from tenure.faces.action import checkout
from tenure.faces.action.event import Event
from tenure.git import changes, commits, objects, reading
from tenure.git import checkout as git_checkout
from tenure.git.commits import Info
from tenure.git.reading import Reader
from tenure.model import entity_reading, freeze, ids, scope
from tenure.model.errors import Broken, TenureError
from tenure.model.event import Event as FeedEvent
from tenure.model.record import Claim
from tenure.model.settings import Shared
from tenure.model.task import Task
from tenure.model.text import from_bytes
from tenure.model.value import replace, value
from tenure.model.verdict import Verdict
from tenure.work import batches, contests, feed, judging
from tenure.work import overlaps as overlaps_of
from tenure.work import session as sessions
from tenure.work.batches import Batch
from tenure.work.session import Session
from tenure.work.views import Views

UNCUT = "the history between {base} and {head} could not be fetched whole"


@value
class Review:
    """`batch` None: there was nothing to judge. `base`: whose settings count; `complaints` are about these."""

    verdict: Verdict
    batch: Batch | None
    base: str | None
    session: Session
    complaints: tuple[str, ...] = ()


def review(session: Session, event: Event, found: Views) -> Review:
    """Judge the event's range. Broken (9) where its commits cannot be had at all (R-G5)."""
    if event.idle:
        return Review(Verdict("ok"), None, None, session)
    if not event.has_range:
        return Review(Verdict("unverified", unjudged=(event.no_range or "no range",)), None, None, session)
    batch, unjudged = _gather(event)
    if batch is None:
        return Review(Verdict("unverified", unjudged=unjudged), None, None, session)
    read = reading.reader(session.place.git_dir)
    session, complaints = _with_settings_of(session, batch.base, read)
    verdict = judging.judge(session, found, batch, read)
    unjudged = (*verdict.unjudged, *unjudged)
    outcome = "unverified" if unjudged and verdict.outcome == "ok" else verdict.outcome
    return Review(replace(verdict, unjudged=unjudged, outcome=outcome), batch, batch.base, session, complaints)


def _gather(event: Event) -> tuple[Batch | None, tuple[str, ...]]:
    """The commits to judge, and what of them goes unjudged."""
    found = checkout.bring(event)
    if found.head is None or found.base is None:
        lost = "head" if found.head is None else "base"
        told = f"the {lost} commit of this change could not be fetched from origin: nothing was judged"
        raise Broken(f"{told} (does the token allow to read?)")
    base = found.base
    known: tuple[str, ...] = ()
    if found.whole and event.name == "push":
        base, known, merged = _since(event, found)
        if merged:
            return None, (f"the branch {event.branch} is part of the default branch by now; it was judged there",)
    if found.whole:
        batch = batches.gather_range(base, found.head, known)
        moved = event.name == "push" and base == event.base
        return (replace(batch, moves=((base, found.head),)) if moved else batch), ()
    ends = _ends(event, base, found.head)
    cut = UNCUT.format(base=base[:12], head=found.head[:12])
    if ends is None:
        return None, (f"{cut}: nothing was judged",)
    return batches.gather_trees(*ends), (f"{cut}: only its two ends were compared",)


def _since(event: Event, found: git_checkout.Range) -> tuple[str, tuple[str, ...], bool]:
    """For a pushed branch: the base, what it has from the default branch, and whether that cannot be told any more."""
    assert found.base is not None
    assert found.head is not None
    if event.branch == event.default_branch:
        return found.base, (), False
    tip = checkout.tip_of(event.default_branch)
    if tip is None or not git_checkout.bring_range(tip, found.head, checkout.RANGE_LIMIT).whole:
        return found.base, (), False
    parted = git_checkout.parting(tip, found.head)
    if found.base == event.base:  # what stood there before is known, and is where the change begins
        return found.base, (parted,) if parted else (), False
    return parted or found.base, (), parted is None


def _ends(event: Event, base: str, head: str) -> tuple[str, str] | None:
    """Two commits whose trees differ by this change alone: for a pull request, what its test merge changed."""
    if event.number is None:
        return base, head
    if not event.sha or not git_checkout.bring([event.sha], checkout.SHORT_LIMIT):
        return None
    parents = git_checkout.parents(event.sha)
    fits = len(parents) == 2 and parents[1] == head and git_checkout.bring([parents[0]], checkout.SHORT_LIMIT)
    return (parents[0], event.sha) if fits else None


def _with_settings_of(session: Session, base: str | None, read: Reader) -> tuple[Session, tuple[str, ...]]:
    """The session under the base's `.tenure.yml`; a change under review has no say in its own verdict (R-G4)."""
    [stored] = read([f"{base}:.tenure.yml"])
    if stored is None or stored.kind != "blob":
        return replace(session, shared=Shared()), ()
    try:
        text = from_bytes(stored.data)
        return replace(session, shared=sessions.shared_of(text)), ()
    except TenureError as wrong:
        return replace(session, shared=Shared()), (f"the settings in .tenure.yml cannot be read: {wrong.message}",)


def record(review: Review) -> str | None:
    """Bring the contests to the feed (R-K2, R-G4); why that could not be done, where it could not."""
    contests.record(review.session, review.verdict.contested, "action")
    if feed.carry(review.session, checkout.SHORT_LIMIT):
        return None
    return "contests are not recorded in the feed: origin did not take them (a token that may only read?)"


def overlaps(review: Review, found: Views) -> tuple[str, ...]:
    """One line when the changed paths meet the scope of a live claim of somebody else (R-K5)."""
    if review.batch is None or review.base is None:
        return ()
    head = review.batch.tips[0][1]
    claims = [view.claim for view in found.claims() if view.claim and view.live(review.session.at)]
    paths = [change.path for change in changes.between(review.base, head) if not ids.task_of_path(change.path)]
    if not claims or not paths:
        return ()
    near = _meeting(review, claims, paths)
    oids = changes.commits([head], [review.base], ()) if near else []
    infos = [commits.info(thing) for thing in objects.read_many(oids) if thing]
    told = feed.events(*(claim.task for claim in near))
    met = [claim for claim in near if not _is_by_holder(review.session, claim, infos, told)]
    line = overlaps_of.words(sorted(met, key=lambda claim: claim.expires))
    return (line,) if line else ()


def _is_by_holder(session: Session, claim: Claim, infos: list[Info], told: list[FeedEvent]) -> bool:
    """Whether any of the commits is the holder's own, as far as that is told (R-K3)."""
    return any(
        contests.actor_of(session, claim.holder, claim.claimed, claim.task, one, told).is_holder
        or claim.holder in one.agents
        for one in infos
    )


def _meeting(review: Review, claims: list[Claim], paths: list[str]) -> list[Claim]:
    """The claims whose scope, below the folder of their corpus, meets one of the paths."""
    scopes = _scopes(review.base or "", {claim.task for claim in claims}, review.session)
    found = []
    for claim in claims:
        root, globs = scopes.get(claim.task, ("", ()))
        if any(scope.matches(globs, path) for path in freeze.below(root, paths)):
            found.append(claim)
    return found


def _scopes(base: str, tasks: set[str], session: Session) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Of each task the folder of its corpus and its scope, which is relative to that."""
    files = {ids.task_of_path(path): (path, oid) for path, oid in changes.files(base).items()}
    wanted = [(task, *files[task]) for task in tasks if task in files]
    read = reading.reader(session.place.git_dir)
    found = {}
    for (task, path, _), stored in zip(wanted, read([oid for _, _, oid in wanted]), strict=True):
        try:
            entity = entity_reading.parse_bytes(stored.data) if stored else None
        except TenureError:
            continue
        if isinstance(entity, Task):
            found[task] = (freeze.root_of(path), entity.scope)
    return found
