"""Readings of what belongs to the thread, which a label takes.

`threadlocalref_get` of a constant slot gives what is in it, which is always there, and does nothing else. A bridge to
the label of a body reads what that takes, whether the recorded one does or not (`LoopInvariantOp` in shortpreamble.py).
"""

from __future__ import annotations

from dataclasses import replace

from validator.pypy.printed.lines import Line, is_variable
from validator.pypy.printed.straight import Sides

_GET = 5
"""The number of the function that reads such a slot."""


def with_readings(sides: Sides) -> Sides:
    """The bridge whose recorded trace begins with the readings that only the optimized one has."""
    own = {(line.function, line.args) for line in sides.before.lines if _reads(line)}
    readings = {(line.function, line.args): line for line in sides.after.lines if _reads(line)}
    names = sides.new_numbers()
    added = [
        replace(line, result=f"{(line.result or 'p')[0]}{next(names)}")
        for key, line in readings.items()
        if key not in own
    ]
    return replace(sides, before=sides.before.with_lines((*added, *sides.before.lines)))


def _reads(line: Line) -> bool:
    return line.is_call and line.is_loop_invariant and line.oopspec == _GET and not any(map(is_variable, line.args))
