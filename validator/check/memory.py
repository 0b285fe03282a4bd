"""The heap of one trace: the domain over which the rows of operations on memory are run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import z3

from optimizer.ir.faults import Unsupported
from optimizer.ir.rows.heap_domain import HeapDomain
from optimizer.ir.rows.row import REF, Type
from optimizer.ir.types.calls import Effects
from optimizer.ir.types.memory_types import BYTES, VIEWS, Array, Field, MemoryKind, RawItem, Struct, is_left_open
from validator.check.contents import Contents, stored, written_key
from validator.check.reach import Places
from validator.check.universe import FRESH, NULL, OWN, REFERENCE, Universe, allocation_number

_FEW = 16
"""The number of items that are copied or compared one by one, at most."""


def _asked(question: str) -> Callable[..., Any]:
    """A question about what no trace changes of objects: their classes and lengths."""
    return lambda memory, *args: getattr(memory.universe, question)(*args)


class Memory(Contents, HeapDomain[Any, Any, Any]):
    """One heap as it stands. `numbers` are those of allocations, by the numbers of their operations; `allocating` is
    the number of the one that allocates next. `recorded`: is it that of the recorded trace?

    `asked` are lengths of arrays that must be those of their partners, `loaded` are facts about what has been loaded,
    in every run that gets there; who uses them empties the lists.
    """

    def __init__(self, universe: Universe, numbers: Mapping[int, int], *, recorded: bool) -> None:
        super().__init__(universe)
        self.numbers, self.recorded = numbers, recorded
        self.allocating = self.events = self._invalidations = 0
        self.asked: list[Any] = []
        self.loaded: list[Any] = []
        self._settled: tuple[tuple[Field, Any, Any], ...] = ()
        self._watched: tuple[tuple[Field, Any], ...] = ()
        self._pending = NULL

    def copy(self) -> Memory:
        memory = Memory.__new__(Memory)
        vars(memory).update(vars(self))
        memory.parts, memory.reach = dict(self.parts), self.reach.copy()
        memory.asked, memory.loaded = [], []
        return memory

    # Identity and classes.

    def null(self) -> Any:
        return NULL

    def same(self, p: Any, q: Any) -> Any:
        return p == q

    isa, has_class, has_subclass, has_vtable, has_length, length, has_gc_type, vtable = map(
        _asked, ("isa", "has_class", "has_subclass", "has_vtable", "has_length", "length", "has_gc_type", "vtable")
    )

    # Contents.

    def is_set(self, p: Any, slot: Field, index: Any = None) -> Any:
        return self.held(written_key(slot), p, index)

    def is_settled(self, p: Any, slot: Field, index: Any = None) -> Any:
        """Is it settled? Of the recorded trace it is said of no allocation: what is assumed must not be too much."""
        seen = frozenset() if self.recorded else self.reach.seen
        read = [
            q == p if at is None else z3.And(q == p, at == index)
            for other, q, at in self._settled
            if other.key == slot.key
        ]
        return z3.And(self.universe.among(p, seen), z3.Or(*read))

    def get(self, p: Any, slot: Field, index: Any = None) -> Any:
        if slot.immutable:
            self._settled = (*self._settled, (slot, p, index))
        value = self.read(p, slot, index)
        if slot.type is REF:
            self._know(value, self.reach.load(slot, p))
        elif slot.low is not None and slot.high is not None:
            self.loaded.append(z3.And(value >= slot.low, value <= slot.high))
        return value

    def _know(self, value: Any, places: Places) -> None:
        """The reference, which has been loaded, is one of those, and of those that are known."""
        known = self.reach.places(value) if self.reach.knows(value) else places
        self.reach.note(value, places & known)
        self.loaded.append(self.universe.among(self.universe.learn(value), places))

    def read(self, p: Any, slot: Field, index: Any = None) -> Any:
        return self.held(slot.key, p, index)

    def put(self, p: Any, slot: Field, index: Any, value: Any) -> None:
        self._put(p, slot, index, value)
        self._disturb(p, slot, *([] if index is None else [index]), value)

    def _put(self, p: Any, slot: Field, index: Any, value: Any) -> None:
        self.reach.store(slot, p, index, self.reach.places(value))
        self.change(slot.key, p, lambda held: stored(held, index, value))
        self.change(written_key(slot), p, lambda mark: stored(mark, index, z3.BoolVal(True)))

    def _disturb(self, p: Any, slot: Field, *by: Any) -> None:
        """Makes what the object holds in memory that may overlap with that one a function of what it was and of what
        has been stored: where, and so many bits."""

        def changed(held: Any) -> Any:
            sorts = [arg.sort() for arg in (held, *by, held)]
            return z3.Function(f"{other.key} over {slot.key} {sorts}", *sorts)(held, *by)

        for other in self.universe.slots.values():
            if overlap(slot, other):
                self.change(other.key, p, changed)
                self.reach.pour(other, self.reach.places(p), self.reach.anything())

    # Arrays and ranges of items.

    def are_set(self, p: Any, slot: Field, start: Any, count: Any) -> Any:
        return self._all_of(count, lambda i: self.is_set(p, slot, start + i))

    def same_items(self, slot: Field, p: Any, start: Any, q: Any, at: Any, count: Any) -> Any:
        return self._all_of(count, lambda i: self.read(p, slot, start + i) == self.read(q, slot, at + i))

    def _all_of(self, count: Any, holds: Any) -> Any:
        """Does that hold of all numbers below?"""
        if z3.is_bv_value(count) and count.as_long() <= _FEW:
            return z3.And(*[holds(z3.BitVecVal(i, self.universe.word)) for i in range(count.as_long())])
        i = z3.Const("an index", self.universe.word)
        return z3.ForAll([i], z3.Implies(z3.ULT(i, count), holds(i)))

    def holds(self, p: Any, slot: Field, index: Any, value: Any) -> Any:
        return self.read(p, slot, index) == value

    def copy_items(self, slot: Field, p: Any, start: Any, q: Any, at: Any, count: Any) -> None:
        self.reach.pour(slot, self.reach.places(q), self.reach.load(slot, p))
        source = self.held(slot.key, p)
        written, marks = written_key(slot), self.universe.everywhere(slot, z3.BoolVal(True))
        if (written, None) in self.parts or any(self._cases(written, p)):
            self.parts.setdefault((written, None), z3.K(REFERENCE, marks))
            for number in self.allocated:
                if (slot.key, number) in self.parts:
                    self.parts.setdefault((written, number), marks)
            marks = self.held(written, p)
        self.change(slot.key, q, lambda target: self._copied(source, start, target, at, count))
        self.change(written, q, lambda target: self._copied(marks, start, target, at, count))
        self._disturb(q, slot, self.held(slot.key, q))

    def _copied(self, source: Any, start: Any, target: Any, at: Any, count: Any) -> Any:
        """The content of `target` with `count` items of the source."""
        if z3.is_bv_value(count) and count.as_long() <= _FEW:
            for i in range(count.as_long()):
                target = z3.Store(target, at + i, source[start + i])
            return target
        i = z3.Const("an index", self.universe.word)
        return z3.Lambda([i], z3.If(z3.ULT(i - at, count), source[i - at + start], target[i]))

    def is_text(self, p: Any) -> Any:
        return z3.Or(*[p == text for text in self.universe.texts])

    def hash(self, p: Any, slot: Field) -> Any:
        items, length = self.held(slot.key, p), self.length(p)
        hashed = z3.Function(f"hash {slot.key}", items.sort(), length.sort(), length.sort())(items, length)
        return z3.If(hashed == 0, z3.BitVecVal(1, self.universe.word), hashed)

    # Raw memory stands in NULL, found by addresses. Fields of raw structs may be among the bytes.

    def get_raw(self, what: RawItem | Field, address: Any) -> Any:
        return self.get_bytes(NULL, what, address)

    def set_raw(self, what: RawItem | Field, address: Any, value: Any) -> None:
        self.set_bytes(NULL, what, address, value)

    def get_bytes(self, p: Any, what: RawItem | Field, at: Any) -> Any:
        if isinstance(what, Field) or what.type is REF:
            return self.get(p, memory_of(what), at)
        parts = [self.read(p, what.slot, at + i) for i in reversed(range(what.size))]
        number = parts[0] if len(parts) == 1 else z3.Concat(*parts)
        missing = max(0, self.universe.layout.word - 8 * what.size)
        return z3.SignExt(missing, number) if what.signed else z3.ZeroExt(missing, number)

    def set_bytes(self, p: Any, what: RawItem | Field, at: Any, value: Any) -> None:
        if isinstance(what, Field) or what.type is REF:
            self._put(p, memory_of(what), at, value)
        else:
            value = z3.Extract(8 * what.size - 1, 0, value)
            for i in range(what.size):
                self._put(p, what.slot, at + i, z3.Extract(8 * i + 7, 8 * i, value))
        self._disturb(p, memory_of(what), at, value)

    def address(self, p: Any) -> Any:
        if p.sort() != REFERENCE:
            return p
        if z3.is_bv_value(p) and p.as_long() >= FRESH:
            raise Unsupported("the address of an object that the trace allocates")
        address = self.universe.apply("address", Type.INT, (p,))
        self.universe.facts += [self.universe.apply("object at", REF, (address,)) == p, (address == 0) == (p == NULL)]
        return address

    def object_at(self, address: Any) -> Any:
        p = self.universe.learn(self.universe.apply("object at", REF, (address,)))
        self.universe.facts.append(self.universe.apply("address", Type.INT, (p,)) == address)
        self.universe.facts.append(z3.Implies(address == 0, p == NULL))
        self._know(p, self.reach.anything())
        return p

    # Fresh objects.

    def new_struct(self, struct: Struct) -> Any:
        return self._allocate(struct, None, struct.cleared)

    def new_array(self, array: Array, length: Any, cleared: bool) -> Any:
        return self._allocate(array, length, cleared)

    def _allocate(self, type_: Struct | Array, length: Any, cleared: bool) -> Any:
        number = self.numbers.get(self.allocating, OWN + self.allocating)
        if number in self.allocated or self.universe.types.get(number, type_) != type_:
            number = OWN + self.allocating
        p = self.universe.allocation(number, type_)
        self.reach.note(p, frozenset({number}))
        self.allocated = (*self.allocated, number)
        if length is not None:
            has_partner = number < OWN and not self.recorded
            (self.asked if has_partner else self.universe.facts).append(length == self.universe.length(p))
        for slot in self.universe.slots.values():
            if self.universe.has_slot(number, slot):
                is_item, is_ref = slot.key in self.universe.indexed, slot.type is REF
                self._clear(number, slot, cleared or not is_left_open(type_, slot.key, is_item=is_item, is_ref=is_ref))
        return p

    def _clear(self, number: int, slot: Field, cleared: bool) -> None:
        universe, key, written = self.universe, slot.key, written_key(slot)
        unknown = universe.base(slot, 0)[allocation_number(number)]
        self.parts[key, number] = universe.everywhere(slot, universe.zero(slot)) if cleared else unknown
        if not cleared or (written, None) in self.parts:
            self.parts[written, number] = universe.everywhere(slot, z3.BoolVal(cleared))

    # The environment.

    def is_valid(self) -> Any:
        return self.universe.is_valid(self._invalidations)

    def watch(self, p: Any, slot: Field) -> None:
        self._watched = (*self._watched, (slot, p))

    def is_forced(self) -> Any:
        return z3.Bool(f"forced behind {self.events}")

    def has_future(self) -> Any:
        return z3.Bool(f"future behind {self.events}")

    def pending(self) -> Any:
        return self._pending

    def set_pending(self, p: Any) -> None:
        self._pending = p

    def happen(self, event: int, effects: Effects, found: Places) -> Iterator[Any]:
        """The event of that number, which has found those allocations, returns. What it may have changed is unknown
        from now on, and the same for both traces; what it was promised not to change comes as conditions: what is
        watched does not where the code is valid behind the event."""
        self._invalidations += effects.can_invalidate
        written = {key: slot for key, slot in self.universe.slots.items() if effects.may_write(slot)}
        always, valid = z3.BoolVal(True), self.is_valid()
        kept = [(*cell, always) for cell in self._settled] + [(slot, p, None, valid) for slot, p in self._watched]
        was = [(*cell, self.read(cell[1], cell[0], cell[2])) for cell in kept if cell[0].key in written]
        self.reach.happen(found.intersection(self.allocated), written.values())
        for slot in written.values():
            self.written_by(event, slot)
        for slot in written.values():
            if slot.kind is MemoryKind.RAW:
                self._disturb(NULL, slot, self.held(slot.key, NULL))
        self.events = event + 1
        for slot, p, index, promised, value in was:
            yield z3.Implies(promised, self.read(p, slot, index) == value)


def memory_of(what: RawItem | Field) -> Field:
    return what.slot if isinstance(what, RawItem) else what


def overlap(one: Field, other: Field) -> bool:
    """May they be the same bytes, one by their place and the other one by name? References and numbers never are."""
    by_place = [slot.key in (BYTES.key, *VIEWS) for slot in (one, other)]
    is_raw = [slot.kind is MemoryKind.RAW for slot in (one, other)]
    return by_place[0] != by_place[1] and is_raw[0] == is_raw[1] and (one.type is REF) == (other.type is REF)
