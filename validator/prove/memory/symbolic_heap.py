"""The heap of one trace, in terms: a domain for the rows of operations on memory.

It changes in place as the trace goes on; what it was at a guard or event is kept as a copy. Allocations take the terms
that they are given (`named`), so that an allocation of the optimized trace can be that of the recorded one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from optimizer.ir.domains.term import Term
from optimizer.ir.faults import Unsupported
from optimizer.ir.rows.heap_domain import HeapDomain
from optimizer.ir.rows.row import INT, REF, Type
from optimizer.ir.types.layout import Array, Field, RawItem, Struct
from optimizer.ir.types.memory_types import BYTES, OBJECT_BYTES, OBJECT_REFERENCES, MemoryKind, kind_of
from validator.prove.memory.chain_links import NO_EPOCH, Bytewise, Chain, Key, Renewed
from validator.prove.memory.chain_reader import ChainReader
from validator.prove.memory.pair_memory import Allocator, PairMemory
from validator.prove.terms.object_kinds import (
    ARRAYS,
    OBJECTS,
    PENDING,
    STRUCTS,
    Hashed,
    Initial,
    forced_name,
    future_name,
    is_reference,
)
from validator.prove.terms.object_terms import ObjectTerms
from validator.prove.terms.pointers import Pointers, at_event

if TYPE_CHECKING:
    from optimizer.ir.types.effects import Effects
    from validator.prove.terms.comparisons import Range


def _said(terms: ObjectTerms, condition: Term) -> Iterator[tuple[Term, Term]]:
    """The terms that the condition says are constants or objects of a name, and these."""
    match condition.kind, condition.args:
        case "both", parts:
            for part in parts:
                yield from _said(terms, part)
            return
        case "eq", (a, b) if b.kind == "const":
            yield a, b
        case "same", (p, q):
            named = next((one for one in (p, q) if one.kind in ("constant", "alloc")), None)
            if named is not None:
                yield (q if named is p else p), named
        case "not_", (denied,) if denied.kind == "class_in" and denied.value == OBJECTS:
            if denied.args[0].kind == "class_of":
                yield denied.args[0].args[0], terms.null
    yield terms.ite(condition, terms.one, terms.zero), terms.one
    yield terms.ite(condition, terms.zero, terms.one), terms.zero


_ADDRESS = Initial("address", NO_EPOCH, INT)
"""The addresses of objects, as if they were the contents of a field that never changes."""

_OBJECT_AT = "the object at an address"

_FEW = 16
"""A copy of so many items, if their number is known and they are written, is so many stores."""


def _few(count: Term) -> int | None:
    return count.value if count.kind == "const" and 0 <= count.value <= _FEW else None


def _is_among_bytes(slot: Field, type_: Type) -> bool:
    """May the field or item be among the bytes of an object that such an access is about?"""
    return slot.kind is MemoryKind.OBJECTS and (slot.type is REF) == (type_ is REF)


class SymbolicHeap(HeapDomain[Term, Term, Term]):
    """A heap; its `terms` know which allocations have escaped by now. `lenient` heaps take what may not be settled for
    not settled: what is assumed must never be too much."""

    __slots__ = (
        "_allocator",
        "_chains",
        "_events",
        "_lenient",
        "_passed",
        "_pending",
        "_protected",
        "_settled",
        "_validity",
        "_watched",
        "allocating",
        "allocations",
        "known",
        "memory",
        "reader",
        "terms",
    )

    def __init__(self, memory: PairMemory, terms: ObjectTerms, allocator: Allocator, *, lenient: bool) -> None:
        self.memory, self.terms = memory, terms
        self.reader = ChainReader(memory.chains, terms)
        self.allocations: tuple[Term, ...] = ()
        self.allocating = 0  # the number of the operation that allocates next
        self._allocator = allocator
        self._lenient = lenient
        self._chains: dict[str, Chain] = {key: memory.chains.start(slot) for key, slot in memory.slots.items()}
        self._settled: tuple[tuple[str, Key], ...] = ()
        self._watched: tuple[tuple[str, Key], ...] = ()
        self._protected: tuple[tuple[str, Key], ...] = ()
        self.known: dict[Term, tuple[Term, int]] = {}  # what guards say of terms, where so many have passed
        self._passed = 0
        self._events = 0
        self._validity = 0
        self._pending = terms.pointer(PENDING, 0) if memory.is_pending else terms.null

    def copy(self) -> SymbolicHeap:
        heap = SymbolicHeap.__new__(SymbolicHeap)
        heap.memory, heap.terms, heap.reader = self.memory, self.terms, self.reader
        heap.allocations, heap.allocating = self.allocations, self.allocating
        heap._allocator, heap._lenient, heap._chains = self._allocator, self._lenient, self._chains.copy()
        heap._settled, heap._watched, heap._protected = self._settled, self._watched, self._protected
        heap.known, heap._passed = self.known, self._passed
        heap._events, heap._validity, heap._pending = self._events, self._validity, self._pending
        return heap

    def with_allocator(self, allocator: Allocator) -> SymbolicHeap:
        """A copy whose further allocations are named by another allocator."""
        heap = self.copy()
        heap._allocator = allocator
        return heap

    def mismatch(self, number: int) -> tuple[Term, Term] | None:
        """The length of the array that allocation stands for, and its own, where they are not the same term."""
        return self._allocator.mismatched.get(number)

    def has_mismatches(self) -> bool:
        """Does an allocation stand for an array that may have another length?"""
        return bool(self._allocator.mismatched)

    # Identity and classes.

    def null(self) -> Term:
        return self.terms.null

    def same(self, p: Term, q: Term) -> Term:
        return self.terms.same(p, q)

    def isa(self, p: Term, owner: str) -> Term:
        return self.terms.class_in(p, self.terms.class_range(owner))

    def has_vtable(self, p: Term) -> Term:
        return self.terms.class_in(p, STRUCTS)

    def has_class(self, p: Term, vtable: str) -> Term:
        return self.terms.has_class(p, vtable)

    def has_subclass(self, p: Term, vtable: str) -> Term:
        return self.terms.has_subclass(p, vtable)

    def gc_type(self, p: Term) -> Term:
        return self.terms.gc_type(p)

    # Contents.

    def now(self, term: Term) -> Term:
        """What a term is as guards that have passed say, itself where they say nothing."""
        known = self.known.get(term)
        return term if known is None or known[1] > self._passed else known[0]

    def is_set(self, p: Term, slot: Field, index: Term | None = None) -> Term:
        p, index = self.reader.key(p, index, self.now)
        return self.reader.written(slot, self._chains[slot.key], p, index)

    def is_settled(self, p: Term, slot: Field, index: Term | None = None) -> Term:
        return self.terms.by_object(p, lambda one: self._is_settled(one, slot, index))

    def _is_settled(self, p: Term, slot: Field, index: Term | None) -> Term:
        terms = self.terms
        pointers = terms.pointers
        if p.kind == "alloc" and not (p in pointers.surely_seen if self._lenient else self.is_seen(p)):
            return terms.false
        read = [key for name, key in self._settled if name == slot.key]
        is_read = terms.not_(terms.all_of(terms.not_(self.reader.meets(p, index, q, i)) for q, i in read))
        hidden = pointers.may_be(p) if self._lenient else []
        may_change = (terms.same(p, alloc) for alloc in hidden if alloc not in pointers.surely_seen)
        return terms.both(is_read, terms.all_of(map(terms.not_, may_change)))

    def get(self, p: Term, slot: Field, index: Term | None = None) -> Term:
        if slot.immutable:
            self._settled = (*self._settled, (slot.key, (p, index)))
        return self.read(p, slot, index)

    def read(self, p: Term, slot: Field, index: Term | None = None) -> Term:
        """What the memory holds, for one who only looks."""
        p, index = self.reader.key(p, index, self.now)
        return self.reader.read(slot, self._chains[slot.key], p, index)

    def set_field(self, p: Term, slot: Field, value: Term) -> None:
        self._put(p, slot, None, value)

    def set_item(self, p: Term, slot: Field, index: Term, value: Term) -> None:
        self._put(p, slot, index, value)

    def _put(self, p: Term, slot: Field, index: Term | None, value: Term) -> None:
        p, index = self.reader.key(p, index, self.now)
        self._chains[slot.key] = self.memory.chains.store(self._chains[slot.key], p, index, value)

    def learn(self, passes: Term) -> None:
        """A guard with that condition has passed: where it says what an index or an object is, stores are known by
        that."""
        self._passed += 1
        if passes.kind == "truth":
            return
        found = self.memory.said.get(passes)
        if found is None:
            told = dict(_said(self.terms, passes))
            found = self.memory.said[passes] = told, any(term.kind != "ite" for term in told)
        said, has_keys = found
        for term, stands in said.items():
            self.known.setdefault(term, (stands, self._passed))
        if has_keys:
            for key in self.memory.slots:
                if kind_of(key) is not MemoryKind.RAW:
                    self._chains[key] = self.reader.rekeyed(self._chains[key], said)

    # Raw memory.

    def get_raw(self, slot: RawItem | Field, address: Term) -> Term:
        if isinstance(slot, Field):
            return self.read(self.terms.null, slot, address)
        return self.memory.raw.load(self._chains[BYTES.key], address, slot)

    def set_raw(self, slot: RawItem | Field, address: Term, value: Term) -> None:
        if isinstance(slot, Field):
            self._put(self.terms.null, slot, address, value)
            self.memory.raw.stored(self._chains, slot.key)
        else:
            self._chains[BYTES.key] = self.memory.raw.store(self._chains[BYTES.key], address, value, slot.size)
            self.memory.raw.stored(self._chains, BYTES.key)

    # Objects by their bytes.

    def get_bytes(self, p: Term, item: RawItem, offset: Term) -> Term:
        terms = self.terms
        if item.type is REF:
            return terms.by_object(p, lambda one: self._reference_at(one, offset))
        places = [terms.add(offset, terms.const(k)) for k in range(item.size)]
        held = self.memory.raw.joined(map(partial(self._byte_of, p), places))
        return self.memory.raw.extended(held, item.size, item.signed)

    def _byte_of(self, p: Term, at: Term) -> Term:
        return self.terms.by_object(p, lambda one: self._byte(one, at))

    def _byte(self, p: Term, at: Term) -> Term:
        """A byte of an object that is no choice. Where fields or items of it have been changed, it is a function of
        what it was without that, and of how they were changed."""
        held, changed = self.read(p, OBJECT_BYTES, at), self._changed(p, INT)
        if not changed:
            return held
        return self.terms.load(Initial(f"a byte behind {changed}", NO_EPOCH, INT, 0, 255), p, at, held)

    def _reference_at(self, p: Term, at: Term) -> Term:
        if self._changed(p, REF):
            raise Unsupported("gc_load of a reference from an object whose fields or items may have been changed")
        return self.read(p, OBJECT_REFERENCES, at)

    def surely_holds(self, p: Term, slot: Field, index: Term | None, value: Term) -> bool:
        """Is that what the memory holds of an object that is no choice, however its fields are among its bytes?"""
        if slot == OBJECT_REFERENCES and self._changed(p, REF):
            return False
        return self.read(p, slot, index) is value

    def _changed(self, p: Term, type_: Type) -> list[tuple[str, int]]:
        """The fields and items, of references or not, that may have been changed of an object, and how."""
        slots = [slot for slot in self.memory.slots.values() if _is_among_bytes(slot, type_)]
        found = [(slot.key, self.reader.changed(self._chains[slot.key], p)) for slot in slots]
        return sorted((key, version) for key, version in found if version is not None)

    def set_bytes(self, p: Term, item: RawItem, offset: Term, value: Term) -> None:
        terms, link = self.terms, self.memory.chains.link
        for slot in self.memory.slots.values():
            if _is_among_bytes(slot, item.type):
                self._chains[slot.key] = link(Bytewise, self._chains[slot.key], p, offset, item.size, value)
        if item.type is REF:
            self.set_item(p, OBJECT_REFERENCES, offset, value)
            return
        for k in range(item.size):
            self.set_item(p, OBJECT_BYTES, terms.add(offset, terms.const(k)), self.memory.raw.part(value, k, 1))

    # Addresses.

    def address(self, p: Term) -> Term:
        return self.terms.by_object(p, self._address) if is_reference(p) else p

    def _address(self, p: Term) -> Term:
        if p.kind == "alloc":
            raise Unsupported("the address of an object that the trace allocates")
        if p.kind == "applied_ref" and p.args[0] is self.terms.var(_OBJECT_AT):
            return p.args[1]
        return self.terms.load(_ADDRESS, p)

    def object_at(self, address: Term) -> Term:
        if address.kind == "load" and address.value is _ADDRESS:
            return address.args[0]
        if address is self.terms.zero:
            return self.terms.null
        given = self.terms.applied(REF, (self.terms.var(_OBJECT_AT), address))
        self.know(self.terms.pointers.giving((given,), self._events, surely=False))
        return given

    def chain(self, slot: Field) -> Chain:
        return self._chains[slot.key]

    # Arrays.

    def has_length(self, p: Term) -> Term:
        return self.terms.class_in(p, ARRAYS)

    def length(self, p: Term) -> Term:
        return self.terms.length(p)

    # Ranges of items.

    def are_set(self, p: Term, slot: Field, start: Term, count: Term) -> Term:
        terms = self.terms
        if (number := _few(count)) is not None:
            return terms.all_of(self.is_set(p, slot, terms.add(start, terms.const(i))) for i in range(number))
        index = self.memory.any_index(slot)
        return terms.implies(terms.ult(terms.sub(index, start), count), self.is_set(p, slot, index))

    def copy_items(self, slot: Field, p: Term, start: Term, q: Term, at: Term, count: Term) -> None:
        terms, number = self.terms, _few(count)
        if number is None or self.are_set(p, slot, start, count) is not terms.true:
            self._chains[slot.key] = self.memory.chains.copy(slot, self._chains[slot.key], p, start, q, at, count)
            return
        offsets = [terms.const(i) for i in range(number)]
        for offset, value in [(offset, self.read(p, slot, terms.add(start, offset))) for offset in offsets]:
            self.set_item(q, slot, terms.add(at, offset), value)

    def same_items(self, slot: Field, p: Term, start: Term, q: Term, at: Term, count: Term) -> Term:
        terms = self.terms
        if (number := _few(count)) is not None:
            return terms.all_of(
                terms.eq(self.read(p, slot, terms.add(start, offset)), self.read(q, slot, terms.add(at, offset)))
                for offset in map(terms.const, range(number))
            )
        from validator.prove.terms.comparisons import same_items  # here: most traces compare no strings

        def of(one: Term, other: Term) -> Term:
            return same_items(
                terms, slot, self._range(slot, one, start, count), self._range(slot, other, at, count), count
            )

        return terms.by_object(p, lambda one: terms.by_object(q, lambda other: of(one, other)))

    def _range(self, slot: Field, p: Term, start: Term, count: Term) -> Range:
        """Those items of an object that is no choice, where they were copied from. A constant is never changed: it is
        read where all objects of version 0 are."""
        from validator.prove.terms.comparisons import Range

        reader = self.reader
        chain, p, start = reader.source(self._chains[slot.key], p, start, count)
        chain = self.memory.chains.start(slot) if p in self.terms.texts else chain
        return Range(p, start, reader.version(chain, p), lambda one, index: reader.read(slot, chain, one, index))

    def holds(self, p: Term, slot: Field, index: Term, value: Term) -> Term:
        return self.terms.eq(self.read(p, slot, index), value)

    # Strings.

    def is_text(self, p: Term) -> Term:
        terms = self.terms
        return terms.not_(terms.all_of(terms.not_(terms.same(p, text)) for text in terms.texts))

    def hash(self, p: Term, slot: Field) -> Term:
        terms = self.terms
        number = terms.by_object(p, lambda one: self._hash(one, slot))
        return terms.ite(terms.eq(number, terms.zero), terms.one, number)

    def _hash(self, p: Term, slot: Field) -> Term:
        """The hash of an object that is no choice: a function of the object and of the version of its memory."""
        terms, reader, chain = self.terms, self.reader, self._chains[slot.key]
        version = 0 if p in terms.texts else reader.version(chain, p)
        number = terms.load(Initial(f"{slot.key} hash", version, INT), p)
        terms.hashes.setdefault(number, Hashed(slot, p, lambda index: reader.read(slot, chain, p, index)))
        return number

    # Fresh objects.

    def new_struct(self, struct: Struct) -> Term:
        return self._allocate(struct, None, struct.cleared)

    def new_array(self, array: Array, length: Term, cleared: bool) -> Term:
        return self._allocate(array, length, cleared)

    def _allocate(self, type_: Struct | Array, length: Term | None, cleared: bool) -> Term:
        number, allocator = self.allocating, self._allocator
        alloc = allocator.named.get(number)
        if alloc is None or self._is_seen_by_event(alloc):
            alloc = self.terms.allocate(type_, length, cleared)
        elif length is not None and alloc.value.length is not length:
            allocator.mismatched[number] = alloc.value.length, length
        allocator.made[number] = alloc
        self.allocations = (*self.allocations, alloc)
        return alloc

    # The environment.

    def is_valid(self) -> Term:
        return self.terms.is_valid(self._validity)

    def watch(self, p: Term, slot: Field) -> None:
        self._watched = (*self._watched, (slot.key, (p, None)))

    def protect(self) -> None:
        self._protected = (*self._protected, *self._watched)
        self._watched = ()

    def is_forced(self) -> Term:
        return self.terms.not_(self.terms.eq(self.terms.var(forced_name(self._events)), self.terms.zero))

    def has_future(self) -> Term:
        return self.terms.eq(self.terms.var(future_name(self._events)), self.terms.zero)

    def pending(self) -> Term:
        return self._pending

    def set_pending(self, p: Term) -> None:
        self._pending = p

    def vtable(self, p: Term) -> Term:
        return self.terms.vtable(p)

    def happen(self, event: int, effects: Effects) -> Iterator[Term]:
        """The event of that number returns. What it may have changed begins anew; what it cannot have changed there,
        because it was promised not to change, comes as conditions."""
        kept = self._settled if effects.can_invalidate else (*self._settled, *self._protected)
        self._events = event + 1
        before = self.copy() if kept else self
        written = {key for key, slot in self.memory.slots.items() if effects.may_write(slot)}
        self.memory.raw.happened(self._chains, written, event)
        for key in written:
            self._chains[key] = self.memory.chains.link(Renewed, self._chains[key], event)
        for key, (p, index) in kept:
            slot = self.memory.slots[key]
            if effects.may_write(slot):
                yield self.terms.equal(self.read(p, slot, index), before.read(p, slot, index))
        if effects.can_invalidate:
            self._validity += 1
            self._watched = self._protected = ()

    # Who has seen what.

    def know(self, pointers: Pointers) -> None:
        """From here on, that is known of pointers."""
        self.terms = self.terms.knowing(pointers)
        self.reader = ChainReader(self.memory.chains, self.terms)

    def seen(self) -> set[Term]:
        """The allocations that an event has seen."""
        return {alloc for alloc in self.allocations if self.is_seen(alloc)}

    def is_seen(self, alloc: Term) -> bool:
        """Has an event seen the allocation?"""
        return self.terms.pointers.is_seen(alloc, at_event(self._events))

    def _is_seen_by_event(self, alloc: Term) -> bool:
        """Has one of the events so far seen it? What functions see behind the last of them does not count."""
        return self.terms.pointers.is_seen(alloc, (self._events, 0))
