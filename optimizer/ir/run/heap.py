"""The concrete heap: what there is at a moment of a run, and what of it is visible."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from optimizer.ir.addresses import address_of
from optimizer.ir.faults import Unspecified
from optimizer.ir.floats import Float
from optimizer.ir.immutable import replace
from optimizer.ir.operands import constant_text
from optimizer.ir.rows.row import REF
from optimizer.ir.run.object_heap import ObjectHeap
from optimizer.ir.run.objects import NULL, RAW_REF, Cell, Datum, Object, Ref, blank, cell_of, references
from optimizer.ir.text.string_text import is_text
from optimizer.ir.types.calls import EVERYTHING, Effects
from optimizer.ir.types.layout import Field, Layout, RawItem, Struct
from optimizer.ir.types.memory_cells import RAW_ARRAY, bytes_of, cell_at, number_in
from optimizer.ir.types.memory_types import BYTES, OBJECT_BYTES, OBJECT_REFERENCES, Known, MemoryKind


class Heap(ObjectHeap):
    """Objects, the bytes of raw memory, and what else the world has decided.

    `valid` says whether the code is, `gc_types` gives the numbers of types by their names, 0 for those left out.
    `forced`: the last event has forced the frame; `future`: the condition holds that is put in later.
    """

    __slots__ = ("_pending", "_watched", "forced", "future", "gc_types", "valid")

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self._watched: set[tuple[Ref, Cell]] = set()  # cells that do not change while the code is valid
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
        heap.unclear = self.unclear
        heap.valid = self.valid
        heap.gc_types = self.gc_types
        heap.forced, heap.future, heap._pending = self.forced, self.future, self._pending
        heap._allocated = self._allocated
        return heap

    # Raw memory.

    def add_raw(self) -> Object:
        """Raw memory, which is there from now on."""
        return self.objects.setdefault(RAW_REF, Object(RAW_ARRAY))

    def get_raw(self, slot: RawItem | Field, address: int) -> Datum:
        cells, word = self.add_raw().cells, self.layout.word
        if isinstance(slot, RawItem):
            held = (cells.get(cell_at(MemoryKind.RAW, BYTES.key, address + k, word), 0) for k in range(slot.size))
            return number_in(slot, [byte for byte in held if isinstance(byte, int)], word)
        return cells.get(cell_at(slot.kind, slot.key, address, word), blank(slot.type))

    def set_raw(self, slot: RawItem | Field, address: int, value: Datum) -> None:
        word, raw = self.layout.word, self.add_raw()
        if isinstance(slot, Field):
            self.objects[RAW_REF] = raw.put(cell_at(slot.kind, slot.key, address, word), value)
            return
        assert isinstance(value, int)
        held = enumerate(bytes_of(slot, value))
        changed = {cell_at(MemoryKind.RAW, BYTES.key, address + k, word): byte for k, byte in held}
        self.objects[RAW_REF] = replace(raw, cells={**raw.cells, **changed})

    # Objects by their bytes.

    def get_bytes(self, p: Ref, item: RawItem, offset: int) -> Datum:
        """Raises Unspecified where nobody knows what stands there."""
        cells = self.objects[p].cells
        if item.type is REF:
            return self._known_bytes(p, cells.get((OBJECT_REFERENCES.key, offset)), NULL)
        held = [self._known_bytes(p, cells.get((OBJECT_BYTES.key, offset + k)), 0) for k in range(item.size)]
        return number_in(item, [byte for byte in held if isinstance(byte, int)], self.layout.word)

    def _known_bytes(self, p: Ref, held: Datum | None, otherwise: Datum) -> Datum:
        if self.is_text(p):
            raise Unspecified(f"bytes of {p}")
        if held is None and p.fresh:
            raise Unspecified("bytes of a new object that nobody has stored")
        return otherwise if held is None else held

    def set_bytes(self, p: Ref, item: RawItem, offset: int, value: Datum) -> None:
        if isinstance(value, int):
            for k, byte in enumerate(bytes_of(item, value)):
                self.put(p, OBJECT_BYTES, offset + k, byte)
        else:
            self.put(p, OBJECT_REFERENCES, offset, value)

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

    def has_gc_type(self, p: Ref, number: int) -> bool:
        type_, array = self.objects[p].type, self.layout.by_gc_type.get(number)
        return self.gc_types.get(type_.name, 0) == number and (array is None or array == type_)

    def is_valid(self) -> bool:
        return self.valid

    def watch(self, p: Ref, slot: Field) -> None:
        self._watched.add((p, cell_of(slot)))

    def is_protected(self, p: Ref, slot: Field) -> bool:
        """Does every event behind which the code is valid leave this field alone?"""
        return self.valid and (p, cell_of(slot)) in self._watched

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
            cells[cell_of(slot)] = self.content(value)
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
            if held is None or any(held.value(cell_of(slot), value) != value for slot, value in wanted.items()):
                return False
        return all(self._is_as_written(ref) for ref in self.objects if is_text(ref.name))

    def is_written(self) -> bool:
        """Has all that the objects hold been written, as in those that existed before a trace?"""
        return all(held.cleared and not held.unwritten for held in self.objects.values())

    def _is_as_written(self, ref: Ref) -> bool:
        """Does the object of a constant string hold what its name says?"""
        known, held = self.layout.constant(ref.name), self.objects[ref]
        assert known is not None
        wanted = self._describe(known)
        same = (held.type.name, held.length) == (wanted.type.name, wanted.length)
        return same and all(held.value(cell, value) == value for cell, value in wanted.cells.items())

    def content(self, declared: int | Float | str) -> Datum:
        """The content of a field with that declaration."""
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
        old = sorted([ref for ref in self.objects if not ref.fresh])
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
        """The objects visible to an event with those effects that is handed `roots`. From now on it is visible."""
        visible = self.visible(roots, effects)
        self.seen.update(dict.fromkeys([ref for ref in visible if ref.fresh]))
        return visible
