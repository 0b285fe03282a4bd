"""The alignment of two traces: operations that are the same have one line as their name, and their results one name.

Operations are the same that stand in the same order and do the same with the same values; of what is left between
them, events, loads, stores, guards and ends of one kind correspond too, with other operands. A value that only one
trace computes corresponds to one that only the other does where operations that are otherwise the same use them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from difflib import SequenceMatcher
from itertools import zip_longest

from fuzz.edits.walk import each, numbered, operands, variables, with_names
from optimizer.ir.check import inner_label
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import Kind
from optimizer.ir.trace import Exit, Operation, Trace, Value, Var, all_operations


def aligned(before: Trace, after: Trace) -> tuple[Trace, Trace]:
    """Both traces, with a line of its own for each operation, and the same one for those that are the same."""
    before = numbered(before)
    after = numbered(after, len(all_operations(before)))
    alignment = _Alignment(before, after)
    alignment.match()
    after = alignment.with_lines(after)
    return before, with_names(after, _names(before, after, alignment.names))


def with_body_aligned(before: Trace, after: Trace) -> Trace:
    """The optimized one of two aligned traces, where the body of a peeled loop has the lines of what is recorded, too:
    it does that once more, with other values."""
    label = inner_label(after)
    if label is None:
        return after
    alignment = _Alignment(before, after.of(after.ops[label + 1 : -1]))
    alignment.match()
    return alignment.with_lines(after)


def _names(before: Trace, after: Trace, same: dict[Var, Var]) -> dict[Var, Var]:
    """The names of the optimized trace: those of the values of the recorded one that they are, and new ones."""
    taken = {var.name for var in variables(before)} | {var.name for var in variables(after)}
    names: dict[Var, Var] = {}
    used: set[Var] = set()
    for var in variables(after):
        name = same.get(var)
        if name is None or name in used:
            fresh = var.name
            while fresh in taken:
                fresh += "_"
            taken.add(fresh)
            name = Var(fresh, var.type)
        used.add(name)
        names[var] = name
    return names


class _Alignment:
    """The search for operations that are the same. `names` are the values of the recorded trace that those of the
    optimized one are, `pairs` the operations of both that are the same or correspond."""

    def __init__(self, before: Trace, after: Trace) -> None:
        self._before, self._after = before, after
        self._guards = {guard.line: number for number, guard in enumerate(before.guards)}
        self._numbers: dict[tuple[object, ...], int] = {}
        inputs = zip(after.inputs, before.inputs, strict=False)
        self.names: dict[Var, Var] = {new: old for new, old in inputs if new.type is old.type}
        self.pairs: list[tuple[Operation, Operation]] = []

    def match(self) -> None:
        """Matches again as long as that tells of more values which are the same."""
        known = -1
        while len(self.names) > known:
            known = len(self.names)
            self._match_once()

    def with_lines(self, after: Trace) -> Trace:
        """The trace with the lines of the operations of the recorded one that its own are."""
        lines = {mine.line: theirs.line for theirs, mine in self.pairs}
        return each(after, lambda op: replace(op, line=lines.get(op.line, op.line)))

    def _match_once(self) -> None:
        left, self._values = _keyed(self._before, {}, self._numbers, {})
        right, theirs = _keyed(self._after, self.names, self._numbers, self._values)
        self.pairs = []
        self._only: tuple[list[Operation], list[Operation]] = ([], [])
        codes = SequenceMatcher(None, [key for key, _ in left], [key for key, _ in right], autojunk=False)
        for tag, a, b, c, d in codes.get_opcodes():
            mine, other = [op for _, op in left[a:b]], [op for _, op in right[c:d]]
            if tag == "equal":
                for one, two in zip(mine, other, strict=True):
                    self._pair(one, two)
            else:
                self._match_rest(mine, other)
        self._match_moved(theirs)
        self._match_used(theirs)

    def _pair(self, one: Operation, two: Operation) -> None:
        self.pairs.append((one, two))
        if one.result is not None and two.result is not None:
            self.names.setdefault(two.result, one.result)
        if one.exit is not None and two.exit is not None:
            for mine, other in zip(one.exit.block, two.exit.block, strict=False):
                if (mine.op, mine.descr) != (other.op, other.descr):
                    return
                self._pair(mine, other)

    def _match_rest(self, mine: list[Operation], other: list[Operation]) -> None:
        """Matches, in order, the operations that correspond between those that are the same."""
        waiting = list(other)
        gone = {op.result for op in mine}
        for op in mine:
            place = next(
                (k for k, one in enumerate(waiting) if _corresponds(op, one, self._guards.get(op.line), gone)), None
            )
            if place is None:
                self._only[0].append(op)
                continue
            self._pair(op, waiting[place])
            self._only[1].extend(waiting[:place])
            waiting = waiting[place + 1 :]
        self._only[1].extend(waiting)

    def _match_moved(self, theirs: dict[Var, int]) -> None:
        """Matches values that both compute, in another order."""
        free = {self._values[op.result]: op.result for op in self._only[0] if op.result is not None}
        for op in self._only[1]:
            if op.result is not None and op.result not in self.names and theirs[op.result] in free:
                self.names[op.result] = free.pop(theirs[op.result])

    def _match_used(self, theirs: dict[Var, int]) -> None:
        """Matches the values that differ in operations that are otherwise the same."""
        taken = set(self.names.values())
        mine = {op.result for op in self._only[0] if op.result is not None} - taken
        other = {op.result for op in self._only[1] if op.result is not None} - set(self.names)
        pure: dict[tuple[object, ...], list[Operation]] = defaultdict(list)
        for op in self._only[0]:
            pure[op.op, op.descr].append(op)
        likely = [(one, op) for op in self._only[1] for one in pure[op.op, op.descr]]
        for one, two in (*self.pairs, *likely):
            differing = [
                (old, new)
                for old, new in zip_longest(operands(one), operands(two))
                if not self._is_same(old, new, theirs)
            ]
            if (one, two) in likely and not all(old in mine and new in other for old, new in differing):
                continue
            for old, new in differing:
                if not isinstance(old, Var) or not isinstance(new, Var) or old.type is not new.type:
                    continue
                if old in mine and new in other:
                    self.names[new] = old
                    mine.discard(old)
                    other.discard(new)

    def _is_same(self, old: Value | None, new: Value | None, theirs: dict[Var, int]) -> bool:
        if isinstance(old, Var) and isinstance(new, Var):
            return old in self._values and new in theirs and self._values[old] == theirs[new]
        return old == new


def _corresponds(one: Operation, two: Operation, guard: int | None, gone: Collection[Var | None]) -> bool:
    """May the second operation be what the first became, which is that guard if it is one? One that only computes is so
    if it is given something else for what is `gone`."""
    if one.op.kind is Kind.END or two.op.kind is Kind.END:
        return one.op.kind is two.op.kind
    if one.exit is not None and two.exit is not None:
        return two.exit.origin == guard if two.exit.origin is not None else one.op is two.op
    if one.op is not two.op or one.descr != two.descr:
        return False
    return one.op.kind is not Kind.PURE or all(
        old == new or old in gone for old, new in zip(one.args, two.args, strict=True)
    )


def _keyed(
    trace: Trace, names: dict[Var, Var], numbers: dict[tuple[object, ...], int], known: dict[Var, int]
) -> tuple[list[tuple[int, Operation]], dict[Var, int]]:
    """The operations of a trace, each with the number of what it does, and the numbers of its values."""
    values: dict[Var, int] = {}
    times: Counter[tuple[object, ...]] = Counter()
    for place, var in enumerate(trace.inputs):
        values[var] = numbers.setdefault(("input", place, var.type), len(numbers))
    guard = 0

    def key_of(op: Operation) -> int:
        nonlocal guard
        args: tuple[object, ...] = tuple(values.get(arg, str(arg)) if isinstance(arg, Var) else arg for arg in op.args)
        if op.op.commutative:
            args = tuple(sorted(args, key=repr))
        key: tuple[object, ...] = (op.op.name, op.descr, args)
        if op.op.kind is not Kind.PURE and op.result is not None:
            times[key] += 1
            key = (*key, times[key])
        if op.exit is not None:
            for inner in op.exit.block:
                key_of(inner)
            origin = op.exit.origin
            key = (*key, "guard", guard if origin is None else origin)
            guard += 1
        number = numbers.setdefault(key, len(numbers))
        if op.result is not None:
            same = known.get(names[op.result]) if op.result in names else None
            values[op.result] = number if same is None else same
        return number

    return [(key_of(op), op) for op in trace.ops], values


def shared_lines(before: Trace, after: Trace) -> Iterator[tuple[Operation, Operation]]:
    """The operations of both traces that have one line, as they stand in the recorded one."""
    others = {op.line: op for op in reversed(all_operations(after))}
    return ((op, others[op.line]) for op in all_operations(before) if op.line in others)


def is_same(one: Operation, two: Operation) -> bool:
    """Do both do the same, wherever guards say that they come from?"""
    return (one.op, one.args, one.descr, one.result) == (two.op, two.args, two.descr, two.result) and (
        _handed(one.exit) == _handed(two.exit)
    )


def _handed(exit_: Exit | None) -> object:
    return None if exit_ is None else (exit_.failargs, exit_.block)
