"""Constants of a bridge, and of the loop that it leaves and goes back to, at the same place of the program.

The cell of a global variable is a constant of the tracer, there whenever that code is run in the same way, as long as
the loop is valid: else its `guard_not_invalidated` fails. In a bridge, which is recorded at another time, it has
another number. The same way is one all points of which the loop passes, too, up to that place, in the function of the
loop: others that are called may have points of the same names. Of constants that other bytecodes leave nothing is said:
a bridge starts at a guard that has failed, and what a comparison gives, and all that is found by that, may be another
constant at one and the same point. Nor is anything said of a bridge that finds a constant which the loop does not find
at that place.

A bridge that passes the last points of the loop, and no others, goes round with the constants that the loop goes round
with, if all that it puts into variables are constants of the code: the others it has from the guard of the loop.

This is told by the recorded traces alone, whatever became of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from optimizer.ir.dialects.pypy_log import Section
from optimizer.ir.dialects.pypy_pairs import LogPair
from validator.pypy.inferred.sameness import FIND_OUT, Sameness
from validator.pypy.printed.lines import Printed, is_pointer
from validator.pypy.printed.straight import BEFORE, Sides

AT_ONE_PLACE = "constants at one place of the program are one object in a bridge and in the loop that it goes back to"

_Stack = tuple[str, ...]
"""A point in the program, behind those that have called its function."""

_Place = tuple[_Stack, str, str]
"""The stack, and the operation there with its descr."""

_OF_GLOBALS = re.compile(r"~#[0-9]+ (LOAD|STORE|DELETE)_(GLOBAL|NAME)$")
_BYTECODE = re.compile(r"~#[0-9]+ (\w+)$")
_POINT = re.compile(r"debug_merge_point\(([0-9]+), .*?'(.*)'\)")


def at_one_place(pair: LogPair, sides: Sides, sameness: Sameness) -> list[tuple[str, str]]:
    """The pairs of constants of a recorded bridge and its loop that are one object, by their places: those whose memory
    both access there, once, and, behind the same points, those that they go round with."""
    if not pair.parents or pair.target is None or sides.target is None:
        return []
    if pair.parents[-1].number != pair.target.number or not _finds_the_same(sides, sides.target, sameness):
        return []
    passed, loops = (_stacks(one.recorded) for one in (pair, pair.target))
    points = {stack[-1] for stack in loops}
    same = list(takewhile(lambda stack: stack[-1] in points, passed))
    own, loop = _accessed(sides.before, same), _accessed(sides.target.before, loops)
    found = [(own[place], loop[place]) for place in own if place in loop]
    if passed == loops[-len(passed) :] and _stores_constants(passed):
        ends = zip(sides.before.lines[-1].args, sides.target.before.lines[-1].args, strict=True)
        found += (two for two in ends if all(sameness.of(BEFORE, one) in sameness.constant for one in two))
    return [(one, other) for one, other in found if sameness.of(BEFORE, one) != sameness.of(BEFORE, other)]


def _stacks(recorded: Section) -> list[_Stack]:
    """The points that a trace passes, in order. Of what has called the function in which a bridge starts nothing is
    known: an empty text."""
    stacks: list[_Stack] = []
    stack: list[str] = []
    for depth, point in (found.groups() for line in recorded.lines if (found := _POINT.search(line))):
        at = int(depth)
        stack = [*stack[:at], *[""] * (at - len(stack)), point]
        stacks.append(tuple(stack))
    return stacks


def _stores_constants(passed: Sequence[_Stack]) -> bool:
    """Does such a way put into variables but constants of the code, each right behind the point that loads it?"""
    ahead = ""
    for stack in passed:
        bytecode = found[1] if (found := _BYTECODE.search(stack[-1])) else "EXTENDED_ARG"
        if bytecode == "EXTENDED_ARG" or (bytecode == "STORE_FAST" and ahead != "LOAD_CONST"):
            return False
        ahead = ahead if bytecode in ("JUMP_FORWARD", "JUMP_ABSOLUTE") else bytecode
    return bool(passed)


def _accessed(recorded: Printed, stacks: Sequence[_Stack]) -> Mapping[_Place, str]:
    """The constants whose memory the trace accesses, by the places where it does so once, as far as these stacks go."""
    found: dict[_Place, list[str]] = {}
    for line in recorded.lines:
        stack = stacks[line.passed - 1] if line.passed and line.passed <= len(stacks) else ("",)
        if (access := line.access) and len(stack) == 1 and _OF_GLOBALS.search(stack[-1]):
            found.setdefault((stack, line.name, line.descr), []).append(access.place[0])
    return {place: texts[0] for place, texts in found.items() if len(texts) == 1 and is_pointer(texts[0])}


def _finds_the_same(bridge: Sides, loop: Sides, sameness: Sameness) -> bool:
    """Does the bridge find no value to be a constant but where the loop finds the same one?"""
    own, others = ({*_found(one.before, sameness)} for one in (bridge, loop))
    return own <= others


def _found(recorded: Printed, sameness: Sameness) -> Iterator[object]:
    for line in recorded.lines:
        if line.name in FIND_OUT and line.passed is not None and is_pointer(line.args[1]):
            yield line.point, sameness.of(BEFORE, line.args[1])
