"""Dropping operations: results that are still used become inputs, which are what the operations computed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import count, zip_longest
from typing import TypeVar

from fuzz.edits.edit import Remove, Substitute, with_flag_guards
from fuzz.edits.walk import LETTERS, values_in, variables, with_origins
from fuzz.reduce.candidate import Candidate
from optimizer.ir.check import input_type
from optimizer.ir.immutable import replace
from optimizer.ir.loops import goes_back
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NULL, Datum, Object, Ref
from optimizer.ir.trace import Trace, Value, Var, all_operations, exit_of
from optimizer.ir.types.trace_layout import layout_of
from validator.loops.judge import ITERATIONS
from validator.search.counterexample import State

T = TypeVar("T")


def without(
    candidate: Candidate, lines: Collection[int], values: Mapping[Var, Value] | None = None
) -> Candidate | None:
    """The candidate without these operations, on both sides, and without the guards that read their overflow; None
    where there are none of them. `values` stand for some of their results, inputs for the others."""
    gone = frozenset().union(*(with_flag_guards(trace, frozenset(lines)) for trace in candidate.traces))
    if not gone:
        return None
    values = dict(values or {})
    state = _without_events(candidate, gone)
    guards = [number for number, guard in enumerate(candidate.before.guards) if guard.line in gone]
    traces = [Remove(gone).on(trace) for trace in candidate.traces]
    new = []
    for var in _undefined(traces, values):
        new.append(var if input_type(var.name) is var.type else _free(candidate, var))
        values.setdefault(var, new[-1])
        state = _with_input(candidate, state, new[-1], candidate.value(var))
    substitute = Substitute(_resolved(values))
    traces = [substitute.on(replace(trace, inputs=(*trace.inputs, *new))) for trace in traces]
    if candidate.after is not None:
        traces[-1] = _without_guards(traces[-1], guards)
    return replace(candidate.with_traces(traces), state=state)


def _resolved(values: Mapping[Var, Value]) -> dict[Value, Value]:
    """The values, where one may stand for another one."""
    found: dict[Value, Value] = {}
    for var, value in values.items():
        seen = {var}
        while isinstance(value, Var) and value in values and value not in seen:
            seen.add(value)
            value = values[value]
        found[var] = value
    return found


def _undefined(traces: list[Trace], values: Mapping[Var, Value]) -> list[Var]:
    """The variables that are used, and not defined any more, nor anything else."""
    found: dict[Var, None] = {}
    for trace in traces:
        defined = {*variables(trace), *values}
        found.update((arg, None) for arg in values_in(trace) if isinstance(arg, Var) and arg not in defined)
    return list(found)


def _free(candidate: Candidate, var: Var) -> Var:
    taken = {one.name for trace in candidate.traces for one in variables(trace)}
    letter = LETTERS[var.type]
    return Var(next(name for name in (f"{letter}{number}" for number in count()) if name not in taken), var.type)


def _without_guards(after: Trace, gone: list[int]) -> Trace:
    """The optimized trace with the numbers that recorded guards have once these are gone."""
    origins = (exit_of(guard).origin for guard in after.guards)
    left = (None if origin is None else origin - sum(guard < origin for guard in gone) for origin in origins)
    return with_origins(after, left) if gone else after


# The state.


def _without_events(candidate: Candidate, gone: Collection[int]) -> State:
    state, world = candidate.state, candidate.state.world
    if candidate.run is None:
        return state
    lines = [op.line in gone for op in all_operations(candidate.before)]
    events = [lines[event.op] for event in candidate.run.events]
    if goes_back(candidate.before):  # the world may be one of several iterations
        events *= 1 + ITERATIONS[-1]
    functions = [lines[one.op] for one in candidate.run.applied if one.made]
    if not any(events) and not any(functions):
        return state
    stops = world.stops_at
    if stops is not None:
        stops = None if any(events[stops : stops + 1]) else stops - sum(events[:stops])
    world = replace(
        world,
        results=_left(world.results, events),
        writes=_left(world.writes, events),
        raises=_left(world.raises, events),
        functions=_left(world.functions, functions),
        stops_at=stops,
    )
    return replace(state, world=world)


def _left(told: tuple[T, ...], gone: list[bool]) -> tuple[T, ...]:
    """The entries of events that stay; those that the recorded trace does not get to are behind all others."""
    return tuple(one for one, goes in zip_longest(told, gone) if one is not None and not goes)


def _with_input(candidate: Candidate, state: State, var: Var, value: Datum) -> State:
    """The state with one more input; an object that the run made is there from the start."""
    if isinstance(value, Ref) and value != NULL and (state.heap is None or value not in state.heap.objects):
        value, state = _given(candidate, state, var, value)
    return replace(state, inputs=(*state.inputs, value))


def _given(candidate: Candidate, state: State, var: Var, ref: Ref) -> tuple[Ref, State]:
    run = candidate.run
    if run is None or run.heap is None or ref not in run.heap.objects:
        return NULL, state
    heap = Heap(layout_of(*candidate.traces)) if state.heap is None else state.heap.copy()
    made: Object = run.heap.objects[ref]
    known = {*heap.objects, NULL}
    cells = {cell: held for cell, held in made.cells.items() if not isinstance(held, Ref) or held in known}
    given = Ref(var.name) if ref.fresh else ref
    if given in heap.objects:
        return NULL, state
    heap.objects[given] = replace(made, cells=cells, cleared=True, unwritten=frozenset())
    return given, replace(state, heap=heap)
