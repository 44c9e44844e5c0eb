"""The outcome of a push, judged from what origin holds afterwards, never from git's words (R-C2)."""

from __future__ import annotations

from tenure.model.record import Claim, Completion, Record, Unreadable
from tenure.model.standing import same_acquisition
from tenure.model.value import value

WON, AGAIN, REGRANT, LOST = "won", "again", "regrant", "lost"
REFUSED, UNREACHABLE, ENDED, BLOCKED = "refused", "unreachable", "ended", "blocked"


@value
class Outcome:
    """`kind` as above; `there` is the record that origin holds, `oid` its object, `ref` a ref in the way."""

    kind: str
    there: Record | None = None
    oid: str | None = None
    ref: str | None = None


def of_write(
    mine: Claim | Completion,
    mine_oid: str,
    expected: str | None,
    published: bool,
    there: Record | None,
    oid: str | None,
) -> Outcome:
    """After a push of `mine` that was not seen to land: origin holds `there` under `oid` (None: nothing).

    `published`: origin was seen to hold something of ours before. AGAIN means: lease on `oid` and push again.
    """
    if oid == mine_oid:
        return Outcome(WON, mine, oid)
    if oid is None:
        return Outcome(ENDED if published or expected else REFUSED)
    if isinstance(there, Unreadable):
        return Outcome(BLOCKED, there, oid, there.ref)
    if isinstance(mine, Claim) and same_acquisition(mine, there):
        later = isinstance(there, Claim) and there.expires > mine.expires
        return Outcome(REGRANT if later else REFUSED if oid == expected else AGAIN, there, oid)
    if oid == expected:
        return Outcome(REFUSED, there, oid)
    if isinstance(mine, Claim) and isinstance(there, Claim) and there.holder == mine.holder:
        return Outcome(REGRANT, there, oid)
    if isinstance(mine, Completion) and isinstance(there, Completion) and there.identity == mine.identity:
        return Outcome(WON if there.commit == mine.commit else LOST, there, oid)
    return Outcome(LOST, there, oid)


def of_completion(
    mine: Completion, held: Claim | None, mine_oid: str, expected: str | None, there: Record | None, oid: str | None
) -> Outcome:
    """The same for a completion: the claim that it ends may have been renewed meanwhile (`held`)."""
    if held is not None and oid != expected and same_acquisition(held, there):
        return Outcome(AGAIN, there, oid)
    return of_write(mine, mine_oid, expected, expected is not None, there, oid)


def of_deletion(held: Record | None, expected: str | None, there: Record | None, oid: str | None) -> Outcome:
    """After a deletion that was not seen to land. `held` is the record that this clone deleted."""
    if oid is None:
        return Outcome(WON)
    if isinstance(there, Unreadable):
        return Outcome(BLOCKED, there, oid, there.ref)
    if isinstance(held, Claim) and same_acquisition(held, there):
        return Outcome(REFUSED if oid == expected else AGAIN, there, oid)
    if oid == expected:
        return Outcome(REFUSED, there, oid)
    return Outcome(LOST, there, oid)
