"""Ratifications: signed commits `ratify <ID>` that carry a decision's anchor (format page B, F).

`git log --format=%G?` honours `gpg.ssh.allowedSignersFile`, where `rev-list` of git 2.39 does not.
"""

from __future__ import annotations

import os

from tenure.git import process
from tenure.model.value import value
from tenure.work.corpus import Corpus

SIGNERS = ".ank/allowed_signers"
GOOD = ("G", "X", "Y")


@value
class Ratification:
    """A commit that ratified. `verdict` is git's letter for its signature; `key`: git's name of it."""

    oid: str
    verdict: str
    key: str
    email: str
    anchors: dict[str, str]

    @property
    def is_ssh(self) -> bool:
        """Whether the file of signers speaks about it; OpenPGP trust is the user's own."""
        return self.key.startswith("SHA256:") or not self.key

    @property
    def is_stranger(self) -> bool:
        """A good ssh signature of a key that the file of signers does not name."""
        return self.verdict == "U" and self.is_ssh

    @property
    def is_good(self) -> bool:
        return self.verdict in GOOD or (self.verdict == "U" and not self.is_stranger)


def signers_file(corpus: Corpus) -> str | None:
    """The file that names the keys which may ratify, where there is one that names any."""
    path = os.path.join(corpus.root, SIGNERS)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = [line.strip() for line in file]
    except OSError:
        return None
    return path if any(line and not line.startswith("#") for line in lines) else None


def ratifications(signers: str | None, tips: list[str]) -> dict[str, Ratification]:
    """By decision: the newest commit that ratified it, in the history of these tips; one process."""
    words = [*_setting(signers), "log", "-z", "--format=%H%x01%G?%x01%GK%x01%ce%x01%s%x01%b", "--grep=^ratify "]
    done = process.run([*words, "--end-of-options", *dict.fromkeys(tips)])
    found: dict[str, Ratification] = {}
    for item in done.text.split("\0"):
        parts = item.split("\x01", 5)
        verb, _, name = (parts[4] if len(parts) == 6 else "").partition(" ")
        if verb == "ratify" and name not in found:
            oid, verdict, key, email, _, body = parts
            found[name.strip()] = Ratification(oid.strip(), verdict, key, email, _anchors(body))
    return found


def judged(oid: str, signers: str | None) -> Ratification:
    """One commit's signature."""
    words = [*_setting(signers), "log", "-1", "--format=%G?%x01%GK%x01%ce%x01%b", "--end-of-options", oid]
    verdict, key, email, body = process.need(words).text.split("\x01", 3)
    return Ratification(oid, verdict, key, email, _anchors(body))


def _setting(signers: str | None) -> list[str]:
    return ["-c", f"gpg.ssh.allowedSignersFile={signers or os.devnull}", "-c", "log.showSignature=false"]


def _anchors(body: str) -> dict[str, str]:
    found = {}
    for line in body.split("\n"):
        label, colon, text = line.partition(": ")
        if colon and label in ("constraint+scope", "body+scope"):
            found[label] = text.strip()
    return found
