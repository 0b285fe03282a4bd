"""Asks Z3 whether what must hold at a place follows from what may be assumed there:

- that guards have passed;
- that an operation of the recorded trace with at most as many events ahead is defined, if all guards ahead of it pass;
- that an exit block of it is defined where its guard, with at most as many events ahead, is the first one that fails;
- what is known of the values that the optimized trace has loaded by then;
- what holds of the terms whatever the traces do.

Facts are found by their symbols. What is left out can only make a query fail. A *place* counts what has happened:
guards of the recorded and of the optimized trace that have passed, and events that are done.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import z3

from validator.check.universe import FRESH, REFERENCE, Universe

_QUICK, _FEW, _MORE = 10_000, 100_000, 1_000_000
"""Efforts of the queries that come first."""
_INTERRUPTED = "interrupted from keyboard"

Symbols = frozenset[int]


class Place(NamedTuple):
    """The numbers of guards of both traces that have passed, and of events that are done; None: all events return."""

    before: int
    after: int
    events: int | None

    def has_done(self, events: int | None) -> bool:
        return self.events is None or (events is not None and events <= self.events)

    def is_behind(self, other: Place) -> bool:
        return other.before <= self.before and other.after <= self.after and self.has_done(other.events)


START = Place(0, 0, 0)


class Facts:
    """Facts, with the symbols of their terms: the constants that stand in them, but for memory, and the numbers of
    allocations. Those of the universe are taken up as they come."""

    def __init__(self, universe: Universe) -> None:
        self._universe, self._taken = universe, 0
        self._symbols: dict[int, tuple[Any, Symbols]] = {}  # by the number of the term, which is kept
        self._facts: dict[tuple[int, Place], tuple[Any, Symbols]] = {}  # by the number of the condition

    def add(self, condition: Any, since: Place = START) -> None:
        """The condition holds in every run that has got so far."""
        if (condition.get_id(), since) not in self._facts:
            self._facts[condition.get_id(), since] = condition, self._symbols_of(condition)

    def all(self, place: Place) -> list[Any]:
        """All facts that hold there."""
        return [condition for condition, _ in self._there(place)]

    def near(self, asked: Sequence[Any], place: Place) -> list[Any]:
        """The facts about something that the terms name, and those about nothing else than these name in turn."""
        named = frozenset().union(*map(self._symbols_of, asked))
        there = self._there(place)
        wide = named.union(*(symbols for _, symbols in there if not symbols.isdisjoint(named)))
        return [condition for condition, symbols in there if symbols <= wide]

    def _there(self, place: Place) -> list[tuple[Any, Symbols]]:
        for condition in self._universe.facts[self._taken :]:
            self.add(condition)
        self._taken = len(self._universe.facts)
        return [fact for (_, since), fact in self._facts.items() if place.is_behind(since)]

    def _symbols_of(self, term: Any) -> Symbols:
        known = self._symbols.get(term.get_id())
        if known is not None:
            return known[1]
        waiting = [term]
        while waiting:
            one = waiting[-1]
            parts = one.children()
            new = [part for part in parts if part.get_id() not in self._symbols]
            if new:
                waiting += new
            else:
                waiting.pop()
                symbols = frozenset().union(*(self._symbols[part.get_id()][1] for part in parts))
                self._symbols[one.get_id()] = one, symbols | {one.get_id()} if _is_symbol(one) else symbols
        return self._symbols[term.get_id()][1]


def _is_symbol(term: Any) -> bool:
    if z3.is_bv_value(term):
        return bool(term.sort() == REFERENCE and term.as_long() >= FRESH)
    return bool(z3.is_const(term) and term.decl().kind() == z3.Z3_OP_UNINTERPRETED and not z3.is_array(term))


class OutOfTime(Exception):
    """The pair takes longer than it may."""


class Asking:
    """Asks with an effort of so many of Z3's units of resources a query, for so many seconds in all."""

    def __init__(self, universe: Universe, effort: int, timeout_s: float) -> None:
        self.facts = Facts(universe)
        self._opaque = universe.words.opaque
        self._effort = effort
        self._deadline = time.monotonic() + timeout_s
        tactics = ("simplify", "propagate-values", "solve-eqs", "simplify", "smt")
        self._solver = z3.Then(*tactics, ctx=z3.Context()).solver()  # of its own: answers depend on what is in one
        self.queries = 0
        self.model: Any = None  # of the last claim that has values for which it does not hold

    def holds(
        self, place: Place, given: Sequence[Any], claim: Any, ahead: Callable[[Place], Sequence[Any]] | None = None
    ) -> bool | None:
        """Does the claim hold at the place wherever all of `given` do? None where Z3 gives up; False where it has
        values for which it does not, though no run may have them. Little effort is made without `ahead`, which says
        what is promised behind the place."""
        if time.monotonic() > self._deadline:
            raise OutOfTime
        answer: bool | None = z3.is_true(z3.simplify(claim))
        for query, effort in () if answer else self._queries(place, [*given, z3.Not(claim)], ahead):
            answer = self._refutes(query, effort)
            if answer:
                return True
        return answer if answer or ahead is not None else None

    def _queries(
        self, place: Place, asked: list[Any], ahead: Callable[[Place], Sequence[Any]] | None
    ) -> Iterator[tuple[list[Any], int]]:
        """Queries of ever more that may be assumed, with ever more effort; the last one is the exact one."""
        exactly = self._opaque.exactly
        near = [*self.facts.near(asked, place), *asked]
        yield near, _QUICK
        exact = [exactly(one) for one in near]
        yield exact, _FEW
        if ahead is not None:
            whole = [*self.facts.all(place), *ahead(place), *asked]
            yield whole, _FEW
            yield exact, _MORE
            yield whole, _MORE
            yield [exactly(one) for one in whole], self._effort

    def _refutes(self, query: Sequence[Any], effort: int) -> bool | None:
        """Does nothing satisfy the query?"""
        self.queries += 1
        solver = self._solver
        solver.set("rlimit", effort)
        solver.set("ctrl_c", signal.getsignal(signal.SIGINT) is not signal.SIG_IGN)
        if effort > _MORE:
            solver.set("timeout", max(1, int(1000 * (self._deadline - time.monotonic()))))
        solver.reset()
        solver.add(*[one.translate(solver.ctx) for one in query])
        try:
            answer = solver.check()
            if answer == z3.sat:
                self.model = solver.model()
        except z3.Z3Exception:
            return None
        if answer == z3.unknown and solver.reason_unknown() == _INTERRUPTED:
            signal.raise_signal(signal.SIGINT)  # Z3 has taken it for itself
        return None if answer == z3.unknown else bool(answer == z3.unsat)
