"""`tenure doctor`: each thing that is wrong, and the command that mends it (§10)."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from typing import Any

import pytest

from hooks.ground import Repo
from team import ADA, AUTH, GUIDE, Team, claim_text, document, put, write

DANGEROUS = "+refs/ank/*:refs/ank/*"
SAFE = "+refs/ank/claims/*:refs/tenure/origin/claims/*"


@pytest.fixture
def repo(team: Team) -> Repo:
    """A clone with origin, hooks and identity: nothing to complain of."""
    made = team.project()
    team.share(made)
    made.git("remote", "set-head", "origin", "main")
    made.tenure("hooks", "install")
    return made


def findings(repo: Repo, level: str, subject: str, **env: str) -> list[dict[str, Any]]:
    """The findings of that kind; the exit code must fit: 8 with a fault, else 0."""
    said = repo.tenure("doctor", "--json", exits=None, **env)
    found = json.loads(said.stdout)["findings"]
    assert said.returncode == (8 if any(one["level"] == "fault" for one in found) else 0)
    return [one for one in found if (one["level"], one["subject"]) == (level, subject)]


def mend(repo: Repo, finding: dict[str, Any]) -> None:
    """Run the commands that the finding names."""
    for line in finding["next"]:
        words = shlex.split(line)
        repo.git(*words[1:]) if words[0] == "git" else repo.tenure(*words[1:], exits=None)


def test_in_a_clone_in_order_it_says_what_there_is_and_exits_0(repo: Repo) -> None:
    """§10: git and format, identity and its source, origin; no finding."""
    said = document(repo, "doctor")
    assert said["findings"] == []
    facts = {one["subject"]: one["value"] for one in said["facts"]}
    assert facts["git"].endswith("sha1, refs in files") and facts["identity"] == f"{ADA} (from $ANK_AGENT)"
    assert "origin.git" in facts["origin"] and facts["default branch"] == "main"
    assert repo.tenure("doctor").stdout.endswith("nothing is wrong here\n")


def test_a_refspec_onto_the_live_refs_is_a_fault_and_its_mending_keeps_the_rest(repo: Repo) -> None:
    """R-C1: `+refs/ank/*:refs/ank/*` is replaced by the mirror's refspec; other refspecs stay."""
    usual = repo.ask("config", "--get-all", "remote.origin.fetch")
    repo.git("config", "--add", "remote.origin.fetch", DANGEROUS)
    (one,) = findings(repo, "fault", "refspec")
    assert DANGEROUS in one["message"]
    mend(repo, one)
    assert repo.ask("config", "--get-all", "remote.origin.fetch").split("\n") == [usual, SAFE]
    assert findings(repo, "fault", "refspec") == []


@pytest.mark.parametrize(
    ("key", "text"),
    [("remote.origin.mirror", "true"), ("remote.origin.push", "+refs/*:refs/*"), ("remote.backup.push", "refs/ank/*")],
)
def test_a_push_of_everything_is_a_fault(repo: Repo, key: str, text: str) -> None:
    """R-H1: git does not tell the hook of mirror deletions, so doctor tells of the set-up."""
    repo.git("config", key, text)
    (one,) = findings(repo, "fault", "mirror")
    mend(repo, one)
    assert findings(repo, "fault", "mirror") == []


def test_a_push_of_branches_is_nothing_to_speak_of(repo: Repo) -> None:
    """Only what reaches the claims is named."""
    repo.git("config", "remote.origin.push", "refs/heads/*:refs/heads/*")
    assert document(repo, "doctor")["findings"] == []


def test_a_forks_upstream_is_a_hint(repo: Repo) -> None:
    """§Names: the team's claims are on upstream, not on a fork's origin."""
    repo.git("remote", "add", "upstream", repo.ask("config", "remote.origin.url"))
    (one,) = findings(repo, "hint", "origin")
    mend(repo, one)
    assert findings(repo, "hint", "origin") == []


def test_an_origin_that_is_away_is_a_fault_and_none_at_all_a_hint(repo: Repo, team: Team) -> None:
    """§10: reading it is bounded; a clone without a remote is no broken one."""
    (team.ground.root / "origin.git").rename(team.ground.root / "away.git")
    (one,) = findings(repo, "fault", "origin")
    assert "cannot be read" in one["message"]
    repo.git("remote", "remove", "origin")
    assert findings(repo, "fault", "origin") == []
    assert len(findings(repo, "hint", "origin")) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_an_origin_that_takes_no_push_is_a_fault(repo: Repo, team: Team) -> None:
    """§10: whether origin takes refs/ank/*, asked by a dry push."""
    origin = team.ground.root / "origin.git"
    origin.chmod(0o500)
    try:
        assert len(findings(repo, "fault", "origin")) == 1
    finally:
        origin.chmod(0o700)


def test_a_push_address_that_does_not_answer_is_a_fault(repo: Repo) -> None:
    """§10: reading may go well where writing does not."""
    repo.git("config", "remote.origin.pushurl", "/nowhere/at/all")
    (one,) = findings(repo, "fault", "origin")
    assert "cannot be read" in one["message"] or "does not take claims" in one["message"]


def test_asking_origin_leaves_nothing_there(repo: Repo, team: Team) -> None:
    """§10: the push is a rehearsal."""
    repo.tenure("doctor")
    assert team.ground.run("git", "for-each-ref", "refs/ank", cwd=team.ground.root / "origin.git").stdout == ""


def test_a_remote_that_is_not_there_is_a_fault(repo: Repo) -> None:
    """`tenure.remote` names nothing: claims would stay in this clone unnoticed."""
    repo.git("config", "tenure.remote", "team")
    (one,) = findings(repo, "fault", "origin")
    assert "team" in one["message"]


def test_who_is_made_from_user_and_host_gets_a_hint(repo: Repo) -> None:
    """R-I1, R-I2: two sessions would be one; an identity of no kind answers no question."""
    assert "user and host" in findings(repo, "hint", "identity", ANK_AGENT="")[0]["message"]
    assert "kind" in findings(repo, "hint", "identity", ANK_AGENT="ada")[0]["message"]
    repo.git("config", "tenure.agent", "human:ada")
    assert findings(repo, "hint", "identity", ANK_AGENT="") == []


def test_an_identity_that_nobody_may_have_is_a_fault(repo: Repo) -> None:
    """R-I3: every verb refuses it, so doctor must not."""
    (one,) = findings(repo, "fault", "settings", ANK_AGENT="human:a\tb")
    assert "control character" in one["message"]


def test_unknown_keys_are_named(repo: Repo) -> None:
    """R-X5: in `.tenure.yml` a fault, since verbs stop there; in git config a hint."""
    write(repo, ".tenure.yml", "renewl: 10m\n")
    (one,) = findings(repo, "fault", "settings")
    assert "renewl" in one["message"]
    (repo.path / ".tenure.yml").unlink()
    repo.git("config", "tenure.renwal", "10m")
    (one,) = findings(repo, "hint", "settings")
    assert "tenure.renwal" in one["message"]
    mend(repo, one)
    assert findings(repo, "hint", "settings") == []


def test_hooks_are_probed_in_every_worktree(repo: Repo, team: Team) -> None:
    """R-H7: absent is a hint, installed and not run a fault, each with the worktree it is about."""
    repo.git("worktree", "add", "-q", "-b", "side", "../side")
    assert document(repo, "doctor")["findings"] == []
    repo.git("config", "extensions.worktreeConfig", "true")
    Repo(team.ground, team.ground.root / "side").git("config", "--worktree", "core.hooksPath", "/nowhere")
    told = findings(repo, "hint", "hooks")
    assert len(told) == 3 and all("/side" in one["message"] for one in told)
    repo.hook("pre-commit").chmod(0o644)
    (one,) = findings(repo, "fault", "hooks")
    assert "pre-commit" in one["message"] and "side" not in one["message"]


def test_what_waits_is_a_hint(repo: Repo, team: Team) -> None:
    """R-C3, R-A4: pushes and events that origin does not have yet."""
    (team.ground.root / "origin.git").rename(team.ground.root / "away.git")
    repo.tenure("claim", AUTH, exits=None)
    (team.ground.root / "away.git").rename(team.ground.root / "origin.git")
    (one,) = findings(repo, "hint", "pending", TENURE_NO_BACKGROUND="1")
    assert one["message"].startswith("what waits for origin: 1 claim push and ")


def test_an_unreadable_ref_is_a_fault_with_the_command_that_clears_it(repo: Repo) -> None:
    """R-C8."""
    put(repo, AUTH, claim_text(AUTH, ADA, -60, 600))
    put(repo, GUIDE, "neither here nor there: [\n")
    (one,) = findings(repo, "fault", "record")
    assert GUIDE in one["message"]
    mend(repo, one)
    assert findings(repo, "fault", "record") == []
    assert repo.ask("for-each-ref", "--format=%(refname)", "refs/ank").endswith(AUTH)


def test_a_lock_file_that_git_left_behind_is_a_fault(repo: Repo) -> None:
    """Fault F17: nobody removes it by himself; one of a running command is none."""
    lock = repo.common / "refs" / "ank" / "claims" / f"{AUTH}.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    assert findings(repo, "fault", "clone") == []
    os.utime(lock, (1, 1))
    (one,) = findings(repo, "fault", "clone")
    assert one["next"] == [f"rm {lock}"]


def test_prose_names_the_command_under_each_finding(repo: Repo) -> None:
    """§10: what is wrong, and `  -> command`."""
    repo.git("config", "remote.origin.mirror", "true")
    said = repo.tenure("doctor", exits=8).stdout
    assert "fault  mirror: remote.origin.mirror is set" in said
    assert "\n  -> git config --unset-all remote.origin.mirror\n" in said
    assert said.endswith("1 fault, 0 hints\n")


def test_without_a_corpus_the_first_thing_to_do_is_init(team: Team) -> None:
    """§10: `init` settles the default branch and the hooks, so nothing else is advised before it."""
    repo = team.project()
    repo.git("rm", "-q", "-r", "--cached", ".ank")
    shutil.rmtree(repo.path / ".ank")
    said = repo.tenure("doctor", exits=0).stdout
    advice = [line for line in said.splitlines() if line.startswith("  -> ")]
    assert advice[0] == "  -> tenure init" and "default branch:" not in said
    assert advice.count("  -> tenure hooks install") == 1 and said.count("is not installed") == 3


def test_a_verifier_that_is_written_wrong_is_a_fault(repo: Repo) -> None:
    """§10: what would stop `done` is said before, once, with how it is written."""
    path = repo.path / ".ank" / "config.yml"
    right = path.read_text(encoding="utf-8")
    for text in (right + 'verifiers:\n  unit: "make test"\n', right + "claim_ttl_max: soon\n"):
        path.write_text(text, encoding="utf-8")
        (one,) = findings(repo, "fault", "settings")
        assert one["message"].startswith(".ank/config.yml cannot be read: ")
    path.write_text(right, encoding="utf-8")
    assert findings(repo, "fault", "settings") == []
