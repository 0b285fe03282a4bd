"""The allocations that a reference may be, and those that can be found: an over-approximation, by following the text.

Allocations are told apart by their numbers; `OLD` stands for NULL and for all objects that existed before the trace or
that the world has made. What is stored is logged, memory by memory. A store to the same object at the same index (the
same terms) hides an earlier one; what the others may have put where is added up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import z3

from optimizer.ir.rows.row import REF
from optimizer.ir.types.layout import Field
from validator.check.universe import FRESH

OLD = 0
"""The number of all that is no allocation of the trace."""

Places = frozenset[int]
_OLD: Places = frozenset({OLD})


@dataclass(frozen=True, slots=True)
class _Stored:
    """`held` may be in one of `holders`, by that object and index; by None, by somewhere in them. An event (`is_event`)
    may have put there whatever it had seen."""

    object: Any
    index: Any
    holders: Places
    held: Places
    is_event: bool = False

    def hides(self, other: _Stored) -> bool:
        """Is what the other one stored surely not there any more?"""
        if self.object is None or other.object is None or not self.object.eq(other.object):
            return False
        return self.index is other.index or (self.index is not None and bool(self.index.eq(other.index)))


class Reach:
    """The places to which references of one trace may lead, as it goes on. `seen` is what some event may have found."""

    def __init__(self) -> None:
        self.seen: Places = frozenset()
        self.given: Places = frozenset()  # what functions may have given
        self._of: dict[int, tuple[Any, Places]] = {}  # by the number of the term, which is kept
        self._log: dict[str, tuple[_Stored, ...]] = {}

    def copy(self) -> Reach:
        reach = Reach()
        reach.seen, reach.given, reach._of, reach._log = self.seen, self.given, dict(self._of), dict(self._log)
        return reach

    # References.

    def note(self, p: Any, places: Places) -> None:
        """The reference may be one of those."""
        self._of[p.get_id()] = p, places

    def knows(self, p: Any) -> bool:
        return z3.is_bv_value(p) or p.get_id() in self._of

    def identify(self, p: Any, known: Any) -> None:
        """The reference is the other one, which may be all that is known of it: it may come from the other trace."""
        if not self.knows(p):
            self.note(p, self.places(known))

    def places(self, p: Any) -> Places:
        if z3.is_bv_value(p):
            return frozenset({p.as_long() - FRESH}) if p.as_long() >= FRESH else _OLD
        known = self._of.get(p.get_id())
        if known is not None:
            return known[1]
        if z3.is_app_of(p, z3.Z3_OP_ITE):
            return self.places(p.arg(1)) | self.places(p.arg(2))
        return _OLD

    # Memory.

    def store(self, slot: Field, p: Any, index: Any, value: Any) -> None:
        if slot.type is REF:
            self._log_one(slot, _Stored(p, index, self.places(p), self.places(value)))

    def pour(self, slot: Field, p: Any, held: Places) -> None:
        """The object holds any of those there, somewhere."""
        if slot.type is REF:
            self._log_one(slot, _Stored(None, None, self.places(p), held))

    def anything(self) -> Places:
        """All that has been allocated, and what has not."""
        return frozenset().union(_OLD, *(places for _, places in self._of.values()))

    def load(self, slot: Field, p: Any, index: Any) -> Places:
        """The possible contents of the memory; of any item, with None for the index of one."""
        holders, found = self.places(p), _OLD
        wanted = _Stored(p, index, holders, _OLD)
        for stored in reversed(self._log.get(slot.key, ())):
            if stored.holders & holders:
                found |= stored.held
                if wanted.hides(stored):
                    return found
        return found

    def _log_one(self, slot: Field, stored: _Stored) -> None:
        kept = [other for other in self._log.get(slot.key, ()) if other.is_event or not stored.hides(other)]
        self._log[slot.key] = (*kept, stored)

    # Who finds what.

    def found(self, roots: Iterable[Any], slots: Iterable[Field]) -> Places:
        """The allocations that somebody may find who has `roots`, who can look at that memory of all that he finds,
        and who knows what has been seen."""
        inside: dict[int, set[int]] = {}
        for slot in slots:
            for stored in self._log.get(slot.key, ()) if slot.type is REF else ():
                for holder in stored.holders:
                    inside.setdefault(holder, set()).update(stored.held)
        waiting = [OLD, *self.seen, *(one for root in roots for one in self.places(root))]
        reached: set[int] = set()
        while waiting:
            one = waiting.pop()
            if one not in reached:
                reached.add(one)
                waiting += inside.get(one, ())
        return frozenset(reached - {OLD})

    def happen(self, found: Places, slots: Mapping[str, Field], may_write: Callable[[Field], bool]) -> None:
        """An event has found those, and may have written what it has found to that memory of what it has found."""
        self.seen |= found
        event = _Stored(None, None, self.seen | _OLD, self.seen | _OLD, True)
        for slot in slots.values():
            if slot.type is REF and may_write(slot) and self.seen:
                self._log[slot.key] = (*self._log.get(slot.key, ()), event)
