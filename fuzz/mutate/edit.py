"""Random edits of a trace: most change what it does, and all leave it well-formed.

What an edit may do is read off the rows of the table: an operation goes, or its arguments, its row or its description
are others, two operations change places, a guard stands there twice, or hands over something else, or its exit block
does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from optimizer.ir.check import IllFormed, check
from optimizer.ir.faults import InputError
from optimizer.ir.floats import Float
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import OPS, Op
from optimizer.ir.run.objects import Datum
from optimizer.ir.trace import ConstFloat, ConstInt, Exit, Operation, Trace, Value, Var, constant_of, exit_of
from optimizer.ir.types.trace_layout import layout_of

_TRIES = 50


def edit(trace: Trace, random: Random) -> Trace:
    """Another well-formed trace with the same inputs; the same trace where no edit worked out."""
    for _ in range(_TRIES):
        candidate = replace(trace, ops=tuple(_edited(list(trace.ops), trace, random)))
        if candidate != trace and is_well_formed(candidate):
            return candidate
    return trace


def edit_unseen(trace: Trace, values: Mapping[str, Datum], random: Random) -> Trace:
    """Another trace that does the same on one run, in which variables have those values and all guards pass: without
    one of its guards, with another exit of one, or with another constant or variable as an argument. The same trace
    where there is none."""
    guards = [i for i, op in enumerate(trace.ops) if op.op.is_guard]
    uses = [(i, k) for i, op in enumerate(trace.ops) for k in range(len(op.args))]
    uses = [(i, k) for i, k in uses if _value(trace.ops[i].args[k], values) is not None]
    for _ in range(_TRIES):
        if guards and random.random() < 0.6:
            i = random.choice(guards)
            kept = [_with_other_exit(trace, i, random)] if random.random() < 0.5 else []
            ops = (*trace.ops[:i], *kept, *trace.ops[i + 1 :])
        elif uses:
            i, k = random.choice(uses)
            ops = (*trace.ops[:i], _with_equal(trace, i, k, values, random), *trace.ops[i + 1 :])
        else:
            continue
        candidate = replace(trace, ops=ops)
        if candidate != trace and is_well_formed(candidate):
            return candidate
    return trace


def _with_equal(trace: Trace, i: int, k: int, values: Mapping[str, Datum], random: Random) -> Operation:
    """The operation i with something else as its argument k that has the same value."""
    op = trace.ops[i]
    wanted = _value(op.args[k], values)
    among: list[Value] = [var for var in _ahead(trace, i) if values.get(var.name) == wanted]
    if isinstance(wanted, int | Float):
        among.append(constant_of(wanted))
    return replace(op, args=(*op.args[:k], random.choice(among or [op.args[k]]), *op.args[k + 1 :]))


def _with_other_exit(trace: Trace, i: int, random: Random) -> Operation:
    """The guard i with another exit: an earlier value of its type stands for a failarg or for an argument in the exit
    block, two failargs change places, or an operation of the block goes."""
    guard, ahead = trace.ops[i], _ahead(trace, i)
    exit = exit_of(guard)
    failargs, block = list(exit.failargs or ()), list(exit.block)
    match random.randrange(4):
        case 0 if failargs:
            ahead += [one.result for one in block if one.result is not None]
            place = random.randrange(len(failargs))
            failargs[place] = _earlier(failargs[place], ahead, random)
        case 1 if len(failargs) > 1:
            one, other = random.sample(range(len(failargs)), 2)
            failargs[one], failargs[other] = failargs[other], failargs[one]
        case 2 if block:
            del block[random.randrange(len(block))]
        case 3 if block:
            inner = random.randrange(len(block))
            ahead += [one.result for one in block[:inner] if one.result is not None]
            args = list(block[inner].args)
            if args:
                place = random.randrange(len(args))
                args[place] = _earlier(args[place], ahead, random) or args[place]
                block[inner] = replace(block[inner], args=tuple(args))
    told = None if exit.failargs is None else tuple(failargs)
    return replace(guard, exit=replace(exit, failargs=told, block=tuple(block)))


def _ahead(trace: Trace, i: int) -> list[Var]:
    """The variables that are there when the operation i begins."""
    return [*trace.inputs, *(one.result for one in trace.ops[:i] if one.result is not None)]


def _earlier(value: Value | None, ahead: Sequence[Var], random: Random) -> Value | None:
    """One of the variables, of the type of the value; any for a dead slot."""
    among = [var for var in ahead if value is None or var.type is value.type]
    return random.choice(among) if among else value


def _value(arg: Value, values: Mapping[str, Datum]) -> Datum | None:
    match arg:
        case Var(name=name):
            return values.get(name)
        case ConstInt(value) | ConstFloat(value):
            return value
        case _:
            return None


def is_well_formed(trace: Trace) -> bool:
    """Is it a trace, whose descrs mean one thing each?"""
    try:
        check(trace)
        layout_of(trace)
    except (IllFormed, InputError):
        return False
    return True


def _edited(ops: list[Operation], trace: Trace, random: Random) -> list[Operation]:
    i = random.randrange(len(ops))
    op = ops[i]
    match random.randrange(10):
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
        case 9 if op.op.is_guard:
            ops[i] = _with_other_exit(trace, i, random)
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
