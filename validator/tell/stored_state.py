"""A state as it is stored, with a case or a verdict: text and plain data, to be read again without its run.

An object is named as in the text of the heap, and `seen 0` is the first one that the trace allocated and an event saw.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from optimizer.ir.faults import InputError
from optimizer.ir.floats import Float
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NULL, Ref, type_of
from optimizer.ir.run.runs import Argument, Given, Scripted, Seen, World, Write
from optimizer.ir.text.heap_printer import format_heap
from optimizer.ir.text.heap_reader import parse_heap
from optimizer.ir.trace import Trace
from optimizer.ir.types.layout import Layout
from validator.search.counterexample import State
from validator.tell.plain_data import WrongData, from_plain

Stored = int | str
"""A value: a machine int, or the text of a float or the name of an object."""

_NAMES = {"seen ": Seen, "argument ": Argument}


@dataclass(frozen=True, slots=True)
class StoredWrite:
    """A write of an event: into a field of an object, or with an `index` into an item."""

    object: str
    descr: str
    value: Stored
    index: int | None = None


@dataclass(frozen=True, slots=True)
class StoredState:
    """The parts of a state, as case.toml has them. `inputs` are by the names of the recorded trace."""

    inputs: tuple[tuple[str, Stored], ...] = ()
    event_results: tuple[Stored, ...] = ()
    heap: str = ""
    writes: tuple[tuple[StoredWrite, ...], ...] = ()
    invalid: tuple[int, ...] = ()
    gc_types: tuple[tuple[str, int], ...] = ()
    stops_at: int | None = None
    raises: tuple[Stored, ...] = ()
    function_results: tuple[Stored, ...] = ()
    function_raises: tuple[Stored, ...] = ()
    pending: str = ""
    forced: tuple[int, ...] = ()
    false_conditions: tuple[int, ...] = ()


def stored_state(state: State, trace: Trace) -> StoredState:
    """The stored form of a state of the recorded trace."""
    world = state.world
    return StoredState(
        inputs=tuple((var.name, _text(value)) for var, value in zip(trace.inputs, state.inputs, strict=True)),
        event_results=tuple(map(_text, world.results)),
        heap="" if state.heap is None else format_heap(state.heap),
        writes=tuple(tuple(_stored(write) for write in done) for done in world.writes),
        invalid=tuple(sorted(world.invalid)),
        gc_types=world.gc_types,
        stops_at=world.stops_at,
        raises=tuple(map(_text, world.raises)),
        function_results=tuple(_text(given.result) for given in world.functions),
        function_raises=tuple(_text(given.raises) for given in world.functions),
        pending="" if world.pending == NULL else world.pending.name,
        forced=tuple(sorted(world.forced)),
        false_conditions=tuple(sorted(world.false_conditions)),
    )


def _stored(write: Write) -> StoredWrite:
    target = _text(write.target)
    assert isinstance(target, str)
    return StoredWrite(target, write.descr, _text(write.value), write.index)


def _text(value: Scripted) -> Stored:
    if isinstance(value, Seen):
        return next(f"{name}{value.number}" for name, kind in _NAMES.items() if type(value) is kind)
    return value if isinstance(value, int) else str(value)


def restored_state(stored: StoredState, trace: Trace, layout: Layout, file: str) -> State | None:
    """The state again, None where the inputs are not those of the trace. Raises InputError for what is not there."""
    values = dict(stored.inputs)
    if stored == StoredState() or set(values) != {var.name for var in trace.inputs}:
        return None
    heap = parse_heap(stored.heap, layout, file=f"{file}: heap")
    reader = _Reader(heap, file)
    inputs = [reader.value(values[var.name]) for var in trace.inputs]
    writes = tuple(tuple(reader.write(write) for write in done) for done in stored.writes)
    results = tuple(map(reader.value, stored.event_results))
    world = World(
        results,
        stored.stops_at,
        writes,
        frozenset(stored.invalid),
        stored.gc_types,
        tuple(map(reader.value, stored.raises)),
        reader.functions(stored),
        reader.pending(stored.pending),
        frozenset(stored.forced),
        frozenset(stored.false_conditions),
    )
    for var, value in zip(trace.inputs, inputs, strict=True):
        if isinstance(value, Seen) or type_of(value) is not var.type:
            raise InputError(f"the input {var} is of type {var.type.value}, got {values[var.name]!r}", file=file)
    given = tuple(value for value in inputs if not isinstance(value, Seen))
    return State(given, world, heap if heap.objects or heap.names else None)


class _Reader:
    def __init__(self, heap: Heap, file: str) -> None:
        self._heap = heap
        self._file = file

    def value(self, text: Stored) -> Scripted:
        if isinstance(text, int):
            return text
        for name, kind in _NAMES.items():
            number = text.removeprefix(name)
            if number != text and number.isdecimal():
                return kind(int(number))
        ref = self._heap.named(text)
        if ref is not None:
            return ref
        try:
            return Float.of(float(text))
        except ValueError:
            raise InputError(f"{text!r} is no object of the heap, nor a float", file=self._file) from None

    def functions(self, stored: StoredState) -> tuple[Given, ...]:
        given = zip_longest(stored.function_results, stored.function_raises, fillvalue=None)
        return tuple(
            Given(0 if result is None else self.value(result), NULL if raises is None else self.value(raises))
            for result, raises in given
        )

    def pending(self, text: str) -> Ref:
        value = self.value(text) if text else NULL
        if not isinstance(value, Ref):
            raise InputError(f"{text!r} cannot be pending at the start", file=self._file)
        return value

    def write(self, stored: StoredWrite) -> Write:
        target = self.value(stored.object)
        if isinstance(target, int | Float):
            raise InputError(f"an event cannot write to {stored.object!r}", file=self._file)
        return Write(target, stored.descr, self.value(stored.value), stored.index)


# As TOML.


def write_toml(write: StoredWrite) -> Mapping[str, Stored]:
    """The inline table of a write."""
    at = {} if write.index is None else {"index": write.index}
    return {"object": write.object, "descr": write.descr, **at, "value": write.value}


def read_write(data: Any, file: str) -> StoredWrite:
    """The write of an inline table. Raises InputError."""
    try:
        write: StoredWrite = from_plain(StoredWrite, {"index": None, **data} if isinstance(data, dict) else data)
        return write
    except WrongData:
        known = "{object = ..., descr = ..., value = ...} with or without index"
        raise InputError(f"a write is {known}, got {data!r}", file=file) from None
