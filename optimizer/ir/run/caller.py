"""Calls and other events of one run: what they see, and what they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from optimizer.ir.domains.concrete import Concrete
from optimizer.ir.rows.ops import Op, Role, Type
from optimizer.ir.run.environment import Environment
from optimizer.ir.run.functions import OTHERWISE
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NULL, Datum, Ref
from optimizer.ir.run.runs import Seen, Stopped, Undefined
from optimizer.ir.trace import ConstClass, Operation, Value
from optimizer.ir.types.calls import Call

Result = Datum | None | Stopped | Undefined
"""What a call gives, None where that is nothing, or how the run ends at it."""

_Function = tuple[ConstClass | None, Datum, Type]
"""The name of a function, if it is named, its address, and what it gives."""


@dataclass(slots=True)
class Caller:
    """Makes the calls of a run. `_invariants` is what those gave and raised that are loop invariant, by function and by
    the type of what they give."""

    environment: Environment
    heap: Heap
    domain: Concrete
    _invariants: dict[_Function, tuple[Datum | None, Ref]] = field(default_factory=dict)
    _upheavals: int = 0  # events that may write everything

    def call(self, call: Call, operation: Operation, number: int, args: Sequence[Any]) -> Result:
        """The call or other event of the operation of that number, where it is made."""
        if call.role is Role.RECORD:
            return self._record(call, number, tuple(args[1:]), args[0])
        if call.is_conditional and not self._happens(operation, args[0]):
            value: Datum = args[0]
            return value
        args = args[len(args) - len(call.args) :]
        match call.role:
            case Role.EVENT:
                return self._event(call, operation, number, args)
            case Role.INVARIANT:
                return self._invariant(call, operation, number, args)
            case Role.MEANING:
                return self._computed(call.meaning, number, args[1:])
            case _:
                return self._function(call, operation, number, tuple(args))

    def _happens(self, operation: Operation, condition: Datum) -> bool:
        memory = operation.op.memory
        assert memory is not None
        assert memory.happens is not None
        return bool(memory.happens(self.domain, self.heap, None, condition))

    def _event(self, call: Call, operation: Operation, op: int, args: Sequence[Datum]) -> Result:
        number = self.environment.meet(op, call.name, operation.descr, tuple(args), call.effects)
        if not self.environment.returns(number):
            return Stopped(number)
        self._upheavals += call.effects.writes is None
        return self.environment.act(number, call.effects, operation.op.result)

    def _invariant(self, call: Call, operation: Operation, number: int, args: Sequence[Datum]) -> Result:
        function = self._known_function(call.args[0], args[0], operation.op.result)
        if function not in self._invariants:
            result = self._event(call, operation, number, args)
            if not isinstance(result, Stopped | Undefined):
                self._invariants[function] = result, self.heap.pending() if call.effects.can_raise else NULL
            return result
        result, raised = self._invariants[function]
        if call.effects.can_raise:
            self.heap.set_pending(raised)
        return result

    def _known_function(self, named: Value, address: Datum, type_: Type) -> _Function:
        """The function, as it was called before if it was. Two names are two functions."""
        name = named if isinstance(named, ConstClass) else None
        for function in self._invariants:
            known, at, of = function
            if of is type_ and (known == name if known is not None and name is not None else at == address):
                return function
        return name, address, type_

    def _computed(self, meaning: Op | None, number: int, args: Sequence[Datum]) -> Result:
        assert meaning is not None
        assert meaning.meaning is not None
        if meaning.defined is not None and not meaning.defined(self.domain, *args):
            return Undefined(number, meaning.undefined_when)
        value: Datum = meaning.meaning(self.domain, *args)
        return value

    def _function(self, call: Call, operation: Operation, number: int, args: tuple[Datum, ...]) -> Result:
        functions, events = self.environment.functions, self.environment.count
        if call.passing:
            args = (*args, self._upheavals)
        found = functions.call(number, args, operation.op.result, events, call)
        if isinstance(found, str):
            return Undefined(number, found)
        assert isinstance(found.raises, Ref)
        assert not isinstance(found.result, Seen)
        if call.effects.can_raise:
            self.heap.set_pending(found.raises)
        return found.result

    def _record(self, call: Call, number: int, args: tuple[Datum, ...], value: Datum) -> Result:
        if call.meaning is not None:
            computed = self._computed(call.meaning, number, args[1:])
            wrong = computed.reason if isinstance(computed, Undefined) else OTHERWISE if computed != value else None
        else:
            wrong = self.environment.functions.say(number, args, value, call.declared)
        return None if wrong is None else Undefined(number, wrong)
