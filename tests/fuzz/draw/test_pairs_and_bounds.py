"""Idioms that are drawn on purpose: any two operations on each other, related constants, and checks of indices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from random import Random

import pytest

from fuzz import Shape, generate
from fuzz.draw.choices import relatives
from fuzz.draw.rows import rows
from fuzz.draw.shape import HeapShape, Mix
from fuzz.draw.steps import bounds, heaps, integers
from optimizer.ir.rows.ops import Kind
from optimizer.ir.trace import ConstInt, Operation, Trace, Value

_SEEDS = 300


@cache
def drawn(mix: Mix, heap: HeapShape | None = None) -> tuple[Trace, ...]:
    shape = Shape(mix=mix, min_operations=20, max_operations=60, heap=heap, exit_blocks=0, same_constants=80)
    return tuple(generate(Random(seed), shape).trace for seed in range(_SEEDS))


@cache
def pairs() -> tuple[tuple[Operation, Operation], ...]:
    """An operation, and one on its result."""
    return tuple(
        (inner, outer)
        for trace in drawn(((integers.pair, 1),))
        for made in [{op.result: op for op in trace.ops if op.result and op.op.is_pure}]
        for outer in made.values()
        for arg in outer.args
        for inner in ([made[arg]] if arg in made else [])
    )


def test_any_two_operations_stand_on_each_other() -> None:
    table = (*rows(64).pure, *rows(64).overflow)
    seen = Counter((inner.op, outer.op) for inner, outer in pairs())
    assert len(seen) > 0.99 * len(table) ** 2
    assert max(seen.values()) < len(pairs()) / 100


def _constant(operation: Operation) -> int:
    last = operation.args[-1]
    return last.value if isinstance(last, ConstInt) else 0


@pytest.mark.parametrize(
    ("one", "other", "is_related"),
    [
        ("int_lshift", "int_and", lambda bits, mask: mask == (1 << bits) - 1),
        ("int_lshift", "int_rshift", lambda left, right: left == right),
        ("int_signext", "int_signext", lambda one, other: one != other),
        ("int_py_mod", "int_py_mod", lambda one, other: other and one % other == 0),
    ],
)
def test_constants_of_two_operations_have_to_do_with_each_other(one: str, other: str, is_related: object) -> None:
    assert callable(is_related)
    found = [pair for pair in pairs() if (pair[0].op.name, pair[1].op.name) == (one, other)]
    assert any(is_related(_constant(inner), _constant(outer)) for inner, outer in found)


def test_ranges_end_where_an_operation_begins_to_do_something() -> None:
    """Among them some that end with the last number that a byte with a sign has, and some that end with the next."""
    limits = Counter(
        arg.value
        for trace in drawn(((integers.keep_within, 1),))
        for bytes_, var in [(op.args[1], op.args[0]) for op in trace.ops if op.op.name == "int_signext"]
        if bytes_ == ConstInt(1)
        for op in trace.ops
        if op.op in rows(64).signed and var in op.args
        for arg in op.args
        if isinstance(arg, ConstInt)
    )
    assert limits[127] > 5
    assert limits[128] > 5
    assert limits[-128] + limits[-129] > 5


def test_relatives_are_words() -> None:
    assert {255, 256, 128, 56, -9, 1, 7, 9} <= set(relatives(8, 64))
    assert 1 in relatives(0xFF, 64)
    for width in (4, 8, 64):
        for value in (-(1 << (width - 1)), -1, 0, 1, width - 1, (1 << (width - 1)) - 1):
            assert all(-(1 << (width - 1)) <= one < 1 << (width - 1) for one in relatives(value, width))


ORDERS = {"int_lt", "int_le", "int_gt", "int_ge", "uint_lt", "uint_le", "uint_gt", "uint_ge"}


def checks(trace: Trace) -> Iterator[tuple[str, Value, Value]]:
    """The orders that guards are about: a test, what is tested, and against what."""
    guarded = {op.args[0] for op in trace.guards if op.args}
    yield from ((op.op.name, *op.args) for op in trace.ops if op.result in guarded and op.op.name in ORDERS)  # type: ignore[misc]


def lengths(trace: Trace) -> dict[Value, Value]:
    """The array of each length."""
    return {
        op.result: op.args[0] for op in trace.ops if op.result and op.op.name in ("arraylen_gc", "strlen", "unicodelen")
    }


def _unsigned(trace: Trace) -> bool:
    return any(name.startswith("uint_") and limit in lengths(trace) for name, _, limit in checks(trace))


def _signed(trace: Trace) -> bool:
    told = list(checks(trace))
    not_negative = {index for name, index, limit in told if name in ("int_ge", "int_lt") and limit == ConstInt(0)}
    return any(index in not_negative and limit in lengths(trace) for _, index, limit in told)


def _neighbour(step: int, trace: Trace) -> bool:
    """Is an index checked against a length, and also what is a step away?"""
    told = {(index, limit) for _, index, limit in checks(trace) if limit in lengths(trace)}
    sums = {"int_add": 1, "int_sub": -1, "int_add_ovf": 1, "int_sub_ovf": -1}
    near = {
        op.result: op.args[0]
        for op in trace.ops
        if op.op.name in sums and op.result and op.args[1] == ConstInt(step * sums[op.op.name])
    }
    return any(index in near and (near[index], limit) in told for index, limit in told)


def _accessed(trace: Trace) -> bool:
    """Is an array accessed where an index was checked against its length?"""
    of = lengths(trace)
    told = {(of[limit], index) for _, index, limit in checks(trace) if limit in of}
    return any(op.op.kind in (Kind.LOAD, Kind.STORE) and op.args[:2] in told for op in trace.ops)


@pytest.mark.parametrize(
    "holds",
    [_unsigned, _signed, lambda trace: _neighbour(1, trace), lambda trace: _neighbour(-1, trace), _accessed],
    ids=["unsigned", "signed", "next", "previous", "accessed"],
)
def test_indices_are_checked_against_lengths(holds: object) -> None:
    assert callable(holds)
    traces = drawn(((heaps.take_length, 1),), HeapShape(arrays=2))
    assert sum(map(holds, traces)) > 0.05 * len(traces)


def test_indices_are_checked_where_there_are_no_arrays() -> None:
    traces = drawn(((bounds.check_bounds, 1),))
    assert sum(any(name.startswith("uint_") for name, _, _ in checks(trace)) for trace in traces) > 0.5 * len(traces)
