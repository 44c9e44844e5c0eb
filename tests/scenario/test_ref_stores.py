"""One contract for the two stores of claims: the clone's refs, and an origin over file, HTTP and ssh (R-C1, R-C2)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

from servers import GitOverHttp, GitOverSsh
from support import AUTH, Clone, World, wait
from tenure.git import config as git_config
from tenure.git import refs, remote
from tenure.model import ids

REF = ids.claim_ref(AUTH)
KINDS = ("local", "file", "http", "ssh")


class Store(Protocol):
    """What arbitration needs: read, and write by expected value; True only where this very call did it."""

    def read(self) -> str | None: ...

    def write(self, new: str, expected: str | None) -> bool: ...

    def delete(self, expected: str) -> bool: ...


class Local:
    def read(self) -> str | None:
        found = refs.read(REF)
        return found.oid if found else None

    def write(self, new: str, expected: str | None) -> bool:
        return refs.swap(REF, new, expected)

    def delete(self, expected: str) -> bool:
        return refs.delete(REF, expected)


class Origin:
    def __init__(self) -> None:
        found = remote.find(git_config.read())
        assert found
        self.origin = found

    def read(self) -> str | None:
        seen = remote.look(self.origin, REF)
        assert seen is not None
        return seen.oid

    def write(self, new: str, expected: str | None) -> bool:
        return remote.landed(remote.push(self.origin, [remote.Update(REF, new, expected)]).get(REF))

    def delete(self, expected: str) -> bool:
        return remote.landed(remote.push(self.origin, [remote.Update(REF, None, expected)]).get(REF))


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    bare = world.origin()
    server: GitOverHttp | GitOverSsh | None = None
    url = str(bare.path)
    if request.param == "http":
        server = GitOverHttp(world.root)
        url = server.url("origin.git")
    elif request.param == "ssh":
        server = GitOverSsh(world.root)
        url = server.url(bare.path)
        (world.root / "gitconfig").open("a").write(f"[core]\n\tsshCommand = {server.command}\n")
    clone = world.clone("clone", url)
    for name, text in world.env().items():
        monkeypatch.setenv(name, text)
    monkeypatch.chdir(clone.path)
    yield Local() if request.param == "local" else Origin()
    if server:
        server.stop()


def blob(text: str) -> str:
    return refs.write_blob(text.encode())


def test_a_ref_that_must_be_absent_is_made_once(store: Store) -> None:
    """R-C1: create is never an update."""
    assert store.read() is None
    assert store.write(blob("one"), None)
    assert store.read() == blob("one")
    assert not store.write(blob("two"), None)
    assert store.read() == blob("one")


def test_a_swap_from_the_expected_value_is_done_and_from_another_is_not(store: Store) -> None:
    """R-C1: the expected old value decides."""
    assert store.write(blob("one"), None)
    assert not store.write(blob("three"), blob("two"))
    assert store.write(blob("two"), blob("one"))
    assert store.read() == blob("two")


def test_a_deletion_needs_the_expected_value(store: Store) -> None:
    """R-C1."""
    assert store.write(blob("one"), None)
    assert not store.delete(blob("two"))
    assert store.read() == blob("one")
    assert store.delete(blob("one"))
    assert store.read() is None


def test_nothing_else_moves(store: Store, world: World) -> None:
    """R-C1, S10: neither branches nor tags, whatever the settings would like to send."""
    clone, bare = Clone(world, world.root / "clone"), Clone(world, world.root / "origin.git")
    clone.git("tag", "-a", "v1", "-m", "v1")
    for key, text in (("push.followTags", "true"), ("push.default", "matching"), ("remote.origin.mirror", "true")):
        clone.git("config", key, text)
    before = bare.git("for-each-ref", "refs/heads", "refs/tags").out
    assert store.write(blob("one"), None)
    assert bare.git("for-each-ref", "refs/heads", "refs/tags").out == before


def test_a_symbolic_ref_is_replaced_and_its_target_stays(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-C1, F29: a local write never follows."""
    repo = world.repo()
    monkeypatch.chdir(repo.path)
    for name, text in world.env().items():
        monkeypatch.setenv(name, text)
    victim = blob("victim")
    repo.git("update-ref", "refs/tags/victim", victim)
    repo.git("symbolic-ref", REF, "refs/tags/victim")
    assert not refs.swap(REF, blob("mine"), victim) or refs.read("refs/tags/victim") == refs.Ref(
        "refs/tags/victim", victim
    )
    found = refs.read("refs/tags/victim")
    assert found is not None
    assert found.oid == victim


def test_an_origin_that_does_not_answer_is_none_and_bounded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-C2, F40: unreachable is its own answer, within the limit, and no child is left."""
    world.origin()
    clone = world.clone("clone")
    hang = world.script("hang", "#!/bin/sh\nexec sleep 60\n")
    clone.git("config", "core.sshCommand", str(hang))
    clone.git("remote", "set-url", "origin", "ssh://nowhere.invalid/x.git")
    for name, text in world.env().items():
        monkeypatch.setenv(name, text)
    monkeypatch.chdir(clone.path)
    origin = remote.find(git_config.read())
    assert origin is not None
    begun = os.times().elapsed
    assert remote.look(origin, REF, 1.0) is None
    assert remote.push(origin, [remote.Update(REF, clone.head(), None)], 1.0) == {}
    assert os.times().elapsed - begun < 8
    wait("no child left", lambda: not [one for one in Path("/proc").glob("[0-9]*/cmdline") if _runs(one, str(hang))], 3)


def _runs(cmdline: Path, text: str) -> bool:
    try:
        return text in cmdline.read_bytes().decode("utf-8", "replace")
    except OSError:
        return False


def test_a_ref_whose_name_holds_a_line_separator_hides_nothing(world: World) -> None:
    """R-C8, R-X3: git allows U+2028 and U+0085 in names; Python takes them for line ends."""
    bare = world.origin()
    repo = world.clone("ada")
    for place in (repo, bare):
        for name in ("x\u2028y", "x\u0085y"):
            place.git("update-ref", f"refs/ank/claims/{name}", place.head())
    repo.tenure("claim", AUTH)
    assert repo.json("status")["claim"]["id"] == AUTH
    repo.tenure("release", "--reason", "enough")
    assert bare.oid(REF) is None
