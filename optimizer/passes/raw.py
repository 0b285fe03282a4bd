"""Loads of raw memory whose contents are known are not done, nor stores of what is there already or nobody sees.

    [i0, i1]                                          [i0, i1]
    raw_store(i0, 0, i1, descr=<ArrayS 4>)            i2 = int_and(i1, 65535)
    i2 = raw_load_i(i0, 0, descr=<ArrayU 2>)          guard_true(i1, origin=0) [i2] {
    guard_true(i1) [i2]                          =>       raw_store(i0, 0, i1, descr=<ArrayS 4>)
    raw_store(i0, 0, 7, descr=<ArrayS 8>)             }
    jump(i0)                                          raw_store(i0, 0, 7, descr=<ArrayS 8>)
                                                      jump(i0)

A load takes the lowest bytes of what stands there, with or without a sign, where it begins where that begins; of a
constant it takes any bytes. A store is delayed as one to an object is (see `optimizer.passes.heap`): until somebody may
look at what it may overlap with.
"""

from __future__ import annotations

from collections.abc import Sequence

from optimizer.facts.cells import stored_value
from optimizer.facts.facts import Facts
from optimizer.facts.raw_contents import Place
from optimizer.ir.rows.ops import OPS
from optimizer.ir.rows.row import END, EVENT, FLOAT, GUARD, INT, POSITION, RAW_LOAD, RAW_STORE
from optimizer.ir.trace import ConstInt, Operation, Value
from optimizer.ir.types.call_questions import effects_at
from optimizer.ir.types.layout import RawItem
from optimizer.ir.types.memory_cells import bytes_of, has_kind, number_in, range_of, takes_object
from optimizer.ir.types.memory_types import MemoryKind
from optimizer.passes.delayed import DelayedStores, Waiting
from optimizer.riders import Answer, Becomes, Equal, Needless

_AND, _EXTEND = OPS["int_and"], OPS["int_signext"]


class RawAccesses(DelayedStores[Place]):
    name = "raw"
    kinds = frozenset({RAW_LOAD, RAW_STORE})
    prepared = frozenset({RAW_LOAD, RAW_STORE, EVENT, GUARD, POSITION, END})

    def rewrite(self, operation: Operation, facts: Facts) -> Answer | None:
        if takes_object(operation):
            return None
        if operation.op.kind is RAW_LOAD:
            return self._load(operation, facts)
        is_store = operation.op.kind is RAW_STORE and stored_value(operation).type is INT
        return self._store(operation, facts) if is_store else None

    def _load(self, operation: Operation, facts: Facts) -> Answer | None:
        place, item = facts.raw.place(operation), facts.layout.descr_of(operation)
        found = facts.raw.containing(place)
        if found is None:
            return None
        at, value = found
        if value.type is not operation.op.result:
            return None
        distance = at.distance(place)
        assert distance is not None
        if not isinstance(item, RawItem) or value.type is FLOAT:
            return Equal(value, "raw_content")
        if isinstance(value, ConstInt):
            assert isinstance(at.slot, RawItem)
            held = number_in(item, bytes_of(at.slot, value.value)[distance : distance + item.size], facts.word)
            return Equal(ConstInt(held), "raw_constant")
        return _extended(value, item, facts) if distance == 0 else None

    def _store(self, operation: Operation, facts: Facts) -> Answer:
        place = facts.raw.place(operation)
        if facts.raw.containing(place) == (place, stored_value(operation)):
            return Needless("same_raw_content")
        kept = [one for one in self._delayed if not place.covers(one.where)]
        met = [one.where for one in kept if not one.where.is_apart(place)]
        return self._delay(Waiting(place, operation), kept, met, "raw_store")

    def _looked_at(self, operation: Operation, facts: Facts) -> Sequence[Place]:
        places = [one.where for one in self._delayed]
        if operation.op.kind is EVENT:
            effects = effects_at(operation, facts.layout)
            touched = (*(effects.reads or ()), *(effects.writes or ()))
            return places if effects.sees_everything or has_kind(MemoryKind.RAW, touched) else ()
        if takes_object(operation):
            return ()
        met = facts.raw.place(operation)
        return [at for at in places if not at.is_apart(met)]


def _extended(value: Value, item: RawItem, facts: Facts) -> Answer:
    """The lowest bytes of the value."""
    low, high = range_of(item, facts.word)
    bounds = facts.bounds.bounds(value)
    if low is None or high is None or (low <= bounds.low and bounds.high <= high):
        return Equal(value, "raw_content")
    if item.signed:
        return Becomes(_EXTEND, (value, ConstInt(item.size)), "raw_extended")
    return Becomes(_AND, (value, ConstInt(high)), "raw_masked")
