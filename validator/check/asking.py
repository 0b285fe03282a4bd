"""Asks Z3 whether what must hold at a place follows from what may be assumed there.

A *place* counts what has happened: guards of the recorded and of the optimized trace that have passed, and events that
are done. What may be assumed there is

- that those guards have passed;
- that an operation of the recorded trace with at most as many events ahead is defined, if all guards ahead of it pass;
- that an exit block of it is defined where its guard, with at most as many events ahead, is the first one that fails;
- what is known of the values that the optimized trace has loaded by then;
- what holds of the terms whatever the traces do.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import z3

from validator.check.slicing import Slicing

if TYPE_CHECKING:
    from validator.check.side import Side
    from validator.check.universe import Universe


_REWRITE = ("simplify", "propagate-values", "solve-eqs", "simplify")
_QUICK, _FEW, _MORE = 10_000, 100_000, 1_000_000
"""Efforts of the queries that come first."""
_INTERRUPTED = "interrupted from keyboard"


class Place(NamedTuple):
    """The numbers of guards of both traces that have passed, and of events that are done; None: all events return."""

    before: int
    after: int
    events: int | None

    def has_done(self, events: int) -> bool:
        return self.events is None or events <= self.events


class OutOfTime(Exception):
    """The pair takes longer than it may."""


class Asking:
    """Asks with an effort of so many of Z3's units of resources a query, for so many seconds in all."""

    def __init__(self, universe: Universe, effort: int, timeout_s: float) -> None:
        self._universe = universe
        self._effort = effort
        self._deadline = time.monotonic() + timeout_s
        self._rewrite = z3.Then(*_REWRITE)
        self._solver = z3.Then(*_REWRITE, "smt").solver()
        self._slicing = Slicing()
        self.queries = 0
        self.model: Any = None  # of the last claim that has values for which it does not hold

    def holds(
        self, before: Side, after: Side | None, place: Place, given: Sequence[Any], claim: Any, *, is_cut: bool = False
    ) -> bool | None:
        """Does the claim hold at the place wherever all of `given` do? None where Z3 gives up, or soon, if it is a cut;
        False where it has values for which it does not, though no run may have them."""
        if time.monotonic() > self._deadline:
            raise OutOfTime
        asked = [*given, z3.Not(claim)]
        if z3.is_true(claim) or _is_assumed(before, after, place, claim) or self._is_false(asked):
            return True
        universe, passed = self._universe, [guard.passes for guard in before.guards[: place.before]]
        passed += [] if after is None else [guard.passes for guard in after.guards[: place.after]]
        words = universe.words
        known = [*universe.facts, *words.floats.facts, *passed, *_assumed(before, after, place)]
        near = [*self._slicing.near(known, universe.definitions, asked), *asked]
        if self._is_false(near) or self._refutes(near, _QUICK):
            return True
        exactly = words.opaque.exactly
        exact = [exactly(one) for one in near]
        if self._is_false(exact) or self._refutes(exact, _FEW):
            return True
        if is_cut:
            return None
        whole = [*known, *before.promised_ahead(place), *(definition for _, definition in universe.definitions), *asked]
        if self._refutes(whole, _FEW) or self._refutes(exact, _MORE) or self._refutes(whole, _MORE):
            return True
        return self._refutes([exactly(one) for one in whole], self._effort)

    def _is_false(self, query: Sequence[Any]) -> bool:
        """Is there nothing that satisfies the query, as rewriting alone shows?"""
        goal = z3.Goal()
        goal.add(*query)
        return bool(self._rewrite(goal)[0].inconsistent())

    def _refutes(self, query: Sequence[Any], effort: int) -> bool | None:
        """Does nothing satisfy the query?"""
        self.queries += 1
        solver = self._solver
        solver.set("rlimit", effort)
        solver.set("ctrl_c", signal.getsignal(signal.SIGINT) is not signal.SIG_IGN)
        if effort > _MORE:
            solver.set("timeout", max(1, int(1000 * (self._deadline - time.monotonic()))))
        solver.reset()
        solver.add(*query)
        try:
            answer = solver.check()
            if answer == z3.sat:
                self.model = solver.model()
        except z3.Z3Exception:
            return None
        if answer == z3.unknown and solver.reason_unknown() == _INTERRUPTED:
            signal.raise_signal(signal.SIGINT)  # Z3 has taken it for itself
        return None if answer == z3.unknown else bool(answer == z3.unsat)


def _is_assumed(before: Side, after: Side | None, place: Place, claim: Any) -> bool:
    """Is each part of the claim assumed, by the looks of it?"""
    guards = [*before.guards[: place.before], *(() if after is None else after.guards[: place.after])]
    passed, waiting = {guard.passes.get_id() for guard in guards}, [claim]
    while waiting:
        part = waiting.pop()
        is_there = part.get_id() in passed or before.says(part, place.before, place)
        if not is_there and not z3.is_true(part) and (after is None or not after.says(part, place.after, place)):
            if not z3.is_and(part):
                return False
            waiting += part.children()
    return True


def _assumed(before: Side, after: Side | None, place: Place) -> Iterator[Any]:
    for side, guards in (before, place.before), (after, place.after):
        for fact in () if side is None else side.facts:
            if fact.guards <= guards and place.has_done(fact.events):
                yield fact.condition
