"""Random contents of raw memory, where two traces are likely to look."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

from optimizer.ir.immutable import replace
from optimizer.ir.rows.row import Type
from optimizer.ir.run.objects import NULL, RAW_REF, Cell, Datum, Ref
from optimizer.ir.run.runs import Write
from optimizer.ir.types.layout import Field
from optimizer.ir.types.memory_cells import written_name
from validator.search.counterexample import State
from validator.search.float_samples import draw_float, float_pool

_NEAR = range(-2, 10)
"""The distances from an address at which memory is filled."""

_WRITES = 3
"""The number of cells that an event writes, at most."""


class RawSampler:
    """Draws contents of the raw memory `slots` for states with so many events."""

    def __init__(self, slots: Mapping[str, Field], events: int, random: Random) -> None:
        self._slots = tuple(slots.values())
        self._events = events
        self._random = random

    def filled(self, state: State, addresses: Iterable[int]) -> State:
        """The state with contents near the addresses, and events that write there."""
        heap = state.heap
        if not self._slots or heap is None:
            return state
        near = sorted({(address + k) % (1 << heap.layout.word) for address in addresses for k in _NEAR})
        places = [(slot, address) for slot in self._slots for address in near]
        objects = [NULL, *(ref for ref in heap.objects if ref != RAW_REF)]
        drawn = [place for place in places if self._random.random() < 0.6]
        cells: dict[Cell, Datum] = {(slot.key, address): self._value(slot, objects) for slot, address in drawn}
        heap = heap.copy()
        heap.objects[RAW_REF] = replace(heap.add_raw(), cells=cells)
        writes = [list(done) for done in state.world.writes] or [[] for _ in range(self._events)]
        for done in writes:
            done[:] = [write for write in done if write.target != RAW_REF]
            for _ in range(self._random.choice((0, 0, 1, _WRITES))):
                slot, address = self._random.choice(places)
                done.append(Write(RAW_REF, written_name(slot.key), self._value(slot, objects), address))
        world = replace(state.world, writes=tuple(map(tuple, writes)) if any(writes) else ())
        return replace(state, heap=heap, world=world)

    def _value(self, slot: Field, objects: list[Ref]) -> Datum:
        if slot.type is Type.REF:
            return self._random.choice(objects)
        if slot.type is Type.FLOAT:
            return draw_float(float_pool(()), self._random)
        low, high = (0, 3) if slot.low is None or slot.high is None else (slot.low, slot.high)
        return self._random.choice((low, high, self._random.randint(low, high), min(1, high)))
