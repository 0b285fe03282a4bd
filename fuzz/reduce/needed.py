"""What a candidate needs of its state: objects that something refers to, and memory that its traces know of."""

from __future__ import annotations

from fuzz.reduce.candidate import Candidate
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import Kind
from optimizer.ir.run.objects import RAW_REF, Cell, Datum, Object, Ref, type_of
from optimizer.ir.text.string_text import constant_name
from optimizer.ir.trace import all_operations
from optimizer.ir.types.layout import Field, Layout, Struct
from optimizer.ir.types.memory_types import VIEWS
from optimizer.ir.types.trace_layout import layout_of
from validator.search.counterexample import State
from validator.search.sites import CellOf, Site, references_to, with_objects, written_to
from validator.tell.stored_state import restored_state, stored_state

_ON_RAW = (Kind.RAW_LOAD, Kind.RAW_STORE)


def with_told_state(candidate: Candidate) -> Candidate | None:
    """The candidate with what it needs of its state, as a case tells it; None where that cannot be read again."""
    candidate = without_garbage(candidate)
    try:
        layout = layout_of(*candidate.traces)
        told = stored_state(_without_unknown(candidate.state, layout), candidate.before)
        state = restored_state(told, candidate.before, layout, "state")
    except (InputError, ValueError):
        return None
    if state is None and candidate.before.inputs:
        return None
    return replace(candidate, state=state or candidate.state)


def without_garbage(candidate: Candidate) -> Candidate:
    """The candidate without the objects that nothing refers to; constants are referred to where a trace names them, raw
    memory by operations on it."""
    state = candidate.state
    if state.heap is None:
        return candidate
    users = references_to(state)
    kept = written_to(state)
    if any(op.op.kind in _ON_RAW for trace in candidate.traces for op in all_operations(trace)):
        kept.add(RAW_REF)
    kept |= {ref for ref, found in users.items() if any(_is_root(one, candidate) for one in found)}
    waiting = list(kept)
    while waiting:
        held = state.heap.objects.get(waiting.pop())
        found = {value for value in held.cells.values() if isinstance(value, Ref)} if held is not None else set()
        waiting += found - kept
        kept |= found
    return replace(candidate, state=with_objects(state, {ref: None for ref in state.heap.objects if ref not in kept}))


def _is_root(user: Site | str, candidate: Candidate) -> bool:
    if isinstance(user, str):
        declared = {const.name for trace in candidate.traces for const in trace.declarations.consts}
        return user in candidate.text or constant_name(user) in declared
    return not isinstance(user, CellOf)


def _without_unknown(state: State, layout: Layout) -> State:
    """The state without the memory of objects that neither a declaration nor an operation names."""
    if state.heap is None:
        return state

    def known(held: Object) -> Object:
        slots = {slot.key: slot.type for slot in _slots(held, layout)}

        def is_known(cell: Cell, value: Datum) -> bool:
            key = cell[0]
            return slots[key] is type_of(value) if key in slots else key in VIEWS or key in layout.undeclared_uses()

        return replace(held, cells={cell: value for cell, value in held.cells.items() if is_known(cell, value)})

    objects = state.heap.objects
    return with_objects(state, {ref: known(held) for ref, held in objects.items() if ref != RAW_REF})


def _slots(held: Object, layout: Layout) -> tuple[Field, ...]:
    """What a declaration, or the use of an array, says of the memory of such an object."""
    if isinstance(held.type, Struct):
        return layout.struct(held.type.name).fields
    array = layout.array(held.type.name)
    return array.fields if array.item is None else (*array.fields, array.item)
