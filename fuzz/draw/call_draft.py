"""Calls of a trace in the making: what functions give and raise on the example, which gives the same again."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import proxy

from fuzz.draw.draft import Args
from fuzz.draw.heap_draft import HeapDraft
from optimizer.ir.floats import Float
from optimizer.ir.rows.ops import FLOAT, INT, OPS, REF, VOID, Op, Type
from optimizer.ir.run.objects import NULL, Datum, Ref
from optimizer.ir.run.runs import Given
from optimizer.ir.trace import ConstClass, ConstInt, Operation, Value, Var
from optimizer.ir.types.calls import MEANINGS
from optimizer.ir.types.declaration_entries import Call, Scalar
from optimizer.ir.types.effects import effects_of
from optimizer.ir.types.layout import Struct

_UNKNOWN = Call("pure_unknown", "int", elidable=True, can_raise=True)
"""A function of which nothing is declared: its name stands at `call_pure_i` only."""

_CONDITIONAL, _CONDITIONAL_VALUE, _READS = OPS["cond_call"], OPS["cond_call_value_i"], OPS["call_i"]
_SAYS, _CATCHES = OPS["record_known_result"], OPS["guard_exception"]

_TYPES = {"int": INT, "ref": REF}
_LETTERS = {INT: "i", REF: "r", FLOAT: "f"}

Key = tuple[Type, tuple[Datum, ...]]


class CallDraft:
    """`made` are the calls of functions so far, by their declarations' names."""

    def __init__(self, draft: HeapDraft) -> None:
        self._draft: HeapDraft = proxy(draft)  # which keeps this one: both go when nobody else needs it
        self._known: dict[Key, tuple[Datum, Ref]] = {}
        self._called: set[Key] = set()
        self._invariants: dict[str, tuple[Var, Ref]] = {}
        self.made: list[tuple[str, Args]] = []

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
        self._put(row, full, call, self._give(call, full, row.result))
        self.made.append((call.name, args))

    def _full(self, call: Call, args: Args) -> Args:
        which = "twin" if self._draft.choices.chance(20) else "func"
        return (ConstClass(f"{call.name}_{which}"), *args)

    def _put(self, row: Op, args: Args, call: Call, value: Datum) -> None:
        draft = self._draft
        draft.use(args)
        result = self._define(value)
        draft.ops.append(Operation(row, args, result, descr=call.name))

    def _define(self, value: Datum) -> Var:
        if isinstance(value, Ref):
            return self._draft.define_ref(value)
        if isinstance(value, Float):
            return self._draft.define_float(value)
        assert isinstance(value, int)
        result = self._draft.define(value)
        self._draft.numbers.append(result)
        return result

    def _give(self, call: Call, args: Args, type_: Type) -> Datum:
        """What the call gives; what it raises is pending then."""
        key = type_, tuple(map(self._draft.datum, args))
        if key not in self._known:
            self._known[key] = self._new(call, key, type_)
        value, raised = self._known[key]
        if key not in self._called:
            self._called.add(key)
            self._draft.world.give(Given(self._draft.world.name(value, self._draft.heap), raised))
        if call.can_raise:
            self._draft.heap.set_pending(raised)
        return value

    def _new(self, call: Call, key: Key, type_: Type) -> tuple[Datum, Ref]:
        draft, wanted = self._draft, self._declared(call, key[1][1:])
        if wanted is not None:
            return wanted, NULL
        raised = NULL
        if call.can_raise and draft.choices.chance(10):
            raised = draft.world.exception(draft.choices, draft.heap, old=True)
        if type_ is REF:
            return draft.world.old_reference(draft.choices, draft.heap, draft.shape.word), raised
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
        if key not in self._known:
            wanted = self._declared(call, key[1][1:])
            self._known[key] = (draft.values[variable.name] if wanted is None else wanted), NULL
        value, raised = self._known[key]
        if raised != NULL or not isinstance(value, int):
            return
        told: Value = variable if draft.values[variable.name] == value else ConstInt(value)
        draft.use((told, *full))
        draft.ops.append(Operation(_SAYS, (told, *full), descr=call.name))

    def pick_meaning(self) -> Call | None:
        """A call that is declared to be an operation."""
        declared = [call for call in self._draft.types.declarations.calls if call.oopspec in MEANINGS]
        return self._draft.choices.pick(declared) if declared else None

    def meaning(self, call: Call, row: Op, args: Args) -> None:
        """A call of what is an operation."""
        assert row.meaning is not None
        draft = self._draft
        value = row.meaning(draft.domain, *map(draft.datum, args))
        stem = draft.choices.pick(("call", "call_pure"))
        called = OPS[f"{stem}_{_LETTERS[row.result]}"]
        draft.need(called)
        self._put(called, self._full(call, args), call, value)

    def reading(self, args: Args) -> None:
        """A reading of what belongs to the thread."""
        draft = self._draft
        call = next((one for one in draft.types.declarations.calls if one.name == "local"), None)
        if call is not None:
            draft.need(_READS)
            full = self._full(call, args)
            value = self._give(call, (*full, ConstInt(draft.upheavals)), INT)
            self._put(_READS, full, call, value)

    # Conditional and loop-invariant calls.

    def conditional_value(self, condition: Value, call: Call, args: Args) -> None:
        if call is _UNKNOWN:
            return
        self._draft.need(_CONDITIONAL_VALUE)
        full, value = self._full(call, args), self._draft.datum(condition)
        given = value if value != 0 else self._give(call, full, INT)
        self._put(_CONDITIONAL_VALUE, (condition, *full), call, given)

    def conditional(self, condition: Value, args: Args) -> None:
        draft = self._draft
        draft.need(_CONDITIONAL)
        declared = [call for call in draft.types.declarations.calls if call.result == "void"]
        call = draft.choices.pick(declared) if declared and draft.choices.chance(70) else None
        full = (ConstClass("conditional_func"), *args)
        operation = Operation(_CONDITIONAL, (condition, *full), descr=None if call is None else call.name)
        draft.use(operation.args)
        if draft.datum(condition) != 0:
            draft.happen(full, effects_of(operation, draft.types.layout), VOID)
        draft.ops.append(operation)

    def invariant(self, function: ConstClass, args: Args) -> None:
        draft = self._draft
        call = next((one for one in draft.types.declarations.calls if one.loop_invariant), None)
        if call is None:
            return
        row = OPS[draft.choices.pick(("call_loopinvariant_i", "call_i"))]
        draft.need(row)
        if function.name not in self._invariants:
            draft.event(row, (function, *args), call.name)
            result = draft.ops[-1].result
            assert result is not None
            if draft.choices.chance(30):
                draft.use((result,))  # it is made for what it does
            self._invariants[function.name] = result, draft.heap.pending() if call.can_raise else NULL
            return
        result, raised = self._invariants[function.name]
        if call.can_raise:
            draft.heap.set_pending(raised)
        self._put(row, (function, *args), call, draft.values[result.name])

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
