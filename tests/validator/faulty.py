"""Makes wrong optimizations: small random changes to a trace that leave it well-formed."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from optimizer.ir.check import IllFormed, check
from optimizer.ir.ops import OPS, Kind
from optimizer.ir.trace import ConstInt, Exit, Operation, Trace, Value, Var, exit_of


def with_origins(trace: Trace) -> Trace:
    """The trace, each guard naming itself as its origin."""
    number = iter(range(len(trace.ops)))
    ops = tuple(
        replace(op, exit=replace(exit_of(op), origin=next(number))) if op.op.kind is Kind.GUARD else op
        for op in trace.ops
    )
    return replace(trace, ops=ops)


def change(trace: Trace, random: Random) -> Trace:
    """Another well-formed trace with the same inputs, or the same trace where no change worked out."""
    for _ in range(20):
        candidate = replace(trace, ops=tuple(_changed(list(trace.ops), trace, random)))
        try:
            check(candidate)
        except IllFormed:
            continue
        if candidate != trace:
            return candidate
    return trace


def _changed(ops: list[Operation], trace: Trace, random: Random) -> list[Operation]:
    i = random.randrange(len(ops))
    op = ops[i]
    match random.randrange(8):
        case 0:
            del ops[i]
        case 1 if op.args:
            ops[i] = replace(op, args=_with(op.args, random, _value(trace, random)))
        case 2 if op.op.is_pure:
            rows = [row for row in OPS.values() if row.is_pure and row.args == op.op.args and not row.constant_args]
            ops[i] = replace(op, op=random.choice(rows))
        case 3 if op.op.is_guard:
            rows = [row for row in OPS.values() if row.is_guard and row.modelled and row.args == op.op.args]
            ops[i] = replace(op, op=random.choice(rows))
        case 4 if op.exit is not None and op.exit.failargs:
            slot = random.choice([None, _value(trace, random)])
            failargs = list(op.exit.failargs)
            failargs[random.randrange(len(failargs))] = slot
            ops[i] = replace(op, exit=replace(op.exit, failargs=tuple(failargs)))
        case 5 if i + 2 < len(ops):
            ops[i], ops[i + 1] = ops[i + 1], ops[i]
        case 6 if op.op.is_guard:
            ops.insert(i, op)
        case 7 if op.exit is not None and op.exit.failargs is not None:
            ops[i] = replace(op, exit=Exit(op.exit.failargs[:-1], op.exit.origin, op.exit.block))
    return ops


def _with(args: tuple[Value, ...], random: Random, value: Value) -> tuple[Value, ...]:
    index = random.randrange(len(args))
    return (*args[:index], value, *args[index + 1 :])


def _value(trace: Trace, random: Random) -> Value:
    variables: list[Value] = [*trace.inputs, *(op.result for op in trace.ops if isinstance(op.result, Var))]
    if variables and random.random() < 0.7:
        return random.choice(variables)
    return ConstInt(random.randrange(-4, 5))
