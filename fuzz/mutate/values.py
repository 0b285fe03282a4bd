"""Mutations of values: operands, constants, what guards hand over, and the example's inputs."""

from __future__ import annotations

from fuzz.edits.edit import Become, Put, Substitute, exit_with
from fuzz.edits.walk import variables
from fuzz.mutate.sketch import Sketch
from fuzz.mutate.subject import Subject, places
from optimizer.ir.floats import Float
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import Type
from optimizer.ir.run.objects import Ref
from optimizer.ir.trace import ConstFloat, ConstInt, Value, Var, exit_of


def other_operand(subject: Subject) -> Sketch:
    """Another value of the same type stands in an argument's place."""
    fitting = [
        (put, put.old)
        for op, put in places(subject.trace)
        if put.place < len(op.args) and put.place not in op.op.constant_args and put.old is not None
    ]
    put, value = subject.choose(fitting)
    other: Value
    if value.type is Type.INT and subject.chance(15):
        other = subject.constant(subject.number(value))
    elif value.type is Type.FLOAT and subject.chance(15):
        other = subject.float_constant(None)
    else:
        other = subject.variable(put.line, value.type)
    return subject.sketch.on(replace(put, new=other))


def other_constant(subject: Subject) -> Sketch:
    """Another constant stands in the place of one, or of all that are equal to it."""
    put, value = subject.choose(
        [(put, put.old) for _, put in places(subject.trace) if isinstance(put.old, ConstInt | ConstFloat)]
    )
    number = value.value
    constant = subject.float_constant(number) if isinstance(number, Float) else subject.constant(number)
    return subject.sketch.on(Substitute({value: constant}) if subject.chance(40) else replace(put, new=constant))


def other_failarg(subject: Subject) -> Sketch:
    """A guard hands over something else, one value more, or one less."""
    guard = subject.operation(lambda op: op.op.is_guard)
    failargs = list(exit_of(guard).failargs or ())
    match subject.random.randrange(4):
        case 0 if failargs:
            del failargs[subject.random.randrange(len(failargs))]
        case 1 if failargs:
            failargs[subject.random.randrange(len(failargs))] = _handed(subject, guard.line)
        case _:
            failargs.append(_handed(subject, guard.line))
    return subject.sketch.on(Become(guard.line, exit_with(guard, tuple(failargs))))


def _handed(subject: Subject, line: int) -> Var:
    return subject.variable(line, subject.random.choice((Type.INT, Type.REF)))


def dead_slot(subject: Subject) -> Sketch:
    """A guard hands over a dead slot in the place of a value."""
    put = subject.choose(
        [put for op, put in places(subject.trace) if put.place >= len(op.args) and put.old is not None]
    )
    return subject.sketch.on(Put(put.line, put.place, put.old, None))


def other_input(subject: Subject) -> Sketch:
    """The example gives another value to an input, or two inputs are one object."""
    sketch, random = subject.sketch, subject.random
    index = subject.choose(range(len(sketch.data)))
    data = list(sketch.data)
    was = data[index]
    if isinstance(was, Ref):
        data[index] = random.choice([datum for datum in sketch.data if isinstance(datum, Ref)])
    elif isinstance(was, Float):
        data[index] = subject.float_constant(was).value
    else:
        data[index] = subject.constant(was).value
    return replace(sketch, data=tuple(data))


def one_for_another(subject: Subject) -> Sketch:
    """A variable that equals another on the example stands wherever the other one did behind it."""
    trace, values = subject.trace, subject.values
    chosen = subject.choose([var for var in variables(trace) if var.name in values])
    equal = [
        var
        for var in variables(trace)
        if var != chosen and var.type is chosen.type and values.get(var.name, None) == values[chosen.name]
    ]
    other = subject.choose(equal)
    defined = [op.line for op in trace.ops if op.result in (chosen, other)]
    return subject.sketch.on(Substitute({chosen: other}, defined[-1] if defined else 0))
