"""Kinds B13 to B19, B21, B36, B37: what a push names, to whom, and what stands behind us."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from hooks.ground import TASK, Ground, Repo, script
from hooks.scene import BOB, CRITERION, PATH, REF, Scene, task_file, wait

OTHER = "TASK-222222222222"


def test_b13_deletions_pass_and_the_rest_of_the_push_is_judged(scene: Scene) -> None:
    """B13: `:b`, `--delete`, mixed with a bad ref; a claim of somebody else is not deleted by hand."""
    scene.push("main:refs/heads/a", "main:refs/heads/b", "main:refs/heads/c")
    scene.push(":a")
    scene.push("--delete", "b")
    scene.bad()
    scene.refused("main", ":c")
    said = scene.push("--delete", REF, exits=1, **BOB)
    assert "refused" in said
    assert REF in said
    assert scene.exp()


def test_b14_tags_are_peeled_and_what_is_no_commit_is_passed_over(scene: Scene) -> None:
    """B14: an annotated tag's line carries the tag's own name; a tag of a tag; blobs and trees."""
    w = scene.w
    scene.bad()
    w.git("tag", "light")
    w.git("tag", "-a", "-m", "annotated", "heavy")
    w.git("tag", "-a", "-m", "of a tag", "heavier", "heavy")
    for name in ("light", "heavy", "heavier"):
        scene.refused(name)
    w.git("tag", "blob", f"HEAD:{PATH}")
    w.git("tag", "tree", "HEAD^{tree}")
    w.git("tag", "-a", "-m", "a tree", "heavy-tree", "HEAD^{tree}")
    scene.push("blob", "tree", "heavy-tree")


def test_b15_every_ref_is_judged_in_any_order_and_the_bad_one_is_named(scene: Scene) -> None:
    """B15: one bad among good ones."""
    w = scene.w
    for name in ("good", "good2"):
        w.git("branch", name)
    w.git("checkout", "-q", "-b", "bad")
    scene.bad()
    for order in (("good", "bad", "good2"), ("bad", "good", "good2"), ("good", "good2", "bad")):
        assert "refs/heads/bad" in scene.refused(*order)
    scene.push("good", "good2")


def test_b15_three_thousand_refs_take_less_than_two_seconds(ground: Ground, scene: Scene) -> None:
    """B15: the hook alone, each ref a line."""
    oid = scene.w.ask("rev-parse", "HEAD")
    lines = "".join(f"refs/heads/b{n} {oid} refs/heads/b{n} {'0' * 40}\n" for n in range(3000)).encode()
    words = (str(scene.w.hook("pre-push")), "origin", str(scene.origin.path))
    spent = []
    for _ in range(2):  # the quicker one counts: other tests run beside this one
        begun = time.monotonic()
        ground.run(*words, cwd=scene.w.path, stdin=lines, env={"TENURE_NO_BACKGROUND": "1"})
        spent.append(time.monotonic() - begun)
    assert min(spent) < 2


def test_b16_unknown_old_objects_forced_and_shallow_pushes_are_judged(scene: Scene) -> None:
    """B16: an old object that is not here is no error; a shallow boundary is a base and no root."""
    other = scene.clone("other", hooks=False)
    other.write("other.txt", "Theirs.\n")
    other.commit("Theirs")
    other.git("push", "-q", "origin", "main", "HEAD:refs/heads/forced")
    scene.bad()
    scene.refused("+HEAD:refs/heads/forced")
    shallow = scene.clone("shallow", "--depth", "1")
    shallow.git("fetch", "-q", "origin", f"{REF}:{REF}")
    scene.work("Deep work", shallow)
    shallow.git("push", "-q", "origin", "main")
    scene.weaken(shallow)
    shallow.git("commit", "-q", "--no-verify", "-am", "Soften")
    assert "refused" in shallow.git("push", "-q", "origin", "main", exits=1).stderr


def test_b16_what_stood_there_where_a_shallow_clone_begins_is_said_and_not_blamed(ground: Ground, scene: Scene) -> None:
    """B16: git shows the boundary as if it had made every file; an edit on top of it is refused all the same."""
    scene.bad()
    scene.w.git("push", "-q", "--no-verify", "origin", "main")
    shallow = scene.clone("shallow", "--depth", "1")
    shallow.git("fetch", "-q", "origin", f"{REF}:{REF}")
    scene.work("On top", shallow)
    fork = ground.origin("f.git")
    Repo(ground, fork).git("config", "receive.shallowUpdate", "true")
    done = shallow.git("push", "-q", str(fork), "main")
    assert "begins" in done.stderr
    assert "not blocking" not in done.stderr
    path = shallow.path / PATH
    path.write_text(path.read_text().replace("Some session", "Few session"))
    shallow.git("commit", "-q", "--no-verify", "-am", "Soften more")
    assert "refused" in shallow.git("push", "-q", str(fork), "main:refs/heads/x", exits=1).stderr


def test_b17_what_is_public_already_is_not_blamed_and_a_moved_remote_hides_nothing(
    ground: Ground, scene: Scene
) -> None:
    """B17: other people's edits of other tasks come with a merge; tracking refs of an old address are not believed."""
    w = scene.w
    other = scene.clone("other", hooks=False)
    other.write(f".ank/entities/{OTHER}.md", task_file(OTHER, "Something else."))
    other.commit("Another task", **BOB)
    other.git("push", "-q", "origin", "main")
    w.git("checkout", "-q", "-b", "feature")
    scene.work("Work")
    w.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    scene.push("feature")
    scene.weaken(other)
    other.git("commit", "-q", "-am", "An edit that is public", **BOB)
    other.git("push", "-q", "origin", "main")
    w.git("checkout", "-q", "-b", "rebased")
    w.git("fetch", "-q")
    w.git("rebase", "-q", "origin/main")
    assert scene.push("rebased", "rebased:refs/heads/again") == ""
    w.git("checkout", "-q", "feature")
    scene.bad()
    w.git("push", "-q", "--no-verify", "origin", "feature")
    w.git("commit", "-q", "--allow-empty", "-m", "On top")
    ground.origin("empty.git")
    w.git("remote", "set-url", "origin", str(ground.root / "empty.git"))
    assert "refused" in w.git("push", "-q", "origin", "feature", exits=1).stderr


def test_b18_every_destination_is_judged_and_renewals_go_to_origin_alone(ground: Ground, scene: Scene) -> None:
    """B18: a push by address, to a fork, and with two push addresses: one renewal each time that one is due."""
    w = scene.w
    fork = Repo(ground, ground.origin("f.git"))
    arrived = scene.counted()
    scene.shorten(300, share=True)
    assert arrived() == 1
    scene.work("Work", TENURE_NO_BACKGROUND="1")
    w.git("push", "-q", str(scene.origin.path), "main:refs/heads/by-address")
    w.git("remote", "add", "fork", str(fork.path))
    w.git("push", "-q", "fork", "main")
    assert fork.ask("for-each-ref", "refs/ank") == ""
    wait("the renewal on origin", lambda: scene.left(scene.origin) > 1200)
    w.git("remote", "set-url", "--add", "--push", "origin", str(scene.origin.path))
    w.git("remote", "set-url", "--add", "--push", "origin", str(fork.path))
    assert arrived() == 2
    scene.shorten(300)
    w.git("push", "-q", "--no-verify", "-f", str(scene.origin.path), f"{REF}:{REF}")
    w.git("update-ref", f"refs/tenure/origin/claims/{TASK}", REF)
    scene.work("More work", TENURE_NO_BACKGROUND="1")
    said = scene.push("main")
    assert "lost" not in said.lower()
    wait("the renewal on origin", lambda: scene.left(scene.origin) > 1200)
    scene.settle()
    assert arrived() == 4
    assert fork.ask("for-each-ref", "refs/ank", "refs/tenure") == ""
    scene.bad()
    for words in ((str(fork.path), "main"), ("fork", "main"), ("origin", "main")):
        assert "refused" in w.git("push", "-q", *words, exits=1).stderr


def test_b19_git_lfs_behind_us_still_gets_every_line(ground: Ground, scene: Scene) -> None:
    """B19: objects of git-lfs arrive, whether it was there first or is asked for again later."""
    ground.tool("git-lfs")
    w = scene.w
    w.tenure("hooks", "uninstall")
    w.git("lfs", "install", "--local")
    w.tenure("hooks", "install")
    w.git("lfs", "install", "--local", exits=None)
    assert "pre-push" in w.firing()
    w.git("remote", "set-url", "origin", f"file://{scene.origin.path}")
    w.git("lfs", "track", "*.bin")
    w.write("src/big.bin", "big\n" * 1000)
    w.commit("A big file")
    w.git("branch", "second")
    scene.push("main", "second")
    assert [path.stat().st_size for path in (scene.origin.path / "lfs" / "objects").rglob("*") if path.is_file()] == [
        4000
    ]


def test_b19_a_refused_push_uploads_nothing(ground: Ground, scene: Scene) -> None:
    """B19, R-H7: ours comes first."""
    scene.w.tenure("hooks", "uninstall")
    script(scene.w.hook("pre-push"), f"#!/bin/sh\necho ran >>{ground.root}/ran\n")
    scene.w.tenure("hooks", "install")
    scene.bad()
    scene.refused("main")
    assert not (ground.root / "ran").exists()


def test_b21_our_own_push_fires_no_hook_and_a_hook_that_pushes_ends(ground: Ground, scene: Scene) -> None:
    """B21: counted by a wrapper around ours; a chained hook may push elsewhere, and that push is judged too."""
    w = scene.w
    Repo(ground, ground.origin("backup.git"))
    w.git("remote", "add", "backup", str(ground.root / "backup.git"))
    hook = w.hook("pre-push")
    ours = hook.rename(hook.with_name("ours"))
    script(hook, f'#!/bin/sh\necho ran >>{ground.root}/ran\nexec "{ours}" "$@"\n')
    scene.shorten(300, share=True)
    scene.work("Work")
    scene.push("main")
    wait("the renewal on origin", lambda: scene.left(scene.origin) > 1200)
    assert (ground.root / "ran").read_text() == "ran\n"
    hook.unlink()
    ours.unlink()
    script(hook, '#!/bin/sh\n[ "$1" = backup ] || git push -q backup main\n')
    w.tenure("hooks", "install")
    scene.work("More")
    scene.push("main")
    assert (ground.root / "backup.git" / "refs" / "heads" / "main").exists()
    w.git("checkout", "-q", "-b", "bad")
    bad = scene.bad()
    w.git("checkout", "-q", "main")
    other = w.hook("pre-push").with_name("pre-push.before-tenure")
    script(other, f'#!/bin/sh\n[ "$1" = backup ] || git push -q backup {bad}:refs/heads/bad\n')
    scene.work("Still more")
    said = scene.push("main", exits=1)
    assert said.count("tenure: refused") == 1
    assert "refs/heads/bad" in said


def test_b21_our_guard_stops_hooks_in_this_clone_alone(scene: Scene) -> None:
    """B21: what our push starts on the other side may commit elsewhere, and is judged there."""
    deployed = scene.clone("deployed")
    deployed.git("fetch", "-q", "origin", f"{REF}:{REF}")
    scene.weaken(deployed)
    deployed.git("add", "-A")
    seen = scene.ground.root / "seen"
    inside = f"unset $(git rev-parse --local-env-vars); cd {deployed.path}; git commit -qm Deployed >{seen} 2>&1"
    script(scene.origin.path / "hooks" / "post-receive", f"#!/bin/sh\nenv >{seen}.env\n{inside} || :\n")
    scene.shorten(300, share=True)
    scene.work("Work")
    wait("the renewal on origin", lambda: scene.left(scene.origin) > 1200)
    wait("the other commit", lambda: seen.exists() and seen.read_text())
    assert "TENURE=0" not in Path(f"{seen}.env").read_text().split()
    assert f"TENURE_GUARD={scene.w.common}" in Path(f"{seen}.env").read_text().split("\n")
    assert "refused" in seen.read_text()


POISON = {
    "push.followTags": "true",
    "remote.origin.mirror": "true",
    "push.gpgSign": "true",
    "push.pushOption": "ci.skip",
    "push.default": "matching",
    "push.recurseSubmodules": "only",
    "push.useForceIfIncludes": "true",
    "push.negotiate": "true",
    "remote.pushDefault": "nowhere",
    "branch.main.pushRemote": "nowhere",
    "remote.origin.push": "refs/heads/*:refs/heads/*",
    "fetch.prune": "true",
    "remote.origin.tagOpt": "--tags",
}


def test_b36_the_user_s_configuration_does_not_poison_our_push(scene: Scene) -> None:
    """B36, R-C1: nothing but the claim reaches origin, whatever is set; the record follows its parent."""
    w = scene.w
    w.git("tag", "-a", "-m", "mine", "mine")
    w.git("branch", "private")
    scene.shorten(300, share=True)
    for key, value in POISON.items():
        w.git("config", key, value)
    scene.origin.git("config", "receive.denyNonFastForwards", "true")
    before = scene.origin.ask("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags")
    scene.work("Work")
    wait("the renewal on origin", lambda: scene.left(scene.origin) > 1200)
    assert scene.origin.ask("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags") == before


@pytest.mark.parametrize("words", [("--mirror", "origin"), ("origin", "+refs/*:refs/*")])
@pytest.mark.parametrize("who", ["holder", "another"])
def test_b37_a_sweep_is_refused_though_no_line_of_it_touches_another_s_claim(
    scene: Scene, words: tuple[str, ...], who: str
) -> None:
    """B37: the holder's own mirror, and one whose clone lacks the claim: git names no deletion to the hook."""
    repo = scene.w if who == "holder" else scene.clone("another")
    repo.git("fetch", "-q", "origin", "+refs/ank/claims/*:refs/tenure/origin/claims/*")
    if who == "holder":
        scene.shorten(400)  # else nothing of a claim would move, and the push be harmless
    before = scene.exp()
    assert "sweeps claim refs" in repo.git("push", "-q", *words, exits=1).stderr
    assert scene.exp() == before


@pytest.mark.parametrize("words", [("--mirror",), ("+refs/*:refs/*",), ("+refs/ank/*:refs/ank/*",)])
def test_b37_a_sweeping_push_moves_no_claim(scene: Scene, words: tuple[str, ...]) -> None:
    """B37: stale copies of other people's claims would overwrite theirs."""
    bob = scene.clone("bob")
    bob.write(f".ank/entities/{OTHER}.md", task_file(OTHER, "Something else.", "docs/**"))
    bob.commit("Another task", **BOB)
    bob.tenure("claim", OTHER, **BOB)
    ref = f"refs/ank/claims/{OTHER}"
    theirs = scene.origin.ask("rev-parse", ref)
    old = scene.w.git("cat-file", "blob", REF).stdout.replace(TASK, OTHER)
    done = scene.ground.run("git", "hash-object", "-w", "--stdin", cwd=scene.w.path, stdin=old.encode())
    scene.w.git("update-ref", ref, done.stdout.strip())
    scene.w.git("fetch", "-q", "origin", "+refs/ank/claims/*:refs/tenure/origin/claims/*")
    said = scene.w.git("push", "-q", *words[:1], "origin", exits=1) if words[0] == "--mirror" else None
    said = said or scene.w.git("push", "-q", "origin", *words, exits=1)
    assert "refused" in said.stderr
    assert scene.origin.ask("rev-parse", ref) == theirs
    scene.w.git("push", "-q", "--all", "origin")
    assert CRITERION in Path(scene.w.path / PATH).read_text()
