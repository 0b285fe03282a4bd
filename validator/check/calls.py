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
from optimizer.ir.types.calls import CallSite, call_of
from validator.check.reach import OLD
from validator.check.universe import NULL, is_reference

if TYPE_CHECKING:
    from validator.check.side import Side

_TRUE = z3.BoolVal(True)


class Calls:
    """Makes the calls of one side."""

    def __init__(self, side: Side) -> None:
        self._side = side
        self._universe = side.universe
        self._memory = side.memory
        self._invariants: list[tuple[Any, Type, Any, Any]] = []  # the function, what it gives, gave and raised
        self._upheavals = 0  # events that may write everything

    def call(self, operation: Operation, number: int, args: tuple[Any, ...]) -> None:
        call = call_of(operation, self._universe.layout)
        assert call is not None
        happens, memory = _TRUE, operation.op.memory
        if memory is not None and memory.happens is not None:
            happens = memory.happens(self._universe.words, self._memory, None, args[0])
            known = self._side.follower.decide(happens)
            happens = happens if known is None else z3.BoolVal(known)
        if z3.is_false(happens):
            self._side.give(operation, args[0])
            return
        own = args[len(args) - len(call.args) :]
        match call.role:
            case Role.RECORD:
                self._record(call, operation, number, own, args[0])
                return
            case Role.MEANING:
                result = self._meaning(call, number, own, happens)
            case Role.FUNCTION:
                result = self._function(call, operation, number, own, happens)
            case Role.INVARIANT:
                result = self._invariant(call, operation, number, own, happens)
            case _:
                result = self._event(call, operation, number, own, happens)
        if operation.result is not None:
            self._side.give(operation, result if z3.is_true(happens) else z3.If(happens, result, args[0]))

    def _must(self, number: int, what: str, condition: Any, happens: Any) -> None:
        self._side.follower.must(number, what, condition if z3.is_true(happens) else z3.Implies(happens, condition))

    def _raise(self, call: CallSite, raised: Any, happens: Any) -> None:
        if call.effects.can_raise:
            pending = raised if z3.is_true(happens) else z3.If(happens, raised, self._memory.pending())
            self._memory.set_pending(pending)

    # Events.

    def _event(
        self, call: CallSite, operation: Operation, number: int, args: tuple[Any, ...], happens: Any
    ) -> tuple[Any, Any] | Any:
        side, count = self._side, len(self._side.events)
        kind = call.name, self._universe.layout.canonical(operation.descr), len(args)
        event = side.seen(call, number, kind, args, happens)
        found = side.follower.event(event)
        side.events.append(event)
        self._upheavals += call.effects.writes is None
        for kept in list(self._memory.happen(count, call.effects, found)):
            if side.is_recorded:
                self._must(number, "kept", kept, happens)
        if call.effects.can_raise:
            self._raise(call, self._from_world(f"raised by event {count}", REF), happens)
        return None if operation.op.result is VOID else self._from_world(f"event {count}", operation.op.result)

    def _from_world(self, name: str, type_: Type) -> Any:
        """The result of an event: a reference is one that events have seen, if it is an allocation."""
        value, reach = self._universe.unknown(f"{name} {type_.value}", type_), self._memory.reach
        if type_ is REF:
            reach.note(value, reach.seen | {OLD})
            self._side.fact(self._universe.among(value, reach.seen))
        return value

    def _invariant(self, call: CallSite, operation: Operation, number: int, args: tuple[Any, ...], happens: Any) -> Any:
        if not z3.is_true(happens):
            raise Unsupported(f"{operation.op.name} of a loop-invariant function", operation.line)
        function, type_ = args[0], operation.op.result
        for other, of, result, raised in self._invariants:
            if of is type_ and other.eq(function):
                self._raise(call, raised, happens)
                return result
            if of is type_ and not (_is_constant(other) and _is_constant(function)):
                what = f"{operation.op.name} of a function that may be one that has been called before, or another"
                raise Unsupported(what, operation.line)
        result = self._event(call, operation, number, args, happens)
        raised = self._memory.pending() if call.effects.can_raise else NULL
        self._invariants.append((function, type_, result, raised))
        return result

    # Functions.

    def _function(self, call: CallSite, operation: Operation, number: int, args: tuple[Any, ...], happens: Any) -> Any:
        side, type_ = self._side, operation.op.result
        if call.passing:
            args = (*args, self._universe.words.const(self._upheavals))
        seen = side.seen(call, number, (type_, len(args)), args, happens)
        result = None if type_ is VOID else self._universe.apply("given by", type_, args)
        raised = self._universe.apply(f"raised, giving {type_.value}, by", REF, args)
        given = [result] * (type_ is REF) + [raised] * call.effects.can_raise
        reach = self._memory.reach
        if given and side.is_recorded:
            reach.given |= reach.found(filter(is_reference, args), self._universe.slots.values())
        for one in given:  # NULL or an object that existed before the trace, or one that can be found
            reach.note(self._universe.learn(one), reach.given | reach.seen | {OLD})
            side.fact(z3.Implies(happens, self._universe.among(one, reach.given | reach.seen)))
        self._raise(call, raised, happens)
        side.follower.applied(seen)
        self._declared(call, number, args, result, raised, happens)
        return result

    def _declared(
        self, call: CallSite, number: int, args: tuple[Any, ...], result: Any, raised: Any, happens: Any
    ) -> None:
        """The declared results of the function are assumed of the recorded trace."""
        if not self._side.is_recorded or call.declared is None or result is None:
            return
        for known in call.declared.results:
            values = [self._universe.content(one.value) for one in known.args]
            if len(values) == len(args) - 1:
                equal = [same(arg, value) for arg, value in zip(args[1:], values, strict=True)]
                gives = z3.And(same(result, self._universe.content(known.value.value)), raised == NULL)
                self._must(number, "defined", z3.Implies(z3.And(*equal), gives), happens)

    def _meaning(self, call: CallSite, number: int, args: tuple[Any, ...], happens: Any) -> Any:
        row, words = call.meaning, self._universe.words
        assert row is not None
        assert row.meaning is not None
        if row.defined is not None:
            self._must(number, "defined", row.defined(words, *args[1:]), happens)
        return row.meaning(words, *args[1:])

    def _record(self, call: CallSite, operation: Operation, number: int, args: tuple[Any, ...], value: Any) -> None:
        if call.meaning is not None:
            self._must(number, "defined", same(self._meaning(call, number, args, _TRUE), value), _TRUE)
            return
        type_ = operation.args[0].type
        if type_ is REF and self._side.is_recorded:  # from here on functions may give it, and what it leads to
            self._memory.reach.given |= self._memory.reach.found([value], self._universe.slots.values())
        result = self._universe.apply("given by", type_, args)
        raised = self._universe.apply(f"raised, giving {type_.value}, by", REF, args)
        self._must(number, "defined", z3.And(same(result, value), raised == NULL), _TRUE)


def _is_constant(function: Any) -> bool:
    return z3.is_bv_value(function) or (z3.is_const(function) and str(function).startswith("ConstClass("))


def same(one: Any, other: Any) -> Any:
    """Are both the same value? Never, if they are of two types."""
    return _TRUE if one.eq(other) else one == other if one.sort() == other.sort() else z3.BoolVal(False)
