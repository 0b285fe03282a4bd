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
guard that it crosses has it in its exit block; one that is overwritten meanwhile is never done, nor is the one that
overwrites it, if that stores what was there before both. What waits is never two
stores to what may be one cell, so that their order does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from optimizer.facts.aliasing import distinct, same_cell
from optimizer.facts.cells import Cell, copy_of, stored_value
from optimizer.facts.facts import Facts
from optimizer.ir.rows.row import COPY, EVENT, LOAD, SCAN, STORE
from optimizer.ir.trace import Operation, Value
from optimizer.ir.types.call_questions import effects_at
from optimizer.ir.types.layout import Field
from optimizer.ir.types.memory_cells import takes_object
from optimizer.passes.delayed import DelayedStores, Waiting
from optimizer.riders import Answer, Equal, Needless, Taken


class HeapAccesses(DelayedStores[Cell]):
    name = "heap"
    kinds = frozenset({LOAD, STORE})

    def rewrite(self, operation: Operation, facts: Facts) -> Answer | None:
        if operation.op.kind is STORE:
            return self._store(operation, facts)
        content = facts.memory.content(facts.cell(operation)) if operation.op.kind is LOAD else None
        return None if content is None else Equal(content, "known_content")

    def _store(self, store: Operation, facts: Facts) -> Answer:
        cell = facts.cell(store)
        content = facts.memory.content(cell)
        if content == stored_value(store):
            return Needless("same_content")
        was, kept, met, key = content, self._delayed, [], cell.slot.key
        for waiting in [one for one in kept if one.where.slot.key == key]:
            is_same = same_cell(facts, waiting.where, cell)
            if is_same:
                was, kept = waiting.was, [one for one in kept if one is not waiting]
            elif is_same is None:
                met.append(waiting.where)
        if len(kept) < len(self._delayed) and was is not None and facts.find(was) == stored_value(store):
            self._delayed = kept
            return Taken("stored_back")
        return self._delay(Waiting(cell, store, was), kept, met, "store")

    def _looked_at(self, operation: Operation, facts: Facts) -> Sequence[Cell]:
        kind, cells = operation.op.kind, [one.where for one in self._delayed]
        if kind is LOAD:
            loaded = facts.cell(operation)
            alike = [cell for cell in cells if cell.slot.key == loaded.slot.key]
            return [cell for cell in alike if same_cell(facts, cell, loaded) is not False]
        if kind is EVENT:
            effects = effects_at(operation, facts.layout)
            return [cell for cell in cells if effects.may_see(cell.slot)]
        if kind is COPY:
            copy = copy_of(operation, facts.layout)
            return [cell for cell in cells if _may_be_of(facts, cell, copy.slot, (copy.source, copy.object))]
        if kind is SCAN:
            slot = facts.layout.descr_of(operation)
            assert isinstance(slot, Field)
            return [cell for cell in cells if _may_be_of(facts, cell, slot, operation.args)]
        if takes_object(operation):
            return [cell for cell in cells if not distinct(facts, cell.object, operation.args[0])]
        return ()


def _may_be_of(facts: Facts, cell: Cell, slot: Field, objects: Iterable[Value]) -> bool:
    """May the cell be one of these objects' items?"""
    return cell.slot.key == slot.key and any(not distinct(facts, cell.object, one) for one in objects)
