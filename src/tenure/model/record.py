"""The record under a claim ref: read strictly, written byte for byte (R-C4, R-C8, format page A).

A record is text of at most 16 KiB. What cannot be read is an `Unreadable` with the reason: neither free nor live.
"""

from __future__ import annotations

from tenure.model import ids, instants, scalars
from tenure.model.value import replace, value

MOST_BYTES = 16 * 1024
DEFAULT_TTL = 1800
CLAIM_FIELDS = ("state", "task", "holder", "claimed", "expires", "ttl", "criteria", "constraints")
COMPLETION_FIELDS = ("state", "task", "commit", "branch", "identity", "completed")
_MARK = "# tenure: token="


@value
class Claim:
    """A lease. Instants in seconds UTC; `ttl` in seconds, None as older writers leave it; `token` None as ank does."""

    task: str
    holder: str
    claimed: int
    expires: int
    ttl: int | None
    criteria: str
    constraints: str
    token: str | None = None
    generation: int = 0
    text: str = ""  # as read; a renewal changes one line of it


@value
class Completion:
    """A task finished somewhere: commit, branch (None: detached), who and when."""

    task: str
    commit: str
    branch: str | None
    identity: str
    completed: int
    text: str = ""


@value
class Unreadable:
    """A ref of the claim namespace whose content is no record of its task (R-C8)."""

    ref: str
    why: str


Record = Claim | Completion | Unreadable


def parse(ref: str, data: bytes) -> Record:
    """The record in a blob, or Unreadable; never raises (R-C8)."""
    task = ids.task_of_ref(ref)
    try:
        if task is None:
            raise ValueError("the name ends in no task id")
        if len(data) > MOST_BYTES:
            raise ValueError(f"larger than {MOST_BYTES} bytes")
        return _build(task, data.decode("utf-8"))
    except (ValueError, OverflowError) as wrong:
        return Unreadable(ref, str(wrong) or "no record")


def _build(task: str, text: str) -> Claim | Completion:
    fields = scalars.mapping(text)
    state = _text(fields, "state")
    if state not in ("claim", "completed"):
        raise ValueError(f"unknown state {state!r}")
    known = CLAIM_FIELDS if state == "claim" else COMPLETION_FIELDS
    optional = "ttl" if state == "claim" else "branch"
    for name in fields:
        if name not in known:
            raise ValueError(f"unknown field {name!r}")
    for name in known:
        if name not in fields and name != optional:
            raise ValueError(f"missing field {name!r}")
    if _text(fields, "task") != task:
        raise ValueError("it names another task")
    return _claim(fields, text) if state == "claim" else _completion(fields, text)


def _claim(fields: dict[str, scalars.Scalar], text: str) -> Claim:
    token, generation = _mark(text)
    ttl = fields.get("ttl")
    if ttl is not None and (not isinstance(ttl, int) or isinstance(ttl, bool) or ttl < 0):
        raise ValueError("ttl is no number of seconds")
    return Claim(
        task=_text(fields, "task"),
        holder=_text(fields, "holder"),
        claimed=instants.parse(_text(fields, "claimed")),
        expires=instants.parse(_text(fields, "expires")),
        ttl=ttl or None,
        criteria=_hash(fields, "criteria"),
        constraints=_hash(fields, "constraints"),
        token=token,
        generation=generation,
        text=text,
    )


def _completion(fields: dict[str, scalars.Scalar], text: str) -> Completion:
    return Completion(
        task=_text(fields, "task"),
        commit=_text(fields, "commit"),
        branch=_text(fields, "branch") if "branch" in fields else None,
        identity=_text(fields, "identity"),
        completed=instants.parse(_text(fields, "completed")),
        text=text,
    )


def _text(fields: dict[str, scalars.Scalar], name: str) -> str:
    found = fields.get(name)
    if not isinstance(found, str) or not found:
        raise ValueError(f"field {name!r} is no text")
    return found


def _hash(fields: dict[str, scalars.Scalar], name: str) -> str:
    found = _text(fields, name)
    if len(found) < 12 or not set(found) <= set("0123456789abcdef"):
        raise ValueError(f"field {name!r} is no hash")
    return found


def _mark(text: str) -> tuple[str | None, int]:
    """Token and generation of the comment line; a record without it is (None, 0) (R-C4)."""
    for line in text.split("\n"):
        if line.startswith(_MARK):
            token, _, generation = line[len(_MARK) :].strip().partition(" generation=")
            if len(token) == 32 and set(token) <= set("0123456789abcdef") and generation.isdigit():
                return token, int(generation[:9])
    return None, 0


def whose(one: Record | None) -> str | None:
    """The holder of a claim, or who completed; None where nobody can be named."""
    return one.holder if isinstance(one, Claim) else one.identity if isinstance(one, Completion) else None


def emit_claim(claim: Claim) -> str:
    """The bytes of a claim, in the format's field order, with our comment line last (R-C4)."""
    lines = [
        "state: claim",
        f"task: {claim.task}",
        f"holder: {scalars.emit(claim.holder)}",
        f"claimed: {instants.text_of(claim.claimed)}",
        f"expires: {instants.text_of(claim.expires)}",
    ]
    if claim.ttl is not None:
        lines.append(f"ttl: {claim.ttl}")
    lines += [f"criteria: {scalars.emit(claim.criteria)}", f"constraints: {scalars.emit(claim.constraints)}"]
    if claim.token is not None:
        lines.append(f"{_MARK}{claim.token} generation={claim.generation}")
    return "\n".join(lines) + "\n"


def emit_completion(done: Completion) -> str:
    """The bytes of a completion: no comment line, no lease (R-C4, R-L7)."""
    lines = ["state: completed", f"task: {done.task}", f"commit: {scalars.emit(done.commit)}"]
    if done.branch is not None:
        lines.append(f"branch: {scalars.emit(done.branch)}")
    lines += [f"identity: {scalars.emit(done.identity)}", f"completed: {instants.text_of(done.completed)}"]
    return "\n".join(lines) + "\n"


def with_end(claim: Claim, expires: int) -> Claim:
    """The same record with another end: one line of its text changes, every other byte stays (R-L3)."""
    lines = claim.text.split("\n")
    for number, line in enumerate(lines):
        if line.startswith("expires:"):
            lines[number] = "expires: " + instants.text_of(expires) + ("\r" if line.endswith("\r") else "")
            return replace(claim, expires=expires, text="\n".join(lines))
    made = replace(claim, expires=expires)  # a JSON body and its like: written anew in the canonical form
    return replace(made, text=emit_claim(made))


def generation_after(old: Claim | None) -> int:
    """1 for a fresh claim, one more than the record that is taken over (R-C4)."""
    return 1 if old is None else old.generation + 1
