"""A commit cannot soften the criterion that a claim froze (R-F1 to R-F4, R-H1, R-H5, R-X6)."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest

from scenario.kit import picture
from support import ADA, AUTH, BOB, CRITERION, DOCS, FROZEN, Clone, World, claim_text, task_text
from tenure.model import criteria, instants

PATH = f".ank/entities/{AUTH}.md"
BLOCK = f"done_criteria: |\n  {CRITERION}"


def claimed(world: World) -> Clone:
    """Hooks in place, AUTH held by Ada, the claim's own edit committed."""
    repo = world.repo().hooks()
    repo.tenure("claim", AUTH)
    repo.commit("Take it")
    return repo


def must_refuse(repo: Clone, *words: str, agent: str | None = ADA) -> str:
    """git commit is refused with exit 1, and index, files and refs stay as they were (R-H5); what was said."""
    before = picture(repo)
    said = repo.git("commit", "-q", "-m", "Soften", *words, agent=agent, exits=1).err
    assert picture(repo) == before
    assert f"tenure: refused: {AUTH}: " in said.splitlines()[0], said
    return said


def replace(repo: Clone, old: str, new: str) -> None:
    text = repo.read(PATH)
    assert text.count(old) == 1
    repo.write(PATH, text.replace(old, new))


def _edit(repo: Clone) -> str:
    repo.soften()
    return "its done criterion was changed"


def _delete(repo: Clone) -> str:
    (repo.path / PATH).unlink()
    return "its file was deleted or moved away"


def _move_out(repo: Clone) -> str:
    repo.git("mv", PATH, "docs/TASK.md")
    return "its file was deleted or moved away"


def _rename(repo: Clone) -> str:
    repo.git("mv", PATH, ".ank/entities/TASK-820d259af6a8.md")
    return "its file was deleted or moved away"


def _break(repo: Clone) -> str:
    replace(repo, "title: Migrate auth\n", "title: [Migrate\n")
    return "its file was made unreadable"


def _double(repo: Clone) -> str:
    replace(repo, BLOCK, f"done_criteria: |\n  Anything\n{BLOCK}")
    return "its file was made unreadable"


def _other_key(repo: Clone) -> str:
    replace(repo, BLOCK, f"criteria: |\n  {CRITERION}")
    return "its done criterion was taken out"


def _into_the_body(repo: Clone) -> str:
    replace(repo, BLOCK, "")
    repo.write(PATH, repo.read(PATH) + BLOCK)
    return "its done criterion was taken out"


def _folded(repo: Clone) -> str:
    replace(repo, BLOCK, "done_criteria: >\n  Nothing\n  much\n")
    return "its done criterion was changed"


def _unclosed(repo: Clone) -> str:
    repo.write(PATH, repo.read(PATH).replace("\n---\n", "\n"))
    return "its file was made unreadable"


EDITS = [_edit, _delete, _move_out, _rename, _break, _double, _other_key, _into_the_body, _folded, _unclosed]


def test_every_way_to_edit_the_criterion_is_refused(world: World) -> None:
    """R-F1, R-X6, R-H5: by text, deletion, rename, moving away, breaking the file, another key, another form."""
    repo = claimed(world)
    for edit in EDITS:
        happened = edit(repo)
        repo.git("add", "-A")
        said = must_refuse(repo)
        assert said.splitlines()[0] == f"tenure: refused: {AUTH}: {happened} while it is claimed [R-F1]", edit
        repo.git("reset", "-q", "--hard")


def _noise(repo: Clone) -> None:
    replace(repo, BLOCK, f"done_criteria: |\n  {CRITERION.rstrip()}   \n  \n")


def _quoted(repo: Clone) -> None:
    text = re.sub(r"done_criteria: \|\n(  .*\n)+", f'done_criteria: "{CRITERION.rstrip()}"\n', repo.read(PATH))
    repo.write(PATH, text)


def _other_folder(repo: Clone) -> None:
    (repo.path / ".ank/tasks").mkdir()
    repo.git("mv", PATH, f".ank/tasks/{AUTH}.md")


def _title(repo: Clone) -> None:
    replace(repo, "title: Migrate auth", "title: Migrate the auth")


PASSING = [_noise, _quoted, _title, _other_folder]


def test_what_the_hash_ignores_passes(world: World) -> None:
    """R-F1, R-X6: trailing blanks, another form of the same text, the rest of the file, the corpus' other folder."""
    repo = claimed(world)
    for change in PASSING:
        change(repo)
        head = repo.head()
        repo.commit(change.__name__)
        assert repo.head() != head


def _all(repo: Clone) -> tuple[str, ...]:
    return ("-a",)


def _path(repo: Clone) -> tuple[str, ...]:
    return ("--", PATH)


def _include(repo: Clone) -> tuple[str, ...]:
    repo.write("other.txt", "x\n")
    repo.git("add", "other.txt")
    return ("--include", PATH)


def _amend(repo: Clone) -> tuple[str, ...]:
    repo.git("add", "-A")
    return ("--amend",)


@pytest.mark.parametrize("way", [_all, _path, _include, _amend])
def test_every_way_to_commit_is_judged(world: World, way: Callable[[Clone], tuple[str, ...]]) -> None:
    """R-H1, R-H5: commit -a, commit -- path, --include, --amend: through the index that git hands the hook."""
    repo = claimed(world)
    repo.soften()
    must_refuse(repo, *way(repo))


def test_the_staged_state_decides_and_never_the_worktree(world: World) -> None:
    """R-H1: an edit that is staged and undone in the file is refused; one that is not staged passes."""
    repo = claimed(world)
    good = repo.read(PATH)
    repo.soften()
    repo.git("add", "-A")
    repo.write(PATH, good)
    must_refuse(repo)
    repo.git("reset", "-q", "--hard")
    repo.soften()
    repo.write("other.txt", "x\n")
    repo.git("add", "other.txt")
    repo.git("commit", "-q", "-m", "Only the other file")
    assert repo.git("show", f"HEAD:{PATH}").out == good


def test_a_commit_from_a_folder_below_and_from_another_worktree_is_judged(world: World) -> None:
    """R-H1, R-C10: worktrees share refs and freeze."""
    repo = claimed(world)
    repo.soften()
    repo.git("add", "-A")
    below = Clone(world, repo.path / "docs")
    assert "refused" in below.git("commit", "-q", "-m", "Soften", exits=1).err
    tree = repo.worktree("tree")
    tree.soften()
    tree.git("add", "-A")
    must_refuse(tree)


def test_the_frozen_text_may_always_come_back(world: World) -> None:
    """R-F1, R-F4: over an edit that slipped in, by the command that the refusal names."""
    repo = claimed(world)
    repo.soften()
    repo.commit("Slip it in", "--no-verify")
    repo.write("other.txt", "x\n")
    repo.commit("A commit elsewhere, over the slipped edit, brings no edit")
    said = repo.tenure("criteria", "restore", "820d").out
    assert said.splitlines()[0] == f"restored the criterion of {AUTH} in {PATH}"
    again = repo.tenure("criteria", "restore", "820d").out
    assert again.splitlines()[0] == f"the criterion of {AUTH} in {PATH} is the frozen one already"
    repo.commit("Back")
    assert BLOCK in repo.git("show", f"HEAD:{PATH}").out


def test_a_refusal_tells_the_holder_both_ways_out(world: World) -> None:
    """R-F4: the task, the holder, the instant of the freeze, both texts, restore, release; both ways work."""
    repo = claimed(world)
    repo.soften()
    repo.git("add", "-A")
    lines = must_refuse(repo).splitlines()
    at = repo.held().claimed
    assert lines[1] == f"  frozen {instants.minute_of(at)} ({instants.text_of(at)}) by {ADA} (declared):"
    assert lines[2:4] == ["    - The README names no JWT", "    + Nothing in particular"]
    assert lines[4] == "  keep it:        tenure criteria restore 820d"
    assert lines[5].startswith('  if it is wrong: tenure release --reason "<why>"')
    repo.tenure("criteria", "restore", "820d")
    repo.commit("Kept after all")
    repo.soften()
    repo.tenure("release", "--reason", "the criterion is wrong")
    repo.commit("Another criterion")


def test_a_refusal_sends_anybody_else_to_the_holder(world: World) -> None:
    """R-F4, R-F2: anyone's claim freezes; who does not hold it is sent to who does."""
    repo = claimed(world)
    repo.soften()
    repo.git("add", "-A")
    said = must_refuse(repo, agent=BOB)
    assert f'if it is wrong: ask {ADA} to hand the task back:  tenure release --reason "<why>" 820d' in said


def test_a_lapsed_claim_freezes_as_a_live_one_does(world: World) -> None:
    """R-F2: a verdict does not change by waiting; released, nothing is frozen."""
    repo = claimed(world)
    repo.shorten(-90_000)
    repo.soften()
    repo.git("add", "-A")
    must_refuse(repo)
    must_refuse(repo, agent=BOB)
    repo.tenure("release", "--reason", "wrong criterion", AUTH)
    repo.commit("Free")


def test_nothing_is_frozen_without_a_claim_or_a_proof(world: World) -> None:
    """R-F2: neither: nothing is frozen, also while somebody holds another task."""
    repo = world.repo().hooks()
    repo.tenure("claim", DOCS, agent=BOB)
    repo.commit("Bob takes it", agent=BOB)
    repo.soften()
    assert repo.commit("Free").err == ""


def test_the_proof_of_a_finished_task_freezes_through_its_parent(world: World) -> None:
    """R-F2, R-F4: criterion and the proof's own `criteria`, changed or dropped, once the engine runs anyway."""
    repo = claimed(world)
    repo.tenure("done", "--proof", "assertion:it works")
    repo.commit("Done")
    repo.tenure("claim", DOCS)
    done = repo.read(PATH)
    for old, new in (
        (CRITERION, "Anything\n"),
        (f"criteria: {FROZEN}", "criteria: e3b0c44298fc"),
        (f"    criteria: {FROZEN}\n", ""),
    ):
        assert old in done
        repo.write(PATH, done.replace(old, new))
        repo.git("add", "-A")
        said = must_refuse(repo)
        assert "after it was done [R-F1]" in said.splitlines()[0]
        assert "frozen by the proof of the finished task" in said and "write a new task" in said


def finished(world: World) -> tuple[Clone, str]:
    """AUTH is done and committed, and DOCS is held; the file as it was finished."""
    repo = claimed(world)
    repo.tenure("done", "--proof", "assertion:it works")
    repo.commit("Done")
    repo.tenure("claim", DOCS)
    return repo, repo.read(PATH)


def test_the_command_that_a_refusal_names_restores_a_finished_task(world: World) -> None:
    """R-F4, R-F2: criterion and proof, staged or committed, also where both were changed to fit each other."""
    repo, done = finished(world)
    for old, new in (
        (f"    criteria: {FROZEN}\n", ""),
        (f"criteria: {FROZEN}", "criteria: e3b0c44298fc"),
        (CRITERION, "Anything\n"),
        (f"criteria: {FROZEN}", f"criteria: {criteria.freeze_hash('Anything')}"),
    ):
        changed = done.replace(old, new)
        repo.write(PATH, changed if "Anything" not in new else changed.replace(CRITERION, "Anything\n"))
        repo.git("add", "-A")
        assert "tenure criteria restore 820d" in must_refuse(repo)
        repo.commit("Slip it in", "--no-verify")
        repo.tenure("criteria", "restore", "820d")
        repo.commit("Back")
        for kept in (BLOCK, f"criteria: {FROZEN}", "status: done"):
            assert kept in repo.read(PATH)


def test_a_refusal_for_a_proof_shows_what_went(world: World) -> None:
    """R-F4: not an empty diff of two criteria that are the same."""
    repo, done = finished(world)
    repo.write(PATH, done.replace(f"    criteria: {FROZEN}\n", ""))
    repo.git("add", "-A")
    lines = must_refuse(repo).splitlines()
    assert "the proof of its done criterion was changed" in lines[0]
    assert lines[2:4] == [f"    - a proof of the criterion {FROZEN}", "    + (none)"]


@pytest.mark.parametrize("over", [False, True], ids=["claimed", "finished"])
def test_a_file_whose_deletion_was_committed_comes_back(world: World, over: bool) -> None:
    """R-F4: the Action and a push tell it of commits, when HEAD holds the file no more."""
    repo = finished(world)[0] if over else claimed(world)
    text = repo.read(PATH)
    (repo.path / PATH).unlink()
    repo.commit("Slip it in", "--no-verify")
    repo.write("other.txt", "x\n")
    repo.commit("And go on")
    repo.tenure("criteria", "restore", "820d")
    assert repo.read(PATH) == text


def test_what_comes_from_the_other_side_of_a_merge_is_said_and_not_refused(world: World) -> None:
    """R-F3: while a merge is concluded; what this side adds to it is refused."""
    repo = claimed(world)
    repo.git("checkout", "-q", "-b", "side", "HEAD~1")
    repo.soften()
    repo.write("other.txt", "theirs\n")
    repo.commit("Soften there", "--no-verify", agent=BOB)
    repo.git("checkout", "-q", "main")
    repo.write("other.txt", "ours\n")
    repo.commit("Ours")
    repo.git("merge", "-q", "side", exits=1)
    repo.git("checkout", "-q", "--theirs", "other.txt", PATH, exits=None)
    repo.git("checkout", "side", "--", PATH)
    repo.git("add", "-A")
    said = repo.git("commit", "-q", "-m", "Merge").err
    assert "not refused: it comes from the other side of the merge [R-F3]" in said
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.git("merge", "-q", "side", exits=1)
    repo.write("other.txt", "both\n")
    repo.soften(text="Something of my own")
    if repo.git("diff", "--name-only", "--diff-filter=U", "--", PATH).out:
        repo.write(PATH, task_text(AUTH, criteria="Something of my own\n", status="in_progress"))
    repo.git("add", "-A")
    assert "refused" in repo.git("commit", "-q", "-m", "Merge", exits=1).err


def test_a_record_without_our_comment_line_freezes_as_well(world: World) -> None:
    """R-F2, R-C4: whoever wrote it."""
    repo = world.repo().hooks()
    repo.put(claim_text(AUTH, BOB, int(time.time()) + 900, token=None).replace("ttl: 1800\n", ""))
    repo.soften()
    repo.git("add", "-A")
    must_refuse(repo)


def test_the_index_as_staged_is_left_alone_by_a_commit_that_passes(world: World) -> None:
    """R-H5: neither index, worktree nor stash: what was left unstaged stays unstaged."""
    repo = claimed(world)
    repo.touch()
    repo.git("add", "src")
    repo.write("docs/guide.md", "Half written.\n")
    repo.write("new.txt", "New.\n")
    repo.git("commit", "-q", "-m", "Only what was staged")
    assert sorted(repo.git("status", "--porcelain").out.splitlines()) == [" M docs/guide.md", "?? new.txt"]
    assert repo.git("stash", "list").out == ""
    assert not [path for path in repo.path.rglob("*tenure*") if ".git" not in path.parts]


def test_a_criterion_with_hostile_text_is_shown_harmless(world: World) -> None:
    """R-F4, R-X3: neither colours, nor a moved cursor, nor reversed text reach the terminal."""
    repo = claimed(world)
    repo.soften(text="\u202eevil\u2066 text")
    repo.git("add", "-A")
    said = must_refuse(repo)
    assert "\u202e" not in said and re.search(r"\+ .*202e.*evil", said)
