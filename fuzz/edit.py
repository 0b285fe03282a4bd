"""Random edits of a trace: most change what it does, and all leave it well-formed.

What an edit may do is read off the rows of the table: an operation goes, or its arguments, its row, its description or
what its guard hands over are others, two operations change places, or a guard stands there twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random

from optimizer.ir.check import IllFormed, check
from optimizer.ir.faults import InputError
from optimizer.ir.heap import Datum
from optimizer.ir.layout import layout_of
from optimizer.ir.ops import OPS, Op
from optimizer.ir.trace import ConstInt, Exit, Operation, Trace, Value, Var

_TRIES = 50


def edit(trace: Trace, random: Random) -> Trace:
    """Another well-formed trace with the same inputs; the same trace where no edit worked out."""
    for _ in range(_TRIES):
        candidate = replace(trace, ops=tuple(_edited(list(trace.ops), trace, random)))
        if candidate != trace and _is_well_formed(candidate):
            return candidate
    return trace


def edit_unseen(trace: Trace, values: Mapping[str, Datum], random: Random) -> Trace:
    """The trace with another argument somewhere that is no other on one run, in which variables have those values: a
    constant, or another variable. The same trace where there is none."""
    places = [
        (i, k) for i, op in enumerate(trace.ops) for k, arg in enumerate(op.args) if _value(arg, values) is not None
    ]
    if not places:
        return trace
    for _ in range(_TRIES):
        i, k = random.choice(places)
        op = trace.ops[i]
        wanted = _value(op.args[k], values)
        known = [op.result for op in trace.ops[:i] if op.result is not None]
        among: list[Value] = [var for var in (*trace.inputs, *known) if values.get(var.name) == wanted]
        if isinstance(wanted, int):
            among.append(ConstInt(wanted))
        args = (*op.args[:k], random.choice(among), *op.args[k + 1 :]) if among else op.args
        candidate = replace(trace, ops=(*trace.ops[:i], replace(op, args=args), *trace.ops[i + 1 :]))
        if candidate != trace and _is_well_formed(candidate):
            return candidate
    return trace


def _value(arg: Value, values: Mapping[str, Datum]) -> Datum | None:
    match arg:
        case Var(name=name):
            return values.get(name)
        case ConstInt(value):
            return value
        case _:
            return None


def _is_well_formed(trace: Trace) -> bool:
    try:
        check(trace)
        layout_of(trace)
    except (IllFormed, InputError):
        return False
    return True


def _edited(ops: list[Operation], trace: Trace, random: Random) -> list[Operation]:
    i = random.randrange(len(ops))
    op = ops[i]
    match random.randrange(9):
        case 0:
            del ops[i]
        case 1 | 2 if op.args:
            ops[i] = replace(op, args=_with_other_argument(op.args, trace, random))
        case 3:
            ops[i] = replace(op, op=random.choice(list(_alike(op.op))))
        case 4 if op.exit is not None and op.exit.failargs:
            failargs = list(op.exit.failargs)
            place = random.randrange(len(failargs))
            failargs[place] = _other(failargs[place], trace, random)
            ops[i] = replace(op, exit=replace(op.exit, failargs=tuple(failargs)))
        case 5 if i + 2 < len(ops):
            ops[i], ops[i + 1] = ops[i + 1], ops[i]
        case 6 if op.op.is_guard:
            ops.insert(i, op)
        case 7 if op.exit is not None and op.exit.failargs is not None:
            ops[i] = replace(op, exit=Exit(op.exit.failargs[:-1], op.exit.origin, op.exit.block))
        case 8 if op.descr is not None:
            ops[i] = replace(op, descr=random.choice([one.descr for one in ops if one.op is op.op]))
    return ops


def _alike(row: Op) -> Iterator[Op]:
    """The rows that take and give the same."""
    for other in OPS.values():
        same = (other.kind, other.args, other.result, other.constant_args) == (
            row.kind,
            row.args,
            row.result,
            row.constant_args,
        )
        if other is row or (same and other.has_meaning):
            yield other


def _with_other_argument(args: tuple[Value, ...], trace: Trace, random: Random) -> tuple[Value, ...]:
    place = random.randrange(len(args))
    other = _other(args[place], trace, random)
    return args if other is None else (*args[:place], other, *args[place + 1 :])


def _other(value: Value | None, trace: Trace, random: Random) -> Value | None:
    """Something to stand in the place of `value`, mostly of its type; None, which is a dead slot, now and then."""
    variables: list[Value] = [*trace.inputs, *(op.result for op in trace.ops if isinstance(op.result, Var))]
    if isinstance(value, ConstInt) and random.random() < 0.5:
        return ConstInt(value.value + random.choice([-1, 1]))
    if isinstance(value, Var) and random.random() < 0.9:
        variables = [var for var in variables if var.type is value.type]
    if variables and random.random() < 0.7:
        return random.choice(variables)
    return ConstInt(random.randrange(-4, 5)) if random.random() < 0.9 else None
