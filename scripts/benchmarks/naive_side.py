"""One trace of the baseline in Z3 terms: a fresh variable and an equation for each operation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import z3

from benchmarks.naive_heap import NaiveHeap
from benchmarks.naive_objects import Objects
from optimizer.ir.domains.term import Term
from optimizer.ir.rows.ops import Kind, Memory, Type
from optimizer.ir.run.objects import NULL
from optimizer.ir.trace import ConstClass, ConstInt, ConstRef, Exit, Operation, Trace, Value, Var, exit_of, memory_of
from optimizer.ir.types.effects import effects_of
from optimizer.ir.types.layout import Field
from validator.prove.encoding import event_name, input_name


@dataclass(frozen=True, slots=True)
class Known:
    """A definedness condition, behind so many guards and events. `needs` counts the equations up to there."""

    condition: Any
    guards: int
    events: int
    needs: int


@dataclass(frozen=True, slots=True)
class Left:
    """What a guard leaves behind its exit block."""

    failargs: tuple[Any, ...] | None
    block: tuple[Any, ...]
    heap: NaiveHeap


@dataclass(frozen=True, slots=True)
class Guard:
    passes: Any
    exit: Left
    events: int
    needs: int


@dataclass(frozen=True, slots=True)
class Event:
    operation: Operation
    args: tuple[Any, ...]
    guards: int
    heap: NaiveHeap
    may_see: tuple[Field, ...]
    needs: int


@dataclass
class Side:
    """One trace in Z3 terms."""

    trace: Trace
    objects: Objects
    named: Mapping[int, Term]
    exits: Sequence[Mapping[int, Term]]
    lenient: bool
    equations: list[Any] = field(default_factory=list)
    values: dict[Var, Any] = field(default_factory=dict)
    defined: list[Known] = field(default_factory=list)
    guards: list[Guard] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    end: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        self.words = self.objects.words
        self.heap = NaiveHeap(self.objects, self.equations, self.named, self.lenient)
        self._flag = self._passes = self.words.truth(False)
        for position, var in enumerate(self.trace.inputs):
            self.values[var] = self._outside(input_name(position), var.type, 0)
        number = 0
        for operation in self.trace.ops:
            self._step(operation, number)
            number += 1 + len(operation.exit.block if operation.exit else ())

    def _outside(self, name: str, type_: Type, epoch: int) -> Any:
        if type_ is Type.REF:
            return self.objects.pointer(name, epoch)
        return z3.BitVec(name, self.words.width, self.words.context)

    def _step(self, operation: Operation, number: int) -> None:
        kind = operation.op.kind
        if kind is Kind.EVENT:
            self._event(operation)
        elif kind is Kind.END:
            self.end = self._args(operation)
        elif kind is not Kind.POSITION:
            place = len(self.guards), len(self.events)
            conditions = list(self._compute(operation, self.heap, number))
            if kind is Kind.GUARD:
                self._guard(operation, number)
            self.defined += [Known(one, *place, len(self.equations)) for one in conditions]

    def _term(self, value: Value) -> Any:
        match value:
            case Var():
                return self.values[value]
            case ConstInt(number):
                return self.words.const(number)
            case ConstRef(text) if text == NULL.name:
                return self.objects.null
            case ConstRef(text):
                return self.objects.constant(text.removeprefix("ConstPtr(").removesuffix(")"))
            case ConstClass():
                return z3.BitVec(str(value), self.words.width, self.words.context)
            case _:
                raise AssertionError(value)

    def _args(self, operation: Operation) -> tuple[Any, ...]:
        return tuple(map(self._term, operation.args))

    def _memory_args(self, operation: Operation, memory: Memory) -> list[Any]:
        return [
            (arg.name if isinstance(arg, ConstClass) else str(arg)) if index == memory.class_arg else self._term(arg)
            for index, arg in enumerate(operation.args)
        ]

    def _compute(self, operation: Operation, heap: NaiveHeap, number: int) -> Iterator[Any]:
        """The operation's result, as a fresh variable; the conditions under which it is defined."""
        memory, row, words = memory_of(operation), operation.op, self.words
        if memory is not None:
            descr = self.objects.terms.layout.descr_of(operation)
            args = (words, heap, descr, *self._memory_args(operation, memory))
            if memory.requires:
                yield memory.defined(*args)
            if memory.passes is not None:
                self._passes = memory.passes(*args)
            if memory.meaning is not None and not row.is_guard:
                heap.allocating, heap.mismatch = number, None
                self._give(operation, heap, memory.meaning(*args))
                if heap.mismatch is not None:
                    yield heap.mismatch[0] == heap.mismatch[1]
            return
        plain = self._args(operation)
        if row.defined is not None:
            yield row.defined(words, *plain)
        if row.meaning is not None:
            self._give(operation, heap, row.meaning(words, *plain))
        if row.passes is not None:
            self._passes = row.passes(words, self._flag) if row.reads_flag else row.passes(words, *plain)
        if row.overflows is not None:
            self._flag = row.overflows(words, *plain)

    def _give(self, operation: Operation, heap: NaiveHeap, value: Any) -> None:
        if operation.result is not None:
            result = self.values[operation.result] = heap.define(value)
            if operation.result.type is Type.REF and operation.op.kind is Kind.LOAD:
                self.objects.learn_held(result)

    def _guard(self, operation: Operation, number: int) -> None:
        passes, exit_ = self._passes, exit_of(operation)
        heap = self.heap.with_names(self.exits[len(self.guards)])
        block = [
            condition
            for inner, one in enumerate(exit_.block, number + 1)
            for condition in self._compute(one, heap, inner)
        ]
        left = Left(self._failargs(exit_), tuple(block), heap)
        self.guards.append(Guard(passes, left, len(self.events), len(self.equations)))
        memory = memory_of(operation)
        if memory is not None and memory.meaning is not None:
            descr = self.objects.terms.layout.descr_of(operation)
            memory.meaning(self.words, self.heap, descr, *self._memory_args(operation, memory))

    def _failargs(self, exit_: Exit) -> tuple[Any, ...] | None:
        if exit_.failargs is None:
            return None
        return tuple(None if arg is None else self._term(arg) for arg in exit_.failargs)

    def _event(self, operation: Operation) -> None:
        number, slots = len(self.events), self.objects.memory.slots.values()
        effects = effects_of(operation, self.objects.terms.layout)
        args, guards = self._args(operation), len(self.guards)
        may_see = tuple(slot for slot in slots if effects.may_see(slot))
        self.events.append(Event(operation, args, guards, self.heap.copy(), may_see, len(self.equations)))
        for kept in list(self.heap.happen(number, effects)):
            if self.lenient:
                self.defined.append(Known(kept, guards, number + 1, len(self.equations)))
        if operation.result is not None:
            self.values[operation.result] = self._outside(event_name(number), operation.result.type, number + 1)
