"""Copies of a known number of items, as so many loads and stores, which is how PyPy's optimizer does them
(`_optimize_CALL_ARRAYCOPY` in virtualize.py): what is in one array is then in the other one for all that reads a trace.

What a trace allocates or accesses tells of which type the arrays are; where nothing does, the call stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

from optimizer.ir.immutable import replace
from validator.pypy.printed.lines import Line, Printed, is_variable

COPIES = re.compile(r"<Callv 0 (rriii EF=2 OS=1>@ll_arraycopy|riii EF=2 OS=9>@ll_arraymove)(__\w+)?")
"""Functions that copy items, as many as their last argument says."""

_OF_ARRAYS = ("new_array", "arraylen_gc", "getarrayitem_gc", "setarrayitem_gc")
_ARRAY = re.compile(r"<Array[PSUF] [0-9]+>")
_KINDS = {"<ArrayP 8>": ("r", "p"), "<ArrayS 8>": ("i", "i"), "<ArrayF 8>": ("f", "f")}
"""The endings of the loads, and the beginnings of the names of what they give, by the arrays."""

_MOST = 64
"""The number of items up to which each is a line."""


def item_by_item(recorded: Printed, optimized: Printed) -> Iterator[Line]:
    """The lines of the recorded trace with loads and stores in the place of such calls, but for those of which the
    optimized one has some of as many items."""
    types, numbers = types_of_arrays(recorded), count(recorded.highest() + 1)
    left = {line.args[-1] for line in optimized.lines if COPIES.fullmatch(line.function)}
    for line in recorded.lines:
        if COPIES.fullmatch(line.function) and line.args[-1] not in left and (place := _place(line)):
            source, target, first, to, items = place
            found = {types[array] for array in (source, target) if array in types}
            if len(found) == 1 and (kind := _KINDS.get(descr := found.pop())):
                values = [f"{kind[1]}{next(numbers)}" for _ in range(items)]
                for at, value in enumerate(values):
                    yield _as(line, value, f"getarrayitem_gc_{kind[0]}", (source, str(first + at)), descr)
                for at, value in enumerate(values):
                    yield _as(line, None, "setarrayitem_gc", (target, str(to + at), value), descr)
                continue
        yield line


def types_of_arrays(trace: Printed, descr: re.Pattern[str] = _ARRAY) -> dict[str, str]:
    """The descrs of arrays, by the names of these, as far as operations on them tell."""
    types: dict[str, str] = {}
    for line in trace.lines:
        array = line.result if line.name.startswith("new_array") else line.args[0] if line.args else None
        if line.name.startswith(_OF_ARRAYS) and array is not None and descr.fullmatch(line.descr):
            types[array] = line.descr
    return types


def _place(copy: Line) -> tuple[str, str, int, int, int] | None:
    """The arrays, where in each the items begin, and how many there are; None where a number is not known, is
    negative, or is large."""
    arrays, numbers = copy.args[1:-3], copy.args[-3:]
    if any(map(is_variable, numbers)):
        return None
    first, to, items = map(int, numbers)
    return (arrays[0], arrays[-1], first, to, items) if min(first, to) >= 0 and 0 <= items <= _MOST else None


def _as(copy: Line, result: str | None, name: str, args: tuple[str, ...], descr: str) -> Line:
    return replace(copy, result=result, name=name, args=args, descr=descr)
