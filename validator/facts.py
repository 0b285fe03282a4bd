"""What is known at a place, as rewritings of terms: the structure rung looks at obligations through them.

A condition that holds is the term `true`; an equation lets the simpler side stand for the other; a comparison decides
the ones that it excludes. Of each reference is known which classes it may have: what has no class in common is not the
same object, nor is what has different lengths or different contents of one initial memory. A term is rebuilt bottom-up
with all that put in, so that the algebra of `Terms` applies to what comes out. Rebuilding changes no value on any input
on which the assumed conditions hold.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from optimizer.ir.term import Term, cone_within
from validator.object_kinds import ANY_CLASS, NO_CLASS, ClassRange
from validator.object_terms import ObjectTerms

_LARGEST = 2000
"""Terms of more parts are not rebuilt: what is known changes with each condition, and then all is to do again."""

_FIXED = frozenset({"null", "alloc", "constant"})


class Facts:
    """Conditions that hold; `learned` are they, each under those before it. `contradiction`: they cannot hold all at
    once, so that no run gets there."""

    def __init__(self, terms: ObjectTerms) -> None:
        self._terms = terms
        self._classes: dict[Term, ClassRange] = {}
        self._constants: dict[Term, dict[Hashable, Term]] = {}
        self._stands_for: dict[Term, Term] = {}
        self._rebuilt: dict[Term, Term] = {}
        self.learned: list[Term] = []
        self.contradiction = False

    def extended(self, conditions: Iterable[Term]) -> Facts:
        """These facts and more, as a value of its own."""
        more = Facts(self._terms)
        more._stands_for = self._stands_for.copy()
        more._classes = self._classes.copy()
        more._constants = {p: known.copy() for p, known in self._constants.items()}
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
                waiting += self._learn(known)

    def _learn(self, condition: Term) -> Iterable[Term]:
        """The condition holds; gives what is to be said again, because it says more now."""
        terms = self._terms
        self.learned.append(condition)
        if condition.kind == "not_":
            denied = condition.args[0]
            self._put(denied, terms.false)
            if denied.kind == "class_in":
                self._exclude_classes(denied.args[0], denied.value)
            return ()
        self._put(condition, terms.true)
        match condition.kind, condition.args:
            case "class_in", (class_,):
                self._limit_classes(class_, condition.value)
            case "same", (p, q) if "choose" not in (p.kind, q.kind):
                self._identify(p, q)
                return self.learned[-2::-1]
            case "eq", (a, b):
                if b.kind == "const":
                    self._note_constant(a, b)
                # A constant has no parts, and other terms have higher numbers than their parts: no rewriting goes
                # round in a circle.
                if b.kind == "const" or (a.kind != "const" and b.number < a.number):
                    self._put(a, b)
                else:
                    self._put(b, a)
            case ("slt" | "ult") as order, (a, b):
                self._put(terms.eq(a, b), terms.false)
                self._put(getattr(terms, order)(b, a), terms.false)
        return ()

    def _identify(self, p: Term, q: Term) -> None:
        """Both are one object, and one stands for the other."""
        if q.kind in _FIXED or (p.kind not in _FIXED and q.number < p.number):
            p, q = q, p
        self._put(q, p)

    def _limit_classes(self, class_: Term, range_: ClassRange) -> None:
        low, high = self._classes.get(class_, ANY_CLASS)
        self._classes[class_] = low, high = max(low, range_[0]), min(high, range_[1])
        self.contradiction = self.contradiction or low > high
        self._rebuilt.clear()

    def _exclude_classes(self, class_: Term, range_: ClassRange) -> None:
        low, high = self._classes.get(class_, ANY_CLASS)
        if range_[0] <= low:
            self._limit_classes(class_, (range_[1] + 1, high))
        elif high <= range_[1]:
            self._limit_classes(class_, (low, range_[0] - 1))
        if self._classes.get(class_) == NO_CLASS and class_.kind == "class_of":
            self._put(class_.args[0], self._terms.null)

    def _note_constant(self, term: Term, constant: Term) -> None:
        """What is a function of an object has a known value there."""
        if term.kind == "length" or (term.kind == "load" and len(term.args) == 1):
            self._constants.setdefault(term.args[0], {})[term.kind, term.value] = constant
            self._rebuilt.clear()

    def _class_range(self, p: Term) -> ClassRange:
        class_ = self._terms.class_of(p)
        low, high = self._terms.class_limits(class_)
        least, most = self._classes.get(class_, ANY_CLASS)
        return max(low, least), min(high, most)

    def _are_distinct(self, p: Term, q: Term) -> bool:
        (low, high), (least, most) = self._class_range(p), self._class_range(q)
        if high < least or most < low:
            return True
        one, two = self._constants.get(p, {}), self._constants.get(q, {})
        return any(two.get(key, constant) is not constant for key, constant in one.items())

    def _put(self, term: Term, stands: Term) -> None:
        if term.kind == "not_":
            term, stands = term.args[0], self._terms.not_(stands)
        if term.kind not in ("truth", "const") and term is not stands:
            self._stands_for[term] = stands
            self._rebuilt.clear()

    def rebuild(self, root: Term) -> Term:
        """The term that `root` is, as far as the facts say; itself where it is too large."""
        rebuilt = self._rebuilt
        if root in rebuilt:
            return rebuilt[root]
        for term in cone_within([root], rebuilt, _LARGEST) or ():
            rebuilt[term] = self._replaced(self._reassembled(term))
        return rebuilt.get(root, root)

    def _reassembled(self, term: Term) -> Term:
        args = tuple(map(self._rebuilt.__getitem__, term.args))
        return term if args == term.args else self._terms.remade(term, args)

    def _replaced(self, term: Term) -> Term:
        while term in self._stands_for:
            term = self._stands_for[term]
        match term.kind, term.args:
            case "class_in", (class_,) if class_ in self._classes:
                low, high = self._classes[class_]
                if term.value[0] <= low and high <= term.value[1]:
                    return self._terms.true
                if high < term.value[0] or term.value[1] < low:
                    return self._terms.false
            case "same", (p, q) if self._are_distinct(p, q):
                return self._terms.false
        return term
