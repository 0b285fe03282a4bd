"""Random states for pairs of heap traces.

They mostly keep to what the names of variables say, so that many runs are defined, and have few objects, so that many
references are the same one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from heap_traces import ARRAYS, INT, KINDS, MEMORY, REF, STRUCTS, kind_of

from optimizer.ir.rows.ops import Kind
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NO_INDEX, NULL, Cell, Datum, Object, Ref
from optimizer.ir.run.runs import Scripted, Seen, World, Write
from optimizer.ir.trace import ConstRef, Trace, Var, all_operations
from optimizer.ir.types.layout import Field, Layout
from optimizer.ir.types.memory_names import memory_named
from validator import State


class States:
    """Random states for a pair of traces."""

    def __init__(self, before: Trace, after: Trace, layout: Layout, random: Random) -> None:
        self._before = before
        self._layout = layout
        self._random = random
        self._word = before.word
        self._events = [op for op in before.ops if op.op.kind is Kind.EVENT]
        self._fields: dict[str, list[Field]] = {}
        self._constants = sorted(
            {
                value.text[len("ConstPtr(") : -1]
                for trace in (before, after)
                for op in all_operations(trace)
                for value in (*op.args, *((op.exit.failargs or ()) if op.exit is not None else ()))
                if isinstance(value, ConstRef) and value.text.startswith("ConstPtr(")
            }
        )
        self._has_unknown = {name for name in self._constants if layout.constant(name) is None}
        self._needed = [kind_of(var) for var in before.inputs if var.type is REF] + [
            kind_of(op.result) for op in self._events if op.result is not None and op.result.type is REF
        ]
        self._arrays_used = any(kind in ARRAYS for kind in self._needed)

    def some(self, count: int) -> Iterator[State]:
        return (self.state() for _ in range(count))

    def state(self) -> State:
        random = self._random
        heap = Heap(self._layout)
        self._fixed: list[Ref] = []
        self._fit = 0.97 if random.random() < 0.7 else 0.7
        for kind in dict.fromkeys(self._needed):
            for _ in range(random.choice([1, 1, 2])):
                self._object(heap, kind)
        for kind in random.choices(KINDS, k=random.choice([0, 1])):
            self._object(heap, kind)
        self._declared_constants(heap)
        old = list(heap.objects)
        for ref in old:
            self._fill(heap, ref)
        for name in self._has_unknown:
            if old and random.random() < 0.7:
                heap.names[f"ConstPtr({name})"] = random.choice(old)
            else:
                heap.add(f"ConstPtr({name})", Object(self._layout.struct("opaque")))
        old = list(heap.objects)
        inputs = tuple(self._input(var, heap) for var in self._before.inputs)
        return State(inputs, self._world(heap), heap)

    def _object(self, heap: Heap, kind: str) -> Ref:
        random, name = self._random, f"o{len(heap.objects)}"
        if kind in ARRAYS:
            type_ = self._layout.array(ARRAYS[kind])
            return heap.add(name, Object(type_, random.choice([0, 1, 2, 2, 3])))
        text = random.choice([STRUCTS[kind]] * 6 + (["Node"] if kind == "B" else []) + ["opaque"])
        struct = self._layout.struct(text)
        if kind in "NB" and random.random() < 0.1:
            struct = self._layout.subclass_of(STRUCTS[kind])
        return heap.add(name, Object(struct))

    def _declared_constants(self, heap: Heap) -> None:
        for name in self._constants:
            known = self._layout.constant(name)
            if known is None:
                continue
            if known.array is not None:
                ref = heap.add(f"ConstPtr({name})", Object(known.array, known.length or 0))
            else:
                assert known.struct is not None
                cells: dict[Cell, Datum] = {
                    (slot.key, NO_INDEX): value for slot, value in known.fields if isinstance(value, int)
                }
                ref = heap.add(f"ConstPtr({name})", Object(known.struct, None, cells))
            self._fixed.append(ref)

    def _fill(self, heap: Heap, ref: Ref) -> None:
        described = heap.objects[ref]
        cells = dict(described.cells)
        for slot in self._fields_of(described.type.name):
            cell = (slot.key, NO_INDEX)
            if cell not in cells and self._random.random() < 0.7:
                cells[cell] = self._held(slot, heap)
        if described.length:
            for slot in self._items_of(described.type.name):
                for index in range(described.length):
                    if self._random.random() < 0.7:
                        cells[slot.key, index] = self._held(slot, heap)
        heap.objects[ref] = replace(described, cells=cells)

    def _fields_of(self, name: str) -> list[Field]:
        if name not in self._fields:
            slots = [
                (self._layout.field(text), type_)
                for texts, type_ in zip(MEMORY, (INT, REF), strict=True)
                for text in texts
            ]
            self._fields[name] = [
                slot
                for slot, type_ in slots
                if slot.type is type_ and (slot.owner is None or self._layout.is_subclass(name, slot.owner))
            ]
        return self._fields[name]

    def _items_of(self, name: str) -> list[Field]:
        array = self._layout.array(name)
        return [*array.fields, *([array.item] if array.item is not None else [])]

    def _held(self, slot: Field, heap: Heap) -> Datum:
        return self._reference("N", heap) if slot.type is REF else self._number(slot)

    def _number(self, slot: Field | None = None) -> int:
        value = self._random.choice([0, 1, 1, 2, 3] if self._random.random() < 0.8 else [-1, 7, -8, 5])
        return max(0, value) if slot is not None and slot.low is not None else value

    def _reference(self, kind: str, heap: Heap) -> Ref:
        random, refs = self._random, list(heap.objects)
        if random.random() < 0.12 or not refs:
            return NULL
        if random.random() < self._fit:
            name = STRUCTS.get(kind) or ARRAYS[kind]
            fitting = [ref for ref in refs if heap.isa(ref, name)]
            if fitting:
                return random.choice(fitting)
        return random.choice(refs)

    def _input(self, var: Var, heap: Heap) -> Datum:
        return self._reference(kind_of(var), heap) if var.type is REF else self._number()

    def _world(self, heap: Heap) -> World:
        random = self._random
        results: list[Scripted] = []
        for op in self._events:
            if op.result is not None and op.result.type is REF:
                seen = random.random() < 0.4
                results.append(Seen(random.choice([0, 0, 1, 2])) if seen else self._reference(kind_of(op.result), heap))
            else:
                results.append(self._number())
        count = len(self._events)
        return World(
            tuple(results),
            random.randrange(count) if count and random.random() < 0.15 else None,
            tuple(tuple(self._write(heap) for _ in range(random.choice([0, 0, 1, 2, 4]))) for _ in self._events),
            frozenset(n for n in range(count + 1) if random.random() < 0.15),
        )

    def _write(self, heap: Heap) -> Write:
        random = self._random
        old = list(heap.objects)
        target: Ref | Seen = Seen(random.choice([0, 0, 1])) if not old or random.random() < 0.4 else random.choice(old)
        described = heap.objects.get(target) if isinstance(target, Ref) else None
        index: int | None = None
        if described is not None and described.length is not None:
            index = random.choice([0, 0, 1])
            name = described.type.name
            texts = ["Points.x", "Points.y"] if name == "Points" else [name]
        elif described is None and random.random() < 0.3:
            index, texts = random.choice([0, 0, 1]), ["Words", "Refs", "Points.x", "Points.y", "Any"]
        else:
            texts = list(random.choice(MEMORY))
        text = random.choice(texts)
        slot = memory_named(self._layout, text, has_index=index is not None)
        value: Scripted = self._number(slot)
        if slot is not None and slot.type is REF:
            value = Seen(random.choice([0, 0, 1])) if random.random() < 0.4 else self._reference("N", heap)
        return Write(target, text, value, index)
