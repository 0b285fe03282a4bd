"""The heap of one trace, in terms: the domain in which the rows of operations on memory have their meaning."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from optimizer.ir.domains.term import Term
from optimizer.ir.faults import Unsupported
from optimizer.ir.rows.heap_domain import HeapDomain
from optimizer.ir.rows.row import INT, REF, Type
from optimizer.ir.types.layout import Array, Field, RawItem, Struct
from optimizer.ir.types.memory_types import BYTES, OBJECT_BYTES, OBJECT_REFERENCES, MemoryKind
from validator.prove.memory.chains import NO_EPOCH, Bytewise, Key
from validator.prove.memory.heap_state import HeapState
from validator.prove.terms.object_kinds import (
    ARRAYS,
    STRUCTS,
    Hashed,
    Initial,
    forced_name,
    future_name,
    is_reference,
)

if TYPE_CHECKING:
    from validator.prove.terms.comparisons import Range


_ADDRESS = Initial("address", NO_EPOCH, INT)
"""The addresses of objects, as if they were the contents of a field that never changes."""

_OBJECT_AT = "the object at an address"

_FEW = 16
"""The number of items up to which a copy is that many stores, if the number is known and the items are written."""


def _few(count: Term) -> int | None:
    return count.value if count.kind == "const" and 0 <= count.value <= _FEW else None


def _is_among_bytes(slot: Field, type_: Type) -> bool:
    """May the field or item be among the bytes of an object that such an access is about?"""
    return slot.kind is MemoryKind.OBJECTS and (slot.type is REF) == (type_ is REF)


class SymbolicHeap(HeapState, HeapDomain[Term, Term, Term]):
    """The heap of one trace, as the rows of operations speak of it."""

    __slots__ = ()

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

    def has_gc_type(self, p: Term, number: Term) -> Term:
        return self.terms.has_gc_type(p, number)

    # Contents.

    def is_set(self, p: Term, slot: Field, index: Term | None = None) -> Term:
        p, index = self.reader.key(p, index, self.now)
        if self.is_written_whole(slot, p):
            return self.terms.true
        return self.reader.written(slot, self.chains[slot.key], p, index)

    def is_settled(self, p: Term, slot: Field, index: Term | None = None) -> Term:
        return self.terms.by_object(p, lambda one: self._is_settled(one, slot, index))

    def _is_settled(self, p: Term, slot: Field, index: Term | None) -> Term:
        terms = self.terms
        pointers = terms.pointers
        if p.kind == "alloc" and not (p in pointers.surely_seen if self.lenient else self.is_seen(p)):
            return terms.false
        read = [key for name, key in self.settled if name == slot.key]
        is_read = terms.not_(terms.all_of(terms.not_(self.reader.meets(p, index, q, i)) for q, i in read))
        hidden = pointers.may_be(p) if self.lenient else []
        may_change = (terms.same(p, alloc) for alloc in hidden if alloc not in pointers.surely_seen)
        return terms.both(is_read, terms.all_of(map(terms.not_, may_change)))

    def get(self, p: Term, slot: Field, index: Term | None = None) -> Term:
        if slot.immutable:
            self.settled = (*self.settled, (slot.key, (p, index)))
        return self.read(p, slot, index)

    # Raw memory.

    def get_raw(self, slot: RawItem | Field, address: Term) -> Term:
        if isinstance(slot, Field):
            return self.read(self.terms.null, slot, address)
        return self.memory.raw.load(self.chains[BYTES.key], address, slot)

    def set_raw(self, slot: RawItem | Field, address: Term, value: Term) -> None:
        if isinstance(slot, Field):
            self.put(self.terms.null, slot, address, value)
            self.memory.raw.stored(self.chains, slot.key)
        else:
            self.chains[BYTES.key] = self.memory.raw.store(self.chains[BYTES.key], address, value, slot.size)
            self.memory.raw.stored(self.chains, BYTES.key)

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
        found = [(slot.key, self.reader.changed(self.chains[slot.key], p)) for slot in slots]
        return sorted((key, version) for key, version in found if version is not None)

    def set_bytes(self, p: Term, item: RawItem, offset: Term, value: Term) -> None:
        terms, link = self.terms, self.memory.chains.link
        for slot in self.memory.slots.values():
            if _is_among_bytes(slot, item.type):
                self.chains[slot.key] = link(Bytewise, self.chains[slot.key], p, offset, item.size, value)
        if item.type is REF:
            self.put(p, OBJECT_REFERENCES, offset, value)
            return
        for k in range(item.size):
            self.put(p, OBJECT_BYTES, terms.add(offset, terms.const(k)), self.memory.raw.part(value, k, 1))

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
        self.know(self.terms.pointers.finding())
        return self.terms.applied(REF, (self.terms.var(_OBJECT_AT), address))

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
            self.chains[slot.key] = self.memory.chains.copy(slot, self.chains[slot.key], p, start, q, at, count)
            return
        offsets = [terms.const(i) for i in range(number)]
        for offset, value in [(offset, self.read(p, slot, terms.add(start, offset))) for offset in offsets]:
            self.put(q, slot, terms.add(at, offset), value)

    def is_known_same(self, p: Term, q: Term) -> Term:
        """Are they one object? Not asked of one constant string: what it holds tells as much."""
        is_text = [one in self.terms.texts for one in (p, q)]
        return self.terms.false if any(is_text) and not all(is_text) else self.terms.same(p, q)

    def same_items(self, slot: Field, p: Term, start: Term, q: Term, at: Term, count: Term) -> Term:
        terms, number = self.terms, _few(count)
        if number is None:
            number = _few(self.length(q))
        if number is not None:
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
        """The range of items of an object that is no choice, where they were copied from. A constant is never changed:
        it is read where all objects of version 0 are."""
        from validator.prove.terms.comparisons import Range

        reader = self.reader
        chain, p, start = reader.source(self.chains[slot.key], p, start, count)
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
        terms, reader, chain = self.terms, self.reader, self.chains[slot.key]
        version = 0 if p in terms.texts else reader.version(chain, p)
        number = terms.load(Initial(f"{slot.key} hash", version, INT), p)
        terms.hashes.setdefault(number, Hashed(slot, p, lambda index: reader.read(slot, chain, p, index)))
        return number

    # Fresh objects.

    def new_struct(self, struct: Struct) -> Term:
        return self.allocate(struct, None, struct.cleared)

    def new_array(self, array: Array, length: Term, cleared: bool) -> Term:
        return self.allocate(array, length, cleared)

    # The environment.

    def is_valid(self) -> Term:
        return self.terms.is_valid(self.validity)

    def watch(self, p: Term, slot: Field) -> None:
        cell: tuple[str, Key] = slot.key, (p, None)
        self.watched = self.watched if cell in self.watched else (*self.watched, cell)

    def is_forced(self) -> Term:
        return self.terms.not_(self.terms.eq(self.terms.var(forced_name(self.events)), self.terms.zero))

    def has_future(self) -> Term:
        return self.terms.eq(self.terms.var(future_name(self.events)), self.terms.zero)

    def pending(self) -> Term:
        return self.exception

    def set_pending(self, p: Term) -> None:
        self.exception = p

    def vtable(self, p: Term) -> Term:
        return self.terms.vtable(p)
