"""A trace over a heap in the making.

The example is run as it grows, on the interpreter's own heap: what an operation needs, gives and changes there is
what its row says.
"""

from __future__ import annotations

from fuzz.draw.choices import Choices
from fuzz.draw.draft import Args, Draft
from fuzz.draw.memory_rows import memory_rows
from fuzz.draw.random_heap import LONGEST, draw_heap, ref_of
from fuzz.draw.random_types import draw_types
from fuzz.draw.shape import HeapShape, Shape
from fuzz.draw.world_draft import WorldDraft
from fuzz.edits.reach import reached
from optimizer.ir.addresses import address_of
from optimizer.ir.faults import Unspecified
from optimizer.ir.floats import Float
from optimizer.ir.operands import constant_text
from optimizer.ir.rows.ops import REF, Op
from optimizer.ir.rows.row import ARRAY, COPY, LOAD, NEW, STORE, STRUCT
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NULL, RAW_REF, Datum, Object, Ref
from optimizer.ir.run.used_as import UsedAs
from optimizer.ir.trace import ConstClass, ConstInt, ConstRef, Operation, Trace, Value, Var
from optimizer.ir.types.layout import Array, Field, Resolved, Struct
from optimizer.ir.types.trace_layout import layout_of
from validator.search.counterexample import State

_RECENT = 6


_HOLDING = frozenset({LOAD, STORE, COPY})

NULL_REF = ConstRef(NULL.name)


class HeapDraft(Draft):
    """`references` are the variables that are, oldest first, `refs` what they are on the example, `fresh` those that
    the trace allocated, `checked_refs` those that a guard is about. `used_as` says what is used by its bytes.
    With `byte_references` references in objects are found by their offsets, and not in fields and items: of a trace
    that does both it is not known what these hold."""

    of_block = (*Draft.of_block, "heap", "references", "refs", "fresh")

    def __init__(self, choices: Choices, shape: Shape, heap: HeapShape) -> None:
        self.memory = memory_rows()
        self.references: list[Var] = []
        self.fresh: list[Var] = []
        self.refs: dict[str, Ref] = {}
        self.checked_refs: list[Var] = []
        self.share = heap.references
        self.types = draw_types(choices, heap, shape.word)
        self.const_refs = [ConstRef(constant_text(name)) for name in self.types.constants]
        self.initial = draw_heap(choices, self.types, heap.objects, shape.word)
        self.world = WorldDraft(choices, self.types, self.initial, shape.word, heap.exceptions)
        self.initial_raw = Heap(self.types.layout)
        self.heap = self.initial.copy()
        self.used_as = UsedAs()
        self.byte_references = False
        super().__init__(choices, shape)

    @property
    def fewest_inputs(self) -> int:
        return min(2, self.shape.inputs)

    def input(self) -> Var:
        # An integer comes first: integer steps need one. The second is a reference.
        if self.numbers and self.share and (not self.references or self.choices.chance(self.share)):
            known = [self.refs[var.name] for var in self.references]
            if known and self.choices.chance(30):
                return self.define_ref(self.choices.pick(known))
            if self.choices.chance(10):
                return self.define_ref(NULL)
            return self.define_ref(self.choices.pick(list(self.initial.objects)))
        if self.choices.chance(60) and not (self.numbers and self.choices.chance(self.shape.floats)):
            var = self.define(self.choices.integer(0, LONGEST - 1))
            self.numbers.append(var)
            return var
        return super().input()

    def finished(self) -> tuple[Trace, State, dict[str, Datum]]:
        trace = Trace(tuple(self.inputs), tuple(self.ops), self.shape.word, self.types.declarations)
        layout = layout_of(trace)
        self.initial.objects.update(self.initial_raw.objects)
        if RAW_REF in self.heap.objects:
            self.initial.add_raw()
        inputs = tuple(self.datum(var) for var in self.inputs)
        state = State(inputs, self.world.script(tuple(self.results)), self.initial)
        return trace, reached(state, [trace], layout), {**self.values, **self.refs, **self.floats}

    # Values.

    def define_ref(self, ref: Ref) -> Var:
        var = self.named_next(REF)
        self.references.append(var)
        self.refs[var.name] = ref
        return var

    def defined(self, value: Datum) -> Var:
        return self.define_ref(value) if isinstance(value, Ref) else super().defined(value)

    def datum(self, value: Value) -> Datum:
        if isinstance(value, Var) and value.type is REF:
            return self.refs[value.name]
        if isinstance(value, ConstRef):
            return ref_of(self.heap, value.text)
        return address_of(value.name, self.shape.word) if isinstance(value, ConstClass) else super().datum(value)

    def reference(self) -> Value | None:
        """Any reference, most often a recent one; None where there is none."""
        if not self.share:
            return None
        if self.types.constants and self.choices.chance(6):
            return self.choices.pick(self.const_refs)
        if not self.references:
            return NULL_REF if self.choices.chance(30) else None
        choices = self.choices
        which = choices.integer(0, 9)
        if which < 5:
            return choices.latest(self.references, _RECENT)
        if which < 7 and self.fresh:
            return choices.latest(self.fresh, _RECENT)
        if which == 7 and self.checked_refs:
            return choices.latest(self.checked_refs, _RECENT)
        return choices.latest(self.references, len(self.references))

    def object_of(self, value: Value) -> Object | None:
        datum = self.refs.get(value.name) if isinstance(value, Var) else self.datum(value)
        return self.heap.objects.get(datum) if isinstance(datum, Ref) else None

    def refs_of(self, pointer: Value) -> Ref:
        ref = self.datum(pointer)
        assert isinstance(ref, Ref)
        return ref

    def handed(self) -> Value:
        if self.choices.chance(40):
            reference = self.reference()
            if reference is not None:
                return NULL_REF if self.choices.chance(3) else reference
        return self.operand()

    def shown_at_end(self, var: Var) -> int:
        return 40 if var in self.fresh else super().shown_at_end(var)

    # Adding operations.

    def attempt(self, row: Op, args: Args, descr: str | None = None, slot: Resolved | None = None) -> Operation | None:
        """Adds an operation of the heap, if it is defined, gives what is specified and, being a guard, passes; else
        None."""
        if row in self.excluded:
            return None
        memory, d, heap = row.memory, self.domain, self.heap
        assert memory is not None
        data: list[Datum | str] = [arg.name if isinstance(arg, ConstClass) else self.datum(arg) for arg in args]
        for holds, _ in memory.requires:
            if not holds(d, heap, slot, *data):
                return None
        if memory.passes is not None and not memory.passes(d, heap, slot, *data):
            return None
        if row.is_guard:
            self.guard(row, args)
            if memory.meaning is not None:
                memory.meaning(d, heap, slot, *data)
            self.checked_refs += [arg for arg in args if isinstance(arg, Var)]
            return self.ops[-1]
        if self.byte_references and row.kind in _HOLDING and isinstance(slot, Field) and slot.type is REF:
            return None
        try:
            self.used_as.note(row, args, data)
            made = None if memory.meaning is None else memory.meaning(d, heap, slot, *data)
        except Unspecified:
            return None
        self.use(args if memory.stores is None else args[memory.stores :])
        result = None
        if isinstance(made, Ref):
            result = self.define_ref(made)
        elif isinstance(made, Float):
            result = self.define_float(made)
        elif made is not None:
            result = self.define(made)
            if row not in self.memory.identities:
                self.numbers.append(result)
        operation = Operation(row, args, result, None, descr)
        self.ops.append(operation)
        return operation

    def allocate(self, type_: Struct | Array | None = None) -> Var | None:
        """An object without content, of that class or any."""
        type_ = self.choices.pick(self.types.classes) if type_ is None else type_
        is_array = isinstance(type_, Array)
        rows = self.memory.allocations[ARRAY if is_array else STRUCT]
        strings = self.memory.strings.get(type_.name)
        row = self.choices.pick(rows) if strings is None else strings[NEW]
        args: Args = (self.length(),) if is_array else ()
        operation = self.attempt(row, args, type_.name if strings is None else None, type_)
        if operation is None or operation.result is None:
            return None
        self.fresh.append(operation.result)
        return operation.result

    def length(self) -> Value:
        fitting = [var for var in self.numbers if 0 <= self.values[var.name] <= LONGEST]
        if fitting and self.choices.chance(15):
            return self.choices.pick(fitting)
        return ConstInt(self.choices.integer(0, LONGEST))
