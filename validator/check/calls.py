"""Calls and other events of one trace.

A call that is made only where a condition holds counts as an event everywhere: both traces must have it, and show it
the same memory. That is more than is right, and what is unknown behind it may be what was there before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import z3

from optimizer.ir.faults import Unsupported
from optimizer.ir.rows.row import REF, VOID, Role, Type
from optimizer.ir.trace import Operation
from optimizer.ir.types.calls import call_of
from validator.check.reach import OLD
from validator.check.universe import NULL, is_reference

if TYPE_CHECKING:
    from validator.check.side import Side

_TRUE = z3.BoolVal(True)


class Call:
    """The call of an operation, which has that number and these arguments: of a function, its address being the first
    one, or an event. It is made where `happens` holds, with so many guards and events ahead, and looks at `may_see` of
    what it has `found` in the memory."""

    def __init__(self, side: Side, operation: Operation, number: int, args: tuple[Any, ...]) -> None:
        self._side, self._universe, self._heap = side, side.universe, side.memory
        self._operation, self.op, self._type = operation, number, operation.op.result
        call, memory = call_of(operation, side.universe.layout), operation.op.memory
        assert call is not None
        self._call, self.effects = call, call.effects
        self.args, self._first = args[len(args) - len(call.args) :], args[0] if args else None
        self.happens = _TRUE
        if memory is not None and memory.happens is not None:
            self.happens = side.decided(memory.happens(self._universe.words, self._heap, None, self._first))

    def make(self) -> None:
        made = _MADE_AS.get(self._call.role, Call._event)
        result = self._first if z3.is_false(self.happens) else made(self)
        if self._operation.result is not None:
            self._side.give(self._operation, self._where_made(result, self._first))

    def _where_made(self, value: Any, otherwise: Any) -> Any:
        """The value if the call is made, else the other one."""
        if value is otherwise or z3.is_true(self.happens):
            return value
        return z3.If(self.happens, value, otherwise)

    def _must(self, what: str, condition: Any) -> None:
        self._side.must(f"op {self.op}: {what}", self._where_made(condition, _TRUE))

    def _raise(self, raised: Any) -> None:
        if self.effects.can_raise:
            self._heap.set_pending(self._where_made(raised, self._heap.pending()))

    def _look(self, *kind: Any) -> None:
        """The call is of that kind, and finds what it does."""
        self.kind, self.memory = kind, self._heap.copy()
        self.guards, self.events = len(self._side.guards), len(self._side.events)
        self.may_see = tuple(slot for slot in self._universe.slots.values() if self.effects.may_see(slot))
        self.found = self.memory.reach.found(filter(is_reference, self.args), self.may_see)

    # Events.

    def _event(self) -> Any:
        side, effects, count = self._side, self.effects, len(self._side.events)
        self._look(self._call.name, self._universe.layout.canonical(self._operation.descr), len(self.args))
        found = side.event(self)
        side.events.append(self)
        side.upheavals += effects.writes is None
        for kept in list(self._heap.happen(count, effects, found)):
            if side.is_recorded:
                self._must("kept", kept)
        if effects.can_raise:
            self._raise(self._from_world(f"raised by event {count}", REF))
        return None if self._type is VOID else self._from_world(f"event {count}", self._type)

    def _from_world(self, name: str, type_: Type) -> Any:
        """The result of an event: a reference is one that events have seen, if it is an allocation."""
        value, reach = self._universe.unknown(f"{name} {type_.value}", type_), self._heap.reach
        if type_ is REF:
            reach.note(value, reach.seen | {OLD})
            self._side.fact(self._universe.among(value, reach.seen))
        return value

    def _invariant(self) -> Any:
        name, line, function = self._operation.op.name, self._operation.line, self.args[0]
        if not z3.is_true(self.happens):
            raise Unsupported(f"{name} of a loop-invariant function", line)
        for other, of, result, raised in self._side.invariants:
            if of is self._type and other.eq(function):
                self._raise(raised)
                return result
            if of is self._type and not (_is_constant(other) and _is_constant(function)):
                what = f"{name} of a function that may be one that has been called before, or another"
                raise Unsupported(what, line)
        result = self._event()
        raised = self._heap.pending() if self.effects.can_raise else NULL
        self._side.invariants.append((function, self._type, result, raised))
        return result

    # Functions.

    def _outcome(self, type_: Type) -> tuple[Any, Any]:
        """The result of that type and the exception, which depend on the arguments alone."""
        result = None if type_ is VOID else self._universe.apply("given by", type_, self.args)
        return result, self._universe.apply(f"raised, giving {type_.value}, by", REF, self.args)

    def _function(self) -> Any:
        universe, reach, side = self._universe, self._heap.reach, self._side
        if self._call.passing:
            self.args = (*self.args, universe.words.const(side.upheavals))
        self._look(self._type, len(self.args))
        result, raised = self._outcome(self._type)
        given = [result] * (self._type is REF) + [raised] * self.effects.can_raise
        if given:
            self._may_give(self.args)
        for one in given:  # NULL or an object that existed before the trace, or one that can be found
            reach.note(universe.learn(one), reach.given | reach.seen | {OLD})
            side.fact(z3.Implies(self.happens, universe.among(one, reach.given | reach.seen)))
        self._raise(raised)
        side.applied(self)
        if side.is_recorded and result is not None:
            self._declared(result, raised)
        return result

    def _may_give(self, values: tuple[Any, ...]) -> None:
        """From here on functions may give what those of the recorded trace lead to."""
        if self._side.is_recorded:
            reach = self._heap.reach
            reach.given |= reach.found(filter(is_reference, values), self._universe.slots.values())

    def _declared(self, result: Any, raised: Any) -> None:
        """The declared results of the function are assumed."""
        for known in () if self._call.declared is None else self._call.declared.results:
            values = [self._universe.content(one) for one in known.args]
            if len(values) == len(self.args) - 1:
                equal = map(same, self.args[1:], values)
                gives = z3.And(same(result, self._universe.content(known.value)), raised == NULL)
                self._must("defined", z3.Implies(z3.And(*equal), gives))

    def _meaning(self) -> Any:
        row, args = self._call.meaning, (self._universe.words, *self.args[1:])
        assert row is not None
        assert row.meaning is not None
        if row.defined is not None:
            self._must("defined", row.defined(*args))
        return row.meaning(*args)

    def _record(self) -> None:
        """Promises that the function, if it were called, would give the first argument."""
        value = self._first
        if self._call.meaning is not None:
            self._must("defined", same(self._meaning(), value))
            return
        if is_reference(value):
            self._may_give((value,))
        result, raised = self._outcome(self._operation.args[0].type)
        self._must("defined", z3.And(same(result, value), raised == NULL))


_MADE_AS = {
    Role.RECORD: Call._record,
    Role.MEANING: Call._meaning,
    Role.FUNCTION: Call._function,
    Role.INVARIANT: Call._invariant,
}


def _is_constant(function: Any) -> bool:
    return z3.is_bv_value(function) or (z3.is_const(function) and str(function).startswith("ConstClass("))


def same(one: Any, other: Any) -> Any:
    """Are both the same value? Never, if they are of two types."""
    return _TRUE if one.eq(other) else one == other if one.sort() == other.sort() else z3.BoolVal(False)
