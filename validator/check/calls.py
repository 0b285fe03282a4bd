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
from validator.check.seen import CallSeen
from validator.check.universe import NULL, is_reference

if TYPE_CHECKING:
    from validator.check.side import Side

_TRUE = z3.BoolVal(True)


class Call:
    """The call of an operation, which has that number and these arguments."""

    def __init__(self, side: Side, operation: Operation, number: int, args: tuple[Any, ...]) -> None:
        self._side, self._universe, self._memory = side, side.universe, side.memory
        self._operation, self._number, self._type = operation, number, operation.op.result
        call, memory = call_of(operation, side.universe.layout), operation.op.memory
        assert call is not None
        self._call, self._effects = call, call.effects
        self._args, self._first = args[len(args) - len(call.args) :], args[0] if args else None
        self._happens = _TRUE
        if memory is not None and memory.happens is not None:
            self._happens = side.decided(memory.happens(self._universe.words, self._memory, None, self._first))

    def make(self) -> None:
        made = _MADE_AS.get(self._call.role, Call._event)
        result = self._first if z3.is_false(self._happens) else made(self)
        if self._operation.result is not None:
            self._side.give(self._operation, self._where_made(result, self._first))

    def _where_made(self, value: Any, otherwise: Any) -> Any:
        """The value if the call is made, else the other one."""
        if value is otherwise or z3.is_true(self._happens):
            return value
        return z3.If(self._happens, value, otherwise)

    def _must(self, what: str, condition: Any) -> None:
        self._side.must(self._number, what, self._where_made(condition, _TRUE))

    def _raise(self, raised: Any) -> None:
        self._memory.set_pending(self._where_made(raised, self._memory.pending()))

    def _seen(self, *kind: Any) -> CallSeen:
        """The call of that kind, with what it finds."""
        side = self._side
        may_see = tuple(slot for slot in self._universe.slots.values() if self._effects.may_see(slot))
        found = self._memory.reach.found(filter(is_reference, self._args), may_see)
        ahead, memory = (len(side.guards), len(side.events)), self._memory.copy()
        return CallSeen(self._number, kind, self._args, self._happens, *ahead, memory, found, may_see, self._effects)

    # Events.

    def _event(self) -> Any:
        side, effects, count = self._side, self._effects, len(self._side.events)
        event = self._seen(self._call.name, self._universe.layout.canonical(self._operation.descr), len(self._args))
        found = side.event(event)
        side.events.append(event)
        side.upheavals += effects.writes is None
        for kept in list(self._memory.happen(count, effects, found)):
            if side.is_recorded:
                self._must("kept", kept)
        if effects.can_raise:
            self._raise(self._from_world(f"raised by event {count}", REF))
        return None if self._type is VOID else self._from_world(f"event {count}", self._type)

    def _from_world(self, name: str, type_: Type) -> Any:
        """The result of an event: a reference is one that events have seen, if it is an allocation."""
        value, reach = self._universe.unknown(f"{name} {type_.value}", type_), self._memory.reach
        if type_ is REF:
            reach.note(value, reach.seen | {OLD})
            self._side.fact(self._universe.among(value, reach.seen))
        return value

    def _invariant(self) -> Any:
        name, line, function = self._operation.op.name, self._operation.line, self._args[0]
        if not z3.is_true(self._happens):
            raise Unsupported(f"{name} of a loop-invariant function", line)
        for other, of, result, raised in self._side.invariants:
            if of is self._type and other.eq(function):
                if self._effects.can_raise:
                    self._raise(raised)
                return result
            if of is self._type and not (_is_constant(other) and _is_constant(function)):
                what = f"{name} of a function that may be one that has been called before, or another"
                raise Unsupported(what, line)
        result = self._event()
        raised = self._memory.pending() if self._effects.can_raise else NULL
        self._side.invariants.append((function, self._type, result, raised))
        return result

    # Functions.

    def _outcome(self, type_: Type) -> tuple[Any, Any]:
        """The result of that type and the exception, which depend on the arguments alone."""
        result = None if type_ is VOID else self._universe.apply("given by", type_, self._args)
        return result, self._universe.apply(f"raised, giving {type_.value}, by", REF, self._args)

    def _function(self) -> Any:
        universe, reach, side = self._universe, self._memory.reach, self._side
        if self._call.passing:
            self._args = (*self._args, universe.words.const(side.upheavals))
        seen = self._seen(self._type, len(self._args))
        result, raised = self._outcome(self._type)
        given = [result] * (self._type is REF) + [raised] * self._effects.can_raise
        if given:
            self._may_give(self._args)
        for one in given:  # NULL or an object that existed before the trace, or one that can be found
            reach.note(universe.learn(one), reach.given | reach.seen | {OLD})
            side.fact(z3.Implies(self._happens, universe.among(one, reach.given | reach.seen)))
        if self._effects.can_raise:
            self._raise(raised)
        side.applied(seen)
        if side.is_recorded and result is not None:
            self._declared(result, raised)
        return result

    def _may_give(self, values: tuple[Any, ...]) -> None:
        """From here on functions may give what those of the recorded trace lead to."""
        if self._side.is_recorded:
            reach = self._memory.reach
            reach.given |= reach.found(filter(is_reference, values), self._universe.slots.values())

    def _declared(self, result: Any, raised: Any) -> None:
        """The declared results of the function are assumed."""
        for known in () if self._call.declared is None else self._call.declared.results:
            values = [self._universe.content(one.value) for one in known.args]
            if len(values) == len(self._args) - 1:
                equal = map(same, self._args[1:], values)
                gives = z3.And(same(result, self._universe.content(known.value.value)), raised == NULL)
                self._must("defined", z3.Implies(z3.And(*equal), gives))

    def _meaning(self) -> Any:
        row, args = self._call.meaning, (self._universe.words, *self._args[1:])
        assert row is not None
        assert row.meaning is not None
        if row.defined is not None:
            self._must("defined", row.defined(*args))
        return row.meaning(*args)

    def _record(self) -> None:
        """What the function gives, if it were called, is the first argument."""
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
