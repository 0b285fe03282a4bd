"""The facts at a place, as rewritings of terms: the structure rung looks at obligations through them.

A condition that holds is the term `true`; an equation lets the simpler side stand for the other; a comparison decides
the ones that it excludes. Of each reference is known which classes it may have: what has no class in common is not the
same object, nor is what has different lengths or different contents of one initial memory. A term is rebuilt bottom-up
with all that put in, so that the algebra of `Terms` applies to what comes out, and what comes out is rebuilt again.
Rebuilding changes no value on any input on which the assumed conditions hold.

What was rebuilt is kept. A new fact drops only what is built of the terms that it is about.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from itertools import pairwise

from optimizer.ir.domains.term import Term, missing
from validator.prove.facts.journal import Journal
from validator.prove.terms.object_kinds import ANY_CLASS, NO_CLASS, ClassRange
from validator.prove.terms.object_terms import ObjectTerms

_LARGEST = 2000
"""Terms of more parts that were not rebuilt yet stay as they are."""

_LARGEST_RESULT = 200
_ROUNDS = 4
"""The number of rounds in which the result of rebuilding is rebuilt, if it has no more new parts than
`_LARGEST_RESULT`."""

_FIXED = frozenset({"null", "alloc", "constant"})


class Facts:
    """Conditions that hold; `learned` are they, each under those before it. `contradiction`: they cannot hold all at
    once, so that no run gets there."""

    def __init__(self, terms: ObjectTerms) -> None:
        self._terms = terms
        self._journal = Journal()
        self._marks: list[tuple[int, bool]] = []
        self._classes: dict[Term, ClassRange] = {}
        self._constants: dict[Term, dict[Hashable, Term]] = {}
        self._stands_for: dict[Term, Term] = {}
        self._rebuilt: dict[Term, Term] = {}
        self._users: defaultdict[Term, set[Term]] = defaultdict(set)  # whose rebuilding looked at the term
        self._large: set[Term] = set()  # too large to be rebuilt: not said again for each new equation
        self.learned: list[Term] = []
        self.contradiction = False

    def move_on(self, terms: ObjectTerms) -> None:
        """Goes on with terms that may know more of pointers, in the same era: what was found out by the facts stays
        right."""
        self._terms = terms

    def mark(self) -> None:
        """Marks a point: all that is assumed from here on can be taken back."""
        self._journal.mark()
        self._marks.append((len(self.learned), self.contradiction))

    def take_back(self) -> None:
        """Forget what was assumed since the latest mark, and the mark."""
        self._journal.take_back()
        learned, self.contradiction = self._marks.pop()
        del self.learned[learned:]

    def steps(self) -> list[list[Term]]:
        """The conditions learned ahead of the first mark, and behind each."""
        starts = [0, *(learned for learned, *_ in self._marks), len(self.learned)]
        return [self.learned[start:end] for start, end in pairwise(starts)]

    def assume(self, condition: Term) -> None:
        """Assumes that from here on `condition` holds."""
        waiting = [condition]
        while waiting:
            said = waiting.pop()
            if said.kind == "both":
                waiting += said.args
                continue
            known = self.rebuild(said)
            if known is self._terms.false:
                self.contradiction = True
            elif known.kind == "both":
                waiting += known.args
            elif known is not self._terms.true:
                waiting += self._learn(known)

    def _learn(self, condition: Term) -> Iterable[Term]:
        """The condition holds; gives what is to be said again, or as well, because of it."""
        terms = self._terms
        self.learned.append(condition)
        if condition.kind == "not_":
            denied = condition.args[0]
            self._put(denied, terms.false)
            return self._deny(denied)
        self._put(condition, terms.true)
        match condition.kind, condition.args:
            case "class_in", (class_,):
                self._limit_classes(class_, condition.value)
            case "class_same", (a, b):
                self._identify_classes(a, b)
            case "same", (p, q) if "choose" not in (p.kind, q.kind):
                self._identify(p, q)
                return [one for one in self.learned[-2::-1] if one not in self._large]
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
            case "float_same", (a, b):
                if b.kind == "float_const" or (a.kind != "float_const" and b.number < a.number):
                    self._put(a, b)
                else:
                    self._put(b, a)
            case "float_lt", (a, b):
                self._put(terms.floats.eq(a, b), terms.false)
                self._put(terms.floats.lt(b, a), terms.false)
        return ()

    def _deny(self, denied: Term) -> Iterable[Term]:
        """The conditions that hold besides where `denied` does not: of less, equal and greater, the third where two are
        excluded."""
        match denied.kind, denied.args:
            case "class_in", (class_,):
                self._exclude_classes(class_, denied.value)
            case ("slt" | "ult") as order, (a, b):
                return self._third(order, a, b)
            case (("add_overflows" | "sub_overflows"), (a, b)):
                for condition in self._undone(denied.kind, a, b):
                    self._put(condition, self._terms.false)
            case "eq", (a, b):
                return [
                    other
                    for order in ("slt", "ult")
                    for x, y in ((a, b), (b, a))
                    if self._is_excluded(getattr(self._terms, order)(x, y))
                    for other in self._third(order, x, y)
                ]
        return ()

    def _undone(self, kind: str, a: Term, b: Term) -> Iterable[Term]:
        """The overflows that are excluded too where that one is: those of the operations that give one of the two words
        back."""
        terms = self._terms
        if kind == "add_overflows":
            total = terms.add(a, b)
            return terms.sub_overflows(total, a), terms.sub_overflows(total, b)
        rest = terms.sub(a, b)
        return terms.sub_overflows(a, rest), terms.add_overflows(rest, b)

    def _third(self, order: str, a: Term, b: Term) -> Iterable[Term]:
        """The conditions that are left where `a` is not below `b`."""
        equal, above = self._terms.eq(a, b), getattr(self._terms, order)(b, a)
        if self._is_excluded(equal):
            return (above,)
        return (equal,) if self._is_excluded(above) else ()

    def _is_excluded(self, condition: Term) -> bool:
        if condition.kind == "not_":
            return self._stands_for.get(condition.args[0]) is self._terms.true
        return self._stands_for.get(condition) is self._terms.false

    def _identify(self, p: Term, q: Term) -> None:
        """Notes that both are one object: one stands for the other."""
        if q.kind in _FIXED or (p.kind not in _FIXED and q.number < p.number):
            p, q = q, p
        self._put(q, p)

    def _identify_classes(self, a: Term, b: Term) -> None:
        """Notes that both are one class: a name stands for what has no name."""
        if a.kind == "class_name" or (b.kind != "class_name" and a.number < b.number):
            a, b = b, a
        self._put(a, b)
        if a in self._classes:
            self._limit_classes(b, self._classes[a])
        if a.kind == "class_of":
            self._outdate(a.args[0])

    def _limit_classes(self, class_: Term, range_: ClassRange) -> None:
        low, high = self._classes.get(class_, ANY_CLASS)
        low, high = max(low, range_[0]), min(high, range_[1])
        self._journal.put(self._classes, class_, (low, high))
        self.contradiction = self.contradiction or low > high
        # Identity of objects looks at their classes, which are no parts of it.
        if class_.kind == "class_of":
            self._outdate(class_.args[0])
        else:
            self._journal.drop_all(self._rebuilt)

    def _exclude_classes(self, class_: Term, range_: ClassRange) -> None:
        low, high = self._classes.get(class_, ANY_CLASS)
        if range_[0] <= low:
            self._limit_classes(class_, (range_[1] + 1, high))
        elif high <= range_[1]:
            self._limit_classes(class_, (low, range_[0] - 1))
        if self._classes.get(class_) == NO_CLASS and class_.kind == "class_of":
            self._put(class_.args[0], self._terms.null)

    def _note_constant(self, term: Term, constant: Term) -> None:
        """Notes the value of a function of an object, which is a constant."""
        if term.kind == "length" or (term.kind == "load" and len(term.args) == 1):
            owner = term.args[0]
            known = self._constants.get(owner, {})
            self._journal.put(self._constants, owner, {**known, (term.kind, term.value): constant})
            self._outdate(owner)

    def _class_range(self, p: Term) -> ClassRange:
        class_ = self._terms.class_of(p)
        while class_ in self._stands_for:
            class_ = self._stands_for[class_]
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
        if term.kind not in ("truth", "const") and term is not stands and self._stands_for.get(term) is not stands:
            self._journal.put(self._stands_for, term, stands)
            self._outdate(term)

    def _outdate(self, term: Term) -> None:
        """Drops what the term was rebuilt to, and what is built of it: more is known of the term."""
        rebuilt, users, drop = self._rebuilt, self._users, self._journal.drop
        if term in rebuilt:
            drop(rebuilt, term)
        stack = [term]
        while stack:
            for user in users.get(stack.pop(), ()):
                if user in rebuilt:
                    drop(rebuilt, user)
                    stack.append(user)

    def rebuild(self, root: Term) -> Term:
        """The term that `root` is, as far as the facts say; itself where it is too large."""
        if root in self._rebuilt:
            return self._rebuilt[root]
        return self._rebuild(root, _LARGEST, _ROUNDS)

    def _rebuild(self, root: Term, most: int, rounds: int) -> Term:
        rebuilt, put = self._rebuilt, self._journal.put
        parts = missing(root, rebuilt, most)
        if not parts and root not in rebuilt:
            self._large.add(root)
        for term in parts:
            put(rebuilt, term, term if term.kind == "const" else self._rewritten(term, rounds))
        return rebuilt.get(root, root)

    def _rewritten(self, term: Term, rounds: int) -> Term:
        """The term, which is no constant, with its parts rebuilt, rebuilt itself."""
        users, rebuilt, made = self._users, self._rebuilt, term
        if term.args:
            for arg in term.args:
                users[arg].add(term)
            args = tuple([rebuilt[arg] for arg in term.args])
            made = term if args == term.args else self._terms.remade(term, args)
        new = self._replaced(made)
        if new is term:
            return term
        users[made].add(term)
        users[new].add(term)
        if not rounds or new in rebuilt:
            return rebuilt.get(new, new)
        last = self._rebuild(new, _LARGEST_RESULT, rounds - 1)
        users[last].add(term)
        return last

    def _replaced(self, term: Term) -> Term:
        while term in self._stands_for:
            term = self._stands_for[term]
        if term.kind == "class_in" and term.args[0] in self._classes:
            low, high = self._classes[term.args[0]]
            if term.value[0] <= low and high <= term.value[1]:
                return self._terms.true
            if high < term.value[0] or term.value[1] < low:
                return self._terms.false
        if term.kind == "same" and self._are_distinct(*term.args):
            return self._terms.false
        return term
