"""The recorded guards from which the guards of an optimized trace come.

Guards stand for one another that ask the same kind of thing about the same value behind as many calls; PyPy's
optimizer keeps their order, and does a later and stronger question in the place of an earlier one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from validator.pypy.lines import Line, Printed
from validator.pypy.rows import Rows, body_of
from validator.pypy.sameness import Sameness
from validator.pypy.straight import AFTER, BEFORE, Sides

_KINDS = {
    **dict.fromkeys(("guard_true", "guard_false", "guard_value", "guard_isnull", "guard_nonnull"), "value"),
    **dict.fromkeys(("guard_class", "guard_nonnull_class", "guard_subclass", "guard_is_object"), "value"),
    "guard_gc_type": "value",
}


def origins_of(sides: Sides, rows: Rows, sameness: Sameness) -> tuple[tuple[int | None, ...], ...]:
    """Of each guard of the optimized trace, the number of its recorded one, as far as it shows; they grow. Where
    several ask about one value, it may be the first of them, or the one that asks the same. A guard of a body has the
    number of one of its own iteration."""
    first = _guard_count(sides.before)
    if sides.is_peeled:
        preamble = _guard_count(sides.after) - _guard_count(body_of(sides.after))
        return tuple(
            tuple(
                None if number is None or (number < first) != (place < preamble) else number % first
                for place, number in enumerate(way)
            )
            for way in _ways(rows.pairs[-1], sameness)
        )
    guards = _guard_count(sides.after)
    return tuple(dict.fromkeys(way[:guards] for way in _ways(rows.pairs[-1], sameness)))


def _guard_count(printed: Printed) -> int:
    return sum(line.is_guard for line in printed.lines)


def _ways(sides: Sides, sameness: Sameness) -> tuple[tuple[int | None, ...], ...]:
    places: dict[object, list[tuple[int, str]]] = {}
    for number, (key, name) in enumerate(_guards(BEFORE, sides.before.lines, sameness)):
        places.setdefault(key, []).append((number, name))
    asked = _guards(AFTER, sides.after.lines, sameness)
    ways = (
        _heaviest(
            [[(number, same if name == other else 2) for number, other in places.get(key, ())] for key, name in asked]
        )
        for same in (2, 3)
    )
    return tuple(dict.fromkeys(ways))


def _guards(trace: str, lines: tuple[Line, ...], sameness: Sameness) -> list[tuple[object, str]]:
    """Of each guard, what it asks about, and its name."""
    guards: list[tuple[object, str]] = []
    events, last = 0, ""
    for line in lines:
        if line.is_guard:
            about: object = sameness.of(trace, line.args[0]) if line.name in _KINDS else last
            guards.append(((_KINDS.get(line.name, line.name), events, about), line.name))
        elif line.is_call:
            events += line.may_write and not line.name.startswith("cond_call")
            last = line.function
        elif line.name.endswith("_ovf"):
            last = str((line.name, *(sameness.of(trace, arg) for arg in line.args)))
    return guards


@dataclass(frozen=True, slots=True)
class _Chain:
    """Choices up to one guard, the last first, with the sum of their weights."""

    weight: int
    guard: int
    number: int
    rest: _Chain | None


def _heaviest(choices: list[list[tuple[int, int]]]) -> tuple[int | None, ...]:
    """A choice for each, or none, so that what is chosen grows, and the sum of the weights is greatest."""
    chains: list[_Chain] = []  # their numbers grow, and so do their weights
    for guard, of_guard in enumerate(choices):
        longer = []
        for number, weight in of_guard:
            at = bisect_left(chains, number, key=_number)
            rest = chains[at - 1] if at else None
            longer.append(_Chain(weight + (rest.weight if rest else 0), guard, number, rest))
        for chain in longer:
            at = bisect_right(chains, chain.number, key=_number)
            if at and chains[at - 1].weight >= chain.weight:
                continue
            end = at
            while end < len(chains) and chains[end].weight <= chain.weight:
                end += 1
            start = at - 1 if at and chains[at - 1].number == chain.number else at
            chains[start:end] = [chain]
    chosen: list[int | None] = [None] * len(choices)
    link = chains[-1] if chains else None
    while link is not None:
        chosen[link.guard] = link.number
        link = link.rest
    return tuple(chosen)


def _number(chain: _Chain) -> int:
    return chain.number
