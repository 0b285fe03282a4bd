"""The parts of a change: what can be undone of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import pairwise

from fuzz.edits.edit import flag_pairs
from fuzz.edits.walk import operands
from fuzz.reduce.change import Change, Place, places_of, text_of
from optimizer.ir.trace import Operation, Value, Var


def parts_of(change: Change) -> list[frozenset[Place]]:
    """The parts of a change that can be undone without the rest: places and lines of one trace, with the removed lines
    that they need. Parts may need the same ones."""
    needs = _Needs(change)
    roots: dict[object, set[Place]] = defaultdict(set)
    values: dict[object, set[Value | None]] = defaultdict(set)
    for one, two in change.altered:
        for place, old, new in places_of(one, two):
            root = (old, new) if isinstance(old, Var) and isinstance(new, Var) else place  # alike: one part
            roots[root].add(place)
            values[root].add(old)
    parts = [places | needs.of(values[root]) for root, places in roots.items()]
    moved = {text_of(op): op.line for op in change.inserted}
    for op in reversed(change.removed):
        if not _is_in(parts, op) or op.result is None or op.result in needs.inserted:
            lines = {(line, "op") for line in (op.line, moved.get(text_of(op))) if line is not None}
            flag = [value for value, guard in needs.readers.items() if guard is op]
            parts.append({*lines, *needs.of({op.result, *operands(op), *flag})})
    for op in change.inserted:
        if op.result is None and not _is_in(parts, op):
            parts.append({(op.line, "op")})
    return [frozenset(places) for places in parts]


def _is_in(parts: Collection[set[Place]], op: Operation) -> bool:
    return any((op.line, "op") in places for places in parts)


class _Needs:
    """The lines that compute a value: those of the recorded trace alone, with the guards that read whether they
    overflow, and those of the optimized one that do so instead."""

    def __init__(self, change: Change) -> None:
        self._removed = {op.result: op for op in change.removed if op.result is not None}
        self.inserted = {op.result: op for op in change.inserted if op.result is not None}
        lines = {op.line for op in change.removed}
        pairs = flag_pairs(change.before)
        self.readers = {telling.result: guard for telling, guard in pairs if guard.line in lines and telling.result}

    def of(self, values: Collection[Value | None]) -> set[Place]:
        lines: set[Place] = set()
        waiting, seen = list(values), set[Value]()
        while waiting:
            value = waiting.pop()
            if not isinstance(value, Var) or value not in self._removed or value in seen:
                continue
            seen.add(value)
            needed = [self._removed[value], *([self.readers[value]] if value in self.readers else ())]
            lines |= {(op.line, "op") for op in (*needed, self.inserted.get(value)) if op is not None}
            waiting += [operand for op in needed for operand in operands(op)]
        return lines


def regions_of(change: Change, parts: Sequence[frozenset[Place]]) -> list[frozenset[Place]]:
    """The parts, those together that have to do with each other: one uses what another one computes, or between them is
    no line that both traces have."""
    regions: list[tuple[frozenset[Place], set[int]]] = []  # each with the lines that it reaches
    for part in parts:
        near = [(places, reached) for places, reached in regions if not reached.isdisjoint(_lines(part))]
        reached = _reached(change, _lines(part))
        near += [one for one in regions if one not in near and not reached.isdisjoint(_lines(one[0]))]
        regions = [one for one in regions if one not in near]
        regions.append((part.union(*(places for places, _ in near)), reached.union(*(lines for _, lines in near))))
    return [places for places, _ in regions]


def _lines(part: frozenset[Place]) -> set[int]:
    return {line for line, _ in part}


def _reached(change: Change, lines: set[int]) -> set[int]:
    """These lines, those that use what they compute, and those next to them that one trace has alone."""
    reached = set(lines)
    for trace in (change.before, change.after):
        values: set[Value | None] = set()
        for op in trace.ops:
            if op.line in lines or not values.isdisjoint(operands(op)):
                reached.add(op.line)
                values |= {op.result} - {None}
        for op, following in pairwise(trace.ops):
            both = {op.line, following.line}
            if both & lines and not both & change.common:
                reached |= both
    return reached
