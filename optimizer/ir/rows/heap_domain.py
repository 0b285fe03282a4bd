"""The vocabulary in which the meaning of memory operations is written.

A `HeapDomain` is one heap, over words `W` and conditions `C` of a `Domain` and pointers `P` of its own. Loads ask it,
stores and allocations change it; who wants to keep a heap as it is keeps a `copy`. Predicates are total: where `p` is
NULL, or an object of another kind, they are false, and a length is 0. What else a load gives of such an object is left
open: the requirements of an operation exclude it.

A *slot* is a `Field` of the layout: a field, or with an `index` the items of an array or a field of its structs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, Self, TypeVar

from optimizer.ir.types.layout import Array, Field, RawItem, Struct

W = TypeVar("W")
C = TypeVar("C")
P = TypeVar("P")


class HeapDomain(ABC, Generic[W, C, P]):
    """Objects with identity, their classes and their contents."""

    __slots__ = ()

    @abstractmethod
    def copy(self) -> Self:
        """A copy of this heap as it stands; changes of either do not show in the other."""

    # Identity.
    @abstractmethod
    def null(self) -> P: ...
    @abstractmethod
    def same(self, p: P, q: P) -> C: ...

    # Classes. `isa`: of the declared struct or one of its subclasses, or of the declared array type. Classes of
    # guards are named by their vtables; every struct has one, arrays have none.
    @abstractmethod
    def isa(self, p: P, owner: str) -> C: ...
    @abstractmethod
    def has_vtable(self, p: P) -> C: ...
    @abstractmethod
    def has_class(self, p: P, vtable: str) -> C: ...
    @abstractmethod
    def has_subclass(self, p: P, vtable: str) -> C: ...

    # Contents. `is_set`: written, or cleared by the allocation. `is_settled`: the slot is immutable, has been read,
    # and its object existed before the trace or has been seen by an event.
    @abstractmethod
    def is_set(self, p: P, slot: Field, index: W | None = None) -> C: ...
    @abstractmethod
    def is_settled(self, p: P, slot: Field, index: W | None = None) -> C: ...
    @abstractmethod
    def get(self, p: P, slot: Field, index: W | None = None) -> Any: ...
    @abstractmethod
    def set_field(self, p: P, slot: Field, value: Any) -> None: ...
    @abstractmethod
    def set_item(self, p: P, slot: Field, index: W, value: Any) -> None: ...

    # Arrays.
    @abstractmethod
    def has_length(self, p: P) -> C: ...
    @abstractmethod
    def length(self, p: P) -> W: ...

    # Ranges of items. `are_set`: so many of them from there on are, which is in range. `copy_items`: those of `p` from
    # `start` on become those of `q` from `at` on, as if all were read first; what is not written there is not here.
    @abstractmethod
    def are_set(self, p: P, slot: Field, start: W, count: W) -> C: ...
    @abstractmethod
    def copy_items(self, slot: Field, p: P, start: W, q: P, at: W, count: W) -> None: ...

    # Comparisons of items, which are false where there are none. `same_items`: so many of them from there on are those
    # of `q` from `at` on; both ranges are in their arrays. `holds`: the item is there, and is that value.
    @abstractmethod
    def same_items(self, slot: Field, p: P, start: W, q: P, at: W, count: W) -> C: ...
    @abstractmethod
    def holds(self, p: P, slot: Field, index: W, value: W) -> C: ...

    # Strings. `is_text`: it is the object of a constant of the traces, such as "abc", whose items never change. `hash`:
    # a function of the items, of which nothing is known but that it is not 0.
    @abstractmethod
    def is_text(self, p: P) -> C: ...
    @abstractmethod
    def hash(self, p: P, slot: Field) -> W: ...

    # Raw memory: what stands at an address, as bytes or in a named field of the raw struct that is there.
    @abstractmethod
    def get_raw(self, slot: RawItem | Field, address: W) -> Any: ...
    @abstractmethod
    def set_raw(self, slot: RawItem | Field, address: W, value: W | P) -> None: ...

    # The bytes of an object: what stands at an offset, a number or a reference.
    @abstractmethod
    def get_bytes(self, p: P, item: RawItem, offset: W) -> Any: ...
    @abstractmethod
    def set_bytes(self, p: P, item: RawItem, offset: W, value: W | P) -> None: ...

    # The address of an object, 0 of NULL; an address is its own. And the object that is at an address.
    @abstractmethod
    def address(self, p: P | W) -> W: ...
    @abstractmethod
    def object_at(self, address: W) -> P: ...

    # The code and what it relies on. `gc_type` is the number of the object's exact type, 0 for NULL. `is_valid`: the
    # code is. `watch` names a field of `p`, `protect` says that a check of the code has passed: from now on, until the
    # next event that can invalidate, no event changes what has been watched since the last such event.
    @abstractmethod
    def gc_type(self, p: P) -> W: ...
    @abstractmethod
    def is_valid(self) -> C: ...
    @abstractmethod
    def watch(self, p: P, slot: Field) -> None: ...
    @abstractmethod
    def protect(self) -> None: ...

    # The exception that is pending, NULL where none is, and the address of the vtable of an object, 0 of NULL.
    @abstractmethod
    def pending(self) -> P: ...
    @abstractmethod
    def set_pending(self, p: P) -> None: ...
    @abstractmethod
    def vtable(self, p: P) -> W: ...

    # What else the world decides: has the last event forced the frame, will the condition hold that is put in later?
    @abstractmethod
    def is_forced(self) -> C: ...
    @abstractmethod
    def has_future(self) -> C: ...

    # Fresh objects. `cleared` arrays hold 0 or NULL, others nothing yet.
    @abstractmethod
    def new_struct(self, struct: Struct) -> P: ...
    @abstractmethod
    def new_array(self, array: Array, length: W, cleared: bool) -> P: ...

    def is_known_same(self, p: P, q: P) -> C:
        """`same`, where it does not matter which objects they are."""
        return self.same(p, q)

    def new_filled(self, array: Array, length: W) -> P:
        """An array all of whose items are about to be copied from others. Nobody says which object it is."""
        return self.new_array(array, length, False)

    # What follows from the above, the same in every domain.
    def is_null(self, p: P) -> C:
        return self.same(p, self.null())

    def is_clear(self) -> C:
        """Is no exception pending?"""
        return self.is_null(self.pending())

    def is_pending(self, vtable: str) -> C:
        """Is an exception of exactly that class pending?"""
        return self.has_class(self.pending(), vtable)

    def take_pending(self) -> P:
        """The pending exception, which is so no more."""
        exception = self.pending()
        self.set_pending(self.null())
        return exception


PRIMITIVES: tuple[str, ...] = tuple(sorted(HeapDomain.__abstractmethods__))
"""The names of the vocabulary, for tests that run all of it."""
