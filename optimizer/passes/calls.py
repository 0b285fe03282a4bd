"""What functions have given is not asked again, and what has not happened is not checked.

    [i0, i1]
    i2 = call_i(f, i0, descr=hash)          [i0, i1]
    guard_no_exception() [i0]               i2 = call_i(f, i0, descr=hash)
    i3 = call_i(f, i0, descr=hash)      =>  guard_no_exception(origin=0) [i0]
    guard_no_exception() [i1]               i4 = int_py_div(i2, 8)
    i4 = call_i(g, i2, 8, descr=div)        jump(i2, i4)
    jump(i3, i4)

A call of a function that can raise goes only where no exception is pending, and where it is known to raise none: it has
been called before, and a guard has looked. So its own guard goes with it. Loop-invariant calls, known results, and
conditional calls whose condition is known are done here too, and so are guards of what only events change.
"""

from __future__ import annotations

from optimizer.facts.facts import Facts
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.rows.ops import OPS, Kind, Op, Role, Type
from optimizer.ir.rows.row import EVENT, FACT, GUARD, INT, REF
from optimizer.ir.trace import ConstFloat, ConstInt, ConstRef, Operation, Trace, Value, constant_of
from optimizer.ir.types.calls import Call, call_of, may_be_raised_before
from optimizer.ir.types.declaration_entries import Scalar
from optimizer.riders import Answer, Becomes, Equal, Needless, Pass, Passes

Key = tuple[Role, Type, tuple[Value, ...]]
"""A call by what it is, the type of its result, its function and, if these matter, its arguments."""


class Calls(Pass):
    name = "calls"
    kinds = frozenset({GUARD, EVENT})
    learned = kinds | {Kind.EXCEPTION, FACT}

    @staticmethod
    def knows(row: Op) -> bool:
        return row.kind is not GUARD or row.memory is not None

    def __init__(self) -> None:
        self._given: dict[Key, Value | None] = {}  # by functions
        self._calm: set[Key] = set()  # calls of functions that are known not to raise
        self._latest: Key | None = None  # the call that has set the pending exception, if it is a function's
        self._is_clear = True  # is no exception pending?
        self._upheavals = 0  # events that may write everything
        self._settled: set[Op] = set()  # guards of what only events change that have passed since the last one

    def begin(self, trace: Trace) -> None:
        self._is_clear = not may_be_raised_before(trace)

    # Asking.

    def rewrite(self, operation: Operation, facts: Facts) -> Answer | None:
        if operation.op.kind is GUARD:
            return self._guard(operation)
        call = call_of(operation, facts.layout)
        if call is None:
            return None
        if call.is_conditional:
            return _conditional(operation, call, facts)
        match call.role:
            case Role.MEANING:
                return self._meaning(operation, call, facts)
            case Role.FUNCTION:
                return self._function(operation, call, facts)
            case Role.INVARIANT:
                return self._again(operation, self._key(operation, call), call, facts, "loop_invariant")
        return None

    def _guard(self, guard: Operation) -> Answer | None:
        memory = guard.op.memory
        if guard.op in self._settled:
            return Passes("checked_condition")
        is_check = memory is not None and memory.pending and memory.class_arg is None
        return Passes("no_exception") if is_check and self._is_clear else None

    def _meaning(self, operation: Operation, call: Call, facts: Facts) -> Answer | None:
        """The operation that it stands for, if traces have a name for that; otherwise what it gives, if known."""
        row, args = call.meaning, call.args[1:]
        assert row is not None
        if row.name in OPS:
            return Becomes(row, args, "known_meaning")
        values = [arg.value for arg in args if isinstance(arg, (ConstInt, ConstFloat))]
        if len(values) == len(args) and row.meaning is not None:
            return Equal(constant_of(row.meaning(concrete(facts.word), *values)), "known_meaning")
        return self._again(operation, self._key(operation, call), call, facts, "same_call")

    def _function(self, operation: Operation, call: Call, facts: Facts) -> Answer | None:
        known = _declared(call)
        if known is not None and self._may_go(call, None):
            return _is(operation, known, "known_result")
        return self._again(operation, self._key(operation, call), call, facts, "same_call")

    def _again(self, operation: Operation, key: Key, call: Call, facts: Facts, why: str) -> Answer | None:
        if key not in self._given or not self._may_go(call, key):
            return None
        given = self._given[key]
        return _is(operation, None if given is None else facts.find(given), why)

    def _may_go(self, call: Call, key: Key | None) -> bool:
        """Is the same pending without the call? `key` is that of one that may raise."""
        return not call.effects.can_raise or (self._is_clear and (key is None or key in self._calm))

    # Learning.

    def learn(self, operation: Operation, facts: Facts) -> None:
        memory, row = operation.op.memory, operation.op
        if row.kind is GUARD:
            self._learn_guard(operation)
        elif row.kind is Kind.EXCEPTION:
            self._is_clear, self._latest = not operation.args and (self._is_clear or row.result is REF), None
        elif row.kind is EVENT or (memory is not None and row.kind is FACT):
            call = call_of(operation, facts.layout)
            if call is not None:
                self._learn_call(operation, call)

    def _learn_guard(self, guard: Operation) -> None:
        memory = guard.op.memory
        if memory is not None and memory.pending:
            if self._latest is not None and memory.class_arg is None:
                self._calm.add(self._latest)
            self._is_clear, self._latest = True, None
        elif memory is not None and not guard.args and memory.meaning is None:
            self._settled.add(guard.op)

    def _learn_call(self, operation: Operation, call: Call) -> None:
        if call.role is Role.RECORD:
            if call.meaning is None:
                said = Role.FUNCTION, operation.args[0].type, call.args
                self._given.setdefault(said, operation.args[0])
                self._calm.add(said)
            return
        key = None if call.role in (Role.EVENT, Role.MEMORY) else self._key(operation, call)
        if key is not None and not call.is_conditional:
            self._given.setdefault(key, operation.result)
        if call.is_event:
            self._settled.clear()
            self._upheavals += call.effects.writes is None
        if call.effects.can_raise:
            is_calm = key in self._calm or (call.is_function and _declared(call) is not None)
            self._is_clear = is_calm and (self._is_clear or not call.is_conditional)
            self._latest = None if call.is_conditional else key

    def _key(self, operation: Operation, call: Call) -> Key:
        """Of an operation it does not matter which function computes it."""
        args = call.args
        if call.meaning is not None:
            args = (ConstRef(call.meaning.name), *args[1:])
        elif call.is_invariant:
            args = args[:1]
        elif call.passing:
            args = (*args, ConstInt(self._upheavals))
        return call.role, operation.op.result, args


def _is(operation: Operation, value: Value | None, why: str) -> Answer | None:
    if operation.result is None:
        return Needless(why)
    return None if value is None else Equal(value, why)


def _conditional(operation: Operation, call: Call, facts: Facts) -> Answer | None:
    """The call itself where its condition holds, and nothing where it does not."""
    condition = operation.args[0]
    bounds = facts.bounds.bounds(condition) if condition.type is INT else None
    if condition == ConstRef("NULL") or (bounds is not None and bounds.low == bounds.high == 0):
        is_zero = True
    elif bounds is not None and not bounds.low <= 0 <= bounds.high:
        is_zero = False
    else:
        return None
    if is_zero == (operation.result is None):
        return _is(operation, condition, "condition_fails")
    return Becomes(OPS[call.name], call.args, "condition_holds")


def _declared(call: Call) -> Value | None:
    """What is declared of what a function gives."""
    for known in () if call.declared is None else call.declared.results:
        if tuple(map(_constant, known.args)) == call.args[1:]:
            return _constant(known.value)
    return None


def _constant(scalar: Scalar) -> Value:
    if isinstance(scalar.value, str):
        return ConstRef("NULL" if scalar.value == "NULL" else f"ConstPtr({scalar.value})")
    return ConstInt(scalar.value) if isinstance(scalar.value, int) else ConstFloat(scalar.value)
