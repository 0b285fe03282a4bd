"""The part of an example's heap and world that a trace can reach and name."""

from __future__ import annotations

from collections.abc import Iterator

from optimizer.ir.immutable import replace
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NO_INDEX, NULL, RAW_REF, Datum, Object, Ref, references, type_of
from optimizer.ir.run.runs import World, Write
from optimizer.ir.trace import ConstRef, Trace, all_operations
from optimizer.ir.types.layout import Array, Field, Layout, Struct
from optimizer.ir.types.memory_types import RAW_ARRAY, kind_of
from validator.search.counterexample import State


def told(state: State, trace: Trace, layout: Layout) -> State:
    """The state without the objects, cells and writes that a trace of that layout knows nothing of."""
    assert state.heap is not None
    world = replace(state.world, writes=tuple(_named_writes(state.world, layout)))
    names = set(_constants(trace))
    heap = Heap(layout)
    refs = [value for value in (*state.inputs, *_scripted(world)) if isinstance(value, Ref)]
    refs += [ref for ref in state.heap.objects if ref == RAW_REF]
    pending = [*refs, *(ref for name, ref in _all_names(state.heap).items() if name in names)]
    while pending:
        ref = pending.pop()
        if ref == NULL or ref in heap.objects:
            continue
        heap.objects[ref] = _described(state.heap.objects[ref], layout)
        pending += references(heap.objects[ref])
    heap.objects = {ref: heap.objects[ref] for ref in state.heap.objects if ref in heap.objects}
    heap.names = {name: ref for name, ref in state.heap.names.items() if name in names}
    return State(state.inputs, world, heap)


def _all_names(heap: Heap) -> dict[str, Ref]:
    return {**{ref.name: ref for ref in heap.objects}, **heap.names}


def _named_writes(world: World, layout: Layout) -> Iterator[tuple[Write, ...]]:
    for event in world.writes:
        yield tuple(
            write for write in event if layout.memory(write.descr, has_index=write.index is not None) is not None
        )


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
    declared = set(_declared_keys(type_))
    cells = {
        (key, index): value
        for (key, index), value in described.cells.items()
        if key in declared or _is_named(key, index, value, layout)
    }
    return replace(described, type=type_, cells=cells)


def _declared_keys(type_: Struct | Array) -> Iterator[str]:
    slots: list[Field] = list(type_.fields)
    if isinstance(type_, Array) and type_.item is not None:
        slots.append(type_.item)
    return (slot.key for slot in slots if slot.declared)


def _is_named(key: str, index: int, value: Datum, layout: Layout) -> bool:
    """Does the trace use the undeclared memory, for values of that type?"""
    text = key.removesuffix("[]")
    if text not in layout.undeclared_uses():
        return False
    slot = layout.memory(text, has_index=index != NO_INDEX)
    return slot is not None and slot.key == key and slot.type is type_of(value)


def _is_named_raw(key: str, value: Datum, layout: Layout) -> bool:
    """Is it a byte, or what a field of a raw struct may hold?"""
    slot = layout.memory(kind_of(key).descr(key), has_index=True)
    return slot is not None and slot.type is type_of(value)


def _constants(trace: Trace) -> Iterator[str]:
    for operation in all_operations(trace):
        failargs = (operation.exit.failargs or ()) if operation.exit else ()
        for value in (*operation.args, *failargs):
            if isinstance(value, ConstRef):
                yield value.text
