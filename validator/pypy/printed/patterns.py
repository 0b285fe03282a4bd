"""The code of a regular expression, of which RPython's matcher prints the beginning where it traces (rsre_jit.py).

PyPy's optimizer loads from that array, which is a constant, wherever it knows the index, and no log prints what it
finds. All of a matcher's trace is about one expression: so the constant arrays that it loads such numbers from are one,
and hold at their places the numbers that each of the program points in it has in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from optimizer.ir.immutable import replace
from validator.pypy.printed.lines import Line, is_pointer
from validator.pypy.printed.straight import Sides

OF_ONE_PATTERN = "the code of a regular expression is what is printed of it"

_POINT = re.compile(r"re \w+(?: at \S+)? \[(?P<code>[0-9][0-9., ]*)(?P<end>\])?'?")
_NUMBER = re.compile(r"[0-9]+")
_LOAD, _ARRAY = "getarrayitem_gc_pure_i", "<ArrayS 8>"
CODE = "ConstPtr(code)"
"""The constant that it is, in both traces."""


def with_pattern(sides: Sides) -> tuple[Sides, tuple[str, ...]]:
    """The pair in which a matcher's code is one constant, of which the recorded trace says what the optimized one has
    of it; and what is assumed for that."""
    arrays = {line.args[0] for line in sides.lines if _is_load(line)}
    code = _code(sides) if arrays else []
    if not code:
        return sides, ()
    named = sides.renamed(lambda text: CODE if text in arrays else text)
    names = sides.new_numbers()
    used, new = ({arg for line in one.lines for arg in line.args} for one in (named.before, named.after))
    said = [
        line for at, number in enumerate(code) if number in new - used for line in _says(f"i{next(names)}", at, number)
    ]
    return replace(named, before=named.before.with_lines((*said, *named.before.lines))), (OF_ONE_PATTERN,)


def _is_load(line: Line) -> bool:
    return line.name == _LOAD and line.descr == _ARRAY and is_pointer(line.args[0])


def _code(sides: Sides) -> list[str]:
    """The longest beginning that is printed; empty where there is another program point, or another beginning."""
    longest: list[str] = []
    for point in {line.point for line in sides.lines if line.point}:
        found = _POINT.match(point)
        printed = _NUMBER.findall(found["code"]) if found else []
        if found and not found["end"]:
            printed.pop()  # it may be cut off
        both = min(len(printed), len(longest))
        if not printed or printed[:both] != longest[:both]:
            return []
        longest = max(longest, printed, key=len)
    return longest


def _says(name: str, at: int, number: str) -> Iterator[Line]:
    yield Line(name, _LOAD, (CODE, str(at)), _ARRAY)
    yield Line(None, "record_exact_value_i", (name, number))
