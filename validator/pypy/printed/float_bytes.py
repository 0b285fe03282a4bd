"""Floats that are made of bytes, of which the bytes are asked for again.

PyPy's optimizer gives the bytes that the float was made of (`optimize_CONVERT_LONGLONG_BYTES_TO_FLOAT` in rewrite.py).
In the language nobody says which bytes NaN has.
"""

from __future__ import annotations

from optimizer.ir.immutable import replace
from validator.pypy.printed.lines import Printed
from validator.pypy.printed.straight import Sides

FLOAT_BYTES = "the bytes of a float that was made of bytes are these, of NaN, too"


def with_float_bytes(sides: Sides) -> tuple[Sides, tuple[str, ...]]:
    """The pair, and the loop that it jumps to, in which such bytes are copies; and what is assumed for that."""
    target = sides.target and with_float_bytes(sides.target)[0]
    copied = replace(sides, before=_copied(sides.before), after=_copied(sides.after), target=target)
    return copied, () if copied == sides else (FLOAT_BYTES,)


def _copied(printed: Printed) -> Printed:
    """The trace in which the bytes of a float that it makes of bytes are copies of these. What a label takes may be
    another float, whatever its name has been in front of it."""
    made: dict[str | None, str] = {}
    lines = []
    for line in printed.lines:
        if line.name == "label":
            made.clear()
        elif line.name == "convert_longlong_bytes_to_float":
            made[line.result] = line.args[0]
        is_copy = line.name == "convert_float_bytes_to_longlong" and line.args[0] in made
        lines.append(replace(line, name="same_as_i", args=(made[line.args[0]],)) if is_copy else line)
    return printed.with_lines(tuple(lines))
