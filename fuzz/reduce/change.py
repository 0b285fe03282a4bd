"""The change from one trace to another: what only one of them does, what both do with other operands, and its parts,
which can be undone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from fuzz.edits.edit import flag_pairs
from fuzz.edits.walk import operands, used_by, values_in
from fuzz.reduce.alignment import is_same, shared_lines
from fuzz.reduce.nature import Nature, Outline, effects_of, family_of, kinds_of, signature_of, substitutions
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import Kind
from optimizer.ir.trace import Exit, Operation, Trace, Value, Var, all_operations

Place = tuple[int, int | str]
"""An operand of the operation in a line, by number; or `exit`, all that a guard hands over, or `op`, what is done."""


@dataclass(frozen=True)
class Change:
    """The difference of two traces with lines of their own."""

    before: Trace
    after: Trace

    @cached_property
    def shared(self) -> tuple[tuple[Operation, Operation], ...]:
        return tuple(shared_lines(self.before, self.after))

    @cached_property
    def common(self) -> frozenset[int]:
        """The lines in which both do the same."""
        return frozenset(one.line for one, two in self.shared if is_same(one, two))

    @cached_property
    def altered(self) -> tuple[tuple[Operation, Operation], ...]:
        return tuple(pair for pair in self.shared if pair[0].line not in self.common)

    @cached_property
    def removed(self) -> tuple[Operation, ...]:
        return self._only(self.before)

    @cached_property
    def inserted(self) -> tuple[Operation, ...]:
        return self._only(self.after)

    def _only(self, trace: Trace) -> tuple[Operation, ...]:
        both = {one.line for one, _ in self.shared}
        return tuple(op for op in all_operations(trace) if op.line not in both)

    @cached_property
    def nature(self) -> Nature:
        definitions = [
            {op.result: op for op in all_operations(trace) if op.result is not None}
            for trace in (self.before, self.after)
        ]
        gone, made = ({op.result for op in ops} for ops in (self.removed, self.inserted))
        substituted = {
            kinds_of(old, new, gone, made, *definitions)
            for one, two in self.altered
            for old, new in substitutions(one, two)
            if old != new
        }
        return Nature(
            tuple(sorted(map(signature_of, self.removed))),
            tuple(sorted(map(signature_of, self.inserted))),
            frozenset(substituted),
        )

    @property
    def outline(self) -> Outline:
        removed, inserted = (
            frozenset(
                family_of(op)
                for op in ops
                if op.result is None or op.op.overflows is not None or op.result in _used_by_others(trace, ops)
            )
            for trace, ops in ((self.before, self.removed), (self.after, self.inserted))
        )
        used = frozenset(map(family_of, (*self.removed, *self.inserted))) - removed - inserted
        return Outline(removed, inserted, self.nature.substituted, used, self._effects)

    @property
    def _effects(self) -> frozenset[str]:
        """A guard may have moved over them."""
        changed = (*self.removed, *self.inserted, *(one for one, _ in self.altered))
        has_moved = any(op.exit is not None for op in self.removed) and any(op.exit is not None for op in self.inserted)
        return effects_of(self.before.ops) if has_moved or effects_of(changed) else frozenset()

    @property
    def replaced(self) -> list[Operation]:
        """The operations that both compute, and whose results the recorded trace alone uses."""
        used = [set(values_in(trace)) for trace in (self.before, self.after)]
        return [one for one, _ in self.shared if one.result in used[0] and one.result not in used[1]]

    def undone(self, group: Collection[Place]) -> Trace:
        """The optimized trace where these parts of the change are not made."""
        recorded = {one.line: one for one, _ in self.altered}
        back = {op.line for op in self.removed if (op.line, "op") in group}
        gone = {op.line for op in self.inserted if (op.line, "op") in group}
        ops = [
            _with_places(op, recorded[op.line], group) if op.line in recorded else op
            for op in self.after.ops
            if op.line not in gone
        ]
        guards = {guard.line: number for number, guard in enumerate(self.before.guards)}
        last = 0
        for op in self.before.ops:
            if op.line in back:
                if op.exit is not None:
                    op = replace(op, exit=replace(op.exit, origin=guards[op.line]))
                ops.insert(last, op)
            last = next((number + 1 for number, one in enumerate(ops) if one.line == op.line), last)
        return replace(self.after, ops=without_unused(ops, {op.line for op in self.inserted}))


def without_unused(ops: Sequence[Operation], lines: Collection[int]) -> tuple[Operation, ...]:
    """The operations without those of these lines that only compute what nothing uses any more."""
    used: set[Value | None] = set()
    kept: list[Operation] = []
    for op in reversed(ops):
        if op.line in lines and op.op.kind is Kind.PURE and op.op.overflows is None and op.result not in used:
            continue
        used.update(used_by(op))
        kept.append(op)
    return tuple(reversed(kept))


def _with_places(op: Operation, recorded: Operation, group: Collection[Place]) -> Operation:
    """The operation as it was recorded, at those places."""
    if (op.line, "op") in group:
        op = replace(op, op=recorded.op, descr=recorded.descr)
    if (op.line, "args") in group:
        op = replace(op, args=recorded.args)
    args = [
        old if (op.line, k) in group else new for k, (old, new) in enumerate(zip(recorded.args, op.args, strict=False))
    ]
    op = replace(op, args=(*args, *op.args[len(args) :]))
    if op.exit is None or recorded.exit is None:
        return op
    exit_ = op.exit
    if (op.line, "exit") in group:
        return replace(op, exit=Exit(recorded.exit.failargs, exit_.origin, recorded.exit.block))
    handed: list[Value | None] = [
        old if (op.line, len(op.args) + k) in group else new
        for k, (old, new) in enumerate(zip(recorded.exit.failargs or (), exit_.failargs or (), strict=False))
    ]
    return replace(op, exit=Exit(tuple(handed), exit_.origin, exit_.block)) if handed else op


def places_of(one: Operation, two: Operation) -> Iterator[tuple[Place, Value | None, Value | None]]:
    """The places in which operations of one line differ, and the values there."""
    if one.op is not two.op or one.descr != two.descr:
        yield (one.line, "op"), None, None
    if len(one.args) != len(two.args):
        yield (one.line, "args"), None, None
    for k, (old, new) in enumerate(zip(one.args, two.args, strict=False)):
        if old != new:
            yield (one.line, k), old, new
    if one.exit is None or two.exit is None:
        return
    wanted, got = one.exit.failargs, two.exit.failargs
    if one.exit.block != two.exit.block or (wanted is None) != (got is None) or len(wanted or ()) != len(got or ()):
        for value in (*operands(one), *(arg for op in one.exit.block for arg in op.args)):
            yield (one.line, "exit"), value, None
        for value in (*operands(two), *(arg for op in two.exit.block for arg in (op.result, *op.args))):
            yield (one.line, "exit"), None, value
        return
    for k, (live, given) in enumerate(zip(wanted or (), got or (), strict=True)):
        if live != given:
            yield (one.line, len(one.args) + k), live, given


def _used_by_others(trace: Trace, ops: Collection[Operation]) -> set[Value | None]:
    """The values that operations of the trace use that are not among these."""
    lines = {op.line for op in ops}
    return {value for op in all_operations(trace) if op.line not in lines for value in operands(op)}


def text_of(op: Operation) -> tuple[object, ...]:
    return op.op, op.args, op.descr, op.result


# Parts.


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
