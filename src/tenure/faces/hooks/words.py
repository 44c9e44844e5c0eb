"""What hooks say, on standard error, in ASCII-safe lines; printing can never change a verdict (B24, B29, R-F4)."""

from __future__ import annotations

import os

from tenure.model import ids, instants
from tenure.model.text import for_terminal
from tenure.model.verdict import Edit

REFUSED = 73  # what the shims take for a refusal; every other end but 0 is an engine that broke (decision 0005)
_MOST_LINES = 12


def say(*lines: str) -> None:
    """Lines on standard error; foreign text is neutralised, and can begin no line of its own."""
    data = ("\n".join(for_terminal(line) for line in lines) + "\n").encode("ascii", "backslashreplace")
    try:
        os.write(2, data)
    except OSError:
        pass  # nobody listens: a closed stderr must not stop a commit


def refusal(edit: Edit, identity: str) -> list[str]:
    """R-F4: what happened and to which task; holder, instant; both texts as a short diff; the ways out."""
    name = ids.short(edit.task)
    where = f" (commit {edit.commit[:7]}, {edit.ref})" if edit.commit and edit.ref else ""
    lines = [f"tenure: refused: {edit.task}: {happened(edit)}{where} [R-F1]"]
    if edit.holder and edit.claimed is not None:
        instant = f"{instants.minute_of(edit.claimed)} ({instants.text_of(edit.claimed)})"
        lines.append(f"  frozen {instant} by {edit.holder} (declared):")
    else:
        lines.append("  frozen by the proof of the finished task:")
    lines += diff(edit)
    lines.append(f"  keep it:        tenure criteria restore {name}")
    lines.append(f"  if it is wrong: {_way_out(edit, identity)}")
    if edit.holder and edit.holder != identity:
        lines.append("  if that is over: tenure board  (asks origin again; then once more)")
    return lines


_HAPPENED = {
    "edited": "its done criterion was changed",
    "deleted": "its file was deleted or moved away",
    "unreadable": "its file was made unreadable",
    "moved": "its done criterion was taken out",
    "proof": "the proof of its done criterion was changed",
}


def happened(edit: Edit) -> str:
    """`its done criterion was changed while it is claimed`: the first thing to say about an edit."""
    return f"{_HAPPENED[edit.why]} {'while it is claimed' if edit.holder else 'after it was done'}"


def _way_out(edit: Edit, identity: str) -> str:
    hand_back = 'tenure release --reason "<why>"'
    if edit.holder is None:
        return "write a new task for what has to change:  tenure new task --title ..."
    if edit.holder == identity:
        return f"{hand_back}  (then change it, and claim again)"
    return f"ask {edit.holder} to hand the task back:  {hand_back} {ids.short(edit.task)}"


def diff(edit: Edit) -> list[str]:
    """Both texts, removed and added lines alone, a dozen at most."""
    old = [line.rstrip() for line in (edit.before or "").strip("\n").split("\n")] if edit.before else []
    new = [line.rstrip() for line in (edit.after or "").strip("\n").split("\n")] if edit.after else []
    gone = [line for line in old if line not in new]
    come = [line for line in new if line not in old]
    if edit.before is None:
        gone = [f"(the text with the hash {edit.frozen[:12]})"]
    if edit.after is None:
        come = ["(nothing that can be read)"]
    if edit.why == "proof":
        gone, come = [f"a proof of the criterion {edit.frozen[:12]}"], ["(none)"]
    lines = [f"    - {line[:200]}" for line in gone] + [f"    + {line[:200]}" for line in come]
    if len(lines) > _MOST_LINES:
        lines = [*lines[:_MOST_LINES], f"    ({len(lines) - _MOST_LINES} more lines)"]
    return lines


def told(edit: Edit) -> str:
    """An edit that is said and not refused (R-F3)."""
    return f"tenure: {edit.task}: {happened(edit)}; not refused: {edit.excuse} [R-F3]"


def reason(wrong: Exception) -> str:
    """An error in a sentence, ours or anybody's."""
    return getattr(wrong, "message", None) or f"{type(wrong).__name__}: {wrong}"


def say_broken(wrong: Exception) -> None:
    """An error of ours, which stops nothing (R-H4)."""
    say(f"tenure: hook error (not blocking): {reason(wrong)}")
