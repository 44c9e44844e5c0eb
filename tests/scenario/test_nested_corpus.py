"""A corpus below the top of its repository: its scopes are relative to its own folder (§Names, R-L5)."""

from __future__ import annotations

from support import ADA, AUTH, BOB, World, task_text

FOLDER = "services/api"


def test_a_commit_in_the_scope_of_a_nested_task_renews_and_one_beside_it_does_not(world: World) -> None:
    """R-L5: `src/auth/**` of services/api is not the top's src/auth."""
    repo = world.repo()
    repo.git("rm", "-q", f".ank/entities/{AUTH}.md")
    repo.write(f"{FOLDER}/.ank/config.yml", "schema: 1\ndefault_branch: main\n")
    repo.write(f"{FOLDER}/.ank/entities/{AUTH}.md", task_text(AUTH))
    repo.write(f"{FOLDER}/src/auth/login.py", "1\n")
    repo.commit("A service with tasks of its own")
    repo.hooks()
    world.run([world.python, "-m", "tenure", "claim", AUTH], repo.path / FOLDER)
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
    world.run([world.python, "-m", "tenure", "claim", AUTH], ada.path / FOLDER)
    bob.git("pull", "-q")
    world.run([world.python, "-m", "tenure", "board"], bob.path / FOLDER, agent=BOB)
    bob.hooks()
    bob.write(f"{FOLDER}/src/auth/login.py", "bob\n")
    bob.commit("Meet", agent=BOB)
    said = bob.git("push", "-q", "origin", "main", agent=BOB).err
    assert bare.oid("refs/heads/main") == bob.head()
    assert f"1 claim overlaps, first: {AUTH}, held by {ADA}" in said
