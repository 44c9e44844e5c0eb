"""What an inspection stands on, read once: entities, records, settings, tracked files, the default branch (R-X1).

Bulk reading takes a handful of git processes, however large the corpus: one `cat-file --batch` for what differs.
"""

from __future__ import annotations

import bisect
import hashlib
import os
from typing import TypeVar

from tenure.git import changes, objects, process
from tenure.model import entity_reading, scope
from tenure.model.entities import Adr, Decision, Entity, LogEntry, Spec
from tenure.model.errors import TenureError
from tenure.model.settings import Config
from tenure.model.task import Task
from tenure.model.text import to_bytes
from tenure.work import constraints, repository, views, whereabouts
from tenure.work.corpus import Corpus, Stored
from tenure.work.session import Session
from tenure.work.views import Views

T = TypeVar("T")


class Tracked:
    """The files that git tracks below the corpus' folder, and whether a glob matches any of them."""

    def __init__(self, names: list[str]) -> None:
        self._names = sorted(names)
        self._set = frozenset(names)
        self._answers: dict[str, bool] = {}

    def matched(self, glob: str) -> bool:
        """Whether some file matches; of a pattern only the files in its literal folder are looked at."""
        found = self._answers.get(glob)
        if found is None:
            found = self._answers[glob] = self._look(glob)
        return found

    def _look(self, glob: str) -> bool:
        if scope.is_literal(glob):
            return glob in self._set
        folder = scope.literal_folder(glob)
        begin = bisect.bisect_left(self._names, folder + "/") if folder else 0
        for name in self._names[begin:]:
            if folder and not name.startswith(folder + "/"):
                return False
            if scope.matches([glob], name):
                return True
        return False


class Ground:
    """One inspection's knowledge. `prefix`: from the repository's top to the corpus' folder, with `/`."""

    def __init__(self, session: Session, corpus: Corpus, known: Views | None = None) -> None:
        self.session, self.corpus, self.at = session, corpus, session.at
        self.stored = {one.id: one for one in corpus.all()}
        self.tasks = self._of(Task)
        self.adrs = self._of(Adr)
        self.specs = self._of(Spec)
        self.logs = self._of(LogEntry)
        self.views = known or views.read(session)
        self.config, self.config_error = _config(corpus)
        inside = os.path.relpath(corpus.root, session.place.top or corpus.root).replace(os.sep, "/")
        self.prefix = "" if inside == "." else inside + "/"
        self.shallow = os.path.exists(os.path.join(session.place.common_dir, "shallow"))
        self.default = whereabouts.default_branch(session)
        self.tips = whereabouts.default_tips(session)
        self._binding: dict[tuple[str, ...], list[Adr]] = {}
        self._in_force = constraints.in_force(corpus)
        self.tracked = Tracked(_tracked(corpus.root))
        self._trees = [changes.files(tip, self.prefix + ".ank") for tip in self.tips]
        self._there: dict[tuple[int, str], Entity | None] = {}

    def _of(self, kind: type[T]) -> dict[str, T]:
        return {one.id: one.entity for one in self.stored.values() if isinstance(one.entity, kind)}

    @property
    def decisions(self) -> dict[str, Decision]:
        return {**self.adrs, **self.specs}

    def binding(self, globs: tuple[str, ...]) -> list[Adr]:
        """The decisions in force whose scope meets this one, by id; asked once for each scope."""
        found = self._binding.get(globs)
        if found is None:
            found = [one for one in self._in_force if scope.overlap(globs, one.scope) is not None]
            self._binding[globs] = found
        return found

    def on_default(self, one: str) -> list[Entity]:
        """The entity as the default branch has it, here and as origin was last seen, where it can be read."""
        found = [self._there.get((number, one)) for number in range(len(self._trees))]
        return [entity for entity in found if entity is not None]

    def learn(self, wanted: list[str]) -> None:
        """Read these entities on the default branch, at once; what equals the working tree needs no reading."""
        asked: list[tuple[int, str, str]] = []
        for number, tree in enumerate(self._trees):
            for one in wanted:
                path, oid = self._path_there(tree, one)
                if oid is None or (number, one) in self._there:
                    continue
                stored = self.stored.get(one)
                if stored and self.prefix + stored.name == path and blob_name(stored, oid) == oid:
                    self._there[number, one] = stored.entity
                else:
                    asked.append((number, one, oid))
        things = objects.read_many([oid for _, _, oid in asked])
        for (number, one, _), thing in zip(asked, things, strict=True):
            self._there[number, one] = _entity(thing.data, one) if thing else None

    def _path_there(self, tree: dict[str, str], one: str) -> tuple[str, str | None]:
        for folder in (".ank/entities", ".ank/tasks", ".ank/adr", ".ank/archive/entities"):
            path = f"{self.prefix}{folder}/{one}.md"
            if path in tree:
                return path, tree[path]
        return "", None

    def differing(self) -> list[str]:
        """Files of entities that are not on the default branch as they are here, or are only there."""
        if not self._trees:
            return []
        here = {self.prefix + one.name: one for one in self.stored.values()}
        there = {path: oid for path, oid in self._trees[0].items() if _is_entity_path(path)}
        odd = [path for path, oid in there.items() if path not in here or blob_name(here[path], oid) != oid]
        return sorted([*odd, *(path for path in here if path not in there)])


def _is_entity_path(path: str) -> bool:
    return path.endswith(".md") and path.rpartition("/")[2].startswith(("TASK-", "ADR-", "SPEC-", "LOG-"))


def blob_name(stored: Stored, like: str) -> str:
    """The object name of a file's text with LF, in the repository's own hash (that of `like`)."""
    data = to_bytes(stored.text)
    made = hashlib.sha1(usedforsecurity=False) if len(like) == 40 else hashlib.sha256()
    made.update(b"blob %d\0" % len(data) + data)
    return made.hexdigest()


def _entity(data: bytes, one: str) -> Entity | None:
    try:
        return entity_reading.parse_bytes(data, one)
    except TenureError:
        return None


def _config(corpus: Corpus) -> tuple[Config | None, str]:
    try:
        return repository.config(corpus), ""
    except TenureError as wrong:
        return None, wrong.message


def _tracked(root: str) -> list[str]:
    done = process.need(["ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root)
    return [name for name in done.text.split("\0") if name]
