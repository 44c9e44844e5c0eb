"""What stops a command: one base, the exit code on the class (§10), and the command to run next."""

from __future__ import annotations


class TenureError(Exception):
    """A command ends here. `message` is a sentence; `next` holds commands to run, most useful first."""

    code = 1

    def __init__(self, message: str, *next_commands: str) -> None:
        super().__init__(message)
        self.message = message
        self.next = next_commands


class WrongUse(TenureError):
    """1: wrong use, or a text that cannot be parsed."""

    code = 1


class NotFound(TenureError):
    """2: nothing by that name, or more than one."""

    code = 2


class VersionConflict(TenureError):
    """3: the file moved since it was read."""

    code = 3


class Unavailable(TenureError):
    """4: held, finished elsewhere, or lost."""

    code = 4


class ProofMissing(TenureError):
    """5: no proof, or a verifier said no."""

    code = 5


class WrongState(TenureError):
    """6: not from this state, or the frozen criterion differs."""

    code = 6


class Missing(TenureError):
    """7: something it depends on is missing."""

    code = 7


class FaultsFound(TenureError):
    """8: check, review, verify, hooks status or doctor found faults."""

    code = 8


class Broken(TenureError):
    """9: the environment: git, an unreadable record, no default branch, no key."""

    code = 9


class Unwritable(Broken):
    """9: disk or git did not take a write; what was done before it is said by who did it (work/halves)."""
