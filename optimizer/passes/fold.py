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

from optimizer.facts import Facts
from optimizer.ir.concrete import concrete
from optimizer.ir.trace import ConstInt, Operation
from optimizer.riders import Answer, Equal, Fails, Pass, Passes


class Fold(Pass):
    name = "fold"

    def rewrite(self, operation: Operation, facts: Facts) -> Answer | None:
        row = operation.op
        args = [arg.value for arg in operation.args if isinstance(arg, ConstInt)]
        if len(args) != len(operation.args) or row.reads_flag:
            return None
        d = concrete(facts.word)
        if row.defined is not None and not row.defined(d, *args):
            return None
        if row.passes is not None:
            return Passes(self.name) if row.passes(d, *args) else Fails(self.name)
        if row.meaning is None:
            return None
        overflowed = row.overflows(d, *args) if row.overflows is not None else None
        return Equal(ConstInt(row.meaning(d, *args)), self.name, overflowed)
