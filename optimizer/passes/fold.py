"""Constant folding: an operation on constants is its result.

    [i0]
    i1 = int_mul(6, 7)
    i2 = int_add_ovf(i1, 1)                 [i0]
    guard_no_overflow() [i0]        =>      i4 = int_add(i0, 43)
    guard_false(0) [i0]                     i5 = int_lshift(1, 64)
    i4 = int_add(i0, i2)                    jump(i4, i5)
    i5 = int_lshift(1, 64)
    jump(i4, i5)

An application that is undefined has no value and stays as it is, a guard on such a constant too.
"""

from __future__ import annotations

from optimizer.facts.facts import Facts
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.faults import Unsupported
from optimizer.ir.floats import Float
from optimizer.ir.operands import constant_of
from optimizer.ir.rows.ops import Op
from optimizer.ir.rows.row import GUARD, PURE
from optimizer.ir.trace import ConstFloat, ConstInt, Operation
from optimizer.riders import Answer, Equal, Fails, Pass, Passes

_NUMBERS = ConstInt, ConstFloat


class Fold(Pass):
    name = "fold"
    kinds = frozenset({PURE, GUARD})

    @staticmethod
    def knows(row: Op) -> bool:
        return not row.reads_flag and (row.meaning or row.passes or row.passes_floats) is not None

    def rewrite(self, operation: Operation, facts: Facts) -> Answer | None:
        row = operation.op
        args: list[int | Float] = []
        for arg in operation.args:
            if not isinstance(arg, _NUMBERS):
                return None
            args.append(arg.value)
        if row.reads_flag:
            return None
        d = concrete(facts.word)
        if row.defined is not None and not row.defined(d, *args):
            return None
        passes = operation.passes if row.is_guard else None
        if passes is not None:
            return Passes(self.name) if passes(d, *args) else Fails(self.name)
        if row.meaning is None:
            return None
        overflowed = row.overflows(d, *args) if row.overflows is not None else None
        try:
            return Equal(constant_of(row.meaning(d, *args)), self.name, overflowed)
        except Unsupported:  # the bytes of NaN
            return None
