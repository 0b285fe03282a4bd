"""Objects in fields of constants, which PyPy's optimizer looks up and no log prints.

Where a recorded trace loads from a constant object what never changes, the optimizer has the constant that is there
instead. So it is assumed of such a field, if two pairs say so, and none loads it from a constant after all, that the
constant which the optimized trace alone has in the place of what is loaded is the one that is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from functools import partial
from itertools import chain

from optimizer.ir.immutable import replace
from validator.pypy.inferred.sameness import FIND_OUT, Sameness
from validator.pypy.inferred.strings import HELD
from validator.pypy.inferred.witnesses import Witness, told
from validator.pypy.printed.lines import Line, is_named, is_pointer
from validator.pypy.printed.rows import Rows
from validator.pypy.printed.straight import AFTER, BEFORE, Sides

_LOAD = "getfield_gc_r"


@dataclass(slots=True)
class Folded:
    """Statements of pairs on fields: the pairs that have constants in the place of what is loaded from constants, and
    the fields that are loaded from them."""

    said: dict[str, set[Witness]] = field(default_factory=dict)
    denied: set[str] = field(default_factory=set)

    def add(self, pair: Witness, sides: Sides, rows: Rows, sameness: Sameness) -> None:
        """Takes in a pair."""
        for line in _folded(sides, rows, sameness):
            self.said.setdefault(line.descr, set()).add(pair)
        self.denied |= {line.descr for row in rows.pairs for line in _kept(row.after.lines)}

    def assumed(self, log: int) -> frozenset[str]:
        """The fields of which that is assumed in the log of that number."""
        return told(self.said, log, is_named) - self.denied


def with_folded(sides: Sides, rows: Rows, sameness: Sameness, fields: Set[str]) -> tuple[Sides, tuple[str, ...]]:
    """The pair whose recorded trace says which constants it loads from these fields of constants; and what is assumed
    for that."""
    said = {line for line in _folded(sides, rows, sameness) if line.descr in fields}
    assumes = (
        f"constants in the place of {one} of other ones are what is there" for one in {line.descr for line in said}
    )
    return with_named(sides, said), tuple(assumes)


def with_named(sides: Sides, loads: Set[Line]) -> Sides:
    """The pair whose recorded trace says that these loads find constants, each under a name of its own."""
    if not loads:
        return sides
    results = ((line, line.result or "") for line in loads)
    named = {line: Line(None, "record_exact_value_r", (result, HELD.format(result))) for line, result in results}
    stated = chain(*((line, named[line]) if line in named else (line,) for line in sides.before.lines))
    return replace(sides, before=sides.before.with_lines(tuple(stated)))


def _kept(optimized: Iterable[Line]) -> Iterator[Line]:
    """The loads of an optimized trace from what it knows to be constants: that a comparison finds out later that two
    objects are one says nothing."""
    known = set[str]()
    for line in optimized:
        if line.name in FIND_OUT:
            known.add(line.args[0])
        elif line.name == _LOAD and (is_pointer(line.args[0]) or line.args[0] in known):
            yield line


def loads_from_constants(lines: Iterable[Line], sameness: Sameness) -> Iterator[Line]:
    """The loads of references from constant objects in the recorded trace."""
    loads = (line for line in lines if line.name == _LOAD)
    return (line for line in loads if sameness.of(BEFORE, line.args[0]) in sameness.constant)


def _folded(sides: Sides, rows: Rows, sameness: Sameness) -> Iterator[Line]:
    """The loads from constants in whose place the optimized trace has a constant that the recorded one has not."""
    before, after = (partial(sameness.of, trace) for trace in (BEFORE, AFTER))
    named = {before(arg) for row in rows.pairs for line in row.before.lines for arg in line.args if is_pointer(arg)}
    new = {after(arg) for row in rows.pairs for line in row.after.lines for arg in line.args if is_pointer(arg)} - named
    found = loads_from_constants(sides.before.lines, sameness)
    yield from (line for line in found if before(line.result or "") in new)
