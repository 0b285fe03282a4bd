"""A heap as Z3 arrays of arrays: from references to keys (a field, or an index) to words.

There is one such array for all memory, unless events change only part of it; then there is one for each part that
events tell apart. Every store and allocation makes a new array, with an equation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import z3

from benchmarks.naive_objects import FRESH, WORD, Objects
from optimizer.ir.domains.term import Term
from optimizer.ir.faults import Unsupported
from optimizer.ir.rows.heap_domain import HeapDomain
from optimizer.ir.rows.row import Type
from optimizer.ir.types.effects import Effects
from optimizer.ir.types.layout import Array, Field, RawItem, Struct
from validator.prove.terms.object_kinds import ARRAYS, STRUCTS, validity_name
from validator.prove.terms.pointers import at_event

Watched = tuple[tuple[Field, Any, Any | None], ...]


@dataclass
class NaiveHeap(HeapDomain[Any, Any, Any]):
    """One heap as it stands. `equations` takes the definitions of the arrays that it makes.

    `allocations` are the terms of what the trace has allocated; `named` are those of allocations by number, and
    `allocating` the number of the next one. `lenient` heaps take what may not be settled for not settled.
    """

    objects: Objects
    equations: list[Any]
    named: Mapping[int, Term]
    lenient: bool
    arrays: dict[int, Any] = field(default_factory=dict)
    marks: Any = None
    allocations: tuple[Term, ...] = ()
    allocating: int = 0
    events: int = 0
    invalidated: int = 0
    settled: Watched = ()
    watched: Watched = ()
    protected: Watched = ()
    mismatch: tuple[Any, Any] | None = None

    def __post_init__(self) -> None:
        self.arrays = self.arrays or dict(self.objects.begin(0))
        self.marks = self.objects.marks_at(0) if self.marks is None else self.marks

    def copy(self) -> NaiveHeap:
        return self.with_names(self.named)

    def with_names(self, named: Mapping[int, Term]) -> NaiveHeap:
        """A copy whose further allocations have other names."""
        heap = NaiveHeap.__new__(NaiveHeap)
        heap.__dict__.update(self.__dict__, named=named, arrays=dict(self.arrays))
        return heap

    def define(self, value: Any) -> Any:
        """A fresh constant that is equal to it."""
        fresh = z3.FreshConst(value.sort())
        self.equations.append(fresh == value)
        return fresh

    # Raw memory, bytes and addresses of objects are not modelled here.

    def get_raw(self, slot: RawItem | Field, address: Any) -> Any:
        raise Unsupported("raw memory")

    def set_raw(self, slot: RawItem | Field, address: Any, value: Any) -> None:
        raise Unsupported("raw memory")

    # Nor are comparisons of items.

    def same_items(self, slot: Field, p: Any, start: Any, q: Any, at: Any, count: Any) -> Any:
        raise Unsupported("comparisons of items")

    def holds(self, p: Any, slot: Field, index: Any, value: Any) -> Any:
        raise Unsupported("comparisons of items")

    def get_bytes(self, p: Any, item: RawItem, offset: Any) -> Any:
        raise Unsupported("bytes of objects")

    def set_bytes(self, p: Any, item: RawItem, offset: Any, value: Any) -> None:
        raise Unsupported("bytes of objects")

    def address(self, p: Any) -> Any:
        raise Unsupported("addresses of objects")

    def object_at(self, address: Any) -> Any:
        raise Unsupported("addresses of objects")

    # Identity and classes.

    def null(self) -> Any:
        return self.objects.null

    def same(self, p: Any, q: Any) -> Any:
        return p == q

    def isa(self, p: Any, owner: str) -> Any:
        return self.objects.is_in(p, self.objects.terms.class_range(owner))

    def has_vtable(self, p: Any) -> Any:
        return self.objects.is_in(p, STRUCTS)

    def has_class(self, p: Any, vtable: str) -> Any:
        terms = self.objects.terms
        struct = terms.layout.struct_of_vtable(vtable)
        if struct.declared:
            first = terms.class_range(struct.name)[0]
            return self.objects.is_in(p, (first, first))
        return self.objects.class_of(p) == self.objects.class_term(terms.class_name(vtable))

    def has_subclass(self, p: Any, vtable: str) -> Any:
        struct = self.objects.terms.layout.struct_of_vtable(vtable)
        return self.isa(p, struct.name) if struct.declared else self.has_class(p, vtable)

    def gc_type(self, p: Any) -> Any:
        return self.objects.gc_type_of(self.objects.class_of(p))

    # Contents.

    def is_set(self, p: Any, slot: Field, index: Any | None = None) -> Any:
        if self.objects.clears_all or (slot.type is Type.REF and index is None):
            return self.objects.words.truth(True)
        return self.marks[p][self.objects.key_of(slot, index)]

    def is_settled(self, p: Any, slot: Field, index: Any | None = None) -> Any:
        words = self.objects.words
        pointers, now = self.objects.terms.pointers, at_event(self.events)
        seen = [alloc for alloc in self.allocations if pointers.is_seen(alloc, now)]
        if self.lenient:
            seen = [alloc for alloc in seen if alloc in pointers.surely_seen]
        is_old = z3.Or(z3.ULT(p, FRESH), *[p == self.objects.allocation(alloc) for alloc in seen])
        read = words.truth(False)
        for other, q, at in self.settled:
            if other.key == slot.key:
                read = words.either(read, words.both(p == q, words.truth(True) if at is None else at == index))
        return words.both(is_old, read)

    def get(self, p: Any, slot: Field, index: Any | None = None) -> Any:
        if slot.immutable:
            self.settled = (*self.settled, (slot, p, index))
        self.objects.learn_content(slot, p, self.objects.key_of(slot, index))
        return self.read(p, slot, index)

    def read(self, p: Any, slot: Field, index: Any | None) -> Any:
        return self.arrays[self.objects.parts[slot.key]][p][self.objects.key_of(slot, index)]

    def set_field(self, p: Any, slot: Field, value: Any) -> None:
        self._put(p, slot, None, value)

    def set_item(self, p: Any, slot: Field, index: Any, value: Any) -> None:
        self._put(p, slot, index, value)

    def _put(self, p: Any, slot: Field, index: Any | None, value: Any) -> None:
        part, key = self.objects.parts[slot.key], self.objects.key_of(slot, index)
        array = self.arrays[part]
        self.arrays[part] = self.define(z3.Store(array, p, z3.Store(array[p], key, value)))
        if not self.objects.clears_all:
            mark = self.objects.words.truth(True)
            self.marks = self.define(z3.Store(self.marks, p, z3.Store(self.marks[p], key, mark)))

    # Arrays and allocations.

    def has_length(self, p: Any) -> Any:
        return self.objects.is_in(p, ARRAYS)

    def length(self, p: Any) -> Any:
        return self.objects.length_of(p)

    # Not in the pairs that are compared.

    def are_set(self, p: Any, slot: Field, start: Any, count: Any) -> Any:
        raise NotImplementedError  # no pair copies, hashes or has text

    def copy_items(self, slot: Field, p: Any, start: Any, q: Any, at: Any, count: Any) -> None:
        raise NotImplementedError  # no pair copies, hashes or has text

    def is_text(self, p: Any) -> Any:
        raise NotImplementedError  # no pair copies, hashes or has text

    def hash(self, p: Any, slot: Field) -> Any:
        raise NotImplementedError  # no pair copies, hashes or has text

    # Fresh objects.

    def new_struct(self, struct: Struct) -> Any:
        return self._allocate(None, struct.cleared)

    def new_array(self, array: Array, length: Any, cleared: bool) -> Any:
        return self._allocate(length, cleared)

    def _allocate(self, length: Any | None, cleared: bool) -> Any:
        alloc, objects = self.named[self.allocating], self.objects
        reference = objects.allocation(alloc)
        self.allocations = (*self.allocations, alloc)
        for part, array in self.arrays.items():
            self.arrays[part] = self.define(z3.Store(array, reference, objects.zeros()))
        if not objects.clears_all:
            self.marks = self.define(z3.Store(self.marks, reference, objects.all_marks(cleared)))
        length = objects.words.const(0) if length is None else length
        if alloc in objects.lengths:
            self.mismatch = objects.lengths[alloc], length
        else:
            objects.lengths[alloc] = length
            objects.axioms.append(objects.length_of(reference) == length)
        return reference

    # The environment.

    def is_valid(self) -> Any:
        return z3.BitVec(validity_name(self.invalidated), WORD, self.objects.context) == 0

    def watch(self, p: Any, slot: Field) -> None:
        self.watched = (*self.watched, (slot, p, None))

    def pending(self) -> Any:
        raise Unsupported("exceptions")

    def set_pending(self, p: Any) -> None:
        raise Unsupported("exceptions")

    def vtable(self, p: Any) -> Any:
        raise Unsupported("exceptions")

    def is_forced(self) -> Any:
        raise Unsupported("forced frames")

    def has_future(self) -> Any:
        raise Unsupported("guard_future_condition")

    def protect(self) -> None:
        self.protected, self.watched = (*self.protected, *self.watched), ()

    def happen(self, event: int, effects: Effects) -> Iterator[Any]:
        """The event of that number returns. What it may have changed begins anew, but for allocations that it has not
        seen; what it was promised not to change comes as conditions."""
        objects, before = self.objects, self.copy()
        kept = self.settled if effects.can_invalidate else (*self.settled, *self.protected)
        hidden = [alloc for alloc in self.allocations if objects.terms.pointers.is_hidden(alloc, event)]
        written = {objects.parts[slot.key] for slot in objects.memory.slots.values() if effects.may_write(slot)}
        for part in written:
            array = objects.begin(event + 1)[part]
            for alloc in hidden:
                reference = objects.allocation(alloc)
                array = z3.Store(array, reference, before.arrays[part][reference])
            self.arrays[part] = self.define(array)
        if not objects.clears_all:
            marks, began = self.marks, objects.marks_at(event + 1)
            for alloc in self.allocations:
                if alloc not in hidden:
                    reference = objects.allocation(alloc)
                    marks = z3.Store(marks, reference, objects.either_marks(marks[reference], began[reference]))
            self.marks = self.define(marks)
        self.events = event + 1
        for slot, p, index in kept:
            if effects.may_write(slot):
                yield self.read(p, slot, index) == before.read(p, slot, index)
        if effects.can_invalidate:
            self.invalidated += 1
            self.watched = self.protected = ()
