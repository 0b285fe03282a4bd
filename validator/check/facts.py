"""The facts that may be assumed at a place, found by their symbols. What is left out can only make a query fail.

A *place* counts what has happened: guards of the recorded and of the optimized trace that have passed, and events that
are done.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import z3

from validator.check.universe import FRESH, REFERENCE, Universe

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
