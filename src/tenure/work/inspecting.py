"""check and review: every invariant of corpus and refs, in two levels (§10, format page F). Writes nothing."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.model.text import counted
from tenure.model.value import value
from tenure.work import (
    findings,
    inspect_claims,
    inspect_decisions,
    inspect_files,
    inspect_log,
    inspect_tasks,
    looking,
    whereabouts,
)
from tenure.work.corpus import Corpus
from tenure.work.findings import FAULT, Finding, several, signal
from tenure.work.ground import Ground
from tenure.work.session import Session
from tenure.work.views import Views


@value
class Inspection:
    """What was found, in order, and the sizes that the document tells."""

    findings: tuple[Finding, ...]
    tasks: int
    decisions: int
    hot_files: int
    plane_bytes: int

    @property
    def faults(self) -> int:
        return sum(one.level == FAULT for one in self.findings)

    @property
    def signals(self) -> int:
        return len(self.findings) - self.faults


def inspect(session: Session, corpus: Corpus, path: str | None = None, known: Views | None = None) -> Inspection:
    """Look at everything; `path` narrows the findings to entities that cover it; `known`: records just read."""
    ground = Ground(session, corpus, known)
    found = [one for part in _parts(ground) for one in part]
    if path is not None:
        inside = {one.id for one in ground.stored.values() if looking.covers(one.entity, path)}
        found = [one for one in found if one.subject in inside]
    files, size = inspect_files.weight(ground)
    return Inspection(tuple(findings.in_order(found)), len(ground.tasks), len(ground.adrs), files, size)


def _parts(ground: Ground) -> Iterator[Iterator[Finding]]:
    yield inspect_files.inspect(ground)
    yield inspect_tasks.inspect(ground)
    yield inspect_claims.inspect(ground)
    yield inspect_decisions.inspect(ground)
    yield inspect_log.inspect(ground)
    yield _branch(ground)


def _branch(ground: Ground) -> Iterator[Finding]:
    """What could not be judged is said rather than passed over (R-G5)."""
    if ground.shallow:
        yield signal("HEAD", "this clone is shallow: what needs history was not judged", "git fetch --unshallow")
    if ground.default is None:
        yield signal(
            "HEAD",
            "the default branch is not known here: merges were not judged",
            whereabouts.name_default(ground.session),
        )
    elif not ground.tips and whereabouts.commit() is None:
        yield signal("HEAD", "nothing is committed yet")
    elif not ground.tips:
        yield signal("HEAD", f"the default branch {ground.default} names no commit here: merges were not judged")
    else:
        odd = ground.differing()
        if odd:
            differ = counted(len(odd), "entity differs", "entities differ")
            yield signal("HEAD", f"{differ} from the default branch: {several([_name(path) for path in odd])}")


def _name(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")
