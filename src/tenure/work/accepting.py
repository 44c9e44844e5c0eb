"""accept: a proposed decision becomes binding by one signed commit on the default branch (§10, format page B).

The commit is made and its signature judged before any ref, file or index moves: a key that may not ratify leaves
nothing behind.
"""

from __future__ import annotations

import os

from tenure.git import objects, process, trees
from tenure.model import entities, entity_writing
from tenure.model.entities import Adr, Decision, Spec
from tenure.model.errors import Broken, Missing, NotFound, VersionConflict, WrongState, WrongUse
from tenure.model.text import to_bytes
from tenure.model.value import replace
from tenure.work import files, signing, whereabouts
from tenure.work.corpus import Corpus, Stored
from tenure.work.session import Session


def accept(session: Session, corpus: Corpus, name: str) -> tuple[str, str]:
    """Ratify a decision; returns its id and the commit.

    1: no decision; 6: not proposed; 7: not on the default branch; 9: no key, or one that may not ratify; 3: HEAD moved.
    """
    stored = corpus.find(name)
    decision = _proposed(stored)
    head = _on_default_branch(session)
    label, anchor = entity_writing.anchor(decision)
    changed = [(stored, replace(decision, status="accepted", ratified=anchor)), *_replaced(corpus, decision)]
    made = [(old, files.next_version(old, new)) for old, new in changed]
    tree = _tree(session, head, made)
    commit = _signed(tree, head, f"ratify {decision.id}\n\n{label}: {anchor}\n")
    _must_be_ours(commit, signing.signers_file(corpus))
    _move_head(head, commit)
    for old, new in changed:
        files.rewrite(old, new)
    process.need(["update-index", "--add", "--", *(old.path for old, _ in changed)])
    return decision.id, commit


def _proposed(stored: Stored) -> Decision:
    entity = stored.entity
    if not isinstance(entity, Adr | Spec):
        raise WrongUse(f"{stored.id} is no decision but {entities.a(entity.kind)}", "tenure review")
    if entity.status != "proposed":
        raise WrongState(f"{stored.id} is {entity.status}, not proposed", "tenure review")
    return entity


def _on_default_branch(session: Session) -> str:
    name = whereabouts.must_know_default(session)
    here = whereabouts.branch()
    if here != name:
        where = f"this is {here}" if here else "HEAD is detached"
        raise Missing(f"a decision is ratified on the default branch {name}; {where}", f"git switch {name}")
    head = whereabouts.commit()
    if head is None:
        raise Missing(f"{name} has no commit yet", "git commit")
    return head


def _replaced(corpus: Corpus, decision: Decision) -> list[tuple[Stored, Decision]]:
    """The decision that this one supersedes, marked so in the same commit."""
    if decision.supersedes is None:
        return []
    try:
        old = corpus.stored(decision.supersedes)
    except NotFound:
        raise Missing(f"{decision.id} supersedes {decision.supersedes}, which is not here", "tenure check") from None
    if not isinstance(old.entity, Adr | Spec) or old.entity.status == "superseded":
        return []
    return [(old, replace(old.entity, status="superseded"))]


def _tree(session: Session, head: str, made: list[tuple[Stored, entities.Entity]]) -> str:
    """HEAD's tree with these files in their new text, made in an index of our own."""
    scratch = os.path.join(session.store.folder, "scratch")
    contents = [to_bytes(entity_writing.emit(new)) for _, new in made]
    top = session.place.top or ""
    paths = [os.path.relpath(old.path, top).replace(os.sep, "/") for old, _ in made]
    return trees.changed(head, dict(zip(paths, trees.blobs(contents, scratch), strict=True)), set(), scratch)


def _signed(tree: str, parent: str, message: str) -> str:
    done = process.run(["commit-tree", "-S", "-p", parent, tree], message.encode())
    if not done.ok:
        raise Broken(
            f"the commit could not be signed: {done.reason}",
            "git config gpg.format ssh",
            "git config user.signingkey <path to your public key>",
        )
    return done.line


def _must_be_ours(commit: str, signers: str | None) -> None:
    """The signature must be good, and with ssh of a key that `.ank/allowed_signers` names."""
    found = signing.judged(commit, signers)
    if found.is_good:
        return
    email = found.email or "<you@example.org>"
    add = f'echo "{email} namespaces=\\"git\\" $(cat <your key>.pub)" >> {signing.SIGNERS}'
    if signers is None:
        raise Broken(f"{signing.SIGNERS} names nobody's key, so no ratification could be checked", add)
    if found.is_stranger or found.verdict in ("E", "N"):
        raise Broken(f"{signing.SIGNERS} does not name the key that you sign with ({found.key or 'unknown'})", add)
    raise Broken(f"the ratification's signature is not good (git says {found.verdict})", "git log --show-signature")


def _move_head(head: str, commit: str) -> None:
    done = process.run(["update-ref", "-m", "tenure: accept", "HEAD", commit, head])
    if done.ok:
        return
    now = objects.resolve("HEAD")
    if now != head:
        raise VersionConflict("HEAD moved while the decision was being ratified", "tenure review")
    raise Broken(f"git cannot move {whereabouts.branch() or 'HEAD'}: {done.reason}", "git status")
