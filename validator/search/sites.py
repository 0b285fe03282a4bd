"""The places of a state that hold a value: inputs, results and writes of events, cells of objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import reduce
from itertools import count
from typing import Any

from optimizer.ir.floats import Float
from optimizer.ir.immutable import replace
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NULL, RAW_REF, Cell, Object, Ref
from optimizer.ir.run.runs import Given, Scripted, World, Write
from optimizer.ir.text.string_text import constant_name
from optimizer.ir.trace import Trace
from optimizer.ir.types.layout import Field
from optimizer.ir.types.memory_types import VIEWS, Known
from validator.search.counterexample import State

Site = tuple[Any, ...]
"""The way to a value: the names of fields, positions in tuples, and at last of those in the heap, an object and a
cell."""


def sites(state: State) -> list[Site]:
    """All that may be another value; what a declaration says of constants may not."""
    world = state.world
    return [
        *(("inputs", number) for number in range(len(state.inputs))),
        *(("world", "results", event) for event in range(len(world.results))),
        *(("world", "writes", event, n, "value") for event, done in enumerate(world.writes) for n in range(len(done))),
        *(("world", "raises", event) for event in range(len(world.raises))),
        *(("world", "functions", number, "result") for number in range(len(world.functions))),
        *(("world", "functions", number, "raises") for number in range(len(world.functions))),
        *([("world", "pending")] if world.pending != NULL else []),
        *_cells(state),
    ]


def _cells(state: State) -> Iterator[Site]:
    for ref, held in objects_of(state).items():
        given = given_memory(ref, state)
        yield from (("heap", ref, cell) for cell in sorted(held.cells) if cell[0] not in given)


def is_input(site: Site) -> bool:
    return bool(site[0] == "inputs")


def may_be_seen(site: Site) -> bool:
    """May an object that the trace allocates stand there?"""
    return bool(site[0] == "world" and site[-1] != "pending")


def objects_of(state: State) -> Mapping[Ref, Object]:
    """The objects of the heap, none where there is no heap."""
    return {} if state.heap is None else state.heap.objects


def given_memory(ref: Ref, state: State) -> frozenset[str]:
    """The memory of a constant that a declaration tells."""
    known = _known(ref, state)
    items = [f"{one.array.name}[]" for one in known if one.items is not None and one.array is not None]
    return frozenset([*items, *(slot.key for one in known for slot, _ in one.fields)])


def is_given(ref: Ref, state: State) -> bool:
    """Is the object a constant whose class a declaration tells, or raw memory?"""
    return ref == RAW_REF or any(one.struct is not None or one.array is not None for one in _known(ref, state))


def _known(ref: Ref, state: State) -> list[Known]:
    """The declarations of the object, if it is a constant."""
    if state.heap is None:
        return []
    names = [ref.name, *(name for name, other in state.heap.names.items() if other == ref)]
    constants = [constant for name in names if (constant := constant_name(name)) is not None]
    return [found for name in constants if (found := state.heap.layout.constant(name)) is not None]


def value_at(state: State, site: Site) -> Scripted:
    """The value there. Raises LookupError if the site is gone."""
    start: Any = state
    value: Scripted = reduce(_step, site, start)
    return value


def _step(of: Any, step: Any) -> Any:
    match of:
        case Heap():
            return of.objects[step]
        case Object():
            return of.cells[step]
        case tuple():
            return of[step]
        case _:
            return getattr(of, step)


def with_value(state: State, site: Site, value: Scripted) -> State:
    """The state with another value there."""
    changed: State = _put(state, site, value)
    if site[:2] == ("world", "raises") and all(one == NULL for one in changed.world.raises):
        changed = replace(changed, world=replace(changed.world, raises=()))
    return changed


def _put(of: Any, site: Site, value: Scripted) -> Any:
    if not site:
        return value
    step, rest = site[0], site[1:]
    inner = _put(_step(of, step), rest, value)
    match of:
        case Heap():
            return _with(of, {step: inner})
        case Object():
            return of.put(step, inner)
        case tuple():
            return (*of[:step], inner, *of[step + 1 :])
        case _:
            return replace(of, **{step: inner})


def with_writes(state: State, event: int, done: list[Write]) -> State:
    """The state where that event does these writes."""
    writes = [*state.world.writes]
    writes[event] = tuple(done)
    return replace(state, world=replace(state.world, writes=tuple(writes) if any(writes) else ()))


def with_objects(state: State, objects: Mapping[Ref, Object | None]) -> State:
    """The state where these objects are others, or not there."""
    assert state.heap is not None
    return replace(state, heap=_with(state.heap, objects))


def _with(heap: Heap, objects: Mapping[Ref, Object | None]) -> Heap:
    heap = heap.copy()
    for ref, described in objects.items():
        if described is None:
            heap.objects.pop(ref, None)
        else:
            heap.objects[ref] = described
    return heap


def fits_at(state: State, site: Site, value: int | Float) -> bool:
    """Is the number in the range of that memory?"""
    if isinstance(value, Float) or site[0] != "heap":
        return True
    slot = _slot(objects_of(state)[site[1]], site[2])
    return slot is None or slot.has_room_for(value)


def _slot(held: Object, cell: Cell) -> Field | None:
    if cell[0] in VIEWS:
        return VIEWS[cell[0]]
    return next((slot for slot in held.type.slots if slot.key == cell[0]), None)


# Objects and their names.


def references_to(state: State) -> dict[Ref, list[Site | str]]:
    """The references to each object that existed before the trace: sites, and names of constants."""
    found: dict[Ref, list[Site | str]] = {
        ref: [] if constant_name(ref.name) is None else [ref.name] for ref in objects_of(state)
    }
    for name, ref in () if state.heap is None else state.heap.names.items():
        if constant_name(name) is not None:
            found.setdefault(ref, []).append(name)
    for site in sites(state):
        value = value_at(state, site)
        if isinstance(value, Ref) and value != NULL:
            found.setdefault(value, []).append(site)
    return found


def written_to(state: State) -> set[Ref]:
    """The objects that events write to."""
    return {write.target for done in state.world.writes for write in done if isinstance(write.target, Ref)}


def plain(held: Object) -> Object:
    """The object without cells that say nothing: 0 or NULL, where this is what others hold."""
    said = {
        cell: value
        for cell, value in held.cells.items()
        if held.value(cell, value) != Object(held.type, held.length, {}, held.cleared).value(cell, value)
    }
    return replace(held, cells=said)


def renamed(state: State, names: Mapping[Ref, Ref]) -> State:
    """The state where these objects have other names."""
    assert state.heap is not None

    def new(value: Any) -> Any:
        match value:
            case Ref():
                return names.get(value, value)
            case Float():
                return value
            case tuple():
                return tuple(map(new, value))
            case dict():
                return {new(key): new(held) for key, held in value.items()}
            case World() | Write() | Given() | Object():
                return replace(value, **{one.name: new(getattr(value, one.name)) for one in fields(value)})
            case _:
                return value

    heap = Heap(state.heap.layout)
    heap.objects, heap.names = new(state.heap.objects), new(state.heap.names)
    return State(new(state.inputs), new(state.world), heap)


def named_by_inputs(state: State, trace: Trace, taken: frozenset[str] = frozenset()) -> State:
    """The state where objects are named as the inputs are that refer to them, others q0, q1 and so on, but for what is
    `taken`. Constants keep their names."""
    names: dict[Ref, Ref] = {}
    for var, value in zip(trace.inputs, state.inputs, strict=True):
        if isinstance(value, Ref) and value != NULL and not _is_constant(value):
            names.setdefault(value, Ref(var.name))
    free = (Ref(f"q{number}") for number in count())
    used = {*taken, *(var.name for var in trace.inputs)}
    for ref in objects_of(state):
        if ref not in names and not _is_constant(ref):
            names[ref] = next(name for name in free if name.name not in used)
    return renamed(state, names)


def _is_constant(ref: Ref) -> bool:
    """Has the object a name that must stay?"""
    return ref == RAW_REF or constant_name(ref.name) is not None


def shortened(held: Object, length: int) -> Object:
    """The array with fewer items."""
    unwritten = frozenset(cell for cell in held.unwritten if cell[1] < length)
    return replace(
        held, length=length, cells={c: v for c, v in held.cells.items() if c[1] < length}, unwritten=unwritten
    )
