"""The edits of a trace, as values: one does the same to whatever has become of the trace since it was made.

An edit names operations by their lines. On a trace that has nothing of what it names it changes nothing; whether
what it gives is well-formed is for others to ask.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping

from fuzz.edits.walk import each, inner, numbered, operands, with_block, with_operands, with_values
from optimizer.ir.immutable import immutable, replace
from optimizer.ir.rows.ops import OPS, Kind, Op, Type
from optimizer.ir.trace import Operation, Trace, Value, all_operations, exit_of
from optimizer.ir.types.declared import Declarations


class Edit(ABC):
    """A change to a trace."""

    @abstractmethod
    def on(self, trace: Trace) -> Trace:
        """The trace with the change made."""


# Operations that do or take something else.


@immutable
class EditOfOne(Edit):
    """A change to the operation on a line, in exit blocks too."""

    line: int

    @abstractmethod
    def changed(self, op: Operation) -> Operation:
        """The operation with the change made."""

    def on(self, trace: Trace) -> Trace:
        return each(trace, lambda op: self.changed(op) if op.line == self.line else op)


@immutable
class Put(EditOfOne):
    """Another value in the place of an operand, where `old` stands there; None is a dead slot."""

    place: int
    old: Value | None
    new: Value | None

    def changed(self, op: Operation) -> Operation:
        values = operands(op)
        if self.place >= len(values) or values[self.place] != self.old:
            return op
        return with_operands(op, (*values[: self.place], self.new, *values[self.place + 1 :]))


@immutable
class Substitute(Edit):
    """Other values for these, wherever they are used behind a line."""

    values: Mapping[Value, Value]
    behind: int = 0

    def on(self, trace: Trace) -> Trace:
        place = next((place for place, op in enumerate(trace.ops, start=1) if op.line == self.behind), 0)
        return trace.of((*trace.ops[:place], *(with_values(op, self.values) for op in trace.ops[place:])))


@immutable
class PutRow(EditOfOne):
    """Another row for an operation, where it has the `old` one. What the row does not take or give goes."""

    old: Op
    new: Op

    def changed(self, op: Operation) -> Operation:
        if op.op is not self.old:
            return op
        takes_descr = self.new.memory is not None and self.new.memory.descr is not None
        result = None if self.new.result is Type.VOID else op.result
        return replace(op, op=self.new, result=result, descr=op.descr if takes_descr else None)


@immutable
class Become(EditOfOne):
    """Another operation in the place of one; it keeps the line."""

    operation: Operation

    def changed(self, op: Operation) -> Operation:
        return replace(self.operation, line=op.line)


@immutable
class Cut(EditOfOne):
    """Fewer values: without a range of what a guard hands over, or of what another operation is given."""

    first: int
    last: int

    def changed(self, op: Operation) -> Operation:
        start = len(op.args) if op.exit is not None else 0
        values = operands(op)
        left = (*values[: start + self.first], *values[start + self.last :])
        if op.exit is None:
            return replace(op, args=tuple(value for value in left if value is not None))
        return replace(op, exit=replace(op.exit, failargs=left[start:]))


@immutable
class Bare(Edit):
    """Guards without exit blocks; with `all_of_it` they hand over nothing. `line` is that of one, None of all."""

    line: int | None
    all_of_it: bool

    def on(self, trace: Trace) -> Trace:
        def changed(op: Operation) -> Operation:
            if op.exit is None or self.line not in (None, op.line):
                return op
            failargs = () if self.all_of_it else op.exit.failargs
            return replace(op, exit=replace(op.exit, failargs=failargs, block=()))

        return each(trace, changed)


# Operations that come, go or stand elsewhere.


@immutable
class Remove(Edit):
    """The edit that leaves out these operations; whatever uses their results is still there. An end stays.

    What tells of overflow goes with the guard that reads it, the guard alone leaves the operation that wraps.
    """

    lines: frozenset[int]

    def on(self, trace: Trace) -> Trace:
        gone = with_flag_guards(trace, self.lines)
        wraps = {telling.line for telling, guard in flag_pairs(trace) if guard.line in gone}
        ops = []
        for op in trace.ops:
            if op.line in gone:
                continue
            if op.line in wraps and op.op.wrapping is not None:
                op = replace(op, op=OPS[op.op.wrapping])  # it computes the same, and does not tell of overflow
            left = [one for one in inner(op) if one.line not in gone]
            ops.append(with_block(op, left) if len(left) < len(inner(op)) else op)
        return trace.of(ops)


@immutable
class Insert(Edit):
    """Operations in front of one, on lines of their own."""

    line: int
    operations: tuple[Operation, ...]

    def on(self, trace: Trace) -> Trace:
        above = max(op.line for op in all_operations(trace))
        added = numbered(trace.of(self.operations), above).ops
        return trace.of(one for op in trace.ops for one in ((*added, op) if op.line == self.line else (op,)))


@immutable
class Move(Edit):
    """Operations that stand together, in front of another one."""

    lines: frozenset[int]
    before: int

    def on(self, trace: Trace) -> Trace:
        moved = [op for op in trace.ops if op.line in self.lines]
        rest = [op for op in trace.ops if op.line not in self.lines]
        return trace.of(one for op in rest for one in ((*moved, op) if op.line == self.before else (op,)))


@immutable
class Declare(Edit):
    """Other declarations, where these `old` ones are."""

    old: Declarations
    new: Declarations

    def on(self, trace: Trace) -> Trace:
        return replace(trace, declarations=self.new) if trace.declarations == self.old else trace


# Overflow: an operation that tells of it, and the guard that reads it.


def flag_pairs(trace: Trace) -> Iterator[tuple[Operation, Operation]]:
    """Operations that tell of overflow, each with the guard that reads it."""
    telling: Operation | None = None
    for op in trace.ops:
        if op.op.overflows is not None:
            telling = op
        elif op.op.reads_flag and telling is not None:
            yield telling, op
            telling = None


def with_flag_guards(trace: Trace, lines: frozenset[int]) -> frozenset[int]:
    """The lines among these that can go, with those of guards that read the overflow of what goes."""
    going = {op.line for op in all_operations(trace) if op.line in lines and op.op.kind is not Kind.END}
    return frozenset(going | {guard.line for telling, guard in flag_pairs(trace) if telling.line in going})


def exit_with(guard: Operation, failargs: tuple[Value | None, ...] | None) -> Operation:
    """The guard that hands over other values."""
    return replace(guard, exit=replace(exit_of(guard), failargs=failargs))
