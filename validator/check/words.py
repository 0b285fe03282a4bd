"""Machine words and floats as Z3 terms: each primitive of the vocabularies is the Z3 function of that name. Floats are
binary64 with one NaN, which is what the language has.

Products, quotients, and the arithmetic, casts and roots of floats are opaque: functions of which nothing is known at
first but what they give of constants, that equal arguments give equal results, and some laws of floats that hold bit
for bit. What is proved of these holds of the real ones.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import z3

from optimizer.ir.floats import EXACT_INTS, Float, exact_inverse
from optimizer.ir.rows.domain import Domain, FloatDomain

DOUBLE = z3.FPSort(11, 53)
_SINGLE = z3.FPSort(8, 24)


class Opaque:
    """The functions that were used, each with what it really is."""

    def __init__(self) -> None:
        self._functions: dict[str, tuple[Any, Any]] = {}
        self._numbers: dict[int, tuple[int, Any]] = {}  # of operands, by the numbers of their terms, which are kept

    def apply(self, name: str, exact: Callable[..., Any], *args: Any) -> Any:
        """The function of that name on these arguments; `exact` is what it is, of arguments of these sorts."""
        if all(z3.is_bv_value(arg) or z3.is_fp_value(arg) for arg in args):
            value = z3.simplify(exact(*args))
            if z3.is_bv_value(value) or z3.is_fp_value(value) or z3.is_bool(value):
                return value
        if name not in self._functions:
            body = exact(*[z3.Var(i, arg.sort()) for i, arg in enumerate(args)])
            function = z3.Function(name, *[arg.sort() for arg in args], body.sort())
            self._functions[name] = function, body
        return self._functions[name][0](*args)

    def ordered(self, a: Any, b: Any) -> tuple[Any, Any]:
        """Both in an order that is the same whatever theirs was, a constant behind what is none."""
        a_is, b_is = (z3.is_bv_value(one) or z3.is_fp_value(one) for one in (a, b))
        if a_is != b_is:
            return (b, a) if a_is else (a, b)
        first, second = (self._numbers.setdefault(one.get_id(), (len(self._numbers), one))[0] for one in (a, b))
        return (a, b) if first <= second else (b, a)

    def exactly(self, condition: Any) -> Any:
        """The condition, of what the functions are."""
        return z3.substitute_funs(condition, *self._functions.values()) if self._functions else condition


def opaque(name: str, exact: Callable[..., Any], *, commutes: bool = False) -> Any:
    """The function of that name as a method of a domain that has some `opaque` ones."""
    return lambda domain, *args: domain.opaque.apply(name, exact, *(domain.opaque.ordered(*args) if commutes else args))


def methods(*functions: Any) -> Any:
    """The functions as methods of a domain, which is none of their arguments."""
    return map(staticmethod, functions)


def _constant(value: Float) -> Any:
    return z3.simplify(z3.fpBVToFP(z3.BitVecVal(value.bits, 64), DOUBLE))


def _single(x: Any) -> Any:
    return z3.fpFPToFP(z3.RNE(), z3.fpBVToFP(z3.Extract(31, 0, x), _SINGLE), DOUBLE)


class Floats(FloatDomain[Any, Any, Any]):
    """The operations on floats beside words of so many bits. `facts` hold of the terms that were made."""

    __slots__ = ("_width", "facts", "opaque")

    def __init__(self, width: int, functions: Opaque) -> None:
        self._width = width
        self.opaque = functions
        self.facts: list[Any] = []

    # Arithmetic.

    add = opaque("float_add", lambda x, y: z3.fpAdd(z3.RNE(), x, y), commutes=True)
    _product = opaque("float_mul", lambda x, y: z3.fpMul(z3.RNE(), x, y))
    _quotient = opaque("float_div", lambda x, y: z3.fpDiv(z3.RNE(), x, y))
    sqrt = opaque("float_sqrt", lambda x: z3.fpSqrt(z3.RNE(), x))

    def sub(self, a: Any, b: Any) -> Any:
        return self.add(a, self.neg(b))

    def mul(self, a: Any, b: Any) -> Any:
        a, b = self.opaque.ordered(a, b)
        if b.eq(_ONE) or b.eq(_MINUS_ONE):
            return a if b.eq(_ONE) else self.neg(a)
        return self.add(a, a) if b.eq(_TWO) else self._product(a, b)

    def div(self, a: Any, b: Any) -> Any:
        is_number = z3.is_fp_value(b) and not b.isNaN()
        inverse = exact_inverse(Float(z3.simplify(z3.fpToIEEEBV(b)).as_long())) if is_number else None
        return self._quotient(a, b) if inverse is None else self.mul(a, self.const(inverse))

    def neg(self, a: Any) -> Any:
        if z3.is_app_of(a, z3.Z3_OP_FPA_NEG):
            return a.arg(0)
        return z3.simplify(z3.fpNeg(a)) if z3.is_fp_value(a) else z3.fpNeg(a)

    const, abs = methods(_constant, z3.fpAbs)

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


_ONE, _MINUS_ONE, _TWO = (_constant(Float.of(value)) for value in (1.0, -1.0, 2.0))


def _umulh(a: Any, b: Any) -> Any:
    width = a.size()
    return z3.Extract(2 * width - 1, width, z3.ZeroExt(width, a) * z3.ZeroExt(width, b))


def _fdiv(a: Any, b: Any) -> Any:
    rest = z3.SRem(a, b)
    return z3.If(z3.And(rest != 0, (rest ^ b) < 0), a / b - 1, a / b)


def _overflows(over: Any, under: Any) -> Any:
    return lambda a, b: z3.Not(z3.And(over(a, b), under(a, b)))


class Words(Domain[Any, Any]):
    """The vocabulary over Z3 terms, with the floats beside it."""

    __slots__ = ("_floats", "opaque")

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.opaque = Opaque()
        self._floats = Floats(width, self.opaque)

    @property
    def floats(self) -> Floats:
        return self._floats

    def const(self, value: int) -> Any:
        return z3.BitVecVal(value, self.width)

    add, sub, neg = methods(operator.add, operator.sub, operator.neg)
    bit_and, bit_or, bit_xor = methods(operator.and_, operator.or_, operator.xor)
    bit_not, shl, lshr, ashr = methods(operator.invert, operator.lshift, z3.LShR, operator.rshift)
    eq, slt, ult = methods(operator.eq, operator.lt, z3.ULT)
    truth, not_, both, either, ite = methods(z3.BoolVal, z3.Not, z3.And, z3.Or, z3.If)
    add_overflows, sub_overflows = methods(
        _overflows(lambda a, b: z3.BVAddNoOverflow(a, b, True), z3.BVAddNoUnderflow),
        _overflows(z3.BVSubNoOverflow, lambda a, b: z3.BVSubNoUnderflow(a, b, True)),
    )
    mul = opaque("mul", operator.mul, commutes=True)
    umulh = opaque("umulh", _umulh, commutes=True)
    mul_overflows = opaque(
        "mul overflows",
        _overflows(lambda a, b: z3.BVMulNoOverflow(a, b, True), z3.BVMulNoUnderflow),
        commutes=True,
    )
    udiv, fdiv = opaque("udiv", z3.UDiv), opaque("fdiv", _fdiv)
    sdiv = opaque("sdiv", operator.truediv)
    srem, fmod = opaque("srem", z3.SRem), opaque("fmod", operator.mod)
