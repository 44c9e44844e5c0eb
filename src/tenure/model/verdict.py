"""What a look at a commit, a push or a range found: values that every face renders in its own way (§5, §6)."""

from __future__ import annotations

from tenure.model.value import value


@value
class Edit:
    """A frozen criterion was edited (R-F1). `now` is None where the file or the criterion is gone or unreadable."""

    task: str
    path: str
    commit: str | None  # full id; None for what is staged
    frozen: str  # 12 hex or more
    now: str | None  # 12 hex
    holder: str | None  # None: frozen by the proof of a finished task
    claimed: int | None  # instant of the freeze, seconds UTC
    before: str | None  # the criterion's text as frozen, where it was found
    after: str | None
    line: int | None = None  # of the first change of the criterion in the new file, from 1
    why: str = "edited"  # edited | deleted | moved | unreadable | proof
    ref: str | None = None  # the pushed ref that carries it
    excuse: str | None = None  # set: said, not refused (R-F3)


@value
class Contest:
    """Somebody who is not the holder changed the status under a live lease (R-K1). `actor` as in R-K3."""

    task: str
    holder: str
    claimed: int
    expires: int
    actor: str
    author_email: str
    old: str | None
    new: str | None
    commit: str | None
    at: int  # committer date, seconds UTC
    path: str = ""
    line: int | None = None  # of `status:` in the new file, from 1
    attributed: bool = True  # False: a notice, no event (R-K3)


@value
class Verdict:
    """`outcome`: ok | refused | unverified. `said`: edits told and not refused; `unjudged`: sentences."""

    outcome: str
    edits: tuple[Edit, ...] = ()
    said: tuple[Edit, ...] = ()
    contested: tuple[Contest, ...] = ()
    unattributed: tuple[Contest, ...] = ()
    unjudged: tuple[str, ...] = ()


@value
class Removal:
    """A record that prune or sweep took away, kept, or would take away. `at`: when it was completed or lapsed."""

    task: str
    ref: str
    oid: str
    state: str  # claim | completed
    holder: str
    at: int
    why: str
