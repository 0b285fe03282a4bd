"""Random small states with heaps that fit what two traces ask of their objects, full of aliases."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import count, islice
from random import Random

from optimizer.ir.floats import Float
from optimizer.ir.immutable import replace
from optimizer.ir.operands import constant_text
from optimizer.ir.rows.domain import wrap
from optimizer.ir.rows.ops import Type
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NO_INDEX, NULL, RAW_REF, Cell, Datum, Object, Ref
from optimizer.ir.run.runs import Given, Scripted, Seen, World, Write
from optimizer.ir.text.string_text import HIGHEST, constant_name
from optimizer.ir.trace import Trace
from optimizer.ir.types.layout import Array, Field, Struct
from validator.search.counterexample import State
from validator.search.heap_plan import EVENTS, Place, Plan, Used
from validator.search.raw_samples import RawSampler

_OBJECTS = 12
"""The number of objects of a heap, at most, those that the traces name not counted."""

_ITEMS = 256
"""The number of items of an array that are looked at, at most: the first ones."""

_ADDRESSES = 6
"""The number of machine ints worth trying that are taken as addresses near which raw memory is filled."""


class HeapSampler:
    """Draws states for a pair of traces. `pool` are the machine ints that are worth trying."""

    def __init__(self, trace: Trace, plan: Plan, pool: Sequence[int], random: Random) -> None:
        self._inputs = trace.inputs
        self._word = trace.word
        self._plan = plan
        self._pool = pool
        self._random = random
        self._raw = RawSampler(plan.raw, len(plan.events), random)
        variables = [operation.result.name for operation in trace.ops if operation.result is not None]
        self._taken = {*(var.name for var in trace.inputs), *variables}

    def state(self, *, tame: bool = False) -> State:
        """A state from nothing. A `tame` one has all that is asked for, and a world that leaves the heap alone."""
        heap = Heap(self._plan.layout)
        self._begin(heap, tame)
        for place in self._plan.places:
            if place.constant is not None:
                self._found[place] = self._constant(place)
        for place in self._plan.places:
            if place.constant is None:
                self._found[place] = self._put(place)
        for ref in list(heap.objects):
            self._fill(ref)
        inputs = [
            self._of_input(number) if var.type is Type.REF else self._number(var.type, number)
            for number, var in enumerate(self._inputs)
        ]
        world = World(self._results(), None, self._writes(), self._some_event(self._plan.checks_code, 0.6))
        world = replace(world, gc_types=self._gc_types())
        world = self._with_calls(world)
        for ref in list(heap.objects):
            self._fill(ref)
        return self._with_raw(State(tuple(inputs), world, heap))

    def _with_raw(self, state: State) -> State:
        """The state with contents of raw memory, if the traces use it: near all addresses that they may begin with."""
        numbers = [value for value in (*state.inputs, *state.world.results) if isinstance(value, int)]
        return self._raw.filled(state, [*numbers, *self._pool[:_ADDRESSES]])

    def changed(self, example: State) -> State:
        """An example with an input, a cell or an event that is another one."""
        heap = Heap(self._plan.layout) if example.heap is None else example.heap.copy()
        heap.layout = self._plan.layout
        self._begin(heap)
        inputs, world = list(example.inputs), example.world
        for _ in range(self._random.choice((1, 1, 2))):
            way = self._random.randrange(5)
            if way == 0 and inputs:
                number = self._random.randrange(len(inputs))
                type_ = self._inputs[number].type
                is_ref = type_ is Type.REF
                inputs[number] = self._pick(self._input_place(number)) if is_ref else self._number(type_, number)
            elif way == 1:
                world = replace(world, writes=self._writes())
            elif way == 2:
                world = replace(world, invalid=self._some_event(self._plan.checks_code, 0.6))
            elif way == 3:
                world = self._with_calls(world)
            else:
                self._change_cell()
        return self._with_raw(State(tuple(inputs), world, heap))

    def _begin(self, heap: Heap, tame: bool = False) -> None:
        heap.objects.pop(RAW_REF, None)
        self._heap = heap
        self._tame = tame
        self._found: dict[Place, Ref | None] = {}
        self._fitting_so_far: dict[tuple[str, ...], tuple[list[Ref], int]] = {}

    # References.

    def _input_place(self, number: int) -> Place:
        return next((place for place in self._plan.places if place.input == number), Place(input=number))

    def _of_input(self, number: int) -> Ref:
        return self._found.get(self._input_place(number)) or NULL

    def _constant(self, place: Place) -> Ref:
        assert place.constant is not None
        known = self._plan.layout.constant(place.constant)
        name = constant_text(place.constant)
        if known is None and self._heap.named(name) is None:
            others = self._fitting(place)
            if others and self._random.random() < 0.25:
                self._heap.names[name] = self._random.choice(others)
            else:
                self._heap.add(name, self._blank(place))
        ref = self._heap.constant(place.constant)
        described = self._heap.objects[ref]
        if known is not None and known.array is not None and known.length is None and not described.length:
            self._heap.objects[ref] = replace(described, length=self._length(place))
        return ref

    def _put(self, place: Place) -> Ref | None:
        """The object of a place that is not a constant, put where it belongs; None where that is not there."""
        if place.event is not None:
            return None
        if place.parent is None:
            return self._pick(place)
        parent, slot = self._found.get(place.parent), place.slot
        if slot is None or parent is None or parent not in self._heap.objects or self._is_given(parent, slot):
            return None
        index = place.index if self._plan.memory[slot.key].has_index else NO_INDEX
        if index is None or not self._has(parent, slot, index):
            return None
        held = self._heap.objects[parent].cells.get((slot.key, index))
        if isinstance(held, Ref):
            return held
        ref = self._pick(place)
        self._heap.objects[parent] = self._heap.objects[parent].put((slot.key, index), ref)
        return ref

    def _pick(self, place: Place) -> Ref:
        random = self._random
        same = [found for other in place.same if (found := self._found.get(other)) is not None]
        if same and random.random() < 0.7:
            return random.choice(same)
        null = {None: 0.25, False: 0 if self._tame else 0.06, True: 0.6}[place.is_null]
        if random.random() < null:
            return NULL
        fitting = self._fitting(place)
        if fitting and (random.random() < 0.4 or len(self._heap.objects) >= _OBJECTS):
            return random.choice(fitting)
        if len(self._heap.objects) >= _OBJECTS:
            return NULL
        return self._heap.add(self._name(place), self._blank(place))

    def _fitting(self, place: Place) -> list[Ref]:
        """The objects of a type that fits, which grow with the heap."""
        objects = self._heap.objects
        asked = tuple([memory_type.name for memory_type in place.types])
        fitting, looked_at = self._fitting_so_far.get(asked, ([], 0))
        if looked_at < len(objects):
            new = islice(objects.items(), looked_at, None)
            fitting += [ref for ref, held in new if self._fits(held.type, place)]
            self._fitting_so_far[asked] = fitting, len(objects)
        return fitting

    def _fits(self, type_: Struct | Array, place: Place) -> bool:
        is_subclass = self._plan.layout.is_subclass
        return all(is_subclass(type_.name, wanted.name) or not wanted.declared for wanted in place.types) and (
            not place.types or isinstance(type_, Struct) == isinstance(place.types[0], Struct)
        )

    def _name(self, place: Place) -> str:
        if place.input is not None and self._heap.named(self._inputs[place.input].name) is None:
            return self._inputs[place.input].name
        names = (f"q{number}" for number in count())
        return next(name for name in names if self._heap.named(name) is None and name not in self._taken)

    def _blank(self, place: Place) -> Object:
        """A new object of a type that mostly fits."""
        random, types = self._random, list(self._plan.types.values())
        fitting = [type_ for type_ in types if self._fits(type_, place)]
        if place.types and (self._tame or random.random() < 0.85):
            strict = [type_ for type_ in place.types if self._fits(type_, place)] or place.types
            type_ = random.choice(strict[:1] if random.random() < 0.5 or not fitting else fitting)
        else:
            type_ = random.choice(fitting or types or [Struct("object", "object")])
        return Object(type_, self._length(place) if isinstance(type_, Array) else None)

    def _length(self, place: Place) -> int:
        length = place.length + self._random.choice((0, 0, 1, 2))
        if not self._tame and self._random.random() < 0.06:
            return max(length - 3, 0)
        return length or self._random.choice((0, 1, 2, 3))

    # Cells.

    def _has(self, ref: Ref, slot: Field, index: int) -> bool:
        """Has the object such memory?"""
        held = self._heap.objects[ref]
        if slot.owner is not None and slot.key not in {own.key for own in held.type.slots}:
            return False
        return index == NO_INDEX or 0 <= index < (held.length or 0)

    def _cells(self, ref: Ref) -> list[tuple[Field, Cell]]:
        """The cells that the traces name."""
        found: list[tuple[Field, Cell]] = []
        length = self._heap.objects[ref].length or 0
        is_declared = constant_name(ref.name) is not None
        for used in self._plan.memory.values():
            if not is_declared or not self._is_given(ref, used.slot):
                at = range(min(length, _ITEMS)) if used.has_index else (NO_INDEX,)
                found += [(used.slot, (used.slot.key, index)) for index in at if self._has(ref, used.slot, index)]
        return found

    def _is_given(self, ref: Ref, slot: Field) -> bool:
        """Does a declaration say what it holds?"""
        name = constant_name(ref.name)
        known = None if name is None else self._plan.layout.constant(name)
        is_item = self._heap.is_text(ref) and slot.owner in HIGHEST
        return known is not None and (is_item or any(field.key == slot.key for field, _ in known.fields))

    def _fill(self, ref: Ref) -> None:
        for slot, cell in self._cells(ref):
            if cell in self._heap.objects[ref].cells or self._random.random() < 0.25:
                continue
            self._heap.objects[ref] = self._heap.objects[ref].put(cell, self._held(slot))

    def _change_cell(self) -> None:
        ways = [(ref, slot, cell) for ref in self._heap.objects for slot, cell in self._cells(ref)]
        if ways:
            ref, slot, cell = self._random.choice(ways)
            value = self._held(slot)  # may be a new object
            self._heap.objects[ref] = self._heap.objects[ref].put(cell, value)

    def _held(self, slot: Field) -> Datum:
        """A possible content of that memory."""
        if slot.type is Type.FLOAT:
            return self._float()
        if slot.type is Type.INT:
            return self._ranged(slot)
        wanted = self._places_of.get(slot.key)
        return self._pick(self._random.choice(wanted) if wanted else Place())

    @cached_property
    def _places_of(self) -> dict[str, list[Place]]:
        """The places in each memory."""
        places: dict[str, list[Place]] = {}
        for place in self._plan.places:
            if place.slot is not None:
                places.setdefault(place.slot.key, []).append(place)
        return places

    # Numbers.

    def _number(self, type_: Type, source: object) -> int | Float:
        return self._float() if type_ is Type.FLOAT else self._int(source)

    def _float(self) -> Float:
        from validator.search.float_samples import draw_float  # here: most traces have no floats

        return draw_float(self._floats, self._random)

    @cached_property
    def _floats(self) -> tuple[Float, ...]:
        from validator.search.float_samples import float_pool

        return float_pool(self._plan.floats)

    def _int(self, source: object) -> int:
        """A value of an input, of memory or of an event: small where it is used as an index."""
        if self._tame and source in self._plan.numbers:
            return self._plan.numbers[source]
        if source in self._plan.indices and self._random.random() < 0.85:
            return self._random.choice((0, 0, 1, 1, 2))
        return self._any_int()

    def _any_int(self) -> int:
        way = self._random.random()
        if way < 0.5:
            return self._random.choice((0, 0, 1, 2, 3, -1))
        if way < 0.9:
            return self._random.choice(self._pool)
        return wrap(self._random.getrandbits(self._word), self._word)

    def _ranged(self, slot: Field) -> int:
        value = self._int(slot.key)
        if slot.low is None or slot.high is None or slot.low <= value <= slot.high:
            return value
        return self._random.choice([slot.low, slot.high, min(1, slot.high)])

    # The world.

    def _results(self) -> tuple[Scripted, ...]:
        results: list[Scripted] = []
        for number, (type_, _) in enumerate(self._plan.events):
            if type_ is not Type.REF:
                results.append(self._given(type_))
            elif not self._tame and self._random.random() < 0.15:
                results.append(Seen(self._random.randrange(2)))
            else:
                place = next((place for place in self._plan.places if place.event == number), Place())
                results.append(self._pick(place))
        return tuple(results)

    def _writes(self) -> tuple[tuple[Write, ...], ...]:
        writes: list[tuple[Write, ...]] = []
        for _, effects in self._plan.events:
            writable = [used for used in self._plan.memory.values() if effects.may_write(used.slot)]
            number = self._random.choice((0, 0, 1, 1, 2)) if writable and not self._tame else 0
            writes.append(tuple(self._write(self._random.choice(writable)) for _ in range(number)))
        return tuple(writes) if any(writes) else ()

    def _write(self, used: Used) -> Write:
        slot, random = used.slot, self._random
        index = random.choice((0, 0, 1, 2)) if used.has_index else None
        targets = [ref for ref in self._heap.objects if self._has(ref, slot, NO_INDEX if index is None else index)]
        value: Scripted = self._held(slot)
        if slot.type is Type.REF and random.random() < 0.2:
            value = Seen(random.randrange(2))
        if random.random() < 0.3 or not targets:
            return Write(Seen(random.randrange(2)), used.descr, value, index)
        return Write(random.choice(targets), used.descr, value, index)

    def _some_event(self, asked: bool, seldom: float) -> frozenset[int]:
        """Mostly none, or the number of an event behind which the world does something that traces ask for."""
        if not asked or self._tame or self._random.random() < seldom:
            return frozenset()
        return frozenset({self._random.randrange(len(self._plan.events) + 1)})

    def _with_calls(self, world: World) -> World:
        """The world with functions, exceptions and conditions. A tame one raises nothing, and forces nothing."""
        plan = self._plan
        functions = tuple(Given(self._given(type_), self._raised(raises)) for type_, raises in plan.functions)
        raises = tuple(self._raised(effects.can_raise) for _, effects in plan.events)
        return replace(
            world,
            functions=functions,
            raises=raises if any(one != NULL for one in raises) else (),
            pending=self._exception() if plan.is_pending and self._random.random() < 0.8 else NULL,
            forced=self._some_event(plan.asks_world, 0.7),
            false_conditions=self._some_event(plan.asks_world, 0.7),
        )

    def _given(self, type_: Type) -> Datum:
        if type_ is Type.REF:
            return self._pick(Place())
        return 0 if type_ is Type.VOID else self._number(type_, EVENTS)

    def _raised(self, can_raise: bool) -> Ref:
        often = 0.35 if self._plan.caught else 0.12
        return self._exception() if can_raise and not self._tame and self._random.random() < often else NULL

    def _exception(self) -> Ref:
        caught = self._plan.caught
        return self._pick(Place(types=[self._random.choice(caught)] if caught else [], is_null=False))

    def _gc_types(self) -> tuple[tuple[str, int], ...]:
        numbers: dict[str, int] = dict(self._plan.gc_types) if self._tame else {}
        for place in self._plan.places:
            for type_ in place.types or self._plan.types.values():
                if place.gc_type is not None and (self._tame or self._random.random() < 0.8):
                    numbers.setdefault(type_.name, place.gc_type)
        return tuple(sorted(numbers.items()))
