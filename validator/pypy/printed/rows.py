"""Rows: the traces of a pair as straight lines in which values can be numbered.

A recorded loop that was peeled goes round twice there, beside preamble and body. What the body does is numbered with
the second iteration, in which it stands; it is the same code, with the same constants. A bridge to the label of a body
has the loop in a second row, behind itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from optimizer.ir.immutable import replace
from validator.pypy.printed.lines import Access, Line, Printed, is_float, is_pointer, is_variable, known_as
from validator.pypy.printed.straight import AFTER, BEFORE, NotStraight, Sides

_NO_END = Line(None, "label", ())

Position = tuple[int, int | None]
"""The number of a part of a row, and how many positions in the program that has passed; None where nothing tells. The
iterations of a loop are parts 1 and 2, a bridge, or what has no loop, is part 0."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a pair, the last of which begins with it. `copies` are values, with the names that they have where
    the same code stands again: the trace, the name, and the other name. `own` are, of a bridge with a loop behind it,
    the numbers of operations of both its traces: the loop was recorded at another time. `taken` are its constants that
    it loads from for the label, each with the constant that holds that where the preamble comes to it. `jumps` is what
    its recorded trace hands on, and its optimized one, and what the recorded loop and the preamble do there."""

    pairs: tuple[Sides, ...]
    copies: tuple[tuple[str, str, str], ...] = ()
    own: tuple[int, int] | None = None
    taken: tuple[tuple[str, str], ...] = ()
    jumps: tuple[tuple[str, ...], ...] = ()

    def first_parts(self) -> Iterator[tuple[tuple[Line, ...], tuple[Line, ...]]]:
        """The first iteration of a recorded loop that was peeled, and its preamble."""
        if self.copies:
            before, after = (printed.lines for printed in self.pairs[0].printed)
            ends = self._first(self.pairs[0])
            yield before[: ends[0]], after[: ends[1]]

    def recorded(self, sides: Sides) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
        """The recorded trace of a row, as far as it was recorded there, and what stands behind that: it was recorded at
        another time, and its guards need not pass there."""
        lines, end = sides.before.lines, self._first(sides)[0]
        return lines[:end], lines[end:]

    def positions(self, sides: Sides) -> tuple[list[Position], list[Position]]:
        """The positions of the operations of both traces of a row, as far as the log tells them."""
        one, other = self._first(sides)
        part = int(bool(self.copies) and sides is self.pairs[0])
        label = next((line.passed or 0 for line in self.pairs[0].after.lines if line.name == "label"), 0)
        return _positions(sides.before.lines, one, part, 0), _positions(sides.after.lines, other, part, label)

    def ends(self, sides: Sides) -> tuple[int, int]:
        """The numbers of operations of a bridge in both traces of a row, in front of those of its loop; of all of them
        where that is no bridge to a loop."""
        own = self.own if sides is self.pairs[-1] else None
        return own or (len(sides.before.lines), len(sides.after.lines))

    def constants_of_parts(self) -> tuple[set[tuple[str, str]], ...]:
        """The constants of a bridge, be it that it only hands them on, and those of the loop behind it, each with the
        trace; none where there is no such loop."""
        if self.own is None:
            return ()
        loop, whole = (
            {(trace, arg) for trace, lines in part for line in lines for arg in line.args if is_pointer(arg)}
            for part in (
                [(BEFORE, sides.before.lines), (AFTER, sides.after.lines)] for sides in (self.pairs[0], self.pairs[-1])
            )
        )
        return {one for one in whole - loop if (AFTER, known_as(one[1])) not in loop}, loop

    def _first(self, sides: Sides) -> tuple[int, int]:
        """The numbers of operations of the first part of both traces of a row."""
        before, after = (printed.lines for printed in sides.printed)
        if not self.copies:
            return len(before), len(after)
        if self.own and sides is self.pairs[-1]:
            return self.own
        return len(before) // 2, next(place for place, line in enumerate(after) if line.name == "label")

    def accesses(self) -> Iterator[tuple[str, Access]]:
        """The accesses of all traces, each with the trace."""
        for sides in self.pairs:
            for trace, printed in ((BEFORE, sides.before), (AFTER, sides.after)):
                yield from ((trace, line.access) for line in printed.lines if line.access)


def _positions(lines: tuple[Line, ...], end: int, part: int, passed: int) -> list[Position]:
    """The positions of operations, up to `end` in that part, and then in the last one, where so many have `passed`."""
    first = [(part, line.passed) for line in lines[:end]]
    return [*first, *((2, None if line.passed is None else line.passed - passed) for line in lines[end:])]


def rows_of(sides: Sides) -> Rows:
    """The rows of a pair."""
    target = sides.target or (sides if sides.is_peeled else None)
    if target is None:
        return Rows((sides,))
    row = _Row(next(sides.new_numbers()))
    recorded = row.then(BEFORE, target.before, target.before)
    loop = Sides(target.before.with_lines(recorded), target.after.with_lines((*target.after.lines[:-1], _NO_END)))
    if sides is target:
        return Rows((loop,), tuple(row.copies))
    before = row.then(BEFORE, sides.before, target.before)
    after = row.then(AFTER, sides.after, body_of(target.after))
    behind = Sides(sides.before.with_lines(before), sides.after.with_lines(after))
    own = len(sides.before.lines) - 1, len(sides.after.lines) - 1
    taken = tuple(_taken(sides.after, target.after))
    ends = sides.before.lines[-1], sides.after.lines[-1], target.before.lines[-1], _label_of(target.after)
    is_preamble = target.before.lines[-1].args == target.before.inputs
    jumps = () if is_preamble else tuple(line.args for line in ends)
    return Rows((loop, behind), tuple(row.copies), own, taken, jumps)


def _taken(bridge: Printed, peeled: Printed) -> Iterator[tuple[str, str]]:
    """The constants from which a bridge loads what it hands to the label of a loop, each with the one in which the
    preamble has the value that it hands there."""
    label = next(place for place, line in enumerate(peeled.lines) if line.name == "label")
    holders: dict[tuple[str, str], set[str]] = {}
    for memory, holder, value in _fields_of_constants(peeled.lines[:label]):
        holders.setdefault((memory, value), set()).add(holder)
    handed = dict(zip(bridge.lines[-1].args, peeled.lines[label].args, strict=True))
    for memory, source, value in _fields_of_constants(
        line for line in bridge.lines if line.name.startswith("getfield")
    ):
        targets = holders.get((memory, handed.get(value, "")), set())
        yield from ((source, target) for target in targets if len(targets) == 1)


def _fields_of_constants(lines: Iterable[Line]) -> Iterator[tuple[str, str, str]]:
    """The accesses to fields of constants: the field, the constant, and the value."""
    for access in (line.access for line in lines):
        if access and len(access.place) == 1 and is_pointer(access.place[0]) and is_variable(access.value):
            yield access.memory, access.place[0], access.value


def alone(recorded: Printed) -> Rows:
    """The row of a recorded trace, beside an optimized one that is empty."""
    return Rows((Sides(recorded, recorded.with_lines(())),))


def with_target(sides: Sides, target: Sides, number: int) -> Sides:
    """The pair, which jumps to the inner label of the loop of that number, with names there that the pair does not
    have. Raises NotStraight."""
    recorded, optimized = sides.before.lines[-1], sides.after.lines[-1]
    if not target.is_peeled or recorded.name != "jump" or optimized.name != "jump":
        raise NotStraight("a jump to a loop that is not a preamble and a body")
    taken = ((recorded.args, target.before.inputs), (optimized.args, body_of(target.after).inputs))
    if any(len(args) != len(inputs) for args, inputs in taken):
        raise NotStraight("a jump to a label that takes another number of values")
    rename = renaming({}, next(sides.new_numbers()), f"_{number}")
    loop = Sides(target.before.renamed(rename), target.after.renamed(rename))
    return replace(sides, target=loop)


def by_preamble(sides: Sides) -> Sides:
    """The bridge, with the preamble of the loop in the place of what was recorded of it."""
    assert sides.target is not None
    inputs, lines = sides.target.after.inputs, sides.target.after.lines
    label = next(place for place, line in enumerate(lines) if line.name == "label")
    points = sides.target.before.points
    preamble = Printed(inputs, (*lines[:label], Line(None, "jump", inputs)), points)
    return replace(sides, target=replace(sides.target, before=preamble))


def body_of(peeled: Printed) -> Printed:
    """The part of a peeled loop that goes back to itself."""
    label = _label_of(peeled)
    return Printed(label.args, peeled.lines[peeled.lines.index(label) + 1 :])


def _label_of(peeled: Printed) -> Line:
    (label,) = (line for line in peeled.lines if line.name == "label")
    return label


class _Row:
    """Traces behind each other, with names from a number on."""

    def __init__(self, first: int) -> None:
        self._offset = first
        self.copies: list[tuple[str, str, str]] = []

    def then(self, trace: str, first: Printed, second: Printed) -> tuple[Line, ...]:
        """The lines of both, the second with other names, and with what the first one jumps with as its inputs."""
        bound = dict(zip(second.inputs, first.lines[-1].args, strict=True))
        offset, self._offset = self._offset, 2 * self._offset
        rename = renaming(bound, offset)
        self.copies += [(trace, line.result, rename(line.result)) for line in second.lines if line.result]
        return (*first.lines[:-1], *(line.renamed(rename) for line in second.lines[:-1]), _NO_END)


def renaming(bound: dict[str, str], offset: int, constants: str = "") -> Callable[[str], str]:
    """New names: those that values are bound to, other variables behind the offset, and constants with a suffix, but
    for machine ints."""

    @cache
    def rename(text: str) -> str:
        if is_pointer(text):
            return f"{text[:-1]}{constants})"
        if is_float(text):
            return f"{text}{constants}"
        return bound.get(text) or (f"{text[0]}{int(text[1:]) + offset}" if is_variable(text) else text)

    return rename
