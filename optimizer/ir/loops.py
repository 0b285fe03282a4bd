"""Loops as straight parts: a recorded loop is one, a peeled loop is two, its preamble and its body.

    [i0, i1]                        the preamble: the first iteration
    i2 = int_mul(i1, i1)
    i3 = int_add(i0, i2)
    label(i3, i2, descr=Body)       what the body takes
    i4 = int_add(i3, i2)            the body: each further iteration
    jump(i4, i2, descr=Body)

Parts behind each other are one part: what one hands on, the next one takes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from optimizer.ir.check import has_front_label, inner_label
from optimizer.ir.immutable import immutable, replace
from optimizer.ir.rows.ops import OPS, Kind
from optimizer.ir.trace import Exit, Operation, RawText, Trace, Value, Var, exit_of


@immutable
class Part:
    """A straight piece of a loop, without its end. It takes values for `inputs`, and hands values on."""

    inputs: tuple[Var, ...]
    ops: tuple[Operation, ...]
    handed_on: tuple[Value, ...]

    @property
    def guards(self) -> list[Operation]:
        return [one for one in self.ops if one.op.is_guard]

    def with_origins(self, origin: Callable[[int, int | None], int | None]) -> Part:
        """The part with other origins: `origin` of the number of a guard and of what it names so far."""
        numbers = iter(range(len(self.ops)))
        return replace(self, ops=tuple([_named(one, origin, next(numbers)) if one.exit else one for one in self.ops]))

    def with_guards(self, kept: Sequence[bool]) -> Part:
        """The part with only those of its guards that are `kept`."""
        numbers = iter(kept)
        return replace(self, ops=tuple([one for one in self.ops if not one.op.is_guard or next(numbers)]))

    def needed(self) -> Part:
        """The part without loads and computations that nobody in it uses."""
        ops: list[Operation] = []
        used: set[Value | None] = set()
        for one in reversed(self.ops):
            is_asked = one.op.overflows is not None and ops and ops[-1].op.is_guard
            if one.op.kind in (Kind.LOAD, Kind.PURE) and one.result not in used and not is_asked:
                continue
            ops.append(one)
            used.update(one.args)
            if one.exit is not None:
                used.update(one.exit.failargs or ())
                used.update([arg for inner in one.exit.block for arg in inner.args])
        return replace(self, ops=tuple(reversed(ops)))


def _named(guard: Operation, origin: Callable[[int, int | None], int | None], number: int) -> Operation:
    exit_ = exit_of(guard)
    return replace(guard, exit=replace(exit_, origin=origin(number, exit_.origin)))


@immutable
class Peeled:
    """A peeled loop: the preamble hands on the arguments of the label, and the body takes them."""

    preamble: Part
    body: Part


def goes_back(trace: Trace) -> bool:
    """Does the trace jump to its own start, with a value for each input?"""
    start = trace.ops[0].descr if has_front_label(trace) else None
    same_types = [value.type for value in trace.end.args] == [var.type for var in trace.inputs]
    return trace.end.op.jumps and trace.end.descr in (None, start) and same_types


def part_of(trace: Trace) -> Part:
    """The part that a straight trace is; it hands on the arguments of its end."""
    return Part(trace.inputs, trace.ops[has_front_label(trace) : -1], trace.end.args)


def taken_apart(trace: Trace, label: int) -> Peeled:
    """The parts of a trace with an inner label at that place."""
    args = trace.ops[label].args
    taken = tuple([arg for arg in args if isinstance(arg, Var)])  # all of them, where it is well-formed
    preamble = Part(trace.inputs, trace.ops[has_front_label(trace) : label], args)
    return Peeled(preamble, Part(taken, trace.ops[label + 1 : -1], trace.end.args))


def in_a_row(parts: Sequence[Part]) -> Part:
    """The parts behind each other. What has a name that is taken already gets another one."""
    row = _Row(parts[0].inputs)
    for number, part in enumerate(parts):
        row.add(part, number)
    return Part(parts[0].inputs, tuple(row.ops), row.handed_on)


def named_anew(part: Part) -> Part:
    """The part with other names for all that it computes."""
    row = _Row((*part.inputs, *[one.result for one in part.ops if one.result]))
    row.handed_on = part.inputs
    row.add(part, 1)
    return Part(part.inputs, tuple(row.ops), row.handed_on)


def iterated(trace: Trace, count: int) -> Trace:
    """The straight trace that so many iterations of a loop are, each with a mark in front."""
    label = inner_label(trace)
    first = again = part_of(trace)
    if label is not None:
        loop = taken_apart(trace, label)
        first, again = loop.preamble, loop.body
    parts = [first, *[again] * (count - 1)]
    row = in_a_row([marked(part, f"iteration {number}") for number, part in enumerate(parts, start=1)])
    return trace.of((*row.ops, trace.end.on(row.handed_on)))


def marked(part: Part, text: str) -> Part:
    """The part with a position in front that says so."""
    return replace(part, ops=(Operation(OPS["debug_merge_point"], (RawText(repr(text)),)), *part.ops))


class _Row:
    """Parts behind each other, as far as they have been added."""

    def __init__(self, inputs: tuple[Var, ...]) -> None:
        self.ops: list[Operation] = []
        self.handed_on: tuple[Value, ...] = inputs
        self._names = {var.name for var in inputs}
        self._number = 0
        self._values: dict[Value, Value] = {}  # of the variables of the part that is being added

    def add(self, part: Part, number: int) -> None:
        self._number = number
        self._values = dict(zip(part.inputs, self.handed_on, strict=True))
        self.ops += [self._operation(one) for one in part.ops]
        self.handed_on = self._all(part.handed_on)

    def _all(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple([self._values.get(value, value) for value in values])

    def _operation(self, operation: Operation) -> Operation:
        args = self._all(operation.args)
        exit_ = operation.exit and self._exit(operation.exit)
        result = operation.result and self._define(operation.result)
        return Operation(operation.op, args, result, exit_, operation.descr, operation.line)

    def _exit(self, exit_: Exit) -> Exit:
        block = tuple([self._operation(one) for one in exit_.block])
        failargs = exit_.failargs
        if failargs is not None:
            failargs = tuple([None if value is None else self._values.get(value, value) for value in failargs])
        return Exit(failargs, exit_.origin, block)

    def _define(self, var: Var) -> Var:
        name = var.name
        while name in self._names:
            name = f"{name}.{self._number}"
        self._names.add(name)
        self._values[var] = given = Var(name, var.type)
        return given
