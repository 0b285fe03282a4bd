"""From a trace to terms: what it computes, when each part of it is defined, its heap, and its ways out.

Both traces of a pair are encoded in one `Memory`, on the same inputs (matched by position) and the same world: the
result of the n-th event is one variable for both, and so is what it leaves in the memory that it may write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from optimizer.ir.faults import Unsupported
from optimizer.ir.immutable import immutable
from optimizer.ir.layout import Field, Layout
from optimizer.ir.ops import Kind, Type
from optimizer.ir.ops import Memory as MemoryMeaning
from optimizer.ir.raw_memory import BYTES, is_raw, raw_descr, slot_of, uses_raw
from optimizer.ir.term import Term
from optimizer.ir.trace import (
    ConstClass,
    ConstFloat,
    ConstInt,
    ConstRef,
    Operation,
    Trace,
    Value,
    Var,
    all_operations,
    exit_of,
    memory_of,
    passes_of,
)
from validator.object_terms import ObjectTerms, SimplifyingObjectTerms
from validator.raw_chains import RawChains
from validator.raw_overlaps import Overlaps
from validator.store_chains import MOST_TERMS, Chains
from validator.symbolic_heap import Allocator, Memory, SymbolicHeap
from validator.visibility import Sight, surely_visible, visible


@immutable
class Definedness:
    """The operation of that number is defined where `condition` holds; so many guards and events stand before it.

    `what` says what else it is that holds there: the length of an array that is taken for another one's, or what an
    event was promised not to change.
    """

    op: int
    operation: Operation
    condition: Term
    guards: int
    events: int
    what: str = "defined"


@immutable
class ExitEncoding:
    """What a guard hands over where it fails: `failargs` (None: not listed), and the heap behind its exit block, which
    is defined where `block` says. `made` are the allocations of the block, by number."""

    failargs: tuple[Term | None, ...] | None
    block: tuple[Definedness, ...]
    heap: SymbolicHeap
    made: Mapping[int, Term]

    def sight(self) -> Sight:
        """What is seen where the guard has failed."""
        roots = [arg for arg in self.failargs or () if arg is not None]
        return Sight(self.heap, visible(self.heap, roots, _anything))


@immutable
class GuardEncoding:
    """A guard as a way out: it goes on where `passes` holds. `events` and `positions` count what stands before it,
    `heap` is what it finds, and `exit` what it leaves if its allocations are its own. `number` is its own."""

    operation: Operation
    passes: Term
    exit: ExitEncoding
    events: int
    positions: int
    heap: SymbolicHeap
    number: int

    @property
    def failargs(self) -> tuple[Term | None, ...] | None:
        return self.exit.failargs


@immutable
class EventEncoding:
    """An event, with all that it sees; `guards` stand before it."""

    operation: Operation
    args: tuple[Term, ...]
    guards: int
    sight: Sight
    may_see: tuple[Field, ...]


@immutable
class Encoding:
    """A trace in terms: its definedness conditions in order, its guards, its events, and what its end hands over.

    `heap` is that at the end; `made` are the allocations outside of exit blocks, by number,
    and `values` what variables are, by name.
    """

    trace: Trace
    defined: tuple[Definedness, ...]
    guards: tuple[GuardEncoding, ...]
    events: tuple[EventEncoding, ...]
    end: tuple[Term, ...]
    heap: SymbolicHeap
    made: Mapping[int, Term]
    values: dict[str, Term]

    def sight(self) -> Sight:
        """What is seen at the end."""
        return Sight(self.heap, visible(self.heap, self.end, _anything))


def input_name(position: int) -> str:
    return f"input{position}"


def event_name(number: int) -> str:
    return f"event{number}"


def memory_for(layout: Layout, *traces: Trace, plain: bool = False) -> Memory:
    """The memory that the traces of a pair share; over `plain` terms nothing is simplified."""
    terms = (ObjectTerms if plain else SimplifyingObjectTerms)(layout.word, layout)
    named = (slot_of(layout.descr_of(one)) for trace in traces for one in all_operations(trace) if one.op.memory)
    slots = {slot.key: slot for slot in named if slot is not None}
    _check_raw(traces, slots)
    terms.texts = [terms.constant(text) for text in layout.texts]
    chains = Chains(terms)
    terms.is_abstract |= any(map(is_raw, slots))
    return Memory(terms, chains, RawChains(terms), Overlaps(chains), slots, is_plain=plain)


def _check_raw(traces: Sequence[Trace], slots: Mapping[str, Field]) -> None:
    """Raises Unsupported for raw memory that is not modelled."""
    if [trace for trace in traces if uses_raw(trace)] and BYTES.key in slots:
        mixed = next((slot for slot in slots.values() if is_raw(slot.key) and slot.type is Type.REF), None)
        if mixed is not None:
            raise Unsupported(f"references in {raw_descr(mixed.key)} beside bytes of raw memory")


def check_supported(trace: Trace, layout: Layout) -> None:
    """Raises Unsupported for the first operation that has no encoding."""
    for operation in all_operations(trace):
        is_known = operation.op.has_meaning
        if is_known and operation.op.memory is not None:
            from optimizer.ir.calls import is_modelled  # here: many traces have no calls

            is_known = is_modelled(operation, layout)
        if not is_known:
            raise Unsupported(operation.op.name, operation.line)


def encode(trace: Trace, memory: Memory, *, recorded: bool, named: Mapping[int, Term] | None = None) -> Encoding:
    """Encode `trace`, the recorded one or the optimized one. Its allocations with numbers in `named` are those terms.

    Raises Unsupported for operations and values that have no encoding.
    """
    encoder = _Encoder(trace, memory, named or {}, recorded)
    for operation in trace.ops:
        encoder.step(operation)
    return encoder.encoding()


def leave(encoding: Encoding, guard: GuardEncoding, guards: int, named: Mapping[int, Term]) -> ExitEncoding:
    """What the guard, behind so many others, leaves if the allocations of its exit block with numbers in `named` are
    those terms."""
    return _exit(guard.operation, guard.number, guard.heap, dict(encoding.values), (guards, guard.events), named)


Place = tuple[int, int]
"""How many guards and events stand ahead."""


class _Computer:
    """Computes operations one after the other, over values and a heap that it changes."""

    def __init__(self, heap: SymbolicHeap, values: dict[str, Term]) -> None:
        self.heap = heap
        self.terms = heap.memory.terms
        self.layout = self.terms.layout
        self.values = values
        self.flag: Term = self.terms.false
        self.passes: Term = self.terms.true

    def term(self, value: Value, line: int) -> Term:
        if isinstance(value, Var):
            return self.values[value.name]
        match value:
            case ConstInt(number):
                return self.terms.const(number)
            case ConstFloat(float_):
                return self.terms.floats.const(float_)
            case ConstRef(text) if text == "NULL":
                return self.terms.null
            case ConstRef(name=str(name)):
                return self.terms.constant(name)
            case ConstClass(name):
                return self.terms.address(name)
            case _:
                raise Unsupported(str(value), line)

    def args(self, operation: Operation) -> tuple[Term, ...]:
        return tuple([self.term(arg, operation.line) for arg in operation.args])

    def compute(self, operation: Operation, number: int, place: Place) -> list[Definedness]:
        """The operation's result, flag and effect; whether it passes if it is a guard. Gives its definedness."""
        memory = memory_of(operation)
        if memory is not None:
            return self._compute_on_heap(operation, memory, number, place)
        row, args = operation.op, self.args(operation)
        defined: list[Definedness] = []
        if row.defined is not None:
            defined += self._defined(row.defined(self.terms, *args), operation, number, place)
        if row.meaning is not None:
            assert operation.result is not None
            self.values[operation.result.name] = row.meaning(self.terms, *args)
        passes = passes_of(operation) if row.is_guard else None
        if passes is not None:
            self.passes = passes(self.terms, self.flag) if row.reads_flag else passes(self.terms, *args)
        if row.overflows is not None:
            self.flag = row.overflows(self.terms, *args)
        return defined

    def _compute_on_heap(
        self, operation: Operation, memory: MemoryMeaning, number: int, place: Place
    ) -> list[Definedness]:
        descr, args = self.layout.descr_of(operation), self._memory_args(operation, memory)
        condition = memory.defined(self.terms, self.heap, descr, *args)
        defined = self._defined(condition, operation, number, place)
        if memory.passes is not None:
            self.passes = memory.passes(self.terms, self.heap, descr, *args)
        if memory.meaning is not None and not operation.op.is_guard:
            self.heap.allocating = number
            result = memory.meaning(self.terms, self.heap, descr, *args)
            if operation.result is not None:
                self.values[operation.result.name] = result
            lengths = self.heap.mismatch(number)
            if lengths is not None:
                same = self.terms.eq(*lengths)
                defined += self._defined(same, operation, number, place, "length")
        return defined

    def _memory_args(self, operation: Operation, memory: MemoryMeaning) -> list[Term | str]:
        return [
            (arg.name if isinstance(arg, ConstClass) else str(arg))
            if index == memory.class_arg
            else self.term(arg, operation.line)
            for index, arg in enumerate(operation.args)
        ]

    def _defined(
        self, condition: Term, operation: Operation, number: int, place: Place, what: str = "defined"
    ) -> list[Definedness]:
        return [] if condition is self.terms.true else [Definedness(number, operation, condition, *place, what)]

    def pass_guard(self, operation: Operation) -> None:
        """What a guard does to the heap where it passes."""
        memory = memory_of(operation)
        if memory is not None and memory.meaning is not None:
            memory.meaning(
                self.terms, self.heap, self.layout.descr_of(operation), *self._memory_args(operation, memory)
            )


class _Encoder:
    def __init__(self, trace: Trace, memory: Memory, named: Mapping[int, Term], recorded: bool) -> None:
        self._trace = trace
        self._recorded = recorded
        self._allocator = Allocator(named)
        self._terms = terms = memory.terms
        self._heap = SymbolicHeap(memory, self._allocator, lenient=recorded)
        self._values: dict[str, Term] = {}
        self._computer = _Computer(self._heap, self._values)
        self._defined: list[Definedness] = []
        self._guards: list[GuardEncoding] = []
        self._events: list[EventEncoding] = []
        self._positions = 0
        self._number = 0
        for position, var in enumerate(trace.inputs):
            self._values[var.name] = _unknown(terms, input_name(position), var.type, 0)

    def encoding(self) -> Encoding:
        end = self._computer.args(self._trace.end)
        return Encoding(
            self._trace,
            tuple(self._defined),
            tuple(self._guards),
            tuple(self._events),
            end,
            self._heap,
            self._allocator.made,
            self._values,
        )

    def step(self, operation: Operation) -> None:
        number, kind = self._number, operation.op.kind
        self._number += 1
        if kind is Kind.POSITION:
            self._positions += 1
        elif kind is Kind.EVENT:
            self._event(operation, number)
        elif kind is not Kind.END:
            if len(self._terms) > MOST_TERMS:
                raise Unsupported(
                    "there are too many ways in which pointers or indices may be the same", operation.line
                )
            place = (len(self._guards), len(self._events))
            self._defined += self._computer.compute(operation, number, place)
            if kind is Kind.GUARD:
                self._guard(operation, number, place)

    def _guard(self, operation: Operation, number: int, place: Place) -> None:
        heap, passes = self._heap.copy(), self._computer.passes
        left = _exit(operation, number, heap, self._values, place, {})
        self._guards.append(GuardEncoding(operation, passes, left, place[1], self._positions, heap, number))
        self._number += len(exit_of(operation).block)
        self._computer.pass_guard(operation)
        self._heap.learn(passes)

    def _event(self, operation: Operation, number: int) -> None:
        from optimizer.ir.effects import effects_of  # here: many traces have no event

        count, args, heap = len(self._events), self._computer.args(operation), self._heap
        effects = effects_of(operation, self._terms.layout)
        objects = visible(heap, args, effects.may_see)
        may_see = tuple(slot for slot in heap.memory.slots.values() if effects.may_see(slot))
        seen = EventEncoding(operation, args, len(self._guards), Sight(heap.copy(), objects), may_see)
        self._events.append(seen)
        for alloc in sorted(objects, key=lambda alloc: alloc.number):
            self._terms.expose(alloc, count)
        if self._recorded and any(slot.immutable for slot in may_see):
            self._terms.surely_seen |= surely_visible(heap, args, effects.may_see)
        kept = list(heap.happen(count, effects))
        if self._recorded:
            place = (len(self._guards), count + 1)
            self._defined += [Definedness(number, operation, fact, *place, "kept") for fact in kept]
        if operation.result is not None:
            type_ = operation.op.result
            self._values[operation.result.name] = _unknown(self._terms, event_name(count), type_, count + 1)


def _unknown(terms: ObjectTerms, name: str, type_: Type, epoch: int) -> Term:
    """An unknown value that came into being behind so many events."""
    if type_ is Type.FLOAT:
        return terms.floats.var(name)
    return terms.pointer(name, epoch) if type_ is Type.REF else terms.var(name)


def _exit(
    operation: Operation,
    number: int,
    heap: SymbolicHeap,
    values: dict[str, Term],
    place: Place,
    named: Mapping[int, Term],
) -> ExitEncoding:
    """What the guard of that number leaves. What its block defines goes into `values`: its names are its own."""
    exit_, allocator = exit_of(operation), Allocator(named)
    computer = _Computer(heap.with_allocator(allocator) if exit_.block else heap, values)
    block = [
        known for inner, one in enumerate(exit_.block, number + 1) for known in computer.compute(one, inner, place)
    ]
    failargs = exit_.failargs
    handed = (
        None
        if failargs is None
        else tuple([None if arg is None else computer.term(arg, operation.line) for arg in failargs])
    )
    return ExitEncoding(handed, tuple(block), computer.heap, allocator.made)


def _anything(_slot: Field) -> bool:
    return True
