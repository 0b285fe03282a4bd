"""Numbers that guards of a recorded trace have found values to be: it has run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from validator.pypy.inferred.executed import EQUATING, PASSES, equated
from validator.pypy.printed.lines import NULL, Line

_SET = "set"
"""A value that is neither 0 nor NULL."""

_SAYS = {"guard_true": "1", "guard_false": "0", "guard_isnull": NULL}
_SAYS |= dict.fromkeys(("guard_nonnull", "guard_class", "guard_nonnull_class"), _SET)
"""The constants that guards find their first argument to be."""

_NUMBER = re.compile(r"-?[0-9]+")


def found_numbers(lines: Iterable[Line]) -> Mapping[str, str]:
    """The numbers that values of a recorded trace have been, by their names; NULL, or `_SET`, which is not 0 either."""
    found: dict[str, str] = {}
    tests: dict[str, Line] = {}
    for line in lines:
        if line.name in EQUATING and line.result:
            tests[line.result] = line
        elif line.name == "guard_value":
            found[line.args[0]] = line.args[1]
        elif line.name in _SAYS:
            found.setdefault(line.args[0], _SAYS[line.name])
            if line.name in PASSES and (test := tests.get(line.args[0])):
                found |= _equated(test, is_equal=EQUATING[test.name] == line.name)
    return found


def _equated(test: Line, *, is_equal: bool) -> dict[str, str]:
    """The constants that the values which are compared are, if they are one, or are not."""
    if is_equal:
        return dict(equated(test))
    return {test.args[0]: _SET} if (test.args[1:] or ("0",))[0] in ("0", NULL) else {}


def are_different(one: str, other: str) -> bool:
    """Are these for certain two numbers, or one NULL and the other not?"""
    if _SET in (one, other):
        return {one, other} - {_SET} <= {"0", NULL} and one != other
    return one != other and all(_NUMBER.fullmatch(text) for text in (one, other))
