"""Who is asking: declared, never proved (R-I1, R-I2, R-I3)."""

from __future__ import annotations

from tenure.model.errors import WrongUse
from tenure.model.text import for_terminal, is_text, to_bytes
from tenure.model.value import value

MOST_BYTES = 200
SOURCES = {"env": "$ANK_AGENT", "config": "git config tenure.agent", "fallback": "user and host"}


@value
class Identity:
    """`source` is `env`, `config` or `fallback` (R-I1)."""

    value: str
    source: str

    @property
    def kind(self) -> str:
        return kind_of(self.value)


def kind_of(identity: str) -> str:
    """`human`, `agent`, `process` or `untyped` (R-I2)."""
    for prefix in ("human", "process"):
        if identity.startswith(prefix + ":") and len(identity) > len(prefix) + 1:
            return prefix
    producer, slash, version = identity.partition("/")
    typed = slash and producer and version and "/" not in version and "@" not in identity and ":" not in producer
    return "agent" if typed else "untyped"


def checked(identity: str, source: str) -> Identity:
    """The identity, trimmed. WrongUse for control characters, line breaks, what is no UTF-8, over 200 bytes (R-I3)."""
    trimmed = identity.strip()
    shown = for_terminal(trimmed)
    if not is_text(trimmed):
        raise WrongUse(f"the identity '{shown[:80]}' is no UTF-8 (R-I3)", "export ANK_AGENT=human:<you>")
    if shown != trimmed and any(ord(char) < 32 or 126 < ord(char) < 160 or char in "\u2028\u2029" for char in trimmed):
        raise WrongUse(f"the identity '{shown[:80]}' holds a control character (R-I3)", "export ANK_AGENT=human:<you>")
    if len(to_bytes(trimmed)) > MOST_BYTES:
        raise WrongUse(f"the identity is longer than {MOST_BYTES} bytes (R-I3)", "export ANK_AGENT=human:<you>")
    return Identity(trimmed, source)


def resolve(variable: str | None, setting: str | None, user: str, host: str) -> Identity:
    """R-I1: `$ANK_AGENT`, else git config `tenure.agent`, else `<user>@<host>`; blank counts as not set."""
    if variable and variable.strip():
        return checked(variable, "env")
    if setting and setting.strip():
        return checked(setting, "config")
    return checked(f"{user}@{host.partition('.')[0].lower()}", "fallback")
