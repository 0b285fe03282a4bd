"""Calls of a trace in the making: what functions give and raise on the example, which gives the same again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import proxy

from fuzz.draw.draft import Args
from fuzz.draw.heap_draft import HeapDraft
from fuzz.draw.world_draft import scripted
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.immutable import replace
from optimizer.ir.rows.call_domain import Invocation
from optimizer.ir.rows.ops import INT, OPS, REF, VOID, Op, Role, Type
from optimizer.ir.run.caller import ConcreteCalls
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NULL, Datum, Ref
from optimizer.ir.run.runs import Given
from optimizer.ir.trace import Operation
from optimizer.ir.types.calls import NOTHING, CallSite, call_of
from optimizer.ir.types.declared import Call
from optimizer.ir.types.memory_types import Content

UNKNOWN = Call("pure_unknown", "int", elidable=True, can_raise=True)
"""A function of which nothing is declared: its name stands at `call_pure_i` only."""

SAYS = OPS["record_known_result"]

Key = tuple[Type, tuple[Datum, ...]]


_Call = Invocation[Any, bool]


class CallDraft(ConcreteCalls):
    """Calls over what they give and raise on the example, None for nothing, which functions are `known` to do. `made`
    are the calls of functions so far, by their declarations' names."""

    def __init__(self, draft: HeapDraft, word: int) -> None:
        super().__init__(concrete(word))
        self._draft: HeapDraft = proxy(draft)  # which keeps this one: both go when nobody else needs it
        self.known: dict[Key, tuple[Datum, Ref]] = {}
        self._called: set[Key] = set()
        self.is_event = False  # is the call at hand one?
        self.made: list[tuple[str, Args]] = []

    def add(self, row: Op, args: Args, descr: str | None) -> None:
        """Adds a call or other event, which is done on the example."""
        draft, operation = self._draft, Operation(row, args, descr=descr)
        draft.use(args)
        self.is_event = False
        value = self.perform(self._site(operation), operation, 0, [draft.datum(arg) for arg in args])
        result = None if value is None or row.result is VOID else draft.defined(value)
        if result is not None and result.type is INT and not self.is_event:
            draft.numbers.append(result)
        draft.ops.append(Operation(row, args, result, descr=descr))

    def _site(self, operation: Operation) -> CallSite:
        if operation.descr == UNKNOWN.name:
            role, args = (Role.RECORD, operation.args[1:]) if operation.op is SAYS else (Role.FUNCTION, operation.args)
            return CallSite(role, replace(NOTHING, can_raise=True), args, operation.op.name, declared=UNKNOWN)
        site = call_of(operation, self._draft.types.layout)
        assert site is not None
        return site

    # What calls do on the example.

    @property
    def heap(self) -> Heap:
        return self._draft.heap

    def require(self, call: _Call, condition: bool, reason: str) -> None:
        """Asserts that what is added is defined."""
        assert condition, reason

    def happen(self, call: _Call) -> tuple[Datum | None, Ref]:
        draft, effects, type_ = self._draft, call.site.effects, call.operation.op.result
        self.is_event = True
        if not draft.heap.seen.keys() >= {ref for ref in draft.heap.objects if ref.fresh}:  # else it sees nothing new
            draft.heap.reveal(call.args, effects)
        draft.world.act(draft.heap, effects)
        value: Datum = draft.world.reference(draft.heap) if type_ is REF else draft.given(type_)
        draft.results.append(scripted(value, draft.heap))
        return value, draft.heap.pending() if effects.can_raise else NULL

    def function_of(self, call: _Call) -> tuple[Datum, Type]:
        return call.args[0], call.operation.op.result

    def apply(self, call: _Call, args: tuple[Datum, ...]) -> tuple[Datum, Ref]:
        key, declared = (call.operation.op.result, args), call.site.declared
        assert declared is not None
        if key not in self.known:
            self.known[key] = self._new(declared, key, key[0])
        value, raised = self.known[key]
        if key not in self._called:
            self._called.add(key)
            self._draft.world.give(Given(scripted(value, self._draft.heap), raised))
        return value, raised

    def promise(self, call: _Call, value: Datum) -> None:
        self.known.setdefault((INT, call.args), (value, NULL))

    def _new(self, call: Call, key: Key, type_: Type) -> tuple[Datum, Ref]:
        draft, wanted = self._draft, self.declared(call, key[1][1:])
        if wanted is not None:
            return wanted, NULL
        raised = NULL
        if call.can_raise and draft.choices.chance(10):
            raised = draft.world.exception(draft.heap, old=True)
        if type_ is REF:
            ref = draft.world.reference(draft.heap)
            return NULL if ref.fresh else ref, raised  # an object that existed before the trace
        return draft.constant(), raised

    def declared(self, call: Call, args: Sequence[Datum]) -> Datum | None:
        """The result on these arguments, if the function is declared to have one there."""
        for known in call.results:
            if tuple(map(number, known.args)) == tuple(args):
                return number(known.value)
        return None


def number(value: Content) -> int:
    """The number that a declaration names."""
    assert isinstance(value, int)
    return value
