"""Runs traces on concrete values: the word that decides what a counterexample is.

The world outside a trace is a *script* (see `optimizer.ir.run.runs`); `optimizer.ir.run.environment` plays it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from optimizer.ir.addresses import address_of
from optimizer.ir.check import check_supported, inner_label
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.faults import Unsupported
from optimizer.ir.immutable import immutable
from optimizer.ir.loops import goes_back
from optimizer.ir.rows.ops import Kind, Meaning, Memory
from optimizer.ir.run.caller import Caller
from optimizer.ir.run.environment import Environment
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.object_heap import TooLong
from optimizer.ir.run.objects import NULL, Datum, type_of
from optimizer.ir.run.runs import TOO_LONG as TOO_LONG
from optimizer.ir.run.runs import Ended
from optimizer.ir.run.runs import EventSeen as EventSeen
from optimizer.ir.run.runs import Finished as Finished
from optimizer.ir.run.runs import GuardFailed as GuardFailed
from optimizer.ir.run.runs import Jumped as Jumped
from optimizer.ir.run.runs import Outcome as Outcome
from optimizer.ir.run.runs import Run as Run
from optimizer.ir.run.runs import Stopped as Stopped
from optimizer.ir.run.runs import Undefined as Undefined
from optimizer.ir.run.runs import World as World
from optimizer.ir.run.used_as import UsedAs
from optimizer.ir.trace import (
    ConstClass,
    ConstFloat,
    ConstInt,
    ConstRef,
    Exit,
    Operation,
    Trace,
    Value,
    Var,
    all_operations,
    exit_of,
)
from optimizer.ir.types.call_questions import constants_of
from optimizer.ir.types.calls import CallSite, call_of
from optimizer.ir.types.known_calls import meant
from optimizer.ir.types.layout import Layout, Resolved, uses_raw
from optimizer.ir.types.memory_cells import takes_object
from optimizer.ir.types.trace_layout import layout_of


def run(trace: Trace, inputs: Sequence[Datum], world: World | None = None, heap: Heap | None = None) -> Run:
    """Run `trace` on as many values as it has inputs: signed integers, floats, and references into `heap`.

    Raises Unsupported for an operation or constant that has no meaning here, and for the bytes of NaN.
    """
    return Program(trace).run(inputs, world, heap=heap)


@immutable
class _Step:
    """An operation made ready; `plain` ones have nothing but a meaning without a heap, which is the common case, and
    `bare` ones, such as guards of a condition, compute nothing."""

    number: int
    operation: Operation
    args: tuple[int, ...]
    result: int
    meaning: Meaning | None
    defined: Meaning | None
    passes: Meaning | None
    memory: Memory | None
    descr: Resolved | None
    guard: _Guard | None
    call: CallSite | None
    plain: bool
    bare: bool


@immutable
class _Guard:
    number: int
    block: tuple[_Step, ...]
    failargs: tuple[int | None, ...] | None


@dataclass(slots=True)
class _State:
    """A run under way."""

    slots: list[Any]
    heap: Heap
    caller: Caller
    used_as: UsedAs | None
    flag: bool = False
    iterations: int = 1


class Program:
    """A trace made ready to be run many times: variables and constants are slots of a list.

    `layout` is what the heaps that it runs on are made of; it is shared by programs that run on one heap.
    """

    def __init__(self, trace: Trace, layout: Layout | None = None) -> None:
        check_supported(trace, peeled=True)
        self.layout = layout or layout_of(trace)
        self._domain = concrete(trace.word)
        self._inputs = trace.inputs
        self._slot_of: dict[Var, int] = {}
        self._constant_slots: dict[int | str, int] = {}
        self._objects: dict[str, int] = {}  # the slots of opaque constants
        self._template: list[Any] = []
        self._names: list[str | None] = []
        self._count = 0
        self._guards = 0
        self._uses_raw = uses_raw(trace, self.layout)
        self._takes_bytes = any(map(takes_object, all_operations(trace)))
        for var in trace.inputs:
            self._define(var)
        self._first = self._again = tuple(self._compile(op) for op in trace.ops)
        self._taken: tuple[int, ...] | None = tuple(range(len(trace.inputs))) if goes_back(trace) else None
        label = inner_label(trace)
        if label is not None:
            self._taken = self._first[label].args
            self._first, self._again = self._first[: label + 1], self._first[label + 1 :]

    def _define(self, var: Var) -> int:
        self._slot_of[var] = len(self._template)
        self._template.append(None)
        self._names.append(var.name)
        return self._slot_of[var]

    def _constant(self, value: Datum | str | None) -> int:
        self._template.append(value)
        self._names.append(None)
        return len(self._template) - 1

    def _slot(self, value: Value, line: int) -> int:
        match value:
            case Var():
                return self._slot_of[value]
            case ConstInt(number):
                if number not in self._constant_slots:
                    self._constant_slots[number] = self._constant(number)
                return self._constant_slots[number]
            case ConstFloat(float_):
                return self._constant(float_)
            case ConstRef(text) if text == NULL.name:
                return self._constant(NULL)
            case ConstRef(name=str(name)):
                if name not in self._objects:
                    self._objects[name] = self._constant(None)
                return self._objects[name]
            case ConstClass(name):
                return self._constant(address_of(name, self._domain.width))
            case _:
                raise Unsupported(str(value), line)

    def _argument(self, operation: Operation, index: int, memory: Memory | None) -> int:
        value = operation.args[index]
        if memory is not None and memory.class_arg == index:
            return self._constant(value.name if isinstance(value, ConstClass) else str(value))
        return self._slot(value, operation.line)

    def _compile(self, operation: Operation) -> _Step:
        operation = meant(operation, self.layout)
        row, line, memory = operation.op, operation.line, operation.memory
        number, self._count = self._count, self._count + 1
        args = () if row.raw else tuple(self._argument(operation, i, memory) for i in range(len(operation.args)))
        result = -1 if operation.result is None else self._define(operation.result)
        guard = self._compile_exit(exit_of(operation), line) if row.kind is Kind.GUARD else None
        descr = self.layout.descr_of(operation)
        call = call_of(operation, self.layout) if row.kind in (Kind.EVENT, Kind.FACT) else None
        for constant in () if call is None else constants_of(call):
            self._slot(constant, line)
        plain = row.meaning is not None and row.defined is None and row.overflows is None
        return _Step(
            number,
            operation,
            args,
            result,
            row.meaning,
            row.defined,
            operation.passes,
            memory,
            descr,
            guard,
            call,
            plain,
            memory is None and row.meaning is None and row.defined is None,
        )

    def _compile_exit(self, exit_: Exit, line: int) -> _Guard:
        number, self._guards = self._guards, self._guards + 1
        block = tuple(self._compile(op) for op in exit_.block)
        failargs = exit_.failargs
        slots = None
        if failargs is not None:
            slots = tuple(None if arg is None else self._slot(arg, line) for arg in failargs)
        return _Guard(number, block, slots)

    def run(
        self,
        inputs: Sequence[Datum],
        world: World | None = None,
        *,
        leave_at: int | None = None,
        heap: Heap | None = None,
        iterations: int = 1,
    ) -> Run:
        """Run on `inputs` and on a copy of `heap`, to which the opaque constants are added that it does not describe.

        With `leave_at`, the guard of that number fails whatever its condition: what the trace would hand over there.
        A loop goes back to its start, or its inner label, until it has run so many iterations.
        """
        self._check_inputs(inputs)
        slots = self._template.copy()
        slots[: len(inputs)] = inputs
        heap = Heap(self.layout) if heap is None else heap.copy()
        caller = Caller(Environment(world or World(), heap), heap, self._domain)
        state = _State(slots, heap, caller, UsedAs() if self._takes_bytes else None)
        for name, slot in self._objects.items():
            slots[slot] = state.heap.constant(name)
        if self._uses_raw:
            heap.add_raw()
        try:
            outcome = self._execute(state, self._first, leave_at)
            while state.iterations < iterations and self._taken is not None and isinstance(outcome, Jumped):
                for slot, value in zip(self._taken, outcome.args, strict=True):
                    slots[slot] = value
                state.iterations += 1
                outcome = self._execute(state, self._again, leave_at)
        except Ended as end:
            outcome = end.outcome
        if state.iterations > 1:
            slots[: len(inputs)] = inputs  # the values at the start are told
        values = {name: v for name, v in zip(self._names, slots, strict=True) if name and v is not None}
        environment = state.caller.environment
        functions = environment.functions
        return Run(
            outcome,
            environment.seen,
            values,
            state.heap,
            environment.world_of_run,
            functions.applied,
            functions.unclear or heap.unclear,
            state.iterations,
        )

    def prepare(self, heap: Heap) -> None:
        """Adds to `heap` the opaque constants of this trace that it does not describe, and raw memory if it uses it."""
        for name in self._objects:
            heap.constant(name)
        if self._uses_raw:
            heap.add_raw()

    def _check_inputs(self, inputs: Sequence[Datum]) -> None:
        if len(inputs) != len(self._inputs):
            raise ValueError(f"the trace has {len(self._inputs)} inputs, got {len(inputs)} values")
        for var, value in zip(self._inputs, inputs, strict=True):
            if type_of(value) is not var.type:
                raise ValueError(f"the input {var} is of type {var.type.value}, got {value!r}")

    def _execute(self, state: _State, steps: Sequence[_Step], leave_at: int | None) -> Outcome:
        slots, domain = state.slots, self._domain
        for step in steps:
            args = [slots[i] for i in step.args]
            if step.plain:
                assert step.meaning is not None
                slots[step.result] = step.meaning(domain, *args)
                continue
            row = step.operation.op
            if not step.bare:
                self._compute(state, step, args)
            if step.guard is not None:
                if step.guard.number == leave_at or not self._passes(state, step, args):
                    return self._leave(state, step.guard)
            elif step.call is not None:
                self._give(state, step, state.caller.perform(step.call, step.operation, step.number, args))
            elif row.kind is Kind.END:
                return Jumped(tuple(args), step.operation.descr) if row.jumps else Finished(tuple(args))
        return Jumped(tuple(args), steps[-1].operation.descr)  # at the inner label

    def _compute(self, state: _State, step: _Step, args: list[Any]) -> None:
        """The operation's result, flag and effect on the heap."""
        domain, memory = self._domain, step.memory
        if memory is not None:
            for holds, reason in memory.requires:
                if not holds(domain, state.heap, step.descr, *args):
                    raise Ended(Undefined(step.number, reason))
            if state.used_as is not None:
                state.used_as.note(step.operation.op, step.operation.args, args, step.operation.line)
            if memory.meaning is not None and step.guard is None:
                try:
                    self._give(state, step, memory.meaning(domain, state.heap, step.descr, *args))
                except TooLong:
                    raise Ended(Undefined(step.number, TOO_LONG)) from None
            return
        row = step.operation.op
        if step.defined is not None and not step.defined(domain, *args):
            raise Ended(Undefined(step.number, row.undefined_when))
        if step.meaning is not None:
            state.slots[step.result] = step.meaning(domain, *args)
            if row.overflows is not None:
                state.flag = row.overflows(domain, *args)

    def _give(self, state: _State, step: _Step, value: Datum | None) -> None:
        if step.result >= 0:
            state.slots[step.result] = value

    def _passes(self, state: _State, step: _Step, args: list[Any]) -> bool:
        if step.memory is not None:
            memory, domain = step.memory, self._domain
            assert memory.passes is not None
            passes = bool(memory.passes(domain, state.heap, step.descr, *args))
            if passes and memory.meaning is not None:
                self._give(state, step, memory.meaning(domain, state.heap, step.descr, *args))
            return passes
        assert step.passes is not None
        if step.operation.op.reads_flag:
            args = [state.flag]
        return bool(step.passes(self._domain, *args))

    def _leave(self, state: _State, guard: _Guard) -> Outcome:
        for step in guard.block:
            self._compute(state, step, [state.slots[i] for i in step.args])
        if guard.failargs is None:
            return GuardFailed(guard.number, None)
        return GuardFailed(guard.number, tuple(None if i is None else state.slots[i] for i in guard.failargs))
