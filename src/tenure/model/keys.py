"""Every setting there is: what a person sets in git config, what a repository shares in `.tenure.yml` (R-X5)."""

from __future__ import annotations

from tenure.model.value import value


@value
class Key:
    """A setting: its name as documented, what it is where nothing is set, and what it does."""

    name: str
    default: str
    does: str


GIT = (
    Key("tenure.agent", "`<user>@<host>`", "who you are, where `$ANK_AGENT` is not set: `human:<you>`"),
    Key("tenure.remote", "`origin`", "the remote on which the team's claims are"),
    Key("tenure.lease", "`claim_ttl_default`", "how long your claims last: `45m`, `2h`"),
    Key("tenure.renewal", "the granted length", "how far one renewal reaches, where that should be shorter"),
    Key("tenure.renewPush", "`auto`", "when renewals go to origin: `auto`, `always`, `on-push`, `never`"),
    Key("tenure.trailers", "`auto`", "`Ank-Task` and `Ank-Agent` in commits: `auto` (agents only), `always`, `never`"),
    Key("tenure.verbose", "`false`", "say what is left of the lease at each renewal"),
    Key("tenure.strict", "`false`", "refuse a commit or push that could not be verified"),
    Key("tenure.enabled", "`true`", "`false` switches the hooks off in this clone"),
)
SHARED = (
    Key("renewal", "the granted length", "as `tenure.renewal`, for everybody"),
    Key("trailers", "`auto`", "as `tenure.trailers`, for everybody"),
    Key("default_branch", "origin's `HEAD`", "where finished tasks arrive"),
    Key("strict", "`false`", "as `tenure.strict`, for everybody"),
    Key("identities", "none", "a map from commit e-mail to identity"),
)


def unknown(names: list[str]) -> list[str]:
    """The `tenure.*` names among these that no part of tenure reads; git's names are without case."""
    known = {key.name.lower() for key in GIT}
    return [name for name in names if name.lower().startswith("tenure.") and name.lower() not in known]
