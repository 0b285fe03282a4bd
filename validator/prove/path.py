"""The path to the place that an encoder has come to, which decides conditions: is a call made, or not?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from optimizer.ir.domains.term import Term
from validator.prove.encoding import Definedness, Encoding, GuardEncoding
from validator.prove.terms.object_terms import ObjectTerms

if TYPE_CHECKING:
    from validator.prove.facts.bounded_facts import BoundedFacts


class Path:
    """The facts where the run gets to a place: the `guards` so far have passed, and what the recorded trace has done by
    then is defined. That is `defined` where it is the recorded trace that is encoded, else `before` says it. Both lists
    grow."""

    def __init__(
        self, guards: Sequence[GuardEncoding], defined: Sequence[Definedness], before: Encoding | None
    ) -> None:
        self._guards = guards
        self._defined = defined
        self._before = before
        self._facts: BoundedFacts | None = None
        self._assumed: set[Term] = set()
        self._era: object = None

    def decided(self, terms: ObjectTerms, condition: Term, events: int) -> Term:
        """The condition, which is true or false where the path says so, behind so many events."""
        from validator.prove.facts.bounded_facts import BoundedFacts  # here: most traces have no conditional calls

        if condition.kind != "truth":
            condition = _decided(BoundedFacts(terms), terms, condition)
        if condition.kind != "truth":
            condition = _decided(self._known(terms, events), terms, condition)
        return condition

    def _known(self, terms: ObjectTerms, events: int) -> BoundedFacts:
        """The facts there, more at each place."""
        if self._facts is None or self._era is not terms.pointers.era:
            from validator.prove.facts.bounded_facts import BoundedFacts

            self._facts, self._assumed, self._era = BoundedFacts(terms), set(), terms.pointers.era
        facts = self._facts
        facts.move_on(terms)
        passed, defined = [guard.passes for guard in self._guards], [known.condition for known in self._defined]
        for condition in passed if self._before is not None else [*passed, *defined]:
            self._assume(facts, condition)
        for guards, condition in () if self._before is None else _promised(self._before, events):
            if any(facts.rebuild(passes) is not terms.true for passes in guards):
                break
            self._assume(facts, condition)
        return facts

    def _assume(self, facts: BoundedFacts, condition: Term) -> None:
        if condition not in self._assumed:
            self._assumed.add(condition)
            facts.assume(condition)


def _decided(facts: BoundedFacts, terms: ObjectTerms, condition: Term) -> Term:
    if facts.contradiction:
        return condition
    if facts.proves(condition):
        return terms.true
    return terms.false if facts.proves(terms.not_(condition)) else condition


def _promised(before: Encoding, events: int) -> Iterator[tuple[list[Term], Term]]:
    """The promise that the operations of `before` with at most `events` events ahead are defined, each with the guards
    in front of it and behind the one before it."""
    guards = 0
    for known in before.defined:
        if known.events > events:
            return
        yield [guard.passes for guard in before.guards[guards : known.guards]], known.condition
        guards = known.guards
