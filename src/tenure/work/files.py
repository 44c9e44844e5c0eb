"""Writing an entity: under the format's lock file, only over the version that was read, whole or not at all (R-X4)."""

from __future__ import annotations

import errno
import os
import time

from tenure.model import entity_writing
from tenure.model.entities import Entity
from tenure.model.errors import Unwritable, VersionConflict, WrongUse
from tenure.model.text import to_bytes
from tenure.model.value import replace
from tenure.work import corpus
from tenure.work.corpus import Stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

PATIENCE = 10.0  # seconds
_PAUSE = 0.05
_MARK = "tenure "


class FileLock:
    """The lock file `.<name>.md.lock` beside a target. Ours says `tenure <process> <host>`: a dead one is cleared."""

    def __init__(self, target: str, patience: float = PATIENCE) -> None:
        folder, file = os.path.split(target)
        self.path = os.path.join(folder, f".{file}.lock")
        self._patience = patience

    def __enter__(self) -> FileLock:
        end = time.monotonic() + self._patience
        while not self._take():
            self._clear_dead()
            if time.monotonic() >= end:
                raise Unwritable(f"{self.path} has been in the way for {self._patience:g} s", f"rm {self.path}")
            time.sleep(_PAUSE)
        return self

    def __exit__(self, kind: type[BaseException] | None, wrong: BaseException | None, tb: TracebackType | None) -> None:
        try:
            os.unlink(self.path)
        except FileNotFoundError:
            pass

    def _take(self) -> bool:
        try:
            fd = os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
        except FileExistsError:
            return False
        except OSError as wrong:
            raise Unwritable(f"{self.path} cannot be written: {wrong.strerror}", "ls -ld .ank .ank/entities") from None
        try:
            os.write(fd, f"{_MARK}{os.getpid()} {os.uname().nodename}\n".encode())
        except OSError as wrong:
            _drop(self.path)
            raise Unwritable(f"{self.path} cannot be written: {wrong.strerror}", "df -h .") from None
        finally:
            os.close(fd)
        return True

    def _clear_dead(self) -> None:
        """Take away what a dead process of this host left; by rename, so that only one of several does."""
        seen = _content(self.path)
        if not _is_dead(seen):
            return
        aside = f"{self.path}.{os.getpid()}"
        try:
            os.rename(self.path, aside)
        except FileNotFoundError:
            return
        if _content(aside) != seen:  # somebody was faster, and this one is alive
            try:
                os.link(aside, self.path)
            except FileExistsError:
                pass
        os.unlink(aside)


def _content(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(200)
    except OSError:
        return ""


def _is_dead(content: str) -> bool:
    words = content.split()
    if len(words) != 3 or not content.startswith(_MARK) or not words[1].isdigit() or words[2] != os.uname().nodename:
        return False
    try:
        os.kill(int(words[1]), 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    return False


def rewrite(old: Stored, new: Entity) -> Stored:
    """Write `new` over what was read as `old`: version + 1, same place, same schema (R-X4).

    VersionConflict (3) where the file moved since it was read; Unwritable (9) where lock or disk stand in the way.
    """
    with FileLock(old.path):
        try:
            now = corpus.read_file(os.path.dirname(old.path), os.path.basename(old.path))
        except WrongUse:
            raise _moved(old) from None
        if now.entity.version != old.entity.version or now.text != old.text:
            raise _moved(old)
        made = next_version(old, new)
        text = entity_writing.emit(made)
        replace_file(old.path, to_bytes(text))
    return replace(old, entity=made, text=text, crlf=False)


def next_version(old: Stored, new: Entity) -> Entity:
    """What `rewrite` would write: version + 1, and the file's own schema unless a field needs a newer one."""
    return replace(new, version=old.entity.version + 1, schema=max(old.entity.schema, _needed(new)))


def _needed(entity: Entity) -> int:
    """The oldest schema that knows the fields of an entity; a file keeps its own where that suffices."""
    if entity.kind in ("spec", "log"):
        return 3
    newer = bool(entity.verified) or bool(getattr(entity, "method", None)) or bool(getattr(entity, "amends", ()))
    newer = newer or any(one.via is not None for one in getattr(entity, "proof", ()))
    return 3 if newer else 1


def _moved(old: Stored) -> VersionConflict:
    return VersionConflict(
        f"{old.name} moved since it was read (version {old.entity.version})", f"tenure show {old.id}"
    )


def create(root: str, entity: Entity) -> Stored:
    """Write a new entity into the flat layout. VersionConflict (3) where its file is there already."""
    name = f"{corpus.FLAT}/{entity.id}.md"
    path = os.path.join(root, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    text = entity_writing.emit(entity)
    with FileLock(path):
        if os.path.lexists(path):
            raise VersionConflict(f"{name} is there already", f"tenure show {entity.id}")
        replace_file(path, to_bytes(text))
    return Stored(entity.id, path, name, entity, text)


def replace_file(path: str, data: bytes) -> None:
    """Put these bytes in a file's place: temporary, flush, rename; a killed process leaves the old or the new one."""
    folder, file = os.path.split(path)
    aside = os.path.join(folder, f".{file}.tmp.{os.getpid()}.{time.monotonic_ns()}")
    mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o644
    try:
        fd = os.open(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
        with os.fdopen(fd, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        os.replace(aside, path)
    except OSError as wrong:
        _drop(aside)
        raise Unwritable(f"{path} cannot be written: {wrong.strerror}", _look_at(path, wrong)) from None
    _flush_folder(folder)


def _look_at(path: str, wrong: OSError) -> str:
    """The command that shows why: the disk where it is full, else the folder."""
    if wrong.errno in (errno.ENOSPC, errno.EDQUOT):
        return "df -h ."
    import shlex

    return f"ls -ld {shlex.quote(os.path.dirname(path) or '.')}"


def take_back(made: Stored) -> None:
    """Remove a file that this very command made, where the rest could not be written."""
    _drop(made.path)


def _drop(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def _flush_folder(folder: str) -> None:
    try:
        fd = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(fd)
    except OSError:
        pass
    finally:
        os.close(fd)
