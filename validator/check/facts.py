"""The facts that may be assumed at a place, found by their symbols. What is left out can only make a query fail.

A *place* counts what has happened: guards of the recorded and of the optimized trace that have passed, and events that
are done.
"""

from __future__ import annotations

from collections import defaultdict
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

    def has_done(self, events: int) -> bool:
        return self.events is None or events <= self.events


class Fact(NamedTuple):
    """A condition that holds in every run that has passed so many guards of the traces and done so many events."""

    condition: Any
    before: int = 0
    after: int = 0
    events: int = 0

    def holds_at(self, place: Place) -> bool:
        return self.before <= place.before and self.after <= place.after and place.has_done(self.events)


class Facts:
    """Facts and definitions, with the symbols of their terms: the constants that stand in them, but for memory, and the
    numbers of allocations. Those of the universe are taken up as they come."""

    def __init__(self, universe: Universe) -> None:
        self._sources = universe.facts, universe.words.floats.facts, universe.definitions
        self._taken = [0, 0, 0]
        self._symbols: dict[int, tuple[Any, Symbols]] = {}  # by the number of the term, which is kept
        self._facts: list[tuple[Fact, Symbols]] = []
        self._saying: defaultdict[int, list[Fact]] = defaultdict(list)  # by the number of a part of the condition
        self._definitions: list[tuple[int, Any, Symbols]] = []  # the symbol that is defined, and what others it takes

    def add(self, fact: Fact) -> None:
        place = Place(*fact[1:])
        if any(other.holds_at(place) for other in self._saying[fact.condition.get_id()]):
            return
        self._facts.append((fact, self._symbols_of(fact.condition)))
        parts = [fact.condition]
        for part in parts:
            self._saying[part.get_id()].append(fact)
            parts += part.children() if z3.is_and(part) else ()

    def say(self, claim: Any, place: Place) -> bool:
        """Is each part of the claim a fact there, or a part of one, by the looks of it?"""
        parts = [claim]
        for part in parts:
            if not z3.is_true(part) and not any(fact.holds_at(place) for fact in self._saying.get(part.get_id(), ())):
                if not z3.is_and(part):
                    return False
                parts += part.children()
        return True

    def all(self, place: Place) -> list[Any]:
        """All facts that hold there, and all definitions."""
        self._take()
        definitions = [definition for _, definition, _ in self._definitions]
        return [*definitions, *(fact.condition for fact, _ in self._facts if fact.holds_at(place))]

    def near(self, asked: Sequence[Any], place: Place) -> list[Any]:
        """The definitions of the values that the terms name, or that are computed from those alone; the facts about
        something in these terms, and those about nothing else than is named by then."""
        self._take()
        named = frozenset().union(*map(self._symbols_of, asked))
        near, wide = [], set(named)
        for name, definition, operands in self._definitions:
            if name in named or (operands and operands <= wide):
                near.append(definition)
                wide |= {name, *operands}
        there = [(fact, symbols) for fact, symbols in self._facts if fact.holds_at(place)]
        wide.update(*(symbols for _, symbols in there if not symbols.isdisjoint(named)))
        return [*near, *(fact.condition for fact, symbols in there if symbols <= wide)]

    def _take(self) -> None:
        """Takes up what the universe has come to know."""
        *facts, definitions = (source[taken:] for source, taken in zip(self._sources, self._taken, strict=True))
        self._taken = [len(source) for source in self._sources]
        for condition in (*facts[0], *facts[1]):
            self.add(Fact(condition))
        for name, definition in definitions:
            self._definitions.append((name.get_id(), definition, self._symbols_of(definition) - {name.get_id()}))

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
