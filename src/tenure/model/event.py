"""The feed's events: what happened to a claim, each with an id made from what makes it the same event (§7, R-K2)."""

from __future__ import annotations

from tenure.model import instants
from tenure.model.record import Claim, Completion
from tenure.model.text import to_bytes
from tenure.model.value import value
from tenure.model.verdict import Contest

KEPT_SECONDS = 180 * 86_400  # R-A1
MOST_BYTES = 64 * 1024
WARNS = frozenset({"task.taken_over", "task.contested", "claim.lost"})
ENDS = frozenset({"task.released", "task.completed", "task.closed", "task.pruned"})
TYPES = ENDS | WARNS | {"task.claimed", "task.lapsed"}
FIELDS = [
    "id",
    "type",
    "severity",
    "at",
    "task",
    "holder",
    "actor",
    "author_email",
    "from",
    "to",
    "commit",
    "branch",
    "expires",
    "criteria",
    "reason",
    "source",
]


@value
class Event:
    """One event; `fields` has every name of R-A3 (None where it says nothing), instants as the record's UTC text."""

    id: str
    fields: dict[str, str | None]

    @property
    def type(self) -> str:
        return self.fields["type"] or ""

    @property
    def task(self) -> str:
        return self.fields["task"] or ""

    @property
    def at(self) -> int:
        """Seconds UTC; 0 where it says no instant."""
        return instants.parse_or_none(self.fields["at"] or "") or 0

    @property
    def path(self) -> str:
        """Where the feed's tree holds it: the path is the duplicate check (R-A1)."""
        return f"{self.id[:2]}/{self.id}.json"

    @property
    def data(self) -> bytes:
        import json  # on the hook path only where there is an event

        return (json.dumps(self.fields, sort_keys=True, indent=1) + "\n").encode()


def order(one: Event) -> tuple[int, str, int, str]:
    """As things happened: instants have whole seconds, so within one an older claim ends before a newer begins.

    A take-over needs somebody to take from: within a second it follows the claim that was first. An end that names
    no claim (a task pruned, or closed without one) comes last.
    """
    rank = {"task.claimed": 0, "task.taken_over": 1}.get(one.type, 2)
    return one.at, one.fields.get("claimed") or "~", rank, one.id


@value
class Act:
    """Who acted, where and when: what every event of one command shares."""

    actor: str
    at: int
    author_email: str | None = None
    commit: str | None = None
    branch: str | None = None
    source: str = "verb"  # verb | hook | action


def _event(kind: str, key: tuple[str, ...], act: Act, task: str, holder: str | None, **more: str | None) -> Event:
    import hashlib

    ident = hashlib.sha256(to_bytes("\0".join((kind, task, *key)))).hexdigest()[:40]
    found: dict[str, str | None] = dict.fromkeys(FIELDS)
    found |= {
        "id": ident,
        "type": kind,
        "severity": "warn" if kind in WARNS else "info",
        "at": instants.text_of(act.at),
        "task": task,
        "holder": holder,
        "actor": act.actor,
        "author_email": act.author_email,
        "commit": act.commit,
        "branch": act.branch,
        "source": act.source,
        **more,
    }
    return Event(ident, found)


def of_claim(kind: str, claim: Claim, act: Act, extra_key: str = "", **more: str | None) -> Event:
    """An event about a claim record: claimed, taken over, released, closed, lapsed, lost (R-A2)."""
    key = (claim.holder, instants.text_of(claim.claimed), claim.token or "", extra_key)
    return _event(
        kind,
        key,
        act,
        claim.task,
        claim.holder,
        **{
            "expires": instants.text_of(claim.expires),
            "claimed": instants.text_of(claim.claimed),
            "criteria": claim.criteria,
            "token": claim.token,
            **more,
        },
    )


def lapsed(claim: Claim, act: Act) -> Event:
    """Seen lapsed by a sweep: once for each end, with the whole record (R-A3, R-G3)."""
    end = instants.text_of(claim.expires)
    return of_claim("task.lapsed", claim, act, extra_key=end, record=claim.text)


def completed(done: Completion, claim: Claim | None, act: Act) -> Event:
    """A task was finished: commit and branch of the record (R-A2)."""
    key = (done.identity, done.commit, instants.text_of(done.completed))
    claimed = instants.text_of(claim.claimed) if claim else None
    fresh = Act(act.actor, act.at, act.author_email, done.commit, done.branch, act.source)
    return _event(
        "task.completed", key, fresh, done.task, claim.holder if claim else done.identity,
        claimed=claimed, token=claim.token if claim else None, to="done", **{"from": "in_progress"},
    )  # fmt: skip


def without_claim(kind: str, task: str, holder: str | None, act: Act, key: str, **more: str | None) -> Event:
    """An event about a task whose record is no claim: released or closed without one, pruned."""
    return _event(kind, (holder or "", key), act, task, holder, **more)


def contested(contest: Contest, act: Act, reason: str | None = None) -> Event:
    """Exactly one for (task, holder, claimed, author e-mail, old status, new status) (R-K2)."""
    claimed = instants.text_of(contest.claimed)
    key = (contest.holder, claimed, contest.author_email, contest.old or "", contest.new or "")
    fresh = Act(contest.actor, contest.at, contest.author_email, contest.commit, act.branch, act.source)
    return _event(
        "task.contested", key, fresh, contest.task, contest.holder,
        to=contest.new, expires=instants.text_of(contest.expires), claimed=claimed, reason=reason,
        **{"from": contest.old},
    )  # fmt: skip


def may_concern(tasks: set[str], data: bytes) -> bool:
    """Whether an event's bytes may be about one of these tasks: most of a large feed is passed over unparsed."""
    _, found, rest = data.partition(b'"task": "')
    return not found or rest[: rest.find(b'"')].decode("ascii", "replace") in tasks


def noted(one: Event) -> str:
    """An event as a text, for a state that outlives a process; `of_note` reads it back."""
    return f"{one.path}\n{one.data.decode()}"


def of_note(text: str) -> Event | None:
    """The event that was noted; None for anything else."""
    path, _, data = text.partition("\n")
    return parse(path, to_bytes(data))


def parse(path: str, data: bytes) -> Event | None:
    """An event of the feed; None for what is none (hostile or broken content is passed over)."""
    import json

    name = path.rpartition("/")[2]
    ident = name[:-5] if name.endswith(".json") else ""
    if not ident or len(data) > MOST_BYTES:
        return None
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.get("id") != ident or found.get("type") not in TYPES:
        return None
    fields = {str(key): text if isinstance(text, str) else None for key, text in found.items()}
    return Event(ident, {**dict.fromkeys(FIELDS), **fields})
