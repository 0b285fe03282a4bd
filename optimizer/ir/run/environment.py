"""The world of a run at work: what events see, what they change, and what they give.

An event does the writes that the script has for it, as far as it may. It does not do one
- to an object that is not there, or not visible to it, nor of a value that is neither;
- to an object of another type than the descr's, or outside of an array;
- of a value of another type, or outside the range of the memory;
- to memory that its declaration does not let it write, what is immutable being written only if it is named;
- to a constant string, nor to another one that it does not name;
- to an immutable field or item that the trace has read;
- to a field that `quasiimmut_field` has named, where the code is valid behind the event.
"""

from __future__ import annotations

from optimizer.ir.floats import Float
from optimizer.ir.immutable import replace
from optimizer.ir.rows.row import REF, VOID, Type
from optimizer.ir.run.functions import Functions
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NULL, Datum, Ref, blank, type_of
from optimizer.ir.run.runs import EventSeen, World, Write, datum_of
from optimizer.ir.text.string_text import HIGHEST
from optimizer.ir.types.calls import Effects
from optimizer.ir.types.layout import Array, Field
from optimizer.ir.types.memory_cells import end_of
from optimizer.ir.types.memory_names import memory_named
from optimizer.ir.types.memory_types import MemoryKind


class Environment:
    """Plays the script `world` on the heap of one run."""

    def __init__(self, world: World, heap: Heap) -> None:
        self._world = world
        self._heap = heap
        self._events: list[EventSeen] = []
        self._invalidations = 0
        self._not_done: set[tuple[int, int]] = set()  # writes, by event and position
        self.functions = Functions(world, heap)
        heap.gc_types = dict(world.gc_types)
        heap.valid = 0 not in world.invalid
        heap.set_pending(world.pending)
        self._look_around()

    @property
    def seen(self) -> tuple[EventSeen, ...]:
        """The events so far."""
        return tuple(self._events)

    @property
    def world_of_run(self) -> World:
        """The script without the writes that were not done because of what the run had read or watched."""
        if self._world.checked:
            return self._world
        known = self.functions.told()
        if not self._world.writes:
            return replace(self._world, checked=True, known=known)
        writes = tuple(
            tuple(write for position, write in enumerate(of_event) if (number, position) not in self._not_done)
            for number, of_event in enumerate(self._world.writes)
        )
        return replace(self._world, writes=writes, checked=True, known=known)

    @property
    def count(self) -> int:
        """The number of events so far."""
        return len(self._events)

    def meet(self, op: int, name: str, descr: str | None, args: tuple[Datum, ...], effects: Effects) -> int:
        """The trace comes to an event, which now sees what it can; gives its number."""
        objects = self._heap.reveal(args, effects)
        descr = self._heap.layout.canonical(descr)
        self._events.append(EventSeen(name, args, objects, descr, effects, op))
        self._look_around()
        return len(self._events) - 1

    def _look_around(self) -> None:
        """Tells the heap the world's decisions at this place."""
        self._heap.forced = self.count in self._world.forced
        self._heap.future = self.count not in self._world.false_conditions

    def returns(self, number: int) -> bool:
        """Does this event return?"""
        return self._world.stops_at != number

    def act(self, number: int, effects: Effects, result: Type) -> tuple[Datum | None, Ref]:
        """The event invalidates and writes; gives its result, None where it has none, and what it raises if it may."""
        world = self._world
        if effects.can_invalidate:
            self._invalidations += 1
            self._heap.valid = self._heap.valid and self._invalidations not in world.invalid
        for position, write in enumerate(world.writes[number] if number < len(world.writes) else ()):
            self._write(write, effects, (number, position))
        scripted = datum_of(world.raises[number], self._heap) if number < len(world.raises) else NULL
        raised = scripted if effects.can_raise and isinstance(scripted, Ref) else NULL
        if result is VOID:
            return None, raised
        value = datum_of(world.results[number], self._heap) if number < len(world.results) else None
        return blank(result) if value is None or type_of(value) is not result else value, raised

    def _write(self, write: Write, effects: Effects, place: tuple[int, int]) -> None:
        heap = self._heap
        target, value = datum_of(write.target, self._heap), datum_of(write.value, self._heap)
        slot = memory_named(heap.layout, write.descr, has_index=write.index is not None)
        if slot is None or not isinstance(target, Ref) or not self._is_visible(target) or not effects.may_write(slot):
            return
        if heap.is_text(target) or (slot.kind is MemoryKind.VIEW and not self._may_write_bytes(target, effects)):
            return
        if not self._fits(value, slot) or (slot.owner is not None and not heap.isa(target, slot.owner)):
            return
        if write.index is not None and not 0 <= write.index < end_of(slot.kind, heap.length(target), heap.layout.word):
            return
        if not self._world.checked and self._is_kept(target, slot, write.index):
            self._not_done.add(place)
            return
        assert value is not None
        heap.put(target, slot, write.index, value)

    def _may_write_bytes(self, target: Ref, effects: Effects) -> bool:
        """True if an event may write the bytes of the object: those of a string are changed by what may change its
        items."""
        type_ = self._heap.objects[target].type
        if isinstance(type_, Array) and type_.name in HIGHEST and type_.item is not None:
            return effects.may_write(type_.item)
        return True

    def _is_visible(self, ref: Ref) -> bool:
        return ref in self._heap.objects and (not ref.fresh or ref in self._heap.seen)

    def _fits(self, value: Datum | None, slot: Field) -> bool:
        """Can the memory hold the value?"""
        if isinstance(value, Ref):
            return slot.type is REF and (value == NULL or self._is_visible(value))
        if value is None or slot.type is not type_of(value):
            return False
        return isinstance(value, Float) or slot.has_room_for(value)

    def _is_kept(self, target: Ref, slot: Field, index: int | None) -> bool:
        """Does the trace rely on this cell?"""
        if slot.immutable and self._heap.is_settled(target, slot, index):
            return True
        return index is None and self._heap.is_protected(target, slot)
