"""Random edits of a trace: most change what it does, and all leave it well-formed.

What an edit may do is read off the rows of the table: an operation goes, or its arguments, its row or its description
are others, two operations change places, a guard stands there twice, or hands over something else, or its exit block
does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from fuzz.edits.edit import Become, Cut, Edit, Insert, Move, Put, Remove, exit_with
from fuzz.edits.rows import alike
from fuzz.edits.walk import inner, is_well_formed, numbered, operands, results, visible
from optimizer.ir.floats import Float
from optimizer.ir.immutable import replace
from optimizer.ir.operands import constant_of
from optimizer.ir.run.objects import Datum
from optimizer.ir.trace import ConstFloat, ConstInt, Operation, Trace, Value, Var, exit_of

_TRIES = 50


def edit(trace: Trace, random: Random) -> Trace:
    """Another well-formed trace with the same inputs; the same trace where no edit worked out."""
    return _edited(trace, lambda trace: _any_edit(trace, random))


def edit_unseen(trace: Trace, values: Mapping[str, Datum], random: Random) -> Trace:
    """Another trace that does the same on one run, in which variables have those values and all guards pass: without
    one of its guards, with another exit of one, or with another constant or variable as an argument. The same trace
    where there is none."""
    return _edited(trace, lambda trace: _unseen_edit(trace, values, random))


def _edited(trace: Trace, draw: Callable[[Trace], Edit | None]) -> Trace:
    trace = numbered(trace)
    for _ in range(_TRIES):
        drawn = draw(trace)
        candidate = trace if drawn is None else drawn.on(trace)
        if candidate != trace and is_well_formed(candidate):
            return candidate
    return trace


def _any_edit(trace: Trace, random: Random) -> Edit | None:
    i = random.randrange(len(trace.ops))
    op = trace.ops[i]
    failargs = (op.exit.failargs or ()) if op.exit is not None else ()
    match random.randrange(10):
        case 0:
            return Remove(frozenset([op.line]))
        case 1 | 2 if op.args:
            place = random.randrange(len(op.args))
            return Put(op.line, place, op.args[place], _other(op.args[place], trace, random) or op.args[place])
        case 3:
            return Become(op.line, replace(op, op=random.choice([op.op, *alike(op.op, trace.word)])))
        case 4 if failargs:
            place = random.randrange(len(failargs))
            return Put(op.line, len(op.args) + place, failargs[place], _other(failargs[place], trace, random))
        case 5 if i + 2 < len(trace.ops):
            return Move(frozenset([op.line]), trace.ops[i + 2].line)
        case 6 if op.op.is_guard:
            return Insert(op.line, (op,))
        case 7 if failargs:
            return Cut(op.line, len(failargs) - 1, len(failargs))
        case 8 if op.descr is not None:
            descr = random.choice([one.descr for one in trace.ops if one.op is op.op])
            return Become(op.line, replace(op, descr=descr))
        case 9 if op.op.is_guard:
            return _exit_edit(trace, op, random)
    return None


def _unseen_edit(trace: Trace, values: Mapping[str, Datum], random: Random) -> Edit | None:
    uses = [(op, place) for op in trace.ops for place, arg in enumerate(op.args) if _value(arg, values) is not None]
    if trace.guards and random.random() < 0.6:
        guard = random.choice(trace.guards)
        return _exit_edit(trace, guard, random) if random.random() < 0.5 else Remove(frozenset([guard.line]))
    if not uses:
        return None
    op, place = random.choice(uses)
    wanted = _value(op.args[place], values)
    among: list[Value] = [var for var in visible(trace, op.line) if values.get(var.name) == wanted]
    if isinstance(wanted, int | Float):
        among.append(constant_of(wanted))
    return Put(op.line, place, op.args[place], random.choice(among or [op.args[place]]))


def _exit_edit(trace: Trace, guard: Operation, random: Random) -> Edit | None:
    """Another exit: an earlier value of its type stands for a failarg or for an argument in the exit block, two
    failargs change places, or an operation of the block goes."""
    failargs, block = list(exit_of(guard).failargs or ()), inner(guard)
    match random.randrange(4):
        case 0 if failargs:
            there = [*visible(trace, guard.line), *results(block)]
            return _earlier(guard, random.randrange(len(failargs)) + len(guard.args), there, random)
        case 1 if len(failargs) > 1:
            one, other = random.sample(range(len(failargs)), 2)
            failargs[one], failargs[other] = failargs[other], failargs[one]
            return Become(guard.line, exit_with(guard, tuple(failargs)))
        case 2 if block:
            return Remove(frozenset([random.choice(block).line]))
        case 3 if block:
            op = random.choice(block)
            if op.args:
                return _earlier(op, random.randrange(len(op.args)), visible(trace, op.line), random)
    return None


def _earlier(op: Operation, place: int, there: Sequence[Var], random: Random) -> Edit:
    """A variable of the same type in that place; any for a dead slot."""
    value = operands(op)[place]
    among = [var for var in there if value is None or var.type is value.type]
    return Put(op.line, place, value, random.choice(among) if among else value)


def _value(arg: Value, values: Mapping[str, Datum]) -> Datum | None:
    match arg:
        case Var(name=name):
            return values.get(name)
        case ConstInt(value) | ConstFloat(value):
            return value
        case _:
            return None


def _other(value: Value | None, trace: Trace, random: Random) -> Value | None:
    """Something to stand in the place of `value`, mostly of its type; None, which is a dead slot, now and then."""
    variables: list[Value] = [*trace.inputs, *results(trace.ops)]
    if isinstance(value, ConstInt) and random.random() < 0.5:
        return ConstInt(value.value + random.choice([-1, 1]))
    if isinstance(value, Var) and random.random() < 0.9:
        variables = [var for var in variables if var.type is value.type]
    if variables and random.random() < 0.7:
        return random.choice(variables)
    return ConstInt(random.randrange(-4, 5)) if random.random() < 0.9 else None
