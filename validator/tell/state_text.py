"""A state in words, and in JSON: its inputs, its heap, and what the world does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from optimizer.ir.rows.ops import OPS, Type
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.heap_comparison import field_of, step_to
from optimizer.ir.run.interpreter import Run
from optimizer.ir.run.objects import NULL, Datum, Object, Ref, blank
from optimizer.ir.run.runs import Applied, Scripted, Seen, World, Write, datum_of
from optimizer.ir.text.heap_printer import format_heap, natural_order
from optimizer.ir.trace import Trace
from validator.search.counterexample import Counterexample, State

if TYPE_CHECKING:
    from validator.search.replay import Runs


def named_inputs(trace: Trace, state: State) -> dict[str, Datum]:
    """The values of the inputs, by the names that they have in `trace`."""
    return {var.name: value for var, value in zip(trace.inputs, state.inputs, strict=True)}


def state_lines(found: Counterexample | Runs, before: Trace) -> Iterator[str]:
    """The state for a person: numbers and events in a line, then a line for each object."""
    values = named_inputs(before, found.state)
    heap = _told(values, found.state.heap)
    told = [f"{name} = {value}" for name, value in values.items() if heap is None or heap.named(name) != value]
    objects = [] if heap is None else format_heap(heap).splitlines()
    world = [*_world(found)]
    if not objects:
        yield f"On {', '.join([*(told or ['no inputs']), *world])}:"
    elif told:
        yield f"On {', '.join([*told, *world])}, with these objects:"
    else:
        yield f"On {', '.join(['these objects', *world])}:"
    yield from (f"    {line}" for line in objects)


def _told(values: dict[str, Datum], heap: Heap | None) -> Heap | None:
    """The heap with the inputs among its names; None where there are no objects."""
    if heap is None or not heap.objects:
        return None
    told = heap.copy()
    for name, value in values.items():
        if isinstance(value, Ref) and told.named(name) is None:
            told.names[name] = value
    return told


def _world(found: Counterexample | Runs) -> Iterator[str]:
    world = found.before.world
    if 0 in world.invalid:
        yield "the code is invalid from the start"
    if world.pending != NULL:
        yield f"the exception {world.pending} is pending at the start"
    for one in found.before.applied:
        yield from _function(one, world)
    yield from _conditions(world)
    yield from (f"the type of {name} has the number {number}" for name, number in world.gc_types)
    longer, ends = max(found.before.events, found.after.events, key=len), 0
    for n, event in enumerate(longer):
        ends += event.effects.can_invalidate
        if found.state.world.stops_at == n:
            yield f"event {n} does not return"
            continue
        invalidates = event.effects.can_invalidate and ends == min(world.invalid, default=0)
        writes = world.writes[n] if n < len(world.writes) else ()
        done = ["invalidates the code"] * invalidates
        done += [f"writes {_write(write, found.before)}" for write in writes]
        type_ = OPS[event.name].result
        if event.effects.can_raise and n < len(world.raises) and world.raises[n] != NULL:
            done.append(f"raises {scripted(world.raises[n], found.before)}")
        if type_ is not Type.VOID:
            result = world.results[n] if n < len(world.results) else blank(type_)
            done.append(f"returns {scripted(result, found.before)}")
        if done:
            yield f"event {n} {' and '.join(done)}"


def _function(one: Applied, world: World) -> Iterator[str]:
    """The result that the recorded trace was given for the call of a function, where the world says so."""
    if world.functions and one.made:
        gives = f"gives {one.result}" if one.type is not Type.VOID else ""
        raises = f"raises {one.raises}" if one.raises != NULL else ""
        if gives or raises:
            function, given = next(iter(one.args), "that is not named"), ", ".join(map(str, one.args[1:]))
            yield f"the function {function} of ({given}) {' and '.join(filter(None, (gives, raises)))}"


def _conditions(world: World) -> Iterator[str]:
    for n in sorted(world.forced):
        yield f"event {n - 1} forces the frame" if n else "the frame is forced at the start"
    for n in sorted(world.false_conditions):
        where = f"behind event {n - 1}" if n else "at the start"
        yield f"the future condition does not hold {where}"


def _write(write: Write, run: Run) -> str:
    field = field_of(write.descr)
    index = "" if write.index is None else f"[{write.index}]"
    cell = f"{index}.{field}" if not index or field != write.descr else index
    return f"{scripted(write.target, run)}{cell} = {scripted(write.value, run)}"


def scripted(value: Scripted, run: Run) -> str:
    """The world's value, by the name that the object has in that run."""
    found = value if run.heap is None else datum_of(value, run.heap)
    return "an object that is not there" if found is None or isinstance(found, Seen) else str(found)


def state_json(found: Counterexample, before: Trace) -> dict[str, Any]:
    """The state as JSON: references are the names of objects, which `heap` lists."""
    state, run = found.state, found.before
    heap = state.heap
    objects = {} if heap is None else heap.objects
    return {
        "inputs": {name: _plain(value, run) for name, value in named_inputs(before, state).items()},
        "heap": [
            _object_json(ref, objects[ref], run) for ref in sorted(objects, key=lambda ref: natural_order(ref.name))
        ],
        "names": {} if heap is None else {name: ref.name for name, ref in sorted(heap.names.items())},
        "event_results": [_plain(result, run) for result in state.world.results],
        "writes": [[_write_json(write, run) for write in done] for done in run.world.writes],
        "invalid": sorted(state.world.invalid),
        "gc_types": dict(state.world.gc_types),
        "stops_at_event": state.world.stops_at,
        "raises": [scripted(one, run) for one in state.world.raises],
        "functions": [
            {"result": _plain(given.result, run), "raises": scripted(given.raises, run)}
            for given in state.world.functions
        ],
        "pending": state.world.pending.name,
        "forced": sorted(state.world.forced),
        "false_conditions": sorted(state.world.false_conditions),
    }


def _plain(value: Scripted, run: Run) -> int | str:
    return value if isinstance(value, int) else scripted(value, run)


def _object_json(ref: Ref, held: Object, run: Run) -> dict[str, Any]:
    fields: dict[str, int | str] = {}
    for cell, value in sorted(held.cells.items()):
        name = step_to(cell).removeprefix(".")
        fields[name if name not in fields else cell[0]] = _plain(value, run)
    return {"name": ref.name, "type": held.type.name, "length": held.length, "fields": fields}


def _write_json(write: Write, run: Run) -> dict[str, Any]:
    told = {"object": scripted(write.target, run), "descr": write.descr, "index": write.index}
    return {**told, "value": _plain(write.value, run)}
