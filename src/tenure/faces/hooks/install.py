"""Put the hooks in place beside what is there, and take them out again as if they had never been (R-H7, B35).

Everything is looked at and refused before the first write; what fails half way is undone. Nobody else's configuration
is touched, symbolic links are not followed, and a file of ours that was edited since is left to its editor.
"""

from __future__ import annotations

import compileall
import os
from collections.abc import Callable

from tenure.faces.hooks import managers, shims
from tenure.git import hooking
from tenure.git.repo import Place
from tenure.model.errors import Broken, WrongState
from tenure.model.text import to_bytes
from tenure.model.value import value

BEFORE = ".before-tenure"
_ALL = (*shims.EVENTS, shims.SERVER)
_SPOTS = ("", ".legacy", ".old", os.path.join(".d", "tenure"))


@value
class Change:
    """What was done for one event: `did` is installed, refreshed, unchanged, removed, restored, absent, or by-hand.

    path: the file; kept: where the hook from before stands now; why and lines: what is left to do by hand (by-hand).
    """

    name: str
    did: str
    path: str
    kept: str = ""
    why: str = ""
    lines: tuple[str, ...] = ()


def install(place: Place, into_tracked: bool = False, config: bool = False, server: bool = False) -> list[Change]:
    """Hooks for every event. WrongState (6) for an edited hook of ours, Broken (9) where the folder cannot be written.

    `config`: as hooks in this repository's configuration (git 2.54 and newer), the files kept in the clone's state.
    `server`: the hook of a repository that is pushed to, and no other.
    """
    _compile()
    if config:
        return _install_config(place)
    found = hooking.folder(_at(place))
    events = (shims.SERVER,) if server else shims.EVENTS
    plans = [managers.standing(event, found, place.top, into_tracked) for event in events]
    for plan in plans:
        _refuse_edited(plan.path, "install")
    portable = into_tracked and managers.folder_kind(found, place.top) == "tracked"
    with _Writes(place) as writes:
        return [_install_one(writes, place, plan, portable) for plan in plans]


def _compile() -> None:
    """Byte code for the hooks now, since they run with -B and write nothing themselves (R-H5); a full disk would
    leave half a file that stops every later one."""
    for folder in ("model", "git", "work", os.path.join("faces", "hooks")):
        compileall.compile_dir(os.path.join(shims.PACKAGE, folder), quiet=2)


def uninstall(place: Place) -> list[Change]:
    """Take out every hook of ours and give back what stood there, bytes and mode. WrongState (6) for an edited one."""
    folders = dict.fromkeys((hooking.folder(_at(place)).path, os.path.join(place.common_dir, "hooks")))
    spots = [(event, os.path.join(one, event + spot)) for one in folders for event in _ALL for spot in _SPOTS]
    ours = [(event, path, shims.recognise(managers.read(path) or "")) for event, path in spots]
    there = [(event, path, shim.kept) for event, path, shim in ours if shim]
    for _, path, _ in there:
        _refuse_edited(path, "uninstall")
    with _Writes(place) as writes:
        done = [_take_out(writes, place, event, path, kept) for event, path, kept in there]
        done += [_give_back(writes, event, path) for event, path in spots if _left_alone(path)]
    done += _uninstall_config(place)
    for one in folders:
        _drop_empty(one, place)
    named = {change.name for change in done}
    return done + [Change(event, "absent", "") for event in shims.EVENTS if event not in named]


def kept_path(place: Place, kept: str) -> str:
    """Where a baked `kept` leads: `@` is the common git directory, a bare name is relative to the working tree."""
    if kept.startswith("@"):
        return os.path.join(place.common_dir, kept[1:])
    return os.path.join(_at(place), kept) if kept else ""


def is_current(found: str, shim: shims.Shim) -> bool:
    """Whether an installed shim is what this installation would write now."""
    return found in (shims.render(shim.event, shim.kept), shims.render(shim.event, shim.kept, portable=True))


def _at(place: Place) -> str:
    return place.top or place.git_dir


def _refuse_edited(path: str, way: str) -> None:
    if managers.owner_of(path) == "edited":
        raise WrongState(
            f"{path} is ours but was edited since it was installed; nothing was changed",
            f"mv {shims.quote(path)} {shims.quote(path + '.mine')}",
            f"tenure hooks {way}",
        )


def _install_one(writes: _Writes, place: Place, plan: managers.Standing, portable: bool) -> Change:
    if plan.lines:
        return Change(plan.event, "by-hand", plan.path, why=plan.why, lines=plan.lines)
    text = managers.read(plan.path)
    ours = shims.recognise(text) if text else None
    if ours:
        wanted = shims.render(plan.event, ours.kept, portable)
        if text == wanted:
            return Change(plan.event, "unchanged", plan.path, kept_path(place, ours.kept))
        writes.put(plan.path, wanted)
        return Change(plan.event, "refreshed", plan.path, kept_path(place, ours.kept))
    kept = _free_name(plan.path) if os.path.lexists(plan.path) else ""
    wanted = shims.render(plan.event, _baked(place, kept), portable)
    writes.put(plan.path, wanted, keep=kept)
    return Change(plan.event, "installed", plan.path, kept)


def _free_name(path: str) -> str:
    """Beside the hook, in a folder of `.d` scripts not among them (they all would be run)."""
    number, name = 1, path + BEFORE
    while os.path.lexists(name):
        number += 1
        name = f"{path}{BEFORE}-{number}"
    return name


def _baked(place: Place, kept: str) -> str:
    """How the shim finds the kept hook after the repository was moved: from the git directory or the working tree."""
    for start, mark in ((place.common_dir, "@"), (place.top, "./")):
        if kept and start and kept.startswith(start + os.sep):
            return mark + kept[len(start) + 1 :].replace(os.sep, "/")
    return kept.replace(os.sep, "/")


def _take_out(writes: _Writes, place: Place, event: str, path: str, baked: str) -> Change:
    kept = kept_path(place, baked)
    if kept and os.path.lexists(kept):
        writes.give_back(kept, path)
        return Change(event, "restored", path)
    writes.drop(path)
    return Change(event, "removed", path)


def _left_alone(path: str) -> bool:
    """A hook kept from before whose shim somebody removed by hand."""
    return os.path.lexists(path + BEFORE) and not os.path.lexists(path)


def _give_back(writes: _Writes, event: str, path: str) -> Change:
    writes.give_back(path + BEFORE, path)
    return Change(event, "restored", path)


def _install_config(place: Place) -> list[Change]:
    done = []
    with _Writes(place) as writes:
        for event in shims.EVENTS:
            path = os.path.join(place.clone_state, "hooks", event)
            text, wanted = managers.read(path), shims.render(event)
            command = f't={shims.quote(path)}; t() {{ [ ! -x "$t" ] || "$t" "$@"; }}; t'
            hooking.set_config_hook(_at(place), f"tenure-{event}", event, command)
            if text != wanted:
                writes.put(path, wanted)
            done.append(Change(event, "unchanged" if text == wanted else "installed", path))
    return done


def _uninstall_config(place: Place) -> list[Change]:
    done = []
    for event in shims.EVENTS:
        path = os.path.join(place.clone_state, "hooks", event)
        dropped = hooking.drop_config_hook(_at(place), f"tenure-{event}")
        if os.path.lexists(path):
            os.unlink(path)
            dropped = True
        if dropped:
            done.append(Change(event, "removed", path))
    _drop_empty(os.path.join(place.clone_state, "hooks"), place)
    return done


def _drop_empty(folder: str, place: Place) -> None:
    """A folder that nothing is left in goes; git makes do without one. A person's own (core.hooksPath) stays."""
    if folder.startswith(place.common_dir + os.sep):
        try:
            os.rmdir(folder)
        except OSError:
            pass


class _Writes:
    """Writes that are all undone when one of them fails. Each is by rename, so that git always meets a whole hook."""

    def __init__(self, place: Place) -> None:
        self._at = _at(place)
        self._undo: list[Callable[[], None]] = []

    def __enter__(self) -> _Writes:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if error is None:
            return
        for step in reversed(self._undo):
            try:
                step()
            except OSError:
                continue
        if isinstance(error, OSError):
            why = f"{error.strerror or error}: {error.filename or self._at}"
            raise Broken(
                f"the hooks could not be changed, and are as they were: {why}", "tenure hooks status"
            ) from error

    def put(self, path: str, text: str, keep: str = "") -> None:
        """Write a hook; what stands there is kept under another name first, link or file, bytes and mode."""
        os.makedirs(os.path.dirname(path), exist_ok=True)
        old = managers.read(path) if not keep and os.path.lexists(path) else None
        fresh = f"{path}.tenure-{os.getpid()}"
        try:
            self._write(fresh, text)
            if keep:
                self._move(path, keep)
            os.replace(fresh, path)
        except OSError:
            _unlink(fresh)
            raise
        if keep:
            return
        self._undo.append((lambda: self._write_over(path, old)) if old is not None else (lambda: _unlink(path)))

    def give_back(self, kept: str, path: str) -> None:
        """The hook from before, back in its place."""
        text = managers.read(path)
        os.replace(kept, path)
        if text is not None:
            self._undo.append(lambda: self._write_over(path, text))
        self._undo.append(lambda: os.replace(path, kept))

    def drop(self, path: str) -> None:
        text = managers.read(path) or ""
        os.unlink(path)
        self._undo.append(lambda: self._write_over(path, text))

    def _move(self, path: str, keep: str) -> None:
        """A second name first, so that at no moment git finds no hook; a plain rename where links are not to be had."""
        try:
            os.link(path, keep, follow_symlinks=False)
        except (OSError, NotImplementedError):
            os.rename(path, keep)
        self._undo.append(lambda: _back(keep, path))

    def _write_over(self, path: str, text: str) -> None:
        fresh = f"{path}.tenure-{os.getpid()}"
        self._write(fresh, text)
        os.replace(fresh, path)

    def _write(self, path: str, text: str) -> None:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o777)
        with os.fdopen(fd, "wb") as file:
            file.write(to_bytes(text))
            file.flush()
            os.fsync(file.fileno())
        mode = os.stat(path).st_mode & 0o7777
        wanted = hooking.shared_mode(self._at, mode)
        if wanted != mode:
            os.chmod(path, wanted)


def _back(keep: str, path: str) -> None:
    """By rename, which does nothing where both are still names of one file."""
    os.replace(keep, path)
    _unlink(keep)


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
