"""The rungs without a solver: what structure settles under what is known at a place, then what bounds settle."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from optimizer.ir.domains.term import Term, cone
from validator.prove.encoding import Definedness
from validator.prove.facts.facts import Facts
from validator.prove.obligations import Obligation, Pair, Place
from validator.prove.terms.object_kinds import APPLIED, LEAVES

if TYPE_CHECKING:
    from validator.prove.facts.bounded_facts import BoundedFacts, PlainBounds


@dataclass(frozen=True, slots=True)
class _Way:
    """The facts at the last of some places, each behind the one before it, and how many operations are known to be
    defined at each. There is a mark for each place but the first."""

    facts: Facts
    steps: list[tuple[Place, int]]


class KnownPlaces:
    """The facts at places. Obligations come in the order of the traces, so that those at one place grow out of those
    at the one before; places behind all events (`events` is None) are a sequence of their own."""

    def __init__(self, pair: Pair) -> None:
        self._pair = pair
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
        before = self._pair.before
        position = bisect_right(before.defined, place.before, key=lambda known: known.guards)
        for number in range(place.before, len(before.guards)):
            guard = before.guards[number]
            if place.events is not None and guard.events > place.events:
                return
            passes = facts.rebuild(guard.passes)
            if passes is self._pair.terms.false:
                for known in guard.exit.block:
                    facts.assume(known.condition)
            if passes is not self._pair.terms.true:
                return
            while position < len(before.defined) and _is_behind(before.defined[position], number + 1, place.events):
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
            start = Place(0, 0, None if place.events is None else 0)
            facts = Facts(self._pair.terms)
            way = _Way(facts, [(start, self._go_on(facts, start, 0, start))])
            self._ways[place.events is None] = way
        return way

    def _go_on(self, facts: Facts, latest: Place, defined: int, place: Place) -> int:
        """Assume what holds at `place` and not yet at `latest`, where so many operations were known to be defined. How
        many are, there?"""
        before, after = self._pair.before, self._pair.after
        while defined < len(before.defined) and _is_behind(before.defined[defined], place.before, place.events):
            facts.assume(before.defined[defined].condition)
            defined += 1
        for guard in (*before.guards[latest.before : place.before], *after.guards[latest.after : place.after]):
            facts.assume(guard.passes)
        return defined


class CheapRungs:
    """Settles obligations of one pair without a solver. Nothing is tried any more once `is_late`."""

    def __init__(self, pair: Pair, is_late: Callable[[], bool]) -> None:
        self._pair = pair
        self._is_late = is_late
        self._known = KnownPlaces(pair)
        self._plain_bounds: dict[Facts, PlainBounds] = {}
        self._bounded: dict[Facts, BoundedFacts] = {}
        self._cheap: dict[tuple[Place, Term, tuple[Term, ...]], str | None] = {}
        self._variables: dict[Term, frozenset[Term]] = {}
        self._first_before = _first_uses([guard.passes for guard in pair.before.guards])
        self._first_after = _first_uses([guard.passes for guard in pair.after.guards])
        self._first_defined = {known.condition: known for known in reversed(pair.before.defined)}

    def settle(self, obligation: Obligation) -> str | None:
        """The rung that settles it without a solver, if one does. `structure`: both sides build the same term under
        what is known there, or the claim is among what may be assumed. `intervals`: the claim holds on all values that
        are left."""
        if obligation.claim is self._pair.terms.true:
            return "structure"
        rung = self.at_once(obligation)
        if rung is None and obligation.stronger is not None:
            rung = self.settle(obligation.stronger)
        if rung is not None:
            return rung
        key = (obligation.place, obligation.claim, obligation.given)
        if key not in self._cheap:
            self._cheap[key] = self._by_facts(obligation)
        return self._cheap[key]

    def at_once(self, obligation: Obligation) -> str | None:
        """The same where that takes no work: what is known says so as it stands, or it was settled before."""
        place, claim, given = obligation.place, obligation.claim, obligation.given
        if claim is self._pair.terms.true or claim in given or self._is_known(claim, place):
            return "structure"
        return self._cheap.get((place, claim, given))

    def _by_facts(self, obligation: Obligation) -> str | None:
        if self._is_late():
            return None
        facts = self._known.at(obligation.place, obligation.given)
        if facts.contradiction or (claim := facts.rebuild(obligation.claim)) is self._pair.terms.true:
            return "structure"
        if self._bounds_of(facts).prove(claim, facts):
            return "intervals"
        bounded = self._with_bounds(facts)
        return "intervals" if bounded.proves_by_cases(obligation.claim) else None

    def _bounds_of(self, facts: Facts) -> PlainBounds:
        bounds = self._plain_bounds.get(facts)
        if bounds is None:
            from validator.prove.facts.bounded_facts import PlainBounds  # here: structure settles most pairs

            bounds = self._plain_bounds[facts] = PlainBounds(self._pair.terms)
        return bounds

    def _with_bounds(self, facts: Facts) -> BoundedFacts:
        """The facts as learned so far, with bounds."""
        bounded = self._bounded.get(facts)
        if bounded is None:
            from validator.prove.facts.bounded_facts import BoundedFacts  # here, as well

            bounded = self._bounded[facts] = BoundedFacts(self._pair.terms)
        bounded.follow(facts)
        return bounded

    def _is_known(self, condition: Term, place: Place) -> bool:
        """Did a guard that has passed say so, or an operation that is defined there?"""
        known = self._first_defined.get(condition)
        if known is not None and _is_behind(known, place.before, place.events):
            return True
        return (
            self._first_before.get(condition, place.before) < place.before
            or self._first_after.get(condition, place.after) < place.after
        )

    def known(self, place: Place, given: tuple[Term, ...] = ()) -> Facts:
        """The facts at a place where all of `given` hold. It is so until other facts are asked for."""
        return self._known.at(place, given)

    def slice(self, start: Sequence[Term], conditions: Sequence[Term]) -> list[Term]:
        """`start` and those of `conditions` that it shares variables with, directly or through others."""
        sharing: dict[Term, list[int]] = {}
        for place, condition in enumerate(conditions):
            for variable in self._variables_of(condition):
                sharing.setdefault(variable, []).append(place)
        chosen = {place for place, condition in enumerate(conditions) if not self._variables_of(condition)}
        stack = [variable for term in start for variable in self._variables_of(term)]
        while stack:
            for place in sharing.pop(stack.pop(), ()):
                if place not in chosen:
                    chosen.add(place)
                    stack += self._variables_of(conditions[place])
        return [*start, *(conditions[place] for place in sorted(chosen))]

    def _variables_of(self, root: Term) -> frozenset[Term]:
        known = self._variables
        for term in cone([root], known):
            sets = {known[arg] for arg in term.args}
            if term.kind in APPLIED:
                known[term] = frozenset((term,)).union(*sets)
            elif len(sets) < 2:
                known[term] = next(iter(sets), frozenset((term,) if term.kind in LEAVES else ()))
            else:
                known[term] = frozenset().union(*sets)
        return known[root]


def _is_behind(known: Definedness, guards: int, events: int | None) -> bool:
    """Do no more guards and events than those stand before the operation?"""
    return known.guards <= guards and (events is None or known.events <= events)


def _first_uses(conditions: Sequence[Term]) -> dict[Term, int]:
    first: dict[Term, int] = {}
    for number, condition in enumerate(conditions):
        first.setdefault(condition, number)
    return first
