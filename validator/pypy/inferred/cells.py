"""The number of variables of code, which PyPy's optimizer looks up and no log prints.

The cells of a frame stand behind its variables. Where a generator's frame runs inside a trace, the recorded one adds
the number of a cell to that of the variables of its code (`_getcell` in pyframe.py), and the optimizer has the sum. So
it is assumed of the code of one function how many variables it has, if two accesses to cells say so, each at a bytecode
at which both traces access as many cells, and none says another number. It is said of the constant that the code is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count

from optimizer.ir.immutable import replace
from validator.pypy.inferred.numbering import Preserved
from validator.pypy.inferred.sameness import Sameness
from validator.pypy.inferred.witnesses import Witness, told
from validator.pypy.printed.lines import Line, Printed, is_named, is_pointer
from validator.pypy.printed.rows import alone
from validator.pypy.printed.straight import BEFORE, Sides

_NUMBER = re.compile(r"<FieldS pypy\.interpreter\.pycode\.PyCode\.inst_co_nlocals [0-9]+ pure>")
_CONTENT = re.compile(r"<FieldP pypy\.interpreter\.nestedscope\.Cell\.inst_w_value [0-9]+>")
_FUNCTION = re.compile(r"(.+:[0-9]+)-[0-9]+~#")


@dataclass(frozen=True, slots=True)
class Variables:
    """The code of a function, by its name and where it begins, has so many variables."""

    function: str
    number: str

    def __str__(self) -> str:
        return f"the code of {self.function} has {self.number} variables"


@dataclass(frozen=True, slots=True)
class _Access:
    """An access to a cell: the index of that in the frame, and where it is the sum of a number and the number of
    variables of some code, the former and the load of the latter."""

    index: str
    added: str = ""
    load: Line | None = None


@dataclass(slots=True)
class Cells:
    """Statements of pairs on code, each with the accesses that say so."""

    said: dict[Variables, set[Witness]] = field(default_factory=dict)

    def add(self, pair: Witness, sides: Sides) -> None:
        """Takes in a pair, of which this is the last row."""
        recorded, left = _accesses(sides.before), _accesses(sides.after)
        for point, accesses in recorded.items():
            function, known = _function(point), [one.index for one in left.get(point, ())]
            if function and len(known) == len(accesses) and all(map(str.isdigit, known)):
                for at, (one, index) in enumerate(zip(accesses, known, strict=True)):
                    if one.load is not None:
                        said = Variables(function, str(int(index) - int(one.added)))
                        self.said.setdefault(said, set()).add(replace(pair, start=point, iteration=at))

    def assumed(self, log: int) -> frozenset[Variables]:
        """The code of which that is assumed in the log of that number."""
        of = [one.function for one in self.said]
        enough = told(self.said, log, lambda one: is_named(one.function))
        return frozenset(one for one in enough if of.count(one.function) == 1)


def with_cells(sides: Sides, code: frozenset[Variables], leaves: Preserved) -> tuple[Sides, tuple[str, ...]]:
    """The pair whose recorded trace says how many variables code has, and what is assumed for that."""
    recorded = (sides.before, *((sides.target.before,) if sides.target else ()))
    said = {constant: (load, one) for trace in recorded for constant, load, one in _constants(trace, code, leaves)}
    names = count(1 + max(printed.highest() for printed in sides.printed))
    stated = tuple(line for text, (load, one) in said.items() for line in _has(text, load, one, f"i{next(names)}"))
    assumes = tuple(sorted({str(one) for _, one in said.values()}))
    return replace(sides, before=sides.before.with_lines((*stated, *sides.before.lines))), assumes


def _has(constant: str, load: Line, code: Variables, name: str) -> Iterator[Line]:
    """The statement that this constant has so many variables."""
    yield Line(name, load.name, (constant,), load.descr)
    yield Line(None, "record_exact_value_i", (name, code.number))


def _constants(
    recorded: Printed, code: frozenset[Variables], leaves: Preserved
) -> Iterator[tuple[str, Line, Variables]]:
    """The constants that are such code, each with a load of the number of its variables."""
    at = {one.function: one for one in code}
    loads = [
        (one.load, at[function])
        for point, accesses in (_accesses(recorded).items() if at else ())
        if (function := _function(point)) in at
        for one in accesses
        if one.load is not None
    ]
    if loads:
        of = partial(Sameness(alone(recorded), leaves).of, BEFORE)
        constants = {of(arg): arg for line in recorded.lines for arg in line.args if is_pointer(arg)}
        for load, one in loads:
            if constant := constants.get(of(load.args[0])):
                yield constant, load, one


def _function(point: str) -> str:
    found = _FUNCTION.match(point)
    return found[1] if found else ""


def _accesses(printed: Printed) -> dict[str, list[_Access]]:
    """The accesses to cells in frames, by the positions in the program."""
    made = {line.result: line for line in printed.lines}
    found: dict[str, list[_Access]] = {}
    for line in printed.lines:
        cell = made.get(line.args[0]) if _CONTENT.fullmatch(line.descr) else None
        if cell is not None and cell.point == line.point and cell.name == "getarrayitem_gc_r":
            found.setdefault(line.point, []).append(_access(cell.args[1], made))
    return found


def _access(index: str, made: dict[str | None, Line]) -> _Access:
    total = made.get(index)
    if total is None or total.name != "int_add":
        return _Access(index)
    loads = [load for arg in total.args if (load := made.get(arg)) and _NUMBER.fullmatch(load.descr)]
    numbers = [arg for arg in total.args if arg.isdigit()]
    return _Access(index, numbers[0], loads[0]) if loads and numbers else _Access(index)
