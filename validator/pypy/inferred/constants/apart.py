"""Constant objects that are two, since a trace loads a field of the one though it has that of the other in hand.

While a trace is recorded, nothing is loaded again from the constant that was accessed last, unless a call comes between
or a jump back, behind which PyPy looks for signals (`_unique_const_heuristic` in heapcache.py). PyPy's optimizer knows
which constants are one object, and loads nothing again that it has in hand (heap.py). So what one of two traces takes
for one, be it by a fault, the other one may tell apart.
"""

from __future__ import annotations

from collections.abc import Iterator

from validator.pypy.inferred.numbering import is_pure
from validator.pypy.printed.lines import Line, is_pointer
from validator.pypy.printed.rows import Position

Two = tuple[str, str]
"""Two constants of one trace."""


def told_while_recorded(lines: tuple[Line, ...], positions: list[Position]) -> Iterator[Two]:
    """The constants of a recorded trace of which a field is accessed one right after the other, and then loaded. What
    was said in front of an operation is not recorded."""
    last: dict[str, str] = {}
    part = 0
    for line, position in zip(lines, positions, strict=True):
        if line.may_write or line.name.startswith("getfield_raw") or position[0] != part:
            last, part = {}, position[0]
        if not (found := line.access) or len(found.place) > 1 or line.passed is None:
            continue
        base = found.place[0]
        if is_pointer(base):
            if not found.is_store and last.get(found.memory, base) != base:
                yield last[found.memory], base
            last[found.memory] = base
        elif found.is_store:
            last.pop(found.memory, None)


def told_by_loads(lines: tuple[Line, ...], positions: list[Position]) -> Iterator[Two]:
    """The constants of an optimized trace of which it loads a field though it has that of the other in hand."""
    known: dict[str, list[str]] = {}
    part = 0
    for line, position in zip(lines, positions, strict=True):
        found = line.access
        if position[0] != part or not (found or line.is_guard or is_pure(line.name)):
            known, part = {}, position[0]
        if not found or len(found.place) > 1:
            continue
        base = found.place[0]
        if found.is_store:
            known[found.memory] = [base] if is_pointer(base) else []
        elif is_pointer(base):
            held = known.setdefault(found.memory, [])
            yield from ((one, base) for one in held if one != base)
            held.append(base)
