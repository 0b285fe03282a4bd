"""Machine words as Z3 bit vectors: each primitive of the vocabulary is the Z3 function of that name, products and
quotients being opaque."""

from __future__ import annotations

import operator
from typing import Any

import z3

from optimizer.ir.rows.domain import Domain
from validator.check.floats import Floats
from validator.check.opaque import Opaque, methods, opaque


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

    def truth(self, value: bool) -> Any:
        return z3.BoolVal(value)

    add, sub, neg = methods(operator.add, operator.sub, operator.neg)
    bit_and, bit_or, bit_xor = methods(operator.and_, operator.or_, operator.xor)
    bit_not, shl, lshr, ashr = methods(operator.invert, operator.lshift, z3.LShR, operator.rshift)
    eq, slt, ult = methods(operator.eq, operator.lt, z3.ULT)
    not_, both, either, ite = methods(z3.Not, z3.And, z3.Or, z3.If)
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
