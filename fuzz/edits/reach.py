"""The part of an example's heap and world that a trace can reach and name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fuzz.edits.walk import values_in
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import REF, Kind
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NO_INDEX, RAW_REF, Datum, Object, Ref, references, type_of
from optimizer.ir.run.runs import Seen, World, Write
from optimizer.ir.trace import ConstRef, Trace, all_operations
from optimizer.ir.types.layout import Array, Layout
from optimizer.ir.types.memory_cells import RAW_ARRAY, written_name
from optimizer.ir.types.memory_names import memory_named
from validator.search.counterexample import State

_ON_RAW = (Kind.RAW_LOAD, Kind.RAW_STORE)


def reached(state: State, traces: Sequence[Trace], layout: Layout) -> State:
    """The state without the objects, cells and writes that traces of that layout cannot reach or name."""
    if state.heap is None:
        return state
    writes = tuple(tuple(one for one in event if _is_named_write(one, layout)) for event in state.world.writes)
    world = replace(state.world, writes=writes if any(writes) else ())
    names = {value.text for trace in traces for value in values_in(trace) if isinstance(value, ConstRef)}
    heap = Heap(layout)
    pending = [value for value in (*state.inputs, *_scripted(world)) if isinstance(value, Ref)]
    if any(op.op.kind in _ON_RAW for trace in traces for op in all_operations(trace)):
        pending.append(RAW_REF)
    pending += [ref for name in names if (ref := state.heap.named(name)) is not None]
    while pending:
        ref = pending.pop()
        if ref in state.heap.objects and ref not in heap.objects:
            heap.objects[ref] = _described(state.heap.objects[ref], layout)
            pending += references(heap.objects[ref])
    heap.objects = {ref: heap.objects[ref] for ref in state.heap.objects if ref in heap.objects}
    heap.names = {name: ref for name, ref in state.heap.names.items() if name in names}
    return State(state.inputs, world, heap)


def _is_named_write(write: Write, layout: Layout) -> bool:
    """Does the trace know of the memory, for values of that type?"""
    slot = memory_named(layout, write.descr, has_index=write.index is not None)
    return slot is not None and slot.type is (REF if isinstance(write.value, Seen) else type_of(write.value))


def _scripted(world: World) -> Iterator[object]:
    yield from (*world.results, *world.raises, world.pending)
    for given in world.functions:
        yield from (given.result, given.raises)
    for event in world.writes:
        for write in event:
            yield write.target
            yield write.value


def _described(described: Object, layout: Layout) -> Object:
    type_ = described.type
    if type_ == RAW_ARRAY:
        cells = {(key, at): held for (key, at), held in described.cells.items() if _is_named_raw(key, held, layout)}
        return replace(described, cells=cells)
    if isinstance(type_, Array):
        type_ = layout.array(type_.name)
    declared = {slot.key for slot in type_.slots if slot.declared}
    cells = {
        (key, index): value
        for (key, index), value in described.cells.items()
        if key in declared or _is_named(key, index, value, layout)
    }
    return replace(described, type=type_, cells=cells)


def _is_named(key: str, index: int, value: Datum, layout: Layout) -> bool:
    """Does the trace use the undeclared memory, for values of that type?"""
    text = key.removesuffix("[]")
    if text not in layout.uses:
        return False
    slot = memory_named(layout, text, has_index=index != NO_INDEX)
    return slot is not None and slot.key == key and slot.type is type_of(value)


def _is_named_raw(key: str, value: Datum, layout: Layout) -> bool:
    """Is it a byte, or what a field of a raw struct may hold?"""
    slot = memory_named(layout, written_name(key), has_index=True)
    return slot is not None and slot.type is type_of(value)
