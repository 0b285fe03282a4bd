"""The world of an example in the making: what its events write and return."""

from __future__ import annotations

from fuzz.draw.choices import Choices, constant, float_constant
from fuzz.draw.random_heap import draw_object, fill
from fuzz.draw.random_types import Place, Types
from optimizer.ir.rows.ops import FLOAT, INT, REF
from optimizer.ir.rows.row import FIELD, ITEM
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NULL, RAW_REF, Datum, Ref
from optimizer.ir.run.runs import Given, Scripted, Seen, World, Write
from optimizer.ir.types.calls import Effects
from optimizer.ir.types.layout import RawItem, Struct
from optimizer.ir.types.memory_types import BYTES, RAW, VIEWS


class WorldDraft:
    """`initial` is the heap before the trace: objects that events bring are added to it."""

    def __init__(self, choices: Choices, types: Types, initial: Heap, word: int, exceptions: int) -> None:
        self._choices, self._types, self._initial, self._word = choices, types, initial, word
        self._writes: list[tuple[Write, ...]] = []
        self._invalidations = 0
        self._exceptions = exceptions
        self._raises: list[Scripted] = []
        self._functions: list[Given] = []
        self._invalid: set[int] = set()
        names = dict.fromkeys([type_.name for type_ in types.classes])
        self.gc_types = tuple((name, number) for number, name in enumerate(names, start=1))
        initial.gc_types = dict(self.gc_types)

    def act(self, heap: Heap, effects: Effects) -> None:
        """Does at once what an event invalidates and writes that has seen the heap."""
        if effects.can_invalidate:
            self._invalidations += 1
            valid = not self._choices.chance(5)
            if not valid:
                self._invalid.add(self._invalidations)
            heap.valid = heap.valid and valid
        raised = NULL
        if effects.can_raise:
            raised = self.exception(heap) if self._choices.chance(self._exceptions) else NULL
            heap.set_pending(raised)
        self._raises.append(scripted(raised, heap))
        writes: list[Write | None] = []
        if self._choices.chance(60):
            writes = self._choices.several(1, 3, lambda: self._write(heap, effects))
        self._writes.append(tuple(write for write in writes if write is not None))

    def _write(self, heap: Heap, effects: Effects) -> Write | None:
        """The event writes something that it may write, if that is found."""
        choices = self._choices
        if RAW_REF in heap.objects and choices.chance(40):
            return self._write_raw(heap, effects)
        target = choices.pick(_visible(heap))
        described, is_text = heap.objects[target], heap.is_text(target)
        used = [(VIEWS[key], offset) for key, offset in described.cells if key in VIEWS]
        if used and not is_text:
            slot, offset = choices.pick(used)
            place = Place(ITEM, slot.key.removesuffix("[]"), slot)
            return self._put(heap, target, place, offset) if effects.may_write(slot) else None
        allowed = [p for p in self._types.places.get(described.type.name, ()) if effects.may_write(p.slot)]
        if not allowed or is_text:
            return None
        place, index = choices.pick(allowed), None
        if place.kind is not FIELD:
            if not described.length:
                return None
            index = choices.integer(0, described.length - 1)
        if heap.is_settled(target, place.slot, index) or heap.is_protected(target, place.slot):
            return None
        return self._put(heap, target, place, index)

    def _put(self, heap: Heap, target: Ref, place: Place, index: int | None) -> Write:
        value = self._value(place, heap)
        heap.put(target, place.slot, index, value)
        return Write(_name(target, heap), place.descr, scripted(value, heap), index)

    def _write_raw(self, heap: Heap, effects: Effects) -> Write | None:
        """A byte of raw memory that has been read or written."""
        touched = [address for key, address in heap.objects[RAW_REF].cells if key == BYTES.key]
        if not touched or not effects.may_write(BYTES):
            return None
        address, value = self._choices.pick(touched), self._choices.integer(0, 255)
        heap.set_raw(RawItem(1, False, INT), address, value)
        return Write(RAW_REF, RAW, value, address)

    def _value(self, place: Place, heap: Heap) -> Datum:
        slot, choices = place.slot, self._choices
        if slot.type is REF:
            return NULL if choices.chance(20) else choices.pick(_visible(heap))
        if slot.type is FLOAT:
            return float_constant(choices)
        if slot.low is not None and slot.high is not None:
            return choices.integer(slot.low, slot.high)
        return constant(choices, self._word)

    def give(self, given: Given) -> None:
        """The next call of a function gives and raises that."""
        self._functions.append(given)

    def exception(self, heap: Heap, *, old: bool = False) -> Ref:
        """An object that can be raised, NULL if there is none; with `old`, one that existed before the trace."""
        fitting = [
            ref for ref in _visible(heap) if isinstance(heap.objects[ref].type, Struct) and not (old and ref.fresh)
        ]
        return self._choices.pick(fitting) if fitting else NULL

    def reference(self, heap: Heap) -> Ref:
        """A reference that an event returns: NULL, something that is there, or an object that it brings."""
        choices = self._choices
        match choices.integer(0, 9):
            case 0:
                return NULL
            case 1 | 2 | 3:
                ref = self._initial.add(f"q{len(self._initial.objects)}", draw_object(choices, self._types))
                fill(choices, self._types, self._initial, ref, self._word)
                heap.objects[ref] = self._initial.objects[ref]
                return ref
            case 4 | 5 | 6 if heap.seen:
                return choices.pick(list(heap.seen))
            case _:
                return choices.pick(_visible(heap))

    def script(self, results: tuple[Scripted, ...]) -> World:
        """The script of the world, event by event."""
        return World(
            results,
            writes=tuple(self._writes),
            invalid=frozenset(self._invalid),
            gc_types=self.gc_types,
            raises=tuple(self._raises) if any(raised != NULL for raised in self._raises) else (),
            functions=tuple(self._functions),
        )


def _visible(heap: Heap) -> list[Ref]:
    return [ref for ref in heap.objects if ref != RAW_REF and (not ref.fresh or ref in heap.seen)]


def _name(ref: Ref, heap: Heap) -> Ref | Seen:
    return Seen(list(heap.seen).index(ref)) if ref.fresh else ref


def scripted(value: Datum, heap: Heap) -> Scripted:
    """The script's name for the value."""
    return _name(value, heap) if isinstance(value, Ref) else value
