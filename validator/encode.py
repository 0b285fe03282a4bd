"""From a trace to terms: what it computes, when each part of it is defined, and its ways out.

Both traces of a pair are encoded in one `Terms`, on the same inputs (matched by position) and the same world: the
result of the n-th event is one variable for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from optimizer.ir.faults import Unsupported
from optimizer.ir.ops import Kind, Type
from optimizer.ir.term import Term
from optimizer.ir.terms import Terms
from optimizer.ir.trace import ConstInt, Operation, Trace, Value, Var, all_operations, exit_of


@dataclass(frozen=True, slots=True)
class Definedness:
    """The operation of that number is defined where `condition` holds; so many guards and events stand before it."""

    op: int
    operation: Operation
    condition: Term
    guards: int
    events: int


@dataclass(frozen=True, slots=True)
class GuardEncoding:
    """A guard as a way out: it goes on where `passes` holds, and hands over `failargs` (None: not listed) elsewhere.

    `events` and `positions` count what stands before it. `block` says when its exit block is defined.
    """

    operation: Operation
    passes: Term
    failargs: tuple[Term | None, ...] | None
    block: tuple[Definedness, ...]
    events: int
    positions: int


@dataclass(frozen=True, slots=True)
class EventEncoding:
    operation: Operation
    args: tuple[Term, ...]
    guards: int


@dataclass(frozen=True, slots=True)
class Encoding:
    """A trace in terms: its definedness conditions in order, its guards, its events, and what its end hands over."""

    trace: Trace
    defined: tuple[Definedness, ...]
    guards: tuple[GuardEncoding, ...]
    events: tuple[EventEncoding, ...]
    end: tuple[Term, ...]


def input_name(position: int) -> str:
    return f"input{position}"


def event_name(number: int) -> str:
    return f"event{number}"


def encode(trace: Trace, terms: Terms) -> Encoding:
    """Encode `trace` over `terms`, whose width is the trace's word.

    Raises Unsupported for operations and values that have no encoding.
    """
    for operation in all_operations(trace):
        if not operation.op.modelled:
            raise Unsupported(operation.op.name, operation.line)
    encoder = _Encoder(terms)
    for position, var in enumerate(trace.inputs):
        if var.type is not Type.INT:
            raise Unsupported(f"input {var.name} ({var.type.value})", trace.header_line)
        encoder.values[var] = terms.var(input_name(position))
    for operation in trace.ops:
        encoder.step(operation)
    return Encoding(
        trace,
        tuple(encoder.defined),
        tuple(encoder.guards),
        tuple(encoder.events),
        encoder.args(trace.end),
    )


class _Encoder:
    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.values: dict[Var, Term] = {}
        self.flag: Term = terms.false
        self.defined: list[Definedness] = []
        self.guards: list[GuardEncoding] = []
        self.events: list[EventEncoding] = []
        self.positions = 0
        self.number = 0

    def args(self, operation: Operation) -> tuple[Term, ...]:
        return tuple(self.term(arg, operation.line) for arg in operation.args)

    def term(self, value: Value, line: int) -> Term:
        match value:
            case Var():
                return self.values[value]
            case ConstInt(number):
                return self.terms.const(number)
            case _:
                raise Unsupported(str(value), line)

    def step(self, operation: Operation) -> None:
        row = operation.op
        if row.kind is Kind.POSITION:
            self.positions += 1
            self.number += 1
            return
        args = self.args(operation)
        self.compute(operation, args, self.defined)
        if row.kind is Kind.GUARD:
            self.guard(operation, args)
        elif row.kind is Kind.EVENT:
            if operation.result is not None:
                self.values[operation.result] = self.terms.var(event_name(len(self.events)))
            self.events.append(EventEncoding(operation, args, len(self.guards)))

    def compute(self, operation: Operation, args: Sequence[Term], defined: list[Definedness]) -> None:
        """The operation's definedness, into `defined`, and its result and flag."""
        row, number = operation.op, self.number
        self.number += 1
        if row.defined is not None:
            condition = row.defined(self.terms, *args)
            if condition is not self.terms.true:
                place = Definedness(number, operation, condition, len(self.guards), len(self.events))
                defined.append(place)
        if row.meaning is not None:
            assert operation.result is not None
            self.values[operation.result] = row.meaning(self.terms, *args)
        if row.overflows is not None:
            self.flag = row.overflows(self.terms, *args)

    def guard(self, operation: Operation, args: Sequence[Term]) -> None:
        row, exit_ = operation.op, exit_of(operation)
        assert row.passes is not None
        passes = row.passes(self.terms, self.flag) if row.reads_flag else row.passes(self.terms, *args)
        block: list[Definedness] = []
        for inner in exit_.block:
            self.compute(inner, self.args(inner), block)
        failargs = exit_.failargs
        handed = (
            None
            if failargs is None
            else tuple(None if arg is None else self.term(arg, operation.line) for arg in failargs)
        )
        self.guards.append(GuardEncoding(operation, passes, handed, tuple(block), len(self.events), self.positions))
