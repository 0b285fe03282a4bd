"""States near one: other values in its places, other worlds, arrays of other lengths."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from fuzz.edits.walk import values_in
from optimizer.ir.floats import Float
from optimizer.ir.immutable import replace
from optimizer.ir.rows.domain import wrap
from optimizer.ir.rows.ops import Kind
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NULL, RAW_REF, Ref
from optimizer.ir.run.runs import Scripted, Seen, World
from optimizer.ir.trace import ConstFloat, ConstInt, Trace
from validator.search.counterexample import State
from validator.search.float_samples import draw_float, float_pool
from validator.search.sites import (
    fits_at,
    is_given,
    may_be_seen,
    objects_of,
    shortened,
    sites,
    value_at,
    with_objects,
    with_value,
    with_writes,
)

_LONGEST = 5
"""An array is not made longer."""


class Nearby:
    """Draws states near others, for these traces: their constants, and what is next to these, are drawn often."""

    def __init__(self, traces: Sequence[Trace], random: Random) -> None:
        self._random = random
        self._word = traces[0].word
        self._events = sum(op.op.kind is Kind.EVENT for op in traces[0].ops)
        named = [value for trace in traces for value in values_in(trace)]
        self._floats = float_pool(value.value for value in named if isinstance(value, ConstFloat))
        half = 1 << (self._word - 1)
        numbers = {0, half, self._word, *(value.value for value in named if isinstance(value, ConstInt))}
        self._numbers = sorted({wrap(number + by, self._word) for number in numbers for by in (-1, 0, 1)})

    def state(self, known: Sequence[State]) -> State:
        """A state one to a few changes away from one of those."""
        near = self._random.choice(known)
        for _ in range(self._random.choice((1, 1, 1, 2, 3, 5, 8))):
            near = self._changed(near)
        return near

    def _changed(self, state: State) -> State:
        match self._random.randrange(20):
            case 0:
                return replace(state, world=self._with_another_time(state.world))
            case 1:
                return self._with_an_exception(state)
            case 2:
                return self._with_another_length(state)
            case 3:
                return self._with_another_target(state)
            case 4:
                return self._with_a_copy(state)
            case 5:
                return self._with_another_type_number(state)
            case _:
                return self._with_another_value(state)

    def _with_another_time(self, world: World) -> World:
        """The world where something happens behind other events."""
        turned = frozenset([self._random.randrange(self._events + 1)])
        match self._random.randrange(4):
            case 0:
                return replace(world, invalid=world.invalid ^ turned)
            case 1:
                return replace(world, forced=world.forced ^ turned)
            case 2:
                return replace(world, false_conditions=world.false_conditions ^ turned)
            case _:
                return replace(world, stops_at=self._random.choice((None, *range(self._events))))

    def _with_an_exception(self, state: State) -> State:
        """An event raises another exception, or none."""
        if state.heap is None or not self._events:
            return state
        raises = [*state.world.raises, *[NULL] * (self._events - len(state.world.raises))]
        raises[self._random.randrange(len(raises))] = self._random.choice([NULL, *_objects(state.heap)])
        return replace(state, world=replace(state.world, raises=tuple(raises)))

    def _with_another_value(self, state: State) -> State:
        among = sites(state)
        if not among:
            return state
        site = self._random.choice(among)
        value = self._like(value_at(state, site), [value_at(state, other) for other in among], state.heap)
        if isinstance(value, Seen) and not may_be_seen(site):
            return state
        is_wide = isinstance(value, int) and not fits_at(state, site, value)
        return state if is_wide else with_value(state, site, value)

    def _like(self, value: Scripted, others: Sequence[Scripted], heap: Heap | None) -> Scripted:
        """A value of the same type."""
        random = self._random
        if isinstance(value, Ref | Seen):
            known = _objects(heap) if heap is not None else []
            refs: list[Ref | Seen] = [NULL, *known, *(one for one in others if isinstance(one, Seen))]
            return random.choice(refs)
        if isinstance(value, Float):
            return draw_float((*self._floats, *(one for one in others if isinstance(one, Float))), random)
        numbers = [one for one in others if isinstance(one, int)]
        match random.randrange(6):
            case 0 if numbers:
                return random.choice(numbers)
            case 1:
                return wrap(value + random.choice((-1, 1)), self._word)
            case 2:
                return wrap(random.getrandbits(self._word), self._word)
            case 3:
                return random.randrange(-2, 6)
            case _:
                return random.choice(self._numbers)

    def _with_another_length(self, state: State) -> State:
        arrays = [ref for ref, held in objects_of(state).items() if held.length is not None]
        if not arrays:
            return state
        ref = self._random.choice(arrays)
        if is_given(ref, state):
            return state
        held, length = objects_of(state)[ref], self._random.randrange(_LONGEST + 1)
        return with_objects(state, {ref: shortened(held, length)})

    def _with_another_target(self, state: State) -> State:
        """An event writes to another object, or leaves out a write."""
        writes = [(event, n) for event, done in enumerate(state.world.writes) for n in range(len(done))]
        if not writes or state.heap is None:
            return state
        event, number = self._random.choice(writes)
        done = list(state.world.writes[event])
        if self._random.random() < 0.3:
            del done[number]
        else:
            targets: list[Ref | Seen] = [*state.heap.objects, Seen(0), Seen(1)]
            done[number] = replace(done[number], target=self._random.choice(targets))
        return with_writes(state, event, done)

    def _with_a_copy(self, state: State) -> State:
        """An input refers to an object of its own that is like the one that it referred to."""
        inputs = [n for n, value in enumerate(state.inputs) if isinstance(value, Ref) and value != NULL]
        if state.heap is None or not inputs:
            return state
        number = self._random.choice(inputs)
        old = state.inputs[number]
        assert isinstance(old, Ref)
        copy = Ref(f"copy{len(state.heap.objects)}")
        if old not in state.heap.objects or copy in state.heap.objects:
            return state
        state = with_objects(state, {copy: state.heap.objects[old]})
        return replace(state, inputs=(*state.inputs[:number], copy, *state.inputs[number + 1 :]))

    def _with_another_type_number(self, state: State) -> State:
        known = state.world.gc_types
        if not known:
            return state
        place = self._random.randrange(len(known))
        numbers = [number for _, number in known]
        changed = (known[place][0], self._random.choice([*numbers, 0]))
        return replace(state, world=replace(state.world, gc_types=(*known[:place], changed, *known[place + 1 :])))


def _objects(heap: Heap) -> list[Ref]:
    return [ref for ref in heap.objects if ref != RAW_REF]
