"""Origin: one fetch for the mirrors, one push with a lease on each ref, and what origin holds afterwards (R-C1, R-C2).

Every call is bounded, never prompts, and neutralises settings that would send or take more than asked (B22, B36).
"""

from __future__ import annotations

import os

from tenure.git import process
from tenure.git.config import Config
from tenure.model import ids
from tenure.model.value import value

READ_LIMIT = 5.0
PUSH_LIMIT = 8.0
MOST_REFS = 5000 if os.name != "nt" else 150  # in one push
CLAIMS_SPEC = f"+{ids.CLAIMS}*:{ids.MIRROR}*"  # the only refspec that a configuration may hold (R-C1)
_FEED_SPEC = f"+{ids.FEED}*:{ids.FEED_MIRROR}*"

# Without it a fetch also moves what `remote.<name>.fetch` names, and ank's own refspec there names the live refs.
_NO_OTHER_REFS = "--refmap="
# A fetch of ours: quiet, and nothing is written but what it names.
_FETCH = (
    "fetch", "-q", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-gc", _NO_OTHER_REFS,
)  # fmt: skip


@value
class Origin:
    """Where claims travel: the remote's name and where a push goes: the name, or a URL where the name means more.

    `clone`: the common git directory of the clone that asks, by which its own hooks know our calls (B21).
    """

    name: str
    url: str
    push_to: str
    ssh: str | None = None
    clone: str = ""
    ssh_variant: str | None = None

    @property
    def shown(self) -> str:
        """The URL as it may be shown: what stands before the host can be a password or a token."""
        scheme, mark, rest = self.url.partition("://")
        host, slash, path = rest.partition("/")
        return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}" if mark else self.url


@value
class Look:
    """What origin holds for one ref. `oid` None: nothing. `in_the_way`: a ref of another depth that blocks the name."""

    oid: str | None
    in_the_way: str | None = None


@value
class Update:
    """One ref of a push: the new object (None: delete) and what origin is expected to hold (None: nothing)."""

    ref: str
    new: str | None
    expected: str | None


def find(config: Config, clone: str = "") -> Origin | None:
    """The remote that `tenure.remote` names, else `origin`; None where it has no URL. `clone`: as in Origin."""
    name = (config.get("tenure.remote") or "origin").strip()
    urls = config.all(f"remote.{name}.url")
    if not name or name.startswith("-") or not urls or not urls[0]:
        return None
    pushes = config.all(f"remote.{name}.pushurl") or urls
    by_name = len(pushes) == 1 and not any(_is_live(spec) for spec in config.all(f"remote.{name}.fetch"))
    push_to = name if by_name else pushes[0]
    return Origin(name, urls[0], push_to, config.get("core.sshcommand"), clone, config.get("ssh.variant"))


def _is_live(spec: str) -> bool:
    """Whether a refspec writes over live refs here, as ank's own does: git then moves them after a push by name too."""
    start = spec.rpartition(":")[2].partition("*")[0]
    return bool(start) and (ids.CLAIMS.startswith(start) or start.startswith(ids.CLAIMS))


def environment(origin: Origin) -> dict[str, str]:
    """For a network call: no prompt of any kind, no hooks of ours again (B21, B22)."""
    env = {name: text for name, text in os.environ.items() if name not in ("GIT_INDEX_FILE", "GIT_QUARANTINE_PATH")}
    env |= {
        "GIT_TERMINAL_PROMPT": "0",
        "GCM_INTERACTIVE": "never",
        "SSH_ASKPASS_REQUIRE": "never",
        "LC_ALL": "C",
        "TENURE_GUARD": origin.clone,
    }
    env.pop("SSH_ASKPASS", None)
    env["GIT_SSH_COMMAND"] = _ssh_that_asks_nobody(env, origin)
    return env


def _ssh_that_asks_nobody(env: dict[str, str], origin: Origin) -> str:
    """The command that git would take, in git's own order, with the flags of its kind (B22)."""
    program = "'" + env["GIT_SSH"].replace("'", "'\\''") + "'" if env.get("GIT_SSH") else "ssh"
    ssh = env.get("GIT_SSH_COMMAND") or origin.ssh or program
    kind = env.get("GIT_SSH_VARIANT") or origin.ssh_variant or "auto"
    if kind == "auto":
        kind = "plink" if "plink" in ssh.lower() else "ssh"
    return ssh + {"ssh": " -o BatchMode=yes -o ConnectTimeout=5", "plink": " -batch", "putty": " -batch"}.get(kind, "")


def refresh(origin: Origin, seconds: float = READ_LIMIT) -> process.Done:
    """Bring the mirrors of claims and feed up to origin in one quiet fetch; nothing else is written (R-C1)."""
    settings = ["gc.auto=0", "maintenance.auto=false", "fetch.pruneTags=false", "credential.interactive=false"]
    settings += [f"remote.{origin.name}.pruneTags=false", "fetch.fsckObjects=false", "core.fsmonitor=false"]
    words = [word for setting in settings for word in ("-c", setting)]
    words += [*_FETCH, "--prune", "--no-filter", "--", origin.name, CLAIMS_SPEC, _FEED_SPEC]
    return process.run_bounded(words, seconds, environment(origin))


def look(origin: Origin, ref: str, seconds: float = READ_LIMIT) -> Look | None:
    """What origin holds for a ref right now; None when it cannot be read in time."""
    parts = ref.split("/")
    above = ["/".join(parts[:length]) for length in range(2, len(parts))]
    words = ["-c", "credential.interactive=false", "ls-remote", "--", origin.push_to, ref, f"{ref}/*", *above]
    done = process.run_bounded(words, seconds, env=environment(origin))
    if not done.ok:
        return None
    found = {}
    for line in done.lines:
        oid, _, name = line.partition("\t")
        found[name] = oid
    blocking = [name for name in sorted(found) if name.startswith(ref + "/") or name in above]
    return Look(found.get(ref), blocking[0] if blocking else None)


def bring(origin: Origin, oid: str, task: str, seconds: float = READ_LIMIT) -> bool:
    """Fetch one claim ref into its mirror, so that the object that origin holds can be read here."""
    spec = f"+{ids.claim_ref(task)}:{ids.mirror_ref(task)}"
    done = process.run_bounded([*_FETCH, "--no-filter", "--", origin.name, spec], seconds, environment(origin))
    return done.ok and process.run(["cat-file", "-e", oid]).ok


def fill(origin: Origin, config: Config, oids: list[str], seconds: float = READ_LIMIT) -> bool:
    """Bring objects that a partial clone left behind, in one fetch as git itself would make it (B31).

    False where this clone has no such remote, or it did not answer in time.
    """
    names = [key[len("remote.") : -len(".promisor")] for key in config.keys("remote.") if key.endswith(".promisor")]
    if not names or not oids:
        return False
    words = ["-c", "fetch.negotiationAlgorithm=noop", "-c", "credential.interactive=false", *_FETCH]
    words += ["--filter=blob:none", "--", names[0], *list(dict.fromkeys(oids))[:MOST_REFS]]
    return process.run_bounded(words, seconds, environment(origin)).ok


def push(origin: Origin, updates: list[Update], seconds: float = PUSH_LIMIT, atomic: bool = False) -> dict[str, str]:
    """One push, a lease on each ref. Per ref git's flag: `*`, `+`, ` `, `-`, `=` landed, `!` refused.

    `atomic`: all of them or none. Else each stands for itself, and is to be read for itself (F13).

    A ref that is missing from the answer has an unknown fate: read origin (R-C2). Git's words are never judged.
    """
    if len(updates) > MOST_REFS and not atomic:  # a command line has an end
        halves = updates[:MOST_REFS], updates[MOST_REFS:]
        return push(origin, halves[0], seconds) | push(origin, halves[1], seconds)
    settings = ["push.pushOption=", "push.default=nothing", "push.negotiate=false", "credential.interactive=false"]
    settings += ["gc.auto=0", "push.recurseSubmodules=no", f"remote.{origin.name}.mirror=false"]
    words = [word for setting in settings for word in ("-c", setting)]
    flags = ["--porcelain", "--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no"]
    flags.append("--atomic" if atomic else "--no-atomic")
    leases = [f"--force-with-lease={one.ref}:{one.expected or ''}" for one in updates]
    specs = [f"{one.new or ''}:{one.ref}" for one in updates]
    done = process.run_bounded(
        [*words, "push", *flags, *leases, "--", origin.push_to, *specs], seconds, env=environment(origin)
    )
    answers = {}
    for line in done.lines:
        flag, tab, rest = line.partition("\t")
        if tab and len(flag) == 1:
            answers[rest.split("\t")[0].rpartition(":")[2]] = flag
    return answers if done.code is not None else {}


def rehearse(origin: Origin, ref: str, oid: str, seconds: float = READ_LIMIT) -> process.Done:
    """A push of one new ref that sends nothing: whether origin lets this person write (§10 doctor)."""
    flags = ["--dry-run", "--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no"]
    words = ["-c", "credential.interactive=false", "-c", f"remote.{origin.name}.mirror=false", "push", *flags]
    return process.run_bounded([*words, "--", origin.push_to, f"{oid}:{ref}"], seconds, env=environment(origin))


def landed(flag: str | None) -> bool:
    """Whether that flag says that the ref now is what was pushed."""
    return flag is not None and flag in "*+ -="


def claims(origin: Origin, seconds: float = READ_LIMIT * 4) -> dict[str, str] | None:
    """Every claim ref that origin holds, name to object; None when it cannot be read in time."""
    words = ["-c", "credential.interactive=false", "ls-remote", "--", origin.push_to, f"{ids.CLAIMS}*"]
    done = process.run_bounded(words, seconds, env=environment(origin))
    if not done.ok:
        return None
    return {name: oid for oid, _, name in (line.partition("\t") for line in done.lines)}
