"""The board as one HTML page: no script, no outside resource, light and dark, readable on a phone."""

from __future__ import annotations

import html
import time

from tenure.model import instants
from tenure.model.text import for_terminal
from tenure.work.reporting import Board, Contested, Finished, Held

_LONGEST = 86_400  # the axis begins at most so long ago: one old claim must not squeeze all others
_STEPS = (300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400)
_TICKS = 5

_STYLE = """
:root { color-scheme: light dark;
  --ground: #fbfbf9; --card: #ffffff; --text: #1c1d1f; --dim: #5c6066; --line: #d9dad6;
  --live: #1a7f5a; --mine: #0b63b5; --soon: #b35c00; --warn: #a3340f; }
@media (prefers-color-scheme: dark) { :root {
  --ground: #15171a; --card: #1d2024; --text: #e8e9ea; --dim: #a2a7ae; --line: #363a40;
  --live: #3fb688; --mine: #5aa9ef; --soon: #e89b4a; --warn: #f28a62; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 3rem; background: var(--ground); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.45rem; margin: 0; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
p { margin: .3rem 0; } .dim, time { color: var(--dim); } code { font-size: .9em; }
time, code { white-space: nowrap; }
ul { list-style: none; margin: 0; padding: 0; }
li { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .8rem;
  margin: .5rem 0; }
.title { font-weight: 600; }
.axis, .track { position: relative; }
.axis { height: 1.5rem; margin: 0 .8rem; font-size: .75rem; color: var(--dim); }
.axis span { position: absolute; transform: translateX(-50%); white-space: nowrap; }
.track { height: .8rem; margin: .5rem 0 .2rem; border-radius: .2rem; background: var(--line); overflow: hidden; }
.bar { position: absolute; top: 0; bottom: 0; background: var(--live); border-radius: .2rem; min-width: 2px; }
.mine .bar { background: var(--mine); } .soon .bar { background: var(--soon); }
.now { position: absolute; top: 0; bottom: 0; width: 2px; margin-left: -1px; background: var(--text); }
.contested { border-left: .25rem solid var(--warn); }
.counts { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; padding: 0; margin: .6rem 0 0; }
"""


def render(board: Board) -> str:
    """The page. Every foreign text goes through `_text`, the sink's own function (R-X3)."""
    parts = [
        _head(board),
        _section("Live claims", _live(board)),
        _section("Lapsed, free to be taken over", _list([_lapsed(one) for one in board.lapsed])),
        _section(
            "Finished, not on the default branch yet",
            _list([_finished(one) for one in board.finished if not one.merged]),
        ),
        _section("Finished and merged, to be pruned", _list([_finished(one) for one in board.finished if one.merged])),
        _section("Contested", _list([_contested(one) for one in board.contested], "contested")),
        "<p class=dim>A lease is renewed by work; identities are declared, never proved.</p>",
        "</body></html>\n",
    ]
    return "\n".join(part for part in parts if part)


def _text(text: str | None) -> str:
    """Foreign text inside an element or a quoted attribute: escaped, invisible characters shown, kept in direction."""
    return f"<bdi>{html.escape(for_terminal(text or ''))}</bdi>"


def _head(board: Board) -> str:
    counts = [
        (board.live, "live"),
        (board.lapsed, "lapsed"),
        (board.finished, "finished"),
        (board.contested, "contested"),
    ]
    shown = "".join(f"<span><strong>{len(rows)}</strong> {name}</span>" for rows, name in counts)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Claims, {instants.minute_of(board.at)}</title>
<style>{_STYLE}</style></head><body>
<h1>Claims</h1>
<p class=dim>as of {_time(board.at)}; all times are UTC; the upright line in a bar is now</p>
<p class=counts>{shown}</p>"""


def _section(title: str, inside: str) -> str:
    return f"<section><h2>{title}</h2>\n{inside}</section>" if inside else ""


def _list(rows: list[str], style: str = "") -> str:
    mark = f" class={style}" if style else ""
    return "<ul>" + "\n".join(f"<li{mark}>{row}</li>" for row in rows) + "</ul>" if rows else ""


def _live(board: Board) -> str:
    if not board.live:
        return "<p class=dim>Nothing is claimed.</p>"
    axis = Axis(board.at, [one.claimed for one in board.live], [one.end for one in board.live])
    return axis.html() + "<ul>" + "\n".join(_bar(one, axis) for one in board.live) + "</ul>"


class Axis:
    """A span of time, in seconds UTC, and where an instant lies on it, in per cent."""

    def __init__(self, at: int, begins: list[int], ends: list[int]) -> None:
        self.at = at
        self.start = max(min([*begins, at]), at - _LONGEST)
        self.end = max([*ends, at + 60])
        self.step = next((one for one in _STEPS if (self.end - self.start) / one <= _TICKS), 86_400)

    def place(self, at: int) -> float:
        """0 to 100, also for what lies outside."""
        return round(100 * min(1.0, max(0.0, (at - self.start) / (self.end - self.start))), 2)

    def html(self) -> str:
        """The axis with its hours; a tick too near an edge would be cut off and is left out."""
        first = -(-self.start // self.step) * self.step
        ticks = [one for one in range(first, self.end + 1, self.step) if 6 <= self.place(one) <= 94]
        shown = "".join(f'<span style="left:{self.place(one)}%">{_clock(one, self.step)}</span>' for one in ticks)
        return f'<div class=axis aria-hidden="true">{shown}</div>'


def _clock(at: int, step: int) -> str:
    return time.strftime("%d %b" if step >= 86_400 else "%H:%M", time.gmtime(at))


def _bar(one: Held, axis: Axis) -> str:
    style = "soon" if one.remaining < 300 else "mine" if one.mine else ""
    left, right = axis.place(one.claimed), axis.place(one.end)
    bar = f'<div class=bar style="left:{left}%;width:{round(right - left, 2)}%"></div>'
    now = f'<div class=now style="left:{axis.place(axis.at)}%"></div>'
    left_over = instants.span(one.remaining)
    return (
        f'<li class="{style}">{_named(one.task, one.title)}'
        f'<div class=track role="img" aria-label="{left_over} left">{bar}{now}</div>'
        f"<p>{_text(one.holder)}{' (you)' if one.mine else ''}, {left_over} left, until {_time(one.end)}"
        f" <span class=dim>(claimed {_time(one.claimed)})</span></p></li>"
    )


def _named(task: str, title: str | None) -> str:
    shown = f"<span class=title>{_text(title)}</span> " if title else ""
    return f"{shown}<code class=dim>{_text(task)}</code>"


def _lapsed(one: Held) -> str:
    return f"{_named(one.task, one.title)}<p>last held by {_text(one.holder)}, lapsed since {_time(one.end)}</p>"


def _finished(one: Finished) -> str:
    branch = f", branch {_text(one.branch)}" if one.branch else ""
    where = f"commit <code>{_text(one.commit[:7])}</code>{branch}"
    return f"{_named(one.task, one.title)}<p>by {_text(one.identity)}, {where}, {_time(one.completed)}</p>"


def _contested(one: Contested) -> str:
    commit = f", commit <code>{_text(one.commit[:7])}</code>" if one.commit else ""
    until = f"; the lease ran to {_time(one.expires)}" if one.expires else ""
    return (
        f"{_named(one.task, one.title)}<p><strong>{_text(one.old)} &rarr; {_text(one.new)}</strong>"
        f" by {_text(one.actor)} while {_text(one.holder)} held it{commit}, {_time(one.at)}{until}</p>"
    )


def _time(at: int) -> str:
    return f'<time datetime="{instants.text_of(at)}">{instants.minute_of(at)}</time>'
