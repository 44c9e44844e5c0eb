"""find, scope, graph, show, context: what they say and what they leave alone."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.model import entity_writing
from tenure.model.entities import Adr
from verbs.world import CREATED, OTHER, TASK, Repo, task

ADR = "ADR-0f1e2d3c4b5b"


def decision(**changes: object) -> Adr:
    made = {"id": ADR, "title": "No JWT", "created": CREATED, "scope": ("src/**",), "constraint": "No JWT here\n",
            "status": "accepted", "author": "human:marie"}  # fmt: skip
    return Adr(**(made | changes))  # type: ignore[arg-type]


def test_find_wants_every_word_and_lists_all_for_none(repo: Repo) -> None:
    """§10 find."""
    repo.put(task())
    repo.put(task(OTHER, title="Write the guide", slug="guide", scope=("docs/**",), done_criteria="It is written\n"))
    repo.put(decision())
    assert repo.json("find", "ROTATE young")["results"] == [
        {"id": TASK, "kind": "task", "status": "open", "state": "free", "title": "Rotate keys"}
    ]
    assert repo.json("find", "rotate guide")["total"] == 0
    assert repo.json("find") == repo.json("find", "")
    assert repo.json("find", "")["total"] == 3
    assert [one["id"] for one in repo.json("find", "", "--type", "adr")["results"]] == [ADR]
    assert [one["id"] for one in repo.json("find", "", "--status", "open", "--scope", "docs/guide.md")["results"]] == [
        OTHER
    ]


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, "free"),
        ({"blocked_by": (OTHER,)}, "blocked"),
        ({"done_criteria": None, "criteria_by": None}, "no criterion"),
        ({"status": "closed"}, "closed"),
    ],
)
def test_a_state_says_what_can_be_done_with_a_task(repo: Repo, changes: dict[str, Any], state: str) -> None:
    """§10 find: --free is what can be claimed now."""
    repo.put(task(**changes))
    repo.put(task(OTHER, title="Another"))
    (row,) = [one for one in repo.json("find", "")["results"] if one["id"] == TASK]
    assert row["state"] == state
    free = [one["id"] for one in repo.json("find", "", "--free")["results"]]
    assert (TASK in free) is (state == "free")


def test_a_claim_of_somebody_is_the_state_of_its_task_until_it_lapses(repo: Repo) -> None:
    """R-L2, R-C8: lapsed is free again; an unreadable record is neither."""
    repo.put(task())
    repo.claimed(TASK)
    assert repo.json("find", "")["results"][0]["state"] == "claimed by human:bob"
    repo.claimed(TASK, left=-600)
    assert repo.json("find", "")["results"][0]["state"] == "lapsed, last held by human:bob"
    assert repo.json("find", "", "--free")["total"] == 1
    repo.blob(f"refs/ank/claims/{TASK}", "neither: [\n")
    assert repo.json("find", "", "--free")["total"] == 0


def test_one_broken_file_is_a_warning_of_a_list(repo: Repo) -> None:
    """Issue 6: the others still work."""
    repo.put(task())
    repo.write(f".ank/entities/{OTHER}.md", "---\nbroken\n")
    said = repo.tenure("find", "")
    assert TASK in said.stdout
    assert OTHER in said.stderr
    assert "tenure" not in repo.tenure("show", OTHER, exits=1).stdout


def test_scope_is_asked_from_where_you_are(repo: Repo) -> None:
    """§10 scope; format page D: a folder counts when a glob begins inside it."""
    repo.put(task())
    repo.put(decision())
    for at, path in ((".", "src/keys/ring.py"), ("src/keys", "ring.py"), ("src", "keys"), ("docs", "../src/keys/x")):
        assert TASK in repo.tenure("scope", path, at=at).stdout
    assert TASK not in repo.tenure("scope", "docs/guide.md").stdout
    assert TASK in repo.tenure("scope", ".").stdout
    repo.tenure("scope", "../elsewhere", exits=1)
    repo.tenure("scope", "/etc/passwd", exits=1, at="src")


def test_the_graph_has_a_node_for_each_task_and_an_edge_for_each_blocker(repo: Repo) -> None:
    """§10 graph: text and document; a perimeter brings its neighbours."""
    repo.put(task(blocked_by=(OTHER, "TASK-999999999999")))
    repo.put(task(OTHER, title="First", scope=("docs/**",)))
    repo.put(task("TASK-333300000000", title="Alone", scope=("other/**",)))
    said = repo.json("graph")
    assert [node["id"] for node in said["nodes"]] == ["TASK-0f1e2d3c4b5a", "TASK-333300000000", OTHER]
    assert said["edges"] == [
        {"task": TASK, "blocked_by": OTHER, "known": True},
        {"task": TASK, "blocked_by": "TASK-999999999999", "known": False},
    ]
    assert "waits for TASK-77775555eeee  open" in repo.tenure("graph").stdout
    assert repo.tenure("graph", "nowhere/").stdout == "nothing found\n"
    assert [node["id"] for node in repo.json("graph", "docs")["nodes"]] == [TASK, OTHER]


def test_show_has_the_entity_whole_with_both_kinds_of_edges_and_its_log(repo: Repo) -> None:
    """§10 show."""
    repo.put(task(body="\nNotes.\n\n## Log\n- 2026-01-05T09:15Z ada@box \u2014 looked at it\n"))
    repo.put(task(OTHER, title="Then", blocked_by=(TASK,)))
    said = repo.json("show", "0f1e")
    assert said["id"] == TASK
    assert (said["coordination"], said["lease_expires_at"]) == (None, None)
    assert [edge["id"] for edge in said["unblocks"]] == [OTHER]
    assert said["log"][0]["message"] == "looked at it"
    assert said["content"] == (repo.path / f".ank/entities/{TASK}.md").read_text()
    assert [edge["status"] for edge in repo.json("show", OTHER)["blocked_by"]] == ["open"]
    repo.claimed(TASK)
    assert repo.json("show", TASK)["coordination"] == "claimed by human:bob"


def test_context_serves_the_criterion_and_what_binds_it(repo: Repo) -> None:
    """§10 context: altered decisions bind nobody, others' scopes neither."""
    repo.put(task())
    repo.put(decision())
    repo.put(decision(id="ADR-0f1e2d3c4b5c", title="Altered", ratified="123456789abc"))
    repo.put(decision(id="ADR-0f1e2d3c4b5d", title="Elsewhere", scope=("docs/**",)))
    repo.put(decision(id="ADR-0f1e2d3c4b5e", title="Only proposed", status="proposed"))
    repo.tenure("claim", TASK)
    said = repo.json("context")
    assert said["mode"] == "execution"
    assert said["criteria"] == "Every key is young\n"
    assert [one["id"] for one in said["constraints"]] == [ADR]
    assert {one["id"] for one in repo.json("context", "docs")["constraints"]} == {ADR, "ADR-0f1e2d3c4b5d"}


def test_context_cuts_the_oldest_log_first_and_the_criterion_never(repo: Repo) -> None:
    """Issue 6: within the budget of characters, and what was cut is said."""
    repo.write(".ank/config.yml", "schema: 1\ndefault_branch: main\ncontext_budget: 900\n")
    lines = "".join(
        f"- 2026-01-05T09:{minute:02d}Z ada@box \u2014 entry {minute} {'x' * 80}\n" for minute in range(10, 30)
    )
    repo.put(task(done_criteria="y" * 300 + "\n", body=f"\n## Log\n{lines}"))
    repo.put(decision(constraint="z" * 200 + "\n"))
    repo.tenure("claim", TASK)
    said = repo.json("context")
    assert said["criteria"] == "y" * 300 + "\n"
    assert said["constraints"][0]["constraint"] == "z" * 200 + "\n"
    assert [entry["message"].split()[1] for entry in said["log"]] == ["28", "29"]
    assert said["cut"] == {"log": 18, "tasks": 0, "constraints": 0}
    repo.put(decision(constraint="z" * 900 + "\n"))
    said = repo.json("context")
    assert said["criteria"] == "y" * 300 + "\n"
    assert (said["constraints"][0]["constraint"], said["cut"]["constraints"]) == (None, 1)
    assert f"cut: tenure show {ADR}" in repo.tenure("context").stdout


def test_context_of_somebody_free_lists_what_can_be_claimed_in_the_perimeter(repo: Repo) -> None:
    """§10 context: orientation, in the order of `claim --next`."""
    repo.put(task(blocked_by=(OTHER,)))
    repo.put(task(OTHER, title="First", created="2026-02-01T00:00:00Z"))
    repo.put(task("TASK-333300000000", title="Old", scope=("docs/**",)))
    said = repo.json("context")
    assert (said["mode"], said["lease_expires_at"]) == ("orientation", None)
    assert [one["id"] for one in said["tasks"]] == [OTHER, "TASK-333300000000"]
    assert [one["id"] for one in repo.json("context", "docs")["tasks"]] == ["TASK-333300000000"]


def test_context_of_somebody_free_cuts_the_list_before_the_constraints(repo: Repo) -> None:
    """Issue 6: the cutting order is the same for whoever holds nothing; a constraint binds before anybody claims."""
    repo.write(".ank/config.yml", "schema: 1\ndefault_branch: main\ncontext_budget: 600\n")
    for number in range(9):
        repo.put(task(f"TASK-{number:x}00000000000"))
    repo.put(decision(constraint="z" * 200 + "\n"))
    said = repo.json("context")
    assert said["constraints"][0]["constraint"] == "z" * 200 + "\n"
    assert len(said["tasks"]) == 4
    assert said["cut"] == {"log": 0, "tasks": 5, "constraints": 0}
    assert "and 5 more" in repo.tenure("context").stdout
    repo.put(decision(constraint="z" * 900 + "\n"))
    said = repo.json("context")
    assert (len(said["tasks"]), said["cut"]["constraints"]) == (8, 1)


def test_context_says_that_a_lease_lapsed_and_leaves_it_lapsed(repo: Repo) -> None:
    """R-L6."""
    repo.put(task())
    claim = repo.claimed(TASK, "human:ada", left=-600)
    before = repo.git("rev-parse", f"refs/ank/claims/{TASK}")
    said = repo.tenure("context", "--json")
    assert "lapsed" in said.stderr
    assert repo.git("rev-parse", f"refs/ank/claims/{TASK}") == before
    assert claim.holder == "human:ada"


def test_hostile_titles_reach_no_terminal_raw(repo: Repo) -> None:
    """R-X3."""
    text = entity_writing.emit(task()).replace("Rotate keys", '"Quiet \\e[2J \\u202e loud"')
    repo.write(f".ank/entities/{TASK}.md", text)
    for words in (["find", ""], ["graph"], ["show", TASK], ["context"], ["scope", "src/keys"], ["review"]):
        said = repo.tenure(*words, exits=8 if words == ["review"] else 0)
        assert "\x1b" not in said.stdout
        assert "\u202e" not in said.stdout
