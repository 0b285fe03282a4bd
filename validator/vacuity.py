"""Does a proof say anything? Only where the recorded trace is defined on some input, and its guards can pass."""

from __future__ import annotations

from collections.abc import Iterable

from validator.discharge import Discharger
from validator.obligations import Pair, Place
from validator.replay import Replay
from validator.verdict import State


def vacuity(pair: Pair, discharger: Discharger, replay: Replay, samples: Iterable[State]) -> tuple[str, ...] | None:
    """Why a proof would be vacuous (empty: it is not); None where that could not be settled.

    A sample on which the recorded trace goes to its end shows that it is not; otherwise the solver is asked.
    """
    if any(map(replay.reaches_end, samples)):
        return ()
    reachable = _satisfiable(pair, discharger, len(pair.before.guards), to_end=True)
    if reachable:
        return ()
    return None if reachable is None else _first_unreachable(pair, discharger)


def _satisfiable(pair: Pair, discharger: Discharger, guards: int, *, to_end: bool) -> bool | None:
    """Is there a state on which the first `guards` guards pass, everything ahead of the last of them (with `to_end`,
    everything) being defined?"""
    from validator.z3_solver import Sat, Unsat

    conditions = pair.passed(Place(guards, 0, None))
    conditions += [known.condition for known in pair.before.defined if to_end or known.guards < guards]
    match discharger.query(conditions):
        case Sat():
            return True
        case Unsat():
            return False
        case _:
            return None


def _first_unreachable(pair: Pair, discharger: Discharger) -> tuple[str, ...] | None:
    """The first guard that cannot be passed. The search halves: what cannot be passed stays so further on."""
    low, high = 0, len(pair.before.guards) + 1
    while low < high:
        middle = (low + high) // 2
        reachable = middle <= len(pair.before.guards) and _satisfiable(pair, discharger, middle, to_end=False)
        if reachable is None:
            return None
        low, high = (middle + 1, high) if reachable else (low, middle)
    if low > len(pair.before.guards):
        return ("the recorded trace is defined up to its end on no input",)
    return (f"guard {low - 1} of the recorded trace never passes",)
