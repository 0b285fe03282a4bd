"""Mutations that insert what the generator draws: checks that pass on the example, and operations on what is there."""

from __future__ import annotations

from collections.abc import Callable

from fuzz.draw.choices import NotDrawable, RandomChoices
from fuzz.draw.draft import Draft
from fuzz.draw.shape import Shape
from fuzz.draw.steps.integers import bits_check, range_check, relate
from fuzz.draw.steps.laws import INNER, OTHER, X, Y, laws_by_inner
from fuzz.edits.edit import Insert
from fuzz.edits.walk import visible
from fuzz.mutate.sketch import Sketch, units
from fuzz.mutate.subject import Subject
from optimizer.ir.floats import Float
from optimizer.ir.rows.ops import Type
from optimizer.ir.trace import Operation, Var

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
            if op.result in self.variables and op.op.is_pure and op.args and self._knows(op):
                self.computed.append(op)
                self.made[op.result.name] = op
        results = {op.result for op in self.computed if op.op in self.rows.tests}
        self.truths = [var for var in self.variables if var in results]
        self.numbers = [var for var in self.variables if var not in results] or self.variables

    def _knows(self, op: Operation) -> bool:
        return all(arg.name in self.values if isinstance(arg, Var) else hasattr(arg, "value") for arg in op.args)

    def named_next(self, type_: Type) -> Var:
        var = self._names.fresh(type_)
        self.unused[var.name] = var
        return var


def _inserted(subject: Subject, step: Callable[[Draft], None]) -> Sketch:
    """A step of the generator somewhere in the trace; what it leaves unused is shown behind it."""
    line = subject.choose([unit[0].line for unit in units(subject.trace.ops)])
    draft = _Continued(subject, line)
    step(draft)
    if not draft.ops:
        raise NotDrawable
    sketch = subject.sketch.on(Insert(line, tuple(draft.ops)))
    for var in list(draft.unused.values()):
        sketch = subject.shown(sketch, var)
    return sketch


def range_checked(subject: Subject) -> Sketch:
    """A comparison of a value with a constant close to it, and a guard that it is as on the example."""
    return _inserted(subject, lambda draft: range_check(draft, draft.variable()))


def bits_checked(subject: Subject) -> Sketch:
    """A mask of a value, and a guard on what it leaves or on a comparison with that."""
    return _inserted(subject, bits_check)


def compared(subject: Subject) -> Sketch:
    """A comparison of two values, and a guard that it is as on the example."""
    return _inserted(
        subject,
        lambda draft: draft.guard_on(
            draft.compute(draft.choices.pick(draft.rows.tests), (draft.variable(), draft.variable()))
        ),
    )


def related(subject: Subject) -> Sketch:
    """An operation on the result of another one and on one of its operands: any, or one that makes a law of the two."""
    return _inserted(subject, _completed if subject.chance(50) else relate)


def _completed(draft: Draft) -> None:
    """The outer operation of a law, on an inner one that is there."""
    link = draft.choices.pick(draft.computed)
    law = draft.choices.pick(laws_by_inner(draft.shape.word).get(link.op, ()))
    if OTHER in law.places or link.result is None:
        raise NotDrawable
    stands = {X: link.args[0], Y: link.args[-1], INNER: link.result}
    args = tuple(stands[place] for place in law.places)
    if draft.is_defined(law.outer, args):
        draft.compute(law.outer, args)
