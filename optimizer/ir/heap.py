"""The concrete heap: objects with identity, and what they hold."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, replace
from typing import NamedTuple

from optimizer.ir import raw_heap
from optimizer.ir.effects import EVERYTHING, Effects
from optimizer.ir.faults import Unspecified
from optimizer.ir.floats import ZERO, Float
from optimizer.ir.heap_domain import HeapDomain
from optimizer.ir.immutable import immutable
from optimizer.ir.layout import Array, Field, Known, Layout, RawItem, Struct
from optimizer.ir.object_bytes import OBJECT_BYTES, OBJECT_REFERENCES
from optimizer.ir.raw_memory import RAW_ARRAY
from optimizer.ir.row import Type
from optimizer.ir.string_text import constant_text, is_text
from optimizer.ir.values import address_of


class Ref(NamedTuple):
    """A reference: NULL, or an object by its name. `fresh` objects were allocated by the run of a trace.

    A tuple, because objects are looked up all the time, as variables are.
    """

    name: str
    fresh: bool = False

    def __str__(self) -> str:
        return self.name


NULL = Ref("NULL")

RAW_REF = Ref(RAW_ARRAY.name)
"""The object that raw memory is in a heap. No reference refers to it."""

Datum = int | Float | Ref
"""What a variable or a place in memory holds: a signed machine int, a float, or a reference."""

MOST_COPIED = 1 << 16
"""A run does not copy more items than that to where each has to be put down."""


class TooLong(Exception):
    """A copy of too many items."""


Cell = tuple[str, int]
"""A place in an object: the key of its slot, and the index in an array, `NO_INDEX` for a field."""

NO_INDEX = -1


@immutable
class Object:
    """An object's class, its length if it is an array, and what is known to have been put into its cells.

    The other cells hold 0, 0.0 or NULL, but if the object is not `cleared`, the items of an array and what numbers the
    object has have not been written. An object that is `unnamed` may as well be any other one with the same items.
    """

    type: Struct | Array
    length: int | None = None
    cells: Mapping[Cell, Datum] = field(default_factory=dict)
    cleared: bool = True
    unnamed: bool = field(default=False, compare=False)

    def value(self, cell: Cell, like: Datum) -> Datum | None:
        """What the cell holds, None if it has not been written; `like` is a value of the cell's type."""
        value = self.cells.get(cell)
        if value is not None:
            return value
        is_ref = isinstance(like, Ref)
        is_blank = not is_ref or (isinstance(self.type, Array) and cell[1] != NO_INDEX)
        if is_blank and not self.cleared:
            return None
        return blank(type_of(like))

    def put(self, cell: Cell, value: Datum) -> Object:
        return Object(self.type, self.length, {**self.cells, cell: value}, self.cleared, self.unnamed)

    def seen_by(self, effects: Effects) -> Object:
        """The object with only those cells that such an event may read or write."""
        if effects.sees_everything:
            return self
        cells = {cell: held for cell, held in self.cells.items() if effects.may_see_key(cell[0])}
        return Object(self.type, self.length, cells, self.cleared, self.unnamed)


def _cell(slot: Field, index: int | None) -> Cell:
    return slot.key, NO_INDEX if index is None else index


def type_of(value: Datum) -> Type:
    """The type of a variable that has this value."""
    if isinstance(value, Ref):
        return Type.REF
    return Type.FLOAT if isinstance(value, Float) else Type.INT


def blank(type_: Type) -> Datum:
    """What memory of that type holds where it has been cleared."""
    if type_ is Type.FLOAT:
        return ZERO
    return NULL if type_ is Type.REF else 0


def _range(held: Object, slot: Field, start: int, count: int) -> dict[int, Datum]:
    """What is known to have been put into so many items from there on, by index."""
    return {at: value for (key, at), value in held.cells.items() if key == slot.key and 0 <= at - start < count}


class Heap(HeapDomain[int, bool, Ref]):
    """Objects by their references, and further `names` of references: aliases, and names for NULL.

    `valid` says whether the code is, `gc_types` gives the numbers of types by their names, 0 for those left out.
    `forced`: the last event has forced the frame; `future`: the condition holds that is put in later.
    """

    __slots__ = (
        "_allocated",
        "_pending",
        "_protected",
        "_settled",
        "_watched",
        "forced",
        "future",
        "gc_types",
        "layout",
        "names",
        "objects",
        "seen",
        "unclear",
        "valid",
    )

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.objects: dict[Ref, Object] = {}
        self.names: dict[str, Ref] = {}
        self.seen: dict[Ref, None] = {}  # fresh objects that events have seen, in the order of their discovery
        self.unclear = False  # has it mattered which objects those are that are `unnamed`?
        self._settled: set[tuple[Ref, Cell]] = set()  # immutable cells that have been read
        self._watched: set[tuple[Ref, Cell]] = set()  # quasi-immutable cells that the code relies on
        self._protected: set[tuple[Ref, Cell]] = set()  # those of them that a check of the code has followed
        self._allocated = 0
        self.valid = True
        self.gc_types: Mapping[str, int] = {}
        self.forced = False
        self.future = True
        self._pending = NULL

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Heap) and (self._said(), self.names) == (other._said(), other.names)

    __hash__ = None  # type: ignore[assignment]  # a heap changes

    def _said(self) -> dict[Ref, Object]:
        """The objects; raw memory of which nothing is said might as well not be there."""
        return {ref: held for ref, held in self.objects.items() if ref != RAW_REF or held.cells}

    def copy(self) -> Heap:
        heap = Heap(self.layout)
        heap.objects = dict(self.objects)
        heap.names = dict(self.names)
        heap.seen = dict(self.seen)
        heap._settled = set(self._settled)
        heap._watched = set(self._watched)
        heap._protected = set(self._protected)
        heap.unclear = self.unclear
        heap.valid = self.valid
        heap.gc_types = self.gc_types
        heap.forced, heap.future, heap._pending = self.forced, self.future, self._pending
        heap._allocated = self._allocated
        return heap

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
        return p in self.objects and self.objects[p].value(_cell(slot, index), blank(slot.type)) is not None

    def is_settled(self, p: Ref, slot: Field, index: int | None = None) -> bool:
        return (not p.fresh or p in self.seen) and (p, _cell(slot, index)) in self._settled

    def get(self, p: Ref, slot: Field, index: int | None = None) -> Datum:
        cell = _cell(slot, index)
        if slot.immutable:
            self._settled.add((p, cell))
        value = self.objects[p].value(cell, blank(slot.type))
        assert value is not None
        return value

    def set_field(self, p: Ref, slot: Field, value: Datum) -> None:
        self.objects[p] = self.objects[p].put(_cell(slot, None), value)

    def set_item(self, p: Ref, slot: Field, index: int, value: Datum) -> None:
        self.unclear |= self._is_unnamed(p)
        self.objects[p] = self.objects[p].put(_cell(slot, index), value)

    def has_length(self, p: Ref) -> bool:
        return p in self.objects and self.objects[p].length is not None

    def length(self, p: Ref) -> int:
        if p == RAW_REF:
            return 1 << self.layout.word
        return (self.objects[p].length or 0) if p in self.objects else 0

    def are_set(self, p: Ref, slot: Field, start: int, count: int) -> bool:
        held = self.objects.get(p)
        return held is not None and (held.cleared or len(_range(held, slot, start, count)) == count)

    def copy_items(self, slot: Field, p: Ref, start: int, q: Ref, at: int, count: int) -> None:
        """Raises TooLong where that takes too many cells."""
        held, there = self.objects[p], self.objects[q]
        copied = {index - start + at: value for index, value in _range(held, slot, start, count).items()}
        if not there.cleared and len(copied) < count:
            if count > MOST_COPIED:
                raise TooLong
            copied = {index: copied.get(index, blank(slot.type)) for index in range(at, at + count)}
        kept = {
            cell: value for cell, value in there.cells.items() if cell[0] != slot.key or not 0 <= cell[1] - at < count
        }
        cells = kept | {(slot.key, index): value for index, value in copied.items()}
        self.objects[q] = Object(there.type, there.length, cells, there.cleared, there.unnamed)

    def same_items(self, slot: Field, p: Ref, start: int, q: Ref, at: int, count: int) -> bool:
        ranges = []
        for ref, first in ((p, start), (q, at)):
            if ref not in self.objects:
                return False
            held = _range(self.objects[ref], slot, first, count).items()
            ranges.append({index - first: value for index, value in held if value != blank(slot.type)})
        return ranges[0] == ranges[1]

    def holds(self, p: Ref, slot: Field, index: int, value: int) -> bool:
        return p in self.objects and self.objects[p].value(_cell(slot, index), blank(slot.type)) == value

    # Strings.

    def is_text(self, p: Ref) -> bool:
        return p.name in self.layout.texts

    def hash(self, p: Ref, slot: Field) -> int:
        length = self.length(p)
        items = sorted(pair for pair in _range(self.objects[p], slot, 0, length).items() if pair[1])
        return address_of(f"{slot.key} {length} {items}", self.layout.word) or 1

    # Raw memory.

    def add_raw(self) -> Object:
        """Raw memory, which is there from now on."""
        return self.objects.setdefault(RAW_REF, Object(RAW_ARRAY))

    def get_raw(self, slot: RawItem | Field, address: int) -> Datum:
        cells, word = self.add_raw().cells, self.layout.word
        if isinstance(slot, RawItem):
            return raw_heap.load(cells, slot, address, word)
        return cells.get(raw_heap.cell(slot, address, word), blank(slot.type))

    def set_raw(self, slot: RawItem | Field, address: int, value: Datum) -> None:
        word, raw = self.layout.word, self.add_raw()
        if isinstance(slot, Field):
            self.objects[RAW_REF] = raw.put(raw_heap.cell(slot, address, word), value)
            return
        assert isinstance(value, int)
        changed = raw_heap.store(slot, address, value, word)
        self.objects[RAW_REF] = replace(raw, cells={**raw.cells, **changed})

    # Objects by their bytes.

    def get_bytes(self, p: Ref, item: RawItem, offset: int) -> Datum:
        """Raises Unspecified where nobody knows what stands there."""
        cells = self.objects[p].cells
        if item.type is Type.REF:
            return self._known_bytes(p, cells.get((OBJECT_REFERENCES.key, offset)), NULL)
        held = [self._known_bytes(p, cells.get((OBJECT_BYTES.key, offset + k)), 0) for k in range(item.size)]
        numbers = bytes(byte for byte in held if isinstance(byte, int))
        return int.from_bytes(numbers, "little", signed=item.signed or 8 * item.size == self.layout.word)

    def _known_bytes(self, p: Ref, held: Datum | None, otherwise: Datum) -> Datum:
        if self.is_text(p):
            raise Unspecified(f"bytes of {p}")
        if held is None and p.fresh:
            raise Unspecified("bytes of a new object that nobody has stored")
        return otherwise if held is None else held

    def set_bytes(self, p: Ref, item: RawItem, offset: int, value: Datum) -> None:
        if isinstance(value, int):
            for k in range(item.size):
                self.set_item(p, OBJECT_BYTES, offset + k, value >> 8 * k & 255)
        else:
            self.set_item(p, OBJECT_REFERENCES, offset, value)

    # Addresses.

    def address(self, p: Ref | int) -> int:
        """Raises Unspecified for a new object, whose address is nobody's choice."""
        if isinstance(p, int):
            return p
        if p.fresh:
            raise Unspecified("the address of a new object")
        return 0 if p == NULL else address_of(f"address of {p}", self.layout.word)

    def object_at(self, address: int) -> Ref:
        """Raises Unspecified where no object is known to be."""
        old = [ref for ref in self.objects if not ref.fresh and ref != RAW_REF]
        found = [ref for ref in (NULL, *old) if self.address(ref) == address]
        if len(found) != 1:
            raise Unspecified("the object at an address that is not known to be that of one")
        return found[0]

    # The code and what it relies on.

    def gc_type(self, p: Ref) -> int:
        return self.gc_types.get(self.objects[p].type.name, 0) if p in self.objects else 0

    def is_valid(self) -> bool:
        return self.valid

    def watch(self, p: Ref, slot: Field) -> None:
        self._watched.add((p, _cell(slot, None)))

    def protect(self) -> None:
        self._protected |= self._watched

    def is_protected(self, p: Ref, slot: Field) -> bool:
        """Does every event that cannot invalidate leave this field alone?"""
        return (p, _cell(slot, None)) in self._protected

    def invalidate(self, valid: bool) -> None:
        """An event that can invalidate the code, which is `valid` behind it."""
        self._watched.clear()
        self._protected.clear()
        self.valid = valid

    def is_forced(self) -> bool:
        return self.forced

    def has_future(self) -> bool:
        return self.future

    # Exceptions.

    def pending(self) -> Ref:
        return self._pending

    def set_pending(self, p: Ref) -> None:
        self._pending = p

    def vtable(self, p: Ref) -> int:
        type_ = self.objects[p].type if p in self.objects else None
        return address_of(type_.vtable, self.layout.word) if isinstance(type_, Struct) else 0

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

    # What existed before the trace.

    def constant(self, name: str) -> Ref:
        """The object of that constant; where nothing says which one it is, an object of its own is added."""
        known = self.layout.constant(name)
        names = (name,) if known is None else (name, *known.names)
        for one in names:
            ref = self.named(constant_text(one))
            if ref is not None:
                return ref
        ref = self.add(constant_text(name), Object(Struct("object", "object")))
        if known is not None:
            self.objects[ref] = self._describe(known)
        return ref

    def _describe(self, known: Known) -> Object:
        if known.array is not None:
            items = {(f"{known.array.name}[]", index): item for index, item in enumerate(known.items or ())}
            return Object(known.array, known.length or 0, items)
        cells: dict[Cell, Datum] = {}
        for slot, value in known.fields:
            cells[_cell(slot, None)] = self.content(value)
        return Object(known.struct or Struct("object", "object"), cells=cells)

    def is_as_declared(self, valid: bool) -> bool:
        """Does each declared constant that has a name here hold what is declared of it? What is quasi-immutable does
        where the code is `valid`."""
        for declared in self.layout.declarations.consts:
            known, ref = self.layout.constant(declared.name), self.named(f"ConstPtr({declared.name})")
            if known is None or ref is None:
                continue
            held = self.objects.get(ref)
            wanted = {slot: self.content(value) for slot, value in known.fields if valid or not slot.quasi_immutable}
            if held is None or any(held.value(_cell(slot, None), value) != value for slot, value in wanted.items()):
                return False
        return all(self._is_as_written(ref) for ref in self.objects if is_text(ref.name))

    def _is_as_written(self, ref: Ref) -> bool:
        """Does the object of a constant string hold what its name says?"""
        known, held = self.layout.constant(ref.name), self.objects[ref]
        assert known is not None
        wanted = self._describe(known)
        same = (held.type.name, held.length) == (wanted.type.name, wanted.length)
        return same and all(held.value(cell, value) == value for cell, value in wanted.cells.items())

    def content(self, declared: int | Float | str) -> Datum:
        """What a field holds of which that is declared."""
        if not isinstance(declared, str):
            return declared
        return NULL if declared == "NULL" else self.constant(declared)

    # What is visible.

    def visible(self, roots: Iterable[Datum | None], effects: Effects = EVERYTHING) -> dict[Ref, Object]:
        """All objects that existed before the trace, that an event has seen, or that `roots` or these reach.

        They are reached through what `effects` may read or write, and have only these cells. They come in the order of
        discovery, the same for heaps that differ only in the names of fresh objects.
        """
        described: dict[Ref, Object] = {}
        old = sorted(ref for ref in self.objects if not ref.fresh)
        start = [root for root in roots if isinstance(root, Ref)]
        pending: list[Ref] = [*self.seen, *start, *old]
        while pending:
            reached, pending = pending, []
            for ref in reached:
                if ref not in described and (found := self.objects.get(ref)) is not None:
                    described[ref] = found.seen_by(effects)
                    pending += references(described[ref])
        return described

    def reveal(self, roots: Collection[Datum], effects: Effects = EVERYTHING) -> dict[Ref, Object]:
        """What an event with those effects sees that is handed `roots`. From now on it is visible."""
        visible = self.visible(roots, effects)
        self.seen.update((ref, None) for ref in visible if ref.fresh)
        return visible


def references(described: Object) -> list[Ref]:
    """The references that an object holds, in the order of its cells."""
    held = [(cell, value) for cell, value in described.cells.items() if isinstance(value, Ref)]
    return [value for _, value in sorted(held)]
