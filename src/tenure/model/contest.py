"""Who acted, and whether that is a contest: decisions over a claim, a commit and the feed (R-K1, R-K3)."""

from __future__ import annotations

from tenure.model import lease
from tenure.model.event import Event
from tenure.model.record import Claim
from tenure.model.value import value

HALVES = {
    "task.claimed": "in_progress",
    "task.taken_over": "in_progress",
    "task.released": "open",
    "task.completed": "done",
    "task.closed": "closed",
}
HALF_SECONDS = 7 * 86_400  # how long after the act its file half may be committed and still be that act's


@value
class Actor:
    """`is_holder` None: nothing settles it. `name` is an identity, or `git:<e-mail>` of somebody unknown (R-K3)."""

    name: str
    is_holder: bool | None


def attribute(
    holder: str, agents: tuple[str, ...], email: str, mapped: str | None, seen_emails: frozenset[str]
) -> Actor:
    """R-K3: the trailer, else `.tenure.yml`, else the e-mail that the feed saw with the claim."""
    distinct = list(dict.fromkeys(agents))
    if len(distinct) == 1:
        return Actor(distinct[0], distinct[0] == holder)
    if distinct:
        return Actor(f"git:{email}", None)
    if mapped is not None:
        return Actor(mapped, mapped == holder)
    if seen_emails:
        return Actor(holder, True) if email in seen_emails else Actor(f"git:{email}", False)
    return Actor(f"git:{email}", None)


def under_lease(claim: Claim, at: int, first_seen: int | None = None) -> bool:
    """Whether a commit of that instant was made while the lease was live (R-K1)."""
    return claim.claimed <= at <= lease.end(claim, first_seen) + lease.GRACE


def is_file_half(actor: str, email: str, new: str | None, at: int, events: list[Event]) -> bool:
    """Whether the feed holds the act whose file half this status change is, by the same actor (R-K1)."""
    return any(
        HALVES.get(one.type) == new
        and (one.fields["actor"] == actor or (email and one.fields["author_email"] == email))
        and at - HALF_SECONDS <= one.at <= at + lease.GRACE
        for one in events
    )


def known_already(claim_start: str, holder: str, old: str | None, new: str | None, events: list[Event]) -> bool:
    """Whether an event of this lease holds the same transition, whoever is said to have made it (R-K3)."""
    return any(
        one.type == "task.contested"
        and one.fields["holder"] == holder
        and one.fields.get("claimed") == claim_start
        and (one.fields["from"], one.fields["to"]) == (old, new)
        for one in events
    )
