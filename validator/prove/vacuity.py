"""Does a proof say anything? Only where the recorded trace is defined on some input, and its guards can pass."""

from __future__ import annotations

from collections.abc import Callable

from validator.prove.discharge import Discharger
from validator.prove.facts.facts import Facts
from validator.prove.obligations import Pair, Place
from validator.prove.terms.object_kinds import are_opaque
from validator.prove.witness import is_satisfiable
from validator.solvers.answers import Sat, Unsat
from validator.solvers.portfolio import FIRST_EFFORT

_FIRST = 1

LONGEST_SAMPLED = 200
"""For longer traces a solver is asked before samples are made, if they are made at all: their heaps are as large as the
traces."""


def vacuity(
    pair: Pair, discharger: Discharger, reaches_end: Callable[[int, int | None], bool]
) -> tuple[str, ...] | None:
    """Why a proof would be vacuous (empty: it is not); None where that could not be settled. `reaches_end` says whether
    the recorded trace goes to its end on one of the samples from a first to a last one.

    Values that satisfy what is known at the end show that it is not, and so does a sample on which the recorded trace
    goes to its end. The solver is asked behind the first ones, which run farthest: all samples together take longer
    than a query. Its effort is small: this is a note on a proof, and not part of it.
    """
    ends = discharger.known(Place(len(pair.before.guards), len(pair.after.guards), len(pair.before.events)))
    if not ends.contradiction and is_satisfiable(pair.terms, ends.learned):
        return ()
    is_sampled = len(pair.before.trace.ops) <= LONGEST_SAMPLED
    if is_sampled and reaches_end(0, _FIRST):
        return ()
    reachable = _satisfiable(pair, discharger, len(pair.before.guards), to_end=True)
    if reachable is False:
        return _first_unreachable(pair, discharger)
    return () if reachable or (is_sampled and reaches_end(_FIRST, None)) else None


def note_effort(pair: Pair) -> int:
    """The effort of a query for a note on a proof."""
    return FIRST_EFFORT if len(pair.before.trace.ops) <= LONGEST_SAMPLED else FIRST_EFFORT // 8


def _satisfiable(pair: Pair, discharger: Discharger, guards: int, *, to_end: bool) -> bool | None:
    """Is there a state on which the first `guards` guards pass, everything ahead of the last of them (with `to_end`,
    everything) being defined?"""
    facts = passed_up_to(pair, guards, to_end=to_end)
    if facts.contradiction:
        return False
    match discharger.query(facts.learned, note_effort(pair)):
        case Sat():
            return None if are_opaque(facts.learned) else True
        case Unsat():
            return False
        case _:
            return None


def passed_up_to(pair: Pair, guards: int, *, to_end: bool) -> Facts:
    """What holds where the first `guards` guards of the recorded trace pass, and everything ahead of the last of them
    is defined, or with `to_end` everything."""
    facts = Facts(pair.terms)
    for known in pair.before.defined:
        if to_end or known.guards < guards:
            facts.assume(known.condition)
    for passed in pair.passed(Place(guards, 0, None)):
        facts.assume(passed)
    return facts


def _first_unreachable(pair: Pair, discharger: Discharger) -> tuple[str, ...]:
    """The first guard that cannot be passed, if that is easy to tell. The search halves: what cannot be passed stays so
    further on."""
    low, high = 0, len(pair.before.guards) + 1
    while low < high:
        middle = (low + high) // 2
        reachable = middle <= len(pair.before.guards) and _satisfiable(pair, discharger, middle, to_end=False)
        if reachable is None:
            low = len(pair.before.guards) + 1
            break
        low, high = (middle + 1, high) if reachable else (low, middle)
    if low > len(pair.before.guards):
        return ("the recorded trace is defined up to its end on no input",)
    return (f"guard {low - 1} of the recorded trace never passes",)
