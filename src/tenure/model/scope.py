"""Which paths a task is about: the format's globs, matched by hand since `re` would cost a commit 5 ms (format page D).

A glob is compiled to a list of steps; each step turns the set of positions that the match may have reached into the
next one, so that no pattern takes longer than its length times the path's. Matching is over UTF-8 bytes: `?` is a byte.
"""

from __future__ import annotations

from tenure.model.errors import WrongUse
from tenure.model.text import to_bytes
from tenure.model.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_DEEPEST = 50  # braces in braces
_META = frozenset("*?[]{}\\")
_SLASH = 0x2F
# The steps: what they match stands beside them as a regular expression over bytes.
_TEXT = "text"
_ONE = "one"  # .
_ANY = "any"  # .*
_FRONT = "front"  # (?:/?|.*/)
_BACK = "back"  # /.*
_INNER = "inner"  # (?:/|/.*/)
_SET = "set"
_EITHER = "either"


class BadGlob(ValueError):
    """The text is no glob of the format."""


@value
class Step:
    """One step: `text` for literal bytes, `members` for a set, `branches` for alternates."""

    kind: str
    text: bytes = b""
    members: frozenset[int] = frozenset()
    branches: tuple[tuple[Step, ...], ...] = ()


@value
class Glob:
    """A compiled glob. `peer` is set where it concerns another repository: it then matches nothing here."""

    text: str
    steps: tuple[Step, ...]
    peer: str | None = None

    def matches(self, path: str) -> bool:
        """Whether the whole path (in normal form) matches."""
        if self.peer is not None:
            return False
        data = to_bytes(path)
        return len(data) in _walk(self.steps, data, {0})


_known: dict[str, Glob] = {}


def compile_glob(text: str) -> Glob:
    """The glob of a scope entry. BadGlob says what is wrong with it."""
    found = _known.get(text)
    if found is None:
        peer, local = _peer(text)
        steps = _Parser(local).parse()
        if len(steps) == 1 and steps[0].kind == _FRONT:
            steps = (Step(_ANY),)
        found = _known[text] = Glob(text, steps, peer)
    return found


def _peer(text: str) -> tuple[str | None, str]:
    name, colon, local = text.partition(":")
    if colon and name and local and name.isascii() and name.replace("-", "a").replace("_", "a").isalnum():
        return name, local
    return None, text


class _Parser:
    """Reads a glob from left to right; `_open` holds the branches of alternates that are not closed yet."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self._open: list[list[list[Step]]] = [[[]]]

    def parse(self) -> tuple[Step, ...]:
        while self._at < len(self._text):
            char = self._text[self._at]
            self._at += 1
            self._take(char)
        if len(self._open) > 1:
            raise BadGlob(f"'{self._text}' is no glob: a brace is not closed")
        return _joined(self._open[0][0])

    @property
    def _steps(self) -> list[Step]:
        return self._open[-1][-1]

    def _take(self, char: str) -> None:
        if char == "?":
            self._steps.append(Step(_ONE))
        elif char == "*":
            self._star()
        elif char == "[":
            self._steps.append(self._set())
        elif char == "{":
            if len(self._open) > _DEEPEST:
                raise BadGlob("no glob has braces nested that deep")
            self._open.append([[]])
        elif char == "}":
            self._close()
        elif char == "," and len(self._open) > 1:
            self._open[-1].append([])
        elif char == "\\":
            if self._at == len(self._text):
                raise BadGlob(f"'{self._text}' is no glob: a backslash stands last")
            self._literal(self._text[self._at])
            self._at += 1
        else:
            self._literal(char)

    def _literal(self, char: str) -> None:
        self._steps.append(Step(_TEXT, to_bytes(char)))

    def _close(self) -> None:
        if len(self._open) == 1:
            raise BadGlob(f"'{self._text}' is no glob: a brace is closed and was not opened")
        branches = tuple(_joined(branch) for branch in self._open.pop() if branch)  # an empty branch is dropped
        if branches:
            self._steps.append(Step(_EITHER, branches=branches))

    def _star(self) -> None:
        """One star is any text. Two are special only as a whole segment: in front, inside or at the end."""
        if self._text[self._at : self._at + 1] != "*":
            self._steps.append(Step(_ANY))
            return
        before = self._text[self._at - 2 : self._at - 1]
        self._at += 1
        after = self._text[self._at : self._at + 1]
        nested = len(self._open) > 1
        ends = after == "" or (nested and after in ",}")
        if not self._steps:
            if after in ("", "/"):
                self._at += len(after)
                self._steps.append(Step(_FRONT))
            else:
                self._steps.append(Step(_ANY))
        elif before == "/" and (ends or after == "/"):
            self._at += 0 if ends else 1
            self._segment(ends)
        else:
            self._steps.append(Step(_ANY))

    def _segment(self, ends: bool) -> None:
        """`/**` or `/**/`: the slash before is part of it; after another such segment there is nothing to add."""
        if self._steps[-1].kind in (_FRONT, _BACK):
            return
        self._steps.pop()
        self._steps.append(Step(_BACK if ends else _INNER))

    def _set(self) -> Step:
        negated = self._text[self._at : self._at + 1] in ("!", "^") and self._at < len(self._text)
        self._at += negated
        ranges = self._ranges()
        members: set[int] = set()
        for low, high in ranges:
            members.update(_bytes_between(low, high))
        return Step(_SET, members=frozenset(range(256)) - members if negated else frozenset(members))

    def _ranges(self) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        spans = False
        while True:
            if self._at >= len(self._text):
                raise BadGlob(f"'{self._text}' is no glob: a bracket is not closed")
            char = self._text[self._at]
            self._at += 1
            if char == "]" and found:
                break
            if char == "-" and found and not spans:
                spans = True
            elif spans:
                low = found[-1][0]
                if char < low:
                    raise BadGlob(f"'{self._text}' is no glob: the range {low}-{char} runs backwards")
                found[-1] = (low, char)
                spans = False
            else:
                found.append((char, char))
        return [*found, ("-", "-")] if spans else found


def _bytes_between(low: str, high: str) -> list[int]:
    """The bytes of a range. Beyond ASCII a set is a set of bytes, as in the format's own matcher."""
    first, last = (to_bytes(char) for char in (low, high))
    if low == high:
        return list(first)
    return [*first[:-1], *range(first[-1], last[0] + 1), *last[1:]]


def _joined(steps: list[Step]) -> tuple[Step, ...]:
    """The steps with neighbouring literals as one."""
    out: list[Step] = []
    for step in steps:
        if step.kind == _TEXT and out and out[-1].kind == _TEXT:
            out[-1] = Step(_TEXT, out[-1].text + step.text)
        elif not (step.kind == _ANY and out and out[-1].kind == _ANY):
            out.append(step)
    return tuple(out)


def _walk(steps: tuple[Step, ...], data: bytes, at: set[int]) -> set[int]:
    for step in steps:
        if not at:
            break
        at = _advance(step, data, at)
    return at


def _advance(step: Step, data: bytes, at: set[int]) -> set[int]:
    if step.kind == _TEXT:
        return {place + len(step.text) for place in at if data.startswith(step.text, place)}
    if step.kind == _ANY:
        return set(range(min(at), len(data) + 1))
    if step.kind == _EITHER:
        return set().union(*(_walk(branch, data, at) for branch in step.branches))
    if step.kind in (_ONE, _SET):
        fits = step.members if step.kind == _SET else None
        return {place + 1 for place in at if place < len(data) and (fits is None or data[place] in fits)}
    return _advance_segments(step.kind, data, at)


def _advance_segments(kind: str, data: bytes, at: set[int]) -> set[int]:
    slashes = [place for place, byte in enumerate(data) if byte == _SLASH]
    if kind == _FRONT:
        return at | {place + 1 for place in slashes if place >= min(at)}
    begins = [place for place in slashes if place in at]
    if not begins:
        return set()
    if kind == _BACK:
        return set(range(begins[0] + 1, len(data) + 1))
    return {place + 1 for place in slashes if place > begins[0]} | {begins[0] + 1}


def matches(globs: Sequence[str], path: str) -> bool:
    """Whether one of the scope entries matches the path (in normal form); a broken glob matches nothing."""
    for text in globs:
        try:
            if compile_glob(text).matches(path):
                return True
        except BadGlob:
            continue
    return False


def covers_dir(globs: Sequence[str], folder: str) -> bool:
    """Whether the scope says something about a folder: it matches, or a glob begins inside it."""
    return folder == "" or matches(globs, folder) or any(text.startswith(folder + "/") for text in globs)


def normal_path(text: str) -> str:
    """The path as globs see it: `/` only, no `.`, no empty segment, `..` resolved. WrongUse (1) where it leaves."""
    slashed = text.replace("\\", "/")
    if slashed.startswith("/") or (len(slashed) > 1 and slashed[1] == ":" and slashed[0].isalpha()):
        raise WrongUse(f"'{text}' is no path inside the repository: write it from its top", "tenure scope src/")
    kept: list[str] = []
    for part in slashed.split("/"):
        if part == "..":
            if not kept:
                raise WrongUse(f"'{text}' leads out of the repository", "tenure scope src/")
            kept.pop()
        elif part not in ("", "."):
            kept.append(part)
    return "/".join(kept)


def is_literal(glob: str) -> bool:
    """Whether the glob names one path."""
    return _META.isdisjoint(glob)


def literal_folder(glob: str) -> str:
    """The folder below which everything lies that the glob can match; a literal names itself."""
    if is_literal(glob):
        return glob
    first = min(place for place, char in enumerate(glob) if char in _META)
    return glob[:first].rpartition("/")[0]


def overlap(ours: Sequence[str], theirs: Sequence[str]) -> str | None:
    """A glob of either scope in which the two meet, the deeper one; None where none do. A signal, not a proof."""
    for mine in ours:
        for other in theirs:
            met = _meeting(mine, other)
            if met is not None:
                return met
    return None


def _meeting(mine: str, other: str) -> str | None:
    if mine == other:
        return mine
    if _peer(mine)[0] or _peer(other)[0]:
        return None
    if is_literal(mine) != is_literal(other):
        literal, pattern = (mine, other) if is_literal(mine) else (other, mine)
        if matches([pattern], literal) or _inside(literal_folder(pattern), literal):
            return literal if matches([pattern], literal) else pattern
        return None
    a, b = literal_folder(mine), literal_folder(other)
    if _inside(b, a):
        return other
    return mine if _inside(a, b) else None


def _inside(path: str, folder: str) -> bool:
    return folder == "" or path == folder or path.startswith(folder + "/")
