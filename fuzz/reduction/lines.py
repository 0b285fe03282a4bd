"""Lines as names of operations: those of two traces that correspond have the same one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from fuzz.reduction.candidate import Candidate
from optimizer.ir.floats import ZERO
from optimizer.ir.immutable import replace
from optimizer.ir.objects import NULL, Datum, blank
from optimizer.ir.ops import Type
from optimizer.ir.trace import Const, ConstFloat, ConstInt, ConstRef, Exit, Operation, Trace, Value, Var, all_operations


def numbered(candidate: Candidate) -> Candidate:
    """The candidate with a line of its own for each operation, and for those that correspond the same one."""
    before = _with_lines(candidate.before, {}, 0)
    if candidate.after is None:
        return replace(candidate, before=before)
    after = _renamed_inputs(candidate.after, before)
    last = max(op.line for op in all_operations(before))
    return replace(candidate, before=before, after=_with_lines(after, dict(_keys(before)), last))


def _renamed_inputs(after: Trace, before: Trace) -> Trace:
    """The optimized trace with the inputs of the recorded one."""
    names = dict(zip(after.inputs, before.inputs, strict=False))
    if all(old == new for old, new in names.items()):
        return after
    taken = {var.name for var in before.inputs}
    for op in all_operations(after):
        if op.result is not None and op.result.name in taken:
            names[op.result] = Var(f"{op.result.name}_", op.result.type)
    return with_names(after, names)


def with_names(trace: Trace, names: Mapping[Var, Var]) -> Trace:
    """The trace with other variables."""

    def defined(op: Operation) -> Operation:
        exit_ = op.exit
        if exit_ is not None:
            exit_ = replace(exit_, block=tuple(map(defined, exit_.block)))
        return replace(op, result=None if op.result is None else names.get(op.result, op.result), exit=exit_)

    ops = tuple(defined(with_values(op, names)) for op in trace.ops)
    return replace(trace, inputs=tuple(names.get(var, var) for var in trace.inputs), ops=ops)


Key = tuple[object, ...]


def _keys(trace: Trace) -> Iterator[tuple[Key, int]]:
    """What each operation is found by in another trace, and its line. A guard stands for those with its origin."""
    counts: dict[Key, int] = defaultdict(int)
    guard = 0
    for op in trace.ops:
        if op.result is not None:
            yield ("result", op.result.name), op.line
            continue
        if op.op.is_guard:
            origin = op.exit.origin if op.exit is not None else None
            yield ("guard", guard if origin is None else origin), op.line
            guard += 1
        for key in (("text", op.op.name, op.args, op.descr), ("kind", op.op.name)):
            yield (*key, counts[key]), op.line
            counts[key] += 1


def _with_lines(trace: Trace, others: Mapping[Key, int], fresh: int) -> Trace:
    """The trace with the lines of operations that correspond, and lines behind `fresh` for the rest."""
    counts: dict[Key, int] = defaultdict(int)
    taken: set[int] = set()

    def line_of(op: Operation) -> int:
        nonlocal fresh
        keys: list[Key] = []
        origin = op.exit.origin if op.exit is not None else None
        if op.result is not None:
            keys.append(("result", op.result.name))
        elif origin is not None:
            keys.append(("guard", origin))
        else:
            for key in (("text", op.op.name, op.args, op.descr), ("kind", op.op.name)):
                keys.append((*key, counts[key]))
                counts[key] += 1
        line = next((others[key] for key in keys if key in others), None)
        if line is None or (line in taken and origin is None):
            fresh += 1
            line = fresh
        taken.add(line)
        return line

    def with_line(op: Operation) -> Operation:
        op = replace(op, line=line_of(op))
        if op.exit is not None and op.exit.block:
            op = replace(op, exit=replace(op.exit, block=tuple(map(with_line_of_its_own, op.exit.block))))
        return op

    def with_line_of_its_own(op: Operation) -> Operation:
        nonlocal fresh
        fresh += 1
        return replace(op, line=fresh)

    return replace(trace, ops=tuple(map(with_line, trace.ops)))


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
