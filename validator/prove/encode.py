"""From a trace to terms: what it computes, when each part of it is defined, its heap, and its ways out.

Both traces of a pair are encoded in one `PairMemory`, on the same inputs (matched by position) and the same world: the
result of the n-th event is one variable for both, and so is what it leaves in the memory that it may write.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from optimizer.ir.domains.term import Term
from optimizer.ir.faults import Unsupported
from optimizer.ir.rows.ops import Memory as MemoryMeaning
from optimizer.ir.rows.ops import Op
from optimizer.ir.rows.row import END, EVENT, FACT, FIELD, GUARD, INT, POSITION, PURE
from optimizer.ir.trace import (
    Const,
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
)
from optimizer.ir.types.byte_access import RAW_KINDS, slot_of
from optimizer.ir.types.known_calls import meant
from optimizer.ir.types.layout import Field, Layout, uses_raw
from optimizer.ir.types.memory_cells import written_name
from optimizer.ir.types.memory_types import BYTES, MemoryKind
from validator.prove.encoding import Definedness, Encoding, ExitEncoding, GuardEncoding, input_name
from validator.prove.memory.chain_reader import MOST_TERMS
from validator.prove.memory.chains import Chains
from validator.prove.memory.heap_state import Allocator, Computed, PairMemory
from validator.prove.memory.raw_chains import RawChains
from validator.prove.memory.symbolic_heap import SymbolicHeap
from validator.prove.terms.object_terms import ObjectTerms

if TYPE_CHECKING:
    from validator.prove.call_encoder import CallEncoder


def memory_for(layout: Layout, *traces: Trace) -> PairMemory:
    """The memory that the traces of a pair share."""
    terms = ObjectTerms(layout.word, layout)
    on_memory = [one for trace in traces for one in all_operations(trace) if one.op.memory is not None]
    slots, indexed = _slots(on_memory, layout)
    rows = {one.op for one in on_memory}
    if any(row.memory is not None and row.memory.descr in RAW_KINDS for row in rows):
        _check_raw(traces, layout, slots)
    chains = Chains()
    telling = {row for row in rows if row.is_call or (row.memory is not None and row.memory.pending)}
    operations = [one for one in on_memory if one.op in telling]
    exceptions = _exceptions(operations, layout, traces[0])
    return PairMemory(terms, chains, RawChains(terms, chains), slots, indexed, *exceptions)


def _slots(on_memory: Iterable[Operation], layout: Layout) -> tuple[dict[str, Field], frozenset[str]]:
    """The memory that these operations name, by key, and the keys of what is found by an index."""
    slots: dict[str, Field] = {}
    indexed: set[str] = set()
    told: set[tuple[Op, str | None]] = set()  # of these, all operations name the same memory
    for one in on_memory:
        use = one.op, one.descr
        if use in told:
            continue
        operation = meant(one, layout)
        slot, row = slot_of(layout.descr_of(operation)), operation.op.memory
        if row is not None and slot is not None:
            slots[slot.key] = slot
            if row.descr is not FIELD:
                indexed.add(slot.key)
        if not one.op.is_call and (row is None or row.descr not in RAW_KINDS):
            told.add(use)
    return slots, frozenset(indexed)


def _check_raw(traces: Sequence[Trace], layout: Layout, slots: Mapping[str, Field]) -> None:
    """Raises Unsupported for raw memory that is not modelled."""
    if [trace for trace in traces if uses_raw(trace, layout)] and BYTES.key in slots:
        mixed = next((slot for slot in slots.values() if slot.kind is MemoryKind.RAW and slot.type is not INT), None)
        if mixed is not None:
            raise Unsupported(f"{mixed.type.value} {written_name(mixed.key)} beside bytes of raw memory")


def _exceptions(operations: Sequence[Operation], layout: Layout, recorded: Trace) -> tuple[bool, bool]:
    """Are exceptions told apart, and may one be pending at the start?"""
    if not operations:
        return False, False
    from optimizer.ir.types.call_questions import tells_exceptions_apart
    from optimizer.ir.types.calls import may_be_raised_before  # here: many traces have no calls

    return any(tells_exceptions_apart(one, layout) for one in operations), may_be_raised_before(recorded)


def encode(
    trace: Trace, memory: PairMemory, before: Encoding | None = None, named: Mapping[int, Term] | None = None
) -> Encoding:
    """Encode `trace`: the recorded one, or the optimized one of the recorded one `before`. Its allocations with numbers
    in `named` are those terms.

    Raises Unsupported for operations and values that have no encoding.
    """
    encoder = _Encoder(trace, memory, named or {}, before)
    for operation in trace.ops:
        encoder.step(operation)
    return encoder.encoding()


def leave(encoding: Encoding, guard: GuardEncoding, guards: int, named: Mapping[int, Term]) -> ExitEncoding:
    """The state that the guard, behind `guards` others, leaves if the allocations of its exit block with numbers in
    `named` are those terms."""
    return _exit(guard.operation, guard.number, guard.heap, dict(encoding.values), (guards, guard.events), named)


def constant_term(terms: ObjectTerms, value: Const, line: int = 0) -> Term:
    """The term that a constant is. Raises Unsupported for text, which is none."""
    if isinstance(value, ConstInt):
        return terms.const(value.value)
    match value:
        case ConstFloat(float_):
            return terms.floats.const(float_)
        case ConstRef(text) if text == "NULL":
            return terms.null
        case ConstRef(name=str(name)):
            return terms.constant(name)
        case ConstClass(name):
            return terms.address(name)
        case _:
            raise Unsupported(str(value), line)


Ahead = tuple[int, int]
"""The numbers of guards and events that stand ahead."""


class _Computer:
    """Computes operations one after the other, over values and a heap that it changes."""

    def __init__(self, heap: SymbolicHeap, values: dict[str, Term]) -> None:
        self.heap = heap
        self.layout = self.terms.layout
        self.values = values
        self.defined: list[Definedness] = []
        self.flag: Term = self.terms.false
        self.passes: Term = self.terms.true

    @property
    def terms(self) -> ObjectTerms:
        return self.heap.terms

    def term(self, value: Value, line: int) -> Term:
        if isinstance(value, Var):
            term = self.values[value.name]
            return self.heap.now(term) if term in self.heap.known else term
        return constant_term(self.terms, value, line)

    def args(self, operation: Operation) -> tuple[Term, ...]:
        values, known, found = self.values, self.heap.known, []
        for arg in operation.args:
            if isinstance(arg, Var):
                term = values[arg.name]
                if term in known:
                    term = self.heap.now(term)
            else:
                term = constant_term(self.terms, arg, operation.line)
            found.append(term)
        return tuple(found)

    def compute(self, operation: Operation, number: int, place: Ahead) -> None:
        """The operation's result, flag and effect; whether it passes if it is a guard; and its definedness."""
        row = operation.op
        memory = None if row.memory is None else operation.memory
        if memory is not None:
            self._compute_on_heap(operation, memory, number, place)
            return
        args = (self.flag,) if row.reads_flag else self.args(operation)
        computed = self.heap.memory.computed.get((row, args))
        if computed is None:
            computed = self.heap.memory.computed[row, args] = _computed(self.terms, operation, args)
        condition, result, other = computed
        self._defined(condition, operation, number, place)
        if operation.result is not None:
            assert result is not None
            self.values[operation.result.name] = result
        if row.is_guard:
            self.passes = other
        elif row.overflows is not None:
            self.flag = other

    def _compute_on_heap(self, operation: Operation, memory: MemoryMeaning, number: int, place: Ahead) -> None:
        descr, args = self.layout.descr_of(operation), self._memory_args(operation, memory)
        condition = memory.defined(self.terms, self.heap, descr, *args)
        self._defined(condition, operation, number, place)
        if memory.passes is not None:
            self.passes = memory.passes(self.terms, self.heap, descr, *args)
        if memory.meaning is not None and not operation.op.is_guard:
            self.heap.allocating = number
            result = memory.meaning(self.terms, self.heap, descr, *args)
            if operation.result is not None:
                self.values[operation.result.name] = result
            lengths = self.heap.mismatch(number)
            if lengths is not None:
                self._defined(self.terms.eq(*lengths), operation, number, place, "length")

    def _memory_args(self, operation: Operation, memory: MemoryMeaning) -> Sequence[Term | str]:
        if memory.class_arg is None:
            return self.args(operation)
        return [
            (arg.name if isinstance(arg, ConstClass) else str(arg))
            if index == memory.class_arg
            else self.term(arg, operation.line)
            for index, arg in enumerate(operation.args)
        ]

    def _defined(self, condition: Term, operation: Operation, number: int, place: Ahead, what: str = "defined") -> None:
        if condition is not self.terms.true:
            self.heap.tell_apart(condition)
            self.defined.append(Definedness(number, operation, condition, *place, what))

    def handed_over(self, guard: Operation) -> tuple[Term | None, ...] | None:
        """The values that the guard hands over where it fails here."""
        failargs = exit_of(guard).failargs
        if failargs is None:
            return None
        return tuple([None if arg is None else self.term(arg, guard.line) for arg in failargs])

    def pass_guard(self, operation: Operation) -> None:
        """Applies the effect of a passing guard on the heap, and its result."""
        memory = operation.memory
        if memory is not None and memory.meaning is not None:
            args = self._memory_args(operation, memory)
            result = memory.meaning(self.terms, self.heap, self.layout.descr_of(operation), *args)
            if operation.result is not None:
                self.values[operation.result.name] = result


def _computed(terms: ObjectTerms, operation: Operation, args: tuple[Term, ...]) -> Computed:
    row = operation.op
    defined = terms.true if row.defined is None else row.defined(terms, *args)
    result = None if row.meaning is None else row.meaning(terms, *args)
    other = operation.passes if row.is_guard else row.overflows
    return defined, result, terms.true if other is None else other(terms, *args)


class _Encoder:
    def __init__(self, trace: Trace, memory: PairMemory, named: Mapping[int, Term], before: Encoding | None) -> None:
        self._trace = trace
        self._before = before
        self._allocator = Allocator(named)
        terms = memory.fresh_terms if before is None else before.heap.terms
        self._layout = terms.layout
        self._heap = SymbolicHeap(memory, terms, self._allocator, lenient=before is None)
        self._values: dict[str, Term] = {}
        self._computer = _Computer(self._heap, self._values)
        self._defined = self._computer.defined
        self._guards: list[GuardEncoding] = []
        self._calls: CallEncoder | None = None  # of a trace that has calls
        self._positions = 0
        self._number = 0
        for position, var in enumerate(trace.inputs):
            self._values[var.name] = terms.unknown(input_name(position), var.type, 0)
        for known in () if before is None else before.defined:
            if known.operation.op.kind is FACT and not (known.guards or known.events):
                self._heap.learn(known.condition)

    def encoding(self) -> Encoding:
        end = self._computer.args(self._trace.end)
        return Encoding(
            self._trace,
            tuple(self._defined),
            tuple(self._guards),
            () if self._calls is None else tuple(self._calls.events),
            () if self._calls is None else tuple(self._calls.applications),
            end,
            self._heap,
            self._allocator.made,
            self._values,
        )

    def step(self, operation: Operation) -> None:
        if operation.op.is_call:
            operation = meant(operation, self._layout)
        number, kind = self._number, operation.op.kind
        self._number += 1
        if kind is PURE:
            self._computer.compute(operation, number, self._ahead)
        elif kind is POSITION:
            self._positions += 1
        elif kind is EVENT or (kind is FACT and operation.op.is_call):
            self._call(operation, number)
        elif kind is not END:
            if len(self._heap.terms) > MOST_TERMS:
                raise Unsupported(
                    "there are too many ways in which pointers or indices may be the same", operation.line
                )
            self._computer.compute(operation, number, self._ahead)
            if kind is GUARD:
                self._guard(operation, number)
            elif kind is FACT and self._before is None:  # of the optimized trace it is still to be proved
                self._learn_fact(number)

    def _guard(self, operation: Operation, number: int) -> None:
        heap, computer, place, block = self._heap.copy(), self._computer, self._ahead, exit_of(operation).block
        if block:
            left = _exit(operation, number, heap, self._values, place, {})
            self._number += len(block)
        else:
            left = ExitEncoding(computer.handed_over(operation), (), heap, {})
        passes = computer.passes
        self._guards.append(GuardEncoding(operation, passes, left, place[1], self._positions, heap, number))
        if operation.op.memory is not None:
            computer.pass_guard(operation)
        self._heap.learn(passes)

    def _learn_fact(self, number: int) -> None:
        """Takes in what the operation of that number says, if it is the latest."""
        for known in reversed(self._defined):
            if known.op != number:
                return
            self._heap.learn(known.condition)

    @property
    def _events(self) -> int:
        return 0 if self._calls is None else len(self._calls.events)

    @property
    def _ahead(self) -> Ahead:
        return len(self._guards), self._events

    def _call(self, operation: Operation, number: int) -> None:
        if self._calls is None:
            from validator.prove.call_encoder import CallEncoder  # here: many traces have no calls
            from validator.prove.path import Path

            path = Path(self._guards, self._defined, self._before)
            self._calls = CallEncoder(self._heap, path, recorded=self._before is None)
        args = self._computer.args(operation)
        result, defined = self._calls.call(operation, number, args, len(self._guards))
        self._defined += defined
        if operation.result is not None:
            assert result is not None
            self._values[operation.result.name] = result


def _exit(
    operation: Operation,
    number: int,
    heap: SymbolicHeap,
    values: dict[str, Term],
    place: Ahead,
    named: Mapping[int, Term],
) -> ExitEncoding:
    """The state that the guard of that number leaves behind its block. What that defines goes into `values`: its names
    are its own."""
    allocator = Allocator(named)
    computer = _Computer(heap.with_allocator(allocator), values)
    for inner, one in enumerate(exit_of(operation).block, number + 1):
        computer.compute(one, inner, place)
    return ExitEncoding(computer.handed_over(operation), tuple(computer.defined), computer.heap, allocator.made)
