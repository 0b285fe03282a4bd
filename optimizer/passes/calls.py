"""Calls of functions with known results go, and so do guards on exceptions that nothing can have raised.

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
from optimizer.ir.operands import constant_of
from optimizer.ir.rows.call_domain import CallDomain, Invocation
from optimizer.ir.rows.ops import OPS, Kind, Op, Role, Type
from optimizer.ir.rows.row import EVENT, FACT, GUARD, INT, REF
from optimizer.ir.trace import ConstFloat, ConstInt, ConstRef, Operation, Trace, Value
from optimizer.ir.types.calls import CallSite, call_of, may_be_raised_before
from optimizer.ir.types.memory_types import Content
from optimizer.riders import Answer, Becomes, Equal, Needless, Pass, Passes

Key = tuple[Role, Type, tuple[Value | None, ...]]
"""A call by what it is, the type of its result, its function and, if these matter, its arguments."""


_Call = Invocation[Value | None, bool | None]


class Calls(Pass, CallDomain[Value | None, bool | None]):
    """Over what values calls have given, None where that is not known, and over conditions that may not be known."""

    name = "calls"
    kinds = frozenset({GUARD, EVENT})
    learned = kinds | {Kind.EXCEPTION, FACT}
    true, false = True, False

    @staticmethod
    def knows(row: Op) -> bool:
        return row.kind is not GUARD or row.memory is not None

    def __init__(self) -> None:
        super().__init__()
        self._given: dict[Key, tuple[Value | None, None]] = {}  # by functions
        self._calm: set[Key] = set()  # calls of functions that are known not to raise
        self._latest: Key | None = None  # the call that has set the pending exception, if it is a function's
        self._is_clear = True  # is no exception pending?
        self._settled: set[Op] = set()  # guards of what only events change that have passed since the last one

    def begin(self, trace: Trace) -> None:
        self._is_clear = not may_be_raised_before(trace)

    # Asking.

    def rewrite(self, operation: Operation, facts: Facts) -> Answer | None:
        if operation.op.kind is GUARD:
            return self._guard(operation)
        site = call_of(operation, facts.layout)
        if site is None:
            return None
        if site.is_conditional:
            return _conditional(operation, site, facts)
        match site.role:
            case Role.MEANING:
                return self._meaning(operation, site, facts)
            case Role.FUNCTION:
                return self._function(operation, site, facts)
            case Role.INVARIANT:
                return self._again(operation, self._key(operation, site), site, facts, "loop_invariant")
        return None

    def _guard(self, guard: Operation) -> Answer | None:
        memory = guard.op.memory
        if guard.op in self._settled:
            return Passes("checked_condition")
        is_check = memory is not None and memory.pending and memory.class_arg is None
        return Passes("no_exception") if is_check and self._is_clear else None

    def _meaning(self, operation: Operation, site: CallSite, facts: Facts) -> Answer | None:
        """The operation that it stands for, if traces have a name for that; otherwise what it gives, if known."""
        row, args = site.meaning, site.args[1:]
        assert row is not None
        if row.name in OPS:
            return Becomes(row, args, "known_meaning")
        values = [arg.value for arg in args if isinstance(arg, (ConstInt, ConstFloat))]
        if len(values) == len(args) and row.meaning is not None:
            return Equal(constant_of(row.meaning(concrete(facts.word), *values)), "known_meaning")
        return self._again(operation, self._key(operation, site), site, facts, "same_call")

    def _function(self, operation: Operation, site: CallSite, facts: Facts) -> Answer | None:
        known = _declared(site)
        if known is not None and self._may_go(site, None):
            return _is(operation, known, "known_result")
        return self._again(operation, self._key(operation, site), site, facts, "same_call")

    def _again(self, operation: Operation, key: Key, site: CallSite, facts: Facts, why: str) -> Answer | None:
        known = self.invariants.get(key, self._given.get(key))
        if known is None or not self._may_go(site, key):
            return None
        given = known[0]
        return _is(operation, None if given is None else facts.find(given), why)

    def _may_go(self, site: CallSite, key: Key | None) -> bool:
        """Is the same pending without the call? `key` is that of one that may raise."""
        return not site.effects.can_raise or (self._is_clear and (key is None or key in self._calm))

    # Learning.

    def learn(self, operation: Operation, facts: Facts) -> None:
        memory, row = operation.op.memory, operation.op
        if row.kind is GUARD:
            self._learn_guard(operation)
        elif row.kind is Kind.EXCEPTION:
            self._is_clear, self._latest = not operation.args and (self._is_clear or row.result is REF), None
        elif row.kind is EVENT or (memory is not None and row.kind is FACT):
            site = call_of(operation, facts.layout)
            if site is not None and site.role is not Role.MEMORY:
                self._learn_call(operation, site)

    def _learn_guard(self, guard: Operation) -> None:
        memory = guard.op.memory
        if memory is not None and memory.pending:
            if self._latest is not None and memory.class_arg is None:
                self._calm.add(self._latest)
            self._is_clear, self._latest = True, None
        elif memory is not None and not guard.args and memory.meaning is None:
            self._settled.add(guard.op)

    def _learn_call(self, operation: Operation, site: CallSite) -> None:
        self.perform(site, operation, 0, operation.args)

    def _key(self, operation: Operation, site: CallSite) -> Key:
        """The key of a call; of one that stands for an operation it does not matter which function computes it."""
        args = site.args
        if site.meaning is not None:
            args = (ConstRef(site.meaning.name), *args[1:])
        elif site.role is Role.INVARIANT:
            args = args[:1]
        return site.role, operation.op.result, self.asked(site, args)

    def _keep(self, call: _Call) -> Value | None:
        """The result, which the same call gives again."""
        if call.happens:
            self._given.setdefault(self._key(call.operation, call.site), (call.operation.result, None))
        return call.operation.result

    def happens(self, operation: Operation, value: Value | None) -> bool | None:
        return None  # it would stand here as a plain call, or not at all

    def select(self, condition: bool | None, result: Value | None, otherwise: Value | None) -> Value | None:
        return None

    def require(self, call: _Call, condition: bool | None, reason: str) -> None:
        """Requires nothing: the condition is a promise of the trace."""

    def happen(self, call: _Call) -> tuple[Value | None, None]:
        self._settled.clear()
        return call.operation.result, None

    def function_of(self, call: _Call) -> Key:
        return self._key(call.operation, call.site)

    def apply(self, call: _Call, args: tuple[Value | None, ...]) -> tuple[Value | None, None]:
        return self._keep(call), None

    def compute(self, call: _Call) -> Value | None:
        return self._keep(call)

    def promise(self, call: _Call, value: Value | None) -> None:
        said = Role.FUNCTION, call.operation.args[0].type, call.site.args
        self._given.setdefault(said, (value, None))
        self._calm.add(said)

    def constant(self, number: int) -> Value:
        return ConstInt(number)

    def equal(self, one: Value | None, other: Value | None) -> bool | None:
        return None

    def raise_(self, call: _Call, raised: Value | None) -> None:
        site = call.site
        key = None if site.role is Role.EVENT else self._key(call.operation, site)
        is_calm = key in self._calm or (site.role is Role.FUNCTION and _declared(site) is not None)
        self._is_clear = is_calm and (self._is_clear or call.happens is True)
        self._latest = key if call.happens else None


def _is(operation: Operation, value: Value | None, why: str) -> Answer | None:
    if operation.result is None:
        return Needless(why)
    return None if value is None else Equal(value, why)


def _conditional(operation: Operation, site: CallSite, facts: Facts) -> Answer | None:
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
    return Becomes(OPS[site.name], site.args, "condition_holds")


def _declared(site: CallSite) -> Value | None:
    """The declared result of a function, or None."""
    for known in () if site.declared is None else site.declared.results:
        if tuple(map(_constant, known.args)) == site.args[1:]:
            return _constant(known.value)
    return None


def _constant(value: Content) -> Value:
    if isinstance(value, str):
        return ConstRef("NULL" if value == "NULL" else f"ConstPtr({value})")
    return constant_of(value)
