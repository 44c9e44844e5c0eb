"""What a repository settled: `.ank/config.yml` (the format's) and `.tenure.yml` (ours), read from their text.

An unknown key is an error that names it (R-X5). Durations are seconds.
"""

from __future__ import annotations

from tenure.model import instants
from tenure.model.errors import WrongUse
from tenure.model.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

CONFIG = ".ank/config.yml"
SHARED = ".tenure.yml"
TRAILERS = ("auto", "always", "never")
_LIKE = "a verifier is a name with `run: <command>` below it"


@value
class Verifier:
    """A command that proves a task, its limit in seconds, and whether tasks without a `verify` run it."""

    name: str
    run: str
    timeout: int = 600
    default: bool = False


@value
class Role:
    """What an identity of that role may do; kept and shown, nothing is refused because of who asks (R-I2)."""

    name: str
    can: tuple[str, ...] = ()
    cannot: tuple[str, ...] = ()


@value
class Config:
    """`.ank/config.yml`; the defaults are the format's."""

    context_budget: int = 8000
    claim_ttl_max: int = 7200
    claim_ttl_default: int = 1800
    default_branch: str | None = None
    verifiers: tuple[Verifier, ...] = ()
    peers: tuple[tuple[str, str], ...] = ()
    roles: tuple[Role, ...] = ()
    identities: tuple[tuple[str, str], ...] = ()
    hot_files: int = 3000
    plane_bytes: int = 4_000_000

    def verifier(self, name: str) -> Verifier | None:
        """The verifier of that name (a task may name it as `<name>@<hash>`)."""
        wanted = name.partition("@")[0]
        return next((one for one in self.verifiers if one.name == wanted), None)


@value
class Shared:
    """`.tenure.yml`: None where nothing is set; `renewal` in seconds; `identities`: pairs (e-mail, who) (R-K3)."""

    renewal: int | None = None
    trailers: str | None = None
    default_branch: str | None = None
    strict: bool = False
    identities: tuple[tuple[str, str], ...] = ()

    def identity_of(self, email: str) -> str | None:
        """Who commits under that e-mail, as the repository says."""
        return dict(self.identities).get(email)


def parse_config(text: str) -> Config:
    """`.ank/config.yml`. WrongUse (1) names an unknown key, a wrong value, or the schema that is not 1."""
    found = _Mapping(_load(text, CONFIG), CONFIG)
    schema = found.take("schema", _number, None)
    if schema != 1:
        raise _wrong(CONFIG, "schema is missing" if schema is None else f"schema {schema} is not read here (1 is)")
    weight = _Mapping(found.take("weight", _mapping, {}), CONFIG, "weight.")
    config = Config(
        context_budget=found.take("context_budget", _number, 8000),
        claim_ttl_max=found.take("claim_ttl_max", _duration, 7200),
        claim_ttl_default=found.take("claim_ttl_default", _duration, 1800),
        default_branch=found.take("default_branch", _branch, None),
        verifiers=tuple(_verifier(name, entry) for name, entry in found.take("verifiers", _mapping, {}).items()),
        peers=found.take("peers", _pairs, ()),
        roles=tuple(_role(name, entry) for name, entry in found.take("roles", _mapping, {}).items()),
        identities=found.take("identities", _pairs, ()),
        hot_files=weight.take("hot_files", _number, 3000),
        plane_bytes=weight.take("plane_bytes", _number, 4_000_000),
    )
    weight.end()
    found.end()
    return config


def parse_shared(text: str) -> Shared:
    """`.tenure.yml`; an empty file sets nothing. WrongUse (1) names an unknown key or a wrong value (R-X5)."""
    found = _Mapping(_load(text, SHARED), SHARED)
    shared = Shared(
        renewal=found.take("renewal", _duration, None),
        trailers=found.take("trailers", _trailers, None),
        default_branch=found.take("default_branch", _branch, None),
        strict=found.take("strict", _boolean, False),
        identities=found.take("identities", _pairs, ()),
    )
    found.end()
    return shared


def light_config(text: str) -> tuple[int, int, str | None]:
    """`claim_ttl_default`, `claim_ttl_max` (seconds) and `default_branch` for a hook: plain top-level lines are read by
    hand, anything odd by YAML. WrongUse (1) for what `parse_config` refuses on that way.
    """
    found = _plain_lines(text)
    if found is None:
        config = parse_config(text)
        return config.claim_ttl_default, config.claim_ttl_max, config.default_branch
    default = _light(found, "claim_ttl_default", "30m")
    return default, _light(found, "claim_ttl_max", "2h"), found.get("default_branch")


def _light(found: dict[str, str], key: str, otherwise: str) -> int:
    try:
        return instants.duration(found.get(key, otherwise))
    except ValueError as wrong:
        raise _wrong(CONFIG, f"{key}: {wrong}") from None


def _plain_lines(text: str) -> dict[str, str] | None:
    """Top-level `key: value` lines with values of harmless characters; None where a line is of any other form."""
    found: dict[str, str] = {}
    for line in text.replace("\r\n", "\n").split("\n"):
        if line.count('"') % 2 or line.count("'") % 2 or "\t" in line:
            return None
        if line[:1] in ("", " ", "#"):
            continue
        key, colon, rest = line.partition(":")
        rest = rest.strip(" ")
        if not colon or not key.replace("_", "a").isalpha() or key in found:
            return None
        if key.startswith(("claim_ttl_", "default_branch")) and not _harmless(rest):
            return None
        found[key] = rest
    return found


def _harmless(text: str) -> bool:
    words = ("true", "false", "null", "yes", "no")
    return text[:1].isalnum() and text.replace("/", "a").replace("-", "a").isalnum() and text.lower() not in words


def _load(text: str, name: str) -> dict[str, Any]:
    from tenure.model import strict_yaml

    if not any(line.strip() and not line.lstrip().startswith("#") for line in text.split("\n")):
        return {}
    try:
        return strict_yaml.load_mapping(text)
    except ValueError as wrong:
        raise _wrong(name, str(wrong)) from None


def _wrong(name: str, why: str) -> WrongUse:
    return WrongUse(f"{name} cannot be read: {why}", f"${{EDITOR:-vi}} {name}", f"git log -p -- {name}")


class _Mapping:
    """A mapping of a settings file: each key is taken once, and what is left over is unknown."""

    def __init__(self, found: dict[str, Any], name: str, path: str = "") -> None:
        self._left, self._name, self._path = dict(found), name, path

    def take(self, key: str, read: Callable[[Any], Any], default: Any) -> Any:
        raw = self._left.pop(key, None)
        if raw is None:
            return default
        try:
            return read(raw)
        except ValueError as wrong:
            raise _wrong(self._name, f"{self._path}{key}: {wrong}") from None

    def end(self) -> None:
        for key in self._left:
            raise _wrong(self._name, f"unknown key '{self._path}{key}'")


def _number(raw: Any) -> int:
    if not isinstance(raw, int) or isinstance(raw, bool) or raw < 0:
        raise ValueError(f"{raw!r} is no number")
    return raw


def _string(raw: Any) -> str:
    if not isinstance(raw, str):
        raise ValueError(f"{raw!r} is no text")
    return raw


def _branch(raw: Any) -> str | None:
    return _string(raw).strip() or None


def _duration(raw: Any) -> int:
    return instants.duration(str(raw) if isinstance(raw, int) else _string(raw))


def _boolean(raw: Any) -> bool:
    if not isinstance(raw, bool):
        raise ValueError(f"{raw!r} is neither true nor false")
    return raw


def _mapping(raw: Any) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise ValueError(f"{raw!r} is no mapping")
    return raw


def _pairs(raw: Any) -> tuple[tuple[str, str], ...]:
    return tuple((name, _string(text)) for name, text in _mapping(raw).items())


def _strings(raw: Any) -> tuple[str, ...]:
    if not isinstance(raw, list):
        raise ValueError(f"{raw!r} is no list")
    return tuple(_string(item) for item in raw)


def _trailers(raw: Any) -> str:
    if raw not in TRAILERS:
        raise ValueError(f"{raw!r} is none of {', '.join(TRAILERS)}")
    return str(raw)


def _verifier(name: str, raw: Any) -> Verifier:
    path = f"verifiers.{name}."
    found = _Mapping(_mapping_at(raw, path, f": {_LIKE}"), CONFIG, path)
    run = found.take("run", _string, None)
    if run is None or not run.strip():
        raise _wrong(CONFIG, f"{path}run is missing: {_LIKE}")
    made = Verifier(name, run, found.take("timeout", _duration, 600), found.take("default", _boolean, False))
    found.end()
    return made


def _role(name: str, raw: Any) -> Role:
    path = f"roles.{name}."
    found = _Mapping(_mapping_at(raw, path), CONFIG, path)
    made = Role(name, found.take("can", _strings, ()), found.take("cannot", _strings, ()))
    found.end()
    return made


def _mapping_at(raw: Any, path: str, like: str = "") -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise _wrong(CONFIG, f"{path[:-1]} is no mapping{like}")
    return raw
