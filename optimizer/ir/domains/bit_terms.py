"""Light algebra of bits and shifts. See `optimizer.ir.domains.terms`."""

from __future__ import annotations

from collections.abc import Callable

from optimizer.ir.domains.condition_terms import ConditionTerms, chooses_constants
from optimizer.ir.domains.term import Term


class BitTerms(ConditionTerms):
    """Terms whose conditions, bits and shifts are rewritten."""

    __slots__ = ()

    def _word1(self, kind: str, a: Term) -> Term | None:
        if a.kind == "const":
            return self.const(getattr(self.concrete, kind)(a.value))
        return None

    def _word2(self, kind: str, a: Term, b: Term) -> Term | None:
        if a.kind == "const" and b.kind == "const":
            return self.const(getattr(self.concrete, kind)(a.value, b.value))
        if a.kind != "ite" and b.kind != "ite":
            return None
        for choice, other in ((a, b), (b, a)):
            if chooses_constants(choice):
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

    def bit_and(self, a: Term, b: Term) -> Term:
        if a.kind == "const":
            a, b = b, a
        if self._is(b, 0) or a is b:
            return b
        if self._is(b, -1):
            return a
        if b.kind == "const" and a.kind == "bit_and" and a.args[1].kind == "const":
            return self.bit_and(a.args[0], self.const(a.args[1].value & b.value))
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
        return self._word2("bit_xor", a, b) or self._commuted("bit_xor", a, b)

    def bit_not(self, a: Term) -> Term:
        match a.kind, a.args:
            case "bit_not", (x,):
                return x
            case "neg", (x,):
                return self.add(x, self.const(-1))
            case "add", (x, k) if k.kind == "const":
                return self.sub(self.const(~k.value), x)
            case "sub", (k, x) if k.kind == "const":
                return self.add(x, self.const(~k.value))
        return self._word1("bit_not", a) or self._make("bit_not", (a,))

    def shl(self, a: Term, b: Term) -> Term:
        done = self._shift("shl", a, b)
        if done is not None:
            return done
        if b.kind == "const" and a.kind in ("lshr", "ashr") and a.args[1] is b:
            return self.bit_and(a.args[0], self.const(-1 << b.value))
        if b.kind == "const" and (a.kind == "neg" or (a.kind == "mul" and a.args[1].kind == "const")):
            return self.mul(a, self.const(1 << b.value))
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
        """The rewrites that the three shifts share: constants, no shift, shifts out of the word, chains."""
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
