"""log: write down what you learned, which renews; or read what was written, which does not (R-L4)."""

from __future__ import annotations

import argparse

from tenure.faces.cli import common, show
from tenure.faces.cli.output import Output
from tenure.model import ids
from tenure.model.errors import NotFound, WrongUse
from tenure.work import halves, holding, log, views, working
from tenure.work.corpus import Corpus
from tenure.work.session import Session


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", metavar='"MESSAGE" | ID', help="a message is written; an id's log is read")
    parser.set_defaults(needs=("a message to write, or an id to read", 'tenure log "<message>"', "tenure log <id>"))


def run(args: argparse.Namespace, out: Output) -> int:
    session = common.begin(args)
    corpus = common.corpus_of(session)
    subject = _subject(corpus, args.text)
    if subject is None:
        return _write(session, corpus, args.text, out)
    return _read(session, corpus, subject, out)


def _subject(corpus: Corpus, text: str) -> str | None:
    """The entity whose log is asked for; None: the text is a message. Both at once is refused (1)."""
    if any(text.startswith(kind + "-") for kind in ids.KINDS) and ids.split_prefix(text):
        return corpus.find(text).id
    if ids.split_prefix(text) is None:
        return None
    try:
        found = corpus.find(text).id
    except NotFound:
        return None
    if text.isalpha():
        raise WrongUse(
            f"{text!r} is a word and a prefix of {found}",
            f"tenure log {found}",
            f'tenure log "{text}."   (as a message)',
        )
    return found


def _write(session: Session, corpus: Corpus, message: str, out: Output) -> int:
    log.checked_message(message)
    held = holding.mine(session, views.read(session))
    _, task = corpus.find_task(held.task)
    renewed = working.come_back(session, corpus, held)
    with halves.stands(f"the lease on {task.id} was renewed, the message was not written"):
        entry, stored = log.append(corpus, task, message, session.identity.value, session.at)
    out.say(f"logged {entry.id} about {task.id}")
    for warning in renewed.warnings:
        out.warn(warning)
    common.end(session, out)
    out.document(
        {
            "about": task.id,
            "entry": entry.id,
            "logged": True,
            "path": stored.name,
            "lease_expires_at": common.instant(renewed.claim.expires),
        }
    )
    return 0


def _read(session: Session, corpus: Corpus, subject: str, out: Output) -> int:
    entity = corpus.stored(subject).entity
    found = log.lines_about(corpus, subject, entity.body)
    for one in found:
        mark = "  (record)" if one.records else ""
        out.text(f"{one.timestamp} {one.who or '?'}: {one.message}{mark}", "    ")
    if not found:
        out.say(f"nothing was written about {subject} yet")
    common.end(session, out)
    rows = [show.row(one) for one in found]
    out.document({"about": subject, "total": len(rows), "entries": rows})
    return 0
