"""Light algebra of conditions, and of choices between words. See `optimizer.ir.terms`."""

from __future__ import annotations

from collections.abc import Callable

from optimizer.ir.plain_terms import PlainTerms
from optimizer.ir.term import Term


class ConditionTerms(PlainTerms):
    """Terms whose conditions are rewritten."""

    __slots__ = ()

    def _commuted(self, kind: str, a: Term, b: Term) -> Term:
        return self._make(kind, (a, b) if _sorts_before(a, b) else (b, a))

    def _is(self, term: Term, value: int) -> bool:
        return term.kind == "const" and bool(term.value == value)

    def _predicate(self, kind: str, a: Term, b: Term) -> Term | None:
        """Constants, and a choice between two constants against a third."""
        holds: Callable[[int, int], bool] = getattr(self.concrete, kind)
        if a.kind == "const" and b.kind == "const":
            return self.truth(holds(a.value, b.value))
        for x, y, test in ((a, b, holds), (b, a, _swapped(holds))):
            if y.kind == "const" and chooses_constants(x):
                when, otherwise = test(x.args[1].value, y.value), test(x.args[2].value, y.value)
                if when == otherwise:
                    return self.truth(when)
                return x.args[0] if when else self.not_(x.args[0])
        return None

    def eq(self, a: Term, b: Term) -> Term:
        while a is not b:
            if a.kind == "const":
                a, b = b, a
            if b.kind != "const":
                break
            if a.kind == "add" and a.args[1].kind == "const":
                a, b = a.args[0], self.const(b.value - a.args[1].value)
            elif a.kind in ("sub", "bit_xor") and b.value == 0:
                a, b = a.args
            elif a.kind in ("neg", "bit_not"):
                a, b = a.args[0], getattr(self, a.kind)(b)
            else:
                break
        else:
            return self.true
        return self._predicate("eq", a, b) or self._commuted("eq", a, b)

    def slt(self, a: Term, b: Term) -> Term:
        if a is b or self._is(b, -self.concrete.half) or self._is(a, self.concrete.half - 1):
            return self.false
        if a.kind == "const" and b.kind != "const":
            return self.not_(self.slt(b, self.const(a.value + 1)))
        return self._predicate("slt", a, b) or self._make("slt", (a, b))

    def ult(self, a: Term, b: Term) -> Term:
        if a is b or self._is(b, 0) or self._is(a, -1):
            return self.false
        if self._is(b, 1):
            return self.eq(a, self.zero)
        if self._is(a, 0):
            return self.not_(self.eq(b, self.zero))
        if a.kind == "const" and b.kind != "const":
            return self.not_(self.ult(b, self.const(a.value + 1)))
        return self._predicate("ult", a, b) or self._make("ult", (a, b))

    def add_overflows(self, a: Term, b: Term) -> Term:
        if self._is(a, 0) or self._is(b, 0):
            return self.false
        return self._predicate("add_overflows", a, b) or self._commuted("add_overflows", a, b)

    def sub_overflows(self, a: Term, b: Term) -> Term:
        if a is b or self._is(b, 0):
            return self.false
        return self._predicate("sub_overflows", a, b) or self._make("sub_overflows", (a, b))

    def mul_overflows(self, a: Term, b: Term) -> Term:
        for x, y in ((a, b), (b, a)):
            if self._is(y, 0) or self._is(y, 1):
                return self.false
            if self._is(y, -1):
                return self.eq(x, self.const(-self.concrete.half))
        return self._predicate("mul_overflows", a, b) or self._commuted("mul_overflows", a, b)

    def not_(self, c: Term) -> Term:
        if c.kind == "truth":
            return self.truth(not c.value)
        if c.kind == "not_":
            return c.args[0]
        return self._make("not_", (c,))

    def both(self, c: Term, d: Term) -> Term:
        if c is self.false or d is self.false:
            return self.false
        if c is self.true or c is d:
            return d
        if d is self.true:
            return c
        if self.not_(c) is d:
            return self.false
        return self._make("both", (c, d) if c.number < d.number else (d, c))

    def either(self, c: Term, d: Term) -> Term:
        return self.not_(self.both(self.not_(c), self.not_(d)))

    def ite(self, c: Term, a: Term, b: Term) -> Term:
        if c.kind == "truth":
            return a if c.value else b
        if c.kind == "not_":
            c, a, b = c.args[0], b, a
        if a.kind == "ite" and a.args[0] is c:
            a = a.args[1]
        if b.kind == "ite" and b.args[0] is c:
            b = b.args[2]
        if a is b:
            return a
        return self._make("ite", (c, a, b))


def _swapped(holds: Callable[[int, int], bool]) -> Callable[[int, int], bool]:
    return lambda a, b: holds(b, a)


def chooses_constants(term: Term) -> bool:
    """Is it a choice between two constants?"""
    return term.kind == "ite" and term.args[1].kind == "const" and term.args[2].kind == "const"


def _sorts_before(a: Term, b: Term) -> bool:
    if (a.kind == "const") != (b.kind == "const"):
        return b.kind == "const"
    return a.number < b.number
