"""The generator on raw memory and strings: what may overlap does, and where accesses go is not beyond all solvers."""

from __future__ import annotations

import pytest

from fuzz.generate import GeneratedTrace, generate_for
from optimizer.ir.ops import DescrKind, Kind
from optimizer.ir.trace import ConstInt, Operation, Trace, Value, Var

_RAW = (Kind.RAW_LOAD, Kind.RAW_STORE)


@pytest.fixture(scope="module")
def generated() -> list[GeneratedTrace]:
    return [generate_for(seed) for seed in range(1200)]


@pytest.fixture(scope="module")
def raw(generated: list[GeneratedTrace]) -> list[Trace]:
    return [one.trace for one in generated if sum(op.op.kind in _RAW for op in one.trace.ops) > 3]


def _accesses(trace: Trace) -> list[Operation]:
    return [op for op in trace.ops if op.op.kind in _RAW]


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


def test_copies_within_a_string_overlap(generated: list[GeneratedTrace]) -> None:
    copies = [op.args for one in generated for op in one.trace.ops if op.op.kind is Kind.COPY]
    known = [args for args in copies if args[0] == args[1] and all(isinstance(arg, ConstInt) for arg in args[2:])]
    numbers = [[arg.value for arg in args[2:] if isinstance(arg, ConstInt)] for args in known]
    assert sum(0 < abs(at - start) < count for start, at, count in numbers) > 10
