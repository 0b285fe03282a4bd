"""The generator on heaps: declarations, objects from before the trace, worlds, and what traces do with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from fuzz.draw.generator import GeneratedTrace
from optimizer.ir.rows.ops import Kind, Type
from optimizer.ir.run.interpreter import run
from optimizer.ir.run.objects import NULL, Object, Ref
from optimizer.ir.run.runs import Seen
from optimizer.ir.text.declaration_writer import format_declarations
from optimizer.ir.text.declarations import parse_declarations
from optimizer.ir.text.heap_printer import format_heap
from optimizer.ir.text.heap_reader import parse_heap
from optimizer.ir.trace import Trace, Var, exit_of
from optimizer.ir.types.declaration_rules import find_problems
from optimizer.ir.types.layout import Array
from optimizer.ir.types.trace_layout import layout_of


@pytest.fixture(scope="module")
def generated(first_traces: list[GeneratedTrace]) -> list[GeneratedTrace]:
    return [one for one in first_traces[:800] if one.state.heap is not None]


def _objects(one: GeneratedTrace) -> list[Object]:
    assert one.state.heap is not None
    return list(one.state.heap.objects.values())


def test_most_traces_have_heaps(generated: list[GeneratedTrace]) -> None:
    assert 480 < len(generated) < 640


def test_declarations_are_right_and_survive_their_text(generated: list[GeneratedTrace]) -> None:
    for one in generated:
        declarations = one.trace.declarations
        assert not list(find_problems(declarations))
        assert parse_declarations(format_declarations(declarations)) == declarations


def test_heaps_survive_their_text(generated: list[GeneratedTrace]) -> None:
    for one in generated:
        heap = one.state.heap
        assert heap is not None
        assert parse_heap(format_heap(heap), layout_of(one.trace)) == heap


def test_all_that_a_state_names_is_in_its_heap(generated: list[GeneratedTrace]) -> None:
    for one in generated:
        assert one.state.heap is not None
        world = one.state.world
        named = [*one.state.inputs, *world.results]
        named += [value for event in world.writes for write in event for value in (write.target, write.value)]
        refs = {value for value in named if isinstance(value, Ref) and value != NULL}
        assert refs <= one.state.heap.objects.keys()


def test_no_write_of_the_world_is_to_memory_that_the_trace_relies_on(generated: list[GeneratedTrace]) -> None:
    for one in generated:
        done = run(one.trace, one.state.inputs, one.state.world, heap=one.state.heap)
        assert done.world.writes == one.state.world.writes


_DECLARED: dict[str, Callable[[GeneratedTrace], bool]] = {
    "subclasses": lambda one: any(struct.parent for struct in one.trace.declarations.structs),
    "siblings": lambda one: (
        max([*Counter(struct.parent for struct in one.trace.declarations.structs if struct.parent).values(), 0]) > 1
    ),
    "uncleared structs": lambda one: any(not struct.cleared for struct in one.trace.declarations.structs),
    "immutable fields": lambda one: any(f.immutable for s in one.trace.declarations.structs for f in s.fields),
    "quasi-immutable fields": lambda one: any(
        f.quasi_immutable for s in one.trace.declarations.structs for f in s.fields
    ),
    "narrow fields": lambda one: any(f.high == 255 for s in one.trace.declarations.structs for f in s.fields),
    "arrays of structs": lambda one: any(array.fields for array in one.trace.declarations.arrays),
    "immutable arrays": lambda one: any(array.immutable for array in one.trace.declarations.arrays),
    "calls with effects": lambda one: any(call.writes != ("*",) for call in one.trace.declarations.calls),
    "other names": lambda one: bool(one.trace.declarations.descrs),
    "known constants": lambda one: any(const.fields for const in one.trace.declarations.consts),
    "known lengths": lambda one: any(const.length is not None for const in one.trace.declarations.consts),
    "equal constants": lambda one: any(const.same_as for const in one.trace.declarations.consts),
    "nothing declared": lambda one: not one.trace.declarations.structs and not one.trace.declarations.arrays,
}


def _inputs(one: GeneratedTrace) -> list[Ref]:
    return [value for value in one.state.inputs if isinstance(value, Ref)]


def _cycle(one: GeneratedTrace) -> bool:
    assert one.state.heap is not None
    objects = one.state.heap.objects
    return any(
        isinstance(v, Ref) and ref in _reached(v, objects) for ref in objects for v in objects[ref].cells.values()
    )


def _reached(start: Ref, objects: dict[Ref, Object]) -> set[Ref]:
    found: set[Ref] = set()
    pending = [start]
    while pending:
        ref = pending.pop()
        if ref in objects and ref not in found:
            found.add(ref)
            pending += [value for value in objects[ref].cells.values() if isinstance(value, Ref)]
    return found


_STATES: dict[str, Callable[[GeneratedTrace], bool]] = {
    "aliases": lambda one: len(set(_inputs(one)) - {NULL}) < len([ref for ref in _inputs(one) if ref != NULL]),
    "no aliases": lambda one: len(_inputs(one)) == len(set(_inputs(one))) > 1,
    "NULL": lambda one: NULL in _inputs(one),
    "cycles": _cycle,
    "arrays": lambda one: any(isinstance(described.type, Array) for described in _objects(one)),
    "writes": lambda one: bool(one.state.world.writes),
    "seen objects": lambda one: any(isinstance(result, Seen) for result in one.state.world.results),
    "invalid code": lambda one: bool(one.state.world.invalid),
}


def _failargs(trace: Trace) -> list[Var]:
    listed = [value for guard in trace.guards for value in exit_of(guard).failargs or ()]
    return [value for value in listed if isinstance(value, Var)]


def _blocks_of(trace: Trace) -> set[Kind]:
    return {inner.op.kind for guard in trace.guards for inner in exit_of(guard).block}


_TRACES: dict[str, Callable[[GeneratedTrace], bool]] = {
    "references in failargs": lambda one: any(var.type is Type.REF for var in _failargs(one.trace)),
    "fresh objects in failargs": lambda one: bool(
        set(_failargs(one.trace)) & {op.result for op in one.trace.ops if op.op.kind is Kind.NEW}
    ),
    "allocations in exit blocks": lambda one: Kind.NEW in _blocks_of(one.trace),
    "stores in exit blocks": lambda one: Kind.STORE in _blocks_of(one.trace),
    "exceptions that are put aside": lambda one: any(op.op.kind is Kind.EXCEPTION for op in one.trace.ops),
}


@pytest.mark.parametrize(
    "holds", [*_DECLARED.values(), *_STATES.values(), *_TRACES.values()], ids=[*_DECLARED, *_STATES, *_TRACES]
)
def test_each_of_these_occurs(generated: list[GeneratedTrace], holds: Callable[[GeneratedTrace], bool]) -> None:
    assert sum(map(holds, generated)) > 0.01 * len(generated)


def test_loaded_values_and_arithmetic_meet(generated: list[GeneratedTrace]) -> None:
    """What is loaded is computed with, and what is computed is stored."""
    computed = stored = 0
    for one in generated:
        loaded = {op.result for op in one.trace.ops if op.op.kind is Kind.LOAD}
        results = {op.result for op in one.trace.ops if op.op.is_pure}
        computed += any(loaded & set(op.args) for op in one.trace.ops if op.op.is_pure)
        stored += any(results & set(op.args) for op in one.trace.ops if op.op.kind is Kind.STORE)
    assert computed > 0.2 * len(generated)
    assert stored > 0.2 * len(generated)
