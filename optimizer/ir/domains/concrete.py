"""The domain of concrete machine integers: it interprets and constant-folds."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from optimizer.ir.rows.domain import Domain

if TYPE_CHECKING:
    from optimizer.ir.domains.concrete_floats import ConcreteFloats


class Concrete(Domain[int, bool]):
    """Words are Python integers in [-2**(width-1), 2**(width-1)), conditions Python booleans.

    Division by zero and shifts by `width` or more follow SMT-LIB, so that this domain agrees with the solvers' also
    where an operation is undefined.
    """

    __slots__ = ("half", "mask")

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.half = 1 << (width - 1)
        self.mask = (1 << width) - 1

    @property
    def floats(self) -> ConcreteFloats:
        from optimizer.ir.domains.concrete_floats import concrete_floats  # here: most traces have none

        return concrete_floats(self.width)

    def const(self, value: int) -> int:
        return ((value + self.half) & self.mask) - self.half

    def truth(self, value: bool) -> bool:
        return value

    def bit(self, c: bool) -> int:
        return 1 if c else 0

    def add(self, a: int, b: int) -> int:
        return self.const(a + b)

    def sub(self, a: int, b: int) -> int:
        return self.const(a - b)

    def mul(self, a: int, b: int) -> int:
        return self.const(a * b)

    def umulh(self, a: int, b: int) -> int:
        return self.const(((a & self.mask) * (b & self.mask)) >> self.width)

    def neg(self, a: int) -> int:
        return self.const(-a)

    def udiv(self, a: int, b: int) -> int:
        return self.const((a & self.mask) // (b & self.mask)) if b else -1

    def sdiv(self, a: int, b: int) -> int:
        if b == 0:
            return 1 if a < 0 else -1
        quotient = abs(a) // abs(b)
        return self.const(quotient if (a < 0) == (b < 0) else -quotient)

    def srem(self, a: int, b: int) -> int:
        if b == 0:
            return a
        remainder = abs(a) % abs(b)
        return -remainder if a < 0 else remainder

    def fdiv(self, a: int, b: int) -> int:
        if b == 0:
            return 0 if a < 0 else -1
        return self.const(a // b)

    def fmod(self, a: int, b: int) -> int:
        return a % b if b else a

    def bit_and(self, a: int, b: int) -> int:
        return a & b

    def bit_or(self, a: int, b: int) -> int:
        return a | b

    def bit_xor(self, a: int, b: int) -> int:
        return a ^ b

    def bit_not(self, a: int) -> int:
        return ~a

    def shl(self, a: int, b: int) -> int:
        return self.const(a << b) if 0 <= b < self.width else 0

    def lshr(self, a: int, b: int) -> int:
        return self.const((a & self.mask) >> b) if 0 <= b < self.width else 0

    def ashr(self, a: int, b: int) -> int:
        return a >> (b if 0 <= b < self.width else self.width)

    def eq(self, a: int, b: int) -> bool:
        return a == b

    def slt(self, a: int, b: int) -> bool:
        return a < b

    def ult(self, a: int, b: int) -> bool:
        return (a & self.mask) < (b & self.mask)

    def add_overflows(self, a: int, b: int) -> bool:
        return not -self.half <= a + b < self.half

    def sub_overflows(self, a: int, b: int) -> bool:
        return not -self.half <= a - b < self.half

    def mul_overflows(self, a: int, b: int) -> bool:
        return not -self.half <= a * b < self.half

    def not_(self, c: bool) -> bool:
        return not c

    def both(self, c: bool, d: bool) -> bool:
        return c and d

    def either(self, c: bool, d: bool) -> bool:
        return c or d

    def ite(self, c: bool, a: int, b: int) -> int:
        return a if c else b


concrete = cache(Concrete)
"""The one concrete domain of each width."""
