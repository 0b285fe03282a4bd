"""The rungs without a solver: what structure settles under what is known at a place, then what bounds settle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from optimizer.ir.domains.term import Term, cone
from validator.prove.facts.facts import Facts
from validator.prove.known_places import KnownPlaces, is_behind
from validator.prove.obligations import Obligation, Pair, Place
from validator.prove.terms.object_kinds import APPLIED, LEAVES

if TYPE_CHECKING:
    from validator.prove.facts.bounded_facts import BoundedFacts


class CheapRungs:
    """Settles obligations of one pair without a solver. Nothing is tried any more once `is_late`."""

    def __init__(self, pair: Pair, is_late: Callable[[], bool]) -> None:
        self._pair = pair
        self._is_late = is_late
        self._known = KnownPlaces(pair.before, pair.after, pair.terms)
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
        if facts.contradiction or facts.rebuild(obligation.claim) is self._pair.terms.true:
            return "structure"
        bounded = self._with_bounds(facts)
        return "intervals" if bounded.proves_by_cases(obligation.claim) else None

    def _with_bounds(self, facts: Facts) -> BoundedFacts:
        """The facts as learned so far, with bounds."""
        bounded = self._bounded.get(facts)
        if bounded is None:
            from validator.prove.facts.bounded_facts import BoundedFacts  # here: structure settles most pairs

            bounded = self._bounded[facts] = BoundedFacts(self._pair.terms)
        bounded.follow(facts)
        return bounded

    def _is_known(self, condition: Term, place: Place) -> bool:
        """Did a guard that has passed say so, or an operation that is defined there?"""
        known = self._first_defined.get(condition)
        if known is not None and is_behind(known, place.before, place.events):
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


def _first_uses(conditions: Sequence[Term]) -> dict[Term, int]:
    first: dict[Term, int] = {}
    for number, condition in enumerate(conditions):
        first.setdefault(condition, number)
    return first
