"""A trace as edits see it: operations are known by their lines, operands by their numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count, repeat
from typing import cast

from optimizer.ir.check import IllFormed, check
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import Type
from optimizer.ir.trace import Operation, Trace, Value, Var, all_operations, exit_of
from optimizer.ir.types.trace_layout import layout_of

Handed = tuple[Value | None, ...]

LETTERS = {Type.INT: "i", Type.REF: "p", Type.FLOAT: "f", Type.VOID: "v"}
"""The letters with which the names of variables begin."""


def operands(op: Operation) -> Handed:
    """The values that an operation is given, and those that its guard hands over."""
    return (*op.args, *((op.exit.failargs or ()) if op.exit is not None else ()))


def values_in(trace: Trace) -> Iterator[Value]:
    """All that operations are given and guards hand over."""
    return (value for op in all_operations(trace) for value in operands(op) if value is not None)


def with_operands(op: Operation, values: Handed) -> Operation:
    """The operation with as many other operands; None, which is a dead slot, only among what its guard hands over."""
    args = tuple(value for value in values[: len(op.args)] if value is not None)
    exit_ = op.exit
    if exit_ is not None and exit_.failargs is not None:
        exit_ = replace(exit_, failargs=values[len(op.args) :])
    return replace(op, args=args, exit=exit_)


def inner(op: Operation) -> tuple[Operation, ...]:
    """The operations of the exit block."""
    return op.exit.block if op.exit is not None else ()


def with_block(op: Operation, block: Iterable[Operation]) -> Operation:
    """The guard with another exit block."""
    return replace(op, exit=replace(exit_of(op), block=tuple(block)))


def each(trace: Trace, change: Callable[[Operation], Operation]) -> Trace:
    """The trace with each operation changed, those of exit blocks ahead of their guard."""

    def changed(op: Operation) -> Operation:
        return change(with_block(op, map(change, inner(op))) if inner(op) else op)

    return trace.of(map(changed, trace.ops))


def with_origins(trace: Trace, origins: Iterable[int | None]) -> Trace:
    """The trace whose guards name these, one after the other, as the guards that they come from."""
    following = iter(origins)
    ops = (op if op.exit is None else replace(op, exit=replace(op.exit, origin=next(following))) for op in trace.ops)
    return trace.of(ops)


def without_origins(trace: Trace) -> Trace:
    """The trace whose guards name no others that they come from."""
    return with_origins(trace, repeat(None))


def numbered(trace: Trace, above: int = 0) -> Trace:
    """The trace whose operations have the lines behind `above`, in the order of the text."""
    lines = count(above + 1)

    def with_line(op: Operation) -> Operation:
        op = replace(op, line=next(lines))
        return with_block(op, map(with_line, inner(op))) if inner(op) else op

    return trace.of(map(with_line, trace.ops))


# Variables.


def results(operations: Iterable[Operation]) -> Iterator[Var]:
    """The variables that the operations define."""
    return (op.result for op in operations if op.result is not None)


def variables(trace: Trace) -> list[Var]:
    """Inputs and results, those of exit blocks too."""
    return [*trace.inputs, *results(all_operations(trace))]


def visible(trace: Trace, line: int) -> list[Var]:
    """The variables that are there when the operation on that line begins, those of its own exit block included."""
    found = list(trace.inputs)
    for op in trace.ops:
        for place, one in enumerate(inner(op)):
            if one.line == line:
                return [*found, *results(inner(op)[:place])]
        if op.line == line:
            return found
        found += results([op])
    return found


def used_by(op: Operation) -> Iterator[Var]:
    """The variables that the operation and its exit name, what its own exit block defines among them."""
    values = [*operands(op), *(arg for one in inner(op) for arg in one.args)]
    return (value for value in values if isinstance(value, Var))


def with_values(op: Operation, values: Mapping[Var, Value] | Mapping[Value, Value]) -> Operation:
    """The operation with other values for these, in its exit too."""
    known = cast(Mapping[Value | None, Value], values)
    op = with_operands(op, tuple(known.get(value, value) for value in operands(op)))
    return with_block(op, (with_values(one, values) for one in inner(op))) if inner(op) else op


def renamed(op: Operation, names: Mapping[Var, Value]) -> Operation:
    """The operation with other variables, those included that it and its exit block define."""

    def defined(op: Operation) -> Operation:
        if inner(op):
            op = with_block(op, map(defined, inner(op)))
        name = op.result and names.get(op.result, op.result)
        assert name is None or isinstance(name, Var)
        return replace(op, result=name)

    return defined(with_values(op, names))


def with_names(trace: Trace, names: Mapping[Var, Var]) -> Trace:
    """The trace with other variables."""
    return replace(
        trace,
        inputs=tuple(names.get(var, var) for var in trace.inputs),
        ops=tuple(renamed(op, names) for op in trace.ops),
    )


def renumbered(trace: Trace) -> Trace:
    """The trace with its variables named by number, in the order in which they are defined."""
    return with_names(trace, {var: Var(f"{var.type.value[0]}{i}", var.type) for i, var in enumerate(variables(trace))})


def is_well_formed(*traces: Trace) -> bool:
    """Are they traces, whose descrs mean one thing each in all of them?"""
    try:
        for trace in traces:
            check(trace)
        layout_of(*traces)
    except (IllFormed, InputError):
        return False
    return True
