"""Beside a checkout that somebody else made, often shallow: a repository of our own that borrows its objects (R-G5).

What a range needs is fetched there, with our own token; not a ref, file or setting of the checkout changes, and nothing
that a change under review brought along is a setting of ours.
"""

from __future__ import annotations

import base64
import os
import shutil
import time
from collections.abc import Callable
from urllib.parse import urlsplit

from tenure.git import commits, objects, process
from tenure.model.value import value

FIRST_DEPTH = 50
WHOLE = 2_147_483_647
_PLAIN = ["-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "credential.interactive=false"]
_PLAIN += ["-c", "fetch.fsckObjects=false"]
_FLAGS = ["-q", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-gc"]


@value
class Range:
    """What could be had of base..head: both ids where origin gave them, and whether the history between is whole."""

    base: str | None
    head: str | None
    whole: bool


def settings(server: str, token: str) -> dict[str, str]:
    """Environment for every git of this run: the token for this server alone, and for nobody else.

    The empty header first: settings that hold credentials already would otherwise make two headers, which servers
    refuse. `safe.directory`: in a container the checkout belongs to another user.
    """
    pairs = [("safe.directory", "*")]
    if token:
        basic = base64.b64encode(f"x-access-token:{token}".encode()).decode()
        key = f"http.{server.rstrip('/')}/.extraheader"
        pairs += [(key, ""), (key, f"AUTHORIZATION: basic {basic}")]
    return _appended(pairs)


def rerouted(server: str, origin: str, repository: str) -> dict[str, str]:
    """Environment that reaches an ssh origin through the server's https address, where the token counts."""
    return _appended([(f"url.{server.rstrip('/')}/{repository}.insteadOf", origin)]) if _is_ssh(origin) else {}


def _appended(pairs: list[tuple[str, str]]) -> dict[str, str]:
    """The pairs behind those that the environment holds already."""
    text = os.environ.get("GIT_CONFIG_COUNT", "")
    first = int(text) if text.isdigit() else 0
    made = {"GIT_CONFIG_COUNT": str(first + len(pairs)), "GIT_TERMINAL_PROMPT": "0", "GCM_INTERACTIVE": "never"}
    for number, (key, setting) in enumerate(pairs, first):
        made |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": setting}
    return made


def _is_ssh(url: str) -> bool:
    if "://" in url:
        return urlsplit(url).scheme in ("ssh", "git+ssh", "ssh+git")
    host, colon, path = url.partition(":")
    return bool(colon and path) and "/" not in host and len(host) > 1  # C:\ is a disk


def leads_to(url: str, repository: str) -> bool:
    """Whether a URL is that of `owner/name`, whatever the server and the manner of getting there."""
    path = url.replace("\\", "/").rstrip("/").removesuffix(".git").lower()
    return bool(repository) and path.endswith(("/" + repository.lower(), ":" + repository.lower()))


def origin_url(folder: str) -> str:
    """The URL of `origin` there; empty where the folder is no repository or has no such remote."""
    done = process.run(["config", "--get", "remote.origin.url"], cwd=folder) if os.path.isdir(folder) else None
    return done.line if done and done.ok else ""


def scratch(folder: str, url: str, beside: str) -> None:
    """A bare repository whose `origin` is that URL, with the objects of the checkout beside it, where there is one."""
    shape = process.run(["rev-parse", "--show-object-format"], cwd=beside) if os.path.isdir(beside) else None
    names = ["sha1", "sha256"]
    kind = [f"--object-format={shape.line}"] if shape and shape.ok and shape.line in names else []
    process.need(["init", "-q", "--bare", "--template=", *kind, "--", folder])
    process.need(["config", "remote.origin.url", url], cwd=folder)
    if kind:
        _borrow(folder, beside)


def _borrow(folder: str, beside: str) -> None:
    if process.run(["config", "--get", "extensions.partialClone"], cwd=beside).ok:
        return  # what is missing there would be missing here
    words = ["rev-parse", "--path-format=absolute", "--git-path", "objects", "--git-path", "shallow"]
    store, shallow = process.need(words, cwd=beside).line.split("\n")
    os.makedirs(os.path.join(folder, "objects", "info"), exist_ok=True)
    with open(os.path.join(folder, "objects", "info", "alternates"), "w", encoding="utf-8", newline="\n") as file:
        file.write(store + "\n")
    if os.path.exists(shallow):
        shutil.copyfile(shallow, os.path.join(folder, "shallow"))
    head = process.run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], cwd=beside)
    if head.ok:
        process.need(["update-ref", "--no-deref", "HEAD", head.line], cwd=folder)


def default_branch(seconds: float) -> str | None:
    """The branch that origin's HEAD names; None when it cannot be read in time."""
    done = process.run_bounded([*_PLAIN, "ls-remote", "--symref", "--", "origin", "HEAD"], seconds)
    for line in done.text.splitlines() if done.ok else ():
        name, tab, of = line.removeprefix("ref: ").partition("\t")
        if tab and of == "HEAD" and line.startswith("ref: refs/heads/"):
            return name.removeprefix("refs/heads/")
    return None


def tip(ref: str, seconds: float) -> str | None:
    """What origin holds for a ref, its commit fetched; None when it holds nothing or cannot be read in time."""
    done = process.run_bounded([*_PLAIN, "ls-remote", "--", "origin", ref], seconds)
    names = {line.partition("\t")[2]: line.partition("\t")[0] for line in done.text.splitlines()} if done.ok else {}
    oid = names.get(ref)
    return oid if oid and bring([oid], seconds, 1) else None


def bring(oids: list[str], seconds: float, first: int = FIRST_DEPTH) -> bool:
    """Fetch these commits unless they are here. A whole clone stays whole, a shallow one gets no shallower."""
    missing = [oid for oid in oids if not _is_here(oid)]
    if not missing:
        return True
    depth = [] if _has_commits() and not is_shallow() else [f"--depth={_depth() + first}"]
    process.run_bounded([*_PLAIN, "fetch", *_FLAGS, *depth, "--", "origin", *missing], seconds)
    return all(_is_here(oid) for oid in missing)


def bring_range(base: str, head: str, seconds: float) -> Range:
    """Both commits and the history between them, deepened in steps until it is whole or the time is over."""
    until = time.monotonic() + seconds
    for oid in (base, head):
        bring([oid], max(1.0, until - time.monotonic()))
    have = [oid if _is_here(oid) else None for oid in (base, head)]
    if have[0] is None or have[1] is None:
        return Range(have[0], have[1], False)
    return Range(base, head, _deepen([base, head], lambda: is_whole(base, head), until))


def bring_since(tip: str, instant: int, seconds: float) -> bool:
    """Deepen the history of a commit that is here until it reaches back to an instant; whether it does."""
    return _deepen([tip], lambda: _reaches(tip, instant), time.monotonic() + seconds)


def _deepen(tips: list[str], suffices: Callable[[], bool], until: float) -> bool:
    """Fetch more and more of the history of these commits until it suffices or the time is over; whether it does."""
    depth = _depth() + FIRST_DEPTH
    while not suffices():
        if time.monotonic() >= until:
            return False
        words = [*_PLAIN, "fetch", *_FLAGS, f"--depth={depth}", "--", "origin", *tips]
        if not process.run_bounded(words, max(1.0, until - time.monotonic())).ok or depth == WHOLE:
            return suffices()
        depth = depth * 10 if depth < 5000 else WHOLE
    return True


def _reaches(tip: str, instant: int) -> bool:
    """Whether no commit since then lacks its parents here."""
    done = process.run(["rev-list", f"--since={instant}", tip, "--"])
    return not _shallow_commits().intersection(done.text.split())


def is_whole(base: str, head: str) -> bool:
    """Whether no commit between the two lacks its parents here, so that where they parted is certain."""
    cut = _shallow_commits()
    if not cut:
        return True
    done = process.run(["rev-list", f"{base}...{head}", "--"])
    return done.ok and not cut.intersection(done.text.split()) and fork_point(base, head) is not None


def fork_point(base: str, head: str) -> str | None:
    """The newest commit that both have."""
    done = process.run(["merge-base", base, head])
    return done.line.split("\n")[0] if done.ok and done.line else None


def parting(tip: str, head: str) -> str | None:
    """The newest commit that a branch has from another one, whether or not that one merged it since.

    None where it was merged without a merge commit: its own commits cannot be told from the other's any more.
    """
    found = fork_point(tip, head)
    if found != head:
        return found
    done = process.run(["rev-list", "--first-parent", "--ancestry-path", f"{head}..{tip}", "--"])
    line = done.text.split()
    before = parents(line[-1])[:1] if line else []
    found = fork_point(before[0], head) if before else None
    return found if found != head else None


def parents(oid: str) -> list[str]:
    """The parents that a commit names, whether or not they are here (`rev-list` hides those of a shallow one)."""
    thing = objects.read(oid)
    return list(commits.info(thing).parents) if thing and thing.kind == "commit" else []


def track(branch: str, oid: str) -> None:
    """Let `refs/remotes/origin` say which branch is the default one and where it is."""
    process.need(["update-ref", "--no-deref", f"refs/remotes/origin/{branch}", oid])
    process.need(["symbolic-ref", "refs/remotes/origin/HEAD", f"refs/remotes/origin/{branch}"])


def is_shallow() -> bool:
    """Whether the history here ends early."""
    return process.run(["rev-parse", "--is-shallow-repository"]).line == "true"


def _shallow_commits() -> set[str]:
    place = process.run(["rev-parse", "--path-format=absolute", "--git-path", "shallow"]).line
    try:
        with open(place, encoding="ascii") as file:
            return set(file.read().split())
    except OSError:
        return set()


def _depth() -> int:
    """At least as many commits as the longest line of history here has."""
    done = process.run(["rev-list", "--count", "--all", "HEAD", "--"])
    return int(done.line) if done.ok and done.line.isdigit() else 0


def _has_commits() -> bool:
    return process.run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).ok


def _is_here(oid: str) -> bool:
    return process.run(["cat-file", "-e", f"{oid}^{{commit}}"]).ok
