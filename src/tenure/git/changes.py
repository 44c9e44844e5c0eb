"""What a commit is about to hold, and what a range of commits changed, by plumbing alone (B2, B7, B16, B30)."""

from __future__ import annotations

from tenure.git import process
from tenure.model.value import value

TASK_PATHS = (":(top,glob)**/.ank/entities/TASK-*.md", ":(top,glob)**/.ank/tasks/TASK-*.md")
_PLAIN = ["--no-ext-diff", "--no-textconv", "--no-renames", "--no-color", "--no-relative", "--ignore-submodules=dirty"]


@value
class Change:
    """One path: object names before (one for each parent) and after; None where no file is there.

    A symbolic link or a submodule that names a file's very object is no file with its content.
    """

    path: str
    before: tuple[str | None, ...]
    after: str | None


@value
class Commit:
    """A commit and the paths in which it differs from every parent."""

    oid: str
    changes: tuple[Change, ...]


def staged() -> list[Change]:
    """What the index holds against HEAD, through the inherited index; also before the first commit (R-H1, B8)."""
    done = process.need(["diff", "--cached", "--raw", "-z", "--no-abbrev", *_PLAIN])
    return _raw(done.text.split("\0"))


def between(base: str, head: str, paths: tuple[str, ...] = ()) -> list[Change]:
    """What differs from one tree to the other."""
    words = ["diff-tree", "-r", "--raw", "-z", "--no-abbrev", "--no-renames", "--end-of-options", base, head]
    return _raw(process.need([*words, "--", *paths]).text.split("\0"))


def commits(
    tips: list[str],
    known: list[str],
    paths: tuple[str, ...] = TASK_PATHS,
    since: int | None = None,
    most: int | None = None,
) -> list[str]:
    """The commits that reach these tips and no known one, newest first, limited to those that touch the paths.

    `--full-history`: a side that a merge threw away is still looked at (B7). Unknown names are passed over (B16).
    """
    words = ["rev-list", "--ignore-missing", "--full-history", *([f"--since={since}"] if since is not None else [])]
    words += [f"--max-count={most}"] if most is not None else []
    data = "".join([*(tip + "\n" for tip in tips), *(f"^{name}\n" for name in known)]).encode()
    done = process.need([*words, "--stdin", "--", *paths], data)
    return done.text.split()


def of_commits(oids: list[str], paths: tuple[str, ...] = TASK_PATHS) -> list[Commit]:
    """What each commit changed; a merge only where it differs from every parent (R-F3, B7)."""
    if not oids:
        return []
    words = ["diff-tree", "--stdin", "-c", "-r", "--raw", "-z", "--root", "--no-abbrev", "--no-renames", "--always"]
    done = process.need([*words, "--", *paths], "".join(oid + "\n" for oid in oids).encode())
    return _by_commit(done.text.split("\0"), set(oids))


def across(pairs: list[tuple[str, str]], paths: tuple[str, ...] = TASK_PATHS) -> list[Commit]:
    """For each pair of commits what differs from the first to the second, in their order; one process for all."""
    if not pairs:
        return []
    words = ["diff-tree", "--stdin", "-r", "--raw", "-z", "--no-abbrev", "--no-renames", "--always"]
    data = "".join(f"{new} {old}\n" for old, new in pairs).encode()  # git takes the second for the parent
    return _by_commit(process.need([*words, "--", *paths], data).text.split("\0"), {new for _, new in pairs})


def reached_from(commit: str, parents: tuple[str, ...], tips: list[str]) -> set[str]:
    """Which of these tips have the commit in their history: one process, however many tips there are."""
    data = "".join([*(f"{tip}\n" for tip in tips), *(f"^{parent}\n" for parent in parents)]).encode()
    done = process.need(["rev-list", "--topo-order", "--reverse", "--parents", "--stdin"], data)
    heirs = {commit}
    for oid, *above in (line.split(" ") for line in done.lines):
        if not heirs.isdisjoint(above):
            heirs.add(oid)
    return heirs.intersection(tips)


def _by_commit(items: list[str], oids: set[str]) -> list[Commit]:
    found: list[Commit] = []
    block: list[str] = []
    name = ""
    for item in items:
        head = item.strip("\n")
        if head in oids:
            if name:
                found.append(Commit(name, tuple(_raw(block))))
            name, block = head, []
        else:
            block.append(item)
    if name:
        found.append(Commit(name, tuple(_raw(block))))
    return found


def _raw(items: list[str]) -> list[Change]:
    """Records `:mode mode oid oid S` (one more colon, mode and oid for each further parent), then the path."""
    changes = []
    rest = iter(items)
    for head in rest:
        if not head.startswith(":"):
            continue
        parents = len(head) - len(head.lstrip(":"))
        words = head.lstrip(":").split(" ")
        oids = [_there(mode, oid) for mode, oid in zip(words[: parents + 1], words[parents + 1 :], strict=False)]
        changes.append(Change(next(rest, ""), tuple(oids[:-1]), oids[-1]))
    return changes


def _there(mode: str, oid: str) -> str | None:
    return oid if mode.startswith("100") and oid.strip("0") else None


def tracked_tasks() -> list[str]:
    """Every task file that the index names, in folders of any depth (§Names)."""
    return [path for path in process.run(["ls-files", "-z", "--", *TASK_PATHS]).text.split("\0") if path]


def files(tree: str, *paths: str) -> dict[str, str]:
    """The blobs below these folders of a tree: path to object name."""
    done = process.run(["ls-tree", "-r", "-z", "--full-tree", "--end-of-options", tree, *paths])
    found = {}
    for item in done.text.split("\0"):
        head, tab, path = item.partition("\t")
        words = head.split(" ")
        if tab and len(words) == 3 and words[0].startswith("100"):
            found[path] = words[2]
    return found


def is_doubled(tree: str, path: str) -> bool:
    """Whether a tree names this path twice: no git writes such a tree, many a server takes it, readers choose."""
    done = process.run(["ls-tree", "-r", "-z", "--full-tree", "--name-only", "--end-of-options", tree, path])
    return done.text.count("\0") > 1
