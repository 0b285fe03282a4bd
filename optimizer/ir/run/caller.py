"""Calls and other events of one run: what they see, and what they give."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from optimizer.ir.domains.concrete import Concrete
from optimizer.ir.rows.call_domain import CallDomain, Invocation
from optimizer.ir.rows.ops import Type
from optimizer.ir.run.environment import Environment
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import Datum, Ref
from optimizer.ir.run.runs import Ended, Stopped, Undefined
from optimizer.ir.trace import ConstClass, Operation

_Call = Invocation[Any, bool]

_Function = tuple[ConstClass | None, Datum, Type]
"""The name of a function, if it is named, its address, and what it gives."""


class ConcreteCalls(CallDomain[Any, bool]):
    """Calls over concrete values, None where there is no result, on a `heap`."""

    true, false = True, False

    @property
    @abstractmethod
    def heap(self) -> Heap: ...

    def __init__(self, domain: Concrete) -> None:
        super().__init__()
        self.domain = domain

    def happens(self, operation: Operation, value: Datum) -> bool:
        memory = operation.op.memory
        assert memory is not None
        assert memory.happens is not None
        return bool(memory.happens(self.domain, self.heap, None, value))

    def select(self, condition: bool, result: Any, otherwise: Any) -> Any:
        return result if condition else otherwise

    def constant(self, number: int) -> int:
        return number

    def equal(self, one: Datum, other: Datum) -> bool:
        return one == other

    def raise_(self, call: _Call, raised: Ref) -> None:
        self.heap.set_pending(raised)


class Caller(ConcreteCalls):
    """Makes the calls of a run, which may end at them."""

    def __init__(self, environment: Environment, heap: Heap, domain: Concrete) -> None:
        super().__init__(domain)
        self.environment = environment
        self._heap = heap

    @property
    def heap(self) -> Heap:
        return self._heap

    def require(self, call: _Call, condition: bool, reason: str) -> None:
        if not condition:
            raise Ended(Undefined(call.number, reason))

    def happen(self, call: _Call) -> tuple[Datum | None, Ref]:
        world, operation, effects = self.environment, call.operation, call.site.effects
        number = world.meet(call.number, call.site.name, operation.descr, call.args, effects)
        if not world.returns(number):
            raise Ended(Stopped(number))
        return world.act(number, effects, operation.op.result)

    def function_of(self, call: _Call) -> _Function:
        """The function, as it was called before if it was. Two names are two functions."""
        named, address, type_ = call.site.args[0], call.args[0], call.operation.op.result
        name = named if isinstance(named, ConstClass) else None
        for function in self.invariants:
            known, at, of = function
            if of is type_ and (known == name if known is not None and name is not None else at == address):
                before: _Function = function
                return before
        return name, address, type_

    def apply(self, call: _Call, args: tuple[Datum, ...]) -> tuple[Any, Any]:
        environment = self.environment
        type_ = call.operation.op.result
        given = environment.functions.call(call.number, args, type_, environment.count, call.site)
        if isinstance(given, str):
            raise Ended(Undefined(call.number, given))
        return given.result, given.raises

    def promise(self, call: _Call, value: Datum) -> None:
        wrong = self.environment.functions.say(call.number, call.args, value, call.site.declared)
        if wrong is not None:
            raise Ended(Undefined(call.number, wrong))
