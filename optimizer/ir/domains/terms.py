"""The domain of symbolic terms: a hash-consed, canonicalizing DAG that both traces of a pair share.

Two calls that build the same term give the same object, so that equality of meaning is often identity. Building
applies light algebra: constants fold, constants stand to the right, the arguments of commutative operations are
sorted, and terms that optimizers commonly write in two ways have one form (`x * 8` is `x << 3`, `not (a < b)` is
`b <= a`). Every such rewriting holds for all inputs, defined or not, at every width: it is part of what a proof
trusts, and is tested exhaustively at small widths against the concrete domain.
"""

from __future__ import annotations

from collections.abc import Callable

from optimizer.ir.domains.bit_terms import BitTerms
from optimizer.ir.domains.term import Term

_REMAINDERS = {"sdiv": "srem", "fdiv": "fmod"}
"""The remainder that goes with each division."""

_PRODUCTS = ("mul", "shl")

_DIVISIONS = {"srem": "sdiv", "fmod": "fdiv"}


class Terms(BitTerms):
    """Builds terms of one width. Words and conditions are both `Term`."""

    __slots__ = ()

    # Sums.

    def add(self, a: Term, b: Term) -> Term:
        if a.kind == "const":
            a, b = b, a
        if b.kind == "const":
            if a.kind == "const":
                return self.const(a.value + b.value)
            if b.value == 0:
                return a
            return self._shifted_by(a, b.value) or self._word2("add", a, b) or self._make("add", (a, b))
        return (
            self._collected(a, b, 1)
            or self._cancelled(a, b)
            or self._cancelled(b, a)
            or self._word2("add", a, b)
            or self._commuted("add", a, b)
        )

    def _shifted_by(self, a: Term, c: int) -> Term | None:
        """a + c where `a` has a constant part already, or is the negation of something."""
        match a.kind, a.args:
            case "add", (x, k) if k.kind == "const":
                return self.add(x, self.const(k.value + c))
            case "sub", (k, x) if k.kind == "const":
                return self.sub(self.const(k.value + c), x)
            case "neg", (x,):
                return self.sub(self.const(c), x)
            case "bit_not", (x,):
                return self.sub(self.const(c - 1), x)
        return None

    def _cancelled(self, a: Term, b: Term) -> Term | None:
        """The rest of a sum of two words where one takes away what the other adds."""
        if a.kind == "sub" and a.args[1] is b:
            return a.args[0]
        if a.kind == "neg":
            return self.sub(b, a.args[0])
        if a.kind in _PRODUCTS:
            quotient = self._multiple(a)
            if quotient is not None and b.kind == _REMAINDERS[quotient.kind] and b.args == quotient.args:
                return b.args[0]
        return None

    def _collected(self, a: Term, b: Term, sign: int) -> Term | None:
        """x * c + sign * (x * d) is x * (c + sign * d); parts of one word that share no bit are both of them."""
        x, c = self._scaled(a)
        y, d = self._scaled(b)
        if x is y:
            return self.mul(x, self.const(c + sign * d))
        if sign == 1 and a.kind == b.kind == "bit_and" and a.args[0] is b.args[0]:
            left, right = a.args[1], b.args[1]
            if left.kind == right.kind == "const" and not left.value & right.value:
                return self.bit_and(a.args[0], self.const(left.value | right.value))
        return None

    def _scaled(self, a: Term) -> tuple[Term, int]:
        """x and c where `a` is x * c."""
        kind, args = a.kind, a.args
        if kind == "mul" and args[1].kind == "const":
            return args[0], args[1].value
        if kind == "shl" and args[1].kind == "const":
            return args[0], 1 << args[1].value
        if kind == "neg":
            return args[0], -1
        return a, 1

    def sub(self, a: Term, b: Term) -> Term:
        if b.kind == "const":
            return self.add(a, self.const(-b.value))
        if a.kind == "const":
            return self._from_constant(a.value, b) or self._word2("sub", a, b) or self._make("sub", (a, b))
        if b.kind == "neg":
            return self.add(a, b.args[0])
        if a.kind == "add" and b in a.args:
            return a.args[0] if a.args[1] is b else a.args[1]
        if b.kind == "sub" and b.args[0] is a:
            return b.args[1]
        if b.kind == "add" and a in b.args:
            return self.neg(b.args[0] if b.args[1] is a else b.args[1])
        if a.kind == b.kind == "add" and a.args[0] is b.args[0]:
            return self.sub(a.args[1], b.args[1])
        return self._collected(a, b, -1) or self._reduced(a, b) or self._make("sub", (a, b))

    def _without_common(self, a: Term, b: Term) -> tuple[Term, Term] | None:
        rest = self._reduced(a, b) or self._reduced(b, a)
        return super()._without_common(a, b) if rest is None else (rest, self.zero)

    def _from_constant(self, c: int, b: Term) -> Term | None:
        """c - b, where that has a simpler form."""
        if c == 0:
            return self.neg(b)
        match b.kind, b.args:
            case "add", (x, k) if k.kind == "const":
                return self.sub(self.const(c - k.value), x)
            case "sub", (k, x) if k.kind == "const":
                return self.add(x, self.const(c - k.value))
        return self.bit_not(b) if c == -1 else None

    def _reduced(self, a: Term, b: Term) -> Term | None:
        """`a` less a part of it: a multiple, a remainder, or some of its bits."""
        if b.kind in _PRODUCTS:
            quotient = self._multiple(b)
            if quotient is None or quotient.args[0] is not a:
                return None
            rest: Term = getattr(self, _REMAINDERS[quotient.kind])(*quotient.args)
            return rest  # `a` where the divisor is 0, for the remainder is
        if b.kind in _DIVISIONS and b.args[0] is a:
            divide: Callable[[Term, Term], Term] = getattr(self, _DIVISIONS[b.kind])
            return self.mul(divide(a, b.args[1]), b.args[1])
        if b.kind == "bit_and" and a in b.args:
            return self.bit_and(a, self.bit_not(b.args[0] if b.args[1] is a else b.args[1]))
        return None

    def _multiple(self, product: Term) -> Term | None:
        """The signed quotient q, with divisor d, where the product is q * d."""
        a, b = product.args
        if a.kind in _REMAINDERS:
            divisor = a.args[1]
            is_product = b.kind == "const" and self._log2(divisor) == b.value if product.kind == "shl" else divisor is b
            return a if is_product else None
        return b if product.kind == "mul" and b.kind in _REMAINDERS and b.args[1] is a else None

    def neg(self, a: Term) -> Term:
        if a.kind == "neg":
            return a.args[0]
        if a.kind == "sub":
            return self.sub(a.args[1], a.args[0])
        if a.kind == "bit_not":
            return self.add(a.args[0], self.one)
        if a.kind == "add" and a.args[1].kind == "const":
            return self.sub(self.const(-a.args[1].value), a.args[0])
        x, c = self._scaled(a)
        if c != 1:
            return self.mul(x, self.const(-c))
        return self._word1("neg", a) or self._make("neg", (a,))

    # Products.

    def _log2(self, term: Term) -> int | None:
        """k where `term` is the constant bit pattern 1 << k."""
        if term.kind == "const":
            pattern = term.value & self.concrete.mask
            if pattern and not pattern & (pattern - 1):
                return int(pattern).bit_length() - 1
        return None

    def mul(self, a: Term, b: Term) -> Term:
        if a.kind == "const":
            a, b = b, a
        if b.kind == "const":
            if a.kind == "const":
                return self.const(a.value * b.value)
            if b.value == 0:
                return b
            x, c = self._scaled(a)
            if c != 1:
                return self.mul(x, self.const(c * b.value))
            if b.value == -1:
                return self.neg(a)
            k = self._log2(b)
            if k is not None:
                return self.shl(a, self.const(k))
            return self._word2("mul", a, b) or self._make("mul", (a, b))
        for x, y in ((a, b), (b, a)):
            if y.kind == "neg":
                return self.neg(self.mul(x, y.args[0]))
            if y.kind == "shl" and y.args[0] is self.one:
                return self.shl(x, y.args[1])
        return self._word2("mul", a, b) or self._commuted("mul", a, b)

    def umulh(self, a: Term, b: Term) -> Term:
        if a.kind == "const":
            a, b = b, a
        if self._is(b, 0):
            return self.zero
        k = self._log2(b)
        if k is not None:
            return self.lshr(a, self.const(self.width - k)) if k else self.zero
        return self._word2("umulh", a, b) or self._commuted("umulh", a, b)

    # Quotients and remainders.

    def udiv(self, a: Term, b: Term) -> Term:
        k = self._log2(b)
        if k is not None:
            return self.lshr(a, self.const(k))
        return self._word2("udiv", a, b) or self._quotient(a, b) or self._make("udiv", (a, b))

    def sdiv(self, a: Term, b: Term) -> Term:
        if b.kind == "const":
            if b.value == 1:
                return a
            if -self.concrete.half < b.value < 0:
                return self.neg(self.sdiv(a, self.const(-b.value)))
        return self._word2("sdiv", a, b) or self._quotient(a, b) or self._make("sdiv", (a, b))

    def srem(self, a: Term, b: Term) -> Term:
        if b.kind == "const":
            if b.value == 1:
                return self.zero
            if -self.concrete.half < b.value < 0:
                return self.srem(a, self.const(-b.value))
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
        """The rewrite that the three divisions share: x // x, which is -1 where x is 0."""
        return self.ite(self.eq(b, self.zero), self.const(-1), self.one) if a is b else None

    def _remainder(self, kind: str, a: Term, b: Term) -> Term | None:
        """The rewrites that the two remainders share: x % x, 0 % x, and the remainder of a remainder: where it
        truncates, that is the one that it is of, and where it rounds down, the one of the same word."""
        if a is b or self._is(a, 0):
            return self.zero
        if a.kind not in _DIVISIONS or a.args[1] is not b:
            return None
        return a if kind in ("srem", a.kind) else self.fmod(a.args[0], b)
