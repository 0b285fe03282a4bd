"""What objects hold, as one trace goes on.

Of each memory (a field, the items of an array, bytes), what all objects hold that existed before is one Z3 array, from
references to a value, or to an array from words to values. What an allocation holds is a term of its own. A reference
that may be one of several is split into cases, by what it may lead to. Where an allocation may leave memory unwritten,
a second memory says what has been written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import z3

from optimizer.ir.types.layout import Field
from validator.check.reach import OLD, Reach
from validator.check.universe import FRESH, REFERENCE, Universe, allocation_number

_Key = TypeVar("_Key")


class Contents:
    """What the objects of one trace hold now. `old` is that of objects that are no allocations, `own` that of
    allocations, by their numbers, and of the slots that they have."""

    def __init__(self, universe: Universe) -> None:
        self.universe, self.reach = universe, Reach()
        self.allocated: tuple[int, ...] = ()
        self.old = {key: universe.base(slot, 0) for key, slot in universe.slots.items()}
        self.own: dict[tuple[str, int], Any] = {}

    def held(self, key: str, p: Any, index: Any = None) -> Any:
        """What the object holds of that memory, or has there at the index."""
        number, cases = self._cases(key, p)
        if number is not None:
            return _at(self.own[key, number], index)
        value = _at(self.old[key][p], index) if key in self.old else z3.BoolVal(True)
        for one in cases:
            value = z3.If(p == allocation_number(one), _at(self.own[key, one], index), value)
        return value

    def _cases(self, key: str, p: Any) -> tuple[int | None, list[int]]:
        """The allocation that the reference is; otherwise those which it may be, of what has that memory."""
        if z3.is_bv_value(p):
            number = p.as_long() - FRESH
            return (number if (key, number) in self.own else None), []
        return None, sorted(number for number in self.reach.places(p) if (key, number) in self.own)

    def is_marked(self, slot: Field, p: Any) -> bool:
        """May something there be unwritten?"""
        return written_key(slot) in self.old or any(self._cases(written_key(slot), p))

    def change(self, key: str, p: Any, change: Callable[[Any], Any]) -> None:
        """What the object holds of that memory becomes what is made of it."""
        number, cases = self._cases(key, p)
        if number is not None:
            self.own[key, number] = change(self.own[key, number])
            return
        for one in cases:
            was = self.own[key, one]
            self.own[key, one] = z3.If(p == allocation_number(one), change(was), was)
        if key in self.old and OLD in self.reach.places(p):
            self.old[key] = z3.Store(self.old[key], p, change(self.old[key][p]))

    def all_written(self, slot: Field, is_written: bool = True) -> Any:
        mark = z3.BoolVal(is_written)
        return z3.K(self.universe.word, mark) if slot.key in self.universe.indexed else mark

    def written_by(self, event: int, slot: Field) -> None:
        """The event may have written that memory of what it has found, be it unwritten or not."""
        key, written = slot.key, written_key(slot)
        self.old[key] = self.universe.base(slot, event + 1)
        sort = z3.ArraySort(REFERENCE, self.all_written(slot).sort())
        wrote = z3.Const(f"{key} written by event {event}", sort)
        if written in self.old:
            self.old[written] = wrote
        for number in self.reach.seen.intersection(self.allocated):
            p = allocation_number(number)
            if (key, number) in self.own:
                self.own[key, number] = self.old[key][p]
            if (written, number) in self.own:
                mark = self.own[written, number]
                self.own[written, number] = z3.Or(mark, wrote[p]) if z3.is_bool(mark) else _either(mark, wrote[p])

    # The heaps of two traces, part by part: the slot of all old objects, with None, or that of an allocation.

    def _part(self, key: str, number: int | None) -> Any:
        return self.old.get(key) if number is None else self.own.get((key, number))

    def differs(self, other: Contents, slot: Field, number: int | None) -> bool:
        """Do the two not hold the same there, by the looks of their terms?"""
        keys = slot.key, written_key(slot)
        pairs = [(self._part(key, number), other._part(key, number)) for key in keys]
        return any(one is not other and (one is None or other is None or not one.eq(other)) for one, other in pairs)

    def adopt(self, other: Contents, slot: Field, number: int | None) -> None:
        """Write there what the other one holds, which is the same."""
        for key in (slot.key, written_key(slot)):
            if number is None:
                _put(self.old, key, other.old.get(key))
            else:
                _put(self.own, (key, number), other.own.get((key, number)))


def written_key(slot: Field) -> str:
    """The key of what says where that memory has been written."""
    return f"{slot.key} written"


def _at(held: Any, index: Any) -> Any:
    return held if index is None else held[index]


def _put(parts: dict[_Key, Any], key: _Key, part: Any) -> None:
    if part is None:
        parts.pop(key, None)
    else:
        parts[key] = part


def stored(held: Any, index: Any, value: Any) -> Any:
    return value if index is None else z3.Store(held, index, value)


def _either(one: Any, other: Any) -> Any:
    return z3.Map(z3.Or(z3.BoolVal(True), z3.BoolVal(True)).decl(), one, other)
