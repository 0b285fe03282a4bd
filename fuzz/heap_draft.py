"""A trace over a heap in the making.

The example is run as it grows, on the interpreter's own heap: what an operation needs, gives and changes there is
what its row says.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from fuzz.choices import Choices, chance, pick
from fuzz.draft import Args, Draft
from fuzz.memory_rows import memory_rows
from fuzz.random_heap import LONGEST, draw_heap, ref_of, told_heap
from fuzz.random_types import Place, draw_types
from fuzz.shape import HeapShape, Shape
from fuzz.world_draft import WorldDraft
from optimizer.ir.heap import NULL, Datum, Object, Ref
from optimizer.ir.layout import Array, Resolved, layout_of
from optimizer.ir.ops import DescrKind, Op, Type
from optimizer.ir.trace import ConstClass, ConstInt, ConstRef, Exit, Operation, Trace, Value, Var
from validator.verdict import State

_RECENT = 6


@dataclass(frozen=True, slots=True)
class Aim:
    """A place of an object, as an access names it."""

    place: Place
    pointer: Value
    index: Value | None = None

    @property
    def args(self) -> Args:
        return (self.pointer,) if self.index is None else (self.pointer, self.index)


class HeapDraft(Draft):
    """`references` are the variables that are, oldest first, `refs` what they are on the example, `fresh` those that
    the trace allocated; `aims` are the accesses so far, `checked_refs` the pointers that a guard is about."""

    def __init__(self, choices: Choices, shape: Shape, heap: HeapShape) -> None:
        self.memory = memory_rows()
        self.references: list[Var] = []
        self.fresh: list[Var] = []
        self.refs: dict[Var, Ref] = {}
        self.aims: list[Aim] = []
        self.checked_refs: list[Var] = []
        self.share = heap.references
        self.types = draw_types(choices, heap, shape.word)
        self.initial = draw_heap(choices, self.types, heap.objects, shape.word)
        self.heap = self.initial.copy()
        self.world = WorldDraft(self.types, self.initial)
        super().__init__(choices, shape)

    def input(self) -> Var:
        # An integer comes first: integer steps need one.
        if self.numbers and chance(self.choices, self.share):
            known = [self.refs[var] for var in self.references]
            if known and chance(self.choices, 30):
                return self.define_ref(pick(self.choices, known))
            if chance(self.choices, 10):
                return self.define_ref(NULL)
            return self.define_ref(pick(self.choices, list(self.initial.objects)))
        if chance(self.choices, 60):
            var = self.define(self.choices.integer(0, LONGEST - 1))
            self.numbers.append(var)
            return var
        return super().input()

    def finished(self) -> tuple[Trace, State, dict[str, Datum]]:
        trace = Trace(tuple(self.inputs), tuple(self.ops), self.shape.word, self.types.declarations)
        layout = layout_of(trace)
        world = self.world.told(layout, tuple(self.results))
        inputs = tuple(self.datum(var) for var in self.inputs)
        roots = [datum for datum in (*inputs, *self.world.objects(world)) if isinstance(datum, Ref)]
        heap = told_heap(self.initial, self.types, trace, layout, roots)
        values: dict[str, Datum] = {var.name: value for var, value in self.values.items()}
        return trace, State(inputs, world, heap), values | {var.name: ref for var, ref in self.refs.items()}

    # Values.

    def define_ref(self, ref: Ref) -> Var:
        var = Var(f"p{self.named}", Type.REF)
        self.named += 1
        self.references.append(var)
        self.refs[var] = ref
        self.unused[var] = None
        return var

    def datum(self, value: Value) -> Datum:
        """What a variable or constant is on the example."""
        match value:
            case Var(_, Type.REF):
                return self.refs[value]
            case ConstRef(text):
                return ref_of(self.heap, text)
            case _:
                return self.value(value)

    @property
    def const_refs(self) -> list[ConstRef]:
        return [ConstRef(f"ConstPtr({name})") for name in self.types.constants]

    def reference(self) -> Value | None:
        """Any reference, most often a recent one; None where there is none."""
        if self.types.constants and chance(self.choices, 6):
            return pick(self.choices, self.const_refs)
        if not self.references:
            return NULL_REF if chance(self.choices, 30) else None
        match self.choices.integer(0, 9):
            case 0 | 1 | 2 | 3 | 4:
                among = self.references[-_RECENT:]
            case 5 | 6 if self.fresh:
                among = self.fresh[-_RECENT:]
            case 7 if self.checked_refs:
                among = self.checked_refs[-_RECENT:]
            case _:
                among = self.references
        return among[-1 - self.choices.integer(0, len(among) - 1)]

    def object_of(self, value: Value) -> Object | None:
        datum = self.datum(value)
        return self.heap.objects.get(datum) if isinstance(datum, Ref) else None

    def handed(self) -> Value:
        if chance(self.choices, 40):
            reference = self.reference()
            if reference is not None:
                return NULL_REF if chance(self.choices, 3) else reference
        return self.operand()

    def shown_at_end(self, var: Var) -> int:
        return 40 if var in self.fresh else super().shown_at_end(var)

    # Aims.

    def aim(self) -> Aim | None:
        """A place to access: often one that was accessed, through the same pointer or another."""
        if self.aims:
            recent = self.aims[-1 - self.choices.integer(0, min(len(self.aims), _RECENT) - 1)]
            if chance(self.choices, 35):
                return recent
            if chance(self.choices, 35):
                return self.beside(recent)
        return self.new_aim()

    def new_aim(self, kind: DescrKind | None = None) -> Aim | None:
        for _ in range(4):
            pointer = self.reference()
            if pointer is not None:
                aim = self.aim_at(pointer, kind)
                if aim is not None:
                    return aim
        return None

    def aim_at(self, pointer: Value, kind: DescrKind | None = None, key: str | None = None) -> Aim | None:
        """A place of that object; None where it has none of that kind and key."""
        found = self.object_of(pointer)
        if found is None:
            return None
        places = self.types.places.get(found.type.name, ())
        if kind is not None or key is not None:
            places = tuple(place for place in places if kind in (None, place.kind) and key in (None, place.slot.key))
        if not places:
            return None
        place = pick(self.choices, places)
        if place.kind is DescrKind.FIELD:
            return Aim(place, pointer)
        return Aim(place, pointer, self.index(found.length)) if found.length else None

    def index(self, length: int) -> Value:
        """An index of an array: a constant, or a variable that is one on the example."""
        if chance(self.choices, 50):
            fitting = [var for var in self.numbers if 0 <= self.values[var] < length]
            if fitting:
                return fitting[-1 - self.choices.integer(0, min(len(fitting), _RECENT) - 1)]
        return ConstInt(self.choices.integer(0, length - 1))

    def beside(self, aim: Aim) -> Aim:
        """The same memory through another pointer, or at another index, where there is one."""
        if aim.index is not None and chance(self.choices, 50):
            length = self.heap.length(self.refs_of(aim.pointer))
            return replace(aim, index=self.index(length))
        for _ in range(4):
            pointer = self.reference()
            if pointer is not None and pointer != aim.pointer:
                found = self.aim_at(pointer, aim.place.kind, aim.place.slot.key)
                if found is not None:
                    return self._at(found, aim.index)
        return aim

    def _at(self, aim: Aim, index: Value | None) -> Aim:
        """The aim at that index, if it is one of the array."""
        if index is None or not chance(self.choices, 60):
            return aim
        fits = 0 <= self.value(index) < self.heap.length(self.refs_of(aim.pointer))
        return replace(aim, index=index) if fits else aim

    def refs_of(self, pointer: Value) -> Ref:
        ref = self.datum(pointer)
        assert isinstance(ref, Ref)
        return ref

    def content(self, aim: Aim) -> Value | None:
        """A value to store there."""
        slot = aim.place.slot
        if slot.type is Type.REF:
            return NULL_REF if chance(self.choices, 10) else self.reference()
        if aim.index is not None and chance(self.choices, 12):
            return aim.index  # an item that is its own index
        for _ in range(3):
            value = self.operand()
            if slot.low is None or slot.high is None or slot.low <= self.value(value) <= slot.high:
                return value
        return ConstInt(self.choices.integer(slot.low or 0, slot.high or 0))

    # Adding operations.

    def attempt(self, row: Op, args: Args, descr: str | None = None, slot: Resolved | None = None) -> Operation | None:
        """Adds an operation of the heap, if it is defined and, being a guard, passes; else None."""
        memory = row.memory
        assert memory is not None
        data: list[Datum | str] = [
            arg.name if isinstance(arg, ConstClass) else self.datum(arg) for arg in args
        ]
        if not memory.defined(self.domain, self.heap, slot, *data):
            return None
        if memory.passes is not None and not memory.passes(self.domain, self.heap, slot, *data):
            return None
        if row.is_guard:
            self.guard(row, args)
            self.checked_refs += [arg for arg in args if isinstance(arg, Var)]
            return self.ops[-1]
        self.use(args if memory.stores is None else args[memory.stores :])
        made = None if memory.meaning is None else memory.meaning(self.domain, self.heap, slot, *data)
        result = None
        if isinstance(made, Ref):
            result = self.define_ref(made)
        elif made is not None:
            result = self.define(made)
            if row not in self.memory.identities:
                self.numbers.append(result)
        operation = Operation(row, args, result, descr=descr)
        self.ops.append(operation)
        return operation

    def load(self, aim: Aim) -> Var | None:
        place = aim.place
        rows = self.memory.loads[place.kind, place.slot.type]
        # The rows behind the first are for memory that does not change.
        row = pick(self.choices, rows) if place.slot.immutable else rows[0]
        operation = self.attempt(row, aim.args, place.descr, place.slot)
        if operation is None:
            return None
        self.aims.append(aim)
        return operation.result

    def store(self, aim: Aim, value: Value | None = None) -> Operation | None:
        value = self.content(aim) if value is None else value
        if value is None:
            return None
        row = pick(self.choices, self.memory.stores[aim.place.kind])
        operation = self.attempt(row, (*aim.args, value), aim.place.descr, aim.place.slot)
        if operation is not None:
            self.aims.append(aim)
        return operation

    def allocate(self) -> Var | None:
        """An object without content."""
        type_ = pick(self.choices, [*self.types.structs, *self.types.structs, *self.types.arrays])
        is_array = isinstance(type_, Array)
        row = pick(self.choices, self.memory.allocations[DescrKind.ARRAY if is_array else DescrKind.STRUCT])
        args: Args = (self.length(),) if is_array else ()
        operation = self.attempt(row, args, type_.name, type_)
        if operation is None or operation.result is None:
            return None
        self.fresh.append(operation.result)
        return operation.result

    def length(self) -> Value:
        fitting = [var for var in self.numbers if 0 <= self.values[var] <= LONGEST]
        if fitting and chance(self.choices, 15):
            return pick(self.choices, fitting)
        return ConstInt(self.choices.integer(0, LONGEST))

    def event(self, row: Op, args: Args, descr: str | None = None) -> None:
        self.use(args)
        self.heap.reveal([self.datum(arg) for arg in args])
        operation = Operation(row, args, None, descr=descr)
        self.world.write(self.choices, self.heap, operation, self.shape.word)
        result: Var | None = None
        if row.result is Type.REF:
            ref, scripted = self.world.reference(self.choices, self.heap, self.shape.word)
            self.results.append(scripted)
            result = self.define_ref(ref)
        elif row.result is Type.INT:
            value = self.constant()
            self.results.append(value)
            result = self.define(value)
        else:
            self.results.append(0)
        self.ops.append(replace(operation, result=result))

    # Exits.

    def exit_with_block(self) -> Exit:
        heap, self.heap = self.heap, self.heap.copy()
        outside, fresh, aims = len(self.references), list(self.fresh), list(self.aims)
        exit = super().exit_with_block()
        for var in self.references[outside:]:
            del self.refs[var]
            self.unused.pop(var, None)
        del self.references[outside:]
        self.heap, self.fresh, self.aims = heap, fresh, aims
        return exit

    def in_block(self) -> None:
        match self.choices.integer(0, 3):
            case 0 | 1:
                super().in_block()
            case 2:
                made = self.allocate()
                aim = None if made is None else self.aim_at(made)
                if aim is not None:
                    self.store(aim)
            case _:
                aim = self.aim()
                if aim is not None:
                    self.store(aim)


NULL_REF = ConstRef(NULL.name)
