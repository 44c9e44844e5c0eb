"""A corpus below the top of its repository: its scopes are relative to its own folder (§Names, R-L5)."""

from __future__ import annotations

from support import ADA, AUTH, BOB, Clone, World, task_text

FOLDER = "services/api"


def test_a_commit_in_the_scope_of_a_nested_task_renews_and_one_beside_it_does_not(world: World) -> None:
    """R-L5: `src/auth/**` of services/api is not the top's src/auth."""
    repo = nested(world)
    repo.write(f"{FOLDER}/src/auth/login.py", "1\n")
    repo.commit("A service with code of its own")
    repo.hooks()
    verb(world, repo, "claim", AUTH)
    repo.commit("Take it")
    before = repo.shorten(300)
    repo.write("src/auth/login.py", "elsewhere\n")
    repo.commit("Not in this perimeter")
    assert repo.held().expires == before.expires
    repo.write(f"{FOLDER}/src/auth/login.py", "2\n")
    repo.commit("In it")
    assert repo.held().expires > before.expires


def test_a_push_says_the_overlap_with_a_nested_claim(world: World) -> None:
    """R-K5, R-L5."""
    nested = task_text(AUTH)
    bare = world.origin()
    ada, bob = world.clone("ada"), world.clone("bob")
    ada.git("rm", "-q", f".ank/entities/{AUTH}.md")
    ada.write(f"{FOLDER}/.ank/entities/{AUTH}.md", nested)
    ada.write(f"{FOLDER}/.ank/config.yml", "schema: 1\ndefault_branch: main\n")
    ada.commit("Nest it")
    ada.git("push", "-q", "origin", "main")
    verb(world, ada, "claim", AUTH)
    bob.git("pull", "-q")
    world.run([world.python, "-m", "tenure", "board"], bob.path / FOLDER, agent=BOB)
    bob.hooks()
    bob.write(f"{FOLDER}/src/auth/login.py", "bob\n")
    bob.commit("Meet", agent=BOB)
    said = bob.git("push", "-q", "origin", "main", agent=BOB).err
    assert bare.oid("refs/heads/main") == bob.head()
    assert f"1 claim overlaps, first: {AUTH}, held by {ADA}" in said


def test_a_finished_task_of_a_nested_corpus_is_not_released_once_the_default_branch_knows(world: World) -> None:
    """R-C6: the default branch is asked for the task, wherever in the tree its file lies."""
    repo = nested(world)
    repo.git("branch", "older")
    verb(world, repo, "claim", AUTH)
    verb(world, repo, "done", "--proof", "assertion:it works")
    repo.commit("Done")
    repo.git("switch", "-q", "older")
    said = repo.tenure("-C", FOLDER, "release", AUTH, "--reason", "thrown away", exits=6).err
    assert "is done on the default branch" in said and repo.record() is not None


def test_a_deleted_task_file_of_a_nested_corpus_comes_back_with_its_criterion(world: World) -> None:
    """R-F1, R-F4: `criteria restore`, as in a corpus at the top."""
    repo = nested(world)
    verb(world, repo, "claim", AUTH)
    text = repo.read(f"{FOLDER}/.ank/entities/{AUTH}.md")
    repo.commit("Take it")
    (repo.path / FOLDER / ".ank" / "entities" / f"{AUTH}.md").unlink()
    verb(world, repo, "criteria", "restore", AUTH)
    assert repo.read(f"{FOLDER}/.ank/entities/{AUTH}.md") == text


def nested(world: World) -> Clone:
    """A repository whose one corpus is that of a service below its top."""
    repo = world.repo()
    repo.git("rm", "-q", "-r", ".ank")
    repo.write(".tenure.yml", "default_branch: main\n")
    repo.write(f"{FOLDER}/.ank/config.yml", "schema: 1\ndefault_branch: main\n")
    repo.write(f"{FOLDER}/.ank/entities/{AUTH}.md", task_text(AUTH))
    repo.commit("A service with tasks of its own")
    return repo


def verb(world: World, repo: Clone, *words: str) -> None:
    """A verb, as somebody runs it who works in that folder."""
    world.run([world.python, "-m", "tenure", *words], repo.path / FOLDER)
