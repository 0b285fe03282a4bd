"""Comparisons item by item, where the number of items is not known.

The outcome is a term that is a function of the objects, of the memory that their items stand in, and of the ranges: a
word that is not 0 where all are the same. A solver is told what that means as far as it can matter: where it is 0 there
is an index at which the items differ; where it is not, they are the same at each index that the conditions name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from optimizer.ir.domains.term import Term, cone
from optimizer.ir.rows.row import INT
from optimizer.ir.types.layout import Field

if TYPE_CHECKING:
    from validator.prove.terms.object_terms import ObjectTerms

_MOST = 8
"""The number of comparisons of which something is said, at most."""

_MOST_INDICES = 40
"""The number of indices of which something is said, at most."""

Item = Callable[[Term, Term], Term]
"""The item of an object at an index."""


class Range(NamedTuple):
    """Items of an object that is no choice, from there on; `memory` is where they are read, `version` names it."""

    object: Term
    start: Term
    version: int
    item: Item

    @property
    def order(self) -> tuple[int, int, int]:
        return self.object.number, self.start.number, self.version


class Compared(NamedTuple):
    """The slot and the readers of both ranges of items that are compared."""

    slot: Field
    item: Item
    other: Item


def same_items(terms: ObjectTerms, slot: Field, one: Range, other: Range, count: Term) -> Term:
    """Are so many items of both ranges the same?"""
    if one.order == other.order:
        return terms.true
    one, other = sorted((one, other), key=lambda range_: range_.order)
    function = terms.var(f"the comparison of {slot.key} {one.version} and {other.version}")
    terms.compared.setdefault(function, Compared(slot, one.item, other.item))
    args = function, one.object, one.start, other.object, other.start, count
    return terms.ne(terms.applied(INT, args), terms.zero)


class _Said:
    """One comparison, as it stands in a condition: its objects may be choices."""

    def __init__(self, terms: ObjectTerms, term: Term) -> None:
        self._terms = terms
        function, self._one, self._start, self._other, self._at, self._count = term.args
        self._items = terms.compared[function]
        self.slot = self._items.slot
        self._same = terms.ne(term, terms.zero)
        self._where = terms.var(f"where the items of {term.number} differ")

    def indices(self) -> list[Term]:
        """The indices at which the items differ, if they do."""
        return [self._terms.add(start, self._where) for start in (self._start, self._at)]

    def differs(self) -> Term:
        """The condition that there is an index at which they differ, or that they are the same."""
        terms = self._terms
        inside = terms.ult(self._where, self._count)
        return terms.either(self._same, terms.both(inside, terms.not_(self._are_same(self._where))))

    def agrees(self, index: Term) -> Iterator[Term]:
        """The conditions that at that index of either object they do not differ, where they are the same."""
        terms = self._terms
        for start in dict.fromkeys((self._start, self._at)):
            offset = terms.sub(index, start)
            inside = terms.both(self._same, terms.ult(offset, self._count))
            yield terms.implies(inside, self._are_same(offset))

    def _are_same(self, offset: Term) -> Term:
        terms = self._terms
        one = self._items.item(self._one, terms.add(self._start, offset))
        return terms.eq(one, self._items.other(self._other, terms.add(self._at, offset)))


def meaning_of_comparisons(terms: ObjectTerms, conditions: Iterable[Term]) -> list[Term]:
    """The conditions that hold of the comparisons in these conditions."""
    found = list(conditions)
    said = [_Said(terms, term) for term in cone(found) if term.kind == "applied" and term.args[0] in terms.compared]
    said = said[:_MOST]
    differ = [one.differs() for one in said]
    agree: list[Term] = []
    for slot in {one.slot.key: one.slot for one in said}.values():
        mine = [one for one in said if one.slot.key == slot.key]
        indices = dict.fromkeys(index for one in mine for index in one.indices())
        indices |= dict.fromkeys(_indices([*found, *differ], slot))
        agree += [axiom for one in mine for index in list(indices)[:_MOST_INDICES] for axiom in one.agrees(index)]
    return [*differ, *agree]


def _indices(conditions: Iterable[Term], slot: Field) -> Iterator[Term]:
    """The indices at which items are read."""
    for term in cone(conditions):
        if term.kind == "load" and len(term.args) == 2 and term.value.key == slot.key:
            yield term.args[1]
