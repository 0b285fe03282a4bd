"""Rewrites of float operations that hold of some floats only, and are no rules of the table.

    [f0, i1]                                [f0, i1]
    f2 = float_truediv(f0, 4.0)             f2 = float_mul(f0, 0.25)
    i3 = int_and(i1, 255)             =>    i3 = int_and(i1, 255)
    f4 = cast_int_to_float(i3)              jump(f2, i3)
    i5 = cast_float_to_int(f4)
    jump(f2, i5)

Dividing by a power of two is multiplying by its inverse, where that has as many digits. A float holds every integer up
to 2**53.
"""

from __future__ import annotations

from optimizer.facts.facts import Facts
from optimizer.ir.floats import EXACT_INTS, exact_inverse
from optimizer.ir.rows.ops import OPS, Op
from optimizer.ir.rows.row import PURE
from optimizer.ir.trace import ConstFloat, Operation
from optimizer.riders import Answer, Becomes, Equal, Pass

_DIVIDES, _TIMES = OPS["float_truediv"], OPS["float_mul"]
_OF_INT, _TO_INT = OPS["cast_int_to_float"], OPS["cast_float_to_int"]
_EXACT = 1 << EXACT_INTS


class Floats(Pass):
    name = "floats"
    kinds = frozenset({PURE})

    @staticmethod
    def knows(row: Op) -> bool:
        return row is _DIVIDES or row is _TO_INT

    def rewrite(self, operation: Operation, facts: Facts) -> Answer | None:
        if operation.op is _DIVIDES:
            x, by = operation.args
            inverse = exact_inverse(by.value) if isinstance(by, ConstFloat) else None
            return None if inverse is None else Becomes(_TIMES, (x, ConstFloat(inverse)), "division_by_power_of_two")
        if operation.op is _TO_INT:
            cast = facts.definition(operation.args[0])
            if cast is not None and cast.op is _OF_INT:
                bounds = facts.bounds.bounds(cast.args[0])
                if bounds.low >= -_EXACT and bounds.high <= _EXACT:
                    return Equal(facts.find(cast.args[0]), "cast_and_back")
        return None
