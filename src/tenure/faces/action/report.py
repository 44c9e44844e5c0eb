"""All that a run found and did: the value that annotations, summary, outputs, comment and check run are made of."""

from __future__ import annotations

from tenure.model.record import Claim
from tenure.model.value import value
from tenure.model.verdict import Contest, Edit, Removal, Verdict

CLEAN = Verdict("ok")


@value
class Report:
    """`at`: the instant of the run, seconds UTC. `failure` says why nothing could be read or done at all.

    `warnings` are sentences about what this run could not do, `notes` such as only the summary tells; `claims` are
    those that stand after it.
    """

    at: int
    verdict: Verdict = CLEAN
    judged: bool = False  # guard or contest had a range to look at
    claims: tuple[Claim, ...] = ()
    claims_known: bool = False
    pruned: tuple[Removal, ...] = ()
    swept: tuple[Removal, ...] = ()
    kept: tuple[Removal, ...] = ()
    overlaps: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    failure: str | None = None
    dry_run: bool = False
    truncated: bool = False
    fail_on: str = "error"

    @property
    def result(self) -> str:
        """R-G7: what was found, not what fails: `refused` for a frozen edit, with `fail-on: warning` for a contest."""
        if self.verdict.edits or (self.fail_on == "warning" and self.verdict.contested):
            return "refused"
        return "unverified" if self.failure or self.unjudged or self.verdict.outcome == "unverified" else "ok"

    @property
    def fails(self) -> bool:
        """Whether the step ends in failure. Where nothing could be read it does, unless `fail-on: none` (R-G5)."""
        return self.fail_on != "none" and (self.result == "refused" or self.failure is not None)

    @property
    def unjudged(self) -> tuple[str, ...]:
        return self.verdict.unjudged

    @property
    def has_finding(self) -> bool:
        """Whether there is something that the author of a change should know (R-G8)."""
        return bool(self.verdict.edits or self.verdict.said or self.verdict.contested)

    @property
    def tasks(self) -> tuple[str, ...]:
        """Every task that is named somewhere, each once."""
        rows: list[Edit | Contest | Removal | Claim] = [
            *self.verdict.edits,
            *self.verdict.said,
            *self.verdict.contested,
            *self.verdict.unattributed,
            *self.pruned,
            *self.swept,
            *self.claims,
        ]
        return tuple(dict.fromkeys(one.task for one in rows))


class Names:
    """Short names of tasks: `TASK-` and as many digits, four at least, as tell them apart."""

    def __init__(self, tasks: tuple[str, ...]) -> None:
        self._digits = 4
        while self._digits < 12 and len({task[5 : 5 + self._digits] for task in tasks}) < len(set(tasks)):
            self._digits += 1

    def digits(self, task: str) -> str:
        """`820d`, as a command takes it."""
        return task[5 : 5 + self._digits]

    def of(self, task: str) -> str:
        """`TASK-820d`."""
        return task[: 5 + self._digits]
