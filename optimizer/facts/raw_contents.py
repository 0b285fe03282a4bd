"""The contents of raw memory, as far as a walk knows them at its place.

An address is told as a sum of multiples of values and an offset, as far as the definitions of the values say so. Two
places with the same multiples lie at a known distance. Of all others nothing is known: they may overlap in any way, and
so may bytes and a field of a raw struct; but not two such fields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from optimizer.facts.cells import stored_value
from optimizer.facts.conditions import Silent
from optimizer.ir.immutable import immutable
from optimizer.ir.rows.ops import Kind
from optimizer.ir.trace import ConstInt, Operation, Value
from optimizer.ir.types.calls import Effects
from optimizer.ir.types.layout import Field, RawItem
from optimizer.ir.types.memory_cells import has_kind
from optimizer.ir.types.memory_types import MemoryKind

if TYPE_CHECKING:
    from optimizer.facts.facts import Facts

MOST_PLACES = 16
"""The number of places whose contents are known at a time, at most."""

_DEEPEST = 4
"""The number of definitions that are looked through, one behind the other, at most."""


@immutable
class Address:
    """The sum of values, each so many times, and an offset, modulo 2**WORD."""

    parts: frozenset[tuple[Value, int]]
    offset: int


@immutable
class Place:
    """The subject of an access by address: bytes, or a field of a raw struct."""

    address: Address
    slot: RawItem | Field
    word: int

    @property
    def size(self) -> int:
        assert isinstance(self.slot, RawItem)
        return self.slot.size

    def distance(self, other: Place) -> int | None:
        """The distance of the other one behind this one, None if it is unknown."""
        if self.address.parts != other.address.parts:
            return None
        return (other.address.offset - self.address.offset) % (1 << self.word)

    def covers(self, other: Place) -> bool:
        """Is all of the other one a part of this one?"""
        distance = self.distance(other)
        if isinstance(self.slot, Field) or isinstance(other.slot, Field):
            return self.key == other.key and distance == 0
        return distance is not None and distance + other.size <= self.size

    def is_apart(self, other: Place) -> bool:
        """Is nothing of the other one a part of this one?"""
        distance = self.distance(other)
        if isinstance(self.slot, Field) and isinstance(other.slot, Field):
            return self.key != other.key or distance not in (0, None)
        if distance is None or isinstance(self.slot, Field) or isinstance(other.slot, Field):
            return False
        return distance >= self.size and distance + other.size <= 1 << self.word

    @property
    def key(self) -> str:
        return self.slot.key if isinstance(self.slot, Field) else ""


class _Linear(Silent):
    """Computes addresses; None for what is no such sum."""

    def __init__(self, word: int) -> None:
        self.width = word

    @property
    def floats(self) -> _Linear:
        return self

    def const(self, value: int) -> Address:
        return Address(frozenset(), value % (1 << self.width))

    def add(self, one: Address | None, other: Address | None) -> Address | None:
        if one is None or other is None:
            return None
        total = dict(one.parts)
        for value, times in other.parts:
            total[value] = total.get(value, 0) + times
        return self._sum(total, one.offset + other.offset)

    def sub(self, one: Address | None, other: Address | None) -> Address | None:
        return self.add(one, self.mul(other, self.const(-1)))

    def mul(self, one: Address | None, other: Address | None) -> Address | None:
        if one is not None and not one.parts:
            one, other = other, one
        if one is None or other is None or other.parts:
            return None
        return self._sum({value: times * other.offset for value, times in one.parts}, one.offset * other.offset)

    def shl(self, one: Address | None, other: Address | None) -> Address | None:
        if other is None or other.parts or other.offset >= self.width:
            return None
        return self.mul(one, self.const(1 << other.offset))

    def _sum(self, parts: dict[Value, int], offset: int) -> Address:
        ring = 1 << self.width
        return Address(frozenset((value, n % ring) for value, n in parts.items() if n % ring), offset % ring)


class _Accessed:
    """A heap that remembers what of its raw memory is accessed."""

    found: tuple[RawItem | Field, Address | None] | None = None

    def get_raw(self, slot: RawItem | Field, address: Address | None, _stored: None = None) -> None:
        self.found = slot, address

    set_raw = get_raw


class RawContents:
    """The contents that are known: places, and the values whose lowest bytes stand there."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._domain = _Linear(facts.word)
        self._known: dict[Place, Value] = {}

    def place(self, operation: Operation) -> Place:
        """The place that a load reads or a store changes."""
        memory, heap = operation.memory, _Accessed()
        assert memory is not None
        assert memory.meaning is not None
        args = [None if at == memory.stores else self._address(arg, _DEEPEST) for at, arg in enumerate(operation.args)]
        memory.meaning(self._domain, heap, self._facts.layout.descr_of(operation), *args)
        assert heap.found is not None
        slot, address = heap.found
        assert address is not None
        where = slot if isinstance(slot, Field) else RawItem(slot.size, False, slot.type)
        return Place(address, where, self._facts.word)

    def _address(self, value: Value, depth: int) -> Address:
        value = self._facts.find(value)
        if isinstance(value, ConstInt):
            return self._domain.const(value.value)
        definition = self._facts.definition(value)
        if depth and definition is not None and definition.op.is_pure and definition.op.meaning is not None:
            args = [self._address(arg, depth - 1) for arg in definition.args]
            found = definition.op.meaning(self._domain, *args)
            if isinstance(found, Address):
                return found
        return Address(frozenset({(value, 1)}), 0)

    def containing(self, place: Place) -> tuple[Place, Value] | None:
        """A place whose contents are known and that covers this one, the same one if there is it."""
        if place in self._known:
            return place, self._facts.find(self._known[place])
        return next(((at, self._facts.find(value)) for at, value in self._known.items() if at.covers(place)), None)

    def learn(self, operation: Operation) -> None:
        """A load or store has been done, or is as if it had been."""
        place = self.place(operation)
        if operation.op.kind is Kind.RAW_LOAD:
            assert operation.result is not None
            self._put(place, operation.result)
            return
        value = stored_value(operation)
        self._known = {at: held for at, held in self._known.items() if at.is_apart(place)}
        self._facts.memory.escape(value)
        self._put(place, value)

    def _put(self, place: Place, value: Value) -> None:
        self._known[place] = value
        if len(self._known) > MOST_PLACES:
            del self._known[next(iter(self._known))]

    def event(self, effects: Effects) -> None:
        """An event has happened. What may write to a field may write to bytes."""
        if effects.writes is None:
            self._known.clear()
        elif has_kind(MemoryKind.RAW, effects.writes):
            fields = {at: held for at, held in self._known.items() if at.key}
            self._known = {at: held for at, held in fields.items() if at.key not in effects.writes}
