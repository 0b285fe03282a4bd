"""The facts at places of a pair."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from optimizer.ir.domains.term import Term
from optimizer.ir.immutable import replace
from validator.prove.encoding import Definedness, Encoding
from validator.prove.facts.facts import Facts
from validator.prove.terms.object_terms import ObjectTerms

if TYPE_CHECKING:
    from validator.prove.obligations import Place


@dataclass(frozen=True, slots=True)
class _Way:
    """The facts at the last of some places, each behind the one before it, and how many operations are known to be
    defined at each. There is a mark for each place but the first."""

    facts: Facts
    steps: list[tuple[Place, int]]


class KnownPlaces:
    """The facts at places. Obligations come in the order of the traces, so that those at one place grow out of those
    at the one before; places behind all events (`events` is None) are a sequence of their own."""

    def __init__(self, before: Encoding, after: Encoding, terms: ObjectTerms) -> None:
        self._before = before
        self._after = after
        self._terms = terms
        self._ways: dict[bool, _Way] = {}
        self._given: tuple[Place, tuple[Term, ...], Facts] | None = None

    def at(self, place: Place, given: tuple[Term, ...]) -> Facts:
        """The facts at `place` where all of `given` hold. It is so until other facts are asked for."""
        if self._given is not None:
            if self._given[:2] == (place, given):
                return self._given[2]
            self._given[2].take_back()
            self._given = None
        facts = self._at(place)
        if given:
            facts.mark()
            for condition in given:
                facts.assume(condition)
            self._assume_ahead(facts, place)
            self._given = (place, given, facts)
        return facts

    def _assume_ahead(self, facts: Facts, place: Place) -> None:
        """Assumes what `before` does next: guards that certainly pass, and operations between them, which are defined.
        Where a guard certainly fails, its exit block is defined."""
        before = self._before
        position = bisect_right(before.defined, place.before, key=lambda known: known.guards)
        for number in range(place.before, len(before.guards)):
            guard = before.guards[number]
            if place.events is not None and guard.events > place.events:
                return
            passes = facts.rebuild(guard.passes)
            if passes is self._terms.false:
                for known in guard.exit.block:
                    facts.assume(known.condition)
            if passes is not self._terms.true:
                return
            while position < len(before.defined) and is_behind(before.defined[position], number + 1, place.events):
                facts.assume(before.defined[position].condition)
                position += 1

    def _at(self, place: Place) -> Facts:
        """Goes back to the last place that is not behind this one, and on from there."""
        way = self._way(place)
        while not way.steps[-1][0].is_ahead_of(place):
            way.steps.pop()
            way.facts.take_back()
        latest, defined = way.steps[-1]
        if latest != place:
            way.facts.mark()
            way.steps.append((place, self._go_on(way.facts, latest, defined, place)))
        return way.facts

    def _way(self, place: Place) -> _Way:
        way = self._ways.get(place.events is None)
        if way is None:
            start = replace(place, before=0, after=0, events=None if place.events is None else 0)
            facts = Facts(self._terms)
            way = _Way(facts, [(start, self._go_on(facts, start, 0, start))])
            self._ways[place.events is None] = way
        return way

    def _go_on(self, facts: Facts, latest: Place, defined: int, place: Place) -> int:
        """Assume what holds at `place` and not yet at `latest`, where so many operations were known to be defined. How
        many are, there?"""
        before, after = self._before, self._after
        while defined < len(before.defined) and is_behind(before.defined[defined], place.before, place.events):
            facts.assume(before.defined[defined].condition)
            defined += 1
        for guard in (*before.guards[latest.before : place.before], *after.guards[latest.after : place.after]):
            facts.assume(guard.passes)
        return defined


def is_behind(known: Definedness, guards: int, events: int | None) -> bool:
    """Do no more guards and events than those stand before the operation?"""
    return known.guards <= guards and (events is None or known.events <= events)
