"""Light algebra of conditions, and of choices between words. See `optimizer.ir.domains.terms`."""

from __future__ import annotations

from collections.abc import Callable

from optimizer.ir.domains.plain_terms import PlainTerms
from optimizer.ir.domains.term import Term

_CANCELS = frozenset({"add", "sub", "bit_xor", "neg", "bit_not"})
"""Operations that are one to one in each argument."""


class ConditionTerms(PlainTerms):
    """Terms whose conditions are rewritten."""

    __slots__ = ()

    def _commuted(self, kind: str, a: Term, b: Term) -> Term:
        return self._make(kind, (a, b) if _sorts_before(a, b) else (b, a))

    def _is(self, term: Term, value: int) -> bool:
        return term.kind == "const" and bool(term.value == value)

    def _predicate(self, kind: str, a: Term, b: Term) -> Term | None:
        """Constants, and a choice between two constants against a third."""
        if a.kind != "ite" and b.kind != "ite" and (a.kind != "const" or b.kind != "const"):
            return None
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
            changed = self._against_constant(a, b) if b.kind == "const" else self._without_common(a, b)
            if changed is None:
                return self._predicate("eq", a, b) or self._commuted("eq", a, b)
            a, b = changed
        return self.true

    def _against_constant(self, a: Term, b: Term) -> tuple[Term, Term] | None:
        """An equation of a simpler term, which says as much as a = b, `b` a constant."""
        match a.kind:
            case "add" | "bit_xor" | "mul" if a.args[1].kind == "const":
                x, c = a.args[0], a.args[1].value
                if a.kind == "add":
                    return x, self.const(b.value - c)
                if a.kind == "bit_xor":
                    return x, self.const(b.value ^ c)
                return (x, self.const(b.value * pow(c, -1, 1 << self.width))) if c % 2 else None
            case "sub" | "bit_xor" if b.value == 0:
                return a.args[0], a.args[1]
            case "sub" if a.args[0].kind == "const":
                return a.args[1], self.const(a.args[0].value - b.value)
            case "neg" | "bit_not":
                return a.args[0], getattr(self, a.kind)(b)
            case _:
                return None

    def _without_common(self, a: Term, b: Term) -> tuple[Term, Term] | None:
        """The two words without what is added to both (or taken from both, or is the sign of both)."""
        for x, y in ((a, b), (b, a)):
            if x.kind in ("add", "bit_xor") and y in x.args:
                return x.args[0] if x.args[1] is y else x.args[1], self.zero
            if x.kind == "sub" and x.args[0] is y:
                return x.args[1], self.zero
        if a.kind != b.kind or a.kind not in _CANCELS:
            return None
        if len(a.args) == 1:
            return a.args[0], b.args[0]
        for i in (0, 1):
            for j in (0, 1) if a.kind != "sub" else (i,):
                if a.args[i] is b.args[j]:
                    return a.args[1 - i], b.args[1 - j]
        return self._summands(a, b) if a.kind == "add" else None

    def _summands(self, a: Term, b: Term) -> tuple[Term, Term] | None:
        """x and y + (d - c) for the sums x + c and y + d."""
        c, d = a.args[1], b.args[1]
        if c.kind != "const" or d.kind != "const":
            return None
        return a.args[0], self.add(b.args[0], self.const(d.value - c.value))

    def slt(self, a: Term, b: Term) -> Term:
        if a is b:
            return self.false
        if b.kind == "const":
            least = -self.concrete.half
            if b.value == least:
                return self.false
            if b.value == least + 1:
                return self.eq(a, self.const(least))
            if b.value == ~least:
                return self.not_(self.eq(a, b))
        elif a.kind == "const":
            return self.false if a.value == self.concrete.half - 1 else self.not_(self.slt(b, self.const(a.value + 1)))
        return self._predicate("slt", a, b) or self._make("slt", (a, b))

    def ult(self, a: Term, b: Term) -> Term:
        if a is b:
            return self.false
        if b.kind == "const":
            match b.value:
                case 0:
                    return self.false
                case 1:
                    return self.eq(a, self.zero)
                case -1:
                    return self.not_(self.eq(a, b))
        elif a.kind == "const":
            return self.false if a.value == -1 else self.not_(self.ult(b, self.const(a.value + 1)))
        elif a in b.args and _is_at_most(b, a):
            return self.false
        elif a.kind == "umulh" and b in a.args:
            return self.not_(self.eq(b, self.zero))
        return self._predicate("ult", a, b) or self._make("ult", (a, b))

    # With a constant an operation overflows outside a range of the other argument.

    def add_overflows(self, a: Term, b: Term) -> Term:
        if a.kind == "const":
            a, b = b, a
        if b.kind == "const":
            low, high = -self.concrete.half - b.value, self.concrete.half - 1 - b.value
            return self._predicate("add_overflows", a, b) or self._outside(a, low, high)
        if a is b:
            return self.mul_overflows(a, self.const(2))
        return self._predicate("add_overflows", a, b) or self._commuted("add_overflows", a, b)

    def sub_overflows(self, a: Term, b: Term) -> Term:
        if a is b:
            return self.false
        decided = self._predicate("sub_overflows", a, b)
        if decided is not None:
            return decided
        if b.kind == "const":
            return self._outside(a, b.value - self.concrete.half, b.value + self.concrete.half - 1)
        if a.kind == "const":
            return self._outside(b, a.value - self.concrete.half + 1, a.value + self.concrete.half)
        return self._make("sub_overflows", (a, b))

    def mul_overflows(self, a: Term, b: Term) -> Term:
        if a.kind == "const":
            a, b = b, a
        decided = self._predicate("mul_overflows", a, b)
        if decided is not None:
            return decided
        if b.kind != "const":
            return self._commuted("mul_overflows", a, b)
        if b.value == 0:
            return self.false
        ends = (-self.concrete.half, self.concrete.half - 1)
        low, high = ends if b.value > 0 else reversed(ends)
        return self._outside(a, -(-low // b.value), high // b.value)

    def _outside(self, a: Term, low: int, high: int) -> Term:
        """Is `a` none of the integers from `low` to `high`, some of which are machine integers?"""
        half = self.concrete.half
        below = self.slt(a, self.const(low)) if low > -half else self.false
        above = self.slt(self.const(high), a) if high < half - 1 else self.false
        return self.either(below, above)

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
        if (c.kind == "not_" and c.args[0] is d) or (d.kind == "not_" and d.args[0] is c):
            return self.false
        return self._make("both", (c, d) if c.number < d.number else (d, c))

    def either(self, c: Term, d: Term) -> Term:
        return self.not_(self.both(self.not_(c), self.not_(d)))

    def is_bit(self, a: Term) -> Term:
        if a.kind == "ite" and {a.args[1], a.args[2]} == {self.zero, self.one}:
            return self.true
        return super().is_bit(a)

    def ite(self, c: Term, a: Term, b: Term) -> Term:
        return self._choice("ite", c, a, b)


def _is_at_most(part: Term, whole: Term) -> bool:
    """Is a term never more than its argument `whole`, unsigned?"""
    return part.kind in ("bit_and", "umulh") or (part.kind == "lshr" and part.args[0] is whole)


def _swapped(holds: Callable[[int, int], bool]) -> Callable[[int, int], bool]:
    return lambda a, b: holds(b, a)


def chooses_constants(term: Term) -> bool:
    """Is it a choice between two constants?"""
    return term.kind == "ite" and term.args[1].kind == "const" and term.args[2].kind == "const"


def _sorts_before(a: Term, b: Term) -> bool:
    if (a.kind == "const") != (b.kind == "const"):
        return b.kind == "const"
    return a.number < b.number
