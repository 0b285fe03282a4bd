"""Constants of optimized traces that nothing else tells of, made one with those that they have to be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from validator.pypy.inferred.held import Node
from validator.pypy.printed.calls.compared import COMPARES_SLICES, SLICES, WITH_CHARACTERS, WITH_STRINGS
from validator.pypy.printed.lines import Line, is_pointer
from validator.pypy.printed.rows import Rows
from validator.pypy.printed.straight import AFTER, BEFORE, Sides

if TYPE_CHECKING:
    from validator.pypy.inferred.sameness import Sameness

_ITEMS = ("strgetitem", "unicodegetitem")


def join_taken(sameness: Sameness, rows: Rows) -> None:
    """Joins the constants of a bridge that nothing else tells of with those that hold what the label takes."""
    for one, other in rows.taken:
        if sameness.of(AFTER, one)[0] == AFTER:
            sameness.unite(sameness.of(AFTER, one), sameness.of(AFTER, other))
    if not rows.jumps:
        return
    recorded, optimized, in_loop, label = rows.jumps
    for arg, taken in zip(optimized, label, strict=True):
        if is_pointer(arg) and sameness.of(AFTER, arg)[0] == AFTER:
            places = [k for k, value in enumerate(in_loop) if sameness.of(BEFORE, value) == sameness.of(AFTER, taken)]
            handed = {sameness.of(BEFORE, recorded[k]) for k in places} & sameness.constant
            if len(handed) == 1:
                sameness.unite(sameness.of(AFTER, arg), *handed)


def join_slices(sameness: Sameness, sides: Sides) -> None:
    """Joins the constant strings that nothing else tells of, at whose items the optimized trace looks, with the one
    of which the recorded trace makes a range that begins there, if there is but one."""
    wholes: dict[Node, set[Node]] = {}
    for line in sides.before.lines:
        if line.is_call and line.oopspec in SLICES and is_pointer(line.args[1]):
            wholes.setdefault(sameness.of(BEFORE, line.args[2]), set()).add(sameness.of(BEFORE, line.args[1]))
    for line in sides.after.lines if wholes else ():
        looks = line.name in _ITEMS or (line.is_call and line.oopspec in COMPARES_SLICES)
        string, start = line.args[line.is_call :][:2] if looks else ("", "")
        sources = wholes.get(sameness.of(AFTER, start), set()) if is_pointer(string) else set()
        if len(sources) == 1 and sameness.of(AFTER, string)[0] == AFTER:
            sameness.unite(sameness.of(AFTER, string), *sources)


def join_compared(sameness: Sameness, rows: Rows, sides: Sides) -> None:
    """Joins the constant strings that nothing else tells of, and which the optimized trace compares with a string, or
    with a character of one, with those that the recorded trace compares there with that string, or with the range that
    begins there: it is known to have but one character. PyPy has functions for each of these."""
    recorded, optimized = rows.positions(sides)
    wholes = {line.result: line.args[1:3] for line in sides.before.lines if line.oopspec in SLICES}
    compared: dict[object, set[Node]] = {}
    for line, position in zip(sides.before.lines, recorded, strict=True):
        for place, constant in _compared_with_constants(line, wholes):
            key = position, *(sameness.of(BEFORE, text) for text in place)
            compared.setdefault(key, set()).add(sameness.of(BEFORE, constant))
    if not compared:
        return
    items = {line.result: line.args for line in sides.after.lines if line.name in _ITEMS}
    for line, position in zip(sides.after.lines, optimized, strict=True):
        for place, constant in _compared_with_constants(line, items):
            sources = compared.get((position, *(sameness.of(AFTER, text) for text in place)), set())
            if len(sources) == 1 and sameness.of(AFTER, constant)[0] == AFTER:
                sameness.unite(sameness.of(AFTER, constant), *sources)


def _compared_with_constants(
    line: Line, places: Mapping[str | None, tuple[str, ...]]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """The places of strings, or of ranges or characters of these (`places`), that a call compares with a constant
    string, each with that: the string, and the number of the character with which it begins."""
    if line.oopspec in COMPARES_SLICES:
        yield from ((line.args[1:3], constant) for constant in line.args[4:] if is_pointer(constant))
    elif line.oopspec in WITH_STRINGS | WITH_CHARACTERS:
        one, other = line.args[1:3]
        for text, constant in ((one, other), (other, one)):
            if is_pointer(constant):
                yield places.get(text, (text, "0")), constant
