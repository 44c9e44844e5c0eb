"""The entities of a working tree: found by name, read when asked for; what cannot be read hides nothing else.

All layouts of the format are read: the flat `.ank/entities`, its archive, and the older `tasks/` and `adr/` (page C).
"""

from __future__ import annotations

import os

from tenure.model import entities, entity_reading, frontmatter, ids, resolve
from tenure.model.entities import Entity
from tenure.model.entity_reading import Unparseable
from tenure.model.errors import Broken, NotFound, WrongUse
from tenure.model.task import Task
from tenure.model.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FLAT = ".ank/entities"
ARCHIVE = ".ank/archive/entities"
FOLDERS = (FLAT, ".ank/tasks", ".ank/adr", ARCHIVE)  # the first that has an id wins


@value
class Stored:
    """An entity and where it lies: `path` to open, `name` from the corpus' folder; `text` with LF, `crlf` as it was."""

    id: str
    path: str
    name: str
    entity: Entity
    text: str = ""
    crlf: bool = False

    @property
    def root(self) -> str:
        """The corpus' folder."""
        return self.path[: -len(self.name) - 1]


@value
class Fault:
    """A file that holds no readable entity."""

    name: str
    reason: str
    id: str | None = None


def find_root(start: str) -> str:
    """The folder that holds `.ank/`, walking up from `start`. Broken (9) where there is none."""
    at = os.path.abspath(start)
    while not os.path.isdir(os.path.join(at, ".ank")):
        parent = os.path.dirname(at)
        if parent == at:
            raise Broken("there is no .ank folder here (nor in any folder above)", "tenure init")
        at = parent
    return at


class Corpus:
    """The entities below one folder. Nothing is read before it is asked for, and then once."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.faults: dict[str, Fault] = {}
        self.doubled: dict[str, str] = {}  # the file that lost, by its name, to the one that counts
        self._names: dict[str, str] = {}
        self._read: dict[str, Stored] = {}
        self._by_kind: dict[str | None, list[str]] = {}
        for folder in FOLDERS:
            self._list(folder)

    def _list(self, folder: str) -> None:
        try:
            files = sorted(os.listdir(os.path.join(self.root, folder)))
        except (FileNotFoundError, NotADirectoryError):
            return
        for file in files:
            name = f"{folder}/{file}"
            if file.startswith(".") or not file.endswith(".md"):
                continue
            if not ids.is_any_id(file[:-3]):
                self.faults[name] = Fault(name, "its file name is no id")
            elif file[:-3] in self._names:
                self.doubled[name] = self._names[file[:-3]]
            else:
                self._names[file[:-3]] = name

    def ids(self, kind: str | None = None) -> list[str]:
        """All ids that have a file, sorted; of one kind (`TASK`, `ADR`, `SPEC`, `LOG`) where it is given."""
        found = self._by_kind.get(kind)
        if found is None:
            found = sorted(one for one in self._names if kind is None or one.startswith(kind + "-"))
            self._by_kind[kind] = found
        return list(found)

    def name_of(self, one: str) -> str | None:
        """The file of an id, from the corpus' folder, with `/`."""
        return self._names.get(one)

    def stored(self, one: str) -> Stored:
        """The entity of a full id. NotFound (2); Unparseable (1) naming the file."""
        found = self._read.get(one)
        if found is None:
            name = self._names.get(one)
            if name is None:
                raise NotFound(f"nothing here is named {one}", 'tenure find ""')
            found = self._read[one] = read_file(self.root, name)
        return found

    def reread(self, one: str) -> Stored:
        """The entity as it stands on disk now."""
        self._read.pop(one, None)
        return self.stored(one)

    def find(self, text: str) -> Stored:
        """The entity that an id or a prefix names (2: none or several; 1: its file cannot be read)."""
        return self.stored(resolve.resolve(text, self._names, self._titles(resolve.candidates(text, self._names))))

    def _titles(self, several: list[str]) -> dict[str, str]:
        """What the candidates of an ambiguous prefix are called, as far as they can be read; else nothing is read."""
        return {one.id: one.entity.title for one in self._each(several[:8])} if len(several) > 1 else {}

    def find_task(self, text: str) -> tuple[Stored, Task]:
        """The task that an id or a prefix names. WrongUse (1) where it names another kind."""
        found = self.find(text)
        if not isinstance(found.entity, Task):
            raise WrongUse(f"{found.id} is no task but {entities.a(found.entity.kind)}", f"tenure show {found.id}")
        return found, found.entity

    def all(self, kind: str | None = None) -> list[Stored]:
        """All readable entities (of one kind), sorted by id; the others end up in `faults`."""
        return list(self._each(self.ids(kind)))

    def tasks(self) -> dict[str, Task]:
        """All readable tasks by id."""
        return {found.id: found.entity for found in self.all("TASK") if isinstance(found.entity, Task)}

    def _each(self, wanted: list[str]) -> Iterator[Stored]:
        for one in wanted:
            try:
                yield self.stored(one)
            except Unparseable as wrong:
                name = self._names[one]
                self.faults[name] = Fault(name, wrong.reason, one)

    def logs_about(self, subject: str) -> list[Stored]:
        """The LOG entities about a subject. Only files that name it are parsed: there may be thousands."""
        needle = subject.encode()
        wanted = [one for one in self.ids("LOG") if one in self._read or needle in self._bytes(one)]
        found = self._each(wanted)
        return [entry for entry in found if getattr(entry.entity, "about", None) == subject]

    def _bytes(self, one: str) -> bytes:
        try:
            with open(os.path.join(self.root, self._names[one]), "rb") as file:
                return file.read()
        except OSError:
            return b""


def read_file(root: str, name: str) -> Stored:
    """The entity in a file, whose name must be its id. Unparseable (1) names the file and the reason."""
    path = os.path.join(root, name)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as wrong:
        raise Unparseable(name, wrong.strerror or "it cannot be opened") from None
    try:
        text = frontmatter.decoded(data)
    except ValueError as wrong:
        raise Unparseable(name, str(wrong)) from None
    if has_conflict(text):
        raise Unparseable(name, "git's conflict markers stand in it", f"${{EDITOR:-vi}} {name}")
    entity = entity_reading.parse(text, name)
    one = os.path.basename(name)[:-3]
    if entity.id != one:
        raise Unparseable(name, f"its id is {entity.id}, which is not its file name")
    return Stored(one, path, name, entity, text, b"\r\n" in data)


def has_conflict(text: str) -> bool:
    """Whether git left conflict markers at the beginning of lines."""
    if "<<<<<<< " not in text:
        return False
    lines = text.split("\n")
    return any(line.startswith("<<<<<<< ") for line in lines) and any(line.startswith(">>>>>>> ") for line in lines)
