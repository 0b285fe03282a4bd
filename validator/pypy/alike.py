"""Constant arrays that are indexed alike, and are one.

A function of RPython that looks numbers up in tables (what a character is, say) names a table anew at each use, and
PyPy's optimizer, which knows that they are one, looks a number up once. What a log shows of a table is what its items
are, and by what they are looked up: a number that is shifted, an item of such a table, and so on. So tables that are
indexed alike are taken for one where two pairs of the log have fewer such lookups left than were recorded; a log in
whose optimized traces one number is looked up in two of them contradicts that. What a parent has looked up, no bridge
knows (bridgeopt.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass, field

from validator.pypy.inferred.witnesses import Witness, told_alone
from validator.pypy.printed.lines import Line, Printed, is_pointer, is_variable
from validator.pypy.printed.straight import Sides

_LOOKUP = "getarrayitem_gc_pure_"
_ON_NUMBERS = (_LOOKUP, "int_", "uint_")
_DEEPEST = 8
"""The number of lookups and operations in one another of which a table is told by."""


@dataclass(slots=True)
class Alike:
    """Statements of pairs on tables, by how they are indexed: the pairs that have fewer lookups left, and the tables
    that are two."""

    relied_on: dict[str, set[Witness]] = field(default_factory=dict)
    denied: set[str] = field(default_factory=set)

    def add(self, pair: Witness, sides: Sides) -> None:
        """Takes in a pair."""
        left = Counter[str]()
        indices: set[tuple[str, str]] = set()
        for line, table in _lookups(sides.after):
            left[table] += 1
            self.denied |= {table} if (table, line.args[1]) in indices else set()
            indices.add((table, line.args[1]))
        recorded = Counter(table for _, table in _used(sides.before))
        for table in left:
            if left[table] < recorded[table]:
                self.relied_on.setdefault(table, set()).add(pair)

    def assumed(self, log: int) -> frozenset[str]:
        """The tables that are one in the log of that number."""
        return told_alone(self.relied_on, log) - self.denied


def alike(sides: Sides, tables: Set[str]) -> dict[str, list[str]]:
    """The constants of recorded traces that are one of these tables, by how they are indexed; of those that are named
    once nothing is told."""
    found: dict[str, dict[str, None]] = {}
    for trace in (sides.before, *((sides.target.before,) if sides.target else ())):
        for line, table in _lookups(trace):
            if table in tables:
                found.setdefault(table, {})[line.args[0]] = None
    return {table: [*constants] for table, constants in found.items() if len(constants) > 1}


def of_one_array(table: str) -> str:
    return f"constant arrays that are looked up as {table} are one"


def _lookups(trace: Printed) -> Iterator[tuple[Line, str]]:
    """The lookups in constant arrays, each with how it is done."""
    computed = {line.result: line for line in trace.lines if line.result}

    def told(text: str, depth: int) -> str:
        line = computed.get(text)
        if line is None or depth == 0 or not line.name.startswith(_ON_NUMBERS):
            return "x" if is_variable(text) else "ConstPtr" if is_pointer(text) else text
        args = [told(arg, depth - 1) for arg in line.args]
        return f"{line.descr}[{args[1]}]" if line.name.startswith(_LOOKUP) else f"{line.name}({', '.join(args)})"

    for line in trace.lines:
        if line.name.startswith(_LOOKUP) and is_pointer(line.args[0]) and is_variable(line.args[1]):
            yield line, told(line.result or "", _DEEPEST)


def _used(trace: Printed) -> Iterator[tuple[Line, str]]:
    """The lookups of which something uses what they give: others may be gone for that."""
    used: set[str] = set()
    for line in reversed(trace.lines):
        if line.result is None or line.may_write or line.result in used:
            used |= {*line.args}
    return (one for one in _lookups(trace) if one[0].result in used)
