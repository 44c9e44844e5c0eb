"""accept: one signed commit on the default branch, or nothing at all."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tenure.model import entity_reading, entity_writing
from tenure.model.entities import Adr
from verbs.world import TASK, Repo, task


def key(folder: Path, name: str) -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    return folder / f"{name}.pub"


@pytest.fixture
def mine(repo: Repo, tmp_path: Path) -> Path:
    """A key with which this user signs."""
    made = key(tmp_path, "mine")
    repo.git("config", "gpg.format", "ssh")
    repo.git("config", "user.signingkey", str(made))
    return made


def may_ratify(repo: Repo, public: Path) -> None:
    repo.write(".ank/allowed_signers", f'ada@example.org namespaces="git" {public.read_text()}')


def propose(repo: Repo, *more: str) -> str:
    return str(repo.json("new", "adr", "--title", "No JWT", "--scope", "src/**", "--constraint", "No JWT", *more)["id"])


def adr(repo: Repo, one: str) -> Adr:
    found = entity_reading.parse((repo.path / f".ank/entities/{one}.md").read_text())
    assert isinstance(found, Adr)
    return found


def test_it_is_one_signed_commit_that_carries_the_anchor(repo: Repo, mine: Path) -> None:
    """§10 accept, format page B; other staged work stays staged."""
    may_ratify(repo, mine)
    one = propose(repo)
    repo.write("docs/guide.md", "Another guide.\n")
    repo.git("add", "docs/guide.md")
    said = repo.json("accept", one)
    assert said["commit"] == repo.git("rev-parse", "main")
    label, anchor = entity_writing.anchor(adr(repo, one))
    assert repo.git("log", "-1", "--format=%B") == f"ratify {one}\n\n{label}: {anchor}"
    assert repo.git("show", "--format=", "--name-only", "HEAD") == f".ank/entities/{one}.md"
    assert (adr(repo, one).status, adr(repo, one).ratified, adr(repo, one).version) == ("accepted", anchor, 2)
    assert repo.git("status", "--porcelain") == "M  docs/guide.md\n?? .ank/allowed_signers"
    repo.put(task())
    assert not any(line.startswith(one) for line in repo.findings())


def test_what_it_supersedes_is_marked_in_the_same_commit(repo: Repo, mine: Path) -> None:
    """Format page F."""
    may_ratify(repo, mine)
    old = propose(repo)
    repo.tenure("accept", old)
    new = propose(repo, "--supersedes", old)
    repo.tenure("accept", new)
    assert repo.git("show", "--format=", "--name-only", "HEAD").split() == sorted(
        [f".ank/entities/{old}.md", f".ank/entities/{new}.md"]
    )
    assert adr(repo, old).status == "superseded"
    assert repo.findings("fault") == []


def nothing_moved(repo: Repo, one: str, head: str) -> None:
    assert repo.git("rev-parse", "HEAD") == head
    assert adr(repo, one).status == "proposed"


def test_without_a_key_that_may_ratify_nothing_moves(repo: Repo, tmp_path: Path) -> None:
    """§10 accept: 9 for no key, no signers, and a key that they do not name."""
    one, head = propose(repo), repo.git("rev-parse", "HEAD")
    repo.git("config", "gpg.format", "ssh")
    assert "could not be signed" in repo.tenure("accept", one, exits=9).stderr
    nothing_moved(repo, one, head)
    repo.git("config", "user.signingkey", str(key(tmp_path, "mine")))
    assert "names nobody's key" in repo.tenure("accept", one, exits=9).stderr
    may_ratify(repo, key(tmp_path, "theirs"))
    assert "does not name the key that you sign with" in repo.tenure("accept", one, exits=9).stderr
    nothing_moved(repo, one, head)


def test_only_a_proposed_decision_on_the_default_branch_is_ratified(repo: Repo, mine: Path) -> None:
    """§10 accept: 1 for a task, 7 elsewhere, 6 twice, 2 for nothing."""
    may_ratify(repo, mine)
    repo.put(task())
    one = propose(repo)
    repo.tenure("accept", TASK, exits=1)
    repo.tenure("accept", "9999", exits=2)
    repo.git("checkout", "-q", "-b", "elsewhere")
    assert "git switch main" in repo.tenure("accept", one, exits=7).stderr
    repo.git("checkout", "-q", "main")
    repo.tenure("accept", one)
    repo.tenure("accept", one, exits=6)


def test_check_tells_a_stranger_an_unsigned_commit_and_an_altered_text(repo: Repo, mine: Path, tmp_path: Path) -> None:
    """Format page F: ratification faults, with any git from 2.34."""
    may_ratify(repo, mine)
    one = propose(repo)
    repo.tenure("accept", one)
    may_ratify(repo, key(tmp_path, "theirs"))
    assert any("signed with a key that .ank/allowed_signers does not name" in line for line in repo.findings("fault"))
    may_ratify(repo, mine)
    assert repo.findings("fault") == []
    text = adr(repo, one)
    altered = entity_writing.emit(text).replace("No JWT\nratified", "Any JWT\nratified")
    repo.write(f".ank/entities/{one}.md", altered)
    assert any(line.startswith(f"{one}: it was altered since it was ratified") for line in repo.findings("fault"))
    fresh = entity_writing.anchor(entity_reading.parse(altered))[1]  # type: ignore[arg-type]
    repo.write(f".ank/entities/{one}.md", altered.replace(f"ratified: {text.ratified}", f"ratified: {fresh}"))
    assert any(line.startswith(f"{one}: it was altered since commit") for line in repo.findings("fault"))
    repo.write(f".ank/entities/{one}.md", entity_writing.emit(text))
    repo.git("commit", "-q", "--amend", "--no-gpg-sign", "--no-edit")
    assert any("is not signed" in line for line in repo.findings("fault"))


@pytest.fixture
def rings(tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """By name a key ring of its own: a program for `gpg.program`. Its agent ends with the test."""
    made: list[str] = []

    def ring(name: str) -> str:
        made.append(tempfile.mkdtemp(prefix="ring"))  # short: the agent's socket lies in it
        (tmp_path / name).write_text(f'#!/bin/sh\nexec gpg --homedir {made[-1]} "$@"\n')
        (tmp_path / name).chmod(0o755)
        return str(tmp_path / name)

    yield ring
    for home in made:
        subprocess.run(["gpgconf", "--homedir", home, "--kill", "all"], check=False)
        shutil.rmtree(home, ignore_errors=True)


@pytest.mark.skipif(not shutil.which("gpg"), reason="gpg is not installed here")
def test_it_signs_with_openpgp_where_the_users_git_does(repo: Repo, rings: Callable[[str], str]) -> None:
    """§10 accept: ssh or OpenPGP; a clone without the public key cannot check it, and says so."""
    one, head = propose(repo), repo.git("rev-parse", "HEAD")
    repo.git("config", "gpg.program", rings("mine"))
    assert "could not be signed" in repo.tenure("accept", one, exits=9).stderr
    nothing_moved(repo, one, head)
    batch = [repo.git("config", "gpg.program"), "--batch", "--quiet", "--passphrase", "", "--pinentry-mode", "loopback"]
    subprocess.run([*batch, "--quick-gen-key", "Ada <ada@example.org>", "ed25519", "sign"], check=True)
    repo.git("config", "user.signingkey", "ada@example.org")
    repo.tenure("accept", one)
    assert repo.git("log", "-1", "--format=%G? %s") == f"G ratify {one}"
    assert not any("signature" in line for line in repo.findings())
    repo.git("config", "gpg.program", rings("theirs"))
    assert repo.findings("fault") == []
    assert any("cannot be checked here" in line for line in repo.findings("signal"))
