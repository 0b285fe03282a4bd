"""The facts that may be assumed at a place, found by their symbols. What is left out can only make a query fail.

A *place* counts what has happened: guards of the recorded and of the optimized trace that have passed, and events that
are done.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
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
    """Facts and definitions, by the symbols of their terms: the constants that stand in them, but for memory, and the
    numbers of allocations. Those of the universe are taken up as they come."""

    def __init__(self, universe: Universe) -> None:
        self._universe, self._taken = universe, [0, 0, 0]
        self._symbols: dict[int, tuple[Any, Symbols]] = {}  # by the number of the term, which is kept
        self._ages: dict[int, int] = {}  # of symbols: the newest one of a term is the rarest
        self._facts: list[Fact] = []
        self._saying: defaultdict[int, list[Fact]] = defaultdict(list)  # by the number of a part of the condition
        self._about: defaultdict[int, list[int]] = defaultdict(list)  # by each symbol
        self._newest: defaultdict[int | None, list[int]] = defaultdict(list)
        self._definitions: dict[int, int] = {}  # by the symbol that is defined
        self._computed: defaultdict[int | None, list[int]] = defaultdict(list)  # by the newest symbol it is made of

    def add(self, fact: Fact) -> None:
        place = Place(*fact[1:])
        if any(other.holds_at(place) for other in self._saying[fact.condition.get_id()]):
            return
        number, symbols = len(self._facts), self._symbols_of(fact.condition)
        self._facts.append(fact)
        for symbol in symbols:
            self._about[symbol].append(number)
        self._newest[self._newest_of(symbols)].append(number)
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
        definitions = [definition for _, definition in self._universe.definitions]
        return [*definitions, *(fact.condition for fact in self._facts if fact.holds_at(place))]

    def near(self, asked: Sequence[Any], place: Place) -> list[Any]:
        """The definitions of the values that the terms name, or that are computed from those alone; the facts about
        something in these terms, and those about nothing else than is named by then."""
        self._take()
        named = frozenset().union(*map(self._symbols_of, asked))
        definitions, wide = self._near_definitions(named)
        chosen = self._there({number for symbol in named for number in self._about.get(symbol, ())}, place)
        wide.update(*(self._symbols_of(self._facts[number].condition) for number in chosen))
        inside = {number for symbol in (None, *wide) for number in self._newest.get(symbol, ())} - chosen
        chosen |= {
            number for number in self._there(inside, place) if self._symbols_of(self._facts[number].condition) <= wide
        }
        return [*definitions, *(self._facts[number].condition for number in sorted(chosen))]

    def _there(self, numbers: Iterable[int], place: Place) -> set[int]:
        return {number for number in numbers if self._facts[number].holds_at(place)}

    def _near_definitions(self, named: Symbols) -> tuple[list[Any], set[int]]:
        """The definitions, in their order, and all symbols by then."""
        definitions, wide = self._universe.definitions, set(named)
        waiting = [number for symbol in named for number in self._computed.get(symbol, ())]
        waiting += [self._definitions[symbol] for symbol in named if symbol in self._definitions]
        heapify(waiting)
        chosen: list[Any] = []
        latest = -1
        while waiting:
            number = heappop(waiting)
            name, definition = definitions[number]
            symbols = self._symbols_of(definition)
            if number > latest and (name.get_id() in named or symbols - {name.get_id()} <= wide):
                latest = number
                chosen.append(definition)
                for symbol in symbols - wide:
                    wide.add(symbol)
                    for later in self._computed.get(symbol, ()):
                        heappush(waiting, later)
        return chosen, wide

    def _take(self) -> None:
        """Takes up what the universe has come to know."""
        universe = self._universe
        for which, conditions in enumerate((universe.facts, universe.words.floats.facts)):
            for condition in conditions[self._taken[which] :]:
                self.add(Fact(condition))
            self._taken[which] = len(conditions)
        for number, (name, definition) in enumerate(universe.definitions[self._taken[2] :], self._taken[2]):
            self._definitions[name.get_id()] = number
            operands = self._symbols_of(definition) - {name.get_id()}
            if operands:
                self._computed[self._newest_of(operands)].append(number)
        self._taken[2] = len(universe.definitions)

    # Symbols.

    def _newest_of(self, symbols: Symbols) -> int | None:
        return max(symbols, key=self._ages.__getitem__, default=None)

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
                if _is_symbol(one):
                    symbols |= {one.get_id()}
                    self._ages.setdefault(one.get_id(), len(self._ages))
                self._symbols[one.get_id()] = one, symbols
        return self._symbols[term.get_id()][1]


def _is_symbol(term: Any) -> bool:
    if z3.is_bv_value(term):
        return bool(term.sort() == REFERENCE and term.as_long() >= FRESH)
    return bool(z3.is_const(term) and term.decl().kind() == z3.Z3_OP_UNINTERPRETED and not z3.is_array(term))
