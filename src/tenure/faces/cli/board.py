"""board: live claims with the time left, lapsed ones, completions, contests; `--html` as a page of its own (§10)."""

from __future__ import annotations

import argparse
import os
from typing import Any, NamedTuple

from tenure.faces.cli import common
from tenure.faces.cli.output import Output, Styled
from tenure.model import instants
from tenure.model.errors import WrongUse
from tenure.model.text import for_terminal
from tenure.work import files, mirroring, reporting, views
from tenure.work.reporting import Board, Contested, Finished, Held

_MOST = 10  # contests in prose; the document and the page hold them all


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--html", metavar="FILE", help="write one page that needs nothing else; - for stdout")


def run(args: argparse.Namespace, out: Output) -> int:
    if args.html == "-" and out.json:
        raise WrongUse("--html - and --json both want stdout", "tenure board --html board.html --json")
    session = common.begin(args)
    with out.waiting("reading origin"):
        answered = mirroring.refresh(session)
    if not answered:
        out.warn("origin could not be read; this is what it held when it was read last")
    found = views.read(session)
    corpus = common.corpus_or_none(session)
    board = reporting.board(session, found, corpus)
    if args.html is not None:
        _write_page(args.html, board, out)
    else:
        _say(board, common.begin_with(corpus), out)
    common.warn_unreadable(session, found, out)
    common.end(session, out)
    out.document(_document(board))
    return 0


def _write_page(path: str, board: Board, out: Output) -> None:
    from tenure.faces.cli import page

    whole = page.render(board)
    if path == "-":
        out.raw(whole)
        return
    files.replace_file(os.path.abspath(path), whole.encode("utf-8", "backslashreplace"))
    out.say(f"wrote {path}: {_counts(board)}")


def _counts(board: Board) -> str:
    parts = [f"{len(board.live)} live", f"{len(board.lapsed)} lapsed", f"{len(board.finished)} finished"]
    return ", ".join([*parts, f"{len(board.contested)} contested"])


def _say(board: Board, begin: str, out: Output) -> None:
    if not (board.live or board.lapsed or board.finished or board.contested):
        out.say(f"nothing is claimed   ({begin})")
        return
    groups = [group for group in _groups(board) if group.rows]
    for number, group in enumerate(groups):
        if number:
            out.say()
        _say_group(group, out)


class _Group(NamedTuple):
    """A heading, the verb to go on with, and two lines a row."""

    title: str
    rows: list[tuple[str, str | None]]
    hint: str = ""
    style: str = ""


def _groups(board: Board) -> tuple[_Group, ...]:
    most = [_contested_lines(one) for one in board.contested[:_MOST]]
    hidden = len(board.contested) - len(most)
    waits = [_finished_lines(one) for one in board.finished if not one.merged]
    merged = [_finished_lines(one) for one in board.finished if one.merged]
    return (
        _Group("Live claims:", [_live_lines(one) for one in board.live], style="good"),
        _Group("Lapsed, free to be taken over:", [_lapsed_lines(one) for one in board.lapsed], "claim <id>"),
        _Group("Finished, not on the default branch yet:", waits),
        _Group("Finished and merged, to be pruned:", merged, "check"),
        _Group(
            f"Contested{f' ({hidden} more)' if hidden else ''}:",
            most,
            "activity --severity warn" if hidden else "",
            "warn",
        ),
    )


def _say_group(group: _Group, out: Output) -> None:
    """Line breaks in foreign text are escaped like any other control character."""
    out.say(group.title)
    if group.hint:
        out.say(f'  (use "tenure {group.hint}")')
    for first, below in group.rows:
        out.say("        ", Styled(for_terminal(first), group.style))
        if below:
            out.say("            ", for_terminal(below))


def _live_lines(one: Held) -> tuple[str, str | None]:
    mine = " (you)" if one.mine else ""
    left = f"{instants.span(one.remaining)} left, until {instants.minute_of(one.end)}"
    if not one.remaining:
        left = f"ended {instants.minute_of(one.end)}, free to be taken over in {instants.span(one.until_free)}"
    return f"{one.task}  {one.holder}{mine}  {left}", one.title


def _lapsed_lines(one: Held) -> tuple[str, str | None]:
    return f"{one.task}  {one.holder}  lapsed since {instants.minute_of(one.end)}", one.title


def _finished_lines(one: Finished) -> tuple[str, str | None]:
    branch = f", branch {one.branch}" if one.branch else ""
    return f"{one.task}  {one.identity}  commit {one.commit[:7]}{branch}", one.title


def _contested_lines(one: Contested) -> tuple[str, str | None]:
    commit = f", commit {one.commit[:7]}" if one.commit else ""
    what = f"{one.task}  {one.old} -> {one.new} by {one.actor}, held by {one.holder}"
    return what, f"{instants.minute_of(one.at)}{commit}"


def _document(board: Board) -> dict[str, Any]:
    return {
        "claims": [_claim_row(one) for one in (*board.live, *board.lapsed)],
        "completions": [
            {
                "task": one.task,
                "title": one.title,
                "commit": one.commit,
                "branch": one.branch,
                "identity": one.identity,
                "completed": instants.text_of(one.completed),
            }
            for one in board.finished
        ],
        "contested": [_contested_row(one) for one in board.contested],
    }


def _claim_row(one: Held) -> dict[str, Any]:
    return {
        "task": one.task,
        "title": one.title,
        "holder": one.holder,
        "claimed": instants.text_of(one.claimed),
        "expires": instants.text_of(one.end),
        "live": one.live,
        "remaining_s": one.remaining,
    }


def _contested_row(one: Contested) -> dict[str, Any]:
    return {
        "task": one.task,
        "title": one.title,
        "holder": one.holder,
        "actor": one.actor,
        "from": one.old,
        "to": one.new,
        "commit": one.commit,
        "at": instants.text_of(one.at),
        "expires": common.instant(one.expires),
    }
