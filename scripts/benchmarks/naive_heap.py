"""A heap as Z3 arrays of arrays: from references to keys (a field, or an index) to words.

There is one such array for all memory, unless events change only part of it; then there is one for each part that
events tell apart. Every store and allocation makes a new array, with an equation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import z3

from benchmarks.naive_words import NaiveWords
from optimizer.ir.effects import Effects
from optimizer.ir.faults import Unsupported
from optimizer.ir.heap_domain import HeapDomain
from optimizer.ir.layout import Array, Field, RawItem, Struct
from optimizer.ir.row import Type
from optimizer.ir.term import Term
from validator.object_kinds import ARRAYS, STRUCTS, ClassRange, at_event, validity_name
from validator.symbolic_heap import Memory

WORD = 64
_SLOT_BITS = 16
_CLASS_BITS = 32
FRESH = 1 << 63
"""References from here on are allocations."""


class Objects:
    """What the heaps of a pair share: the sorts, the memory at the start and behind each event, classes and lengths.

    `memory` is that of the pair as the validator encodes it: it names slots, classes, and what events can see.
    `parts` maps the key of each slot to the number of the array that it is in. `axioms` hold whatever the traces do.
    """

    def __init__(self, words: NaiveWords, memory: Memory, parts: Mapping[str, int], clears_all: bool) -> None:
        self.words, self.memory, self.parts = words, memory, parts
        self.clears_all = clears_all
        self.axioms: list[Any] = []
        self.lengths: dict[Term, Any] = {}
        context = self.context = words.context
        self.reference = z3.BitVecSort(WORD, context)
        self.key = z3.BitVecSort(_SLOT_BITS + WORD, context)
        self._contents = z3.ArraySort(self.key, self.reference)
        self._marks = z3.ArraySort(self.key, z3.BoolSort(context))
        class_ = z3.BitVecSort(_CLASS_BITS, context)
        self.class_of = z3.Function("class", self.reference, class_)
        self.length_of = z3.Function("length", self.reference, self.reference)
        self.gc_type_of = z3.Function("gc_type", class_, self.reference)
        self._slots = {key: number for number, key in enumerate(memory.slots)}
        self._numbers: dict[object, int] = {}
        self._known: set[tuple[object, int]] = set()
        self._constants: dict[str, Any] = {}
        self.epochs: list[dict[int, Any]] = []  # the arrays that each epoch began with
        self.axioms += [self.class_of(self.null) == 0, self.length_of(self.null) == 0]
        self.begin(0)

    @property
    def null(self) -> Any:
        return z3.BitVecVal(0, WORD, self.context)

    def begin(self, epoch: int) -> dict[int, Any]:
        """The memory that the epoch behind so many events begins with, the same for both traces."""
        while len(self.epochs) <= epoch:
            sort = z3.ArraySort(self.reference, self._contents)
            number = len(self.epochs)
            self.epochs.append({part: z3.Const(f"heap{part} {number}", sort) for part in set(self.parts.values())})
        return self.epochs[epoch]

    def marks_at(self, epoch: int) -> Any:
        """What has been written when the epoch begins."""
        sort = z3.ArraySort(self.reference, self._marks)
        everything = z3.K(self.reference, self.all_marks(True))
        return everything if epoch == 0 else z3.Const(f"written {epoch}", sort)

    def all_marks(self, value: bool) -> Any:
        return z3.K(self.key, z3.BoolVal(value, self.context))

    def either_marks(self, one: Any, other: Any) -> Any:
        false = z3.BoolVal(False, self.context)
        return z3.Map(z3.Or(false, false).decl(), one, other)

    def zeros(self) -> Any:
        return z3.K(self.key, z3.BitVecVal(0, WORD, self.context))

    def key_of(self, slot: Field, index: Any | None) -> Any:
        number = z3.BitVecVal(self._slots[slot.key], _SLOT_BITS, self.context)
        return z3.Concat(number, self.words.const(0) if index is None else index)

    def is_of(self, key: Any, slots: tuple[Field, ...]) -> Any:
        """Is it a key of one of those slots?"""
        number = z3.Extract(_SLOT_BITS + WORD - 1, WORD, key)
        return z3.Or(z3.BoolVal(False, self.context), *[number == self._slots[slot.key] for slot in slots])

    # References.

    def allocation(self, alloc: Term) -> Any:
        """The reference of an allocation, as the validator names it."""
        new = alloc not in self._numbers
        reference = z3.BitVecVal(FRESH + self._numbers.setdefault(alloc, len(self._numbers)), WORD, self.context)
        if new:
            self.axioms.append(self.class_of(reference) == self.class_term(alloc.value.class_))
        return reference

    def pointer(self, name: str, epoch: int) -> Any:
        pointer = z3.Const(name, self.reference)
        self.learn(pointer, epoch)
        return pointer

    def constant(self, name: str) -> Any:
        if name not in self._constants:
            self._constants[name] = self._make_constant(name)
        return self._constants[name]

    def _make_constant(self, name: str) -> Any:
        terms, known = self.memory.terms, self.memory.terms.layout.constant(name)
        if known is None:
            constant = z3.Const(f"constant {name}", self.reference)
        else:
            number = self._numbers.setdefault(known.names[0], len(self._numbers))
            constant = z3.BitVecVal(1 + number, WORD, self.context)
        self.learn(constant, 0)
        self.axioms += [constant != 0, self.is_in(constant, terms.class_limits(terms.class_of(terms.constant(name))))]
        if known is not None and known.length is not None:
            self.axioms.append(self.length_of(constant) == known.length)
        for slot, value in () if known is None else known.fields:
            if slot.key in self.parts:
                content = self.begin(0)[self.parts[slot.key]][constant][self.key_of(slot, None)]
                if isinstance(value, str):
                    value = self.null if value == "NULL" else self.constant(value)
                is_valid = z3.BitVec(validity_name(0), WORD, self.context) == 0
                holds = is_valid if slot.quasi_immutable else z3.BoolVal(True, self.context)
                self.axioms.append(z3.Implies(holds, content == value))
        return constant

    def learn(self, reference: Any, epoch: int) -> None:
        """It came into being behind so many events: it is old, or an allocation that one of these has seen."""
        if (reference.get_id(), epoch) in self._known:
            return
        self._known.add((reference.get_id(), epoch))
        seen = [alloc for alloc, event in self.memory.terms.visible_from.items() if event < (epoch, 0)]
        self.axioms += [
            z3.Or(z3.ULT(reference, FRESH), *[reference == self.allocation(alloc) for alloc in seen]),
            (self.class_of(reference) == 0) == (reference == 0),
            self.is_in(reference, (0, ARRAYS[1])),
            z3.Implies(z3.ULT(reference, FRESH), self.length_of(reference) >= 0),
        ]

    def learn_held(self, reference: Any) -> None:
        """What memory holds is old or has been allocated by now; its class and length are what any object's are."""
        self.axioms += [
            (self.class_of(reference) == 0) == (reference == 0),
            self.is_in(reference, (0, ARRAYS[1])),
            z3.Implies(z3.ULT(reference, FRESH), self.length_of(reference) >= 0),
        ]

    def learn_content(self, slot: Field, reference: Any, key: Any) -> None:
        """What every epoch may have begun with in that slot of that object."""
        for epoch, arrays in enumerate(self.epochs):
            content = arrays[self.parts[slot.key]][reference][key]
            if slot.type is Type.REF:
                self.learn(content, epoch)
            elif slot.low is not None:
                self.axioms += [content >= slot.low, content <= slot.high]

    # Classes.

    def class_term(self, class_: Term) -> Any:
        if class_.kind == "class_id":
            return z3.BitVecVal(class_.value, _CLASS_BITS, self.context)
        name = z3.BitVec(f"class {class_.value}", _CLASS_BITS, self.context)
        low, high = self.memory.terms.class_limits(class_)
        self.axioms.append(z3.And(z3.UGE(name, low), z3.ULE(name, high)))
        return name

    def is_in(self, reference: Any, range_: ClassRange) -> Any:
        class_ = self.class_of(reference)
        return z3.And(z3.UGE(class_, range_[0]), z3.ULE(class_, range_[1]))


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
        return self.objects.is_in(p, self.objects.memory.terms.class_range(owner))

    def has_vtable(self, p: Any) -> Any:
        return self.objects.is_in(p, STRUCTS)

    def has_class(self, p: Any, vtable: str) -> Any:
        terms = self.objects.memory.terms
        struct = terms.layout.struct_of_vtable(vtable)
        if struct.declared:
            first = terms.class_range(struct.name)[0]
            return self.objects.is_in(p, (first, first))
        return self.objects.class_of(p) == self.objects.class_term(terms.class_name(vtable))

    def has_subclass(self, p: Any, vtable: str) -> Any:
        struct = self.objects.memory.terms.layout.struct_of_vtable(vtable)
        return self.isa(p, struct.name) if struct.declared else self.has_class(p, vtable)

    def gc_type(self, p: Any) -> Any:
        return self.objects.gc_type_of(self.objects.class_of(p))

    # Contents.

    def is_set(self, p: Any, slot: Field, index: Any | None = None) -> Any:
        if self.objects.clears_all or (slot.type is Type.REF and index is None):
            return self.objects.words.truth(True)
        return self.marks[p][self.objects.key_of(slot, index)]

    def is_settled(self, p: Any, slot: Field, index: Any | None = None) -> Any:
        words, terms = self.objects.words, self.objects.memory.terms
        now = at_event(self.events)
        seen = [alloc for alloc in self.allocations if terms.visible_from.get(alloc, now) < now]
        if self.lenient:
            seen = [alloc for alloc in seen if alloc in terms.surely_seen]
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
        visible_from, now = objects.memory.terms.visible_from, at_event(event)
        hidden = [alloc for alloc in self.allocations if alloc not in visible_from or visible_from[alloc] > now]
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
