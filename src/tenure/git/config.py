"""Settings from git config, read in one call and kept as they stand."""

from __future__ import annotations

from tenure.git import process
from tenure.model.errors import Broken


class Config:
    """All settings that tenure reads: keys in lower case but for the middle part, each with its values in order."""

    def __init__(self, values: dict[str, list[str]]) -> None:
        self._values = values

    def all(self, key: str) -> list[str]:
        return list(self._values.get(key, ()))

    def get(self, key: str) -> str | None:
        """The last value, as git takes it; None where it is not set."""
        found = self._values.get(key)
        return found[-1] if found else None

    def flag(self, key: str) -> bool:
        """A boolean in git's manner; not set is false."""
        return (self.get(key) or "").strip().lower() in ("true", "yes", "on", "1")

    def keys(self, prefix: str) -> list[str]:
        return [key for key in self._values if key.startswith(prefix)]


_WANTED = (
    r"^(tenure\.|remote\.|user\.|core\.hookspath|core\.sshcommand|ssh\.variant|branch\..*\.remote|hook\.|init\.|fetch\.|"
    r"commit\.template$)"
)


def read(at: str | None = None) -> Config:
    """Read the settings that concern tenure. Broken (9) when git cannot read its configuration."""
    done = process.run(["config", "-z", "--get-regexp", _WANTED], cwd=at)
    if done.code not in (0, 1):
        raise Broken(f"git cannot read its configuration: {done.reason}", "git config --list")
    values: dict[str, list[str]] = {}
    for item in done.text.split("\0"):
        if item:
            key, _, text = item.partition("\n")
            values.setdefault(key, []).append(text)
    return Config(values)
