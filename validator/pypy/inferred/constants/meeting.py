"""Values and constants that stand at the same place of both traces of a row, which are taken to be one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Set
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

from validator.pypy.inferred.constants.made import Made
from validator.pypy.inferred.held import Node
from validator.pypy.inferred.numbering import PURE_FIELD
from validator.pypy.printed.calls.functions import touches_nothing
from validator.pypy.printed.lines import NULL, Line, is_pointer, is_variable
from validator.pypy.printed.rows import Position, Rows
from validator.pypy.printed.straight import AFTER, BEFORE, Sides

if TYPE_CHECKING:
    from validator.pypy.inferred.sameness import Sameness

_NO_MEETING = ("same_as_r", "quasiimmut_field")

_Waiting = tuple[str, Node | None, Position, int]
"""A constant of the recorded trace, what the operation gives that has it, where that stands, and its number."""


class Meeting:
    """Makes one of what stands at the same place of guards, calls, stores and ends of the traces of these rows."""

    def __init__(self, sameness: Sameness, rows: Rows) -> None:
        self._sameness = sameness
        self._rows = rows
        self._of = sameness.of

    def meet(self, sides: Sides) -> None:
        """Joins what stands at the same place of both traces, where a bridge's calls are none of its loop."""
        before, after = sides.before.lines, sides.after.lines
        self._meet_in_order(*([line for line in lines if line.name == "guard_value"] for lines in (before, after)))
        recorded, optimized = self._rows.ends(sides)
        for parts in ((before[:recorded], after[:optimized]), (before[recorded:], after[optimized:])):
            self._meet_in_order(*([line for line in lines if line.is_call] for lines in parts))
        if before and after:
            self._meet_args(before[-1].args, after[-1].args)
        self.meet_stores(before, after)

    def meet_stores(self, before: tuple[Line, ...], after: tuple[Line, ...]) -> None:
        """Joins what both traces store to one place in turn: the last, unless they do so as often."""
        left = self._stores(AFTER, after)
        memories = {memory for memory, _ in left}
        stored = self._stores(BEFORE, (line for line in before if line.descr in memories))
        for key, values in left.items():
            others = stored.get(key, [])
            if len(others) == len(values):
                self._meet_args(others[:-1], values[:-1], is_compared=False)
            self._meet_args(others[-1:], values[-1:])

    def meet_constants(self, sides: Sides, *, are_stored: bool) -> None:
        """Joins the constants that both traces store to the same place, or with which they do else the same to the
        same, at the same position, or else in order; but an operation that gives what the optimized trace has elsewhere
        is gone there. A store may be put off, but not over a guard."""
        before, after = sides.before.lines, sides.after.lines
        held = {self._of(BEFORE, line.result or "") for line in before if self._loads_constant(line)}
        alone = {BEFORE: self._constants(BEFORE, before) | held, AFTER: self._constants(AFTER, after)}
        uses = Counter(arg for line in after for arg in line.args)
        both = alone[BEFORE] & alone[AFTER]
        if both == alone[AFTER]:
            return
        ends = self._rows.ends(sides)
        met = [self._constants(AFTER, part) & both for part in (after[: ends[1]], after[ends[1] :])]
        waiting: dict[object, list[_Waiting]] = {}
        recorded, optimized = self._results(BEFORE, before), self._results(AFTER, after)
        unmet = (alone[BEFORE] ^ alone[AFTER]) | (recorded ^ optimized)
        there = optimized | {self._of(AFTER, arg) for line in after for arg in line.args}
        ahead = self._next_guards(before, after) if are_stored else []
        for trace, lines, positions in zip((BEFORE, AFTER), (before, after), self._rows.positions(sides), strict=True):
            told = Made(lines, partial(self._of, trace), recorded & optimized).told
            roughly = Made(lines, partial(self._unless, unmet, trace), recorded & optimized).told
            for number, (line, position) in enumerate(zip(lines, positions, strict=True)):
                has_met = met[number >= ends[0]] if trace == BEFORE else both
                value = len(line.args) - 1 if line.access and line.access.is_store else None
                for place, arg in enumerate(line.args):
                    if are_stored != (place == value):
                        continue
                    node = self._of(trace, arg)
                    is_stored_to = line.name == "setfield_gc" and not place  # be it one of those that both have
                    may_meet = node not in has_met or is_stored_to or (trace == BEFORE and node in held)
                    if node not in alone[trace] or line.name in _NO_MEETING or not may_meet:
                        continue
                    telling = roughly if is_stored_to else told
                    rest = tuple("" if at == place else telling(other) for at, other in enumerate(line.args))
                    key = (line.name, line.descr, place, rest)
                    result = self._of(trace, line.result) if line.result else None
                    if trace == BEFORE:
                        waiting.setdefault(key, []).append((arg, result, position, number))
                        continue
                    same = waiting.get(key, [])
                    left = [at for at, (_, gives, _, _) in enumerate(same) if gives == result or gives not in there]
                    if uses[arg] > 1:  # the names of two uses of what a constant holds are two
                        left = [at for at in left if self._of(BEFORE, same[at][0]) not in held]
                    if node in both:
                        left = [at for at in left if self._of(BEFORE, same[at][0]) == node]
                    here = [at for at in left if _is_at(same[at][2], position, is_stored_to)]
                    last = [at for at in left if _is_ahead(same[at], position, ahead[number])] if are_stored else []
                    if left:
                        self._meet_args((same.pop((last[-1:] or here or left)[0])[0],), (arg,))

    def _next_guards(self, before: tuple[Line, ...], after: tuple[Line, ...]) -> list[int]:
        """For each optimized line the number of the recorded guard that is the next one behind it, up to which the
        optimizer may have put off a store; 0 where that is not found."""
        recorded: dict[tuple[str, Node], int] = {}
        for number, line in enumerate(before):
            if line.is_guard and line.args and (node := self._of(BEFORE, line.args[0]))[0]:
                recorded.setdefault((line.name, node), number)
        found, coming = [0] * len(after), 0
        for number in reversed(range(len(after))):
            found[number], line = coming, after[number]
            if line.is_guard:
                names = [line.name, *(["guard_nonnull"] if line.name == "guard_nonnull_class" else [])]
                nodes = [self._of(AFTER, arg) for arg in line.args[:1]]
                coming = next((recorded[one] for one in product(names, nodes) if one in recorded), 0)
        return found

    def _unless(self, unmet: Set[Node], trace: str, text: str) -> Node | None:
        node = self._of(trace, text)
        return None if node in unmet else node

    def _loads_constant(self, line: Line) -> bool:
        """Does the recorded trace load from a constant there what does not change, which is one, too?"""
        return (
            line.name == "getfield_gc_r"
            and line.descr.endswith(PURE_FIELD)
            and self._of(BEFORE, line.args[0]) in self._sameness.constant
        )

    def _constants(self, trace: str, lines: tuple[Line, ...]) -> set[Node]:
        return {self._of(trace, arg) for line in lines for arg in line.args if is_pointer(arg)}

    def _results(self, trace: str, lines: tuple[Line, ...]) -> set[Node]:
        return {self._of(trace, line.result) for line in lines if line.result}

    def _meet_in_order(self, before: list[Line], after: list[Line]) -> None:
        start = 0
        for line in after:
            for number in range(start, len(before)):
                if self._correspond(before[number], line):
                    is_compared = line.is_guard or line.may_write
                    self._meet_args(before[number].called_with, line.called_with, is_compared=is_compared)
                    if (one := before[number].result) and (other := line.result):
                        self._meet_args((one,), (other,), is_compared=is_compared)
                    start = number + 1
                    break

    def _correspond(self, before: Line, after: Line) -> bool:
        if before.is_call:  # one that does nothing may be gone, and the next of its kind stand for another
            is_same = len(before.called_with) == len(after.called_with) and before.function == after.function
            return is_same and not touches_nothing(before.function)
        return self._of(BEFORE, before.args[0]) == self._of(AFTER, after.args[0])

    def _meet_args(self, before: Iterable[str], after: Iterable[str], *, is_compared: bool = True) -> None:
        """Joins what stands at such a place. Where a proof does not compare what is there, an operation may be left
        out, and the next stand in its place: two recorded values stay two."""
        for one, other in zip(before, after, strict=False):
            nodes = self._of(BEFORE, one), self._of(AFTER, other)
            may_meet = is_compared or not self._sameness.are_recorded(*nodes)
            if may_meet and ("", NULL) not in nodes and (is_pointer(other) or is_variable(other)):
                self._sameness.meet(one, other)

    def _stores(self, trace: str, lines: Iterable[Line]) -> Mapping[tuple[str, tuple[Node, ...]], list[str]]:
        """The values that are stored to each place, in order."""
        found = defaultdict[tuple[str, tuple[Node, ...]], list[str]](list)
        for store in (line.access for line in lines):
            if store and store.is_store:
                found[store.memory, tuple([self._of(trace, part) for part in store.place])].append(store.value)
        return found


def _is_ahead(recorded: _Waiting, optimized: Position, guard: int) -> bool:
    """May the optimizer have put off the recorded store up to that position, which is in front of the recorded guard of
    that number, or of one that is not known if that is 0?"""
    _, _, (part, passed), number = recorded
    if guard:
        return number < guard
    return part == optimized[0] and passed is not None and optimized[1] is not None and passed <= optimized[1]


def _is_at(recorded: Position, optimized: Position, is_stored_to: bool) -> bool:
    """Is it that position? A store may be put off, but into no other part."""
    return recorded[0] == optimized[0] if is_stored_to else recorded == optimized
