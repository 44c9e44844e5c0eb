"""new: what is written, and what is refused before anything is on disk."""

from __future__ import annotations

import pytest

from tenure.model import entity_reading, entity_writing
from tenure.model.entities import Adr
from tenure.model.task import Task
from verbs.world import OTHER, Repo, task

GOOD = ["--title", "Rotate keys", "--scope", "src/keys/**"]


def entries(repo: Repo) -> list[str]:
    folder = repo.path / ".ank" / "entities"
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def test_a_task_is_written_flat_canonical_and_open(repo: Repo) -> None:
    """§10 new."""
    repo.put(task(OTHER))
    said = repo.json(
        "new", "task", *GOOD, "--criteria", "Ship it.", "--blocked-by", "7777", "--verify", "unit", "--body", "Why."
    )
    text = (repo.path / said["path"]).read_text()
    made = entity_reading.parse(text)
    assert isinstance(made, Task)
    assert entity_writing.emit(made) == text
    assert (made.status, made.schema, made.version, made.author) == ("open", 4, 1, "human:ada")
    assert (made.blocked_by, made.verify, made.criteria_by) == ((OTHER,), ("unit",), "creator")
    assert (made.done_criteria, made.body, made.slug) == ("Ship it.", "\nWhy.\n", "rotate-keys")
    assert said["warnings"] == ["no verifier is named unit in .ank/config.yml"]


def test_a_title_alone_is_a_task_about_everything(repo: Repo) -> None:
    """§10 new TITLE."""
    said = repo.json("new", "Rotate the keys")
    made = entity_reading.parse((repo.path / said["path"]).read_text())
    assert (made.title, made.scope) == ("Rotate the keys", ("**",))


def test_a_title_that_the_scope_flag_swallowed_is_given_back(repo: Repo) -> None:
    """The refusal holds the command that was meant, and nothing is written."""
    said = repo.tenure("new", "--scope", "src/**", "Rotate all keys", exits=7)
    assert "  -> tenure new 'Rotate all keys' --scope 'src/**'" in said.stderr.splitlines()
    assert entries(repo) == []


def test_a_decision_is_proposed(repo: Repo) -> None:
    """§10 new adr."""
    first = repo.json("new", "adr", "--title", "No JWT", "--scope", "src/**", "--constraint", "No JWT\nanywhere")
    said = repo.json(
        "new", "adr", "--title", "X", "--scope", "src/**", "--constraint", "Y", "--supersedes", first["id"]
    )
    made = entity_reading.parse((repo.path / said["path"]).read_text())
    assert isinstance(made, Adr)
    assert (made.status, made.supersedes) == ("proposed", first["id"])


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (7, ["task", "--scope", "a"]),
        (7, ["task", "--title", "T"]),
        (7, ["task", "--title", "  ", "--scope", "a"]),
        (7, ["adr", *GOOD]),
        (1, ["task", "--title", "T", "--scope", "[a"]),
        (1, ["task", "--title", "a\nb", "--scope", "a"]),
        (1, ["task", "--title", "a\x1b[2J", "--scope", "a"]),
        (1, ["task", *GOOD, "--criteria", " indented"]),
        (1, ["task", *GOOD, "--criteria", "\n\n\tdeeper"]),
        (1, ["task", *GOOD, "--criteria", " \n"]),
        (1, ["task", *GOOD, "--criteria", "a\u2028b"]),
        (1, ["task", *GOOD, "--constraint", "x"]),
        (1, ["adr", *GOOD, "--constraint", " x"]),
        (1, ["two", "words"]),
        (2, ["task", *GOOD, "--blocked-by", "9999"]),
        (2, ["adr", *GOOD, "--constraint", "x", "--supersedes", "9999"]),
        (1, ["adr", *GOOD, "--constraint", "x", "--supersedes", "7777"]),
    ],
)
def test_what_the_format_cannot_carry_is_refused_and_never_written(repo: Repo, code: int, words: list[str]) -> None:
    """R-X6, §10: 1, 2, 7."""
    repo.put(task(OTHER))
    before = entries(repo)
    said = repo.tenure("new", *words, exits=code)
    assert said.stdout == ""
    assert f"error[{code}]" in said.stderr
    assert entries(repo) == before


def test_slips_are_refused_before_anything_is_written(repo: Repo) -> None:
    """A kind that `new` does not write is no title, and a second criterion would replace the first one."""
    assert "no spec" in repo.tenure("new", "spec", exits=1).stderr
    assert "one --criteria" in repo.tenure("new", "A", "--criteria", "x", "--criteria", "y", exits=1).stderr
    assert entries(repo) == []
