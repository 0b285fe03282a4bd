"""What a careless optimizer does to any trace: right as often as not, and mostly hard to tell from what is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random

from fuzz.edits.walk import is_well_formed
from optimizer.ir.floats import Float
from optimizer.ir.rows.ops import Kind
from optimizer.ir.run.objects import Datum
from optimizer.ir.trace import ConstFloat, ConstInt, Operation, Trace, Value, Var

Values = Mapping[str, Datum]


def carelessly(trace: Trace, values: Values, random: Random) -> Trace:
    """Another well-formed trace with the same inputs; the same one where no try worked out. `values` are those of the
    variables in one run."""
    for _ in range(20):
        change = random.choice((_merged, _merged, _merged, _merged_in_some_uses, _moved, _moved, _dropped))
        candidate = replace(trace, ops=tuple(change(list(trace.ops), trace, values, random)))
        if candidate.ops != trace.ops and is_well_formed(candidate):
            return candidate
    return trace


def _merged(ops: list[Operation], trace: Trace, values: Values, random: Random) -> list[Operation]:
    """Something that has the same value stands for a result."""
    found = _same(ops, trace, values, random)
    if found is None:
        return ops
    number, value = found
    result = ops[number].result
    assert result is not None
    return [*ops[:number], *(_with(op, result, value) for op in ops[number + 1 :])]


def _merged_in_some_uses(ops: list[Operation], trace: Trace, values: Values, random: Random) -> list[Operation]:
    found = _same(ops, trace, values, random)
    if found is None:
        return ops
    number, value = found
    result = ops[number].result
    assert result is not None
    start = random.randrange(number + 1, len(ops) + 1)
    return [*ops[:start], *(_with(op, result, value) for op in ops[start:])]


def _same(ops: list[Operation], trace: Trace, values: Values, random: Random) -> tuple[int, Value] | None:
    """An operation, and something else that has its value there."""
    places = [number for number, op in enumerate(ops) if op.result is not None and op.result.name in values]
    if not places:
        return None
    number = random.choice(places)
    result = ops[number].result
    assert result is not None
    held = values[result.name]
    ahead = [*trace.inputs, *(op.result for op in ops[:number] if op.result is not None)]
    among: list[Value] = [var for var in ahead if var.type is result.type and values.get(var.name) == held]
    if isinstance(held, Float):
        among.append(ConstFloat(held))
    elif isinstance(held, int):
        among.append(ConstInt(held))
    return (number, random.choice(among)) if among else None


def _with(op: Operation, old: Var, new: Value) -> Operation:
    """The operation with another value for a variable, in its exit too."""
    exit_ = op.exit
    if exit_ is not None:
        failargs = None if exit_.failargs is None else tuple(new if arg == old else arg for arg in exit_.failargs)
        exit_ = replace(exit_, failargs=failargs, block=tuple(_with(inner, old, new) for inner in exit_.block))
    return replace(op, args=tuple(new if arg == old else arg for arg in op.args), exit=exit_)


def _moved(ops: list[Operation], trace: Trace, values: Values, random: Random) -> list[Operation]:
    number = random.randrange(len(ops))
    ops.insert(max(0, number + random.choice((-4, -3, -2, -1, 1, 2, 3, 4))), ops.pop(number))
    return ops


def _dropped(ops: list[Operation], trace: Trace, values: Values, random: Random) -> list[Operation]:
    places = [number for number, op in enumerate(ops) if op.result is None and op.op.kind is not Kind.END]
    if places:
        del ops[random.choice(places)]
    return ops
