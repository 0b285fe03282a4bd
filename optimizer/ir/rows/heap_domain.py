"""The vocabulary in which the meaning of memory operations is written.

A `HeapDomain` is one heap, over words `W` and conditions `C` of a `Domain` and pointers `P` of its own. Loads ask it,
stores and allocations change it; who wants to keep a heap as it is keeps a `copy`. Predicates are total: where `p` is
NULL, or an object of another kind, they are false, and a length is 0. What else a load gives of such an object is left
open: the requirements of an operation exclude it.

A *slot* is a `Field` of the layout: a field, or with an `index` the items of an array or a field of its structs.
"""

from __future__ import annotations

from typing import Any, Protocol, Self, TypeVar

from optimizer.ir.rows.domain import primitives
from optimizer.ir.types.layout import Array, Field, RawItem, Struct

W = TypeVar("W")
C_co = TypeVar("C_co", covariant=True)
P = TypeVar("P")


@primitives
class Objects(Protocol[W, C_co, P]):
    """The primitives: objects with identity, their classes and their contents."""

    __slots__ = ()

    def copy(self) -> Self:
        """A copy of this heap as it stands; changes of either do not show in the other."""

    # Identity.
    def null(self) -> P: ...
    def same(self, p: P, q: P) -> C_co: ...

    # Classes. `isa`: of the declared struct or one of its subclasses, or of the declared array type. Classes of
    # guards are named by their vtables; every struct has one, arrays have none.
    def isa(self, p: P, owner: str) -> C_co: ...
    def has_vtable(self, p: P) -> C_co: ...
    def has_class(self, p: P, vtable: str) -> C_co: ...
    def has_subclass(self, p: P, vtable: str) -> C_co: ...

    # Contents. `is_set`: written, or cleared by the allocation. `is_settled`: the slot is immutable, has been read,
    # and its object existed before the trace or has been seen by an event.
    def is_set(self, p: P, slot: Field, index: W | None = None) -> C_co: ...
    def is_settled(self, p: P, slot: Field, index: W | None = None) -> C_co: ...
    def get(self, p: P, slot: Field, index: W | None = None) -> Any: ...
    def put(self, p: P, slot: Field, index: W | None, value: Any) -> None: ...

    # Arrays.
    def has_length(self, p: P) -> C_co: ...
    def length(self, p: P) -> W: ...

    # Ranges of items. `are_set`: so many of them from there on are, which is in range. `copy_items`: those of `p` from
    # `start` on become those of `q` from `at` on, as if all were read first; what is not written there is not here.
    def are_set(self, p: P, slot: Field, start: W, count: W) -> C_co: ...
    def copy_items(self, slot: Field, p: P, start: W, q: P, at: W, count: W) -> None: ...

    # Comparisons of items, which are false where there are none. `same_items`: so many of them from there on are those
    # of `q` from `at` on, which is all that `q` has; both are in their arrays. `holds`: the item is there, and is that.
    def same_items(self, slot: Field, p: P, start: W, q: P, at: W, count: W) -> C_co: ...
    def holds(self, p: P, slot: Field, index: W, value: W) -> C_co: ...

    # Strings. `is_text`: it is the object of a constant of the traces, such as "abc", whose items never change. `hash`:
    # a function of the items, of which nothing is known but that it is not 0.
    def is_text(self, p: P) -> C_co: ...
    def hash(self, p: P, slot: Field) -> W: ...

    # Raw memory: what stands at an address, as bytes or in a named field of the raw struct that is there.
    def get_raw(self, slot: RawItem | Field, address: W) -> Any: ...
    def set_raw(self, slot: RawItem | Field, address: W, value: W | P) -> None: ...

    # The bytes of an object: what stands at an offset, a number or a reference.
    def get_bytes(self, p: P, item: RawItem, offset: W) -> Any: ...
    def set_bytes(self, p: P, item: RawItem, offset: W, value: W | P) -> None: ...

    # The address of an object, 0 of NULL; an address is its own. And the object that is at an address.
    def address(self, p: P | W) -> W: ...
    def object_at(self, address: W) -> P: ...

    # The code and what it relies on. `has_gc_type`: its exact type has that number for the collector. `is_valid`: the
    # code is, which once invalid stays so. `watch` names a field of `p`: from now on, every event behind which the code
    # is valid has left it as it was.
    def has_gc_type(self, p: P, number: W) -> C_co: ...
    def is_valid(self) -> C_co: ...
    def watch(self, p: P, slot: Field) -> None: ...

    # The exception that is pending, NULL where none is, and the address of the vtable of an object, 0 of NULL.
    def pending(self) -> P: ...
    def set_pending(self, p: P) -> None: ...
    def vtable(self, p: P) -> W: ...

    # What else the world decides: has the last event forced the frame, will the condition hold that is put in later?
    def is_forced(self) -> C_co: ...
    def has_future(self) -> C_co: ...

    # Fresh objects. `cleared` arrays hold 0 or NULL, others nothing yet.
    def new_struct(self, struct: Struct) -> P: ...
    def new_array(self, array: Array, length: W, cleared: bool) -> P: ...


class HeapDomain(Objects[W, C_co, P]):
    """A heap, with what follows from the primitives."""

    __slots__ = ()

    def is_known_same(self, p: P, q: P) -> C_co:
        """`same`, where it does not matter which objects they are."""
        return self.same(p, q)

    def new_filled(self, array: Array, length: W) -> P:
        """An array all of whose items are about to be copied from others. Nobody says which object it is."""
        return self.new_array(array, length, False)

    # What follows from the above, the same in every domain.
    def is_null(self, p: P) -> C_co:
        return self.same(p, self.null())

    def is_clear(self) -> C_co:
        """Is no exception pending?"""
        return self.is_null(self.pending())

    def is_pending(self, vtable: str) -> C_co:
        """Is an exception of exactly that class pending?"""
        return self.has_class(self.pending(), vtable)

    def take_pending(self) -> P:
        """The pending exception, which is so no more."""
        exception = self.pending()
        self.set_pending(self.null())
        return exception
