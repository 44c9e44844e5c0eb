"""What is frozen, and what counts as an edit of it: decisions over states of one task file (R-F1, R-F2)."""

from __future__ import annotations

from tenure.model import criteria
from tenure.model.glance import Glance
from tenure.model.record import Claim
from tenure.model.value import value

REOPENED = ("open", "in_progress")


@value
class Frozen:
    """A hash that must stay. By a claim: holder and instant. By a proof (`holder` None): the proof must stay too."""

    hash: str
    holder: str | None
    claimed: int | None


@value
class State:
    """One task file in one tree: there or not, readable or not, and what it says. `here`: this clone has its object."""

    oid: str | None
    readable: bool = True
    criterion: str | None = None
    status: str | None = None
    proofs: tuple[str, ...] = ()
    line: int | None = None
    status_line: int | None = None
    here: bool = True
    is_block: bool = False


GONE = State(None)


def state(seen: Glance | None, oid: str | None) -> State:
    """The state of a file from a glance at it; None: it is not there, or its object is not in this clone."""
    if seen is None:
        return GONE if oid is None else State(oid, False, here=False)
    lines = (seen.criterion_line, seen.status_line)
    return State(oid, seen.readable, seen.criterion, seen.status, seen.proofs, *lines, is_block=seen.is_block)


def by_claim(claim: Claim) -> Frozen:
    """A claim freezes, live or lapsed, anyone's: a verdict does not change by waiting (R-F2)."""
    return Frozen(claim.criteria, claim.holder, claim.claimed)


def by_proof(seen: Glance) -> list[Frozen]:
    """The proof of a finished task freezes what it was given for (R-F2)."""
    return by_state(state(seen, ""))


def by_state(old: State) -> list[Frozen]:
    """The same for a state that is at hand."""
    return [Frozen(one, None, None) for one in dict.fromkeys(old.proofs)] if old.status == "done" else []


def keeps(rule: Frozen, now: State) -> bool:
    """Whether a state still says what was frozen: criterion, and for a finished task the proof's hash (R-F1).

    A task that is open again with its criterion whole, as a revert leaves it, claims no longer to be proved.
    """
    fits = now.readable and now.criterion is not None and criteria.fits(now.criterion, rule.hash)
    return fits and (rule.holder is not None or rule.hash in now.proofs or now.status in REOPENED)


def is_edit(rule: Frozen, before: tuple[State, ...], after: State) -> bool:
    """Whether a commit brought a state that does not keep the rule: another one than in every parent (R-F1, R-F3).

    What cannot be read for want of its object (a partial clone) is no edit that anybody could have seen (R-H4).
    """
    if keeps(rule, after) or not after.here:
        return False
    return all(_told(rule, old) != _told(rule, after) for old in before) if before else True


def is_loss(rule: Frozen, before: tuple[State, ...], after: State) -> bool:
    """Whether the frozen text stood before and does not stand after."""
    return after.here and not keeps(rule, after) and any(keeps(rule, old) for old in before)


def _told(rule: Frozen, seen: State) -> tuple[object, ...]:
    """What of a state the rule looks at: an unchanged wrong criterion is not brought again by another edit."""
    proof = rule.holder is None and rule.hash in seen.proofs
    return (seen.oid is None, seen.readable, hash_of(seen), proof)


def holds(rule: Frozen, states: dict[str, State]) -> bool:
    """Whether a tree keeps the rule: the task's file is there in a known place, and none of its files breaks it."""
    return bool(states) and all(keeps(rule, one) for one in states.values())


def hash_of(seen: State | None) -> str | None:
    """The short hash of a state's criterion; None where it has none that can be read."""
    return criteria.freeze_hash(seen.criterion) if seen and seen.readable and seen.criterion is not None else None


def changed_line(before: str | None, now: State) -> int | None:
    """The first line of the file in which the criterion is not `before`, else the line that it begins on."""
    if now.line is None or not now.is_block or before is None or now.criterion is None:
        return now.line
    old, new = (criteria.normalise(text).split("\n") for text in (before, now.criterion))
    if old == new:
        return now.line
    same = next((at for at, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), len(new) - 1)
    return now.line + 1 + (len(old) if new[: len(old)] == old else same)


def why(rule: Frozen, now: State | None) -> str:
    """edited | deleted | unreadable | moved | proof: what was done to the criterion (R-F1)."""
    if now is None or now.oid is None:
        return "deleted"
    if not now.readable:
        return "unreadable"
    if now.criterion is None:
        return "moved"
    return "proof" if criteria.fits(now.criterion, rule.hash) else "edited"


def root_of(path: str) -> str:
    """The corpus' folder in a task file's path, with its slash: `services/api/`, empty at the top."""
    return path[: -len(path.rpartition(".ank/")[1] + path.rpartition(".ank/")[2])]


def below(root: str, paths: list[str]) -> list[str]:
    """The paths inside a corpus' folder, as its scopes name them."""
    return [path[len(root) :] for path in paths if path.startswith(root)]


def places(path: str) -> tuple[str, ...]:
    """Where a task's file may lie in one corpus: its path, and the same name in the other folder (§Names)."""
    folder, _, name = path.rpartition("/")
    root = folder.rpartition("/")[0]
    return (path, *(p for p in (f"{root}/entities/{name}", f"{root}/tasks/{name}") if p != path))
