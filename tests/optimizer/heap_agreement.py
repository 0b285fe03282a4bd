"""Runs a trace on heaps and what an optimizer made of it side by side, and says how they differ, if they do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from runs_compared import compare_runs

from optimizer.ir.rows.ops import DescrKind, Kind, Type
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.interpreter import GuardFailed, Program, Run, Stopped, Undefined, World
from optimizer.ir.run.objects import NULL, Datum, Object, Ref
from optimizer.ir.run.runs import Seen, Write
from optimizer.ir.trace import ConstClass, Trace, all_operations, exit_of
from optimizer.ir.types.layout import Array, Field, Layout, Struct
from optimizer.ir.types.memory_names import memory_named
from optimizer.ir.types.trace_layout import layout_of


class SideBySide:
    """A pair of traces, made ready for many states."""

    def __init__(self, before: Trace, after: Trace) -> None:
        layout = layout_of(before, after)
        self.layout = layout
        self._before, self._after = Program(before, layout), Program(after, layout)
        self._origins = [exit_of(guard).origin for guard in after.guards]

    def difference(self, inputs: Sequence[Datum], heap: Heap, world: World) -> str | None:
        """What is wrong on the state; "undefined" where nothing is asked for, None where all is well."""
        heap = heap.copy()
        heap.layout = self.layout
        for program in (self._before, self._after):
            program.prepare(heap)
        wanted = self._before.run(inputs, world, heap=heap)
        if isinstance(wanted.outcome, Undefined):
            if not wanted.events:
                return "undefined"
            world = replace(world, stops_at=len(wanted.events) - 1)
            wanted = self._before.run(inputs, world, heap=heap)
        got = self._after.run(inputs, wanted.world, heap=heap)
        if isinstance(got.outcome, Undefined):
            return f"undefined: {got.outcome}"
        if isinstance(got.outcome, GuardFailed):
            return self._at_guard(inputs, heap, wanted, got, got.outcome.guard)
        return _told(compare_runs(wanted, got))

    def _at_guard(self, inputs: Sequence[Datum], heap: Heap, wanted: Run, got: Run, guard: int) -> str | None:
        origin = self._origins[guard]
        assert origin is not None
        expected = self._before.run(inputs, wanted.world, heap=heap, leave_at=origin)
        if not isinstance(expected.outcome, GuardFailed) or expected.outcome.guard != origin:
            return f"leaves at guard {guard} with origin {origin}, the recorded one is at {expected.outcome}"
        on = wanted
        if isinstance(wanted.outcome, Stopped):
            on = self._before.run(inputs, replace(wanted.world, stops_at=None), heap=heap)
        if not isinstance(on.outcome, GuardFailed | Undefined):
            return f"leaves at guard {guard} with origin {origin}, the recorded one goes on to {on.outcome}"
        return _told(compare_runs(expected, got))


def _told(mismatch: object) -> str | None:
    return None if mismatch is None else str(mismatch)


def assert_agree_on_heaps(before: Trace, after: Trace, count: int, random: Random) -> None:
    """Fails unless both run alike on random heaps of what is declared and used, and unless some run is defined."""
    pair = SideBySide(before, after)
    found = [pair.difference(*random_state(before, pair.layout, random)) for _ in range(count)]
    assert set(found) - {"undefined"} == {None}


def random_state(trace: Trace, layout: Layout, random: Random) -> tuple[list[Datum], Heap, World]:
    """Two or three objects of each type, inputs that are some of them, and events that write."""
    heap, slots = Heap(layout), _slots(trace, layout)
    refs = [NULL]
    for type_ in [*map(layout.struct, _types(trace, layout, DescrKind.STRUCT)),
                  *map(layout.array, _types(trace, layout, DescrKind.ARRAY))]:  # fmt: skip
        length = random.randrange(1, 4) if isinstance(type_, Array) else None
        refs += [heap.add(f"q{len(refs) + n}", Object(type_, length)) for n in range(2)]
    for ref in refs[1:]:
        for slot in slots:
            type_ = heap.objects[ref].type
            if slot.owner is None or layout.is_subclass(type_.name, slot.owner):
                _fill(heap, ref, slot, refs, random)
    for text in {str(arg) for op in all_operations(trace) for arg in op.args if str(arg).startswith("ConstPtr(")}:
        if layout.constant(text[len("ConstPtr(") : -1]) is None:
            heap.names[text] = random.choice([heap.constant(known) for known in _constants(trace)] + refs[1:])
    inputs: list[Datum] = [
        random.choice(refs) if var.type is Type.REF else random.randrange(-1, 4) for var in trace.inputs
    ]
    names = [op.descr for op in all_operations(trace) if op.op.kind is Kind.STORE or op.op.kind is Kind.LOAD]
    writes = tuple(_writes(layout, names, refs, random) for op in trace.ops if op.op.kind is Kind.EVENT)
    results = tuple(
        random.choice(refs) if op.op.result is Type.REF else random.randrange(3)
        for op in trace.ops
        if op.op.kind is Kind.EVENT
    )
    stops_at = random.randrange(3) if random.random() < 0.2 else None
    invalid = frozenset(number for number in range(4) if random.random() < 0.1)
    return inputs, heap, World(results, stops_at, writes, invalid)


def _constants(trace: Trace) -> list[str]:
    return [const.name for const in trace.declarations.consts]


def _types(trace: Trace, layout: Layout, kind: DescrKind) -> list[str]:
    declared = trace.declarations.structs if kind is DescrKind.STRUCT else trace.declarations.arrays
    used = [layout.descr_of(op) for op in all_operations(trace) if op.op.memory and op.op.memory.descr is kind]
    items = [op.descr for op in all_operations(trace) if op.op.memory and op.op.memory.descr is DescrKind.ITEM]
    named = [one.name for one in used if isinstance(one, Struct | Array)]
    guarded = [arg.name for op in all_operations(trace) for arg in op.args if isinstance(arg, ConstClass)]
    if kind is DescrKind.STRUCT:
        named += ["opaque", *(layout.struct_of_vtable(vtable).name for vtable in guarded)]
    else:
        named += [layout.array(text).name for text in items if text is not None]
    return list(dict.fromkeys([one.name for one in declared] + named))


def _slots(trace: Trace, layout: Layout) -> list[Field]:
    found = [layout.descr_of(op) for op in all_operations(trace) if op.op.memory is not None]
    return [slot for slot in found if isinstance(slot, Field)]


def _fill(heap: Heap, ref: Ref, slot: Field, refs: list[Ref], random: Random) -> None:
    value = random.choice(refs) if slot.type is Type.REF else random.randrange(3)
    length = heap.objects[ref].length
    if "[]" not in slot.key:
        heap.put(ref, slot, None, value)
    elif length is not None:
        for index in range(length):
            heap.put(ref, slot, index, value)


def _writes(layout: Layout, names: list[str | None], refs: list[Ref], random: Random) -> tuple[Write, ...]:
    found = []
    for name in names:
        slot = memory_named(layout, name or "", has_index=False)
        if slot is not None:
            value = random.choice([*refs, Seen(0)]) if slot.type is Type.REF else random.randrange(4)
            found += [Write(target, name or "", value) for target in (random.choice(refs), Seen(random.randrange(2)))]
        slot = memory_named(layout, name or "", has_index=True)
        if slot is not None:
            value = random.choice([*refs, Seen(0)]) if slot.type is Type.REF else random.randrange(4)
            found.append(Write(random.choice([*refs, Seen(0)]), name or "", value, random.randrange(3)))
    return tuple(found)
