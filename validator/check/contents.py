"""The contents of objects, as one trace goes on.

Of each memory (a field, the items of an array, bytes), what all objects hold that existed before is one Z3 array, from
references to a value, or to an array from words to values. What an allocation holds is a term of its own. A reference
that may be one of several is split into cases, by what it may lead to. Where an allocation may leave memory unwritten,
a second memory says what has been written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from optimizer.ir.types.layout import Field
from validator.check.reach import OLD, Reach
from validator.check.universe import FRESH, REFERENCE, Universe, allocation_number

Part = tuple[str, int | None]


class Contents:
    """The contents of one trace's objects now: `parts` by the keys of memories, and None, for all objects that are no
    allocations, or the number of an allocation that has such a slot."""

    def __init__(self, universe: Universe) -> None:
        self.universe, self.reach = universe, Reach()
        self.allocated: tuple[int, ...] = ()
        self.parts: dict[Part, Any] = {(key, None): universe.base(slot, 0) for key, slot in universe.slots.items()}

    def held(self, key: str, p: Any, index: Any = None) -> Any:
        """The object's content in that memory, or its item at the index."""
        number, cases = self._cases(key, p)
        if number is not None:
            return _at(self.parts[key, number], index)
        value = _at(self.parts[key, None][p], index) if (key, None) in self.parts else z3.BoolVal(True)
        for one in cases:
            value = z3.If(p == allocation_number(one), _at(self.parts[key, one], index), value)
        return value

    def _cases(self, key: str, p: Any) -> tuple[int | None, list[int]]:
        """The allocation that the reference is; otherwise those which it may be, of what has that memory."""
        if z3.is_bv_value(p):
            number = p.as_long() - FRESH
            return (number if (key, number) in self.parts else None), []
        return None, sorted(number for number in self.reach.places(p) if (key, number) in self.parts)

    def change(self, key: str, p: Any, change: Callable[[Any], Any]) -> None:
        """Replaces the object's content in that memory by what `change` makes of it."""
        number, cases = self._cases(key, p)
        if number is not None:
            self.parts[key, number] = change(self.parts[key, number])
            return
        for one in cases:
            was = self.parts[key, one]
            self.parts[key, one] = z3.If(p == allocation_number(one), change(was), was)
        if (key, None) in self.parts and OLD in self.reach.places(p):
            self.parts[key, None] = z3.Store(self.parts[key, None], p, change(self.parts[key, None][p]))

    def written_by(self, event: int, slot: Field) -> None:
        """The event may have written that memory of what it has found, be it unwritten or not."""
        key, written = slot.key, written_key(slot)
        self.parts[key, None] = self.universe.base(slot, event + 1)
        sort = z3.ArraySort(REFERENCE, self.universe.of_object(slot.key, z3.BoolSort()))
        wrote = z3.Const(f"{key} written by event {event}", sort)
        if (written, None) in self.parts:
            self.parts[written, None] = wrote
        for number in self.reach.seen.intersection(self.allocated):
            p = allocation_number(number)
            if (key, number) in self.parts:
                self.parts[key, number] = self.parts[key, None][p]
            if (written, number) in self.parts:
                mark = self.parts[written, number]
                self.parts[written, number] = z3.Or(mark, wrote[p]) if z3.is_bool(mark) else _either(mark, wrote[p])

    # The heaps of two traces, part by part: the slot of all old objects, with None, or that of an allocation.

    def differs(self, other: Contents, slot: Field, number: int | None) -> bool:
        """Do the two not hold the same there, by the looks of their terms?"""
        both = [(key, number) for key in (slot.key, written_key(slot))]
        pairs = [(self.parts.get(part), other.parts.get(part)) for part in both]
        return any(one is not other and (one is None or other is None or not one.eq(other)) for one, other in pairs)


def written_key(slot: Field) -> str:
    """The key of what says where that memory has been written."""
    return f"{slot.key} written"


def _at(held: Any, index: Any) -> Any:
    return held if index is None else held[index]


def stored(held: Any, index: Any, value: Any) -> Any:
    return value if index is None else z3.Store(held, index, value)


def _either(one: Any, other: Any) -> Any:
    return z3.Map(z3.Or(z3.BoolVal(True), z3.BoolVal(True)).decl(), one, other)
