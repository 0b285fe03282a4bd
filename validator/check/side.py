"""One trace, followed operation by operation over Z3 terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import z3

from optimizer.ir.faults import Unsupported
from optimizer.ir.rows.row import END, EVENT, FACT, GUARD, POSITION, REF, Type
from optimizer.ir.trace import ConstClass, ConstFloat, ConstInt, ConstRef, Operation, Trace, Value, Var, all_operations
from optimizer.ir.types.calls import may_be_raised_before
from optimizer.ir.types.known_calls import meant
from validator.check.asking import Asking, Place
from validator.check.calls import Call
from validator.check.certificate import AFTER, BEFORE, Certificate
from validator.check.memory import Memory
from validator.check.reach import OLD, Places
from validator.check.universe import NULL, Universe

Claim = tuple[str, Any]
"""The name of an obligation, and what has to hold."""


@dataclass(frozen=True, slots=True)
class GuardSeen:
    """A guard, with so many events ahead, and what it leaves where it fails: its exit block is defined where all of
    `block` hold."""

    passes: Any
    events: int
    failargs: tuple[Any, ...] | None
    block: tuple[Claim, ...]
    memory: Memory


class Side:
    """One trace under way: the recorded one, of which is assumed what it asks for, and kept what is found of it. The
    optimized one (`proof.Optimized`) proves that instead; `recorded` is the other one to it."""

    def __init__(
        self, trace: Trace, universe: Universe, asking: Asking, certificate: Certificate, recorded: Side | None = None
    ) -> None:
        self.trace, self.universe, self.recorded = trace, universe, self if recorded is None else recorded
        self.is_recorded = recorded is None
        self.values: dict[str, Any] = {}
        self.guards: list[GuardSeen] = []
        self.events: list[Call] = []
        self.functions: list[Call] = []  # the calls of functions
        self.end: tuple[Any, ...] = ()
        self.invariants: list[tuple[Any, Type, Any, Any]] = []  # functions, what they give, gave and raised
        self.upheavals = 0  # events that may write everything
        self._asking = asking
        self._promised = [list[tuple[Any, int]]()]  # conditions and the events ahead of them, by the guards ahead
        self._flag = self._passes = universe.words.truth(False)
        self._number = 0
        theirs = range(len(all_operations(self.recorded.trace)))
        partners = zip(theirs, theirs, strict=True) if recorded is None else certificate.partners
        numbers = {mine: other + 1 for mine, other in partners if other in theirs}
        self.memory = Memory(universe, numbers, recorded=self.is_recorded)
        named = BEFORE if self.is_recorded else AFTER
        self._equal = {var: other for of, var, other in certificate.equal if of == named}
        for position, var in enumerate(trace.inputs):
            self.values[var.name] = self._outside(f"input {position}", var.type)
        if may_be_raised_before(self.recorded.trace):
            self.memory.set_pending(self._outside("pending", REF))

    # What is found of the trace.

    def must(self, name: str, condition: Any) -> None:
        """An operation asks for that condition, which has that name."""
        self.fact(condition)

    def meet(self, guard: GuardSeen) -> None:
        """The trace comes to a guard, and passes it."""
        self.guards.append(guard)
        self._promised.append([])
        self._assume(guard.passes, 0)

    def applied(self, call: Call) -> None:
        """The trace calls a function."""
        self.functions.append(call)

    def event(self, event: Call) -> Places:
        """The trace comes to an event; what this finds."""
        return event.found

    def here(self) -> Place:
        """The place to which the trace has come."""
        return Place(len(self.guards), 0, None)

    # What holds.

    def holds(self, claim: Any) -> bool:
        """Is the claim known to hold in every run that gets here?"""
        return self._asking.holds(self.here(), (), claim) is True

    def decided(self, condition: Any) -> Any:
        """The condition, or what is known of it."""
        if self.holds(condition):
            return z3.BoolVal(True)
        return z3.BoolVal(False) if self.holds(z3.Not(condition)) else condition

    def _outside(self, name: str, type_: Type) -> Any:
        """A value that exists before the trace."""
        value = self.universe.unknown(name, type_)
        if type_ is REF:
            self.universe.facts.append(self.universe.among(value, ()))
            self.memory.reach.note(value, frozenset({OLD}))
        return value

    def run(self) -> None:
        for operation in self.trace.ops:
            self._step(operation)

    def fact(self, condition: Any) -> None:
        """Notes that from here on that holds, in every run that gets here."""
        self._promised[-1].append((condition, len(self.events)))
        self._assume(condition, len(self.events))

    def _assume(self, condition: Any, events: int) -> None:
        passed = (len(self.guards), 0) if self.is_recorded else (0, len(self.guards))
        self._asking.facts.add(condition, Place(*passed, events))

    def promised_ahead(self, place: Place) -> list[Any]:
        """The facts behind further guards if they pass, and in their exit blocks if they are the first to fail."""
        ahead: list[Any] = []
        promised: list[Any] = []
        for guard, facts in zip(self.guards[place.before :], self._promised[place.before + 1 :], strict=True):
            if place.has_done(guard.events):
                leaves = z3.And(*ahead, z3.Not(guard.passes))
                promised += [z3.Implies(leaves, condition) for _, condition in guard.block]
            ahead.append(guard.passes)
            known = [condition for condition, events in facts if place.has_done(events)]
            promised += [z3.Implies(z3.And(*ahead), z3.And(*known))] if known else []
        return promised

    def give(self, operation: Operation, value: Any, *, in_block: bool = False) -> None:
        """Gives the operation its result. Equalities of the certificate are not used in exit blocks."""
        if operation.result is not None:
            self.values[operation.result.name] = value if in_block else self._given(operation.result, value)

    def _given(self, var: Var, value: Any) -> Any:
        """The value of a variable, as it is to be written from now on: an equality of the certificate, if it is
        proved, is used."""
        said = self._equal.get(var.name)
        other = self.universe.words.const(said) if isinstance(said, int) else self.recorded.values.get(said or "")
        if other is None or other.sort() != value.sort() or not (other.eq(value) or self.holds(value == other)):
            return value
        if var.type is REF:
            self.memory.reach.identify(other, value)
        return other

    def args(self, operation: Operation, class_arg: int | None = None) -> tuple[Any, ...]:
        """The operation's arguments, a class by its name."""
        return tuple(
            (arg.name if isinstance(arg, ConstClass) else str(arg))
            if index == class_arg
            else self._value(arg, operation.line)
            for index, arg in enumerate(operation.args)
        )

    def _value(self, value: Value, line: int) -> Any:
        match value:
            case Var(name):
                return self.values[name]
            case ConstInt(number):
                return self.universe.words.const(number)
            case ConstFloat(float_):
                return self.universe.words.floats.const(float_)
            case ConstRef(name=str(name)):
                return self.universe.constant(name)
            case ConstRef():
                return NULL
            case ConstClass(name):
                return self.universe.address(name)
            case _:
                raise Unsupported(str(value), line)

    def _step(self, operation: Operation) -> None:
        operation = meant(operation, self.universe.layout)
        number, kind = self._number, operation.op.kind
        self._number += 1
        if kind is END:
            self.end = self.args(operation)
        elif kind is EVENT or (kind is FACT and operation.op.is_call):
            Call(self, operation, number, self.args(operation)).make()
        elif kind is not POSITION:
            for claim in self._compute(operation, self.memory, number):
                self.must(*claim)
            if kind is GUARD:
                self._guard(operation, number)
        for condition in self.memory.loaded:
            self.fact(condition)
        self.memory.loaded.clear()

    def _compute(self, operation: Operation, heap: Memory, number: int) -> list[Claim]:
        """Gives the operation's result; what it asks for."""
        row, memory, words = operation.op, operation.memory, self.universe.words
        args = (words, *((self._flag,) if row.reads_flag else self.args(operation) if memory is None else ()))
        defined, passes, meaning = row.defined, operation.passes, row.meaning
        if memory is not None:
            args = (words, heap, self.universe.layout.descr_of(operation), *self.args(operation, memory.class_arg))
            defined, passes, meaning = memory.defined if memory.requires else None, memory.passes, memory.meaning
        asked = [] if defined is None else [(f"op {number}: defined", defined(*args))]
        if row.overflows is not None:
            self._flag = row.overflows(*args)
        if passes is not None:
            self._passes = passes(*args)
        if meaning is not None and not row.is_guard:
            heap.allocating = number
            self.give(operation, meaning(*args), in_block=heap is not self.memory)
            asked += [(f"op {number}: length", condition) for condition in heap.asked]
            heap.asked.clear()
        return asked

    def _guard(self, operation: Operation, number: int) -> None:
        passes, exit_, heap = self._passes, operation.exit, self.memory.copy()
        assert exit_ is not None
        block: list[Claim] = []
        for inner, one in enumerate(exit_.block, number + 1):
            block += self._compute(one, heap, inner)
        self._number += len(exit_.block)
        failargs = None
        if exit_.failargs is not None:
            failargs = tuple(None if arg is None else self._value(arg, operation.line) for arg in exit_.failargs)
        guard = GuardSeen(passes, len(self.events), failargs, tuple(block), heap)
        self.meet(guard)
        meaning = operation.memory
        if meaning is not None and meaning.meaning is not None:
            descr = self.universe.layout.descr_of(operation)
            args = self.args(operation, meaning.class_arg)
            self.give(operation, meaning.meaning(self.universe.words, self.memory, descr, *args))
