"""Places in a program that the reason for a verdict is about.

A reason counts guards and operations of the traces that are compared. Of a peeled loop these are its iterations, and of
a bridge to an inner label the loop stands behind the bridge, so that nobody finds them in a log by their numbers.
"""

from __future__ import annotations

import re
from itertools import takewhile

from validator.loops.proofs import AGAIN, STEP
from validator.pypy.judge import Judged
from validator.pypy.printed.lines import Line, Printed, is_pointer
from validator.pypy.printed.rows import body_of
from validator.pypy.printed.straight import Sides
from validator.verdict import Unknown

_RECORDED = re.compile(r"leaves at guard ([0-9]+)|guard ([0-9]+): left")
_OPTIMIZED = re.compile(r"guard ([0-9]+): (?!left)")
_OPERATION = re.compile(r"op ([0-9]+): ")


def located(judged: Judged) -> str:
    """The guard or operation that an unknown verdict is about, as far as it tells of one: the trace in which it stands,
    what it does, and where in the program; "" if it does not."""
    text, verdict = judged.translated, judged.verdict
    if text is None or not isinstance(verdict, Unknown) or verdict.reason.startswith((AGAIN, STEP)):
        return ""
    if not text.is_loop and (judged.texts is None or judged.texts.before is not text.before):
        return ""  # guards have other numbers
    reason, sides = verdict.reason, text.sides
    if found := _RECORDED.search(reason):
        return _guard(int(found[1] or found[2]), "recorded", *_recorded(sides))
    if found := _OPTIMIZED.search(reason):
        return _guard(int(found[1]), "optimized", *_optimized(sides))
    if found := _OPERATION.search(reason):
        first = [*takewhile(lambda line: line.name != "label", sides.after.lines)]  # in front of it stands a statement
        number = int(found[1])
        return (
            _told(first[number - 1], sides.after, f"op {number} of the optimized trace") if number <= len(first) else ""
        )
    return ""


def _guard(number: int, side: str, *parts: tuple[str, Printed]) -> str:
    """The guard of that number, counted over all parts."""
    left = number
    for part, trace in parts:
        guards = [line for line in trace.lines if line.is_guard]
        if left < len(guards):
            which = f"guard {number}" + (f" is guard {left}" if left != number else "")
            return _told(guards[left], trace, f"{which} of the {side} {part}")
        left -= len(guards)
    return ""


def _recorded(sides: Sides) -> list[tuple[str, Printed]]:
    if sides.target is None:
        return [("trace", sides.before), ("loop in its second iteration", sides.before)]
    entered = Printed((), (Line(None, "guard_true", ("1",)),))
    return [("bridge", sides.before), ("loop at its start", entered), ("loop", sides.target.before)]


def _optimized(sides: Sides) -> list[tuple[str, Printed]]:
    if sides.target is None:
        return [("trace", sides.after)]
    return [("bridge", sides.after), ("loop, counted from its label", body_of(sides.target.after))]


def _told(line: Line, trace: Printed, what: str) -> str:
    loads = {one.result for one in trace.lines if one.access and is_pointer(one.args[0])}
    asked = " of what a constant object holds" if not loads.isdisjoint(line.args) else ""
    return f"{what}: {line.name}{asked}{' at ' if line.point else ''}{line.point.removesuffix(chr(39))}"
