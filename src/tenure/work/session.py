"""Who is asking, where and when: what every use case starts from, read once per command (R-I1, R-L1, R-L9)."""

from __future__ import annotations

import os
import time

from tenure.git import config as git_config
from tenure.git import remote, repo
from tenure.git.config import Config
from tenure.git.remote import Origin
from tenure.git.repo import Place
from tenure.model import identity as identities
from tenure.model import instants, settings
from tenure.model.errors import WrongUse
from tenure.model.identity import Identity
from tenure.model.lease import Lengths
from tenure.model.settings import Shared
from tenure.model.value import value
from tenure.work.state import Store


@value
class Session:
    """One command: place, settings, identity, origin, and the instant at which it is judged (seconds UTC)."""

    place: Place
    config: Config
    identity: Identity
    origin: Origin | None
    store: Store
    lengths: Lengths
    shared: Shared
    at: int
    default_branch_setting: str | None
    complaints: tuple[str, ...] = ()

    @property
    def has_origin(self) -> bool:
        return self.origin is not None

    @property
    def remote(self) -> str:
        """The name of the remote where claims travel, for commands that are told; `origin` where there is none yet."""
        return self.origin.name if self.origin else "origin"

    @property
    def strict(self) -> bool:
        """Whether what could not be verified is refused (R-H4)."""
        return self.config.flag("tenure.strict") or bool(self.shared.strict)

    @property
    def email(self) -> str:
        """The e-mail that a commit of this person carries, as far as settings tell."""
        return os.environ.get("GIT_AUTHOR_EMAIL") or self.config.get("user.email") or ""


def begin(folder: str | None = None, lenient: bool = False, place: Place | None = None) -> Session:
    """Find the repository and read all settings. `lenient` (hooks): an unknown key is a complaint, no error (R-X5)."""
    if folder is not None:
        try:
            os.chdir(folder)
        except OSError as wrong:
            raise WrongUse(f"cannot go to {folder}: {wrong.strerror}", "tenure help") from None
    place = place or repo.find()
    config = git_config.read()
    complaints: list[str] = []
    shared = _shared(place, lenient, complaints)
    complain = complaints if lenient else None
    standard, most, branch = _repository(place, lenient, complaints)
    return Session(
        place=place,
        config=config,
        identity=_identity(config, complain),
        origin=remote.find(config, place.common_dir),
        store=Store(place.clone_state),
        lengths=_lengths(config, shared, standard, most, complain),
        shared=shared,
        at=int(time.time()),
        default_branch_setting=shared.default_branch or branch,
        complaints=tuple(complaints),
    )


def _identity(config: Config, complaints: list[str] | None) -> Identity:
    """R-I1, R-I3; for a hook one that nobody may have is a complaint: the verdict does not wait for it (R-H4)."""
    try:
        return identity_of(config)
    except WrongUse as wrong:
        if complaints is None:
            raise
        complaints.append(wrong.message)
        return Identity("unknown", "fallback")


def identity_of(config: Config) -> Identity:
    """R-I1. The fallback's user and host as the format page finds them."""
    environ = os.environ
    users = [environ.get(name, "").strip() for name in ("USERNAME", "USER", "LOGNAME")]
    user = next((name for name in users if name), "unknown")
    hosts = [environ.get(name, "").strip() for name in ("COMPUTERNAME", "HOSTNAME")]
    host = next((name for name in hosts if name), "") or _host()
    return identities.resolve(environ.get("ANK_AGENT"), config.get("tenure.agent"), user, host)


def _host() -> str:
    uname = getattr(os, "uname", None)
    return (uname().nodename if uname else "") or "localhost"


def _read_text(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError):
        return None


def _shared(place: Place, lenient: bool, complaints: list[str]) -> Shared:
    text = _read_text(os.path.join(place.top, ".tenure.yml")) if place.top else None
    if text is None:
        return Shared()
    return shared_of(text, complaints if lenient else None)


def shared_of(text: str, complaints: list[str] | None = None) -> Shared:
    """The settings in a `.tenure.yml`; WrongUse, or with a list a complaint, for what it must not say (R-X5)."""
    try:
        return settings.parse_shared(text)
    except WrongUse as wrong:
        if complaints is None:
            raise
        complaints.append(wrong.message)
        return Shared()


def _repository(place: Place, lenient: bool, complaints: list[str]) -> tuple[int | None, int | None, str | None]:
    text = _read_text(os.path.join(place.top, ".ank", "config.yml")) if place.top else None
    if text is None:
        return None, None, None
    try:
        return settings.light_config(text)
    except WrongUse as wrong:
        if not lenient:
            raise
        complaints.append(wrong.message)
        return None, None, None


def _lengths(
    config: Config, shared: Shared, standard: int | None, most: int | None, complaints: list[str] | None
) -> Lengths:
    usual = Lengths()
    own = _duration(config, "tenure.lease", complaints)
    renewal = _duration(config, "tenure.renewal", complaints)
    return Lengths(own or standard or usual.default, most or usual.most, renewal or shared.renewal)


def _duration(config: Config, name: str, complaints: list[str] | None) -> int | None:
    text = config.get(name)
    try:
        return instants.duration(text.strip()) if text else None
    except ValueError as wrong:
        if complaints is None:
            raise WrongUse(f"git config {name}: {wrong}", f"git config {name} 30m") from None
        complaints.append(f"git config {name}: {wrong}")
        return None
