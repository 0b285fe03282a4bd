"""Traces with other variables and values, and the simplest values."""

from __future__ import annotations

from collections.abc import Mapping

from optimizer.ir.floats import ZERO
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import Type
from optimizer.ir.run.objects import NULL, Datum, blank
from optimizer.ir.trace import Const, ConstFloat, ConstInt, ConstRef, Exit, Operation, Trace, Value, Var


def with_names(trace: Trace, names: Mapping[Var, Var]) -> Trace:
    """The trace with other variables."""

    def defined(op: Operation) -> Operation:
        exit_ = op.exit
        if exit_ is not None:
            exit_ = replace(exit_, block=tuple(map(defined, exit_.block)))
        return replace(op, result=None if op.result is None else names.get(op.result, op.result), exit=exit_)

    ops = tuple(defined(with_values(op, names)) for op in trace.ops)
    return replace(trace, inputs=tuple(names.get(var, var) for var in trace.inputs), ops=ops)


def with_values(op: Operation, values: Mapping[Var, Value] | Mapping[Var, Var]) -> Operation:
    """The operation with other values for variables, in its exit too."""

    def other(value: Value) -> Value:
        return values.get(value, value) if isinstance(value, Var) else value

    exit_ = op.exit
    if exit_ is not None:
        failargs = exit_.failargs
        if failargs is not None:
            failargs = tuple(None if arg is None else other(arg) for arg in failargs)
        block = tuple(with_values(inner, values) for inner in exit_.block)
        exit_ = Exit(failargs, exit_.origin, block)
    return replace(op, args=tuple(map(other, op.args)), exit=exit_)


def plain_value(type_: Type) -> Const:
    """The simplest constant of a type."""
    if type_ is Type.FLOAT:
        return ConstFloat(ZERO)
    return ConstRef(NULL.name) if type_ is Type.REF else ConstInt(0)


def plain_datum(type_: Type) -> Datum:
    """The simplest value of a type."""
    return blank(type_)
