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
from optimizer.ir.types.effects import Effects
from optimizer.ir.types.layout import RawItem, Struct
from optimizer.ir.types.memory_types import BYTES, RAW, VIEWS


class WorldDraft:
    """`initial` is the heap before the trace: objects that events bring are added to it."""

    def __init__(self, types: Types, initial: Heap, exceptions: int) -> None:
        self._types = types
        self._initial = initial
        self._writes: list[tuple[Write, ...]] = []
        self._invalidations = 0
        self._exceptions = exceptions
        self._raises: list[Scripted] = []
        self._functions: list[Given] = []
        self._invalid: set[int] = set()
        names = dict.fromkeys([type_.name for type_ in types.classes])
        self.gc_types = tuple((name, number) for number, name in enumerate(names, start=1))
        initial.gc_types = dict(self.gc_types)

    def act(self, choices: Choices, heap: Heap, effects: Effects, word: int) -> None:
        """What an event invalidates and writes that has seen the heap; it is done at once."""
        if effects.can_invalidate:
            self._invalidations += 1
            valid = not choices.chance(5)
            if not valid:
                self._invalid.add(self._invalidations)
            heap.invalidate(valid)
        raised = NULL
        if effects.can_raise:
            raised = self.exception(choices, heap) if choices.chance(self._exceptions) else NULL
            heap.set_pending(raised)
        self._raises.append(self.name(raised, heap))
        done: list[Write] = []

        def one() -> None:
            if RAW_REF in heap.objects and choices.chance(40):
                self._poke(choices, heap, effects, done)
                return
            target = choices.pick(_visible(heap))
            described = heap.objects[target]
            if self._poke_bytes(choices, heap, effects, target, done):
                return
            allowed = [
                place for place in self._types.places.get(described.type.name, ()) if effects.may_write(place.slot)
            ]
            if not allowed or heap.is_text(target):
                return
            place = choices.pick(allowed)
            index = None
            if place.kind is not FIELD:
                if not described.length:
                    return
                index = choices.integer(0, described.length - 1)
            if heap.is_settled(target, place.slot, index) or heap.is_protected(target, place.slot):
                return
            value = _value(choices, place, heap, word)
            if index is None:
                heap.set_field(target, place.slot, value)
            else:
                heap.set_item(target, place.slot, index, value)
            done.append(Write(_name(target, heap), place.descr, _scripted(value, heap), index))

        if choices.chance(60):
            choices.repeat(1, 3, one)
        self._writes.append(tuple(done))

    def give(self, given: Given) -> None:
        """The next call of a function gives and raises that."""
        self._functions.append(given)

    def exception(self, choices: Choices, heap: Heap, *, old: bool = False) -> Ref:
        """An object that can be raised, NULL if there is none; with `old`, one that existed before the trace."""
        found = [
            ref for ref in _visible(heap) if isinstance(heap.objects[ref].type, Struct) and not (old and ref.fresh)
        ]
        return choices.pick(found) if found else NULL

    def old_reference(self, choices: Choices, heap: Heap, word: int) -> Ref:
        """What a function gives: NULL, or an object that existed before the trace."""
        ref, _ = self.reference(choices, heap, word)
        return NULL if ref.fresh else ref

    @staticmethod
    def name(value: Datum, heap: Heap) -> Scripted:
        """What the script calls that."""
        return _scripted(value, heap)

    def _poke(self, choices: Choices, heap: Heap, effects: Effects, done: list[Write]) -> None:
        """The event writes a byte of raw memory, one that has been read or written, if it may."""
        known = [address for key, address in heap.objects[RAW_REF].cells if key == BYTES.key]
        if known and effects.may_write(BYTES):
            address, value = choices.pick(known), choices.integer(0, 255)
            heap.set_raw(RawItem(1, False, INT), address, value)
            done.append(Write(RAW_REF, RAW, value, address))

    def _poke_bytes(self, choices: Choices, heap: Heap, effects: Effects, target: Ref, done: list[Write]) -> bool:
        """The event writes a byte or a reference of an object that is used by its bytes; is it such a one?"""
        known = [(VIEWS[key], offset) for key, offset in heap.objects[target].cells if key in VIEWS]
        if not known or heap.is_text(target):
            return False
        slot, offset = choices.pick(known)
        if effects.may_write(slot):
            place = Place(ITEM, slot.key.removesuffix("[]"), slot)
            value = _value(choices, place, heap, heap.layout.word)
            heap.set_item(target, slot, offset, value)
            done.append(Write(_name(target, heap), place.descr, _scripted(value, heap), offset))
        return True

    def reference(self, choices: Choices, heap: Heap, word: int) -> tuple[Ref, Scripted]:
        """What an event returns: NULL, something that is there, or an object that it brings."""
        match choices.integer(0, 9):
            case 0:
                return NULL, NULL
            case 1 | 2 | 3:
                ref = self._initial.add(f"q{len(self._initial.objects)}", draw_object(choices, self._types))
                fill(choices, self._types, self._initial, ref, word)
                heap.objects[ref] = self._initial.objects[ref]
            case 4 | 5 | 6 if heap.seen:
                ref = choices.pick(list(heap.seen))
            case _:
                ref = choices.pick(_visible(heap))
        return ref, _name(ref, heap)

    def script(self, results: tuple[Scripted, ...]) -> World:
        """What the world does, event by event."""
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


def _value(choices: Choices, place: Place, heap: Heap, word: int) -> Datum:
    slot = place.slot
    if slot.type is REF:
        return NULL if choices.chance(20) else choices.pick(_visible(heap))
    if slot.type is FLOAT:
        return float_constant(choices)
    if slot.low is not None and slot.high is not None:
        return choices.integer(slot.low, slot.high)
    return constant(choices, word)


def _name(ref: Ref, heap: Heap) -> Ref | Seen:
    return Seen(list(heap.seen).index(ref)) if ref.fresh else ref


def _scripted(value: Datum, heap: Heap) -> Scripted:
    return _name(value, heap) if isinstance(value, Ref) else value
