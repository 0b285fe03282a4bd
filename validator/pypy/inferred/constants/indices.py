"""The numbers of variables of functions, which PyPy's optimizer looks up in their code, and no log prints.

The cells of a frame stand behind its variables, whose number is in the code that the frame runs, a constant object.
Where a recorded trace adds that number to an index, the optimized one has the sum. So it is assumed of the code of one
function that the number is the one which gives the sums that stand there, if a recorded trace has found such a sum, or
two bytecodes of pairs say so, and none says that it is another one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from itertools import chain

from optimizer.ir.immutable import replace
from validator.pypy.inferred.witnesses import Witness, told
from validator.pypy.printed.lines import Line, Printed, is_named
from validator.pypy.printed.straight import Sides

_LOAD, _SUM, _FOUND = "getfield_gc_i", "int_add", "guard_value"
_IN_CODE = re.compile(r"<FieldS pypy\.interpreter\.pycode\.PyCode\.inst_co_nlocals [0-9]+ pure>")
_OF_CELL = re.compile(r"(?P<function>.*)-[0-9]+~#[0-9]+ [A-Z]+_DEREF'?")
"""A bytecode that accesses a cell of its own frame; behind the function stands the line."""


@dataclass(frozen=True, slots=True)
class Number:
    """The code of that function has so many variables."""

    function: str
    variables: int

    def __str__(self) -> str:
        return f"the cells of {self.function} begin at item {self.variables} of its frame"


@dataclass(slots=True)
class Indices:
    """Statements of pairs on functions: the pairs whose recorded traces have found the number, and the bytecodes of
    pairs whose optimized traces have the sum."""

    found: dict[Number, set[Witness]] = field(default_factory=dict)
    said: dict[Number, set[Witness]] = field(default_factory=dict)

    def add(self, pair: Witness, sides: Sides) -> None:
        """Takes in a pair, of which this is the last row."""
        loads = {load.result: function for load, function in _loads(sides.before)}
        if not loads:
            return
        sums: dict[str | None, tuple[str, int]] = {}
        for line in sides.before.lines:
            for added, number in (line.args, line.args[::-1]) if line.name == _SUM else ():
                if number in loads and added.isdecimal():
                    sums[line.result] = loads[number], int(added)
            if line.name == _FOUND and line.args[0] in sums:
                self._note(self.found, pair, *sums[line.args[0]], line.args[1])
        recorded, left = _indices(sides.before), _indices(sides.after)
        for at, place in enumerate(recorded):
            indices, numbers = recorded[place], left.get(place, set())
            if len(indices) == len(numbers) == 1 and (index := min(indices)) in sums:
                self._note(self.said, replace(pair, iteration=at), *sums[index], min(numbers))

    @staticmethod
    def _note(said: dict[Number, set[Witness]], pair: Witness, function: str, added: int, total: str) -> None:
        if total.isdecimal():
            said.setdefault(Number(function, int(total) - added), set()).add(pair)

    def assumed(self, log: int) -> frozenset[Number]:
        """The numbers that are taken to be known in the log of that number."""
        numbers = defaultdict[str, set[int]](set)
        for one in (*self.found, *self.said):
            numbers[one.function].add(one.variables)
        enough = told(self.found, log, _is_named, bool) | told(self.said, log, _is_named)
        return frozenset(one for one in enough if len(numbers[one.function]) == 1)


def _is_named(number: Number) -> bool:
    return is_named(number.function)


def _indices(printed: Printed) -> dict[tuple[str, str], set[str]]:
    """The indices at which items of a memory are loaded at a bytecode that accesses a cell."""
    found = defaultdict[tuple[str, str], set[str]](set)
    for line in printed.lines:
        access = line.access
        if access and not access.is_store and len(access.place) > 1 and _OF_CELL.fullmatch(line.point):
            found[line.point, access.memory].add(access.place[1])
    return found


def _loads(recorded: Printed) -> Iterator[tuple[Line, str]]:
    """The loads of numbers of variables for cells, each with its function."""
    for line in recorded.lines:
        if line.name == _LOAD and _IN_CODE.fullmatch(line.descr) and (place := _OF_CELL.fullmatch(line.point)):
            yield line, place["function"]


def with_indices(sides: Sides, numbers: Set[Number]) -> tuple[Sides, tuple[str, ...]]:
    """The pair whose recorded trace, and that of the loop that it jumps to, say how many variables there are; and what
    is assumed for that."""
    before, found = _with_numbers(sides.before, numbers)
    target = sides.target
    if target is not None:
        loop, more = _with_numbers(target.before, numbers)
        target, found = replace(target, before=loop), found | more
    return replace(sides, before=before, target=target), tuple(sorted(map(str, found)))


def _with_numbers(recorded: Printed, numbers: Set[Number]) -> tuple[Printed, set[Number]]:
    known = {one.function: one for one in numbers}
    loads = {load.result: known[function] for load, function in _loads(recorded) if function in known} if known else {}
    stated = [(line, _holds(line, loads[line.result])) if line.result in loads else (line,) for line in recorded.lines]
    return (recorded.with_lines((*chain(*stated),)) if loads else recorded), {*loads.values()}


def _holds(load: Line, number: Number) -> Line:
    return Line(None, "record_exact_value_i", (load.result or "", str(number.variables)))
