"""doctor: what is wrong with this clone, each with the command that mends it (§10). It sends nothing but a dry push."""

from __future__ import annotations

import os
import time

from tenure.git import process, remote
from tenure.model import ids, keys
from tenure.model.errors import TenureError, WrongUse
from tenure.model.identity import SOURCES
from tenure.model.settings import CONFIG
from tenure.model.text import counted
from tenure.model.value import value
from tenure.work import feed, holding, repository, views, whereabouts
from tenure.work.corpus import Corpus, find_root
from tenure.work.session import Session
from tenure.work.views import Views

FAULT, HINT = "fault", "hint"
_STALE = 60  # seconds after which a lock file of git's is no running command's any more


@value
class Finding:
    """A fault is broken now; a hint may bite later. `next`: commands that mend it, the first one first."""

    level: str
    subject: str
    message: str
    next: tuple[str, ...] = ()


def facts(session: Session) -> list[tuple[str, str]]:
    """What there is: git and format, identity and its source, origin, default branch."""
    version = ".".join(str(part) for part in process.version())
    origin = f"{session.origin.name} ({session.origin.shown})" if session.origin else "none"
    return [
        ("git", f"{version}, {_format()}"),
        ("identity", f"{session.identity.value} (from {SOURCES[session.identity.source]})"),
        ("origin", origin),
        ("default branch", whereabouts.default_branch(session) or "unknown"),
    ]


def _format() -> str:
    names = process.run(["rev-parse", "--show-object-format"])
    storage = process.run(["config", "--get", "extensions.refStorage"])
    shallow = process.run(["rev-parse", "--is-shallow-repository"])
    parts = [names.line if names.ok else "sha1", f"refs in {storage.line or 'files'}"]
    return ", ".join(parts + (["shallow"] if shallow.line == "true" else []))


def findings(session: Session) -> list[Finding]:
    """Everything but the hooks, which are the faces' to probe; faults first."""
    found = [
        *_corpus(session),
        *_settings(session),
        *_identity(session),
        *_origin(session),
        *_refspecs(session),
        *_mirrors(session),
        *_folders(session),
        *_waiting(session),
        *_records(session, views.read(session)),
    ]
    return sorted(found, key=lambda one: one.level != FAULT)


def _settings(session: Session) -> list[Finding]:
    mend = ("git diff HEAD -- .tenure.yml .ank/config.yml",)
    found = [Finding(FAULT, "settings", said, mend) for said in session.complaints]
    for name in keys.unknown(session.config.keys("tenure.")):
        told = f"git config {name} is set, and nothing reads it"
        found.append(Finding(HINT, "settings", told, (f"git config --unset-all {name}",)))
    if (session.config.get("tenure.enabled") or "").lower() in ("false", "no", "off", "0"):
        told = "tenure.enabled is false: hooks neither renew nor refuse here"
        found.append(Finding(HINT, "settings", told, ("git config --unset-all tenure.enabled",)))
    if whereabouts.default_branch(session) is None and (not session.place.top or _root() is not None):
        told = "the default branch is not known here: finished tasks cannot be pruned"
        found.append(Finding(HINT, "default branch", told, (whereabouts.name_default(session),)))
    return found


def _identity(session: Session) -> list[Finding]:
    who = session.identity
    mend = ("git config tenure.agent human:<you>",)
    if who.source == "fallback":
        told = f"{who.value} is made from user and host: two sessions on this machine would be one and the same"
        return [Finding(HINT, "identity", told, mend)]
    if who.kind == "untyped":
        told = f"{who.value} does not say what kind of actor it is (human:<id>, <producer>/<version>, process:<id>)"
        return [Finding(HINT, "identity", told, mend)]
    return []


def _origin(session: Session) -> list[Finding]:
    wanted = session.config.get("tenure.remote")
    if session.origin is None:
        if wanted:
            told = f"tenure.remote names {wanted}, and there is no such remote: claims stay in this clone"
            return [Finding(FAULT, "origin", told, ("git remote -v", "git config --unset tenure.remote"))]
        told = "no origin is set: other clones do not see these claims"
        return [Finding(HINT, "origin", told, ("git remote add origin <url>",))]
    found = []
    if wanted is None and session.config.get("remote.upstream.url"):
        told = "a remote `upstream` exists, as in a fork, and claims go to `origin`, where the team does not look"
        found.append(Finding(HINT, "origin", told, ("git config tenure.remote upstream",)))
    return found + _push(session)


def _push(session: Session) -> list[Finding]:
    """Whether origin answers and would take a claim, asked by a push that sends nothing."""
    assert session.origin is not None
    if remote.look(session.origin, ids.FEED) is None:
        told = f"origin ({session.origin.shown}) cannot be read"
        return [Finding(FAULT, "origin", told, (f"git ls-remote {session.origin.name}",))]
    head = whereabouts.commit()
    if head is None:
        return []
    done = remote.rehearse(session.origin, f"{ids.CLAIMS}TASK-000000000000", head)
    if done.ok:
        return []
    told = f"origin ({session.origin.shown}) does not take claims: {done.reason}"
    return [Finding(FAULT, "origin", told, (f"git push --dry-run {session.origin.name} HEAD:refs/ank/probe",))]


def _refspecs(session: Session) -> list[Finding]:
    """A fetch onto the live refs replaces claims that are not on origin yet, and deletes them with prune (R-C1)."""
    found = []
    for key in session.config.keys("remote."):
        for spec in session.config.all(key) if key.endswith(".fetch") else ():
            if not _reaches_claims(spec.partition(":")[2]):
                continue
            told = f"{key} = {spec} lets a fetch write over the claims of this clone"
            unset = f"git config --fixed-value --unset-all {key} '{spec}'"
            found.append(Finding(FAULT, "refspec", told, (unset, f"git config --add {key} '{remote.CLAIMS_SPEC}'")))
    return found


def _mirrors(session: Session) -> list[Finding]:
    """A push of everything deletes other people's claims from origin (R-H1)."""
    found = []
    for key in session.config.keys("remote."):
        if key.endswith(".mirror") and session.config.flag(key):
            told = f"{key} is set: every push deletes what this clone does not have, other people's claims too"
            found.append(Finding(FAULT, "mirror", told, (f"git config --unset-all {key}",)))
        for spec in session.config.all(key) if key.endswith(".push") else ():
            if _reaches_claims(spec.lstrip("+").partition(":")[2] or spec.lstrip("+")):
                told = f"{key} = {spec} pushes over other people's claims"
                unset = f"git config --fixed-value --unset-all {key} '{spec}'"
                found.append(Finding(FAULT, "mirror", told, (unset,)))
    return found


def _reaches_claims(side: str) -> bool:
    """Whether one side of a refspec covers a live claim ref."""
    start, star, _ = side.partition("*")
    if star:
        return start.startswith("refs/ank/") or ids.CLAIMS.startswith(start)
    return side.startswith(ids.CLAIMS)


def _root() -> str | None:
    try:
        return find_root(os.getcwd())
    except TenureError:
        return None


def _corpus(session: Session) -> list[Finding]:
    """Whether there is one, and whether its settings can be read to their end; a bare repository has none."""
    if session.place.top is None:
        return []
    try:
        repository.config(Corpus(find_root(os.getcwd())))
    except WrongUse as wrong:
        said = any(one.startswith(CONFIG) for one in session.complaints)
        return [] if said else [Finding(FAULT, "settings", wrong.message, wrong.next)]
    except TenureError as missing:
        return [Finding(HINT, "corpus", missing.message, missing.next)]
    return []


def _folders(session: Session) -> list[Finding]:
    found = []
    common = session.place.common_dir
    if not os.access(common, os.W_OK):
        found.append(Finding(FAULT, "clone", f"{common} cannot be written by you", (f"ls -ld {common}",)))
    for lock in _locks(common):
        told = f"{lock} was left behind: no claim under it can be written"
        found.append(Finding(FAULT, "clone", told, (f"rm {lock}",)))
    return found


def _locks(common: str) -> list[str]:
    """Lock files of git's below our refs that no running command can still hold."""
    spots = [os.path.join(common, "refs", name) for name in ("ank", "tenure")]
    paths = [os.path.join(at, name) for spot in spots for at, _, names in os.walk(spot) for name in names]
    now = time.time()
    return [path for path in paths if path.endswith(".lock") and now - os.stat(path).st_mtime > _STALE]


def _waiting(session: Session) -> list[Finding]:
    if session.origin is None:
        return []
    found = []
    states = session.store.all()
    for state in states:
        if state.get("refused"):
            told = f"origin did not take the claim on {state.task}: it stands in this clone only"
            found.append(Finding(FAULT, "origin", told, (f"tenure claim {ids.short(state.task)}",)))
    pending = [state for state in states if state.get("pending") and not state.get("refused")]
    events = feed.waiting(True)
    if pending or events:
        why = session.store.read("carrier").get("why")
        said = f" (the last try failed: {why})" if why else ""
        what = f"{counted(len(pending), 'claim push', 'claim pushes')} and {counted(events, 'event')}"
        found.append(Finding(HINT, "pending", f"what waits for origin: {what}{said}", ("tenure status",)))
    return found


def _records(session: Session, found: Views) -> list[Finding]:
    """Refs that cannot be read, each with what clears it (R-C8)."""
    told = []
    for view in found.tasks.values():
        if view.unreadable:
            wrong = holding.unreadable_error(session, view.unreadable.ref, view.unreadable.why)
            told.append(Finding(FAULT, "record", wrong.message, wrong.next))
    for odd in found.odd:
        mend = f"git update-ref --no-deref -d {odd.ref}"
        told.append(Finding(HINT, "record", f"{odd.ref}: {odd.why}", (mend,)))
    return told
