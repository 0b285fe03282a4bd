"""Machine words as plain Z3 terms: no sharing, no folding, overflow by sign extension to twice the width."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from optimizer.ir.rows.domain import Domain


class NaiveWords(Domain[Any, Any]):
    """The QF_BV vocabulary, each primitive the Z3 term of that name."""

    __slots__ = ("context",)

    def __init__(self, width: int, context: Any) -> None:
        super().__init__(width)
        self.context = context

    def const(self, value: int) -> Any:
        return z3.BitVecVal(value, self.width, self.context)

    def truth(self, value: bool) -> Any:
        return z3.BoolVal(value, self.context)

    def add(self, a: Any, b: Any) -> Any:
        return a + b

    def sub(self, a: Any, b: Any) -> Any:
        return a - b

    def mul(self, a: Any, b: Any) -> Any:
        return a * b

    def umulh(self, a: Any, b: Any) -> Any:
        product = z3.ZeroExt(self.width, a) * z3.ZeroExt(self.width, b)
        return z3.Extract(2 * self.width - 1, self.width, product)

    def neg(self, a: Any) -> Any:
        return -a

    def udiv(self, a: Any, b: Any) -> Any:
        return z3.UDiv(a, b)

    def sdiv(self, a: Any, b: Any) -> Any:
        return a / b

    def srem(self, a: Any, b: Any) -> Any:
        return z3.SRem(a, b)

    def fdiv(self, a: Any, b: Any) -> Any:
        rest = z3.SRem(a, b)
        return z3.If(z3.And(rest != 0, (rest ^ b) < 0), a / b - 1, a / b)

    def fmod(self, a: Any, b: Any) -> Any:
        return a % b

    def bit_and(self, a: Any, b: Any) -> Any:
        return a & b

    def bit_or(self, a: Any, b: Any) -> Any:
        return a | b

    def bit_xor(self, a: Any, b: Any) -> Any:
        return a ^ b

    def bit_not(self, a: Any) -> Any:
        return ~a

    def shl(self, a: Any, b: Any) -> Any:
        return a << b

    def lshr(self, a: Any, b: Any) -> Any:
        return z3.LShR(a, b)

    def ashr(self, a: Any, b: Any) -> Any:
        return a >> b

    def eq(self, a: Any, b: Any) -> Any:
        return a == b

    def slt(self, a: Any, b: Any) -> Any:
        return a < b

    def ult(self, a: Any, b: Any) -> Any:
        return z3.ULT(a, b)

    def add_overflows(self, a: Any, b: Any) -> Any:
        return self._overflows(lambda x, y: x + y, a, b)

    def sub_overflows(self, a: Any, b: Any) -> Any:
        return self._overflows(lambda x, y: x - y, a, b)

    def mul_overflows(self, a: Any, b: Any) -> Any:
        return self._overflows(lambda x, y: x * y, a, b)

    def _overflows(self, of: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
        exact = of(z3.SignExt(self.width, a), z3.SignExt(self.width, b))
        return exact != z3.SignExt(self.width, of(a, b))

    def not_(self, c: Any) -> Any:
        return z3.Not(c)

    def both(self, c: Any, d: Any) -> Any:
        return z3.And(c, d)

    def either(self, c: Any, d: Any) -> Any:
        return z3.Or(c, d)

    def ite(self, c: Any, a: Any, b: Any) -> Any:
        return z3.If(c, a, b)
