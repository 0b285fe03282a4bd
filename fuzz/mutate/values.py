"""Mutations of values: operands, constants, what guards hand over, and the example's inputs."""

from __future__ import annotations

from functools import reduce

from fuzz.mutate.sketch import Sketch
from fuzz.mutate.subject import Subject, sites
from optimizer.ir.floats import Float
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import Type
from optimizer.ir.run.objects import Ref
from optimizer.ir.trace import ConstFloat, ConstInt, Var, exit_of


def other_operand(subject: Subject) -> Sketch | None:
    """Another value of the same type stands in an argument's place."""
    sketch = subject.sketch
    among = [
        (site, value)
        for site, _, value in sites(sketch)
        if not site.failarg and not site.is_constant(sketch) and value is not None
    ]
    chosen = subject.pick(among)
    if chosen is None:
        return None
    site, value = chosen
    if value.type is Type.INT and subject.chance(15):
        return site.replaced(sketch, subject.constant(subject.number(value)))
    if value.type is Type.FLOAT and subject.chance(15):
        return site.replaced(sketch, subject.float_constant(None))
    other = subject.variable(site.line, value.type)
    return None if other in (None, value) else site.replaced(sketch, other)


def other_constant(subject: Subject) -> Sketch | None:
    """Another constant stands in the place of one, or of all that are equal to it."""
    sketch = subject.sketch
    among = [(site, value) for site, _, value in sites(sketch) if isinstance(value, ConstInt | ConstFloat)]
    chosen = subject.pick(among)
    if chosen is None:
        return None
    site, value = chosen
    number = value.value
    constant = subject.float_constant(number) if isinstance(number, Float) else subject.constant(number)
    if constant == value:
        return None
    alike = [one for one, known in among if known == value] if subject.chance(40) else [site]
    return reduce(lambda changed, one: one.replaced(changed, constant), alike, sketch)


def other_failarg(subject: Subject) -> Sketch | None:
    """A guard hands over something else, one value more, one less, or nobody knows what."""
    sketch = subject.sketch
    index = subject.pick(subject.lines_with(lambda operation: operation.op.is_guard))
    if index is None:
        return None
    guard = sketch.lines[index].operation
    failargs = list(exit_of(guard).failargs or ())
    handed = subject.variable(index, subject.random.choice((Type.INT, Type.REF)))
    match subject.random.randrange(4):
        case 0 if failargs:
            del failargs[subject.random.randrange(len(failargs))]
        case 1 if failargs:
            failargs[subject.random.randrange(len(failargs))] = handed
        case _:
            if handed is None:
                return None
            failargs.append(handed)
    return sketch.with_operation(index, replace(guard, exit=replace(exit_of(guard), failargs=tuple(failargs))))


def other_input(subject: Subject) -> Sketch | None:
    """The example gives another value to an input, or two inputs are one object."""
    sketch, random = subject.sketch, subject.random
    if not sketch.data:
        return None
    index = random.randrange(len(sketch.data))
    data = list(sketch.data)
    known = data[index]
    if isinstance(known, Ref):
        data[index] = random.choice([datum for datum in sketch.data if isinstance(datum, Ref)])
    elif isinstance(known, Float):
        data[index] = subject.float_constant(known).value
    else:
        data[index] = subject.constant(known).value
    return None if data[index] == known else replace(sketch, data=tuple(data))


def one_for_another(subject: Subject) -> Sketch | None:
    """A variable that equals another on the example stands wherever the other one did behind it."""
    sketch = subject.sketch
    variables = [var for var in sketch.visible(len(sketch.lines)) if var.name in subject.values]
    chosen = subject.pick(variables)
    if chosen is None:
        return None
    equal = [
        var
        for var in variables
        if var != chosen and var.type is chosen.type and subject.values[var.name] == subject.values[chosen.name]
    ]
    other = subject.pick(equal)
    if other is None:
        return None
    later = max(_defined_at(sketch, chosen), _defined_at(sketch, other))
    changed = sketch
    for site, _, value in sites(sketch):
        if value == chosen and site.line > later:
            changed = site.replaced(changed, other)
    return None if changed is sketch else changed


def _defined_at(sketch: Sketch, var: Var) -> int:
    places = (index for index, line in enumerate(sketch.lines) if line.operation.result == var)
    return next(places, -1)
