"""The assumptions that speak of what a claim speaks of. What is left out can only make a query fail."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import z3

from validator.check.universe import FRESH, REFERENCE

Symbols = frozenset[int]


class Slicing:
    """The symbols of terms: the constants that stand in them, but for memory, and the numbers of allocations."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, Symbols]] = {}  # by the number of the term, which is kept

    def symbols(self, term: Any) -> Symbols:
        known = self._known.get(term.get_id())
        if known is not None:
            return known[1]
        waiting = [term]
        while waiting:
            one = waiting[-1]
            parts = one.children()
            new = [part for part in parts if part.get_id() not in self._known]
            if new:
                waiting += new
            else:
                waiting.pop()
                found = frozenset().union(*(self._known[part.get_id()][1] for part in parts))
                self._known[one.get_id()] = one, found | ({one.get_id()} if _is_symbol(one) else frozenset())
        return self._known[term.get_id()][1]

    def near(self, facts: Iterable[Any], definitions: Iterable[tuple[Any, Any]], asked: Sequence[Any]) -> list[Any]:
        """The definitions of values that the terms name, or that are computed from those alone; the facts about
        something in these terms, and those about nothing else than is named by then."""
        named = frozenset().union(*map(self.symbols, asked))
        found, wide = [], set(named)
        for name, definition in definitions:
            symbols = self.symbols(definition)
            if name.get_id() in named or (symbols - {name.get_id()} <= wide and len(symbols) > 1):
                found.append(definition)
                wide |= symbols
        others: list[Any] = []
        for fact in facts:
            symbols = self.symbols(fact)
            (others if named.isdisjoint(symbols) and not symbols <= wide else found).append(fact)
        wide.update(*map(self.symbols, found))
        found += [fact for fact in others if self.symbols(fact) <= wide]
        return found


def _is_symbol(term: Any) -> bool:
    if z3.is_bv_value(term):
        return bool(term.sort() == REFERENCE and term.as_long() >= FRESH)
    return bool(z3.is_const(term) and term.decl().kind() == z3.Z3_OP_UNINTERPRETED and not z3.is_array(term))
