"""The hook files: their text as shipped, as installed, and how one of ours is known again (R-H6, R-H7, B27, B35)."""

from __future__ import annotations

import hashlib
import os
import sys

from tenure.model.errors import Broken
from tenure.model.text import to_bytes
from tenure.model.value import value

EVENTS = ("pre-commit", "pre-push", "commit-msg")
SERVER = "pre-receive"
PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_FOLDERS = (os.path.join(PACKAGE, "shims"), os.path.join(os.path.dirname(os.path.dirname(PACKAGE)), "hooks"))
_SUM = "# tenure-sum: "
_SHIM = "# tenure-shim: "


@value
class Shim:
    """One of ours, read back: its event, the hook kept beside it ('' for none), and whether nobody edited it."""

    event: str
    kept: str
    intact: bool


def text(event: str) -> str:
    """The shim of an event as shipped: nothing baked in. Broken (9) when the package lost it."""
    with open(path(event), "rb") as file:
        return file.read().decode()


def path(event: str) -> str:
    """Where this installation, or this checkout, keeps the shim of an event as shipped."""
    for folder in _FOLDERS:
        if os.path.isfile(os.path.join(folder, event)):
            return os.path.join(folder, event)
    raise Broken(f"the {event} hook is missing from this installation", "pip install --force-reinstall tenure")


def interpreter() -> str:
    """The absolute path of this Python, as a shell of any system takes it (B26, B28)."""
    return _slashes(os.path.abspath(sys.executable)) if sys.executable else ""


def render(event: str, kept: str = "", portable: bool = False) -> str:
    """The shim as it is installed: interpreter, package and kept hook baked in, signed with a sum over all of it.

    `portable` bakes no path of this machine (a tracked hooks folder, B35): the shim then finds `tenure` on PATH.
    """
    baked = {"py": "" if portable else interpreter(), "pkg": "" if portable else _slashes(PACKAGE), "kept": kept}
    lines = text(event).split("\n")
    for number, line in enumerate(lines):
        name, sign, rest = line.partition("=")
        if sign and rest == "''" and name in baked:
            lines[number] = f"{name}={quote(baked.pop(name))}"
    unsigned = "\n".join(lines)
    return unsigned.replace(f"{_SUM}none", _SUM + _sum(unsigned), 1)


def recognise(found: str) -> Shim | None:
    """The shim that this text is, or None when it is not of ours (B35: known by its marks and its sum)."""
    head = found.split("\n", 12)
    event = next((line[len(_SHIM) :].split(" ")[0] for line in head if line.startswith(_SHIM)), "")
    signed = next((line[len(_SUM) :] for line in head if line.startswith(_SUM)), "")
    if event not in (*EVENTS, SERVER):
        return None
    unsigned = found.replace(_SUM + signed, f"{_SUM}none", 1)
    return Shim(event, _kept(found), signed == _sum(unsigned))


def quote(words: str) -> str:
    """Quoted for a POSIX shell, whatever is in it."""
    return "'" + words.replace("'", "'\\''") + "'"


def _kept(found: str) -> str:
    start = found.find("\nkept='")
    if start < 0:
        return ""
    rest = found[start + len("\nkept='") :]
    return rest[: rest.find("'\n")].replace("'\\''", "'")


def _sum(unsigned: str) -> str:
    return hashlib.sha256(to_bytes(unsigned)).hexdigest()


def _slashes(path: str) -> str:
    return path.replace("\\", "/") if os.sep == "\\" else path
