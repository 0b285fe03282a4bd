"""Guards and overflow checks that are known to hold go, and values that are known become constants.

    [i0]
    i1 = int_and(i0, 15)
    i2 = int_add_ovf(i1, 1)
    guard_no_overflow() [i0]                [i0]
    i3 = int_lt(i2, 17)                     i1 = int_and(i0, 15)
    guard_true(i3) [i0]             =>      i2 = int_add(i1, 1)
    guard_value(i2, 5) [i0]                 guard_value(i2, 5, origin=2) [i0]
    guard_value(i2, 5) [i2]                 jump(5, 4)
    jump(i2, i1)

It is known from the bounds of values, and from what earlier guards have told of the equality and order of
values. A guard that is known to fail is told to the walk. What is undefined on all values that are possible
(`guard_true` of a value above 1) is left alone.
"""

from __future__ import annotations

from optimizer.facts.aliasing import sum_of
from optimizer.facts.facts import Facts
from optimizer.facts.narrowing import narrow
from optimizer.facts.orders import (
    ALL_WAYS,
    EQUAL,
    Orders,
    Ways,
    compares,
    passing_ways,
    turned,
    ways_of_sum,
    ways_within,
)
from optimizer.ir.domains.bounds import holds
from optimizer.ir.domains.ranges import Truth
from optimizer.ir.rows.ops import OPS, Op
from optimizer.ir.rows.row import FLOAT, GUARD, INT, PURE
from optimizer.ir.trace import ConstInt, Operation, Value
from optimizer.riders import Answer, Becomes, Equal, Fails, Pass, Passes

_OVERFLOWS = OPS["int_add_ovf"].overflows


class Guards(Pass):
    name = "guards"
    decides = True
    kinds = frozenset({PURE, GUARD})
    learned = frozenset({GUARD})

    @staticmethod
    def knows(row: Op) -> bool:
        asked = row.is_pure or row.is_guard or _compares_floats(row)
        return asked and not row.reads_flag and (row.memory is None or row.same_type)

    def __init__(self) -> None:
        self._orders = Orders()

    def rewrite(self, operation: Operation, facts: Facts) -> Answer | None:
        row = operation.op
        if row.reads_flag or operation.memory is not None:
            return None
        if _compares_floats(row):
            return self._known_order(operation, facts)
        if not (row.is_guard or row.is_pure):
            return None
        if row.is_guard:
            for arg in operation.args:
                facts.refresh(arg)
        word, args = facts.word, facts.bounds.all_bounds(operation.args)
        if row.is_guard:
            if row.defined is not None and holds(row.defined, word, args) is False:
                return None
            assert row.passes is not None
            passes = holds(row.passes, word, args)
            return _judge(self._ordered(operation, facts) if passes is None else passes)
        if row.overflows is not None:
            return _judge_flag(operation, holds(row.overflows, word, args))
        told = narrow(row, word, args)
        if told is not None and told.result is not None and told.result.is_constant:
            return Equal(ConstInt(told.result.low), "known_value")
        return self._known_order(operation, facts) if len(args) == 2 else None

    def _known_order(self, test: Operation, facts: Facts) -> Answer | None:
        if not compares(test.op):
            return None
        a, b = test.args
        outcome = self._orders.outcome(test.op, a, b, self._within(a, b, facts))
        return None if outcome is None else Equal(ConstInt(outcome), "known_order")

    def learn(self, operation: Operation, facts: Facts) -> None:
        match _compared(operation, facts):
            case None, (a, b) if a.type is FLOAT:  # bit for bit, which is no order
                facts.unite(a, b)
            case test, (a, b):
                ways = passing_ways(operation.op, test)
                if ways is not None and self._orders.learn(a, b, ways) == EQUAL and a.type is INT:
                    facts.unite(a, b)

    def _ordered(self, guard: Operation, facts: Facts) -> Truth:
        """Does the guard pass, by what is known of the order of what it compares?"""
        match _compared(guard, facts):
            case test, (a, b) if test is not None or a.type is INT:
                return self._orders.passes(guard.op, test, a, b, _bounded(a, b, facts))
        return None

    def _within(self, a: Value, b: Value, facts: Facts) -> Ways:
        """The ways in which the two may stand to each other by their bounds, and by what is added up to them."""
        ways = _bounded(a, b, facts)
        if a.type is not INT:
            return ways
        forward, back = self._of_sum(a, b, facts), self._of_sum(b, a, facts)
        if forward is not ALL_WAYS:
            ways &= forward
        return ways if back is ALL_WAYS else ways & turned(back)

    def _of_sum(self, a: Value, b: Value, facts: Facts) -> Ways:
        """The ways in which `a` may stand to `b`, if it is the sum of a value and a constant."""
        if facts.definition(a) is None:  # most often
            return ALL_WAYS
        one, by = sum_of(facts, a)
        if by == 0:
            return ALL_WAYS
        ways = self._orders.ways(one, b) & _bounded(one, b, facts)
        if len(ways) == len(ALL_WAYS):
            return ALL_WAYS
        assert _OVERFLOWS is not None
        fits = facts.overflowed(a) is False or facts.bounds.truth(_OVERFLOWS, (one, ConstInt(by))) is False
        return ways_of_sum(ways, by, not fits)


def _compared(guard: Operation, facts: Facts) -> tuple[Op | None, tuple[Value, ...]] | None:
    """The test that a guard looks at, if it does, and the two values that the test, or the guard itself, compares."""
    if not guard.op.is_guard or not guard.args or guard.memory is not None:
        return None
    if len(guard.args) == 2:
        return None, tuple(map(facts.find, guard.args))
    test = facts.definition(guard.args[0])
    if test is None or not (test.op.is_pure or _compares_floats(test.op)) or len(test.args) != 2:
        return None
    return test.op, tuple(map(facts.find, test.args))


def _bounded(a: Value, b: Value, facts: Facts) -> Ways:
    """The ways in which the two may stand to each other by their bounds."""
    return ways_within(*facts.bounds.all_bounds((a, b))) if a.type is INT else ALL_WAYS


def _compares_floats(row: Op) -> bool:
    """Is it a comparison of two floats?"""
    return row.has_floats and row.args == (FLOAT, FLOAT) and row.result is INT


def _judge(passes: Truth) -> Answer | None:
    if passes is None:
        return None
    return Passes("guard_holds") if passes else Fails("guard_fails")


def _judge_flag(operation: Operation, overflowed: Truth) -> Answer | None:
    if overflowed is None:
        return None
    assert operation.op.wrapping is not None
    return Becomes(OPS[operation.op.wrapping], operation.args, "known_flag", overflowed)
