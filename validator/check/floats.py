"""Floats as Z3's floating-point numbers: binary64 with one NaN, which is what the language has.

Arithmetic, casts and roots are opaque, but for some laws that hold bit for bit.
"""

from __future__ import annotations

import operator
from typing import Any

import z3

from optimizer.ir.floats import EXACT_INTS, Float, exact_inverse
from optimizer.ir.rows.float_domain import FloatDomain
from validator.check.opaque import Opaque, methods, opaque, ordered

DOUBLE = z3.FPSort(11, 53)
_SINGLE = z3.FPSort(8, 24)


def _single(x: Any) -> Any:
    return z3.fpFPToFP(z3.RNE(), z3.fpBVToFP(z3.Extract(31, 0, x), _SINGLE), DOUBLE)


class Floats(FloatDomain[Any, Any, Any]):
    """The operations on floats beside words of so many bits. `facts` hold of the terms that were made."""

    __slots__ = ("_width", "facts", "opaque")

    def __init__(self, width: int, functions: Opaque) -> None:
        self._width = width
        self.opaque = functions
        self.facts: list[Any] = []

    def const(self, value: Float) -> Any:
        return _constant(value)

    # Arithmetic.

    add = opaque("float_add", lambda x, y: z3.fpAdd(z3.RNE(), x, y), commutes=True)
    _product = opaque("float_mul", lambda x, y: z3.fpMul(z3.RNE(), x, y))
    _quotient = opaque("float_div", lambda x, y: z3.fpDiv(z3.RNE(), x, y))
    sqrt = opaque("float_sqrt", lambda x: z3.fpSqrt(z3.RNE(), x))

    def sub(self, a: Any, b: Any) -> Any:
        return self.add(a, self.neg(b))

    def mul(self, a: Any, b: Any) -> Any:
        a, b = ordered(a, b)
        if b.eq(_ONE) or b.eq(_MINUS_ONE):
            return a if b.eq(_ONE) else self.neg(a)
        return self.add(a, a) if b.eq(_TWO) else self._product(a, b)

    def div(self, a: Any, b: Any) -> Any:
        inverse = exact_inverse(_float(b)) if z3.is_fp_value(b) and not b.isNaN() else None
        return self._quotient(a, b) if inverse is None else self.mul(a, self.const(inverse))

    def neg(self, a: Any) -> Any:
        if z3.is_app_of(a, z3.Z3_OP_FPA_NEG):
            return a.arg(0)
        return z3.simplify(z3.fpNeg(a)) if z3.is_fp_value(a) else z3.fpNeg(a)

    (abs,) = methods(z3.fpAbs)

    # Conditions.

    same, eq, lt, le = methods(operator.eq, z3.fpEQ, z3.fpLT, z3.fpLEQ)

    # Casts.

    def of_bytes(self, n: Any) -> Any:
        return z3.fpBVToFP(n, DOUBLE)

    def of_int(self, n: Any) -> Any:
        value = self.opaque.apply("float_of_int", lambda x: z3.fpSignedToFP(z3.RNE(), x, DOUBLE), n)
        self.facts.append(z3.Not(z3.Or(z3.fpIsNaN(value), z3.fpIsInf(value))))
        return value

    def to_int(self, a: Any) -> Any:
        width = z3.BitVecSort(self._width)
        number = self.opaque.apply("float_to_int", lambda x: z3.fpToSBV(z3.RTZ(), x, width), a)
        if a.num_args() == 1 and a.decl().name() == "float_of_int" and self._width > EXACT_INTS:
            was, limit = a.arg(0), 1 << EXACT_INTS
            self.facts.append(z3.Implies(z3.And(was >= -limit, was <= limit), number == was))
        return number

    def to_bytes(self, a: Any) -> Any:
        """Some pattern that is this float: which one NaN has, nobody knows."""
        pattern = z3.Function("float_to_bytes", DOUBLE, z3.BitVecSort(64))(a)
        self.facts.append(z3.fpBVToFP(pattern, DOUBLE) == a)
        return pattern

    of_single = opaque("float_of_single", _single)

    def to_single(self, a: Any) -> Any:
        of_nan = z3.BitVec("single of nan", self._width)

        def exact(x: Any) -> Any:
            pattern = z3.fpToIEEEBV(z3.fpFPToFP(z3.RNE(), x, _SINGLE))
            return z3.If(z3.fpIsNaN(x), of_nan, z3.ZeroExt(self._width - 32, pattern))

        return self.opaque.apply("float_to_single", exact, a)


def _constant(value: Float) -> Any:
    return z3.simplify(z3.fpBVToFP(z3.BitVecVal(value.bits, 64), DOUBLE))


_ONE, _MINUS_ONE, _TWO = (_constant(Float.of(value)) for value in (1.0, -1.0, 2.0))


def _float(constant: Any) -> Float:
    return Float(z3.simplify(z3.fpToIEEEBV(constant)).as_long())
