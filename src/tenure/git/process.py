"""The one place that starts git. Local calls cost a spawn and nothing else; network calls are bounded and never prompt.

`run` is for local plumbing: no timeout, since git's own locks bound it. `run_bounded` is for the network: its whole
process group dies at the limit (B20, B25). No shell anywhere (R-X2).
"""

from __future__ import annotations

import os
import select

from tenure.model.errors import Broken, Unwritable
from tenure.model.text import from_bytes
from tenure.model.value import value

OLDEST = (2, 34)
_QUIET = {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}


@value
class Done:
    """How a command ended: exit code (negative: a signal; None: killed at the limit), both outputs as bytes."""

    code: int | None
    out: bytes
    err: bytes

    @property
    def ok(self) -> bool:
        return self.code == 0

    @property
    def text(self) -> str:
        return from_bytes(self.out)

    @property
    def line(self) -> str:
        """Standard output without its last line end."""
        return self.text.rstrip("\n")

    @property
    def lines(self) -> list[str]:
        """Standard output by line feeds alone: a ref's name may hold what Python takes for a line end (R-X3)."""
        return self.line.split("\n") if self.out else []

    @property
    def reason(self) -> str:
        """Git's own words, for a message: the first error that it names, else the last line."""
        lines = [line.strip() for line in self.err.decode("utf-8", "replace").splitlines() if line.strip()]
        named = [line[7:] for line in lines if line.startswith(("error: ", "fatal: "))]
        return (named[:1] or lines[-1:] or [f"exit {self.code}"])[0]


class GitFailed(Unwritable):
    """A local git command failed where none should (9); git's own reason is kept."""


# What git compares is what a push would send: no object that stands for another one, no grafted history. And paths
# are asked for by our own words, whatever an editor set for its own calls.
_PLAIN = {"GIT_NO_REPLACE_OBJECTS": "1", "GIT_GRAFT_FILE": os.devnull}
_PATHSPECS = ("GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS")


def environment(extra: dict[str, str] | None = None) -> dict[str, str]:
    """The environment of a local call: the caller's, no optional locks, no lazy fetch, stable words, real objects."""
    made = {**os.environ, **_QUIET, **_PLAIN, **(extra or {})}
    for name in _PATHSPECS:
        made.pop(name, None)
    return made


def foreign_environment() -> dict[str, str]:
    """For a command in another repository: what ties git to this one is dropped (B1)."""
    return {name: text for name, text in os.environ.items() if name not in _LOCAL} | _QUIET


_LOCAL = frozenset(
    [
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_CONFIG",
        "GIT_CONFIG_PARAMETERS",
        "GIT_CONFIG_COUNT",
        "GIT_OBJECT_DIRECTORY",
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_GRAFT_FILE",
        "GIT_INDEX_FILE",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_REPLACE_REF_BASE",
        "GIT_PREFIX",
        "GIT_SHALLOW_FILE",
        "GIT_COMMON_DIR",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_QUARANTINE_PATH",
    ]
)


def run(args: list[str], stdin: bytes = b"", env: dict[str, str] | None = None, cwd: str | None = None) -> Done:
    """Run git with these words; nothing is raised for its exit code. Broken when there is no git."""
    words = ["git", *(["-C", cwd] if cwd else []), "-c", "core.fsmonitor=false", *args]
    spawn = _spawn if hasattr(os, "posix_spawnp") else _spawn_portably
    try:
        return spawn(words, stdin, env if env is not None else environment())
    except FileNotFoundError:
        raise Broken("git is not on PATH", "install git 2.34 or newer") from None


def need(args: list[str], stdin: bytes = b"", env: dict[str, str] | None = None, cwd: str | None = None) -> Done:
    """`run`, and GitFailed with git's reason when it did not exit 0."""
    done = run(args, stdin, env, cwd)
    if not done.ok:
        raise GitFailed(f"git {args[0]} failed: {done.reason}", "tenure doctor")
    return done


def _spawn(words: list[str], stdin: bytes, env: dict[str, str]) -> Done:
    """posix_spawn with three pipes: `subprocess` would cost a commit 19 ms of imports."""
    ours, theirs = [], []
    for end in (0, 1, 1):
        pipe = os.pipe()
        theirs.append(pipe[end])
        ours.append(pipe[1 - end])
    actions = [(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(theirs)]
    try:
        pid = os.posix_spawnp(words[0], [os.fsencode(word) for word in words], env, file_actions=actions)
    except OSError:
        for fd in ours:
            os.close(fd)
        raise
    finally:
        for fd in theirs:
            os.close(fd)
    out, err = _converse(ours, stdin)
    return Done(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), out, err)


def _converse(pipes: list[int], stdin: bytes) -> tuple[bytes, bytes]:
    """Feed the first pipe and drain the other two at once, so that none can fill up."""
    to, *sources = pipes
    gathered: dict[int, list[bytes]] = {fd: [] for fd in sources}
    poll = select.poll()
    for fd in sources:
        poll.register(fd, select.POLLIN | select.POLLHUP)
    left = memoryview(stdin)
    if left:
        os.set_blocking(to, False)
        poll.register(to, select.POLLOUT | select.POLLERR)
    else:
        os.close(to)
    open_ends = len(sources)
    while open_ends or left:
        for fd, _ in poll.poll():
            if fd == to:
                left = _feed(to, left)
                if not left:
                    poll.unregister(to)
                    os.close(to)
                continue
            chunk = os.read(fd, 65536)
            if chunk:
                gathered[fd].append(chunk)
            else:
                poll.unregister(fd)
                os.close(fd)
                open_ends -= 1
    out, err = (b"".join(gathered[fd]) for fd in sources)
    return out, err


def _feed(fd: int, left: memoryview) -> memoryview:
    try:
        return left[os.write(fd, left[:65536]) :]
    except BlockingIOError:
        return left
    except BrokenPipeError:  # git has ended and says why by its exit code
        return memoryview(b"")


def _spawn_portably(words: list[str], stdin: bytes, env: dict[str, str]) -> Done:
    import subprocess

    done = subprocess.run(words, input=stdin, env=env, capture_output=True, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


def run_bounded(args: list[str], seconds: float, env: dict[str, str] | None = None) -> Done:
    """Run git against the network for so many seconds at most; `code` None when it was ended (B20, B22, B25)."""
    import signal
    import subprocess

    words = ["git", *args]
    try:
        child = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env if env is not None else environment(),
            start_new_session=True,
        )
    except FileNotFoundError:
        raise Broken("git is not on PATH", "install git 2.34 or newer") from None
    try:
        out, err = child.communicate(timeout=seconds)
        return Done(child.returncode, out, err)
    except subprocess.TimeoutExpired:
        return Done(None, b"", b"no answer in time")
    finally:
        if child.poll() is None:
            _end_group(child.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
            child.wait()
            for pipe in (child.stdout, child.stderr):
                if pipe:
                    pipe.close()


def _end_group(pid: int, number: int) -> None:
    try:
        os.killpg(pid, number)
    except (AttributeError, ProcessLookupError, PermissionError):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def version() -> tuple[int, int]:
    """Major and minor of the git at hand. Broken (9) when it is older than 2.34 or says nothing."""
    done = run(["version"])
    words = done.text.split()
    parts = words[2].split(".") if done.ok and len(words) > 2 else []
    if len(parts) < 2 or not (parts[0].isdigit() and parts[1].isdigit()):
        raise Broken("git does not say its version", "git version")
    found = (int(parts[0]), int(parts[1]))
    if found < OLDEST:
        raise Broken(
            f"git {found[0]}.{found[1]} is too old; tenure needs {OLDEST[0]}.{OLDEST[1]} or newer", "git version"
        )
    return found
