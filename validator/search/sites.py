"""The places of a state that hold a value: inputs, results and writes of events, cells of objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from optimizer.ir.floats import Float
from optimizer.ir.immutable import replace
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NULL, RAW_REF, Cell, Object, Ref
from optimizer.ir.run.runs import Given, Scripted, World, Write
from optimizer.ir.text.string_text import constant_name
from optimizer.ir.types.layout import Array, Field, Known
from optimizer.ir.types.memory_types import VIEWS
from validator.search.counterexample import State


@dataclass(frozen=True, slots=True)
class Input:
    number: int


@dataclass(frozen=True, slots=True)
class Result:
    event: int


@dataclass(frozen=True, slots=True)
class WriteValue:
    event: int
    position: int


@dataclass(frozen=True, slots=True)
class CellOf:
    ref: Ref
    cell: Cell


@dataclass(frozen=True, slots=True)
class Raised:
    """The site of the exception that an event raises."""

    event: int


@dataclass(frozen=True, slots=True)
class Gives:
    """The site of the result of a function's call."""

    function: int


@dataclass(frozen=True, slots=True)
class Raises:
    """The site of the exception that a function's call raises."""

    function: int


@dataclass(frozen=True, slots=True)
class Pending:
    """The exception that is pending at the start."""


Site = Input | Result | WriteValue | CellOf | Raised | Gives | Raises | Pending


def sites(state: State) -> list[Site]:
    """All that may be another value; what a declaration says of constants may not."""
    writes = enumerate(state.world.writes)
    return [
        *(Input(number) for number in range(len(state.inputs))),
        *(Result(event) for event in range(len(state.world.results))),
        *(WriteValue(event, position) for event, done in writes for position in range(len(done))),
        *(Raised(event) for event in range(len(state.world.raises))),
        *(Gives(number) for number in range(len(state.world.functions))),
        *(Raises(number) for number in range(len(state.world.functions))),
        *([Pending()] if state.world.pending != NULL else []),
        *_cells(state),
    ]


def _cells(state: State) -> Iterator[CellOf]:
    if state.heap is None:
        return
    for ref, held in state.heap.objects.items():
        given = given_memory(ref, state.heap)
        yield from (CellOf(ref, cell) for cell in sorted(held.cells) if cell[0] not in given)


def given_memory(ref: Ref, heap: Heap) -> frozenset[str]:
    """The memory of a constant that a declaration tells."""
    known = _known(ref, heap)
    items = [f"{one.array.name}[]" for one in known if one.items is not None and one.array is not None]
    return frozenset([*items, *(slot.key for one in known for slot, _ in one.fields)])


def is_given(ref: Ref, heap: Heap) -> bool:
    """Is the object a constant whose class a declaration tells, or raw memory?"""
    return ref == RAW_REF or any(one.struct is not None or one.array is not None for one in _known(ref, heap))


def _known(ref: Ref, heap: Heap) -> list[Known]:
    """The declarations of the object, if it is a constant."""
    names = [ref.name, *(name for name, other in heap.names.items() if other == ref)]
    constants = [constant for name in names if (constant := constant_name(name)) is not None]
    return [found for name in constants if (found := heap.layout.constant(name)) is not None]


def value_at(state: State, site: Site) -> Scripted:
    match site:
        case Input(number):
            return state.inputs[number]
        case Result(event):
            return state.world.results[event]
        case WriteValue(event, position):
            return state.world.writes[event][position].value
        case Raised(event):
            return state.world.raises[event]
        case Gives(number):
            return state.world.functions[number].result
        case Raises(number):
            return state.world.functions[number].raises
        case Pending():
            return state.world.pending
        case CellOf(ref, cell):
            assert state.heap is not None
            return state.heap.objects[ref].cells[cell]


def with_value(state: State, site: Site, value: Scripted) -> State:
    """The state with another value there."""
    world = state.world
    match site:
        case Input(number):
            assert isinstance(value, int | Float | Ref)
            return replace(state, inputs=(*state.inputs[:number], value, *state.inputs[number + 1 :]))
        case Result(event):
            results = (*world.results[:event], value, *world.results[event + 1 :])
            return replace(state, world=replace(world, results=results))
        case WriteValue(event, position):
            done = list(world.writes[event])
            done[position] = replace(done[position], value=value)
            return with_writes(state, event, done)
        case Raised(event):
            raises = (*world.raises[:event], value, *world.raises[event + 1 :])
            return replace(state, world=replace(world, raises=raises if any(one != NULL for one in raises) else ()))
        case Gives(number):
            return _with_function(state, number, replace(world.functions[number], result=value))
        case Raises(number):
            return _with_function(state, number, replace(world.functions[number], raises=value))
        case Pending():
            assert isinstance(value, Ref)
            return replace(state, world=replace(world, pending=value))
        case CellOf(ref, cell):
            assert state.heap is not None
            assert isinstance(value, int | Float | Ref)
            return with_objects(state, {ref: state.heap.objects[ref].put(cell, value)})


def _with_function(state: State, number: int, given: Given) -> State:
    functions = (*state.world.functions[:number], given, *state.world.functions[number + 1 :])
    return replace(state, world=replace(state.world, functions=functions))


def with_writes(state: State, event: int, done: list[Write]) -> State:
    """The state where that event does these writes."""
    writes = [*state.world.writes]
    writes[event] = tuple(done)
    return replace(state, world=replace(state.world, writes=tuple(writes) if any(writes) else ()))


def with_objects(state: State, objects: Mapping[Ref, Object | None]) -> State:
    """The state where these objects are others, or not there."""
    assert state.heap is not None
    heap = state.heap.copy()
    for ref, described in objects.items():
        if described is None:
            heap.objects.pop(ref, None)
        else:
            heap.objects[ref] = described
    return replace(state, heap=heap)


def fits_at(state: State, site: Site, value: int | Float) -> bool:
    """Is the number in the range of that memory?"""
    if isinstance(value, Float) or not isinstance(site, CellOf) or state.heap is None:
        return True
    slot = _slot(state.heap.objects[site.ref], site.cell)
    return slot is None or slot.low is None or slot.high is None or slot.low <= value <= slot.high


def _slot(held: Object, cell: Cell) -> Field | None:
    if cell[0] in VIEWS:
        return VIEWS[cell[0]]
    items = [held.type.item] if isinstance(held.type, Array) and held.type.item is not None else []
    return next((slot for slot in (*held.type.fields, *items) if slot.key == cell[0]), None)


# Objects and their names.


def references_to(state: State) -> dict[Ref, list[Site | str]]:
    """The references to each object that existed before the trace: sites, and names of constants."""
    found: dict[Ref, list[Site | str]] = {}
    if state.heap is not None:
        for ref in state.heap.objects:
            found[ref] = [] if constant_name(ref.name) is None else [ref.name]
        for name, ref in state.heap.names.items():
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

    def scripted(value: Scripted) -> Scripted:
        return names.get(value, value) if isinstance(value, Ref) else value

    heap = Heap(state.heap.layout)
    for ref, held in state.heap.objects.items():
        cells = {cell: names.get(v, v) if isinstance(v, Ref) else v for cell, v in held.cells.items()}
        heap.objects[names.get(ref, ref)] = replace(held, cells=cells)
    heap.names = {name: names.get(ref, ref) for name, ref in state.heap.names.items()}
    inputs = tuple(names.get(value, value) if isinstance(value, Ref) else value for value in state.inputs)
    writes = tuple(tuple(_write(write, names) for write in done) for done in state.world.writes)
    world: World = replace(
        state.world,
        results=tuple(map(scripted, state.world.results)),
        writes=writes,
        raises=tuple(map(scripted, state.world.raises)),
        functions=tuple(Given(scripted(one.result), scripted(one.raises)) for one in state.world.functions),
        pending=names.get(state.world.pending, state.world.pending),
    )
    return State(inputs, world, heap)


def _write(write: Write, names: Mapping[Ref, Ref]) -> Write:
    target = names.get(write.target, write.target) if isinstance(write.target, Ref) else write.target
    value = names.get(write.value, write.value) if isinstance(write.value, Ref) else write.value
    return replace(write, target=target, value=value)


def shortened(held: Object, length: int) -> Object:
    """The array with fewer items."""
    unwritten = frozenset(cell for cell in held.unwritten if cell[1] < length)
    return replace(
        held, length=length, cells={c: v for c, v in held.cells.items() if c[1] < length}, unwritten=unwritten
    )
