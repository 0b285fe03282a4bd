"""Faults of an optimizer of heaps: in what is known of memory, stores, virtual objects, guards on references."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from faults import heap_patterns as patterns
from faults.heap_patterns import Pattern
from faults.planting import OptimizerFault, Plant

from optimizer.facts import aliasing
from optimizer.facts.cells import Cell, cell_of, stored_value
from optimizer.facts.conditions import HasClass, Length, meant, passing
from optimizer.facts.facts import Facts
from optimizer.facts.memory import Memory
from optimizer.ir.rows.ops import Kind, Type
from optimizer.ir.trace import ConstClass, ConstInt, Exit, Operation, Value, Var
from optimizer.ir.types.calls import Effects
from optimizer.passes import references, virtuals
from optimizer.passes.heap import HeapAccesses
from optimizer.passes.references import ReferenceTests
from optimizer.passes.virtuals import Virtuals
from optimizer.riders import Answer, Equal, Merged, Names, Needless

# What is known of memory.


def _no_invalidation_at_a_store(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Memory, "_forget_meeting", lambda self, cell: None)


def _no_invalidation_at_an_event(patch: pytest.MonkeyPatch) -> None:
    original = Memory.event

    def event(self: Memory, effects: Effects, args: tuple[Value, ...]) -> None:
        original(self, replace(effects, writes=frozenset()), args)

    patch.setattr(Memory, "event", event)


def _watched_over_every_event(patch: pytest.MonkeyPatch) -> None:
    original = Memory.event

    def event(self: Memory, effects: Effects, args: tuple[Value, ...]) -> None:
        original(self, effects, args)
        self.recall()

    patch.setattr(Memory, "event", event)


def _no_invalidation_at_a_variable_index(patch: pytest.MonkeyPatch) -> None:
    forget, put = Memory._forget_meeting, Memory._put_local

    def forget_meeting(self: Memory, cell: Cell) -> None:
        if not isinstance(cell.index, Var):
            forget(self, cell)

    def put_local(self: Memory, local: Any, cell: Cell, value: Value, written: bool) -> None:
        put(self, local, cell, value, written and not isinstance(cell.index, Var))

    patch.setattr(Memory, "_forget_meeting", forget_meeting)
    patch.setattr(Memory, "_put_local", put_local)


def _named_writes_ignored(patch: pytest.MonkeyPatch) -> None:
    original = Memory.event

    def event(self: Memory, effects: Effects, args: tuple[Value, ...]) -> None:
        slots = self._facts.slots
        writes = effects.writes
        if writes is not None:
            writes = frozenset(key for key in writes if key not in slots or not slots[key].immutable)
        original(self, replace(effects, writes=writes), args)

    patch.setattr(Memory, "event", event)


def _unset_is_not_zero(patch: pytest.MonkeyPatch) -> None:
    original: Any = vars(virtuals)["default_content"]

    def default_content(slot: Any, allocated: Any, cleared: bool) -> Value | None:
        value = original(slot, allocated, cleared)
        return ConstInt(1) if value is not None and slot.type is Type.INT else value

    patch.setattr(virtuals, "default_content", default_content)


def _subclasses_are_unrelated(patch: pytest.MonkeyPatch) -> None:
    def types_differ(facts: Facts, one: Any, other: Any) -> bool:
        return one.isa is not None and other.isa is not None and one.isa != other.isa

    patch.setattr(aliasing, "_types_differ", types_differ)


# Stores.


def _delayed_stores_not_in_exit_blocks(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(HeapAccesses, "complete", lambda self, exit_, facts, names: exit_)


def _needless_store(patch: pytest.MonkeyPatch, is_needless: Callable[[Operation, Facts], bool]) -> None:
    original = HeapAccesses._store

    def store(self: HeapAccesses, operation: Operation, facts: Facts) -> Answer:
        return Needless("planted") if is_needless(operation, facts) else original(self, operation, facts)

    patch.setattr(HeapAccesses, "_store", store)


def _written_back_too_late(patch: pytest.MonkeyPatch) -> None:
    def was_read_there(store: Operation, facts: Facts) -> bool:
        load = facts.definition(stored_value(store))
        if load is None or load.op.kind is not Kind.LOAD:
            return False
        one, other = cell_of(load, facts.layout), cell_of(store, facts.layout)
        return (one.slot.key, one.object, one.index) == (other.slot.key, other.object, other.index)

    _needless_store(patch, was_read_there)


def _item_compared_with_the_index(patch: pytest.MonkeyPatch) -> None:
    _needless_store(patch, lambda store, facts: facts.memory.content(cell_of(store, facts.layout)) == store.args[1])


# Virtual objects.


def _materialized_twice(patch: pytest.MonkeyPatch) -> None:
    original = Virtuals.complete

    def complete(self: Virtuals, exit_: Exit, facts: Facts, names: Names) -> Exit:
        if exit_.failargs is None:
            return original(self, exit_, facts, names)
        each = [original(self, replace(exit_, failargs=(arg,), block=()), facts, names) for arg in exit_.failargs]
        block = original(self, replace(exit_, failargs=()), facts, names).block
        failargs = tuple(arg for one in each for arg in one.failargs or ())
        return replace(exit_, failargs=failargs, block=(*(op for one in each for op in one.block), *block))

    patch.setattr(Virtuals, "complete", complete)


def _needed_stores(patch: pytest.MonkeyPatch, is_needed: Callable[[Operation, Facts], bool]) -> None:
    original = virtuals._Virtual.needed_stores

    def needed_stores(self: Any, facts: Facts) -> Iterator[Operation]:
        return (store for store in original(self, facts) if is_needed(store, facts))

    patch.setattr(virtuals._Virtual, "needed_stores", needed_stores)


def _materialized_without_fields(patch: pytest.MonkeyPatch) -> None:
    _needed_stores(patch, lambda store, facts: False)


def _nested_not_materialized(patch: pytest.MonkeyPatch) -> None:
    _needed_stores(patch, lambda store, facts: not facts.references.is_local(facts.find(stored_value(store))))


def _cycle_loops(patch: pytest.MonkeyPatch) -> None:
    def reachable(self: Virtuals, roots: Iterable[Value], facts: Facts) -> list[Var]:
        found: dict[Var, None] = {}
        for root in roots:
            if isinstance(root, Var) and root in self._virtuals:
                found.update(dict.fromkeys(reachable(self, self._virtuals[root].values(facts), facts)))
                found[root] = None
        return list(found)

    patch.setattr(Virtuals, "_reachable", reachable)


def _stale_exit_block(patch: pytest.MonkeyPatch) -> None:
    original = Virtuals.complete
    first: dict[tuple[int, Value], Any] = {}

    def complete(self: Virtuals, exit_: Exit, facts: Facts, names: Names) -> Exit:
        now = self._virtuals
        stale = {
            var: first.setdefault((id(facts), var), replace(virtual, stores=dict(virtual.stores)))
            for var, virtual in now.items()
        }
        self._virtuals = stale
        try:
            return original(self, exit_, facts, names)
        finally:
            self._virtuals = now

    patch.setattr(Virtuals, "complete", complete)


# Guards and tests.


def _merged_with_a_wrong_class(patch: pytest.MonkeyPatch) -> None:
    original = ReferenceTests._judge

    def judge_guard(self: ReferenceTests, guard: Operation, facts: Facts) -> Answer | None:
        answer = original(self, guard, facts)
        match answer, passing(guard):
            case Merged(args=(value, _)), HasClass(_, vtable):
                structs = facts.layout.declarations.structs
                others = [struct.vtable for struct in structs if struct.vtable != vtable]
                return replace(answer, args=(value, ConstClass(others[0]))) if others else answer
        return answer

    patch.setattr(ReferenceTests, "_judge", judge_guard)


def _length_of_another_array(patch: pytest.MonkeyPatch) -> None:
    original = references._compute

    def compute(operation: Operation, facts: Facts) -> Answer | None:
        match meant(operation):
            case Length(value) if facts.references.about(value).length is None:
                lengths = [about.length for about in facts.references._about.values() if about.length is not None]
                return Equal(facts.find(lengths[-1]), "planted") if lengths else None
        return original(operation, facts)

    patch.setattr(references, "_compute", compute)


CORPUS = Path(__file__).parent.parent.parent / "corpus"

SHOWS_ON: dict[str, Pattern] = {
    "store of the same field": patterns.store_through_an_alias,
    "watched over an event": patterns.reloaded_behind_a_watch,
    "event": patterns.event_between,
    "variable index": patterns.variable_index,
    "named write": patterns.named_write,
    "materialized twice": patterns.leaks_twice,
    "materialized without fields": patterns.leaks_with_fields,
    "nested virtual": patterns.leaks_nested,
    "cycle": patterns.leaks_cycle,
    "dead store across a guard": patterns.dead_store_across_a_guard,
    "write-back": patterns.written_back_behind_a_store,
    "class of a merged guard": patterns.mergeable_guards,
    "item and index": patterns.item_that_is_its_index,
    "unset field": patterns.unset_field,
    "stale exit block": patterns.stored_between_guards,
    "alias of a subclass": patterns.alias_under_another_name,
    "length of another array": patterns.two_lengths,
}
"""By the names of faults, the patterns of traces on which they may show."""


CASES = {
    "store of the same field": "load-behind-a-store-through-an-alias",
    "event": "load-behind-an-event",
    "watched over an event": "quasi-immutable-field-behind-an-invalidation",
    "variable index": "item-at-a-variable-index",
    "named write": "immutable-field-that-a-call-names",
    "materialized twice": "materialized-twice",
    "materialized without fields": "materialized-without-fields",
    "nested virtual": "nested-virtual-not-materialized",
    "cycle": "virtual-cycle",
    "dead store across a guard": "dead-store-across-a-guard",
    "write-back": "store-of-what-was-there",
    "class of a merged guard": "merged-guard-with-another-class",
    "item and index": "item-is-not-its-index",
    "unset field": "unset-field-is-not-one",
    "stale exit block": "materialized-with-a-later-value",
    "alias of a subclass": "load-behind-a-store-through-a-subclass",
    "length of another array": "length-of-another-array",
}
"""The cases of the corpus that show them."""


def _fault(name: str, breaks: str, plant: Plant) -> OptimizerFault:
    return OptimizerFault(name, breaks, "heap", plant, (CORPUS / CASES[name] / "before.trace").read_text())


HEAP_FAULTS = (
    _fault(
        "store of the same field",
        "a store leaves alone what is known of the same field of objects that may be the same",
        _no_invalidation_at_a_store,
    ),
    _fault("event", "an event leaves alone what is known of memory that it may write", _no_invalidation_at_an_event),
    _fault(
        "watched over an event",
        "an event that can invalidate leaves alone what is watched, also where it has done so",
        _watched_over_every_event,
    ),
    _fault(
        "variable index",
        "a store at a variable index leaves alone what is known of other items",
        _no_invalidation_at_a_variable_index,
    ),
    _fault(
        "named write",
        "a call that names an immutable field among its writes leaves alone what is known of it",
        _named_writes_ignored,
    ),
    _fault(
        "materialized twice",
        "a guard's exit block allocates an object once for each failarg that needs it",
        _materialized_twice,
    ),
    _fault(
        "materialized without fields",
        "an allocation that is put off comes without its stores",
        _materialized_without_fields,
    ),
    _fault(
        "nested virtual",
        "an object that is put off, and held by another one, is not put into it",
        _nested_not_materialized,
    ),
    _fault("cycle", "objects that refer to each other are looked for forever", _cycle_loops),
    _fault(
        "dead store across a guard",
        "a store is delayed beyond a guard, and is not in its exit block",
        _delayed_stores_not_in_exit_blocks,
    ),
    _fault(
        "write-back",
        "a store of what was read there is dropped, though another store stands between",
        _written_back_too_late,
    ),
    _fault("class of a merged guard", "a merged guard checks another class", _merged_with_a_wrong_class),
    _fault(
        "item and index",
        "a store is dropped where the item is known to be the index, not the stored value",
        _item_compared_with_the_index,
    ),
    _fault("unset field", "a field of a virtual that was not set is read as 1", _unset_is_not_zero),
    _fault("stale exit block", "an exit block rebuilds an object as it was at the first guard", _stale_exit_block),
    _fault(
        "alias of a subclass",
        "objects of a struct and of its subclass are taken to be different",
        _subclasses_are_unrelated,
    ),
    _fault("length of another array", "a length that is not known is that of another array", _length_of_another_array),
)
