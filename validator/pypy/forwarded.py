"""Constant objects of the recorded trace that are one, since PyPy's optimizer uses what was in one for what is loaded
from the other.

A global variable of a module is a cell, a constant of the trace, with a number of its own at each use. PyPy's optimizer
knows which uses are of one cell, and forwards what the trace stores to it, or has loaded: it asks of that value, say,
for the class that the recorded trace asks of the loaded one, and of that alone. So two constants are taken for one
where a recorded load from the one stands behind a store to the other, or in a loop behind a load, and the optimized
trace does with the first value, at the same position of the program, what the recorded trace does with the loaded value
only. That a load or a guard is gone says nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from validator.pypy.inferred.held import Key
from validator.pypy.inferred.numbering import Preserved, is_pure
from validator.pypy.inferred.quotients import Quotients, divided
from validator.pypy.inferred.sameness import Node, Sameness, sameness_in
from validator.pypy.inferred.written import ALLOCATIONS
from validator.pypy.printed.lines import Line, Printed, is_object, is_pointer, is_variable
from validator.pypy.printed.rows import Position, Rows
from validator.pypy.printed.straight import AFTER, BEFORE

FORWARDED = "constants are one object where what is known to be in one is used for what is loaded from the other"

_TESTS = {"guard_class": "class", "guard_nonnull_class": "class", "guard_subclass": "subclass", "guard_value": "value"}
"""The guards that tell of their first arguments what few values are."""

_ITSELF = "", "itself"
"""Stands for a value among what it is used with."""

_Placed = tuple[Line, Position]

_Uses = Mapping[Node, set[object]]


def forwarded(rows: Rows, sameness: Sameness, preserved: Preserved) -> list[tuple[str, str]]:
    """The pairs of constants of the recorded trace that are taken for one."""
    found: dict[tuple[str, str], None] = {}
    for sides in rows.pairs:
        before, after = (
            [*zip(printed.lines, positions, strict=True)]
            for printed, positions in zip((sides.before, sides.after), rows.positions(sides), strict=True)
        )
        alike = _Alike(sameness, sides.before, _uses(sameness, BEFORE, before), _uses(sameness, AFTER, after))
        there, left = (_loads(printed.lines) for printed in (sides.before, sides.after))
        for memory, source, value, target, loaded in _behind_others(before, preserved):
            if left[memory] >= there[memory] or sameness.of(BEFORE, source) == sameness.of(BEFORE, target):
                continue
            if not sameness.are_apart(BEFORE, source, target) and alike.are_used_so(value, loaded):
                found[source, target] = None
    return [
        (source, target)
        for source, target in found
        if not any(one == source and sameness.are_apart(BEFORE, target, other) for one, other in found)
    ]


_DEEP = 2
"""The number of loads in one another that are looked through for uses."""


class _Alike:
    """The uses of values in the recorded trace and in the optimized one, and what the former loads from them, or stores
    to new ones."""

    def __init__(self, sameness: Sameness, before: Printed, recorded: _Uses, optimized: _Uses) -> None:
        self._sameness, self._before = sameness, before
        self._recorded, self._optimized = recorded, optimized
        self._held: dict[Node, dict[str, str]] = {}
        new = {line.result for line in before.lines if line.name in ALLOCATIONS}
        for found in (line.access for line in before.lines):
            if found and len(found.place) == 1 and (not found.is_store or found.place[0] in new):
                self._held.setdefault(sameness.of(BEFORE, found.place[0]), {})[found.memory] = found.value

    def are_used_so(self, value: str, loaded: str, depth: int = _DEEP) -> bool:
        """Does the optimized trace do with the one value what the recorded one does with the other alone? Or with what
        it has loaded from that. Neither is a constant, or a number, which two objects may well hold; nor is it enough
        that numbers in them are one."""
        one, other = self._sameness.of(BEFORE, value), self._sameness.of(BEFORE, loaded)
        if not (one[0] and other[0] and self._sameness.constant.isdisjoint((one, other))):
            return False
        alone = sameness_in(self._before)
        is_met = one == other and alone.of(BEFORE, value) != alone.of(BEFORE, loaded)
        used = (self._optimized[one] & self._recorded[other]) - self._recorded[one]
        if used or (is_met and (depth == _DEEP or is_object(value))):
            return True
        inside, others = self._held.get(one, {}), self._held.get(other, {})
        both = (memory for memory in others if memory in inside and depth)
        return one != other and any(self.are_used_so(inside[at], others[at], depth - 1) for at in both)


def _loads(lines: Iterable[Line]) -> Counter[str]:
    """The number of loads of each field from constants. Where a store is forwarded there is one less."""
    accesses = (line.access for line in lines)
    return Counter(one.memory for one in accesses if one and not one.is_store and is_pointer(one.place[0]))


def _behind_others(lines: Iterable[_Placed], preserved: Preserved) -> Iterator[tuple[str, str, str, str, str]]:
    """The loads from constants, each with the last store in front of it to such a field of a constant, and the loads
    from others since then, which no call may have changed since: the field, the constant, the value that is in it, the
    constant that is loaded from, and the value that is loaded. The loads are those of a loop: what is done with them
    preamble and body say, and one of the two would deny it if the other did it by a fault."""
    known: dict[str, dict[str, str]] = {}
    for line, (part, _) in lines:
        if line.may_write:
            known = {memory: values for memory, values in known.items() if preserved(line.function, memory)}
        elif not (found := line.access) or len(found.place) > 1:
            continue
        elif found.is_store:
            known.pop(found.memory, None)
            if is_pointer(found.place[0]) and is_variable(found.value):
                known[found.memory] = {found.place[0]: found.value}
        elif is_pointer(found.place[0]):
            values = known.setdefault(found.memory, {})
            for source, value in values.items():
                if source != found.place[0]:
                    yield found.memory, source, value, found.place[0], found.value
            if part:
                values[found.place[0]] = found.value


def _uses(sameness: Sameness, trace: str, lines: Iterable[_Placed]) -> _Uses:
    """The uses of values, with their positions: loads from them, tests of what they are, and operations on them,
    divisions as such."""
    uses, quotients = defaultdict[Node, set[object]](set), Quotients()
    for line, position in lines:
        nodes: Key = tuple(sameness.of(trace, arg) for arg in line.args)
        name: tuple[str, ...] = (line.name, line.descr)
        if line.name in _TESTS:
            name = (_TESTS[line.name],)
        elif line.is_call:
            if (made := divided(line.oopspec, nodes)) is None:
                continue
            name, nodes = made[:1], made[1]
        elif line.result and is_pure(line.name):
            whole, nodes = quotients.meant(line.name.removesuffix("_ovf"), nodes)
            quotients.put(sameness.of(trace, line.result), (whole, nodes))
            name = (whole,)
        elif not line.access or line.access.is_store:
            continue
        for place, node in enumerate(nodes):
            rest = (_ITSELF if other == node else other for other in (*nodes[:place], *nodes[place + 1 :]))
            uses[node].add((position, *name, place, *rest))
    return uses
