"""Tests and guards of references whose outcome is known go; a check of the class joins an earlier check for NULL, and a
check that it is one constant joins an earlier check of its class. A guard on a test for one constant is such a check.

    [p0, p1]
    guard_nonnull(p0) [p1]
    guard_nonnull(p1) [p0]                  [p0, p1]
    guard_class(p0, ConstClass(A)) []       guard_nonnull_class(p0, ConstClass(A), origin=0) [p1]
    p2 = new(descr=A)                   =>  guard_nonnull(p1, origin=1) [p0]
    i3 = ptr_eq(p0, p2)                     p2 = new(descr=A)
    guard_class(p0, ConstClass(A)) [i3]     jump(p2, 0)
    jump(p2, i3)

Guards are merged over events, too, since no object changes its class, and the first one's exit is what counts: leaving
there, the interpreter does the rest again, the events as well. The first one must have been recorded without an exit
block, which may be defined only where that guard fails by itself. Nothing here needs to know what memory holds.
"""

from __future__ import annotations

from optimizer.facts.aliasing import truth
from optimizer.facts.conditions import (
    NULL,
    Bit,
    Condition,
    HasClass,
    IsA,
    Length,
    Not,
    Same,
    meant,
    passing,
    requirements,
)
from optimizer.facts.facts import Facts
from optimizer.ir.rows.ops import OPS, Kind, Op
from optimizer.ir.rows.row import FACT, GUARD, PURE
from optimizer.ir.trace import ConstInt, ConstRef, Operation, Value, Var, exit_of
from optimizer.riders import Answer, Becomes, Equal, Fails, Merged, Needless, Pass, Passes

_NONNULL_CLASS = OPS["guard_nonnull_class"]
_OF_TESTS = {OPS["guard_true"]: True, OPS["guard_false"]: False}


class ReferenceTests(Pass):
    name = "references"
    kinds = frozenset({GUARD, PURE, FACT})
    learned = frozenset({GUARD})

    @staticmethod
    def knows(row: Op) -> bool:
        return row.memory is not None or row in _OF_TESTS

    def __init__(self) -> None:
        self._nonnull: dict[Value, Operation] = {}  # guards that could be stronger, by what they look at
        self._of_class: dict[Value, tuple[Operation, str]] = {}  # the same, with the class that they demand
        self._with_block: set[int | None] = set()  # the origins of guards that were recorded with an exit block

    def rewrite(self, operation: Operation, facts: Facts) -> Answer | None:
        if operation.memory is None:
            return _of_identity(operation, facts)
        match operation.op.kind:
            case Kind.GUARD:
                if exit_of(operation).block:
                    self._with_block.add(exit_of(operation).origin)
                return self._judge(operation, facts)
            case Kind.PURE:
                return _compute(operation, facts)
            case Kind.FACT:
                return _forget(operation, facts)
        return None

    def learn(self, operation: Operation, facts: Facts) -> None:
        if exit_of(operation).origin not in self._with_block:
            match passing(operation):
                case Not(Same(value, other)) if other == NULL:
                    self._nonnull.setdefault(value, operation)
                case HasClass(value, vtable):
                    self._of_class.setdefault(value, (operation, vtable))

    def _judge(self, guard: Operation, facts: Facts) -> Answer | None:
        condition = passing(guard)
        if condition is None or any(truth(facts, needed) is False for needed in requirements(guard, None)):
            return None
        passes = truth(facts, condition)
        if passes is None:
            return self._merge(guard, condition, facts)
        return Passes("reference_guard_holds") if passes else Fails("reference_guard_fails")

    def _merge(self, guard: Operation, condition: Condition, facts: Facts) -> Answer | None:
        """Into an earlier check for NULL or of the class, if passing here says that it has passed."""
        match condition:
            case HasClass(value, _) if value in self._nonnull:
                return Merged(self._nonnull.pop(value), _NONNULL_CLASS, guard.args, "merged_class")
            case Same(value, ConstRef() as constant) if value in self._nonnull and constant != NULL:
                return Merged(self._nonnull.pop(value), guard.op, guard.args, "merged_value")
            case Same(value, ConstRef() as constant) if value in self._of_class:
                earlier, vtable = self._of_class[value]
                if truth(facts, HasClass(constant, vtable)) is True:
                    del self._of_class[value]
                    return Merged(earlier, guard.op, guard.args, "merged_value")
        return None


def _of_identity(guard: Operation, facts: Facts) -> Answer | None:
    """A guard on whether a reference is one constant looks at the reference itself."""
    test = facts.definition(guard.args[0]) if guard.op in _OF_TESTS else None
    told = None if test is None or test.op.memory is None else meant(test)
    if not isinstance(told, Bit):
        return None
    condition, holds = told.of, _OF_TESTS[guard.op]
    if isinstance(condition, Not):
        condition, holds = condition.of, not holds
    if not isinstance(condition, Same):
        return None
    one, other = facts.find(condition.one), facts.find(condition.other)
    value, constant = (other, one) if isinstance(one, ConstRef) else (one, other)
    if isinstance(value, ConstRef) or not isinstance(constant, ConstRef):
        return None
    if constant == NULL:
        return Becomes(OPS["guard_isnull" if holds else "guard_nonnull"], (value,), "guard_of_identity")
    return Becomes(OPS["guard_value"], (value, constant), "guard_of_identity") if holds else None


def _compute(operation: Operation, facts: Facts) -> Answer | None:
    match meant(operation):
        case Bit(condition):
            outcome = truth(facts, condition)
            return None if outcome is None else Equal(ConstInt(int(outcome)), "known_identity")
        case Length(value):
            length = facts.references.about(value).length
            return None if length is None else Equal(facts.find(length), "known_length")
        case Var() | ConstRef() as value:
            return Equal(facts.find(value), "same_reference")
    return None


def _forget(fact: Operation, facts: Facts) -> Answer | None:
    """A fact that tells nothing new."""
    memory = fact.memory
    needed = requirements(fact, facts.layout.descr_of(fact))
    if memory is None or memory.meaning is not None or not needed:
        return None
    if all(not isinstance(one, IsA) and truth(facts, one) is True for one in needed):
        return Needless("known_fact")
    return None
