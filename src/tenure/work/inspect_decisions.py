"""Decisions: succession, ratification and its signature, references (format page F)."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.model import entity_writing
from tenure.model.entities import Adr, Decision
from tenure.work import constraints, signing
from tenure.work.findings import Finding, fault, signal
from tenure.work.ground import Ground
from tenure.work.signing import Ratification

_VERDICTS = {"N": "is not signed", "B": "has a bad signature", "R": "was signed with a revoked key"}


def inspect(ground: Ground) -> Iterator[Finding]:
    """All findings about decisions and specifications."""
    heirs: dict[str, list[Decision]] = {}
    for one in ground.decisions.values():
        if one.supersedes:
            heirs.setdefault(one.supersedes, []).append(one)
    for one in ground.decisions.values():
        yield from _succession(ground, one, heirs.get(one.id, []))
        yield from _references(ground, one)
    yield from _ratifications(ground)


def _succession(ground: Ground, one: Decision, heirs: list[Decision]) -> Iterator[Finding]:
    old = ground.decisions.get(one.supersedes or "")
    if one.supersedes and ground.corpus.name_of(one.supersedes) is None:
        yield fault(one.id, f"it supersedes {one.supersedes}, which is not in this corpus")
    elif old and one.status == "accepted" and old.status != "superseded":
        yield fault(old.id, f"it is {old.status} although {one.id}, which supersedes it, was accepted")
    elif old and one.status == "proposed":
        yield signal(one.id, f"it would supersede {old.id} and waits to be accepted", f"tenure accept {one.id}")
    if one.status == "superseded" and not any(heir.status != "proposed" for heir in heirs):
        yield fault(one.id, "it is superseded and nothing here supersedes it")


def _references(ground: Ground, one: Decision) -> Iterator[Finding]:
    named = one.amends if isinstance(one, Adr) else one.references
    verb = "amends" if isinstance(one, Adr) else "cites"
    for name in named:
        other = ground.decisions.get(name)
        if other is None:
            known = ground.corpus.name_of(name) is not None
            yield fault(one.id, f"it {verb} {name}, which {'cannot be cited' if known else 'is not in this corpus'}")
        elif other.status != "accepted":
            yield signal(one.id, f"it {verb} {name}, which is {other.status}")


def _ratifications(ground: Ground) -> Iterator[Finding]:
    accepted = [one for one in ground.decisions.values() if one.status == "accepted"]
    if not accepted:
        return
    signers = signing.signers_file(ground.corpus)
    if signers is None:
        yield signal(".ank/allowed_signers", "nobody's key is named, so no ratification can be checked")
    known = signing.ratifications(signers, [*ground.tips, "HEAD"])
    for one in accepted:
        if constraints.is_altered(one):
            yield fault(one.id, f"it was altered since it was ratified ({one.ratified})")
        commit = known.get(one.id)
        if commit is None:
            words = "its ratification cannot be reached in this shallow clone: not judged"
            yield signal(one.id, words if ground.shallow else "it is accepted and no commit ratified it")
            continue
        yield from _commit(ground, one, commit, signers is not None)


def _commit(ground: Ground, one: Decision, commit: Ratification, has_signers: bool) -> Iterator[Finding]:
    label, now = entity_writing.anchor(one)
    then = commit.anchors.get(label)
    if then is not None and then != now and not constraints.is_altered(one):
        yield fault(one.id, f"it was altered since commit {commit.oid[:9]} ratified it ({then})")
    named = f"its ratification (commit {commit.oid[:9]})"
    if commit.verdict in _VERDICTS:
        yield fault(one.id, f"{named} {_VERDICTS[commit.verdict]}")
    elif commit.is_stranger:
        if has_signers:
            yield fault(one.id, f"{named} was signed with a key that .ank/allowed_signers does not name")
    elif commit.verdict == "E" and (has_signers or not commit.is_ssh):
        yield signal(one.id, f"the signature of {named[4:]} cannot be checked here")
    if one.author and one.author in (commit.email, ground.session.shared.identity_of(commit.email)):
        yield signal(one.id, "its author ratified it")
