"""The parts of a change: what can be undone of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeGuard

from fuzz.edits.walk import operands
from fuzz.reduce.change import Change, Place, places_of, text_of
from optimizer.ir.trace import Operation, Trace, Value, Var


def parts_of(change: Change) -> list[frozenset[Place]]:
    """The parts of a change that can be undone without the rest: places and lines of one trace, with the removed lines
    that they need. Parts may need the same ones."""
    found = _Roots(change)
    found.add_altered()
    found.add_only()
    return [frozenset(places) for places in found.parts]


class _Roots:
    """The places where a change shows, each with the removed lines that it needs."""

    def __init__(self, change: Change) -> None:
        self._change = change
        self._removed = {op.result: op for op in change.removed if op.result is not None}
        self._inserted = {op.result: op for op in change.inserted if op.result is not None}
        self._readers = _flag_readers(change.before, change.removed)
        self.parts: list[set[Place]] = []

    def add_altered(self) -> None:
        """Operands that differ; those that do so alike are one part."""
        roots: dict[object, set[Place]] = defaultdict(set)
        values: dict[object, set[Value | None]] = defaultdict(set)
        for one, two in self._change.altered:
            for place, old, new in places_of(one, two):
                root = (old, new) if isinstance(old, Var) and isinstance(new, Var) else place
                roots[root].add(place)
                values[root].add(old)
        self.parts += [places | self._needed(values[root]) for root, places in roots.items()]

    def add_only(self) -> None:
        """Lines of one trace alone, but for those that others need."""
        moved = {text_of(op): op.line for op in self._change.inserted}
        for op in reversed(self._change.removed):
            is_needed = any((op.line, "op") in places for places in self.parts)
            if not is_needed or op.result is None or op.result in self._inserted:
                lines = {(line, "op") for line in (op.line, moved.get(text_of(op))) if line is not None}
                flag = [value for value, guard in self._readers.items() if guard is op]
                self.parts.append({*lines, *self._needed({op.result, *operands(op), *flag})})
        for op in self._change.inserted:
            if op.result is None and not any((op.line, "op") in places for places in self.parts):
                self.parts.append({(op.line, "op")})

    def _needed(self, values: Collection[Value | None]) -> set[Place]:
        """The lines that compute these, and those that do so in the other trace. A check for overflow goes with its
        guard."""
        lines: set[Place] = set()
        waiting, seen = list(values), set[Value]()
        while waiting:
            value = waiting.pop()
            if not isinstance(value, Var) or value not in self._removed or value in seen:
                continue
            seen.add(value)
            needed = [self._removed[value], *([self._readers[value]] if value in self._readers else ())]
            lines |= {(op.line, "op") for op in needed}
            lines |= {(op.line, "op") for op in [self._inserted.get(value)] if op is not None}
            waiting += [operand for op in needed for operand in operands(op)]
        return lines


def _flag_readers(trace: Trace, among: Collection[Operation]) -> dict[Value, Operation]:
    """The guards that read whether an operation has overflowed, by its result."""
    lines = {op.line for op in among}
    found: dict[Value, Operation] = {}
    telling: Var | None = None
    for op in trace.ops:
        if op.op.reads_flag and telling is not None and op.line in lines:
            found[telling] = op
        if op.op.overflows is not None:
            telling = op.result
    return found


def regions_of(change: Change) -> list[frozenset[Place]]:
    """Parts that have nothing to do with each other: none of them uses what another one computes, and between them
    is a line that both traces have."""
    found = _connected(change)
    touched = {op.result for op in change.removed if op.result is not None} & {op.result for op in change.inserted}
    for op, _ in change.shared:
        used = [value for value in operands(op) if value in touched]
        if used and op.result is not None:
            found.join(*map(_Value, used), _Value(op.result))
            touched.add(op.result)
    for one, two in change.altered:
        for place, old, _ in places_of(one, two):
            found.join(place, *((_Value(old),) if old in touched else ()))
    for op in change.removed:
        found.join((op.line, "op"), *(_Value(value) for value in operands(op) if value in touched))
    for trace in (change.before, change.after):
        for op, following in pairwise(trace.ops):
            if not {op.line, following.line} & change.common:
                found.join(*(one for one in found.members if _line(one) in (op.line, following.line)))
    return found.all()


def _connected(change: Change) -> _Parts:
    found = _Parts()
    removed = {op.result for op in change.removed if op.result is not None}
    inserted = {op.result for op in change.inserted if op.result is not None}
    for values, side, ops in ((removed, "before", change.removed), (inserted, "after", change.inserted)):
        for op in ops:
            used = [_Value(value, side) for value in (op.result, *operands(op)) if value in values]
            found.join((op.line, "op"), *used)
    for value in removed & inserted:
        found.join(_Value(value), _Value(value, "after"))
    moved = {text_of(op): op.line for op in change.removed}
    for op in change.inserted:
        if text_of(op) in moved:
            found.join((op.line, "op"), (moved[text_of(op)], "op"))
    for one, two in change.altered:
        for place, old, new in places_of(one, two):
            found.join(place, *((_Value(old),) if old in removed else ()))
            found.join(place, *((_Value(new, "after"),) if new in inserted else ()))
            if isinstance(old, Var) and isinstance(new, Var):
                found.join(place, ("instead", old, new))
    return found


@dataclass(frozen=True, slots=True)
class _Value:
    """A value of one of the traces."""

    value: Value | None
    side: str = "before"


class _Parts:
    """Places that belong together, and values that are the reason."""

    def __init__(self) -> None:
        self._sets: dict[object, set[object]] = {}

    @property
    def members(self) -> list[object]:
        return list(self._sets)

    def join(self, *members: object) -> None:
        joined = set[object]().union(members, *(self._sets.get(one, ()) for one in members))
        self._sets.update(dict.fromkeys(joined, joined))

    def all(self) -> list[frozenset[Place]]:
        """The places that belong together, in the order in which they came."""
        different = {id(one): one for one in self._sets.values()}
        found = [frozenset(one for one in together if _is_place(one)) for together in different.values()]
        return [places for places in found if places]


def _is_place(member: object) -> TypeGuard[Place]:
    return isinstance(member, tuple) and isinstance(member[0], int)


def _line(member: object) -> int | None:
    return member[0] if _is_place(member) else None
