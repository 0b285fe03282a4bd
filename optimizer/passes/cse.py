"""Common subexpressions: what has been computed is not computed again.

    [i0, i1]
    i2 = int_add_ovf(i0, i1)
    guard_no_overflow() [i0]                [i0, i1]
    i3 = int_add(i1, i0)            =>      i2 = int_add_ovf(i0, i1)
    i4 = int_add_ovf(i1, i0)                guard_no_overflow(origin=0) [i0]
    guard_no_overflow() [i1]                jump(i2, i2, i2)
    jump(i2, i3, i4)

Operations are looked up by row and arguments, those of commutative rows in any order. An overflow operation has
also computed what its wrapping one computes; its flag is known from its guard on. Events are never the same.
"""

from __future__ import annotations

from collections.abc import Collection

from optimizer.facts.facts import Facts
from optimizer.ir.rows.ops import Op
from optimizer.ir.rows.row import PURE
from optimizer.ir.trace import Operation, Value, Var
from optimizer.riders import Answer, Equal, Pass

Key = tuple[str, Collection[Value]]


def _is_function(op: Op) -> bool:
    """Does it always compute the same of the same arguments? The lengths and identities of objects never change."""
    return op.kind is PURE and op.has_meaning


def _key(op: Op, name: str, args: tuple[Value, ...]) -> Key:
    """The key of a computation, the same whatever the order of the arguments where that does not matter."""
    if not op.commutative:
        return name, args
    one, other = args
    if isinstance(one, Var):
        return name, args if not isinstance(other, Var) or one.name <= other.name else (other, one)
    return name, (other, one) if isinstance(other, Var) else frozenset(args)


class CommonSubexpressions(Pass):
    name = "cse"
    kinds = learned = frozenset({PURE})

    @staticmethod
    def knows(row: Op) -> bool:
        return _is_function(row)

    def __init__(self) -> None:
        self._computed: dict[Key, Var] = {}

    def rewrite(self, operation: Operation, facts: Facts) -> Answer | None:
        op = operation.op
        if not _is_function(op):
            return None
        earlier = self._computed.get(_key(op, op.name, operation.args))
        if earlier is None:
            return None
        overflowed = None if op.overflows is None else facts.overflowed(earlier)
        return Equal(facts.find(earlier), self.name, overflowed)

    def learn(self, operation: Operation, facts: Facts) -> None:
        op = operation.op
        if not _is_function(op) or operation.result is None:
            return
        for name in (op.name, op.wrapping):
            if name is not None:
                self._computed.setdefault(_key(op, name, operation.args), operation.result)
