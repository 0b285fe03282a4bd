"""The constants that hold 0, which PyPy's optimizer looks up and no log prints.

Where a recorded trace adds the number that a constant object holds, and that is 0, the optimizer leaves the addition
out. So it is assumed of the constant at one place of the program that it holds 0, if two pairs leave the additions of
constants out there, and no others, and have the other number where the recorded trace has the sum, and none keeps one:
the place is a bytecode and the operand of the addition. A sum that is gone because nobody needs it, or since both
numbers are known, says nothing. Which number a constant holds other processes do not tell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

from optimizer.ir.immutable import replace
from validator.pypy.inferred.sameness import Sameness, sameness_in
from validator.pypy.inferred.witnesses import Witness, told
from validator.pypy.printed.lines import Line, Printed, is_one_place, is_pointer
from validator.pypy.printed.straight import BEFORE, Sides

_ADDITIONS = ("int_add", "int_add_ovf")


@dataclass(slots=True)
class Zeros:
    """Statements of pairs on constants whose numbers are added, by the places: the pairs that say that they are 0, and
    the places at which they may be others."""

    said: dict[str, set[Witness]] = field(default_factory=dict)
    denied: set[str] = field(default_factory=set)

    def add(self, pair: Witness, sides: Sides, sameness: Sameness) -> None:
        """Takes in a pair, of which this is the last row."""
        found: dict[str, list[tuple[Line, int]]] = {}
        for at, operand in _added(sides.before.lines, sameness):
            line = sides.before.lines[at]
            found.setdefault(line.point, []).append((line, operand))
        recorded, left = _additions(sides.before.lines), _additions(sides.after.lines)
        for point, additions in found.items():
            if left[point] == recorded[point] - len(additions):
                for line, operand in additions:
                    others = (line.result or "", *line.args[:operand], *line.args[operand + 1 :])
                    if len({sameness.of(BEFORE, arg) for arg in others}) == 1:
                        self.said.setdefault(_place(line, operand), set()).add(pair)
            elif left[point] > recorded[point] - len(additions):
                self.denied |= {_place(line, operand) for line, operand in additions}

    def assumed(self, log: int) -> frozenset[str]:
        """The places whose constants are taken to hold 0 in the log of that number."""
        return told(self.said, log, lambda place: False) - self.denied


def with_zeros(sides: Sides, zeros: frozenset[str]) -> tuple[Sides, tuple[str, ...]]:
    """The pair whose recorded trace, and that of the loop that it jumps to, say that the constants at these places hold
    0; and what is assumed for that."""
    before, places = _with_numbers(sides.before, zeros)
    target = sides.target
    if target is not None:
        loop, more = _with_numbers(target.before, zeros)
        target, places = replace(target, before=loop), places | more
    assumes = tuple(sorted(f"the constant that is {place} holds 0" for place in places))
    return replace(sides, before=before, target=target), assumes


def _with_numbers(recorded: Printed, zeros: frozenset[str]) -> tuple[Printed, set[str]]:
    """The recorded trace that says which numbers are 0, and the places of their constants."""
    lines = recorded.lines
    if not any(_place(line, at) in zeros for line in lines if line.name in _ADDITIONS for at in (0, 1)):
        return recorded, set()
    numbers: dict[str | None, str] = {
        lines[at].args[operand]: place
        for at, operand in _added_alone(recorded)
        if (place := _place(lines[at], operand)) in zeros
    }
    stated = [(line, *_is_zero(line)) if line.result in numbers else (line,) for line in lines]
    return recorded.with_lines((*chain(*stated),)), {*numbers.values()}


def _is_zero(load: Line) -> Iterator[Line]:
    assert load.result is not None
    yield Line(None, "record_exact_value_i", (load.result, "0"))


@lru_cache(maxsize=2)  # a pair is translated up to three times, some with a loop
def _added_alone(recorded: Printed) -> tuple[tuple[int, int], ...]:
    """The additions of numbers from constants, as far as the recorded trace alone tells. Nothing of the program is in
    them: traces that are equal stand at several places of it."""
    return tuple(_added(recorded.lines, sameness_in(recorded)))


def _additions(lines: tuple[Line, ...]) -> Counter[str]:
    return Counter(line.point for line in lines if line.name in _ADDITIONS)


def _added(lines: tuple[Line, ...], sameness: Sameness) -> Iterator[tuple[int, int]]:
    """The additions at bytecodes with one operand from a constant object: their places in the trace, and the numbers of
    that operand."""
    constants = {sameness.of(BEFORE, arg) for line in lines for arg in line.args if is_pointer(arg)}
    numbers: set[str | None] = set()
    for at, line in enumerate(lines):
        if line.name == "getfield_gc_i" and line.descr.endswith(" pure>"):
            numbers |= {line.result} if sameness.of(BEFORE, line.args[0]) in constants else set()
        elif line.name in _ADDITIONS and is_one_place(line.point):
            operands = [operand for operand, arg in enumerate(line.args) if arg in numbers]
            if len(operands) == 1:
                yield at, operands[0]


def _place(addition: Line, operand: int) -> str:
    return f"operand {operand} of the addition at {addition.point.rstrip(chr(39))}"
