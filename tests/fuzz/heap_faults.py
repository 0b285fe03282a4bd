"""Faults of an optimizer of heaps, planted in ours: each is to be found by a campaign within a minute."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import heap_patterns as patterns
import pytest
from heap_patterns import Pattern

from fuzz.campaign import Find, FindKind, Made, examine
from fuzz.generate import generate_for
from optimizer import aliasing
from optimizer.conditions import HasClass, Length, meant, passing
from optimizer.facts import Facts
from optimizer.ir.effects import Effects
from optimizer.ir.ops import Kind, Type
from optimizer.ir.trace import ConstClass, ConstInt, Exit, Operation, Trace, Value, Var
from optimizer.memory import Cell, Memory, cell_of, stored_value
from optimizer.passes import references, virtuals
from optimizer.passes.heap import HeapAccesses
from optimizer.passes.references import ReferenceTests
from optimizer.passes.virtuals import Virtuals
from optimizer.pipeline import optimize
from optimizer.riders import Answer, Equal, Merged, Names, Needless
from validator.judge import validate
from validator.verdict import Options, State, Verdict

Plant = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True, slots=True)
class PlantedFault:
    """`breaks` says what the optimizer does wrong; `shows_on` is a pattern of traces on which it may show."""

    name: str
    breaks: str
    shows_on: Pattern
    plant: Plant


@dataclass(frozen=True, slots=True)
class Found:
    seed: int
    kind: FindKind
    message: str
    traces: int
    seconds: float


OPTIONS = Options(effort=1_000_000, timeout_s=5.0)


def judge(before: Trace, after: Trace, state: State) -> Verdict:
    return validate(before, after, OPTIONS, examples=(state,))


def find(fault: PlantedFault, seconds: float, seeds: Iterable[int] | None = None) -> Found | None:
    """What a campaign finds with the fault planted, and not without it; None if it finds nothing in time."""
    start = time.perf_counter()
    for traces, seed in enumerate(count() if seeds is None else seeds, start=1):
        made = Made(seed, generate_for(seed))
        with pytest.MonkeyPatch.context() as patch:
            fault.plant(patch)
            record = examine(made, optimize, judge)
        is_fault = isinstance(record, Find) and record.kind is not FindKind.FAULT
        if isinstance(record, Find) and is_fault and not isinstance(examine(made, optimize, judge), Find):
            return Found(seed, record.kind, record.message, traces, time.perf_counter() - start)
        if time.perf_counter() - start > seconds:
            break
    return None


# What is known of memory.


def _no_invalidation_at_a_store(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Memory, "_forget_meeting", lambda self, cell: None)


def _no_invalidation_at_an_event(patch: pytest.MonkeyPatch) -> None:
    original = Memory.event

    def event(self: Memory, effects: Effects, args: tuple[Value, ...]) -> None:
        original(self, replace(effects, writes=frozenset()), args)

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


FAULTS = (
    PlantedFault(
        "store of the same field",
        "a store leaves alone what is known of the same field of objects that may be the same",
        patterns.store_through_an_alias,
        _no_invalidation_at_a_store,
    ),
    PlantedFault(
        "event",
        "an event leaves alone what is known of memory that it may write",
        patterns.event_between,
        _no_invalidation_at_an_event,
    ),
    PlantedFault(
        "variable index",
        "a store at a variable index leaves alone what is known of other items",
        patterns.variable_index,
        _no_invalidation_at_a_variable_index,
    ),
    PlantedFault(
        "named write",
        "a call that names an immutable field among its writes leaves alone what is known of it",
        patterns.named_write,
        _named_writes_ignored,
    ),
    PlantedFault(
        "materialized twice",
        "a guard's exit block allocates an object once for each failarg that needs it",
        patterns.leaks_twice,
        _materialized_twice,
    ),
    PlantedFault(
        "materialized without fields",
        "an allocation that is put off comes without its stores",
        patterns.leaks_with_fields,
        _materialized_without_fields,
    ),
    PlantedFault(
        "nested virtual",
        "an object that is put off, and held by another one, is not put into it",
        patterns.leaks_nested,
        _nested_not_materialized,
    ),
    PlantedFault(
        "cycle", "objects that refer to each other are looked for forever", patterns.leaks_cycle, _cycle_loops
    ),
    PlantedFault(
        "dead store across a guard",
        "a store is delayed beyond a guard, and is not in its exit block",
        patterns.dead_store_across_a_guard,
        _delayed_stores_not_in_exit_blocks,
    ),
    PlantedFault(
        "write-back",
        "a store of what was read there is dropped, though another store stands between",
        patterns.written_back_behind_a_store,
        _written_back_too_late,
    ),
    PlantedFault(
        "class of a merged guard",
        "a merged guard checks another class",
        patterns.mergeable_guards,
        _merged_with_a_wrong_class,
    ),
    PlantedFault(
        "item and index",
        "a store is dropped where the item is known to be the index, not the stored value",
        patterns.item_that_is_its_index,
        _item_compared_with_the_index,
    ),
    PlantedFault(
        "unset field", "a field of a virtual that was not set is read as 1", patterns.unset_field, _unset_is_not_zero
    ),
    PlantedFault(
        "stale exit block",
        "an exit block rebuilds an object as it was at the first guard",
        patterns.stored_between_guards,
        _stale_exit_block,
    ),
    PlantedFault(
        "alias of a subclass",
        "objects of a struct and of its subclass are taken to be different",
        patterns.alias_under_another_name,
        _subclasses_are_unrelated,
    ),
    PlantedFault(
        "length of another array",
        "a length that is not known is that of another array",
        patterns.two_lengths,
        _length_of_another_array,
    ),
)
