"""The generator on raw memory, objects by their bytes, and strings: what may overlap does, and where accesses go is not
beyond all solvers."""

from __future__ import annotations

import pytest

from fuzz.draw.generator import GeneratedTrace
from optimizer.ir.rows.ops import DescrKind, Kind, Type
from optimizer.ir.trace import ConstInt, Operation, Trace, Value, Var
from optimizer.ir.types.memory_cells import takes_object

_RAW = (Kind.RAW_LOAD, Kind.RAW_STORE)


@pytest.fixture(scope="module")
def generated(first_traces: list[GeneratedTrace]) -> list[GeneratedTrace]:
    return first_traces[:1200]


@pytest.fixture(scope="module")
def raw(generated: list[GeneratedTrace]) -> list[Trace]:
    return [one.trace for one in generated if len(_accesses(one.trace)) > 3]


@pytest.fixture(scope="module")
def by_bytes(generated: list[GeneratedTrace]) -> list[Trace]:
    return [one.trace for one in generated if len(_of_objects(one.trace)) > 3]


def _accesses(trace: Trace) -> list[Operation]:
    return [op for op in trace.ops if op.op.kind in _RAW and not takes_object(op)]


def _of_objects(trace: Trace) -> list[Operation]:
    return list(filter(takes_object, trace.ops))


def _pointers(trace: Trace) -> set[Value]:
    return {op.args[0] for op in _accesses(trace)}


def _index(op: Operation) -> Value | None:
    """What is scaled, or added to the address."""
    memory = op.op.memory
    return None if memory is None or memory.descr is DescrKind.RAW_FIELD else op.args[1]


def test_addresses_are_of_few_pointers(raw: list[Trace]) -> None:
    assert len(raw) > 60
    assert all(len(_pointers(trace)) <= 3 for trace in raw)


def test_pointers_are_hardly_ever_indices(raw: list[Trace]) -> None:
    variables = [(trace, index) for trace in raw for index in map(_index, _accesses(trace)) if isinstance(index, Var)]
    assert len(variables) > 30
    assert sum(index in _pointers(trace) for trace, index in variables) < 0.05 * len(variables)


def test_bytes_are_of_few_objects(by_bytes: list[Trace]) -> None:
    assert len(by_bytes) > 40
    assert all(len({op.args[0] for op in _of_objects(trace)}) <= 3 for trace in by_bytes)


def test_bytes_of_objects_and_typed_accesses_meet_in_one_trace(by_bytes: list[Trace]) -> None:
    assert sum(any(op.op.kind in (Kind.LOAD, Kind.STORE) for op in trace.ops) for trace in by_bytes) > 15


@pytest.mark.parametrize("type_", [Type.INT, Type.REF, Type.FLOAT])
def test_what_bytes_hold_is_of_any_type(by_bytes: list[Trace], type_: Type) -> None:
    assert sum(op.op.result is type_ for trace in by_bytes for op in _of_objects(trace)) > 1


def test_a_trace_that_has_references_among_bytes_has_none_in_fields(generated: list[GeneratedTrace]) -> None:
    for one in generated:
        among = {op.op.result for op in _of_objects(one.trace)}
        held = {op.op.result for op in one.trace.ops if op.op.kind is Kind.LOAD}
        assert not (Type.REF in among and Type.REF in held)


def test_copies_within_a_string_overlap(generated: list[GeneratedTrace]) -> None:
    copies = [op.args for one in generated for op in one.trace.ops if op.op.kind is Kind.COPY]
    known = [args for args in copies if args[0] == args[1] and all(isinstance(arg, ConstInt) for arg in args[2:])]
    numbers = [[arg.value for arg in args[2:] if isinstance(arg, ConstInt)] for args in known]
    assert sum(0 < abs(at - start) < count for start, at, count in numbers) > 10
