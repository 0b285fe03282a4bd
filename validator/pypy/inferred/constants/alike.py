"""Constant arrays that are indexed alike, and so may be one.

A function of RPython that looks numbers up in tables (what a character is, say) names a table anew at each use, and
PyPy's optimizer, which knows that they are one, looks a number up once. What a log shows of a table is what its items
are, and by what they are looked up: a number that is shifted, an item of such a table, and so on. So tables that are
indexed alike are taken for one where two pairs of the log were recorded to look one number up in two of them, and have
one of these lookups left; a log in whose optimized traces one number is looked up in two of them contradicts that. A
table that is indexed by a number of which nothing is told may be any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field
from functools import partial

from validator.pypy.inferred.sameness import Sameness
from validator.pypy.inferred.witnesses import Witness, told_alone
from validator.pypy.printed.lines import Line, Printed, is_pointer, is_variable
from validator.pypy.printed.straight import AFTER, BEFORE, Sides

_LOOKUP = "getarrayitem_gc_pure_"
_ON_NUMBERS = (_LOOKUP, "int_", "uint_")
_DEEPEST = 8
"""The number of lookups and operations in one another of which a table is told by."""


@dataclass(slots=True)
class Alike:
    """Statements of pairs on tables, by how they are indexed: the pairs that have one of several lookups of a number
    left, and the tables that are two."""

    relied_on: dict[str, set[Witness]] = field(default_factory=dict)
    denied: set[str] = field(default_factory=set)

    def add(self, pair: Witness, sides: Sides, sameness: Sameness) -> None:
        """Takes in a pair, with the classes of its values."""
        recorded = Counter((table, exact) for _, table, exact in _used(sides.before, partial(sameness.of, BEFORE)))
        left = Counter((table, exact) for _, table, exact in _lookups(sides.after, partial(sameness.of, AFTER)))
        for table, exact in left:
            if left[table, exact] > 1:
                self.denied.add(table)
            elif recorded[table, exact] > 1:
                self.relied_on.setdefault(table, set()).add(pair)

    def assumed(self, log: int) -> frozenset[str]:
        """The tables that are one in the log of that number."""
        return told_alone(self.relied_on, log) - self.denied


def alike(sides: Sides, tables: Set[str]) -> dict[str, list[str]]:
    """The constants of recorded traces that are one of these tables, by how they are indexed; of those that are named
    once nothing is told."""
    found: dict[str, dict[str, None]] = {}
    for trace in (sides.before, *((sides.target.before,) if sides.target else ())):
        for line, table, _ in _lookups(trace, str):
            if table in tables:
                found.setdefault(table, {})[line.args[0]] = None
    return {table: [*constants] for table, constants in found.items() if len(constants) > 1}


def of_one_array(table: str) -> str:
    return f"constant arrays that are looked up as {table} are one"


def _lookups(trace: Printed, of: Callable[[str], object]) -> Iterator[tuple[Line, str, str]]:
    """The lookups in constant arrays, each with how it is done, by numbers of which nothing is told or by their
    classes. None by such a number itself."""
    computed = {line.result: line for line in trace.lines if line.result}

    def told(text: str, leaf: Callable[[str], object], depth: int = _DEEPEST) -> str:
        line = computed.get(text)
        if line is None or depth == 0 or not line.name.startswith(_ON_NUMBERS):
            return str(leaf(text)) if is_variable(text) else "ConstPtr" if is_pointer(text) else text
        args = [told(arg, leaf, depth - 1) for arg in line.args]
        return f"{line.descr}[{args[1]}]" if line.name.startswith(_LOOKUP) else f"{line.name}({', '.join(args)})"

    for line in trace.lines:
        index = computed.get(line.args[1]) if line.name.startswith(_LOOKUP) and is_pointer(line.args[0]) else None
        if index is not None and index.name.startswith(_ON_NUMBERS) and line.result:
            yield line, told(line.result, lambda _: "x"), told(line.result, of)


def _used(trace: Printed, of: Callable[[str], object]) -> Iterator[tuple[Line, str, str]]:
    """The lookups of which something uses what they give: others may be gone for that."""
    used: set[str] = set()
    for line in reversed(trace.lines):
        if line.result is None or line.may_write or line.result in used:
            used |= {*line.args}
    return (one for one in _lookups(trace, of) if one[0].result in used)
