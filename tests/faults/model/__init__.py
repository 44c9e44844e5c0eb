"""The protocol as a small pure model: clones, one origin, pushes in flight, faults; searched exhaustively.

What decides is the product's own code (outcome, standing, lease, record); only what moves data is modelled. An object's
name is the record itself: equal records are one object, as in git. Steps are as fine as the protocol's: reading origin,
the local swap, the push, its landing, and the settling are steps of their own, and another process of the same clone
may act between any two of them.
"""

from __future__ import annotations

from faults.model.acting import claim, done, judge_sweep, log, release
from faults.model.pushing import give_up, is_due, land, settle, start
from faults.model.reading import knows_too_much, refresh
from faults.model.searching import begin, search
from faults.model.states import BrokenError, Pair, Rules, World, replace

__all__ = [
    "BrokenError", "Pair", "Rules", "World", "begin", "claim", "done", "give_up", "is_due", "judge_sweep",
    "knows_too_much", "land", "log", "refresh", "release", "replace", "search", "settle", "start",
]  # fmt: skip
