"""Random heaps that exist before a trace, and how they are told when the trace is complete."""

from __future__ import annotations

from fuzz.draw.choices import Choices, constant, float_constant
from fuzz.draw.random_types import Place, Types
from optimizer.ir.operands import constant_text
from optimizer.ir.rows.ops import FLOAT, REF
from optimizer.ir.rows.row import FIELD
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NO_INDEX, NULL, Datum, Object, Ref
from optimizer.ir.text.string_text import HIGHEST, constant_name
from optimizer.ir.types.layout import Array

LONGEST = 4
"""The length of the example's arrays, at most; this fits in the shortest words."""

_LONGEST_STRING = 6


def draw_heap(choices: Choices, types: Types, objects: int, word: int) -> Heap:
    """Objects of any types that refer to each other, in chains and cycles, strings, and the opaque constants."""
    heap = Heap(types.layout)
    for name in types.constants:
        if types.layout.constant(name) is None and heap.objects and choices.chance(40):
            heap.names[constant_text(name)] = choices.pick(list(heap.objects))
        else:
            heap.constant(name)

    def add() -> None:
        heap.add(f"q{len(heap.objects)}", draw_object(choices, types))

    choices.repeat(1, objects, add)
    for array in types.arrays:
        if array.name in HIGHEST:
            heap.add(f"q{len(heap.objects)}", Object(array, choices.integer(1, _LONGEST_STRING)))
    for ref in list(heap.objects):
        fill(choices, types, heap, ref, word)
    return heap


def draw_object(choices: Choices, types: Types) -> Object:
    """An object that holds nothing yet."""
    type_ = choices.pick(types.classes)
    return Object(type_, choices.integer(0, LONGEST) if isinstance(type_, Array) else None)


def fill(choices: Choices, types: Types, heap: Heap, ref: Ref, word: int) -> None:
    """Puts values into the cells of an object that nobody has said anything of."""
    described = heap.objects[ref]
    cells = dict(described.cells)
    others = list(heap.objects)
    for place in types.places.get(described.type.name, ()):
        for index in (NO_INDEX,) if place.kind is FIELD else range(described.length or 0):
            cell = place.slot.key, index
            if cell not in cells:
                cells[cell] = _value(choices, place, others, word)
    heap.objects[ref] = Object(described.type, described.length, cells, described.cleared)


def _value(choices: Choices, place: Place, others: list[Ref], word: int) -> Datum:
    slot = place.slot
    if slot.type is REF:
        return NULL if choices.chance(15) else choices.pick(others)
    if slot.type is FLOAT:
        return float_constant(choices)
    if slot.low is not None and slot.high is not None:
        return choices.integer(slot.low, slot.high)
    return choices.integer(0, LONGEST) if choices.chance(30) else constant(choices, word)


def ref_of(heap: Heap, text: str) -> Ref:
    """The object on the heap that a constant of a trace stands for."""
    found, name = heap.named(text), constant_name(text)
    if found is not None:
        return found
    assert name is not None
    return heap.constant(name)
