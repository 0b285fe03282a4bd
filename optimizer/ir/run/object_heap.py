"""The objects of a concrete heap: which there are, of what classes, what they hold, and how new ones come."""

from __future__ import annotations

from optimizer.ir.addresses import address_of
from optimizer.ir.rows.heap_domain import HeapDomain
from optimizer.ir.run.objects import NULL, RAW_REF, Cell, Datum, Object, Ref, blank, cell_of
from optimizer.ir.types.layout import Array, Field, Layout, Struct

MOST_COPIED = 1 << 16
"""A run does not copy more items than that to where each has to be put down."""


class TooLong(Exception):
    """A copy of too many items."""


class ObjectHeap(HeapDomain[int, bool, Ref]):
    """Objects by their references, and further `names` of references: aliases, and names for NULL."""

    __slots__ = ("_allocated", "_settled", "layout", "names", "objects", "seen", "unclear")

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.objects: dict[Ref, Object] = {}
        self.names: dict[str, Ref] = {}
        self.seen: dict[Ref, None] = {}  # fresh objects that events have seen, in the order of their discovery
        self.unclear = False  # has it mattered which objects those are that are `unnamed`?
        self._settled: set[tuple[Ref, Cell]] = set()  # immutable cells that have been read
        self._allocated = 0

    def add(self, name: str, described: Object) -> Ref:
        """An object that exists before the trace."""
        ref = Ref(name)
        self.objects[ref] = described
        return ref

    def named(self, name: str) -> Ref | None:
        """The reference of that name, an object's or another."""
        ref = Ref(name)
        return ref if ref in (NULL, RAW_REF) or ref in self.objects else self.names.get(name)

    # Identity and classes.

    def null(self) -> Ref:
        return NULL

    def same(self, p: Ref, q: Ref) -> bool:
        self.unclear |= p != q and NULL not in (p, q) and (self._is_unnamed(p) or self._is_unnamed(q))
        return p == q

    def may_be_one(self, p: Datum, q: Datum) -> bool:
        """Are they the same, or may two objects be one, as one of them is `unnamed`, and both hold the same?"""
        if p == q or not isinstance(p, Ref) or not isinstance(q, Ref):
            return p == q
        return (self._is_unnamed(p) or self._is_unnamed(q)) and self.objects.get(p) == self.objects.get(q)

    def _is_unnamed(self, p: Ref) -> bool:
        return p.fresh and self.objects[p].unnamed

    def is_known_same(self, p: Ref, q: Ref) -> bool:
        return p == q

    def isa(self, p: Ref, owner: str) -> bool:
        found = self.objects.get(p)
        return found is not None and self.layout.is_subclass(found.type.name, owner)

    def has_vtable(self, p: Ref) -> bool:
        return p in self.objects and isinstance(self.objects[p].type, Struct)

    def has_class(self, p: Ref, vtable: str) -> bool:
        type_ = self.objects[p].type if p in self.objects else None
        return isinstance(type_, Struct) and type_.vtable == vtable

    def has_subclass(self, p: Ref, vtable: str) -> bool:
        type_ = self.objects[p].type if p in self.objects else None
        above = self.layout.struct_of_vtable(vtable)
        if not isinstance(type_, Struct):
            return False
        return self.layout.is_subclass(type_.name, above.name) if above.declared else type_.vtable == vtable

    # Contents.

    def is_set(self, p: Ref, slot: Field, index: int | None = None) -> bool:
        return p in self.objects and self.objects[p].value(cell_of(slot, index), blank(slot.type)) is not None

    def is_settled(self, p: Ref, slot: Field, index: int | None = None) -> bool:
        return (not p.fresh or p in self.seen) and (p, cell_of(slot, index)) in self._settled

    def get(self, p: Ref, slot: Field, index: int | None = None) -> Datum:
        cell = cell_of(slot, index)
        if slot.immutable:
            self._settled.add((p, cell))
        value = self.objects[p].value(cell, blank(slot.type))
        assert value is not None
        return value

    def put(self, p: Ref, slot: Field, index: int | None, value: Datum) -> None:
        self.unclear |= index is not None and self._is_unnamed(p)
        self.objects[p] = self.objects[p].put(cell_of(slot, index), value)

    def has_length(self, p: Ref) -> bool:
        return p in self.objects and self.objects[p].length is not None

    def length(self, p: Ref) -> int:
        if p == RAW_REF:
            return 1 << self.layout.word
        return (self.objects[p].length or 0) if p in self.objects else 0

    def are_set(self, p: Ref, slot: Field, start: int, count: int) -> bool:
        held = self.objects.get(p)
        if held is None or not held.cleared:
            return held is not None and len(_range(held, slot, start, count)) == count
        return not any(0 <= at - start < count for _, at in held.unwritten)

    def copy_items(self, slot: Field, p: Ref, start: int, q: Ref, at: int, count: int) -> None:
        """Raises TooLong where that takes too many cells."""
        held, there = self.objects[p], self.objects[q]
        copied: dict[Cell, Datum] = {}
        unwritten: set[Cell] = set()
        if held.cleared == there.cleared:  # what neither mentions is alike
            copied = {(slot.key, i - start + at): value for i, value in _range(held, slot, start, count).items()}
            missing = [index - start for _, index in held.unwritten if 0 <= index - start < count]
            unwritten.update((slot.key, at + offset) for offset in missing)
        elif count > MOST_COPIED:
            raise TooLong
        else:
            for offset in range(count):
                value = held.value((slot.key, start + offset), blank(slot.type))
                if value is not None:
                    copied[slot.key, at + offset] = value
                elif there.cleared:
                    unwritten.add((slot.key, at + offset))

        def stays(cell: Cell) -> bool:
            return cell[0] != slot.key or not 0 <= cell[1] - at < count

        cells = {cell: value for cell, value in there.cells.items() if stays(cell)} | copied
        unwritten.update(filter(stays, there.unwritten))
        self.objects[q] = Object(there.type, there.length, cells, there.cleared, there.unnamed, frozenset(unwritten))

    def same_items(self, slot: Field, p: Ref, start: int, q: Ref, at: int, count: int) -> bool:
        ranges = []
        for ref, first in ((p, start), (q, at)):
            if ref not in self.objects:
                return False
            held = _range(self.objects[ref], slot, first, count).items()
            ranges.append({index - first: value for index, value in held if value != blank(slot.type)})
        return ranges[0] == ranges[1]

    def holds(self, p: Ref, slot: Field, index: int, value: int) -> bool:
        return p in self.objects and self.objects[p].value(cell_of(slot, index), blank(slot.type)) == value

    # Strings.

    def is_text(self, p: Ref) -> bool:
        return p.name in self.layout.texts

    def hash(self, p: Ref, slot: Field) -> int:
        length = self.length(p)
        items = sorted(pair for pair in _range(self.objects[p], slot, 0, length).items() if pair[1])
        return address_of(f"{slot.key} {length} {items}", self.layout.word) or 1

    # Fresh objects.

    def new_struct(self, struct: Struct) -> Ref:
        return self._allocate(Object(struct, cleared=struct.cleared))

    def new_array(self, array: Array, length: int, cleared: bool) -> Ref:
        return self._allocate(Object(array, length, cleared=cleared))

    def new_filled(self, array: Array, length: int) -> Ref:
        return self._allocate(Object(array, length, unnamed=True))  # which has cells for other items than 0 only

    def _allocate(self, described: Object) -> Ref:
        while self.named(f"new{self._allocated}") is not None:
            self._allocated += 1
        ref = Ref(f"new{self._allocated}", True)
        self._allocated += 1
        self.objects[ref] = described
        return ref


def _range(held: Object, slot: Field, start: int, count: int) -> dict[int, Datum]:
    """The values known to have been put into `count` items from index `start` on, by index."""
    return {at: value for (key, at), value in held.cells.items() if key == slot.key and 0 <= at - start < count}
