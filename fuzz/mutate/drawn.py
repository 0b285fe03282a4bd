"""Mutations that insert what the generator draws: checks that pass on the example, and operations on what is there."""

from __future__ import annotations

from collections.abc import Callable

from fuzz.draw.choices import NotDrawable, RandomChoices
from fuzz.draw.draft import Draft
from fuzz.draw.shape import Shape
from fuzz.draw.steps.integers import bits_check, check_range, compare
from fuzz.draw.steps.laws import INNER, OTHER, X, Y, laws_by_inner
from fuzz.edits.edit import Insert
from fuzz.edits.walk import visible
from fuzz.mutate.sketch import Sketch, units
from fuzz.mutate.subject import Subject
from optimizer.ir.floats import Float
from optimizer.ir.rows.ops import Type
from optimizer.ir.trace import Operation, Value, Var

_MOST_HANDED = 3


class _Continued(Draft):
    """A draft of what may stand in front of a line of a trace: it begins with the numbers that are there."""

    fewest_inputs = 0

    def __init__(self, subject: Subject, line: int) -> None:
        shape = Shape(
            subject.sketch.word,
            inputs=0,
            failargs=_MOST_HANDED,
            dead_slots=0,
            exit_blocks=0,
            unknown_failargs=0,
            vocabulary=subject.vocabulary,
        )
        super().__init__(RandomChoices(subject.random), shape)
        self._names = subject.names
        for var in visible(subject.trace, line):
            match subject.values.get(var.name):
                case int(number) if var.type is Type.INT:
                    self.variables.append(var)
                    self.values[var.name] = number
                case Float() as number:
                    self.floats[var.name] = number
        if not self.variables:
            raise NotDrawable
        for op in subject.trace.ops:
            if op.line == line:
                break
            if op.result in self.variables and op.op.is_pure and op.args and all(map(self.knows, op.args)):
                self.computed.append(op)
                self.made[op.result.name] = op
        results = {op.result for op in self.computed if op.op in self.rows.tests}
        self.truths = [var for var in self.variables if var in results]
        self.numbers = [var for var in self.variables if var not in results] or self.variables

    def named_next(self, type_: Type) -> Var:
        var = self._names.fresh(type_)
        self.unused[var.name] = var
        return var


def _inserted(subject: Subject, step: Callable[[Draft], None], behind: Operation | None = None) -> Sketch:
    """A step of the generator somewhere in the trace, or behind an operation, most often next to it; what the step
    leaves unused is shown behind it."""
    ops = subject.trace.ops
    first = 0 if behind is None else ops.index(behind) + 1
    lines = [unit[0].line for unit in units(ops) if ops.index(unit[0]) >= first]
    line = lines[0] if behind is not None and subject.chance(70) else subject.choose(lines)
    draft = _Continued(subject, line)
    step(draft)
    sketch = subject.sketch.on(Insert(line, tuple(draft.ops)))
    for var in list(draft.unused.values()):
        sketch = subject.shown(sketch, var)
    return sketch


def range_checked(subject: Subject) -> Sketch:
    """A comparison of a value with a constant close to it, and a guard that it is as on the example."""
    return _inserted(subject, check_range)


def bits_checked(subject: Subject) -> Sketch:
    """A mask of a value, and a guard on what it leaves or on a comparison with that."""
    return _inserted(subject, bits_check)


def compared(subject: Subject) -> Sketch:
    """A comparison of two values, and a guard that it is as on the example."""
    return _inserted(subject, compare)


def related(subject: Subject) -> Sketch:
    """An operation on the result of another one and on one of its operands, or on a constant of its own: any, or one
    that makes a law of the two."""
    link = subject.operation(lambda op: op.op.is_pure and op.args and op.result is not None)
    assert link.result is not None
    partner: Value = subject.choose(link.args)
    if subject.chance(20):
        partner = subject.constant(subject.number(partner))
    args: tuple[Value, ...] = (link.result, partner) if subject.chance(60) else (partner, link.result)
    rows = subject.rows
    row = subject.choose([row for row in (*rows.pure, *rows.pure, *rows.overflow) if not row.constant_args])
    args = args[: len(row.args or ())]
    laws = laws_by_inner(subject.sketch.word).get(link.op, ()) if subject.chance(50) else ()
    if laws:
        law = subject.choose(laws)
        stands = {X: link.args[0], Y: link.args[-1], INNER: link.result}
        if OTHER not in law.places:
            row, args = law.outer, tuple(stands[place] for place in law.places)

    def compute(draft: Draft) -> None:
        if not all(map(draft.knows, args)) or not draft.is_defined(row, args):
            raise NotDrawable
        draft.compute(row, args)

    return _inserted(subject, compute, link)
