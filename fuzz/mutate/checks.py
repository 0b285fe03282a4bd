"""Mutations that insert: checks that pass on the example, and operations that go with what is there."""

from __future__ import annotations

from fuzz.draw.choices import NotDrawable
from fuzz.draw.steps.laws import INNER, OTHER, X, Y, laws_by_inner
from fuzz.mutate.sketch import Sketch
from fuzz.mutate.subject import Subject
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.rows.ops import Op, Type
from optimizer.ir.trace import ConstInt, Exit, Operation, Value, Var

_MOST_HANDED = 3


def range_checked(subject: Subject) -> Sketch | None:
    """A comparison of a value with a constant close to it, and a guard that it is as on the example."""
    found = _place_and_variable(subject)
    if found is None:
        return None
    index, var, number = found
    limit = ConstInt(concrete(subject.sketch.word).const(number + subject.random.randint(-3, 3)))
    args = (limit, var) if subject.chance(20) else (var, limit)
    return _tested(subject, index, subject.choose(subject.rows.tests), args)


def bits_checked(subject: Subject) -> Sketch | None:
    """A mask of a value, and a guard on what it leaves or on a comparison with that."""
    found = _place_and_variable(subject)
    if found is None:
        return None
    index, var, _ = found
    mask, row = subject.constant(None), subject.choose(subject.rows.masks)
    left, masked = _computed(subject, row, (var, mask))
    if left is None:
        return None
    operation = Operation(row, (var, mask), masked)
    if subject.chance(50):
        return subject.sketch.with_inserted(index, operation, _guard(subject, index, masked, left))
    test = subject.choose(subject.rows.tests)
    outcome, result = _computed(subject, test, (ConstInt(left), ConstInt(left)))
    assert outcome is not None
    compared = Operation(test, (masked, ConstInt(left)), result)
    return subject.sketch.with_inserted(index, operation, compared, _guard(subject, index, result, outcome))


def compared(subject: Subject) -> Sketch | None:
    """A comparison of two values, and a guard that it is as on the example."""
    found = _place_and_variable(subject)
    if found is None:
        return None
    index, var, _ = found
    other = subject.variable(index, Type.INT)
    assert other is not None
    return _tested(subject, index, subject.choose(subject.rows.tests), (var, other))


def related(subject: Subject) -> Sketch | None:
    """An operation on the result of another one and on one of its operands, or on a constant of its own: any, or one
    that makes a law of the two."""
    sketch = subject.sketch
    links = subject.lines_with(lambda op: op.op.is_pure and op.args and op.result is not None)
    link = subject.pick(links)
    if link is None:
        return None
    operation = sketch.lines[link].operation
    assert operation.result is not None
    partner: Value = subject.choose(operation.args)
    if subject.chance(20):
        partner = subject.constant(subject.number(partner))
    args = (operation.result, partner) if subject.chance(60) else (partner, operation.result)
    if subject.chance(50):
        law = subject.pick(laws_by_inner(sketch.word).get(operation.op, ()))
        if law is not None and OTHER not in law.places:
            stands = {X: operation.args[0], Y: operation.args[-1], INNER: operation.result}
            return _inserted_behind(subject, link, law.outer, tuple(stands[place] for place in law.places))
    groups = subject.rows
    among = [row for row in (*groups.pure, *groups.pure, *groups.overflow) if not row.constant_args]
    row = subject.choose(among)
    return _inserted_behind(subject, link, row, args[: len(row.args or ())])


def _inserted_behind(subject: Subject, link: int, row: Op, args: tuple[Value, ...]) -> Sketch | None:
    sketch = subject.sketch
    value, result = _computed(subject, row, args)
    if value is None:
        return None
    index = link + 1
    while sketch.lines[index].operation.op.reads_flag or sketch.lines[index - 1].operation.op.overflows is not None:
        index += 1
    if subject.chance(30):
        index = subject.choose([at for at in _outside_units(sketch) if at >= index])
    operations = [Operation(row, args, result)]
    if row.overflows is not None:
        operations.append(Operation(subject.flag_guard, (), None, _exit(subject, index)))
    return subject.shown(sketch.with_inserted(index, *operations), result)


def _outside_units(sketch: Sketch) -> list[int]:
    """The lines in front of which something can be inserted: not between an overflow operation and its guard."""
    found, inside = [], False
    for index, line in enumerate(sketch.lines):
        if not inside:
            found.append(index)
        row = line.operation.op
        inside = row.overflows is not None or (inside and not row.reads_flag)
    return found


def _place_and_variable(subject: Subject) -> tuple[int, Var, int] | None:
    """Somewhere in the trace, an integer that is known there, and its value on the example."""
    index = subject.choose(_outside_units(subject.sketch))
    var = subject.variable(index, Type.INT)
    number = None if var is None else subject.number(var)
    return None if var is None or number is None else (index, var, number)


def _computed(subject: Subject, row: Op, args: tuple[Value, ...]) -> tuple[int | None, Var]:
    """What the row computes on the example, None where it is not defined; and a new variable for it."""
    result = subject.names.fresh(Type.INT)
    numbers, d = [subject.number(arg) for arg in args], concrete(subject.sketch.word)
    assert row.meaning is not None
    if None in numbers or (row.defined is not None and not row.defined(d, *numbers)):
        return None, result
    return row.meaning(d, *numbers), result


def _tested(subject: Subject, index: int, row: Op, args: tuple[Value, ...]) -> Sketch | None:
    outcome, result = _computed(subject, row, args)
    if outcome is None:
        return None
    return subject.sketch.with_inserted(index, Operation(row, args, result), _guard(subject, index, result, outcome))


def _guard(subject: Subject, index: int, var: Var, number: int) -> Operation:
    """A guard that passes where the variable has that value."""
    d = concrete(subject.sketch.word)
    fitting = []
    for row in subject.rows.guards:
        args: tuple[Value, ...] = (var, ConstInt(number))[: len(row.args or ())]
        known = (number, number)[: len(args)]
        assert row.passes is not None
        if (row.defined is None or row.defined(d, *known)) and row.passes(d, *known):
            fitting.append((row, args))
    if not fitting:
        raise NotDrawable
    row, args = fitting[0] if subject.chance(80) else subject.choose(fitting)
    return Operation(row, args, None, _exit(subject, index))


def _exit(subject: Subject, index: int) -> Exit:
    visible = subject.sketch.visible(index)
    count = min(subject.random.randint(0, _MOST_HANDED), len(visible))
    return Exit(tuple(subject.random.sample(visible, count)))
