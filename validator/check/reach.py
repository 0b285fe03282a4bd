"""The allocations that a reference may be, and those that can be found: an over-approximation, by following the text.

Allocations are told apart by their numbers; `OLD` stands for NULL and for all objects that existed before the trace or
that the world has made. What is stored is noted, memory by memory. A store to the same object at the same index (the
same terms) hides an earlier one; what the others may have put where is added up.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import z3

from optimizer.ir.rows.row import REF
from optimizer.ir.types.layout import Field
from validator.check.universe import FRESH

OLD = 0
"""The number of all that is no allocation of the trace."""

Places = frozenset[int]
_OLD: Places = frozenset({OLD})


class Reach:
    """The places to which references of one trace may lead, as it goes on. `seen` is what some event may have found."""

    def __init__(self) -> None:
        self.seen: Places = frozenset()
        self.given: Places = frozenset()  # what functions may have given
        self._of: dict[int, tuple[Any, Places]] = {}  # by the number of the term, which is kept
        self._held: dict[Any, tuple[Any, Places, Places]] = {}  # what is kept, who may hold, and what, by the place

    def copy(self) -> Reach:
        reach = Reach()
        reach.seen, reach.given, reach._of, reach._held = self.seen, self.given, dict(self._of), dict(self._held)
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

    def store(self, slot: Field, p: Any, index: Any, held: Places) -> None:
        """The object holds one of those there, and not any more what has been stored there before."""
        if slot.type is REF:
            place = slot.key, p.get_id(), None if index is None else index.get_id()
            self._held[place] = (p, index), self.places(p), held

    def pour(self, slot: Field, holders: Places, held: Places) -> None:
        """Any of the holders may hold any of the others, somewhere."""
        if slot.type is REF:
            self._held[slot.key, holders, held] = None, holders, held

    def load(self, slot: Field, p: Any) -> Places:
        """The possible contents of the memory, at any index."""
        entries = [(holders, held) for (key, *_), (_, holders, held) in self._held.items() if key == slot.key]
        return _OLD.union(*(held for holders, held in entries if holders & self.places(p)))

    def anything(self) -> Places:
        """All that has been allocated, and what has not."""
        return _OLD.union(*(places for _, places in self._of.values()))

    # Who finds what.

    def found(self, roots: Iterable[Any], slots: Iterable[Field]) -> Places:
        """The allocations that somebody may find who has `roots`, who can look at that memory of all that he finds,
        and who knows what has been seen."""
        keys, inside = {slot.key for slot in slots}, dict[int, set[int]]()
        for (key, *_), (_, holders, held) in self._held.items():
            for holder in holders if key in keys else ():
                inside.setdefault(holder, set()).update(held)
        waiting = [OLD, *self.seen, *(one for root in roots for one in self.places(root))]
        reached: set[int] = set()
        while waiting:
            one = waiting.pop()
            if one not in reached:
                reached.add(one)
                waiting += inside.get(one, ())
        return frozenset(reached - {OLD})

    def happen(self, found: Places, written: Iterable[Field]) -> None:
        """An event has found those, and may have written what it has found to that memory of what it has found."""
        self.seen |= found
        for slot in written:
            self.pour(slot, self.seen | _OLD, self.seen | _OLD)
