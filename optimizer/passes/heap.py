"""Loads of what is known are not done, nor stores of what is there already, nor stores that nobody sees.

    [p0, i1]                                [p0, i1]
    i2 = getfield_gc_i(p0, descr=value)     i2 = getfield_gc_i(p0, descr=value)
    setfield_gc(p0, i1, descr=value)        guard_true(i2, origin=0) [i1] {
    i3 = getfield_gc_i(p0, descr=value)         setfield_gc(p0, i1, descr=value)
    guard_true(i2) [i3]                 =>  }
    setfield_gc(p0, 7, descr=value)         setfield_gc(p0, 7, descr=value)
    setfield_gc(p0, 7, descr=value)         jump(i1)
    jump(i3)

A store is delayed until somebody may look: a load of what may be the same cell, an event that may see it, the end. A
guard that it crosses has it in its exit block; one that is overwritten meanwhile is never done. What waits is never two
stores to what may be one cell, so that their order does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from optimizer.facts.aliasing import distinct, may_meet
from optimizer.facts.cells import Cell, copy_of, stored_value
from optimizer.facts.facts import Facts
from optimizer.ir.rows.ops import Kind
from optimizer.ir.rows.row import LOAD, STORE
from optimizer.ir.trace import Exit, Operation, Value
from optimizer.ir.types.byte_access import takes_object
from optimizer.ir.types.call_questions import effects_at
from optimizer.ir.types.layout import Field
from optimizer.riders import Answer, Equal, First, Names, Needless, Pass, Taken

MOST_DELAYED = 8
"""The number of stores that wait at a time, at most."""


class HeapAccesses(Pass):
    name = "heap"
    kinds = frozenset({LOAD, STORE})

    def __init__(self) -> None:
        self._delayed: list[tuple[Cell, Operation]] = []  # the oldest first

    def rewrite(self, operation: Operation, facts: Facts) -> Answer | None:
        match operation.op.kind:
            case Kind.LOAD:
                content = facts.memory.content(facts.cell(operation))
                return None if content is None else Equal(content, "known_content")
            case Kind.STORE:
                return self._store(operation, facts)
        return None

    def _store(self, store: Operation, facts: Facts) -> Answer:
        cell = facts.cell(store)
        if facts.memory.content(cell) == stored_value(store):
            return Needless("same_content")
        in_the_way = self._in_the_way(cell, facts)
        if in_the_way:
            return First(tuple(self._take_out(in_the_way)))
        overwritten = self._remove_overwritten(cell, facts)
        self._delayed.append((cell, store))
        return Taken("dead_store" if overwritten else "delayed_store")

    def _in_the_way(self, cell: Cell, facts: Facts) -> list[Cell]:
        """The cells whose stores cannot wait behind a store to `cell`."""
        others = [other for other, _ in self._delayed if not _is_cell(facts, other, cell)]
        met = [other for other in others if may_meet(facts, other, cell)]
        return met or others[:1] * (len(others) == MOST_DELAYED)

    def _remove_overwritten(self, cell: Cell, facts: Facts) -> bool:
        kept = [(other, store) for other, store in self._delayed if not _is_cell(facts, other, cell)]
        found, self._delayed = len(kept) < len(self._delayed), kept
        return found

    def _take_out(self, cells: list[Cell]) -> list[Operation]:
        found = [store for cell, store in self._delayed if cell in cells]
        self._delayed = [(cell, store) for cell, store in self._delayed if cell not in cells]
        return found

    def prepare(self, operation: Operation, facts: Facts) -> Sequence[Operation]:
        return self._due(operation, facts) if self._delayed else ()

    def _due(self, operation: Operation, facts: Facts) -> Sequence[Operation]:
        """The stores that cannot wait any longer."""
        cells = [cell for cell, _ in self._delayed]
        match operation.op.kind:
            case Kind.LOAD:
                loaded = facts.cell(operation)
                cells = [cell for cell in cells if may_meet(facts, cell, loaded)]
            case Kind.COPY:
                copy = copy_of(operation, facts.layout)
                objects = copy.source, copy.object
                cells = [cell for cell in cells if _may_be_of(facts, cell, copy.slot, objects)]
            case Kind.SCAN:
                slot = facts.layout.descr_of(operation)
                assert isinstance(slot, Field)
                cells = [cell for cell in cells if _may_be_of(facts, cell, slot, operation.args)]
            case Kind.RAW_LOAD | Kind.RAW_STORE if takes_object(operation):
                cells = [cell for cell in cells if not distinct(facts, cell.object, operation.args[0])]
            case Kind.EVENT:
                effects = effects_at(operation, facts.layout)
                cells = [cell for cell in cells if effects.may_see(cell.slot)]
            case Kind.END:
                pass
            case Kind.POSITION if operation.op.is_entry:
                pass
            case Kind.GUARD if operation.exit is not None and operation.exit.failargs is None:
                pass
            case _:
                return ()
        return [_resolve(store, facts) for store in self._take_out(cells)]

    def complete(self, exit_: Exit, facts: Facts, names: Names) -> Exit:
        return self._with_stores(exit_, facts) if self._delayed else exit_

    def _with_stores(self, exit_: Exit, facts: Facts) -> Exit:
        stores = [_resolve(store, facts) for _, store in self._delayed]
        return Exit(exit_.failargs, exit_.origin, (*stores, *exit_.block))


def _is_cell(facts: Facts, one: Cell, other: Cell) -> bool:
    """Are these surely one cell?"""
    if one.slot.key != other.slot.key or facts.find(one.object) != facts.find(other.object):
        return False
    if one.index is None or other.index is None:
        return one.index is other.index
    return facts.find(one.index) == facts.find(other.index)


def _may_be_of(facts: Facts, cell: Cell, slot: Field, objects: Iterable[Value]) -> bool:
    """May the cell be one of these objects' items?"""
    return cell.slot.key == slot.key and any(not distinct(facts, cell.object, one) for one in objects)


def _resolve(store: Operation, facts: Facts) -> Operation:
    return store.on(facts.find_all(store.args))
