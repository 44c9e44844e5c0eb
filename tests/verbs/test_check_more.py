"""check: the rarer faults and signals, each by what causes it."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tenure.model import criteria, entity_writing
from tenure.model.entities import Adr
from tenure.model.task import Proof
from verbs.test_accept import may_ratify, mine, propose
from verbs.world import CREATED, OTHER, TASK, Repo, stamp, task

__all__ = ["mine"]  # a fixture

ADR, SECOND = "ADR-0f1e2d3c4b5b", "ADR-77775555eeef"
FROZEN = criteria.freeze_hash("Every key is young\n")
CONFIG = "schema: 1\ndefault_branch: main\n"


def done(one: str = TASK, *proofs: Proof, **changes: Any) -> Any:
    return task(one, status="done", proof=proofs or (Proof("test", "local/1@2", criteria=FROZEN),), **changes)


def decision(one: str, **changes: Any) -> Adr:
    return Adr(**{"id": one, "title": "D", "created": CREATED, "scope": ("src/**",), "constraint": "C\n"} | changes)


def told(repo: Repo, level: str, start: str) -> bool:
    return any(line.startswith(start) for line in repo.findings(level))


def test_a_verifier_that_is_gone_or_changed_since_it_proved_a_task_is_a_signal(repo: Repo) -> None:
    """Format page F."""
    repo.write(".ank/config.yml", f"{CONFIG}verifiers:\n  unit:\n    run: make test\n")
    repo.put(done(TASK, Proof("test", "local/1@2", criteria=FROZEN, verifier="unit@aaaaaaaaaaaa")))
    repo.put(done(OTHER, Proof("test", "local/1@2", criteria=FROZEN, verifier="gone@aaaaaaaaaaaa")))
    repo.commit("Done")
    assert told(repo, "signal", f"{TASK}: the verifier unit changed since it proved this task")
    assert told(repo, "signal", f"{OTHER}: the verifier gone that proved it is not in .ank/config.yml")
    assert repo.findings("fault") == []


def test_a_blocker_that_the_holder_wrote_after_the_claim_is_a_signal(repo: Repo) -> None:
    """Format page F."""
    now = int(time.time())
    repo.put(task(status="in_progress", blocked_by=(OTHER,)))
    repo.put(task(OTHER, author="human:bob", created=stamp(now - 60)))
    repo.claimed(TASK, "human:bob")
    start = f"{TASK}: its blocker {OTHER} was written by its holder after the claim"
    assert told(repo, "signal", start)
    repo.put(task(OTHER, author="human:bob", created=stamp(now - 86400)))
    assert not told(repo, "signal", start)


def test_a_corpus_that_weighs_more_than_it_should_is_a_signal(repo: Repo) -> None:
    """Format page F."""
    repo.write(".ank/config.yml", f"{CONFIG}weight:\n  hot_files: 1\n  plane_bytes: 10\n")
    repo.put(task())
    repo.put(task(OTHER))
    repo.claimed(TASK)
    assert told(repo, "signal", ".ank/config.yml: 2 entities are hot, more than weight.hot_files (1)")
    assert told(repo, "signal", ".ank/config.yml: records take ")


def test_old_layouts_and_doubled_ids_are_signals(repo: Repo) -> None:
    """Format page C, F: all are read, the flat one counts."""
    repo.put(task(), ".ank/tasks")
    repo.put(task(title="Another"))
    repo.put(task(OTHER), ".ank/tasks")
    repo.write(f".ank/log/{TASK}.md", "- 2026-01-05T09:14Z ada@box \u2014 said\n")
    for start in (
        f".ank: 1 entity lies in the old layout: {OTHER}",
        ".ank/log: log entries lie in the old layout",
        f".ank/tasks/{TASK}.md: the same id has .ank/entities/{TASK}.md",
    ):
        assert told(repo, "signal", start), repo.findings()
    assert repo.findings("fault") == []


def test_log_files_of_the_old_layout_are_looked_into(repo: Repo) -> None:
    """Format page F: conflict markers, discrepancies, and whom nothing here is about."""
    repo.put(task())
    line = "- 2026-01-05T09:14Z ada@box \u2014 discrepancy: two keys\n"
    repo.write(f".ank/log/{TASK}.md", line)
    assert told(repo, "signal", f"{TASK}: a discrepancy is recorded: two keys")
    assert repo.findings("fault") == []
    repo.write(f".ank/log/{TASK}.md", f"<<<<<<< HEAD\n{line}=======\n>>>>>>> there\n")
    repo.write(f".ank/log/{OTHER}.md", "- 2026-01-05T09:14Z ada@box \u2014 said\n")
    assert told(repo, "fault", f".ank/log/{TASK}.md: .ank/log/{TASK}.md cannot be read whole: git's conflict markers")
    assert told(repo, "fault", f".ank/log/{OTHER}.md: 1 log entries are about entities that are not here")


def test_every_task_that_a_lost_commit_proves_is_named(repo: Repo) -> None:
    """Format page F: one commit may prove several."""
    lost = Proof("commit", "a" * 40, criteria=FROZEN)
    repo.put(done(TASK, lost))
    repo.put(done(OTHER, lost))
    repo.commit("Done")
    for one in (TASK, OTHER):
        assert told(repo, "signal", f"{one}: the commit that proves it (aaaaaaaaaaaa) is not in the history here")


def test_a_closed_task_may_lose_its_scope(repo: Repo) -> None:
    """Format page F: a signal, where it is a fault for a finished one."""
    repo.put(task(status="closed", scope=("lib/**",)))
    assert told(repo, "signal", f"{TASK}: its scope matches nothing any more: lib/**")
    assert repo.findings("fault") == []


def test_a_reference_to_what_is_not_accepted_is_a_signal(repo: Repo) -> None:
    """Format page F."""
    repo.put(decision(ADR, amends=(SECOND,)))
    repo.put(decision(SECOND))
    assert told(repo, "signal", f"{ADR}: it amends {SECOND}, which is proposed")
    assert repo.findings("fault") == []


def test_what_a_watcher_left_is_a_signal_and_a_repository_without_a_commit_too(repo: Repo) -> None:
    """Format page F."""
    repo.put(task())
    repo.blob("refs/ank/watch/origin/proof/x", "state: proof\n")
    assert told(repo, "signal", "refs/ank/watch/origin/proof/x: left over from a watcher")
    repo.git("update-ref", "-d", "refs/heads/main")
    assert told(repo, "signal", "HEAD: nothing is committed yet")
    assert repo.findings("fault") == []


def test_a_shallow_clone_judges_no_ratification_and_no_commit(repo: Repo) -> None:
    """Issue 6, part 4: what lies beyond is said not to be judged, not said to be missing."""
    repo.put(decision(ADR, status="accepted"))
    repo.put(done(TASK, Proof("commit", "a" * 40, criteria=FROZEN)))
    head = repo.commit("Done")
    (repo.path / ".git" / "shallow").write_text(f"{head}\n")
    assert told(repo, "signal", f"{ADR}: its ratification cannot be reached in this shallow clone: not judged")
    assert told(repo, "signal", f"{TASK}: the commit that proves it (aaaaaaaaaaaa) is not in this shallow clone")
    assert repo.findings("fault") == []


def test_an_author_who_ratifies_is_a_signal_and_a_forged_signature_a_fault(repo: Repo, mine: Path) -> None:
    """Format page F: by the e-mail, and by what `.tenure.yml` says of it."""
    may_ratify(repo, mine)
    one = propose(repo)
    repo.tenure("accept", one)
    own = f"{one}: its author ratified it"
    assert not told(repo, "signal", own)
    repo.write(".tenure.yml", "identities:\n  ada@example.org: human:ada\n")
    assert told(repo, "signal", own)
    body = repo.git("cat-file", "commit", "HEAD").replace("constraint+scope: ", "constraint+scope:  ")
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
        cwd=repo.path,
        env=repo.environment(),
        input=f"{body}\n".encode(),
        capture_output=True,
        check=True,
    )
    repo.git("update-ref", "refs/heads/main", made.stdout.decode().strip())
    assert any("has a bad signature" in line for line in repo.findings("fault")), repo.findings()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"state: claim\ntask: {TASK}\n", "its state is 'claim', not 'proof'"),
        (f"state: proof\ntask: {OTHER}\n", "it names another task"),
        (f"state: proof\ntask: {TASK}\n", "it holds no proofs"),
        ("state: proof\nstate: proof\n", "duplicate key"),
    ],
)
def test_a_proof_ref_that_holds_no_proof_is_a_fault(repo: Repo, text: str, why: str) -> None:
    """Format page A, F: a record of the wrong kind for its namespace."""
    repo.put(task())
    repo.blob(f"refs/ank/proof/{TASK}", text)
    [line] = repo.findings("fault")
    assert line.startswith(f"refs/ank/proof/{TASK}: unreadable record")
    assert why in line


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("  - src/keys/**", "  - 'src/['", "is no glob"),
        ("scope:\n  - src/keys/**", "scope: []", "its scope is empty"),
        ("title: Rotate keys", "title: Rotate keys\npriority: high", "unknown field 'priority'"),
        ("schema: 4", "schema: 5", "schema 5 is newer"),
        ("---\nid", "\ufeff---\nid", "byte order mark"),
    ],
)
def test_what_cannot_be_read_is_a_fault_with_its_reason(repo: Repo, old: str, new: str, reason: str) -> None:
    """Format page F: and the other entities are judged."""
    text = entity_writing.emit(task())
    assert old in text
    repo.write(f".ank/entities/{TASK}.md", text.replace(old, new, 1))
    repo.put(task(OTHER, criteria_by="claimer"))
    [line] = repo.findings("fault")
    assert line.startswith(f"{TASK}: .ank/entities/{TASK}.md cannot be read: ")
    assert reason in line
    assert told(repo, "signal", f"{OTHER}: its criterion was written by whoever claimed it")
