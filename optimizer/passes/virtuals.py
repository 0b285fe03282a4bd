"""Allocation removal: an object is not allocated before somebody else may see it.

    [i0]
    p1 = new_with_vtable(descr=Box)         [i0]
    setfield_gc(p1, i0, descr=value)        i3 = int_gt(i0, 0)
    i2 = getfield_gc_i(p1, descr=value)     guard_true(i3, origin=0) [p0, i0] {
    i3 = int_gt(i2, 0)                  =>      p0 = new_with_vtable(descr=Box)
    guard_true(i3) [p1, i2]                     setfield_gc(p0, i0, descr=value)
    jump(i2)                                }
                                            jump(i0)

Such a *virtual* object is a list of the stores that have been made to it. It is allocated, with all virtual objects
that can be reached from it, just before an operation that needs it as an object; a guard that fails allocates those
that its exit needs. Stores of what an allocation has cleared anyway are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TypeVar

from optimizer.facts.cells import Cell, copy_of, default_content, is_cleared, stored_value
from optimizer.facts.facts import Facts
from optimizer.ir.rows.ops import OPS, REF, VOID, Kind, Op, Type
from optimizer.ir.rows.row import COPY, EVENT, FACT, LOAD, NEW, STORE
from optimizer.ir.trace import ConstInt, Exit, Operation, Value, Var
from optimizer.ir.types.known_calls import meant
from optimizer.ir.types.layout import Array, Layout, Struct
from optimizer.riders import Answer, Equal, First, Names, Needless, Pass, Taken, Unrolled

V = TypeVar("V", bound=Value | None)

LONGEST = 64
"""The length of the longest array that is not allocated at once."""


@dataclass(slots=True)
class _Virtual:
    """An object that is not there yet, and the last store to each of its cells that has been written, with what is
    there without it, where anybody may read that."""

    allocation: Operation
    allocated: Struct | Array
    stores: dict[tuple[str, Value | None], tuple[Operation, Value | None]] = field(default_factory=dict)

    def has(self, cell: Cell, layout: Layout) -> bool:
        """Is it surely one of its cells?"""
        owner, index = cell.slot.owner, cell.index
        if owner is not None and not layout.is_subclass(self.allocated.name, owner):
            return False
        if isinstance(self.allocated, Struct):
            return index is None
        length = self.allocation.args[0]
        assert isinstance(length, ConstInt)
        return isinstance(index, ConstInt) and 0 <= index.value < length.value

    def content(self, cell: Cell, facts: Facts) -> Value | None:
        stored = self.stores.get((cell.slot.key, cell.index))
        return self._default(cell) if stored is None else facts.find(stored_value(stored[0]))

    def _default(self, cell: Cell) -> Value | None:
        return default_content(cell, self.allocated, is_cleared(self.allocation, self.allocated))

    def store(self, cell: Cell, store: Operation) -> None:
        """A store to a cell that it has."""
        known = self.stores.get((cell.slot.key, cell.index))
        self.stores[cell.slot.key, cell.index] = store, self._default(cell) if known is None else known[1]

    def values(self, facts: Facts) -> list[Value]:
        find = facts.find
        return [find(stored_value(store)) for store, _ in self.stores.values()]

    def needed_stores(self, facts: Facts) -> list[Operation]:
        """The stores that must follow the allocation."""
        find = facts.find
        return [
            store for store, default in self.stores.values() if default is None or find(stored_value(store)) != default
        ]


class Virtuals(Pass):
    name = "virtuals"
    kinds = frozenset({NEW, LOAD, STORE, COPY, FACT, EVENT})

    def __init__(self) -> None:
        self._virtuals: dict[Value, _Virtual] = {}

    def rewrite(self, operation: Operation, facts: Facts) -> Answer | None:
        kind = operation.op.kind
        if kind is NEW:
            return self._allocate(operation, facts)
        if kind is COPY or kind is EVENT:
            known = meant(operation, facts.layout)
            return self._copy(known, facts) if known.op.kind is COPY else None
        virtual = self._virtuals.get(operation.args[0]) if operation.args else None
        if virtual is None:
            return None
        if kind is FACT:
            return Needless("virtual_fact")
        if kind is not LOAD and kind is not STORE:
            return None
        cell = facts.cell(operation)
        has_it = virtual.has(cell, facts.layout)
        if kind is LOAD:
            content = virtual.content(cell, facts) if has_it else None
            return None if content is None else Equal(content, "virtual_load")
        if not has_it:
            return First(tuple(self.prepare(operation, facts)))
        virtual.store(cell, operation)
        return Taken("virtual_store")

    def _copy(self, copy: Operation, facts: Facts) -> Answer | None:
        """A copy to a virtual string or array, or from a virtual array, is so many stores of what is there; references
        may be loaded for that."""
        what, row = copy_of(copy, facts.layout), copy.op.memory
        to, source = self._virtuals.get(what.object), self._virtuals.get(what.source)
        if (to is None and (source is None or (row is not None and row.on))) or not what.cells():
            return None
        done: list[Operation] = []
        stores: list[Operation] = []
        for cell, place in what.cells():
            item = self._content(cell, facts)
            if item is None and source is None and what.slot.type is REF:
                done.append(_access(copy, LOAD, (cell.object, cell.index), facts.fresh(REF)))
                item = done[-1].result
            if item is None or (to is not None and not to.has(place, facts.layout)):
                return None
            stores.append(_access(copy, STORE, (place.object, place.index, item), None))
        return Unrolled((*done, *stores), "virtual_copy")

    def _content(self, cell: Cell, facts: Facts) -> Value | None:
        virtual = self._virtuals.get(cell.object)
        return facts.memory.content(facts.normal(cell)) if virtual is None else virtual.content(cell, facts)

    def _allocate(self, operation: Operation, facts: Facts) -> Answer | None:
        allocated = facts.layout.descr_of(operation)
        assert isinstance(allocated, (Struct, Array))
        if isinstance(allocated, Array):
            length = operation.args[0]
            if not isinstance(length, ConstInt) or not 0 <= length.value <= LONGEST:
                return None
        assert operation.result is not None
        self._virtuals[operation.result] = _Virtual(operation, allocated)
        return Taken("virtual")

    def prepare(self, operation: Operation, facts: Facts) -> Sequence[Operation]:
        if not self._virtuals:
            return ()
        unknown = operation.exit is not None and operation.exit.failargs is None
        if not unknown and self._virtuals.keys().isdisjoint(operation.args):
            return ()
        needed = self._reachable(list(self._virtuals) if unknown else operation.args, facts)
        objects = {var: self._virtuals.pop(var) for var in needed}
        return _build(objects, {var: var for var in objects}, facts)

    def complete(self, exit_: Exit, facts: Facts, names: Names) -> Exit:
        if not self._virtuals:
            return exit_
        failargs = exit_.failargs or ()
        roots = [value for value in failargs if value is not None]
        roots += [arg for operation in exit_.block for arg in operation.args]
        objects = {var: self._virtuals[var] for var in self._reachable(roots, facts)}
        if not objects:
            return exit_
        named = {var: names.fresh(var.type) for var in objects}
        is_plain = named.keys().isdisjoint
        block = [op if is_plain(op.args) else op.on(_renamed(op.args, named)) for op in exit_.block]
        renamed = exit_.failargs and _renamed(failargs, named)
        return Exit(renamed, exit_.origin, (*_build(objects, named, facts), *block))

    def _reachable(self, roots: Iterable[Value], facts: Facts) -> list[Var]:
        """The virtual objects that can be reached from `roots`, each behind those that it holds, but for cycles."""
        found: list[Var] = []
        met: set[Value] = set()
        virtuals = self._virtuals
        pending = [(root, False) for root in roots if root in virtuals]
        pending.reverse()
        while pending:
            value, is_done = pending.pop()
            if is_done:
                assert isinstance(value, Var)
                found.append(value)
            elif value not in met:
                met.add(value)
                pending.append((value, True))
                held = virtuals[value].values(facts)
                pending.extend([(one, False) for one in reversed(held) if one in virtuals])
        return found


def _access(copy: Operation, kind: Kind, args: tuple[Value | None, ...], result: Var | None) -> Operation:
    """An access to an item that the copy reads or writes."""
    row = _row_of(copy.op, kind, VOID if result is None else result.type)
    return Operation(row, tuple(arg for arg in args if arg is not None), result, None, copy.descr, copy.line)


@cache
def _row_of(copy: Op, kind: Kind, result: Type) -> Op:
    """The row of such accesses."""
    memory = copy.memory
    assert memory is not None
    return next(
        row
        for row in OPS.values()
        if row.kind is kind and row.result is result and row.memory is not None
        if (row.memory.on, row.memory.descr) == (memory.on, memory.descr)
    )


def _renamed(values: tuple[V, ...], names: Mapping[Var, Var]) -> tuple[V | Var, ...]:
    return tuple([names.get(value, value) if isinstance(value, Var) else value for value in values])


def _build(objects: Mapping[Var, _Virtual], names: Mapping[Var, Var], facts: Facts) -> list[Operation]:
    """The allocations of these objects by these names, with their stores; what a cycle needs comes last."""
    built: list[Operation] = []
    last: list[Operation] = []
    missing = set(objects)
    for var, virtual in objects.items():
        new = virtual.allocation
        built.append(new if names[var] == var else Operation(new.op, new.args, names[var], None, new.descr, new.line))
        missing.discard(var)
        for store in virtual.needed_stores(facts):
            args = facts.find_all(store.args)
            (built if missing.isdisjoint(args) else last).append(store.on(_renamed(args, names)))
    return built + last
