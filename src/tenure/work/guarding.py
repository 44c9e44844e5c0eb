"""The claim namespace in a push: nobody's live record is replaced by hand, nothing unreadable is written (R-H1)."""

from __future__ import annotations

from tenure.git import objects
from tenure.model import ids, lease, record
from tenure.model.record import Claim, Record, Unreadable
from tenure.model.value import value
from tenure.work.session import Session
from tenure.work.views import Views


@value
class Complaints:
    """Sentences: what is refused, and what could not be judged and passes."""

    refusals: tuple[str, ...]
    warnings: tuple[str, ...]


Line = tuple[str, str | None, str | None]


def namespace(session: Session, found: Views, lines: list[Line], to_origin: bool) -> Complaints:
    """Judge the lines (remote ref, new object, old object) that concern claim refs."""
    claims = [line for line in lines if line[0].startswith(ids.CLAIMS)]
    swept = any(ref.startswith(("refs/tenure/", "refs/remotes/")) for ref, _, _ in lines)
    if not claims and not (swept and to_origin and _would_go(found)):
        return Complaints((), ())
    if swept:
        return Complaints(
            ("this push sweeps claim refs along (--mirror or a wildcard); push branches and tags by name",), ()
        )
    names = [oid for _, new, old in claims for oid in (new, old) if oid]
    things = dict(zip(names, objects.read_many(names), strict=True))
    refusals: list[str] = []
    warnings: list[str] = []
    for ref, new, old in claims:
        _one(session, found, (ref, new, old), things, refusals, warnings)
    return Complaints(tuple(refusals), tuple(warnings))


def _would_go(found: Views) -> bool:
    """Whether a mirror push would delete claims: git names no deletion to the hook, but this clone lacks refs (B37)."""
    return any(view.mirror_oid and not view.local_oid for view in found.tasks.values())


def _one(
    session: Session,
    found: Views,
    line: Line,
    things: dict[str, objects.Thing | None],
    refusals: list[str],
    warnings: list[str],
) -> None:
    ref, new, old = line
    there = _record(ref, old, things) if old else None
    if old and things.get(old) is None:
        view = found.tasks.get(ids.task_of_ref(ref) or "")
        there = view.mirror if view else None
        if there is None:
            warnings.append(f"{ref}: what origin holds is not known here; not judged")
    why = _stands(session, there)
    if why:
        verb = "replace" if new else "delete"
        refusals.append(f"this push would {verb} {ref}, {why}")
    elif new and not _is_own(session, _record(ref, new, things)):
        refusals.append(
            f"this push would write something on {ref} that is no readable record of {session.identity.value}"
        )


def _record(ref: str, oid: str, things: dict[str, objects.Thing | None]) -> Record:
    thing = things.get(oid)
    if thing is None or thing.kind != "blob":
        return Unreadable(ref, "no blob")
    return record.parse(ref, thing.data)


def _stands(session: Session, there: Record | None) -> str | None:
    """Why what is there must not be touched by this identity; None where it may."""
    if isinstance(there, Claim) and there.holder != session.identity.value and lease.is_live(there, session.at):
        return f"a live claim of {there.holder}"
    return None


def _is_own(session: Session, new: Record) -> bool:
    return record.whose(new) == session.identity.value
