"""What is known at a place, as rewritings of terms: the structure rung looks at obligations through them.

A condition that holds is the term `true`; an equation lets the simpler side stand for the other; a comparison decides
the ones that it excludes. A term is rebuilt bottom-up with all that put in, so that the algebra of `Terms` applies to
what comes out. Rebuilding changes no value on any input on which the assumed conditions hold.
"""

from __future__ import annotations

from collections.abc import Iterable

from optimizer.ir.term import Term, cone
from optimizer.ir.terms import Terms


class Facts:
    """Conditions that hold; `learned` are they, each under those before it. `contradiction`: they cannot hold all at
    once, so that no run gets there."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._stands_for: dict[Term, Term] = {}
        self._rebuilt: dict[Term, Term] = {}
        self.learned: list[Term] = []
        self.contradiction = False

    def extended(self, conditions: Iterable[Term]) -> Facts:
        """These facts and more, as a value of its own."""
        more = Facts(self._terms)
        more._stands_for = self._stands_for.copy()
        more.learned = self.learned.copy()
        more.contradiction = self.contradiction
        for condition in conditions:
            more.assume(condition)
        return more

    def assume(self, condition: Term) -> None:
        """From here on, `condition` holds."""
        waiting = [condition]
        while waiting:
            known = self.rebuild(waiting.pop())
            if known is self._terms.false:
                self.contradiction = True
            elif known.kind == "both":
                waiting += known.args
            elif known is not self._terms.true:
                self._learn(known)

    def _learn(self, condition: Term) -> None:
        terms = self._terms
        self.learned.append(condition)
        if condition.kind == "not_":
            self._put(condition.args[0], terms.false)
            return
        self._put(condition, terms.true)
        match condition.kind, condition.args:
            case "eq", (a, b):
                # A constant has no parts, and other terms have higher numbers than their parts: no rewriting goes
                # round in a circle.
                if b.kind == "const" or (a.kind != "const" and b.number < a.number):
                    self._put(a, b)
                else:
                    self._put(b, a)
            case ("slt" | "ult") as order, (a, b):
                self._put(terms.eq(a, b), terms.false)
                self._put(getattr(terms, order)(b, a), terms.false)

    def _put(self, term: Term, stands: Term) -> None:
        if term.kind == "not_":
            term, stands = term.args[0], self._terms.not_(stands)
        if term.kind not in ("truth", "const") and term is not stands:
            self._stands_for[term] = stands
            self._rebuilt.clear()

    def rebuild(self, root: Term) -> Term:
        """The term that `root` is, as far as the facts say."""
        rebuilt = self._rebuilt
        if root in rebuilt:
            return rebuilt[root]
        for term in cone([root], rebuilt):
            rebuilt[term] = self._replaced(self._reassembled(term))
        return rebuilt[root]

    def _reassembled(self, term: Term) -> Term:
        args = [self._rebuilt[arg] for arg in term.args]
        if all(new is old for new, old in zip(args, term.args, strict=True)):
            return term
        made: Term = getattr(self._terms, term.kind)(*args)
        return made

    def _replaced(self, term: Term) -> Term:
        while term in self._stands_for:
            term = self._stands_for[term]
        return term
