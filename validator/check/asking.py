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

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import z3

from validator.check.slicing import Slicing

if TYPE_CHECKING:
    from validator.check.side import Side
    from validator.check.universe import Universe


_QUICK = 3_000
"""The effort of a query for a claim by itself, of which many hold."""
_FEW = 30_000
"""That of the next queries: with what is near, and with all that may be assumed."""


_MORE = 500_000
"""That of further ones, where it is memory that is hard."""


class Place(NamedTuple):
    """So many guards of both traces have passed, and so many events are done; None: all events return."""

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
        self._quick = z3.SimpleSolver()
        self._slicing = Slicing()
        self.queries = 0

    def holds(
        self,
        before: Side,
        after: Side | None,
        place: Place,
        given: Sequence[Any],
        claim: Any,
        effort: int | None = None,
    ) -> bool | None:
        """Does the claim hold at the place wherever all of `given` do? None where Z3 gives up, or with less `effort`
        where that does not do; False where it has values for which it does not, though no run may have them."""
        if time.monotonic() > self._deadline:
            raise OutOfTime
        if (
            z3.is_true(claim)
            or _is_assumed(before, after, place, claim)
            or self._refutes(_QUICK, [*given, z3.Not(claim)])
        ):
            return True
        universe, passed = self._universe, [guard.passes for guard in before.guards[: place.before]]
        passed += [] if after is None else [guard.passes for guard in after.guards[: place.after]]
        floats = universe.words.floats
        known = [*universe.facts, *floats.facts, *passed, *_assumed(before, after, place)]
        asked = [*given, z3.Not(claim)]
        near = [*self._slicing.near(known, universe.definitions, asked), *asked]
        if self._refutes(_FEW, near):
            return True
        if effort is not None:
            return self._settle(near, effort) or None
        whole = [*known, *(definition for _, definition in universe.definitions), *asked]
        if self._refutes(_FEW, whole) or self._refutes(_MORE, near) or self._settle(near, self._effort // 10):
            return True
        if self._refutes(2 * _MORE, whole):
            return True
        answer = self._settle(whole, self._effort)
        if answer is not True and floats.is_used:
            return self._settle([floats.exactly(one) for one in whole], self._effort) or answer
        return answer

    def _refutes(self, effort: int, query: Sequence[Any]) -> bool:
        """Does nothing satisfy the query, as the solver sees that keeps what it has learned?"""
        self.queries += 1
        self._quick.set("rlimit", effort)
        self._quick.push()
        self._quick.add(*query)
        try:
            return bool(self._quick.check() == z3.unsat)
        except z3.Z3Exception:
            return False
        finally:
            self._quick.pop()

    def _settle(self, query: Sequence[Any], effort: int) -> bool | None:
        """Does nothing satisfy the query?"""
        self.queries += 1
        solver = z3.Solver()
        solver.set("rlimit", effort)
        solver.set("timeout", max(1, int(1000 * (self._deadline - time.monotonic()))))
        solver.add(*query)
        try:
            answer = solver.check()
        except z3.Z3Exception:
            return None
        if answer == z3.unsat:
            return True
        return False if answer == z3.sat else None


def _is_assumed(before: Side, after: Side | None, place: Place, claim: Any) -> bool:
    """Is each part of the claim assumed, by the looks of it?"""
    guards = [*before.guards[: place.before], *(() if after is None else after.guards[: place.after])]
    passed = {guard.passes.get_id() for guard in guards}
    promised, waiting = before.promised(place)[1], [claim]
    while waiting:
        part = waiting.pop()
        if part.get_id() not in passed and part.get_id() not in promised and not z3.is_true(part):
            if not z3.is_and(part):
                return False
            waiting += part.children()
    return True


def _assumed(before: Side, after: Side | None, place: Place) -> Iterator[Any]:
    yield from before.promised(place)[0]
    for fact in () if after is None else after.facts:
        if fact.guards <= place.after and place.has_done(fact.events):
            yield fact.condition
