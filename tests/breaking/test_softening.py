"""Ways to soften a frozen criterion that no hook was to see (R-F1, R-F3)."""

from __future__ import annotations

import json
import time

import pytest

from breaking import scene
from support import AUTH, BOB, DOCS, Clone, World, claim_text


def test_an_object_that_stands_for_another_hides_no_edit(world: World) -> None:
    """R-F1: what is judged is what a push would send, whatever `git replace` shows here."""
    ada = scene.held(world)
    frozen = ada.oid(f"HEAD:{ada.task_path()}") or ""
    ada.soften()
    ada.git("replace", ada.git("hash-object", "-w", ada.task_path()).out.strip(), frozen)
    assert scene.REFUSED in ada.commit("Soften", exits=1).err
    ada.commit("Soften", "--no-verify")
    assert scene.REFUSED in ada.git("push", "origin", "HEAD:main", exits=1).err


@pytest.mark.parametrize("name", ["GIT_LITERAL_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"])
def test_an_editor_that_reads_paths_literally_hides_no_edit_from_a_push(world: World, name: str) -> None:
    """R-F1, B6: magit sets such a variable for everything that it starts."""
    ada = scene.held(world)
    ada.soften()
    ada.commit("Soften", "--no-verify")
    assert scene.REFUSED in ada.git("push", "origin", "HEAD:main", exits=1, **{name: "1"}).err


@pytest.mark.parametrize(
    ("key", "setting"),
    [("tenure.lease", "soon"), ("tenure.renewal", "soon"), ("tenure.agent", "who\x07")],
)
def test_a_setting_that_cannot_be_read_switches_no_verdict_off(world: World, key: str, setting: str) -> None:
    """R-H4, R-X5: in a hook it is a complaint."""
    ada = scene.held(world)
    ada.git("config", key, setting)
    ada.soften()
    assert scene.REFUSED in ada.commit("Soften", exits=1, agent=None).err
    ada.commit("Soften", "--no-verify")
    pushed = ada.git("push", "origin", "HEAD:main", exits=1, agent=None).err
    assert scene.REFUSED in pushed
    assert "tenure: git config" in pushed or "control character" in pushed


def test_an_identity_that_nobody_may_have_switches_no_verdict_off(world: World) -> None:
    """R-H4, R-I3: and it is said in a commit that goes through."""
    ada = scene.held(world)
    ada.soften()
    assert scene.REFUSED in ada.commit("Soften", exits=1, agent="who\nis it").err
    ada.git("reset", "-q", "--hard")
    ada.touch()
    assert "control character" in ada.commit("Work", agent="who\nis it").err


@pytest.mark.parametrize("mode", ["160000", "120000"])
def test_a_link_that_names_the_frozen_object_is_no_file(world: World, mode: str) -> None:
    """R-F1: the file is gone, though the object with the frozen text stands at its path."""
    ada = scene.held(world)
    frozen = ada.oid(f"HEAD:{ada.task_path()}")
    ada.git("rm", "-q", "--cached", ada.task_path())
    ada.git("update-index", "--add", "--cacheinfo", f"{mode},{frozen},{ada.task_path()}")
    assert scene.REFUSED in ada.git("commit", "-q", "-m", "Link", exits=1).err
    ada.git("commit", "-q", "-m", "Link", "--no-verify")
    assert scene.REFUSED in ada.git("push", "origin", "HEAD:main", exits=1).err


@pytest.mark.parametrize("name", ["seen", f"claims/{AUTH}", "notes", "noticed", "claims"])
def test_garbage_in_the_clone_s_state_switches_no_verdict_off(world: World, name: str) -> None:
    """R-H4: what a clone remembers is a help; refs and files decide."""
    ada = scene.held(world)
    ada.git("worktree", "list")
    place = ada.path / ".git" / "tenure" / name
    world.run(["rm", "-rf", str(place)], ada.path)
    if name == "claims":
        place.write_text("no folder")
    else:
        place.mkdir(parents=True)
    ada.soften()
    assert scene.REFUSED in ada.commit("Soften", exits=1).err
    ada.commit("Soften", "--no-verify")
    assert scene.REFUSED in ada.git("push", "origin", "HEAD:main", exits=1).err
    ada.tenure("status", exits=None)


def test_a_merge_that_keeps_the_other_text_is_said(world: World) -> None:
    """R-F3: `-s ours` from a branch with the draft; no commit is to blame, and it does not go unseen."""
    ada = scene.with_a_past(world)
    main = ada.head()
    ada.git("checkout", "-q", "-b", "old", "v1")
    ada.write("elsewhere.txt", "1\n")
    ada.commit("Elsewhere")
    ada.git("merge", "-q", "-s", "ours", "-m", "Merge", "main")
    said = ada.json("verify", f"{main}..HEAD")["said"]
    assert [one["task"] for one in said] == [AUTH]
    pushed = ada.git("push", "origin", "HEAD:refs/heads/new").err
    assert f"tenure: {AUTH}" in pushed
    assert "not refused" in pushed


def test_a_branch_that_is_moved_back_behind_the_frozen_text_is_said(world: World) -> None:
    """R-F3: a forced push sends no commit, and takes the criterion away all the same."""
    ada = scene.with_a_past(world)
    pushed = ada.git("push", "-f", "origin", "v1^{}:main").err
    assert f"tenure: {AUTH}" in pushed
    assert "not refused" in pushed


def test_of_many_refs_with_one_text_the_one_that_brings_it_is_found(world: World) -> None:
    """R-F1, B15: the same blob stands in sixty branches off an old tag, which are not to blame."""
    ada = scene.with_a_past(world)
    ada.git("checkout", "-q", "-b", "soft")
    ada.write(ada.task_path(), ada.git("show", f"v1:{ada.task_path()}").out)
    ada.commit("Back to the draft", "--no-verify")
    old = [ada.git("commit-tree", "v1^{tree}", "-p", "v1", "-m", str(number)).out.strip() for number in range(60)]
    refs = [f"{commit}:refs/heads/a{commit}" for commit in old]
    assert scene.REFUSED in ada.git("push", "origin", *refs, "soft", exits=1).err


@pytest.mark.parametrize("form", ["spaces", "flow", "json"])
def test_a_claim_in_any_form_that_yaml_allows_freezes_for_everybody(world: World, form: str) -> None:
    """R-C8, R-H6: what the engine takes for a claim wakes it, in a clone that holds nothing itself too."""
    ada = scene.held(world)
    bob = world.clone("bob").hooks()
    claim = ada.held()
    text = claim.text.replace("state: claim", "state:   claim")
    if form != "spaces":
        fields = [line.partition(": ") for line in claim.text.splitlines() if not line.startswith("#")]
        pairs = [f'"{key}": {text if key == "ttl" else json.dumps(text)}' for key, _, text in fields]
        text = "{" + (", " if form == "flow" else ",\n ").join(pairs) + "}\n"
    ada.share(text)
    bob.mirrored()
    bob.soften()
    assert scene.REFUSED in bob.commit("Soften", exits=1, agent=BOB).err


def test_a_line_end_in_the_folder_s_name_hides_no_edit_and_misplaces_no_state(world: World) -> None:
    """R-F1, R-H5: git answers a path a line, and a path may hold line ends."""
    world.origin()
    ada = scene.begun(world.clone("a\nb"))
    ada.soften()
    assert scene.REFUSED in ada.commit("Soften", exits=1).err
    ada.commit("Soften", "--no-verify")
    assert scene.REFUSED in ada.git("push", "origin", "HEAD:main", exits=1).err
    assert not list(world.root.glob("a/*"))


@pytest.mark.parametrize("task", [AUTH, DOCS])
def test_an_escape_that_names_no_character_makes_a_file_unreadable_and_switches_no_verdict_off(
    world: World, task: str
) -> None:
    """R-F1, R-X6: in the softened file, and in another one of the same commit."""
    ada = scene.held(world)
    path = ada.task_path(task)
    ada.write(path, ada.read(path).replace("author: human:marie", 'author: "\\UFFFFFFFF"'))
    ada.soften()
    _is_refused(ada)


def test_a_setting_of_the_repository_of_another_kind_switches_no_verdict_off(world: World) -> None:
    """R-H4, R-X5: the file comes with a pull, and would speak for everybody who has it."""
    ada = scene.held(world)
    ada.write(".tenure.yml", "identities: {ada@example.org: [human:ada]}\n")
    ada.soften()
    _is_refused(ada)


def test_a_claim_that_ends_far_ahead_freezes_where_the_clone_s_state_cannot_be_written(world: World) -> None:
    """R-L9, B33: the moment of its first reading cannot be noted; the verdict needs it not."""
    ada = scene.held(world)
    ada.put(claim_text(AUTH, BOB, int(time.time()) + 9 * 86_400, ttl=10 * 86_400))
    (ada.path / ".git" / "tenure" / "seen").mkdir()
    ada.soften()
    _is_refused(ada)


def _is_refused(ada: Clone) -> None:
    assert scene.REFUSED in ada.commit("Soften", exits=1).err
    ada.commit("Soften", "--no-verify")
    assert scene.REFUSED in ada.git("push", "origin", "HEAD:main", exits=1).err


@pytest.mark.parametrize("date", ["\u00b2", "--5", "1" * 5000])
def test_a_commit_with_a_date_that_is_none_is_judged(world: World, date: str) -> None:
    """R-F1: git takes such a commit, as old importers made them."""
    ada = scene.held(world)
    ada.soften()
    ada.git("add", "-A")
    tree = ada.git("write-tree").out.strip()
    lines = [f"tree {tree}", f"parent {ada.head()}", "author Ada <ada@example.org> 1 +0000"]
    text = "\n".join([*lines, f"committer Ada <ada@example.org> {date} +0000", "", "Soften", ""])
    words = ["git", "hash-object", "--literally", "-t", "commit", "-w", "--stdin"]
    commit = world.run(words, ada.path, stdin=text).out.strip()
    assert scene.REFUSED in ada.git("push", "origin", f"{commit}:refs/heads/soft", exits=1).err


@pytest.mark.parametrize("words", [["init"], ["hooks", "install"]])
def test_hooks_in_a_fresh_clone_know_what_others_hold(world: World, words: list[str]) -> None:
    """R-F2: who only ever commits and pushes is told as well; a clone alone brings no claims."""
    scene.held(world)
    bob = world.clone("bob")
    bob.tenure(*words, agent=BOB)
    bob.soften()
    assert scene.REFUSED in bob.commit("Soften", exits=1, agent=BOB).err


def test_an_origin_that_does_not_answer_holds_up_no_installation(world: World) -> None:
    """R-H7: and that the hooks know nothing yet is said."""
    world.origin()
    bob = world.clone("bob")
    bob.git("remote", "set-url", "origin", str(world.root / "nowhere.git"))
    assert "origin did not answer" in bob.tenure("init", agent=BOB).err


def test_a_tree_that_names_the_file_twice_hides_no_edit(world: World) -> None:
    """R-F1: git reads the first of two entries, a checkout leaves the second; a server without fsck takes both."""
    ada = scene.held(world)
    path = ada.task_path()
    frozen = ada.oid(f"HEAD:{path}")
    ada.soften()
    soft = ada.git("hash-object", "-w", path).out.strip()
    entries = ada.git("ls-tree", "HEAD:.ank/entities").out + f"100644 blob {soft}\t{AUTH}.md\n"
    tree = world.run(["git", "mktree"], ada.path, stdin=entries).out.strip()
    for above, name in (("HEAD:.ank", "entities"), ("HEAD", ".ank")):
        rest = [line for line in ada.git("ls-tree", above).out.splitlines(True) if not line.endswith(f"\t{name}\n")]
        entries = "".join([*rest, f"040000 tree {tree}\t{name}\n"])
        tree = world.run(["git", "mktree"], ada.path, stdin=entries).out.strip()
    commit = ada.git("commit-tree", tree, "-p", "HEAD", "-m", "Soften").out.strip()
    assert ada.oid(f"{commit}:{path}") == frozen
    assert scene.REFUSED in ada.git("push", "origin", f"{commit}:main", exits=1).err
    assert ada.json("verify", f"HEAD..{commit}", exits=8)["verdict"] == "refused"
