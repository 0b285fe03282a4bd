"""The domain of symbolic terms: a hash-consed, canonicalizing DAG that both traces of a pair share.

Two calls that build the same term give the same object, so that equality of meaning is often identity. Building
applies light algebra: constants fold, constants stand to the right, the arguments of commutative operations are
sorted, and terms that optimizers commonly write in two ways have one form (`x * 8` is `x << 3`, `not (a < b)` is
`b <= a`). Every such rewriting holds for all inputs, defined or not, at every width: it is part of what a proof
trusts, and is tested exhaustively at small widths against the concrete domain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from optimizer.ir.concrete import Concrete, concrete
from optimizer.ir.domain import Domain
from optimizer.ir.term import Term


class Terms(Domain[Term, Term]):
    """Builds terms of one width. Words and conditions are both `Term`."""

    __slots__ = ("_made", "concrete", "false", "one", "true", "zero")

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.concrete: Concrete = concrete(width)
        self._made: dict[tuple[Any, ...], Term] = {}
        self.true = self._make("truth", (), True)
        self.false = self._make("truth", (), False)
        self.zero = self.const(0)
        self.one = self.const(1)

    def _make(self, kind: str, args: tuple[Term, ...], value: Any = None) -> Term:
        key = (kind, value, *args)
        term = self._made.get(key)
        if term is None:
            term = self._made[key] = Term(kind, args, value, len(self._made))
        return term

    def remade(self, term: Term, args: Sequence[Term]) -> Term:
        """The term that `term` is with other arguments."""
        made: Term = getattr(self, term.kind)(*args)
        return made

    # Leaves.

    def const(self, value: int) -> Term:
        return self._make("const", (), self.concrete.const(value))

    def truth(self, value: bool) -> Term:
        return self.true if value else self.false

    def var(self, name: str) -> Term:
        """The unknown word of that name."""
        return self._make("var", (), name)

    # How most nodes are made.

    def _word1(self, kind: str, a: Term) -> Term | None:
        if a.kind == "const":
            return self.const(getattr(self.concrete, kind)(a.value))
        return None

    def _word2(self, kind: str, a: Term, b: Term) -> Term | None:
        if a.kind == "const" and b.kind == "const":
            return self.const(getattr(self.concrete, kind)(a.value, b.value))
        for choice, other in ((a, b), (b, a)):
            if _chooses_constants(choice):
                return self._of_choice(kind, a, b, choice, other)
        return None

    def _of_choice(self, kind: str, a: Term, b: Term, choice: Term, other: Term) -> Term | None:
        """An operation on a choice between constants, where it comes to no more than a choice on either side."""
        operation: Callable[[Term, Term], Term] = getattr(self, kind)
        condition, when, otherwise = choice.args
        results = [operation(k, b) if choice is a else operation(a, k) for k in (when, otherwise)]
        if all(result.kind == "const" or result is other for result in results):
            return self.ite(condition, *results)
        return None

    def _commuted(self, kind: str, a: Term, b: Term) -> Term:
        return self._make(kind, (a, b) if _sorts_before(a, b) else (b, a))

    def _is(self, term: Term, value: int) -> bool:
        return term.kind == "const" and bool(term.value == value)

    def _log2(self, term: Term) -> int | None:
        """k where `term` is the constant bit pattern 1 << k."""
        if term.kind == "const":
            pattern = term.value & self.concrete.mask
            if pattern and not pattern & (pattern - 1):
                return int(pattern).bit_length() - 1
        return None

    # Arithmetic.

    def add(self, a: Term, b: Term) -> Term:
        if a.kind == "const":
            a, b = b, a
        if b.kind == "const":
            if a.kind == "const":
                return self.const(a.value + b.value)
            if b.value == 0:
                return a
            if a.kind == "add" and a.args[1].kind == "const":
                return self.add(a.args[0], self.const(a.args[1].value + b.value))
        if a is b:
            return self.shl(a, self.one)
        if self._is_negation(a, b):
            return self.zero
        for x, y in ((a, b), (b, a)):
            if x.kind == "sub" and x.args[1] is y:
                return x.args[0]
            if x.kind == "neg":
                return self.sub(y, x.args[0])
        return self._word2("add", a, b) or self._commuted("add", a, b)

    def _is_negation(self, a: Term, b: Term) -> bool:
        return (a.kind == "neg" and a.args[0] is b) or (b.kind == "neg" and b.args[0] is a)

    def sub(self, a: Term, b: Term) -> Term:
        if a is b:
            return self.zero
        if b.kind == "const":
            return self.add(a, self.const(-b.value))
        if self._is(a, 0):
            return self.neg(b)
        if b.kind == "neg":
            return self.add(a, b.args[0])
        if a.kind == "add" and b in a.args:
            return a.args[0] if a.args[1] is b else a.args[1]
        if b.kind == "sub" and b.args[0] is a:
            return b.args[1]
        if b.kind == "add" and a in b.args:
            return self.neg(b.args[0] if b.args[1] is a else b.args[1])
        return self._make("sub", (a, b))

    def neg(self, a: Term) -> Term:
        if a.kind == "neg":
            return a.args[0]
        if a.kind == "sub":
            return self.sub(a.args[1], a.args[0])
        return self._word1("neg", a) or self._make("neg", (a,))

    def mul(self, a: Term, b: Term) -> Term:
        if a.kind == "const":
            a, b = b, a
        if b.kind == "const":
            if a.kind == "const":
                return self.const(a.value * b.value)
            if b.value == 0:
                return b
            if b.value == -1:
                return self.neg(a)
            k = self._log2(b)
            if k is not None:
                return self.shl(a, self.const(k))
        return self._word2("mul", a, b) or self._commuted("mul", a, b)

    def umulh(self, a: Term, b: Term) -> Term:
        if a.kind == "const":
            a, b = b, a
        if b.kind == "const" and b.value in (0, 1):
            return self.zero
        return self._word2("umulh", a, b) or self._commuted("umulh", a, b)

    def udiv(self, a: Term, b: Term) -> Term:
        k = self._log2(b)
        if k is not None:
            return self.lshr(a, self.const(k))
        return self._word2("udiv", a, b) or self._quotient(a, b) or self._make("udiv", (a, b))

    def sdiv(self, a: Term, b: Term) -> Term:
        if self._is(b, 1):
            return a
        if self._is(b, -1):
            return self.neg(a)
        return self._word2("sdiv", a, b) or self._quotient(a, b) or self._make("sdiv", (a, b))

    def srem(self, a: Term, b: Term) -> Term:
        if self._is(b, 1) or self._is(b, -1):
            return self.zero
        return self._word2("srem", a, b) or self._remainder("srem", a, b) or self._make("srem", (a, b))

    def fdiv(self, a: Term, b: Term) -> Term:
        k = self._log2(b)
        if k is not None and b.value > 0:
            return self.ashr(a, self.const(k))
        if self._is(b, -1):
            return self.neg(a)
        return self._word2("fdiv", a, b) or self._quotient(a, b) or self._make("fdiv", (a, b))

    def fmod(self, a: Term, b: Term) -> Term:
        k = self._log2(b)
        if k is not None and b.value > 0:
            return self.bit_and(a, self.const(b.value - 1))
        if self._is(b, -1):
            return self.zero
        return self._word2("fmod", a, b) or self._remainder("fmod", a, b) or self._make("fmod", (a, b))

    def _quotient(self, a: Term, b: Term) -> Term | None:
        """What the three divisions share: x // x and 0 // x, which are -1 where x is 0."""
        if a is b:
            return self.ite(self.eq(b, self.zero), self.const(-1), self.one)
        if self._is(a, 0):
            return self.ite(self.eq(b, self.zero), self.const(-1), self.zero)
        return None

    def _remainder(self, kind: str, a: Term, b: Term) -> Term | None:
        """What the two remainders share: x % x, 0 % x, and the remainder of a remainder."""
        if a is b or self._is(a, 0):
            return self.zero
        return a if a.kind == kind and a.args[1] is b else None

    # Bits.

    def bit_and(self, a: Term, b: Term) -> Term:
        if a.kind == "const":
            a, b = b, a
        if self._is(b, 0) or a is b:
            return b
        if self._is(b, -1):
            return a
        if b.kind == "const" and a.kind == "bit_and" and a.args[1].kind == "const":
            return self.bit_and(a.args[0], self.const(a.args[1].value & b.value))
        if self._is_complement(a, b):
            return self.zero
        return self._word2("bit_and", a, b) or self._commuted("bit_and", a, b)

    def bit_or(self, a: Term, b: Term) -> Term:
        if a.kind == "const":
            a, b = b, a
        if self._is(b, -1) or a is b:
            return b
        if self._is(b, 0):
            return a
        if b.kind == "const" and a.kind == "bit_or" and a.args[1].kind == "const":
            return self.bit_or(a.args[0], self.const(a.args[1].value | b.value))
        if self._is_complement(a, b):
            return self.const(-1)
        return self._word2("bit_or", a, b) or self._commuted("bit_or", a, b)

    def bit_xor(self, a: Term, b: Term) -> Term:
        if a.kind == "const":
            a, b = b, a
        if a is b:
            return self.zero
        if self._is(b, 0):
            return a
        if self._is(b, -1):
            return self.bit_not(a)
        if b.kind == "const" and a.kind == "bit_xor" and a.args[1].kind == "const":
            return self.bit_xor(a.args[0], self.const(a.args[1].value ^ b.value))
        for x, y in ((a, b), (b, a)):
            if x.kind == "bit_xor" and y in x.args:
                return x.args[0] if x.args[1] is y else x.args[1]
        return self._word2("bit_xor", a, b) or self._commuted("bit_xor", a, b)

    def _is_complement(self, a: Term, b: Term) -> bool:
        return (a.kind == "bit_not" and a.args[0] is b) or (b.kind == "bit_not" and b.args[0] is a)

    def bit_not(self, a: Term) -> Term:
        if a.kind == "bit_not":
            return a.args[0]
        return self._word1("bit_not", a) or self._make("bit_not", (a,))

    def shl(self, a: Term, b: Term) -> Term:
        done = self._shift("shl", a, b)
        if done is not None:
            return done
        if b.kind == "const" and a.kind in ("lshr", "ashr") and a.args[1] is b:
            return self.bit_and(a.args[0], self.const(-1 << b.value))
        return self._make("shl", (a, b))

    def lshr(self, a: Term, b: Term) -> Term:
        done = self._shift("lshr", a, b)
        if done is not None:
            return done
        if b.kind == "const" and a.kind == "shl" and a.args[1] is b:
            return self.bit_and(a.args[0], self.const(self.concrete.mask >> b.value))
        return self._make("lshr", (a, b))

    def ashr(self, a: Term, b: Term) -> Term:
        if self._is(a, -1):
            return a
        return self._shift("ashr", a, b) or self._make("ashr", (a, b))

    def _shift(self, kind: str, a: Term, b: Term) -> Term | None:
        """What the three shifts share: constants, no shift, shifts out of the word, chains."""
        if self._is(b, 0) or self._is(a, 0):
            return a
        if b.kind != "const":
            return None
        if not 0 <= b.value < self.width:
            if kind != "ashr":
                return self.zero
            b = self.const(self.width - 1)
        if a.kind == kind and a.args[1].kind == "const":
            amount = a.args[1].value + b.value
            step: Callable[[Term, Term], Term] = getattr(self, kind)
            return step(a.args[0], self._amount(amount, kind))
        if b.value == self.width - 1 and kind == "ashr" and a.kind != "const":
            return self._make("ashr", (a, b))
        return self._word2(kind, a, b)

    def _amount(self, amount: int, kind: str) -> Term:
        """A shift amount; one that does not fit the word is told as -1, which is out of the word as well."""
        if amount < self.width:
            return self.const(amount)
        return self.const(self.width - 1) if kind == "ashr" else self.const(-1)

    # Conditions.

    def _predicate(self, kind: str, a: Term, b: Term) -> Term | None:
        """Constants, and a choice between two constants against a third."""
        holds: Callable[[int, int], bool] = getattr(self.concrete, kind)
        if a.kind == "const" and b.kind == "const":
            return self.truth(holds(a.value, b.value))
        for x, y, test in ((a, b, holds), (b, a, _swapped(holds))):
            if y.kind == "const" and _chooses_constants(x):
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

    def all_of(self, conditions: Iterable[Term]) -> Term:
        result = self.true
        for condition in conditions:
            result = self.both(result, condition)
        return result

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


def _chooses_constants(term: Term) -> bool:
    return term.kind == "ite" and term.args[1].kind == "const" and term.args[2].kind == "const"


def _sorts_before(a: Term, b: Term) -> bool:
    if (a.kind == "const") != (b.kind == "const"):
        return b.kind == "const"
    return a.number < b.number
