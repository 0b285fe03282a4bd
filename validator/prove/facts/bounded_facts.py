"""The facts at a place, with bounds: they look at the bounds of terms too, and prove claims by them."""

from __future__ import annotations

from collections.abc import Iterable
from weakref import proxy

from optimizer.ir.domains.bounds import Bounds
from optimizer.ir.domains.term import Term
from validator.prove.facts.bounded import BoundedRewriting
from validator.prove.facts.differences import follows
from validator.prove.facts.facts import Facts
from validator.prove.facts.intervals import Intervals
from validator.prove.facts.journal import go_on
from validator.prove.terms.object_terms import ObjectTerms

_TOLD = frozenset({"eq", "same", "class_in", "class_same", "float_same"})
"""Conditions by which terms stand for others."""


class BoundedFacts(Facts):
    """Facts whose rebuilding has in it what the conditions say of the bounds of terms."""

    def __init__(self, terms: ObjectTerms) -> None:
        super().__init__(terms)
        self._decided: list[Term] = []
        self._followed: list[list[Term]] = []
        me = proxy(self)  # so that these go when nobody else needs them
        self._intervals = Intervals(terms, self._journal, lambda changed: me._hear(changed))
        self._rewriting = BoundedRewriting(terms, self._intervals)

    def follow(self, facts: Facts) -> None:
        """Has these assume what the others have learned, which do not contradict each other, and no more."""
        for step in go_on(self._followed, facts.steps(), self):
            for condition in step:
                self.assume(condition)

    def _hear(self, changed: Term) -> None:
        self._outdate(changed)
        if changed.kind in _TOLD:
            self._decided.append(changed)

    def _learn(self, condition: Term) -> Iterable[Term]:
        more = list(super()._learn(condition))
        self._intervals.assume(condition)
        self.contradiction = self.contradiction or self._intervals.contradiction
        while self._decided and not self.contradiction:
            more += self._learn_decided(self._decided.pop())
        self._decided.clear()
        return more

    def _learn_decided(self, term: Term) -> Iterable[Term]:
        """The intervals have decided a condition, which says more than bounds do."""
        terms = self._terms
        known = terms.remade(term, [self.rebuild(arg) for arg in term.args])
        if not self._intervals.value(term):
            known = terms.not_(known)
        if known is terms.false:
            self.contradiction = True
        literal = known.args[0] if known.kind == "not_" else known
        if literal.kind not in _TOLD or literal in self._stands_for:
            return ()
        return super()._learn(known)

    def _replaced(self, term: Term) -> Term:
        return self._rewriting.rewritten(super()._replaced(term))

    def bounds(self, word: Term) -> Bounds:
        """The bounds of a word's values."""
        bounds: Bounds = self._intervals.value(word)
        return bounds

    def proves(self, claim: Term) -> bool:
        """Does the claim hold, as far as the bounds say? Its denial contradicts what is known, or it is a comparison
        that follows from others, or both of its parts are so."""
        claim = self.rebuild(claim)
        if self.contradiction or claim is self._terms.true or self._contradicts(self._terms.not_(claim)):
            return True
        if claim.kind == "both":
            return all(map(self.proves, claim.args))
        return follows(claim, self.learned, self._intervals, self.rebuild)

    def _contradicts(self, condition: Term) -> bool:
        self.mark()
        self.assume(condition)
        contradicts = self.contradiction
        self.take_back()
        return contradicts
