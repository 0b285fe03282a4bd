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
from optimizer.ir.rows.ops import FLOAT, INT, OPS, REF, VOID, Op, Role, Type
from optimizer.ir.run.caller import ConcreteCalls
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NULL, Datum, Ref
from optimizer.ir.run.runs import Given
from optimizer.ir.trace import ConstClass, ConstInt, Operation, Value
from optimizer.ir.types.calls import MEANINGS, CallSite, call_of
from optimizer.ir.types.declared import Call, Scalar
from optimizer.ir.types.effects import NOTHING
from optimizer.ir.types.layout import Struct

_UNKNOWN = Call("pure_unknown", "int", elidable=True, can_raise=True)
"""A function of which nothing is declared: its name stands at `call_pure_i` only."""

_CONDITIONAL, _CONDITIONAL_VALUE, _READS = OPS["cond_call"], OPS["cond_call_value_i"], OPS["call_i"]
_SAYS, _CATCHES = OPS["record_known_result"], OPS["guard_exception"]

_TYPES = {"int": INT, "ref": REF}
_LETTERS = {INT: "i", REF: "r", FLOAT: "f"}

Key = tuple[Type, tuple[Datum, ...]]


_Call = Invocation[Any, bool]


class CallDraft(ConcreteCalls):
    """Calls over what they give and raise on the example, None for nothing. `made` are the calls of functions so far,
    by their declarations' names."""

    def __init__(self, draft: HeapDraft, word: int) -> None:
        super().__init__(concrete(word))
        self._draft: HeapDraft = proxy(draft)  # which keeps this one: both go when nobody else needs it
        self._known: dict[Key, tuple[Datum, Ref]] = {}
        self._called: set[Key] = set()
        self._is_event = False  # is the call at hand one?
        self.made: list[tuple[str, Args]] = []

    def add(self, row: Op, args: Args, descr: str | None) -> None:
        """Adds a call or other event, which is done on the example."""
        draft, operation = self._draft, Operation(row, args, descr=descr)
        draft.use(args)
        self._is_event = False
        value = self.perform(self._site(operation), operation, 0, [draft.datum(arg) for arg in args])
        result = None if value is None or row.result is VOID else draft.defined(value)
        if result is not None and result.type is INT and not self._is_event:
            draft.numbers.append(result)
        draft.ops.append(Operation(row, args, result, descr=descr))

    def _site(self, operation: Operation) -> CallSite:
        if operation.descr == _UNKNOWN.name:
            role, args = (Role.RECORD, operation.args[1:]) if operation.op is _SAYS else (Role.FUNCTION, operation.args)
            return CallSite(role, replace(NOTHING, can_raise=True), args, operation.op.name, declared=_UNKNOWN)
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
        self._is_event = True
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
        if key not in self._known:
            self._known[key] = self._new(declared, key, key[0])
        value, raised = self._known[key]
        if key not in self._called:
            self._called.add(key)
            self._draft.world.give(Given(scripted(value, self._draft.heap), raised))
        return value, raised

    def promise(self, call: _Call, value: Datum) -> None:
        self._known.setdefault((INT, call.args), (value, NULL))

    def pick_function(self, result: Type | None = None) -> Call:
        """A function that is declared, or one that is not."""
        declared = [call for call in self._draft.types.declarations.calls if call.elidable and not call.oopspec]
        fitting = [call for call in declared if result is None or _TYPES[call.result] is result]
        return _UNKNOWN if not fitting or self._draft.choices.chance(15) else self._draft.choices.pick(fitting)

    # Functions.

    def function(self, call: Call, args: Args) -> None:
        letter = _LETTERS[_TYPES[call.result]]
        stems = ("call_pure",) if call is _UNKNOWN else ("call", "call", "call_pure", "call_may_force")
        row = OPS[f"{self._draft.choices.pick(stems)}_{letter}"]
        self._draft.need(row)
        full = self._full(call, args)
        self.add(row, full, call.name)
        self.made.append((call.name, args))

    def _full(self, call: Call, args: Args) -> Args:
        which = "twin" if self._draft.choices.chance(20) else "func"
        return (ConstClass(f"{call.name}_{which}"), *args)

    def _new(self, call: Call, key: Key, type_: Type) -> tuple[Datum, Ref]:
        draft, wanted = self._draft, self._declared(call, key[1][1:])
        if wanted is not None:
            return wanted, NULL
        raised = NULL
        if call.can_raise and draft.choices.chance(10):
            raised = draft.world.exception(draft.heap, old=True)
        if type_ is REF:
            return draft.world.old_reference(draft.heap), raised
        return draft.constant(), raised

    def _declared(self, call: Call, args: Sequence[Datum]) -> Datum | None:
        for known in call.results:
            if tuple(map(number, known.args)) == tuple(args):
                return number(known.value)
        return None

    def say(self, call: Call, args: Args) -> None:
        """Says what the function gives, if it gives a number and raises nothing."""
        self._draft.need(_SAYS)
        draft, full = self._draft, self._full(call, args)
        key = INT, tuple(map(draft.datum, full))
        variable = draft.variable()
        declared = self._declared(call, key[1][1:])
        here = draft.values[variable.name]
        value, raised = self._known.get(key, (here if declared is None else declared, NULL))
        if raised != NULL or not isinstance(value, int):
            return
        told: Value = variable if here == value else ConstInt(value)
        self.add(_SAYS, (told, *full), call.name)

    def pick_meaning(self) -> Call | None:
        """A call that is declared to be an operation."""
        declared = [call for call in self._draft.types.declarations.calls if call.oopspec in MEANINGS]
        return self._draft.choices.pick(declared) if declared else None

    def meaning(self, call: Call, row: Op, args: Args) -> None:
        """A call of what is an operation."""
        draft = self._draft
        stem = draft.choices.pick(("call", "call_pure"))
        called = OPS[f"{stem}_{_LETTERS[row.result]}"]
        draft.need(called)
        self.add(called, self._full(call, args), call.name)

    def reading(self, args: Args) -> None:
        """A reading of what belongs to the thread."""
        draft = self._draft
        call = next((one for one in draft.types.declarations.calls if one.name == "local"), None)
        if call is not None:
            draft.need(_READS)
            self.add(_READS, self._full(call, args), call.name)

    # Conditional and loop-invariant calls.

    def conditional_value(self, condition: Value, call: Call, args: Args) -> None:
        if call is not _UNKNOWN:
            self._draft.need(_CONDITIONAL_VALUE)
            self.add(_CONDITIONAL_VALUE, (condition, *self._full(call, args)), call.name)

    def conditional(self, condition: Value, args: Args) -> None:
        draft = self._draft
        draft.need(_CONDITIONAL)
        declared = [call for call in draft.types.declarations.calls if call.result == "void"]
        call = draft.choices.pick(declared) if declared and draft.choices.chance(70) else None
        full = (condition, ConstClass("conditional_func"), *args)
        self.add(_CONDITIONAL, full, None if call is None else call.name)

    def invariant(self, function: ConstClass, args: Args) -> None:
        draft = self._draft
        call = next((one for one in draft.types.declarations.calls if one.loop_invariant), None)
        if call is None:
            return
        row = OPS[draft.choices.pick(("call_loopinvariant_i", "call_i"))]
        draft.need(row)
        self.add(row, (function, *args), call.name)
        result = draft.ops[-1].result
        if self._is_event and result is not None and draft.choices.chance(30):
            draft.use((result,))  # it is made for what it does

    # Exceptions.

    def check(self) -> None:
        """A guard on what is pending."""
        draft = self._draft
        pending = draft.heap.pending()
        if pending == NULL:
            draft.guard(OPS["guard_no_exception"], ())
            return
        type_ = draft.heap.objects[pending].type
        if isinstance(type_, Struct):
            draft.need(_CATCHES)
            exit_ = draft.exit()
            draft.heap.set_pending(NULL)
            args = (ConstClass(type_.vtable),)
            draft.ops.append(Operation(_CATCHES, args, draft.define_ref(pending), exit_))


def number(scalar: Scalar) -> int:
    """The number that a declaration names."""
    assert isinstance(scalar.value, int)
    return scalar.value
