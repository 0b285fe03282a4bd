"""The numbers of variables of functions, which PyPy's optimizer looks up in their code, and no log prints.

The cells of a frame stand behind its variables, whose number is in the code that the frame runs, a constant object.
Where a recorded trace adds that number to an index, the optimized one has the sum. So it is assumed of the code of one
function that the number is the one which gives the sums that stand there, if the recorded trace of a pair has found
such a sum, or two bytecodes of the pair say so, and nothing in the log says that it is another one. Two functions may
share a name, a file and a line: so what other pairs say contradicts it, and is no evidence.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from itertools import chain

from optimizer.ir.immutable import replace
from validator.pypy.inferred.sameness import sameness_in
from validator.pypy.printed.lines import Line, Printed, is_pointer
from validator.pypy.printed.straight import BEFORE, Sides

_LOAD, _SUM, _FOUND = "getfield_gc_i", "int_add", "guard_value"
_IN_CODE = re.compile(r"<FieldS pypy\.interpreter\.pycode\.PyCode\.inst_co_nlocals [0-9]+ pure>")
_OF_CELL = re.compile(r"(?P<function>.*)-[0-9]+~#[0-9]+ [A-Z]+_DEREF'?")
"""A bytecode that accesses a cell of its own frame; behind the function stands the line."""
_OF_FRAME = re.compile(r"<(Array|Frame)P 8>")
_SMALL = re.compile(r"[0-9]{1,6}")

Numbers = Mapping[str, Set[int]]
"""The numbers of variables that are said of functions, by their names with file and line."""


def numbers_in(sides: Sides) -> Iterator[tuple[str, int, str]]:
    """The numbers that a pair says of functions, each with the bytecode whose index in the optimized trace says so; ""
    where the recorded trace has found it. One that is negative no function has."""
    sums: dict[str | None, tuple[str, int]] = {}
    loads = {load.result: function for load, function in _loads(sides.before)}
    for line in sides.before.lines if loads else ():
        for added, number in (line.args, line.args[::-1]) if line.name == _SUM else ():
            if number in loads and _SMALL.fullmatch(added):
                sums[line.result] = loads[number], int(added)
        if line.name == _FOUND and (line.args[0] in sums or line.args[0] in loads):
            function, plus = sums.get(line.args[0]) or (loads[line.args[0]], 0)
            yield function, _less(line.args[1], plus), ""
    left = _indices(sides.after)
    for point, indices in _indices(sides.before).items():
        found = left.get(point, set())
        if len(indices) == len(found) == 1 and (index := min(indices)) in sums:
            function, plus = sums[index]
            yield function, _less(min(found), plus), point


def _less(total: str, added: int) -> int:
    return int(total) - added if _SMALL.fullmatch(total) else -1


def _indices(printed: Printed) -> dict[str, set[str]]:
    """The indices at which items of arrays of references are loaded at a place of the program."""
    found = defaultdict[str, set[str]](set)
    for line in printed.lines:
        access = line.access
        if access and not access.is_store and _OF_FRAME.fullmatch(access.memory):
            found[line.point].add(access.place[1])
    return found


def _loads(recorded: Printed) -> Iterator[tuple[Line, str]]:
    """The loads of numbers of variables from codes, for cells, each with its function."""
    loads = [
        (line, place["function"])
        for line in recorded.lines
        if line.name == _LOAD and _IN_CODE.fullmatch(line.descr) and (place := _OF_CELL.fullmatch(line.point))
    ]
    if loads:
        sameness = sameness_in(recorded)
        constants = {sameness.of(BEFORE, arg) for line in recorded.lines for arg in line.args if is_pointer(arg)}
        yield from ((line, function) for line, function in loads if sameness.of(BEFORE, line.args[0]) in constants)


def with_indices(sides: Sides, said: Numbers) -> tuple[Sides, tuple[str, ...]]:
    """The pair whose recorded trace, and that of the loop that it jumps to, say how many variables there are, where
    they tell it, and nothing else is `said` in the log; and what is assumed for that."""
    pairs = (sides, sides.target) if sides.target else (sides,)
    told = defaultdict[tuple[str, int], set[str]](set)
    for function, number, point in chain(*map(numbers_in, pairs)):
        told[function, number].add(point)
    known = {
        function: number
        for (function, number), points in told.items()
        if ("" in points or len(points) > 1) and said.get(function) == {number} and number >= 0
    }
    if not known:
        return sides, ()
    before, *loops = (_with_numbers(one.before, known) for one in pairs)
    target = sides.target and replace(sides.target, before=loops[0])
    used = {function for one in pairs for _, function in _loads(one.before)} & known.keys()
    assumes = (f"the cells of {function} begin at item {known[function]} of its frame" for function in sorted(used))
    return replace(sides, before=before, target=target), tuple(assumes)


def _with_numbers(recorded: Printed, known: Mapping[str, int]) -> Printed:
    loads = {load.result: known[function] for load, function in _loads(recorded) if function in known}
    stated = [(line, _holds(line, loads[line.result])) if line.result in loads else (line,) for line in recorded.lines]
    return recorded.with_lines((*chain(*stated),))


def _holds(load: Line, number: int) -> Line:
    return Line(None, "record_exact_value_i", (load.result or "", str(number)))
