"""What a trace must hold for a fault of an optimizer to show: patterns that the generator makes often."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

from optimizer.ir.rows.ops import DescrKind, Kind, Type
from optimizer.ir.trace import ConstInt, Operation, Trace, Value, Var, exit_of
from optimizer.ir.types.call_questions import effects_at
from optimizer.ir.types.layout import Field, Layout
from optimizer.ir.types.trace_layout import layout_of


@dataclass(frozen=True, slots=True)
class Access:
    """A load or store: `value` is what is there then."""

    at: int
    operation: Operation
    slot: Field
    pointer: Value
    index: Value | None
    value: Value | None

    @property
    def stores(self) -> bool:
        return self.operation.op.kind is Kind.STORE

    @property
    def cell(self) -> tuple[str, Value, Value | None]:
        return self.slot.key, self.pointer, self.index


class Told:
    """A trace, taken apart for patterns to look at."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.layout: Layout = layout_of(trace)
        self.accesses = list(_accesses(trace, self.layout))
        self.fresh = {op.result: at for at, op in enumerate(trace.ops) if op.op.kind is Kind.NEW if op.result}
        self.guards = [at for at, op in enumerate(trace.ops) if op.op.is_guard]
        self.events = [at for at, op in enumerate(trace.ops) if op.op.kind is Kind.EVENT]

    def is_old(self, pointer: Value) -> bool:
        return pointer not in self.fresh

    def again(self) -> Iterator[tuple[Access, Access, list[Access]]]:
        """Two accesses to one cell, the nearest ones, and the accesses to that memory between them."""
        last: dict[tuple[str, Value, Value | None], Access] = {}
        for access in self.accesses:
            before = last.get(access.cell)
            if before is not None:
                yield before, access, self.between(before, access)
            last[access.cell] = access

    def between(self, one: Access, other: Access) -> list[Access]:
        return [a for a in self.accesses if one.at < a.at < other.at and a.slot.key == one.slot.key]

    def guards_between(self, one: Access, other: Access) -> list[int]:
        return [at for at in self.guards if one.at < at < other.at]

    def events_between(self, one: Access, other: Access) -> list[int]:
        return [at for at in self.events if one.at < at < other.at]

    def leaks(self, var: Value) -> list[int]:
        """Where the object is handed to an event or the end, or put into an old one."""
        ops = self.trace.ops
        handed = [at for at, op in enumerate(ops) if op.op.kind in (Kind.EVENT, Kind.END) and var in op.args]
        return handed + [a.at for a in self.accesses if a.stores and a.value == var and self.is_old(a.pointer)]

    def held(self) -> dict[Value, set[Value]]:
        """Which fresh objects are put into which."""
        held: dict[Value, set[Value]] = {}
        for access in self.accesses:
            if access.stores and access.value in self.fresh and access.pointer in self.fresh:
                held.setdefault(access.pointer, set()).add(access.value)
        return held


def _accesses(trace: Trace, layout: Layout) -> Iterator[Access]:
    for at, op in enumerate(trace.ops):
        memory = op.memory
        if op.op.kind in (Kind.LOAD, Kind.STORE) and memory is not None:
            slot = layout.descr_of(op)
            assert isinstance(slot, Field)
            index = None if memory.descr is DescrKind.FIELD else op.args[1]
            value = op.result if memory.stores is None else op.args[memory.stores]
            yield Access(at, op, slot, op.args[0], index, value)


def store_through_an_alias(told: Told) -> bool:
    return any(
        second.operation.op.kind is Kind.LOAD
        and told.is_old(first.pointer)
        and any(a.stores and a.pointer != first.pointer and told.is_old(a.pointer) for a in between)
        for first, second, between in told.again()
    )


def event_between(told: Told) -> bool:
    return any(
        not second.stores
        and told.is_old(first.pointer)
        and any(
            effects_at(told.trace.ops[at], told.layout).may_write(first.slot)
            for at in told.events_between(first, second)
        )
        for first, second, _ in told.again()
    )


def reloaded_behind_a_watch(told: Told) -> bool:
    """Two loads of a watched field, with an event between them that can invalidate, and no check of the code."""
    ops = told.trace.ops
    watched = {(op.args[0], told.layout.field(op.descr or "").key) for op in ops if op.op.name == "quasiimmut_field"}
    return any(
        (one.pointer, one.slot.key) in watched
        and not other.stores
        and any(effects_at(ops[at], told.layout).can_invalidate for at in told.events_between(one, other))
        and all(ops[at].op.name != "guard_not_invalidated" for at in told.guards_between(one, other))
        for one, other, _ in told.again()
    )


def variable_index(told: Told) -> bool:
    return any(
        not second.stores
        and isinstance(first.index, ConstInt)
        and any(a.stores and isinstance(a.index, Var) and a.pointer == first.pointer for a in between)
        for first, second, between in told.again()
    )


def named_write(told: Told) -> bool:
    return any(
        not second.stores
        and first.slot.immutable
        and any(
            effects_at(told.trace.ops[at], told.layout).may_write(first.slot)
            for at in told.events_between(first, second)
        )
        for first, second, _ in told.again()
    )


def leaks_twice(told: Told) -> bool:
    return any(len(told.leaks(var)) > 1 for var in told.fresh)


def leaks_with_fields(told: Told) -> bool:
    return any(a.stores and a.at < at for a in told.accesses if a.pointer in told.fresh for at in told.leaks(a.pointer))


def leaks_nested(told: Told) -> bool:
    return any(told.leaks(outer) and inner - {outer} for outer, inner in told.held().items())


def leaks_cycle(told: Told) -> bool:
    held = told.held()
    return any(told.leaks(var) and var in _reached(var, held) for var in held)


def _reached(start: Value, held: dict[Value, set[Value]]) -> set[Value]:
    found: set[Value] = set()
    pending = set(held.get(start, ()))
    while pending:
        found |= pending
        pending = {value for one in pending for value in held.get(one, ())} - found
    return found


def dead_store_across_a_guard(told: Told) -> bool:
    return any(
        first.stores
        and second.stores
        and first.value != second.value
        and told.is_old(first.pointer)
        and told.guards_between(first, second)
        and not between
        and not told.events_between(first, second)
        for first, second, between in told.again()
    )


def written_back_behind_a_store(told: Told) -> bool:
    return any(
        not first.stores
        and second.stores
        and first.value == second.value
        and any(a.stores and a.value != first.value for a in between)
        for first, second, between in told.again()
    )


def mergeable_guards(told: Told) -> bool:
    guards = [told.trace.ops[at] for at in told.guards]
    return any(
        first.args
        and first.args[0].type is Type.REF
        and len(first.args) == 1
        and first.args[0] == second.args[0]
        and (memory := second.memory) is not None
        and memory.class_arg is not None
        for first, second in pairwise(guards)
        if second.args
    )


def item_that_is_its_index(told: Told) -> bool:
    return any(
        first.stores and second.stores and first.value == first.index and second.value != first.index
        for first, second, _ in told.again()
    )


def unset_field(told: Told) -> bool:
    """A fresh object is read where nothing was stored, or leaks with a field that is not set."""
    stored = {access.cell for access in told.accesses if access.stores}
    return any(
        access.pointer in told.fresh and not access.stores and access.cell not in stored and access.index is None
        for access in told.accesses
    )


def stored_between_guards(told: Told) -> bool:
    """Two guards hand over a fresh object, the second one with another content."""
    ops = told.trace.ops
    return any(
        any(pointer in (exit_of(ops[at]).failargs or ()) for at in told.guards if first.at < at < second.at)
        and any(pointer in (exit_of(ops[at]).failargs or ()) for at in told.guards if at > second.at)
        for first, second, _ in told.again()
        for pointer in (first.pointer,)
        if pointer in told.fresh and second.stores and first.value != second.value
    )


def alias_under_another_name(told: Told) -> bool:
    return any(
        not second.stores
        and told.is_old(first.pointer)
        and any(
            a.stores
            and a.operation.descr != first.operation.descr
            and a.pointer != first.pointer
            and told.is_old(a.pointer)
            for a in between
        )
        for first, second, between in told.again()
    )


def two_lengths(told: Told) -> bool:
    """The lengths of two arrays that are not made by the trace, or of one that is and one that is not."""
    lengths = [
        op.args[0]
        for op in told.trace.ops
        if op.op.kind is Kind.PURE and (memory := op.memory) is not None and memory.descr is DescrKind.ARRAY
    ]
    return any(one != other for one, other in combinations(lengths, 2))


Pattern = Callable[[Told], bool]
