"""Dropping operations: results that are still used become inputs, which are what the operations computed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import zip_longest
from typing import TypeVar

from fuzz.reduce.candidate import Candidate
from fuzz.reduce.lines import with_values
from optimizer.ir.check import input_type
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import OPS, Kind
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NULL, Datum, Object, Ref
from optimizer.ir.trace import Operation, Trace, Value, Var, all_operations
from optimizer.ir.types.trace_layout import layout_of
from validator.search.counterexample import State

T = TypeVar("T")


def without(
    candidate: Candidate, lines: Collection[int], values: Mapping[Var, Value] | None = None
) -> Candidate | None:
    """The candidate without these operations, on both sides; None where there are none of them.

    `values` stand for some of their results, inputs for the others. What tells of overflow goes with the guard that
    reads it, the guard alone leaves the operation that wraps. An end stays.
    """
    gone = _with_flags(candidate, lines)
    if not gone:
        return None
    values = dict(values or {})
    before, state = candidate.before, _without_events(candidate, gone)
    guards = [number for number, guard in enumerate(before.guards) if guard.line in gone]
    traces = [_without(trace, gone) for trace in candidate.traces]
    new = {}
    for var in _undefined(traces, values):
        name = var if input_type(var.name) is var.type else Var(_free(candidate, var), var.type)
        new[name] = var
        values.setdefault(var, name)
        state = _with_input(candidate, state, name, candidate.value(var))
    done = [
        replace(
            trace,
            inputs=(*trace.inputs, *new),
            ops=tuple(with_values(op, _resolved(values)) for op in trace.ops),
        )
        for trace in traces
    ]
    after = None if candidate.after is None else _with_origins(done[-1], guards)
    return replace(candidate, before=done[0], after=after, state=state)


def _resolved(values: Mapping[Var, Value]) -> dict[Var, Value]:
    """The values, where one may stand for another one."""
    found: dict[Var, Value] = {}
    for var, value in values.items():
        seen = {var}
        while isinstance(value, Var) and value in values and value not in seen:
            seen.add(value)
            value = values[value]
        found[var] = value
    return found


def _with_flags(candidate: Candidate, lines: Collection[int]) -> set[int]:
    """The lines that go: also those of guards that read the overflow of what goes."""
    gone: set[int] = set()
    for trace in candidate.traces:
        telling: Operation | None = None
        for op in all_operations(trace):
            if op.op.kind is Kind.END:
                continue
            if op.line in lines or (op.op.reads_flag and telling is not None and telling.line in gone):
                gone.add(op.line)
            if op.op.overflows is not None:
                telling = op
    return gone


def _without(trace: Trace, gone: Collection[int]) -> Trace:
    ops: list[Operation] = []
    telling = -1
    for op in trace.ops:
        if op.op.reads_flag and op.line in gone and telling >= 0:
            told = ops[telling]
            assert told.op.wrapping is not None
            ops[telling] = replace(told, op=OPS[told.op.wrapping])
        if op.line in gone and op.op.kind is not Kind.END:
            if op.op.overflows is not None:
                telling = -1
            continue
        if op.exit is not None and op.exit.block:
            block = tuple(inner for inner in op.exit.block if inner.line not in gone)
            op = replace(op, exit=replace(op.exit, block=block))
        if op.op.overflows is not None:
            telling = len(ops)
        elif op.op.reads_flag:
            telling = -1
        ops.append(op)
    return replace(trace, ops=tuple(ops))


def _undefined(traces: list[Trace], values: Mapping[Var, Value]) -> list[Var]:
    """What is used, and not defined any more, nor anything else."""
    found: dict[Var, None] = {}
    for trace in traces:
        defined = {*trace.inputs, *(op.result for op in all_operations(trace) if op.result is not None), *values}
        for op in all_operations(trace):
            failargs = (op.exit.failargs or ()) if op.exit is not None else ()
            found.update((arg, None) for arg in (*op.args, *failargs) if isinstance(arg, Var) and arg not in defined)
    return list(found)


def _free(candidate: Candidate, var: Var) -> str:
    taken = {one.name for trace in candidate.traces for one in trace.inputs}
    taken |= {op.result.name for trace in candidate.traces for op in all_operations(trace) if op.result is not None}
    number = 0
    while f"{_LETTERS[var.type.value]}{number}" in taken:
        number += 1
    return f"{_LETTERS[var.type.value]}{number}"


_LETTERS = {"int": "i", "ref": "p", "float": "f", "void": "i"}


def _with_origins(after: Trace, guards: list[int]) -> Trace:
    """The optimized trace with the numbers that guards have once these are gone."""

    def told(op: Operation) -> Operation:
        if op.exit is None or op.exit.origin is None:
            return op
        origin = op.exit.origin - sum(guard < op.exit.origin for guard in guards)
        return replace(op, exit=replace(op.exit, origin=origin))

    return replace(after, ops=tuple(map(told, after.ops))) if guards else after


# The state.


def _without_events(candidate: Candidate, gone: Collection[int]) -> State:
    state, world = candidate.state, candidate.state.world
    if candidate.run is None:
        return state
    lines = [op.line in gone for op in all_operations(candidate.before)]
    events = [lines[event.op] for event in candidate.run.events]
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
    """What is told of events that stay; those that the recorded trace does not get to are behind all others."""
    return tuple(one for one, goes in zip_longest(told, gone) if one is not None and not goes)


def _with_input(candidate: Candidate, state: State, var: Var, value: Datum) -> State:
    """The state with one more input; an object that the run made is there from the start."""
    if isinstance(value, Ref) and value != NULL and not _holds(state.heap, value):
        value, state = _given(candidate, state, var, value)
    return replace(state, inputs=(*state.inputs, value))


def _holds(heap: Heap | None, ref: Ref) -> bool:
    return heap is not None and ref in heap.objects


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
    heap.objects[given] = replace(made, cells=cells)
    return given, replace(state, heap=heap)
