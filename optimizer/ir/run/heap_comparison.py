"""Are two runs the same to whoever looks? Section 5 of the trace language, on what runs hand over and leave behind.

Objects that existed before the traces are themselves in both runs; those that the runs allocated are equal up to a
one-to-one renaming, which is one for all events and the end. An object of the first run that is not written yet in some
place may hold anything there in the second.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from optimizer.ir.immutable import replace
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NO_INDEX, NULL, Cell, Datum, Object, Ref
from optimizer.ir.run.runs import EventSeen, GuardFailed, Run
from optimizer.ir.types.calls import EVERYTHING, Effects


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A difference between two runs, and its place, such as `argument 0.next.value`.

    `value` is the index of the value handed over that is another one; `memory` is there where memory differs: the key
    of its cell, or `class` or `length` of an object, or `exception` of the one that is pending.
    """

    place: str
    wanted: str
    got: str
    value: int | None = field(default=None, compare=False)
    memory: str = field(default="", compare=False)
    is_of_numbers: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        return f"{self.place} is {self.got}, not {self.wanted}"


@dataclass(frozen=True, slots=True)
class Sight:
    """The state visible at an event or end: `values` are handed over (None: a dead slot), `objects` all visible ones.

    `what` names a value: argument or failarg. An event sees of the objects only what its `effects` say. At an end,
    `pending` is the exception that is pending.
    """

    values: Sequence[Datum | None]
    objects: Mapping[Ref, Object]
    what: str = "argument"
    effects: Effects = EVERYTHING
    pending: Ref = NULL


@dataclass(slots=True)
class Renaming:
    """The fresh objects of two runs that have been found to be the same.

    `doubtful`: an object of the first run that may be any with its items was found to be another one in the second.
    From there on nothing is told apart.
    """

    doubtful: bool = False
    _partners: dict[Ref, Ref] = field(default_factory=dict)
    _taken: dict[Ref, Ref] = field(default_factory=dict)

    def difference(self, wanted: Sight, got: Sight) -> Mismatch | None:
        """The first difference of `got` from `wanted`, None if there is none; then the renaming knows all objects
        seen."""
        if len(wanted.values) != len(got.values):
            count = f"number of {wanted.what}s"
            return Mismatch(f"the {count}", str(len(wanted.values)), str(len(got.values)))
        was_doubtful = self.doubtful
        found = _Comparison(self, wanted, got).run()
        # Numbers differ here whichever object it is that has become doubtful here.
        is_certain = not self.doubtful or (not was_doubtful and found is not None and found.is_of_numbers)
        return found if is_certain else None

    def matches(self, ref: Ref, other: Ref) -> bool:
        """Is it the same reference in both runs? Fresh objects that have no partners yet become partners."""
        if not ref.fresh or not other.fresh:
            return ref == other
        if ref not in self._partners and other not in self._taken:
            self._partners[ref], self._taken[other] = other, ref
        return self._partners.get(ref) == other

    def knows(self, ref: Ref) -> bool:
        """Has this object of the first run a partner?"""
        return ref in self._partners

    def takes(self, ref: Ref) -> bool:
        """Is this object of the second run a partner?"""
        return ref in self._taken

    def copy(self) -> Renaming:
        return Renaming(self.doubtful, dict(self._partners), dict(self._taken))

    def partners(self) -> list[tuple[Ref, Ref]]:
        """The pairs so far, in the order in which they were found."""
        return list(self._partners.items())


class _Comparison:
    def __init__(self, renaming: Renaming, wanted: Sight, got: Sight) -> None:
        self._renaming = renaming
        self._wanted = wanted
        self._got = got
        self._places: dict[Ref, str] = {}  # of objects of the first run that are to be compared, or have been
        self._pending: list[tuple[str, Ref, Ref]] = []
        self._seen = renaming.copy()  # by events before this comparison

    def run(self) -> Mismatch | None:
        old = _old(self._wanted.objects)
        if old != _old(self._got.objects):
            raise ValueError("the runs began on heaps with different objects")
        for number, (one, other) in enumerate(zip(self._wanted.values, self._got.values, strict=True)):
            place = f"{self._wanted.what} {number}"
            if one is None:
                continue
            if other is None:
                return Mismatch(place, str(one), "a dead slot (None)", number)
            found = self._value(place, one, other)
            if found is not None:
                return replace(found, value=number)
        found = self._value("the pending exception", self._wanted.pending, self._got.pending)
        if found is not None:
            return replace(found, memory="exception")
        for ref in old:
            self._meet(ref.name, ref, ref)
        for ref, other in self._renaming.partners():
            self._meet(f"the object {ref}", ref, other)
        while self._pending:
            found = self._objects(*self._pending.pop(0))
            if found is not None:
                return found
        return None

    def _meet(self, place: str, ref: Ref, other: Ref) -> None:
        if ref not in self._places and ref in self._wanted.objects:
            self._places[ref] = place
            self._pending.append((place, ref, other))

    def _value(self, place: str, one: Datum, other: Datum) -> Mismatch | None:
        if isinstance(one, Ref) and isinstance(other, Ref):
            if not self._renaming.matches(one, other):
                if self._may_be(one, other):
                    self._renaming.doubtful = True
                    return None
                return Mismatch(place, self._told(one, self._wanted), self._told(other, self._got))
            self._meet(place, one, other)
            return None
        if one == other:
            return None
        are_numbers = not isinstance(one, Ref) and not isinstance(other, Ref)
        return Mismatch(place, str(one), str(other), is_of_numbers=are_numbers)

    def _may_be(self, one: Ref, other: Ref) -> bool:
        """May the object of the first run, which may be any with its items, be that of the second run?"""
        mine, theirs = self._wanted.objects.get(one), self._got.objects.get(other)
        if mine is None or theirs is None or not mine.unnamed:
            return False
        return self._objects("", one, other) is None

    def _told(self, ref: Ref, sight: Sight) -> str:
        """A reference for a person, who does not know what a run calls its own objects."""
        if not ref.fresh:
            return ref.name
        is_wanted = sight is self._wanted
        known = self._places if is_wanted else {}
        type_ = sight.objects[ref].type.name
        if self._seen.knows(ref) if is_wanted else self._seen.takes(ref):
            return f"{ref}, the {type_} that an event has seen"
        article = "an" if type_[0] in "aeiouAEIOU" else "a"
        return f"the {type_} that is {known[ref]}" if ref in known else f"{ref}, {article} {type_} of its own"

    def _objects(self, place: str, ref: Ref, other: Ref) -> Mismatch | None:
        one, two = self._wanted.objects[ref], self._got.objects[other]
        if one.type.name != two.type.name:
            return Mismatch(f"the class of {place}", one.type.name, two.type.name, memory="class")
        if one.length != two.length:
            return Mismatch(f"the length of {place}", str(one.length), str(two.length), memory="length")
        for cell in _cells(one, two, self._wanted.effects):
            like = one.cells.get(cell, two.cells.get(cell, 0))
            wanted, got = one.value(cell, like), two.value(cell, like)
            if wanted is None:
                continue
            where = f"{place}{step_to(cell)}"
            if got is None:
                return Mismatch(where, str(wanted), "not written", memory=cell[0])
            found = self._value(where, wanted, got)
            if found is not None:
                return replace(found, memory=cell[0])
        return None


def _old(objects: Mapping[Ref, Object]) -> list[Ref]:
    return sorted((ref for ref in objects if not ref.fresh), key=lambda ref: ref.name)


def _cells(one: Object, two: Object, effects: Effects) -> list[Cell]:
    """The cells in which two objects of one class and length can differ."""
    unwritten = (cell for cell in _unwritten(one, two) if effects.may_see_key(cell[0]))
    return sorted({*one.cells, *two.cells, *two.unwritten, *unwritten})


def _unwritten(one: Object, two: Object) -> Iterator[Cell]:
    """The unwritten cells, one for each slot, of an array that is cleared in the first object and not in the second."""
    if two.cleared or not one.cleared:
        return
    for slot in one.type.slots:
        for index in range(one.length or 0):
            if (slot.key, index) not in two.cells and (slot.key, index) not in one.unwritten:
                yield slot.key, index
                break


def step_to(cell: Cell) -> str:
    """The name of a cell behind its object: `.value`, `[0]`, `[0].x`, and `.<FieldS T.x 8>`, which is no word."""
    key, index = cell
    if index == NO_INDEX:
        return f".{field_of(key)}"
    return f"[{index}]{key.partition('[]')[2]}"


def field_of(descr: str) -> str:
    """The field that a descr such as `Node.value` names."""
    own = descr.rpartition(".")[2]
    return own if own.isidentifier() else descr


# Runs.


def sight_of_end(run: Run) -> Sight:
    """The state visible at the end of a run that came to a `jump`, a `finish` or a guard that failed."""
    assert run.heap is not None
    what = "failarg" if isinstance(run.outcome, GuardFailed) else "argument"
    objects = run.heap.visible((*run.handed_over, run.pending))
    return Sight(run.handed_over, objects, what, pending=run.pending)


def visible_heap(run: Run) -> Heap:
    """The heap that is visible at the end of a run, to be printed."""
    assert run.heap is not None
    heap = Heap(run.heap.layout)
    heap.objects = run.heap.visible((*run.handed_over, run.pending))
    heap.names = dict(run.heap.names)
    return heap


def sight_of_event(event: EventSeen) -> Sight:
    """The state visible to the event."""
    return Sight(event.args, event.objects, effects=event.effects)
