"""What there is in the model: records, what waits, pushes under way, clones, origin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from tenure.model.lease import Lengths
from tenure.model.record import Claim, Completion, Record

TASK = "TASK-000000000001"
TTL = 1800
LENGTHS = Lengths()
T = TypeVar("T")
CLAIM, RENEWAL, COMPLETION, DELETION, SWEEP = "claim", "renewal", "completion", "deletion", "sweep"


def remembered(cls: type[Any]) -> type[Any]:
    """A frozen dataclass whose hash is reckoned once: a search asks for it at every step."""
    reckon: Any = cls.__hash__

    def __hash__(self: Any) -> int:
        found = self.__dict__.get("_hash")
        if found is None:
            found = self.__dict__["_hash"] = reckon(self)
        return int(found)

    setattr(cls, "__hash__", __hash__)  # noqa: B010
    return cls


def replace(old: T, **changes: Any) -> T:
    """`dataclasses.replace` without its checks, which would be most of a search."""
    made: T = object.__new__(type(old))
    made.__dict__.update(old.__dict__)
    made.__dict__.pop("_hash", None)
    made.__dict__.update(changes)
    return made


@dataclass(frozen=True)
class Rules:
    """What the protocol insists on; each mutant drops one."""

    expected: bool = True  # a push names what origin must hold
    token: bool = True  # each acquisition is another object
    read_back: bool = True  # the outcome is what origin holds, not what git says
    sweep_lease: bool = True  # a sweep deletes the object that it judged


WHOLE = Rules()


@remembered
@dataclass(frozen=True)
class Entry:
    """A push that waits: as the clone's state holds it."""

    kind: str
    new: Record | None
    expected: Record | None
    mine: Record
    given_back: Record | None = None  # what was handed back here a moment before, and may still stand on origin
    untold: bool = False


@remembered
@dataclass(frozen=True)
class Flight:
    """A push under way: `stage` is sent | landed | unknown. A sweep judges `entry.mine`."""

    entry: Entry
    expected: Record | None
    stage: str = "sent"
    took: bool = False  # ghost: whether origin took it


@remembered
@dataclass(frozen=True)
class Clone:
    who: str
    skew: int = 0
    local: Record | None = None
    mirror: Record | None = None
    token: str | None = None
    ours: bool = False
    kept: Claim | None = None
    published: Record | None = None
    entry: Entry | None = None
    refused: bool = False
    swept: bool = False
    lost: str | None = None
    flight: Flight | None = None
    made: int = 0
    granted: str | None = None  # ghost: the acquisition of which this clone was told that it won it afresh
    ended: str | None = None  # ghost: the last acquisition of its own that this clone handed back or finished
    told_lost: Record | None = None  # ghost: the object of which it was told that it lost

    @property
    def kind(self) -> str | None:
        return self.entry.kind if self.entry else None


@remembered
@dataclass(frozen=True)
class World:
    """All there is; `ends` are acquisitions whose end the feed tells, `gone` those that another one replaced."""

    at: int
    origin: Record | None
    clones: tuple[Clone, ...]
    ends: frozenset[str] = frozenset()
    gone: frozenset[tuple[str, str]] = frozenset()
    acts: tuple[int, ...] = ()
    faults: int = 0
    ticks: int = 0

    def now(self, c: int) -> int:
        return self.at + self.clones[c].skew

    def has_ended(self, claim: Claim) -> bool:
        """Whether the feed tells an end of that acquisition: handed back, finished, or taken over by one that was."""
        return key_of(claim) in self.ends or any(old == key_of(claim) and new in self.ends for old, new in self.gone)

    def with_clone(self, c: int, clone: Clone, **more: Any) -> World:
        return replace(self, clones=(*self.clones[:c], clone, *self.clones[c + 1 :]), **more)


@remembered
@dataclass(frozen=True)
class Pair:
    """Two tasks of the same clones: instants, acts, faults are one count."""

    one: World
    two: World


class BrokenError(AssertionError):
    """An invariant does not hold."""


def token_of(one: Record | None) -> str | None:
    return one.token if isinstance(one, Claim) else None


def gives_back(entry: Entry, there: Record | None) -> bool:
    return token_of(entry.given_back) is not None and token_of(there) == token_of(entry.given_back)


def key_of(claim: Claim) -> str:
    """What tells one acquisition from another, for the model's own books."""
    return claim.token or f"{claim.holder} {claim.claimed}"


def who_of(one: Record | None) -> str:
    return one.holder if isinstance(one, Claim) else one.identity if isinstance(one, Completion) else ""
