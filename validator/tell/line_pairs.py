"""The lines of two traces that stand beside each other: those that are equal, or do the same kind of thing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from optimizer.ir.rows.ops import Kind


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a trace, what the operation came to, and whether the difference shows there. `kind` is that of its
    operation, None of the inputs; `guard` is the number of the guard that stands in it, `event` that of the event that
    it did."""

    text: str
    note: str = ""
    marked: bool = False
    guard: int | None = None
    kind: Kind | None = None
    event: int | None = None

    def __str__(self) -> str:
        return f"{self.text}  # {self.note}" if self.note else self.text


NOTHING = Line("")


@dataclass(frozen=True, slots=True)
class Row:
    """Two lines that stand beside each other; one may be empty. `is_first`: the difference first shows here."""

    before: Line
    after: Line
    is_first: bool = False


Pair = tuple[int, int]
"""The numbers of a line of the recorded trace, and of one of the optimized trace."""


def paired(left: Sequence[Line], right: Sequence[Line], origins: Sequence[int | None]) -> Iterator[tuple[Line, Line]]:
    """The lines of both sides in order, with nothing beside those that have no partner. Guards stand beside their
    origins, and the end beside the end."""
    first = (0, 0)
    for place in [*_fixed(left, right, origins), (len(left), len(right))]:
        between = left[first[0] : place[0]], right[first[1] : place[1]]
        yield from _between(*between, by_origin=bool(origins))
        if place != (len(left), len(right)):
            yield left[place[0]], right[place[1]]
        first = place[0] + 1, place[1] + 1


def _fixed(left: Sequence[Line], right: Sequence[Line], origins: Sequence[int | None]) -> Iterator[Pair]:
    """The lines of inputs, of guards and their origins, and of the ends. Where several guards have one origin, that
    stands beside one that is equal, or the first."""
    yield 0, 0
    recorded = {line.guard: number for number, line in enumerate(left) if line.guard is not None}
    likely: dict[int, int] = {}
    for number, line in enumerate(right):
        origin = origins[line.guard] if line.guard is not None and line.guard < len(origins) else None
        if origin is not None and origin in recorded:
            is_equal = _key(line) == _key(left[recorded[origin]])
            if recorded[origin] not in likely or is_equal:
                likely[recorded[origin]] = number
    last = 0
    for number, other in sorted(likely.items()):
        if other > last:
            yield number, other
            last = other
    ends = [next(number for number, line in enumerate(side) if line.kind is Kind.END) for side in (left, right)]
    yield ends[0], ends[1]


def _key(line: Line) -> str:
    """The key of a line's operation, without what a guard hands over."""
    return _ORIGIN.sub("", line.text.split(") [")[0])


_ORIGIN = re.compile(r"(, )?origin=[0-9]+")


def _between(left: Sequence[Line], right: Sequence[Line], by_origin: bool) -> Iterator[tuple[Line, Line]]:
    """The lines between two pairs. A guard that is the origin of none stands alone, if origins are known."""
    keys: list[list[object]] = [
        [(number, _key(line)) if by_origin and line.guard is not None else _key(line) for line in side]
        for number, side in enumerate((left, right))
    ]
    for tag, a, b, c, d in SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_opcodes():
        yield from zip(left[a:b], right[c:d], strict=True) if tag == "equal" else _alike(left[a:b], right[c:d])


def _alike(left: Sequence[Line], right: Sequence[Line]) -> Iterator[tuple[Line, Line]]:
    """Lines that are not equal: those that are alike stand beside each other."""
    waiting = list(right)
    for number, line in enumerate(left):
        place = next((k for k, other in enumerate(waiting) if _is_likely(line, other, left[number + 1 :])), None)
        if place is None:
            yield line, NOTHING
            continue
        yield from ((NOTHING, other) for other in waiting[:place])
        yield line, waiting[place]
        waiting = waiting[place + 1 :]
    yield from ((NOTHING, other) for other in waiting)


def _is_likely(line: Line, other: Line, later: Sequence[Line]) -> bool:
    """Are both alike, and none of the later lines like the other one by name?"""
    return _is_alike(line, other) and (
        _is_akin(line, other) or not any(_is_alike(one, other) and _is_akin(one, other) for one in later)
    )


def _is_akin(one: Line, two: Line) -> bool:
    """Have both the same result, or the same operation?"""
    names = [line.text.strip().partition("(")[0].rpartition(" = ") for line in (one, two)]
    return names[0][2] == names[1][2] or names[0][0] == names[1][0] != ""


def _is_alike(one: Line, two: Line) -> bool:
    """Do both operations the same kind of thing? A guard stands beside its origin only."""
    return one.kind is two.kind and one.kind is not Kind.GUARD and (one.text[:1] == " ") == (two.text[:1] == " ")
