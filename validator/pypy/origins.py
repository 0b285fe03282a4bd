"""The recorded guards from which the guards of an optimized trace come.

Guards stand for one another that ask the same kind of thing about the same value behind as many calls; PyPy's
optimizer keeps their order, and does a later and stronger question in the place of an earlier one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, repeat
from math import inf

from validator.pypy.inferred.numbering import is_pure
from validator.pypy.inferred.sameness import Node, Sameness
from validator.pypy.printed.lines import Line, Printed
from validator.pypy.printed.rows import Rows, body_of
from validator.pypy.printed.straight import AFTER, BEFORE, Sides

_KINDS = {
    **dict.fromkeys(("guard_true", "guard_false", "guard_value", "guard_isnull", "guard_nonnull"), "value"),
    **dict.fromkeys(("guard_class", "guard_nonnull_class", "guard_subclass", "guard_is_object"), "value"),
    "guard_gc_type": "value",
}


def origins_of(
    sides: Sides, rows: Rows, sameness: Sameness, earliest: tuple[int, ...]
) -> tuple[tuple[int | None, ...], tuple[int | None, ...]]:
    """Of each guard of the optimized trace, the number of its recorded one, as far as it shows; they grow. Where
    several ask about one value, it is the first of them that may be it, by the `earliest` origins. A guard of a body
    has the number of one of its own iteration. And of guards that are in another order, the least that they might
    have."""
    chosen, moved = _of_row(rows.pairs[-1], sameness, () if sides.is_peeled else earliest)
    first, own = _guard_count(sides.before), _guard_count(sides.after)
    if sides.target:
        here = tuple(None if number is None or number >= first else number for number in moved[:own])
        return _asking_for_label(chosen[:own], first), here
    if not sides.is_peeled:
        return chosen[:own], moved[:own]
    return _of_loop(chosen, sides), _of_loop(moved, sides)


def _of_loop(numbers: tuple[int | None, ...], loop: Sides) -> tuple[int | None, ...]:
    """The same numbers, counted in the iteration of the recorded loop that the guard of the preamble, or the body, is
    of; of no other one."""
    first, preamble = _guard_count(loop.before), _guard_count(loop.after) - _guard_count(body_of(loop.after))
    return tuple(
        None if number is None or (number < first) != (place < preamble) else number % first
        for place, number in enumerate(numbers)
    )


def origins_alone(sides: Sides, rows: Rows, sameness: Sameness) -> tuple[int | None, ...]:
    """The same of the guards of the loop that a bridge jumps to, by the loop alone."""
    if sides.target is None:
        return ()
    told = _of_loop(_of_row(rows.pairs[0], sameness)[0], sides.target)
    return tuple(None if number is None else 1 + number for number in with_places(sides.target, told, ()))


def origins_in_loop(sides: Sides, rows: Rows, sameness: Sameness) -> tuple[int | None, ...]:
    """The same of the guards of the loop that a bridge jumps to, as far as they stand in its body: by what the bridge
    hands on."""
    if sides.target is None:
        return ()
    of_bridge, first = _guard_count(sides.after), _guard_count(sides.before)
    preamble = _guard_count(sides.target.after) - _guard_count(body_of(sides.target.after))
    own = (
        None if number is None or number < first else number + 1 - first
        for number in _of_row(rows.pairs[-1], sameness)[0][of_bridge:]
    )
    return (*[None] * preamble, *own)


def with_places(sides: Sides, origins: tuple[int | None, ...], earliest: tuple[int, ...]) -> tuple[int | None, ...]:
    """The `origins` of guards, of others in the order of these, too, where both traces have as many guards of that name
    at their place of the program, of a peeled loop its preamble and its body alike: they may ask the same in other
    words. The proof has to show it."""
    recorded = {place: number for number, place in enumerate(_places(sides.before.lines))}
    lines = sides.after.lines
    starts = [0, *(place for place, line in enumerate(lines) if line.name == "label" and sides.is_peeled), len(lines)]
    told, least = list(origins), (*earliest, *[0] * (len(origins) - len(earliest)))
    at = 0
    for start, end in pairwise(starts):
        places = list(_places(lines[start:end]))
        highest = inf
        for number, place in reversed([*enumerate(places, at)]):
            seen = recorded.get(place)
            if told[number] is None and seen is not None and least[number] <= seen < highest:
                lowest = max((one for one in told[at:number] if one is not None), default=-1)
                told[number] = seen if lowest < seen else None
            own = told[number]
            highest = highest if own is None else own
        at += len(places)
    return tuple(told)


def _places(lines: tuple[Line, ...]) -> Iterator[object]:
    """Of each guard its place in the program, and which of the guards of its name it is there, and of how many. A body
    begins with a label, behind as many positions as a preamble passes."""
    first = lines[0].passed or 0 if lines and lines[0].name == "label" else 0
    guards = [(line.name, None if line.passed is None else line.passed - first) for line in lines if line.is_guard]
    in_all, so_far = Counter(guards), Counter[tuple[str, int | None]]()
    for guard in guards:
        so_far[guard] += 1
        yield *guard, so_far[guard], in_all[guard]


def _of_row(
    row: Sides, sameness: Sameness, earliest: tuple[int, ...] = ()
) -> tuple[tuple[int | None, ...], tuple[int | None, ...]]:
    """The numbers of guards of the recorded row from which those of the optimized one come, none less than the
    `earliest` that it can be, as far as these are told, in the order of both; and of others the least number."""
    guards = _guards(AFTER, row.after, sameness)
    places: dict[object, list[int]] = {}
    for number, guard in enumerate(_guards(BEFORE, row.before, sameness)):
        for about in guard:
            places.setdefault(about, []).append(number)
    recorded, optimized = ([line.name for line in one.lines if line.is_guard] for one in (row.before, row.after))
    choices = [
        _of_class(name, recorded, [number for number in _asking(guard, places) if number >= first])
        for name, guard, first in zip(optimized, guards, chain(earliest, repeat(0)), strict=False)
    ]
    chosen = _longest(choices)
    others = zip(chosen, choices, strict=True)
    return chosen, tuple(min(numbers, default=None) if one is None else None for one, numbers in others)


def _of_class(name: str, recorded: Sequence[str], numbers: list[int]) -> list[int]:
    """The numbers, of these, of `recorded` guards from which a guard of that name comes. One for a class has that name
    where it stands in the place of itself: else PyPy's optimizer makes it one for an object of that class that is not
    NULL (`optimize_GUARD_CLASS` in rewrite.py)."""
    of_class = [number for number in numbers if name == recorded[number] == "guard_class"]
    return of_class or numbers


def _asking(guard: list[object], places: Mapping[object, list[int]]) -> Sequence[int]:
    """The guards that ask what this one does, the closest way in which any does."""
    return next((places[about] for about in guard if about in places), ())


def earliest_origins(sides: Sides, rows: Rows, sameness: Sameness) -> tuple[int, ...]:
    """Of each guard of an optimized trace, the least number that its recorded guard can have: what resume data hands
    over was computed in front of the guard for which it was recorded. In a body, guards of the iteration before are
    counted from -1 down. Empty for what goes to the inner label of a loop."""
    if sides.target is not None:
        return ()
    row = rows.pairs[-1]
    first = _first_seen(row.before, sameness)
    least = [
        max((first.get(sameness.of(AFTER, text), 0) for text in line.handed), default=0)
        for line in row.after.lines
        if line.is_guard
    ]
    preamble = len(least) if not sides.is_peeled else len(least) - _guard_count(body_of(sides.after))
    once = _guard_count(sides.before)
    return tuple(number if place < preamble else number - once for place, number in enumerate(least))


def handing_over_their_own(sides: Sides, rows: Rows, sameness: Sameness) -> tuple[int, ...]:
    """The numbers of the guards of an optimized trace that hand over what it has loaded or computed, and what no value
    of the recorded one is seen to be: resume data has what was recorded. Empty for what goes to the inner label of a
    loop."""
    if sides.target is not None:
        return ()
    row = rows.pairs[-1]
    recorded = _first_seen(row.before, sameness)
    loads = (line for line in row.after.lines if line.access and not line.access.is_store)
    computes = (line for line in row.after.lines if is_pure(line.name))
    found = {line.result for line in chain(loads, computes)}
    own = {text for text in found if text and sameness.of(AFTER, text) not in recorded}
    guards = [line for line in row.after.lines if line.is_guard]
    return tuple(number for number, guard in enumerate(guards) if not own.isdisjoint(guard.handed))


def _first_seen(recorded: Printed, sameness: Sameness) -> dict[Node, int]:
    """The values of a recorded trace, each with the number of guards that have passed where it is first seen."""
    first = {sameness.of(BEFORE, text): 0 for text in recorded.inputs}
    passed = 0
    for line in recorded.lines:
        for text in (*line.args, *((line.result,) if line.result else ())):
            first.setdefault(sameness.of(BEFORE, text), passed)
        passed += line.is_guard
    return first


def _asking_for_label(origins: tuple[int | None, ...], first: int) -> tuple[int | None, ...]:
    """The same, where those behind all guards of a bridge are taken to ask what its label asks for: they stand for the
    `first` guard of the loop, in front of which they resume."""
    own = [place for place, number in enumerate(origins) if number is not None and number < first]
    last = max(own, default=-1)
    return tuple(first if place > last and (own or not first) else number for place, number in enumerate(origins))


def _guard_count(printed: Printed) -> int:
    return sum(line.is_guard for line in printed.lines)


def _guards(trace: str, printed: Printed, sameness: Sameness) -> list[list[object]]:
    """Of each guard, what it asks about, the closest first: a value as it is computed, and that value. A value that is
    NULL or a number behind its guard, as others are, is known by how it is computed alone."""
    guards: list[list[object]] = []
    made: dict[str, object] = {text: place for place, text in enumerate(printed.inputs)}
    events, last, last_event = 0, "", ""
    for line in printed.lines:
        args = tuple([sameness.of(trace, arg) for arg in line.args])
        if line.is_guard:
            kind = _KINDS.get(line.name, line.name)
            abouts: list[object] = [last_event if line.name == "guard_not_invalidated" else last]
            if line.name in _KINDS:
                computed = made.get(line.args[0])
                abouts = [(args[0], computed), args[0]] if args[0][0] else [(args[0], computed)]
            guards.append([(kind, about, place) for place in (events, None) for about in abouts])
        elif line.is_call:
            last = line.function
            if line.may_write:
                events, last_event = events + 1, last
        elif line.name.endswith("_ovf"):
            last = str((line.name, *args))
        if line.result is not None:
            made[line.result] = (line.name, line.descr, args)
    return guards


@dataclass(frozen=True, slots=True)
class _Chain:
    """Choices up to one guard, the last first."""

    guard: int
    number: int
    rest: _Chain | None


def _longest(choices: list[list[int]]) -> tuple[int | None, ...]:
    """A choice for each, or none, so that what is chosen grows, for as many as there can be."""
    chains: list[_Chain] = []  # of each length, the one that ends lowest
    for guard, numbers in enumerate(choices):
        for number in reversed(numbers):  # the highest first: none goes on from another one of the same guard
            at = bisect_left(chains, number, key=_number)
            chains[at : at + 1] = [_Chain(guard, number, chains[at - 1] if at else None)]
    chosen: list[int | None] = [None] * len(choices)
    link = chains[-1] if chains else None
    while link is not None:
        chosen[link.guard] = link.number
        link = link.rest
    return tuple(chosen)


def _number(chain: _Chain) -> int:
    return chain.number
