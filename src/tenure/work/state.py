"""What this clone knows and refs cannot hold: a small text file a task, under `tenure/` in the common git directory.

On the hook path, so no JSON: lines `key value`, with `\\n` and `\\\\` escaped. Written whole, by rename, under an
advisory hold that the kernel drops when a process dies (nothing is left to remove by hand, F17).
"""

from __future__ import annotations

import os
import time

from tenure.model import ids
from tenure.model.errors import Broken, Unwritable
from tenure.model.text import to_bytes

_WAKE = "wake"
_MOST_WAIT = 10.0  # seconds (R-X4)


class TaskState:
    """What this clone knows of one task. All values are text; instants are decimal seconds UTC.

    token, identity: the acquisition that this clone made or adopted (`ours` until it ends or is lost)
    record: the record's bytes as this clone last wrote or saw it there (R-L6: a swept claim comes back from it)
    published: the object of ours that origin was last seen to hold
    pending, pending_object, pending_expected, pending_since, pending_record: a push that waits (R-C3; work/entries)
    pending_given_back, pending_untold: of a fresh claim, what it goes over, and that nobody was told of it yet
    refused: origin refused it; only `claim` tries again
    told: its holder was told that a commit renewed it (R-L8)
    path: where the task's file lies (R-L5)
    lost: lines `identity TAB new holder TAB instant`
    ended: how the claim vanished on origin: swept | released | closed | …
    """

    def __init__(self, task: str, fields: dict[str, str] | None = None) -> None:
        self.task = task
        self.fields = dict(fields or {})
        self.loaded = dict(fields or {})  # as it was read: `save` writes what changed since, and nothing else

    def get(self, key: str) -> str | None:
        return self.fields.get(key)

    def number(self, key: str) -> int | None:
        found = self.fields.get(key, "")
        return int(found) if found.isdigit() else None

    def set(self, **changes: str | int | None) -> None:
        for key, new in changes.items():
            if new is None:
                self.fields.pop(key, None)
            else:
                self.fields[key] = str(new)

    @property
    def ours(self) -> bool:
        """Whether this clone holds, or let lapse, a claim on it."""
        return "identity" in self.fields

    def forget_claim(self) -> None:
        """The claim ended here: what was known about it goes, what waits and what was lost stays."""
        for key in _CLAIM:
            self.fields.pop(key, None)

    def forget_pending(self) -> None:
        for key in [key for key in self.fields if key.startswith("pending")]:
            del self.fields[key]

    def lost(self, identity: str) -> tuple[str, int] | None:
        """Who holds now what that identity lost, and when that was."""
        for line in self.fields.get("lost", "").split("\n"):
            who, _, rest = line.partition("\t")
            if who == identity and rest:
                holder, _, at = rest.partition("\t")
                return holder, int(at) if at.isdigit() else 0
        return None

    def set_lost(self, identity: str, holder: str | None, at: int) -> None:
        """Remember (or, with None, forget) that an identity lost this task to somebody."""
        lines = [line for line in self.fields.get("lost", "").split("\n") if line and line.split("\t")[0] != identity]
        if holder is not None:
            lines.append(f"{identity}\t{holder}\t{at}")
        self.set(lost="\n".join(lines) or None)


class Store:
    """The folder of a clone's state."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.origin_away = False  # this command found that origin does not answer
        self._claims = os.path.join(folder, "claims")

    def task(self, task: str) -> TaskState:
        """What is known of a task; empty where nothing is."""
        return TaskState(task, _read(os.path.join(self._claims, task)))

    def all(self) -> list[TaskState]:
        """Every task of which something is known."""
        try:
            names = sorted(os.listdir(self._claims))
        except OSError:  # not there, or something else stands in its place: nothing is known, and no verdict waits
            return []
        return [self.task(name) for name in names if ids.is_id(name)]

    def save(self, state: TaskState) -> None:
        """Write what changed in one task's state since it was read, and the wake file as the whole asks for (R-H6).

        Another process of this clone may have written meanwhile: what it set anew (a push that waits, an acquisition)
        is not undone by a change that was about the old one (R-C3).
        """
        path = os.path.join(self._claims, state.task)
        with self.hold("save"):
            merged = _merged(_read(path), state.loaded, state.fields)
            if merged:
                self._write(path, _dump(merged))
            else:
                _remove(path)
            state.fields, state.loaded = dict(merged), dict(merged)
            self.wake()

    def remember_place(self, task: str, path: str | None) -> None:
        """Where a claimed task's file lies, so that a commit finds its scope without a search (R-L5)."""
        state = self.task(task)
        state.set(path=path)
        self.save(state)

    def wake(self) -> None:
        """The wake file stands while this clone holds something or something waits (R-H6)."""
        path = os.path.join(self.folder, _WAKE)
        if os.path.exists(os.path.join(self.folder, "notes")) or any(one.fields for one in self.all()):
            if not os.path.exists(path):
                self._write(path, "")
        else:
            _remove(path)

    def read(self, name: str) -> dict[str, str]:
        """A small file of the clone's own (`carrier`, `seen`, …)."""
        return _read(os.path.join(self.folder, name))

    def write(self, name: str, fields: dict[str, str]) -> None:
        path = os.path.join(self.folder, name)
        if fields:
            self._write(path, _dump(fields))
        else:
            _remove(path)

    def note(self, text: str) -> None:
        """Keep something that a hook said and cannot be sure was seen; the next command says it once (R-H4)."""
        kept = self.read("notes")
        if text not in kept.values():
            self.write("notes", {**kept, f"n{len(kept)}": text})
            self.wake()

    def take_notes(self) -> list[str]:
        """What was kept, and forget it."""
        kept = self.read("notes")
        if kept:
            self.write("notes", {})
            self.wake()
        return list(kept.values())

    def again(self, state: TaskState) -> TaskState:
        """The same state as it stands now: another process of this clone may have written it meanwhile."""
        now = self.task(state.task)
        state.fields, state.loaded = now.fields, now.loaded
        return state

    def hold(self, name: str) -> Hold:
        """Hold a name against other processes of this clone. Broken (9) where one keeps it for 10 s (R-X4)."""
        found = self.hold_if_free(name)
        end = time.monotonic() + _MOST_WAIT
        while found is None:
            if time.monotonic() >= end:  # held by a process that was stopped: a commit does not wait for it
                path = self._hold_path(name)
                raise Broken(f"another process of this clone has held {path} for 10 s", f"fuser {path}")
            time.sleep(0.01)
            found = self.hold_if_free(name)
        return found

    def hold_if_free(self, name: str) -> Hold | None:
        """The same at once; None where another process holds it."""
        self._folder(self.folder)
        return Hold.take(self._hold_path(name))

    def _hold_path(self, name: str) -> str:
        return os.path.join(self.folder, name + ".hold")

    def swapping(self) -> Hold:
        """Held while a local ref and what is known of it change together. Never over a network call, never nested."""
        return self.hold("state")

    def _write(self, path: str, text: str) -> None:
        self._folder(os.path.dirname(path))
        part = f"{path}.{os.getpid()}"
        try:
            fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o666)
            try:
                left = to_bytes(text)
                while left:  # a full disk takes a part and refuses only the next one
                    left = left[os.write(fd, left) :]
            finally:
                os.close(fd)
            os.replace(part, path)
        except OSError as wrong:
            _remove(part)
            raise _unwritable(wrong, path) from wrong

    def _folder(self, path: str) -> None:
        try:
            os.makedirs(path, exist_ok=True)
        except OSError as wrong:
            raise _unwritable(wrong, path) from wrong


class Hold:
    """An advisory hold on a file: it ends with the process, however that ends."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    @classmethod
    def take(cls, path: str) -> Hold | None:
        """Hold that file now; None where another process does."""
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as wrong:
            raise _unwritable(wrong, path) from wrong
        try:
            import fcntl
        except ImportError:  # no such thing on this system: the ref's own swap still decides
            return cls(fd)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(fd)
            return None
        return cls(fd)

    def __enter__(self) -> Hold:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)


def _merged(now: dict[str, str], loaded: dict[str, str], wanted: dict[str, str]) -> dict[str, str]:
    """The file's fields with our changes, less those about a push or an acquisition that is another one by now."""
    changed = {key for key in loaded.keys() | wanted.keys() if loaded.get(key) != wanted.get(key)}
    for name, group in (("pending_object", _PENDING), ("token", _CLAIM)):
        key = "pending" if name == "pending_object" else name
        moved = (now.get(name), now.get(key)) != (loaded.get(name), loaded.get(key))
        anew = key in changed and key in wanted
        if moved and not anew:
            changed -= group
    merged = dict(now)
    for key in changed:
        if key in wanted:
            merged[key] = wanted[key]
        else:
            merged.pop(key, None)
    return merged


_PENDING = {"pending", "pending_object", "pending_expected", "pending_since", "pending_record"}
_PENDING |= {"pending_given_back", "pending_untold"}
_CLAIM = {"token", "identity", "record", "published", "refused", "told", "ended", "path"}


def _read(path: str) -> dict[str, str]:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            text = file.read()
    except OSError:  # not there, or no file: a verdict never hangs on what this clone remembers (R-H4)
        return {}
    found = {}
    for line in text.split("\n"):
        key, blank, raw = line.partition(" ")
        if blank:
            found[key] = _unescape(raw) if "\\" in raw else raw
    return found


def _dump(fields: dict[str, str]) -> str:
    return "".join(
        f"{key} {text}\n"
        for key, text in ((k, v.replace("\\", "\\\\").replace("\n", "\\n")) for k, v in fields.items())
    )


def _unescape(raw: str) -> str:
    out, at = [], 0
    while at < len(raw):
        if raw[at] == "\\" and at + 1 < len(raw):
            out.append("\n" if raw[at + 1] == "n" else raw[at + 1])
            at += 2
        else:
            out.append(raw[at])
            at += 1
    return "".join(out)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as wrong:
        raise _unwritable(wrong, path) from wrong


def _unwritable(wrong: OSError, path: str) -> Unwritable:
    return Unwritable(f"cannot write the clone's state: {wrong.strerror}: {path}", "tenure doctor")
