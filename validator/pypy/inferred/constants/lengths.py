"""Constant strings that are not as long as what they are compared with, which PyPy's optimizer knows and no log prints.

Where a recorded trace asks whether a character of a string, as a range of one, equals a constant of another length, the
optimizer leaves the comparison out (`opt_call_stroruni_STR_EQUAL` in vstring.py): that of `""` behind the end of a
text, say. So it is assumed of one place of the program, a bytecode with the number of constants that it has compared
with in front, that the constant there has another length, if two pairs leave such comparisons out, which were found to
be false, and no optimized trace compares strings at that bytecode, nor a recorded one finds them equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from optimizer.ir.immutable import replace
from validator.pypy.inferred.constants.contents import comparisons
from validator.pypy.inferred.witnesses import Witness, told
from validator.pypy.printed.calls.compared import COMPARES, SLICE
from validator.pypy.printed.lines import Line, is_named
from validator.pypy.printed.straight import Sides


@dataclass(slots=True)
class Lengths:
    """Statements of pairs on places of the program, each with the pairs that say so, and the places that contradict."""

    gone: dict[str, set[Witness]] = field(default_factory=dict)
    denied: set[str] = field(default_factory=set)

    def add(self, pair: Witness, sides: Sides) -> None:
        """Takes in a pair."""
        left = {line.point for line in sides.after.lines if line.oopspec in COMPARES}
        found = {line.args[0]: line.name for line in sides.before.lines if line.is_guard and line.args}
        characters = _characters(sides.before.lines)
        for line, place, constant in comparisons(sides.before.lines):
            is_found = found.get(line.result or "")
            if line.point in left or is_found == "guard_true":
                self.denied.add(place)
            elif is_found == "guard_false" and not characters.isdisjoint(line.args) and constant:
                self.gone.setdefault(place, set()).add(pair)

    def contradict(self, sides: Sides) -> None:
        """Takes in what each trace contradicts by itself: the recorded one, where it finds the strings equal, and the
        optimized one, where it compares them."""
        equal = {line.args[0] for line in sides.before.lines if line.name == "guard_true"}
        self.denied |= {place for line, place, _ in comparisons(sides.before.lines) if line.result in equal}
        self.denied |= {place for _, place, _ in comparisons(sides.after.lines)}

    def assumed(self, log: int) -> frozenset[str]:
        """The places at which the constant is taken to have another length in the log of that number."""
        return told(self.gone, log, is_named) - self.denied


def with_lengths(sides: Sides, places: frozenset[str]) -> tuple[Sides, tuple[str, ...]]:
    """The pair whose recorded trace says what it finds at these places; and what is assumed for that."""
    said = {line.result: place for line, place in _told(sides.before.lines, places)}
    if not said:
        return sides, ()
    stated = [(line, _is_other(line)) if line.result in said else (line,) for line in sides.before.lines]
    assumes = (
        f"the constant that a character is compared with at {place} has another length" for place in said.values()
    )
    return replace(sides, before=sides.before.with_lines((*chain(*stated),))), tuple(sorted({*assumes}))


def _is_other(line: Line) -> Line:
    return Line(None, "record_exact_value_i", (line.result or "", "0"))


def _told(lines: tuple[Line, ...], places: frozenset[str]) -> Iterator[tuple[Line, str]]:
    """The comparisons of characters with the constants at these places."""
    characters = _characters(lines) if places else set[str]()
    yield from (
        (line, place)
        for line, place, _ in (comparisons(lines) if characters else ())
        if place in places and not characters.isdisjoint(line.args)
    )


def _characters(lines: tuple[Line, ...]) -> set[str]:
    """The ranges of one character."""
    ends = {line.result: line.args[0] for line in lines if line.name == "int_add" and line.args[1] == "1"}
    slices = (line for line in lines if line.oopspec == SLICE and line.result)
    return {line.result or "" for line in slices if ends.get(line.args[-1]) == line.args[-2]}
