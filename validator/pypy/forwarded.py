"""Constant objects of the recorded trace that are one, since PyPy's optimizer uses what was stored to the one for what
is loaded from the other.

A global variable of a module is a cell, a constant of the trace, with a number of its own at each use. PyPy's optimizer
knows which uses are of one cell, and forwards what the trace stores to it: it asks of the stored value, say, for the
class that the recorded trace asks of the loaded one, and of that alone. So two constants are taken for one where a
recorded load from the one stands behind a store to the other, and the optimized trace does with the stored value what
the recorded trace does with the loaded value only. That a load or a guard is gone says nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from validator.pypy.inferred.numbering import Preserved, is_pure
from validator.pypy.inferred.sameness import Node, Sameness, sameness_in
from validator.pypy.printed.lines import Line, is_pointer, is_variable
from validator.pypy.printed.rows import Rows
from validator.pypy.printed.straight import AFTER, BEFORE

FORWARDED = "constants are one object where what is stored to one is used for what is loaded from the other"

_TESTS = {"guard_class": "class", "guard_nonnull_class": "class", "guard_subclass": "subclass", "guard_value": "value"}
"""The guards that tell of their first arguments what few values are."""

_Uses = Mapping[Node, set[object]]


def forwarded(rows: Rows, sameness: Sameness, preserved: Preserved) -> list[tuple[str, str]]:
    """The pairs of constants of the recorded trace that are taken for one."""
    found: dict[tuple[str, str], None] = {}
    for sides in rows.pairs:
        recorded, optimized = (
            _uses(sameness, trace, printed.lines) for trace, printed in ((BEFORE, sides.before), (AFTER, sides.after))
        )
        there, left = (_loads(printed.lines) for printed in (sides.before, sides.after))
        for memory, source, value, target, loaded in _behind_stores(sides.before.lines, preserved):
            if left[memory] >= there[memory]:
                continue
            one, other = sameness.of(BEFORE, value), sameness.of(BEFORE, loaded)
            if sameness.are_apart(BEFORE, source, target) or not _may_be_any(sameness, one, other):
                continue
            is_met = one == other and len({sameness_in(sides.before).of(BEFORE, text) for text in (value, loaded)}) > 1
            if is_met or (optimized[one] & recorded[other]) - recorded[one]:
                found[source, target] = None
    return [*found]


def _may_be_any(sameness: Sameness, *nodes: Node) -> bool:
    """Is none of the values known to be a constant, or a number? Two objects may well hold the same one."""
    return all(node[0] for node in nodes) and sameness.constant.isdisjoint(nodes)


def _loads(lines: Iterable[Line]) -> Counter[str]:
    """The number of loads of each field from constants. Where a store is forwarded there is one less."""
    accesses = (line.access for line in lines)
    return Counter(one.memory for one in accesses if one and not one.is_store and is_pointer(one.place[0]))


def _behind_stores(lines: Iterable[Line], preserved: Preserved) -> Iterator[tuple[str, str, str, str, str]]:
    """The loads from constants, each with the last store in front of it to such a field of a constant, which no call
    may have changed since: the field, the constant, the value that is stored, the constant that is loaded from, and the
    value that is loaded."""
    stored: dict[str, tuple[str, str]] = {}
    for line in lines:
        if line.may_write:
            stored = {memory: last for memory, last in stored.items() if preserved(line.function, memory)}
        elif not (found := line.access) or len(found.place) > 1:
            continue
        elif found.is_store:
            stored.pop(found.memory, None)
            if is_pointer(found.place[0]) and is_variable(found.value):
                stored[found.memory] = found.place[0], found.value
        elif is_pointer(found.place[0]) and found.memory in stored and stored[found.memory][0] != found.place[0]:
            yield (found.memory, *stored[found.memory], found.place[0], found.value)


def _uses(sameness: Sameness, trace: str, lines: Iterable[Line]) -> _Uses:
    """The uses of values: loads from them, tests of what they are, and operations on them."""
    uses = defaultdict[Node, set[object]](set)
    for line in lines:
        found = line.access
        if not (line.name in _TESTS or (line.result and is_pure(line.name)) or (found and not found.is_store)):
            continue
        name = (_TESTS[line.name],) if line.is_guard else (line.name, line.descr)
        nodes = [sameness.of(trace, arg) for arg in line.args]
        for place, node in enumerate(nodes):
            uses[node].add((*name, place, *nodes[:place], *nodes[place + 1 :]))
    return uses
