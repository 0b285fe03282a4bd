"""Concrete objects: references to them, and what they hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import NamedTuple

from optimizer.ir.floats import ZERO, Float
from optimizer.ir.immutable import immutable
from optimizer.ir.rows.row import FLOAT, INT, REF, Type
from optimizer.ir.types.calls import Effects
from optimizer.ir.types.layout import Array, Field, Struct
from optimizer.ir.types.memory_cells import RAW_ARRAY
from optimizer.ir.types.memory_types import is_left_open


class Ref(NamedTuple):
    """A reference: NULL, or an object by its name. `fresh` objects were allocated by the run of a trace.

    A tuple, because objects are looked up all the time, as variables are.
    """

    name: str
    fresh: bool = False

    def __str__(self) -> str:
        return self.name


NULL = Ref("NULL")

RAW_REF = Ref(RAW_ARRAY.name)
"""The object that raw memory is in a heap. No reference refers to it."""

Datum = int | Float | Ref
"""The content of a variable or of a place in memory: a signed machine int, a float, or a reference."""

Cell = tuple[str, int]
"""A place in an object: the key of its slot, and the index in an array, `NO_INDEX` for a field."""

NO_INDEX = -1


@immutable
class Object:
    """An object's class, its length if it is an array, and what is known to have been put into its cells.

    The other cells hold 0, 0.0 or NULL, but if the object is not `cleared`, the items of an array and the numbers of a
    struct have not been written, nor in any case the items that are `unwritten`. An object that is `unnamed` may as
    well be any other one with the same items.
    """

    type: Struct | Array
    length: int | None = None
    cells: Mapping[Cell, Datum] = field(default_factory=dict)
    cleared: bool = True
    unnamed: bool = field(default=False, compare=False)
    unwritten: frozenset[Cell] = frozenset()

    def value(self, cell: Cell, like: Datum) -> Datum | None:
        """The content of the cell, None if it has not been written; `like` is a value of the cell's type."""
        value = self.cells.get(cell)
        if value is not None:
            return value
        is_open = is_left_open(self.type, cell[0], is_item=cell[1] != NO_INDEX, is_ref=isinstance(like, Ref))
        if (is_open and not self.cleared) or cell in self.unwritten:
            return None
        return blank(type_of(like))

    def put(self, cell: Cell, value: Datum) -> Object:
        cells, unwritten = {**self.cells, cell: value}, self.unwritten - {cell} if self.unwritten else self.unwritten
        return Object(self.type, self.length, cells, self.cleared, self.unnamed, unwritten)

    def seen_by(self, effects: Effects) -> Object:
        """The object with only those cells that such an event may read or write."""
        if effects.sees_everything:
            return self
        cells = {cell: held for cell, held in self.cells.items() if effects.may_see_key(cell[0])}
        unwritten = frozenset(cell for cell in self.unwritten if effects.may_see_key(cell[0]))
        return Object(self.type, self.length, cells, self.cleared, self.unnamed, unwritten)


def cell_of(slot: Field, index: int | None = None) -> Cell:
    """The cell of the slot in an object."""
    return slot.key, NO_INDEX if index is None else index


def type_of(value: Datum) -> Type:
    """The type of a variable that has this value."""
    if isinstance(value, Ref):
        return REF
    return FLOAT if isinstance(value, Float) else INT


def blank(type_: Type) -> Datum:
    """The content of cleared memory of that type."""
    if type_ is FLOAT:
        return ZERO
    return NULL if type_ is REF else 0


def references(described: Object) -> list[Ref]:
    """The references that an object holds, in the order of its cells."""
    held = [(cell, value) for cell, value in described.cells.items() if isinstance(value, Ref)]
    if len(held) > 1:
        held.sort()
    return [value for _, value in held]
