"""Runs traces on concrete values: the word that decides what a counterexample is.

The world outside a trace is a *script*: what each event returns, and at which event the world does not come back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from optimizer.ir.concrete import concrete
from optimizer.ir.faults import Unsupported
from optimizer.ir.ops import Kind, Meaning, Type
from optimizer.ir.trace import ConstInt, Exit, Operation, Trace, Value, Var, exit_of


@dataclass(frozen=True, slots=True)
class World:
    """The result of the n-th event (0 where the script is too short); the number of the event that does not return."""

    results: tuple[int, ...] = ()
    stops_at: int | None = None


@dataclass(frozen=True, slots=True)
class EventSeen:
    name: str
    args: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    args: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Jumped:
    args: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GuardFailed:
    """The run left at the guard of that number. `failargs` are None where the trace does not list them."""

    guard: int
    failargs: tuple[int | None, ...] | None


@dataclass(frozen=True, slots=True)
class Stopped:
    """The event of that number did not return."""

    event: int


@dataclass(frozen=True, slots=True)
class Undefined:
    """The operation of that number (in the order of the text, those of exit blocks counted) had no meaning."""

    op: int
    reason: str


Outcome = Finished | Jumped | GuardFailed | Stopped | Undefined


@dataclass(frozen=True, slots=True)
class Run:
    """How a run ended, the events that it did, and the value of each variable that it computed."""

    outcome: Outcome
    events: tuple[EventSeen, ...]
    values: dict[str, int] = field(compare=False)


def run(trace: Trace, inputs: Sequence[int], world: World | None = None) -> Run:
    """Run `trace` on as many signed integers as it has inputs.

    Raises Unsupported for an operation or constant that has no meaning here.
    """
    return Program(trace).run(inputs, world)


@dataclass(frozen=True, slots=True)
class _Step:
    number: int
    operation: Operation
    args: tuple[int, ...]
    result: int
    meaning: Meaning | None
    defined: Meaning | None
    guard: _Guard | None


@dataclass(frozen=True, slots=True)
class _Guard:
    number: int
    block: tuple[_Step, ...]
    failargs: tuple[int | None, ...] | None


class Program:
    """A trace made ready to be run many times: variables and constants are slots of a list."""

    def __init__(self, trace: Trace) -> None:
        self._domain = concrete(trace.word)
        self._inputs = len(trace.inputs)
        self._slot_of: dict[Var, int] = {}
        self._constant_slots: dict[int, int] = {}
        self._template: list[Any] = []
        self._names: list[str | None] = []
        self._count = 0
        self._guards = 0
        for var in trace.inputs:
            if var.type is not Type.INT:
                raise Unsupported(f"input {var.name} ({var.type.value})", trace.header_line)
            self._define(var)
        self._steps = tuple(self._compile(op) for op in trace.ops)

    def _define(self, var: Var) -> int:
        self._slot_of[var] = len(self._template)
        self._template.append(None)
        self._names.append(var.name)
        return self._slot_of[var]

    def _slot(self, value: Value, line: int) -> int:
        match value:
            case Var():
                return self._slot_of[value]
            case ConstInt(number):
                if number not in self._constant_slots:
                    self._constant_slots[number] = len(self._template)
                    self._template.append(number)
                    self._names.append(None)
                return self._constant_slots[number]
            case _:
                raise Unsupported(str(value), line)

    def _compile(self, operation: Operation) -> _Step:
        row, line = operation.op, operation.line
        if not row.modelled:
            raise Unsupported(row.name, line)
        number, self._count = self._count, self._count + 1
        args = () if row.raw else tuple(self._slot(arg, line) for arg in operation.args)
        result = -1 if operation.result is None else self._define(operation.result)
        guard = self._compile_exit(exit_of(operation), line) if row.kind is Kind.GUARD else None
        return _Step(number, operation, args, result, row.meaning, row.defined, guard)

    def _compile_exit(self, exit_: Exit, line: int) -> _Guard:
        number, self._guards = self._guards, self._guards + 1
        block = tuple(self._compile(op) for op in exit_.block)
        failargs = exit_.failargs
        slots = None
        if failargs is not None:
            slots = tuple(None if arg is None else self._slot(arg, line) for arg in failargs)
        return _Guard(number, block, slots)

    def run(self, inputs: Sequence[int], world: World | None = None, *, leave_at: int | None = None) -> Run:
        """Run on `inputs`. With `leave_at`, the guard of that number fails whatever its condition: what the trace would
        hand over there."""
        if len(inputs) != self._inputs:
            raise ValueError(f"the trace has {self._inputs} inputs, got {len(inputs)} values")
        slots = self._template.copy()
        slots[: self._inputs] = inputs
        events: list[EventSeen] = []
        outcome = self._execute(slots, events, world or World(), leave_at)
        values = {name: v for name, v in zip(self._names, slots, strict=True) if name and v is not None}
        return Run(outcome, tuple(events), values)

    def _execute(self, slots: list[Any], events: list[EventSeen], world: World, leave_at: int | None) -> Outcome:
        domain, flag = self._domain, False
        for step in self._steps:
            row = step.operation.op
            args = [slots[i] for i in step.args]
            if step.defined is not None and not step.defined(domain, *args):
                return Undefined(step.number, row.undefined_when)
            if step.meaning is not None:
                slots[step.result] = step.meaning(domain, *args)
                if row.overflows is not None:
                    flag = row.overflows(domain, *args)
            elif step.guard is not None:
                assert row.passes is not None
                passes = row.passes(domain, flag) if row.reads_flag else row.passes(domain, *args)
                if not passes or step.guard.number == leave_at:
                    return self._leave(slots, step.guard)
            elif row.kind is Kind.EVENT:
                number = len(events)
                events.append(EventSeen(row.name, tuple(args)))
                if world.stops_at == number:
                    return Stopped(number)
                if step.result >= 0:
                    slots[step.result] = world.results[number] if number < len(world.results) else 0
            elif row.kind is Kind.END:
                return Jumped(tuple(args)) if row.jumps else Finished(tuple(args))
        raise AssertionError("a trace ends with a jump or finish")

    def _leave(self, slots: list[Any], guard: _Guard) -> Outcome:
        for step in guard.block:
            args = [slots[i] for i in step.args]
            if step.defined is not None and not step.defined(self._domain, *args):
                return Undefined(step.number, step.operation.op.undefined_when)
            assert step.meaning is not None
            slots[step.result] = step.meaning(self._domain, *args)
        if guard.failargs is None:
            return GuardFailed(guard.number, None)
        return GuardFailed(guard.number, tuple(None if i is None else slots[i] for i in guard.failargs))
