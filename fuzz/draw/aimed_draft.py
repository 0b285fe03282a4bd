"""The places that a trace over a heap accesses: those that were accessed before, or that may be the same."""

from __future__ import annotations

from fuzz.draw.call_draft import CallDraft
from fuzz.draw.choices import Choices, NotDrawable
from fuzz.draw.draft import Args
from fuzz.draw.heap_draft import NULL_REF, HeapDraft
from fuzz.draw.random_types import Place
from fuzz.draw.shape import HeapShape, Shape
from optimizer.ir.immutable import immutable, replace
from optimizer.ir.rows.ops import FLOAT, REF, DescrKind, Kind, Op
from optimizer.ir.rows.row import FIELD
from optimizer.ir.trace import ConstInt, Operation, Value, Var

_RECENT = 6


@immutable
class Aim:
    """A place of an object, as an access names it."""

    place: Place
    pointer: Value
    index: Value | None = None

    @property
    def args(self) -> Args:
        return (self.pointer,) if self.index is None else (self.pointer, self.index)


class AimedDraft(HeapDraft):
    """`aims` are the accesses so far, `raw_bases` and `raw_indices` the values from which `raw_accesses` to raw memory
    have their addresses, `byte_bases` the objects that are used by their bytes, in `byte_share` percent of these
    accesses."""

    of_block = (*HeapDraft.of_block, "aims")

    def __init__(self, choices: Choices, shape: Shape, heap: HeapShape) -> None:
        self.aims: list[Aim] = []
        self.raw_bases: list[Value] = []
        self.raw_indices: list[Value] = []
        self.byte_bases: list[Value] = []
        self.raw_accesses = 0
        self.calls = CallDraft(self, shape.word)
        self.uses_raw_fields = choices.chance(25)
        self.byte_share = choices.pick((0, 0, 40, 100))
        super().__init__(choices, shape, heap)
        self.byte_references = self.byte_share > 0 and choices.chance(40)

    def event(self, row: Op, args: Args, descr: str | None = None) -> None:
        self.need(row)
        self.calls.add(row, args, descr)

    def aim(self) -> Aim:
        """A place to access: often one that was accessed, through the same pointer or another. Raises NotDrawable."""
        if self.aims:
            recent = self.choices.latest(self.aims, _RECENT)
            if self.choices.chance(35):
                return recent
            if self.choices.chance(35):
                return self.beside(recent)
        return self.new_aim()

    def new_aim(self, kind: DescrKind | None = None) -> Aim:
        """Any place of that kind. Raises NotDrawable."""
        for _ in range(4):
            pointer = self.reference()
            if pointer is not None:
                aim = self.aim_at(pointer, kind)
                if aim is not None:
                    return aim
        raise NotDrawable

    def aim_at(self, pointer: Value, kind: DescrKind | None = None, key: str | None = None) -> Aim | None:
        """A place of that object; None where it has none of that kind and key."""
        found, places = self.object_of(pointer), self.places_of(pointer)
        if kind is not None or key is not None:
            places = tuple(place for place in places if kind in (None, place.kind) and key in (None, place.slot.key))
        if found is None or not places:
            return None
        place = self.choices.pick(places)
        if place.kind is FIELD:
            return Aim(place, pointer)
        return Aim(place, pointer, self.index(found.length)) if found.length else None

    def places_of(self, pointer: Value) -> tuple[Place, ...]:
        """The places of an object; none where it is none."""
        found = self.object_of(pointer)
        return () if found is None else self.types.places.get(found.type.name, ())

    def index(self, length: int) -> Value:
        """An index of an array: a constant, or a variable that is one on the example."""
        if self.choices.chance(50):
            fitting = [var for var in self.numbers if 0 <= self.values[var.name] < length]
            if fitting:
                return self.choices.latest(fitting, _RECENT)
        return ConstInt(self.choices.integer(0, length - 1))

    def beside(self, aim: Aim) -> Aim:
        """The same memory through another pointer, or at another index, where there is one."""
        if aim.index is not None and self.choices.chance(50):
            length = self.heap.length(self.refs_of(aim.pointer))
            return replace(aim, index=self.index(length))
        for _ in range(4):
            pointer = self.reference()
            if pointer is not None and pointer != aim.pointer:
                found = self.aim_at(pointer, aim.place.kind, aim.place.slot.key)
                if found is not None:
                    return self._at(self._renamed(found, aim.place), aim.index)
        return aim

    def _renamed(self, aim: Aim, place: Place) -> Aim:
        """The aim, under another name than the place has, if the memory has two."""
        names = [one for one in self.places_of(aim.pointer) if one.slot.key == place.slot.key and one != place]
        return replace(aim, place=self.choices.pick(names)) if names and self.choices.chance(50) else aim

    def _at(self, aim: Aim, index: Value | None) -> Aim:
        """The aim at that index, if it is one of the array."""
        if index is None or not self.choices.chance(60):
            return aim
        fits = 0 <= self.value(index) < self.heap.length(self.refs_of(aim.pointer))
        return replace(aim, index=index) if fits else aim

    def content(self, aim: Aim) -> Value | None:
        """A value to store there."""
        slot = aim.place.slot
        if slot.type is REF:
            return NULL_REF if self.choices.chance(10) else self.reference()
        if slot.type is FLOAT:
            return self.float_operand()
        if aim.index is not None and self.choices.chance(12):
            return aim.index  # an item that is its own index
        for _ in range(3):
            value = self.operand()
            if slot.has_room_for(self.value(value)):
                return value
        return ConstInt(self.choices.integer(slot.low or 0, slot.high or 0))

    # Accesses.

    def strings_at(self, place: Place) -> dict[Kind, Op] | None:
        """The rows of strings, where the place is their items."""
        return self.memory.strings.get(place.slot.owner or "")

    def load(self, aim: Aim) -> Var | None:
        place = aim.place
        strings = self.strings_at(place)
        rows = self.memory.loads[place.kind, place.slot.type] if strings is None else (strings[Kind.LOAD],)
        # The rows behind the first are for memory that does not change.
        row = self.choices.pick(rows) if place.slot.immutable else rows[0]
        operation = self.attempt(row, aim.args, place.descr if strings is None else None, place.slot)
        if operation is None:
            return None
        self.aims.append(aim)
        return operation.result

    def store(self, aim: Aim, value: Value | None = None) -> Operation | None:
        value = self.content(aim) if value is None else value
        if value is None:
            return None
        strings = self.strings_at(aim.place)
        row = self.choices.pick(self.memory.stores[aim.place.kind]) if strings is None else strings[Kind.STORE]
        operation = self.attempt(row, (*aim.args, value), aim.place.descr if strings is None else None, aim.place.slot)
        if operation is not None:
            self.aims.append(aim)
        return operation

    def set_some(self, pointer: Value) -> None:
        """Stores something to a place of the object, if it has one."""
        aim = self.aim_at(pointer)
        if aim is not None:
            self.store(aim)

    # Exits.

    def in_block(self) -> None:
        match self.choices.integer(0, 3):
            case 0 | 1:
                super().in_block()
            case 2:
                made = self.allocate()
                if made is not None:
                    self.set_some(made)
            case _:
                self.store(self.aim())
