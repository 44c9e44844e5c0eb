"""check and review: every fault and signal by the file or ref that causes it."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tenure.model import criteria, entity_writing
from tenure.model.entities import Adr, LogEntry, Spec
from tenure.model.task import Proof
from verbs.world import CREATED, OTHER, TASK, Repo, stamp, task

ADR = "ADR-0f1e2d3c4b5b"
SECOND = "ADR-77775555eeef"
FROZEN = criteria.freeze_hash("Every key is young\n")


def adr(one: str = ADR, **changes: Any) -> Adr:
    made = {
        "id": one,
        "title": "No JWT",
        "created": CREATED,
        "scope": ("src/**",),
        "constraint": "No JWT\n",
        "status": "proposed",
        "author": "human:marie",
    }
    return Adr(**(made | changes))


def entry(**changes: Any) -> LogEntry:
    made = {
        "id": "LOG-0f1e2d3c4b5b",
        "title": "said",
        "created": CREATED,
        "scope": ("src/**",),
        "about": TASK,
        "author": "human:ada",
    }
    return LogEntry(**(made | changes))


def done(**changes: Any) -> Any:
    proof = (Proof("test", "local/1@2", criteria=FROZEN),)
    return task(**({"status": "done", "proof": proof} | changes))


def begins(start: str, found: list[str]) -> bool:
    return any(line.startswith(start) for line in found)


def test_a_clean_corpus_has_no_finding(repo: Repo) -> None:
    """Exit 0, and the last line says so."""
    repo.put(task())
    repo.put(done(id=OTHER))
    repo.commit("Tasks")
    assert repo.findings() == []
    assert repo.tenure("check").stdout.splitlines()[-1] == "check: ok \u2014 2 tasks, 0 adr, 0 signal(s)"


FAULTS: list[tuple[str, list[Any], str]] = [
    (
        "a blocker that is not there",
        [task(blocked_by=("TASK-999999999999",))],
        f"{TASK}: it waits for TASK-999999999999",
    ),
    ("a circle", [task(blocked_by=(OTHER,)), task(OTHER, blocked_by=(TASK,))], f"{TASK}: it waits for itself"),
    ("itself", [task(blocked_by=(TASK,))], f"{TASK}: it waits for itself"),
    (
        "no criterion",
        [task(status="in_progress", done_criteria=None, criteria_by=None)],
        f"{TASK}: it is in progress and has no",
    ),
    ("no proof", [done(proof=())], f"{TASK}: it is done and has no proof"),
    ("another criterion", [done(done_criteria="None\n")], f"{TASK}: its criterion is not the one that was proved"),
    ("a dead scope of what is done", [done(scope=("lib/**",))], f"{TASK}: its scope matches nothing and never did"),
    ("supersedes nothing", [adr(supersedes=SECOND)], f"{ADR}: it supersedes {SECOND}, which is not"),
    (
        "not marked",
        [adr(supersedes=SECOND, status="accepted"), adr(SECOND)],
        f"{SECOND}: it is proposed although {ADR}",
    ),
    ("no heir", [adr(status="superseded")], f"{ADR}: it is superseded and nothing"),
    ("altered", [adr(status="accepted", ratified="123456789abc")], f"{ADR}: it was altered since it was ratified"),
    ("amends nothing", [adr(amends=(SECOND,))], f"{ADR}: it amends {SECOND}, which is not in this corpus"),
    (
        "cites a task",
        [task(), Spec("SPEC-0f1e2d3c4b5b", "S", CREATED, ("src/**",), references=(TASK,))],
        f"SPEC-0f1e2d3c4b5b: it cites {TASK}, which cannot be cited",
    ),
    ("a log about nothing", [entry()], "LOG-0f1e2d3c4b5b: 1 log entries are about entities that are not here"),
]


@pytest.mark.parametrize(("made", "said"), [pytest.param(*one[1:], id=one[0]) for one in FAULTS])
def test_a_broken_invariant_is_a_fault(repo: Repo, made: list[Any], said: str) -> None:
    """Format page F: exit 8."""
    for one in made:
        repo.put(one)
    repo.commit("As it is")
    assert any(line.startswith(said) for line in repo.findings("fault")), repo.findings()


SIGNALS: list[tuple[str, list[Any], str]] = [
    (
        "closed blocks",
        [task(blocked_by=(OTHER,)), task(OTHER, status="closed")],
        f"{TASK}: it waits for {OTHER}, which was closed",
    ),
    ("claimer", [task(criteria_by="claimer")], f"{TASK}: its criterion was written by whoever claimed it"),
    ("nobody holds it", [task(status="in_progress")], f"{TASK}: it is in progress and nobody holds"),
    ("verifier", [task(verify=("unit",))], f"{TASK}: its verifier unit is not in"),
    ("assertion", [done(proof=(Proof("assertion", "x"),))], f"{TASK}: nothing but an assertion"),
    ("no test", [done(proof=(Proof("commit", "HEAD"),))], f"{TASK}: it is done on the default branch and no test"),
    ("submitted", [done(proof=(Proof("test", "x", via="submitted"),))], f"{TASK}: its test was submitted"),
    (
        "commit",
        [done(proof=(Proof("commit", "a" * 40),))],
        f"{TASK}: the commit that proves it (aaaaaaaaaaaa) is not in",
    ),
    ("not yet", [task(scope=("lib/**",))], f"{TASK}: its scope matches nothing yet"),
    ("future", [task(created=stamp(int(time.time()) + 90000))], f"{TASK}: it was created in the future"),
    ("nameless", [task(author=None)], ".ank: 1 entity names no author"),
    ("untyped", [task(author="ada@box")], f"ada@box: an author of no declared kind wrote 1 entity: {TASK}"),
    ("unread", [task(author="claude-code/opus-5")], ".ank: 1 entity was written by an agent and read by no human"),
    (
        "old",
        [task(body="\n## Log\n- 2026-01-05T09:14Z a \u2014 discrepancy: two keys\n")],
        f"{TASK}: a discrepancy is recorded: two keys",
    ),
    ("discrepancy", [task(), entry(title="discrepancy: three keys")], f"{TASK}: a discrepancy is recorded: three keys"),
    ("rewritten", [task(), entry(version=2)], f"LOG-0f1e2d3c4b5b: this log entry about {TASK} was rewritten"),
    ("records", [task(), entry(records="mood")], "LOG-0f1e2d3c4b5b: it records 'mood'"),
    (
        "edited",
        [task(), entry(records="create", title="created (version 0 to 1, produced 123456789abc)")],
        f"{TASK}: it was edited outside the tools",
    ),
    (
        "names",
        [task(body="\nSee TASK-999999999999.\n")],
        f"{TASK}: its text names what is not in this corpus: TASK-999",
    ),
    ("no ratification", [adr(status="accepted")], f"{ADR}: it is accepted and no commit ratified it"),
    ("waits", [adr(supersedes=SECOND), adr(SECOND)], f"{ADR}: it would supersede {SECOND}"),
    (
        "constraints",
        [task(), adr(status="accepted", constraint="x" * 4001 + "\n")],
        f"{TASK}: constraints of 4002 characters",
    ),
    (
        "burst",
        [task(f"TASK-0000000000{n:02x}") for n in range(11)],
        "human:marie: more than 10 entities were written within",
    ),
]


@pytest.mark.parametrize(("made", "said"), [pytest.param(*one[1:], id=one[0]) for one in SIGNALS])
def test_what_asks_for_a_look_is_a_signal(repo: Repo, made: list[Any], said: str) -> None:
    """Format page F: signals alone are exit 0."""
    for one in made:
        repo.put(one)
    repo.commit("As it is")
    assert any(line.startswith(said) for line in repo.findings("signal")), repo.findings()
    assert repo.findings("fault") == []


def test_files_that_cannot_be_read_or_are_not_canonical_are_faults(repo: Repo) -> None:
    """Format page F."""
    text = entity_writing.emit(task())
    repo.write(f".ank/entities/{TASK}.md", text.replace("title: Rotate keys", 'title: "Rotate keys"'))
    repo.write(f".ank/entities/{OTHER}.md", text)
    repo.write(".ank/entities/TASK-aaaa00000000.md", "<<<<<<< HEAD\n" + text + ">>>>>>> there\n")
    repo.write(".ank/tasks/" + ADR + ".md", entity_writing.emit(adr()))
    found = "\n".join(repo.findings("fault"))
    assert f"{TASK}: .ank/entities/{TASK}.md is not in canonical form" in found
    assert f"{OTHER}: .ank/entities/{OTHER}.md cannot be read: its id is {TASK}" in found
    assert "conflict markers" in found
    assert f"{ADR}: .ank/tasks/{ADR}.md: a adr has no place" in found
    assert any("could not be judged" in line for line in repo.findings("signal"))


def test_crlf_alone_is_a_signal(repo: Repo) -> None:
    """Format page C."""
    repo.write(f".ank/entities/{TASK}.md", entity_writing.emit(task()).replace("\n", "\r\n"))
    assert any("CRLF" in line for line in repo.findings("signal"))
    assert repo.findings("fault") == []


def test_a_criterion_that_differs_from_the_frozen_one_is_a_fault_live_or_lapsed(repo: Repo) -> None:
    """Format page F, R-F2."""
    repo.put(task(status="in_progress"))
    repo.commit("Task")
    for left in (1200, -600):
        repo.claimed(TASK, text="Another text\n", left=left)
        assert any(
            line.startswith(f"{TASK}: its criterion is not the one frozen by human:bob")
            for line in repo.findings("fault")
        )
        repo.claimed(TASK, left=left)
        assert repo.findings("fault") == []
    assert any("the claim of human:bob lapsed at" in line for line in repo.findings("signal"))


def test_constraints_that_moved_since_the_claim_are_a_signal(repo: Repo) -> None:
    """Issue 6, part 2."""
    repo.put(task(status="in_progress"))
    repo.claimed(TASK)
    moved = f"{TASK}: the decisions that bind it changed since it was claimed"
    assert moved not in repo.findings("signal")
    repo.put(adr(status="accepted"))
    assert moved in repo.findings("signal")


def test_a_completion_that_the_default_branch_does_not_know_is_a_signal(repo: Repo) -> None:
    """Format page F."""
    repo.put(task())
    head = repo.commit("Task")
    repo.completed(TASK, head)
    assert any(
        line == f"{TASK}: finished (commit {head[:7]}, branch rotate); the default branch does not say so yet"
        for line in repo.findings("signal")
    )
    repo.put(done())
    repo.commit("Merged")
    assert not any("does not say so yet" in line for line in repo.findings())


def test_refs_that_cannot_be_read_are_faults_that_name_them(repo: Repo) -> None:
    """R-C8, format page F."""
    repo.put(task())
    repo.blob(f"refs/ank/claims/{TASK}", "neither: [\n")
    repo.blob("refs/ank/claims/nonsense", "state: claim\n")
    repo.blob("refs/ank/proof/nonsense", "state: proof\n")
    repo.blob(f"refs/ank/proof/{TASK}", "state: claim\n")
    repo.blob(f"refs/ank/proof/{OTHER}", f"state: proof\ntask: {OTHER}\nproofs:\n- identity: a\n  attested: b\n")
    found = "\n".join(repo.findings("fault"))
    for ref in (
        f"refs/ank/claims/{TASK}",
        "refs/ank/claims/nonsense",
        "refs/ank/proof/nonsense",
        f"refs/ank/proof/{TASK}",
    ):
        assert ref in found
    assert f"refs/ank/proof/{OTHER}" not in found


def test_a_dead_scope_that_history_explains_is_a_signal(repo: Repo) -> None:
    """Format page F."""
    repo.put(done(scope=("docs/**",)))
    repo.git("rm", "-q", "docs/guide.md")
    repo.commit("Drop the guide")
    assert repo.findings("fault") == []
    assert any(
        line.startswith(f"{TASK}: what its scope matched was renamed or deleted") for line in repo.findings("signal")
    )


def test_a_shallow_clone_says_what_was_not_judged(repo: Repo) -> None:
    """Issue 6, part 4: rather than pass silently."""
    repo.put(done(scope=("lib/**",)))
    repo.commit("One")
    repo.write("more.txt", "x")
    repo.commit("Two")
    (repo.path / ".git" / "shallow").write_text(repo.git("rev-parse", "HEAD") + "\n")
    found = repo.findings("signal")
    assert any("this clone is shallow" in line for line in found)
    assert any(line.startswith(f"{TASK}: its scope matches nothing, and this clone is too shallow") for line in found)
    assert repo.findings("fault") == []


def test_what_differs_from_the_default_branch_is_counted(repo: Repo) -> None:
    """Format page F."""
    repo.put(task())
    repo.commit("Task")
    repo.git("checkout", "-q", "-b", "work")
    repo.put(task(title="Rotate all keys"))
    repo.put(task(OTHER))
    assert "HEAD: 2 entities differ from the default branch: TASK-0f1e2d3c4b5a, TASK-77775555eeee" in repo.findings(
        "signal"
    )


def test_a_default_branch_that_is_not_here_is_said(repo: Repo) -> None:
    """Format page F."""
    repo.put(task())
    repo.write(".ank/config.yml", "schema: 1\ndefault_branch: trunk\n")
    assert any("trunk names no commit here" in line for line in repo.findings("signal"))
    repo.write(".ank/config.yml", "schema: 1\n")
    assert any("the default branch is not known here" in line for line in repo.findings("signal"))
    repo.write(".ank/config.yml", "schema: 1\ncolour: red\n")
    assert any("unknown key 'colour'" in line for line in repo.findings("fault"))


def test_a_path_narrows_the_findings(repo: Repo) -> None:
    """Format page F: to entities that cover it."""
    repo.put(done(proof=()))
    repo.put(done(id=OTHER, proof=(), scope=("docs/**",)))
    assert any(line.startswith(TASK) for line in repo.findings("fault", "src/keys"))
    assert not any(line.startswith(OTHER) for line in repo.findings("fault", "src/keys"))


def test_check_without_pruning_and_review_write_nothing(repo: Repo) -> None:
    """Issue 6, part 4; §10 review."""
    repo.put(done())
    repo.put(adr())
    head = repo.commit("Done")
    repo.completed(TASK, head)
    before = repo.git("for-each-ref")
    repo.tenure("check", "--no-prune")
    said = repo.json("review")
    assert [one["id"] for one in said["proposals"]] == [ADR]
    assert repo.git("for-each-ref") == before
    assert [one["task"] for one in repo.json("check")["pruned"]] == [TASK]
    assert f"refs/ank/claims/{TASK}" not in repo.git("for-each-ref")
