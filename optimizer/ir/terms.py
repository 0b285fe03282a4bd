"""The domain of symbolic terms: a hash-consed, canonicalizing DAG that both traces of a pair share.

Two calls that build the same term give the same object, so that equality of meaning is often identity. Building
applies light algebra: constants fold, constants stand to the right, the arguments of commutative operations are
sorted, and terms that optimizers commonly write in two ways have one form (`x * 8` is `x << 3`, `not (a < b)` is
`b <= a`). Every such rewriting holds for all inputs, defined or not, at every width: it is part of what a proof
trusts, and is tested exhaustively at small widths against the concrete domain.
"""

from __future__ import annotations

from optimizer.ir.bit_terms import BitTerms
from optimizer.ir.term import Term


class Terms(BitTerms):
    """Builds terms of one width. Words and conditions are both `Term`."""

    __slots__ = ()

    def _log2(self, term: Term) -> int | None:
        """k where `term` is the constant bit pattern 1 << k."""
        if term.kind == "const":
            pattern = term.value & self.concrete.mask
            if pattern and not pattern & (pattern - 1):
                return int(pattern).bit_length() - 1
        return None

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
