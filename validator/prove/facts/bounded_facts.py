"""The facts at a place, with bounds: they look at the bounds of terms too, and prove claims by them."""

from __future__ import annotations

from collections.abc import Iterable
from weakref import proxy

from optimizer.ir.domains.bounds import Bounds
from optimizer.ir.domains.term import Term, cone_within
from validator.prove.facts.bounded import BoundedRewriting
from validator.prove.facts.differences import follows
from validator.prove.facts.facts import Facts
from validator.prove.facts.intervals import Intervals
from validator.prove.facts.journal import go_on
from validator.prove.terms.object_terms import ObjectTerms

_SPLITS = 2
"""The depth of nested choices in a claim that are looked at, at most."""

_LARGEST_SPLIT = 100
"""The number of parts of a claim up to which choices are looked for in it."""

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
        that follows from others."""
        claim = self.rebuild(claim)
        if self.contradiction or claim is self._terms.true or self._contradicts(self._terms.not_(claim)):
            return True
        if claim is self._terms.false:  # bounds that were learned later may make what is known false, too
            return any(self.rebuild(one) is claim for one in self.learned)
        return follows(claim, self.learned, self._intervals, self.rebuild)

    def proves_by_cases(self, claim: Term, splits: int = _SPLITS) -> bool:
        """The same, also where it holds both where the condition of a choice in it holds and where it does not."""
        if self.proves(claim):
            return True
        claim = self.rebuild(claim)
        if claim.kind == "both":
            return all(self.proves_by_cases(part, splits) for part in claim.args)
        condition = self._choice_in(claim) if splits else None
        if condition is None:
            return False
        return all(self._proves_where(case, claim, splits - 1) for case in (condition, self._terms.not_(condition)))

    def _contradicts(self, condition: Term) -> bool:
        self.mark()
        self.assume(condition)
        contradicts = self.contradiction
        self.take_back()
        return contradicts

    def _proves_where(self, condition: Term, claim: Term, splits: int) -> bool:
        self.mark()
        self.assume(condition)
        proves = self.proves_by_cases(claim, splits)
        self.take_back()
        return proves

    def _choice_in(self, claim: Term) -> Term | None:
        """The condition of the first choice that the claim is built of, or the first of those that it combines."""
        for term in cone_within([claim], (), _LARGEST_SPLIT) or ():
            if term.kind in ("ite", "both"):
                return _first_of(term.args[0])
        return None


def _first_of(condition: Term) -> Term:
    """The first condition that a combination of conditions is made of."""
    while condition.kind in ("both", "not_"):
        condition = condition.args[0]
    return condition
