"""Effects of calls that PyPy knows and a log does not say, inferred from the work of its optimizer.

Where the recorded trace accesses a field in front of a call and loads it behind it, and the optimized one has no load
there, the optimizer relied on the call not writing the field; where a store in front of the call is done behind it, on
the call not reading it. Each is an assumption with a name. It must be consistent over a log: where the optimizer loads
a field that it has just had in hand again, only because of a call between, that function writes the field.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from validator.pypy.lines import Line
from validator.pypy.sameness import AFTER, BEFORE, Node, Sameness
from validator.pypy.straight import Sides

_MAY_WRITE = 2
"""The classes of effects from here on but for the elidable ones may write memory."""

Place = tuple[str, tuple[Node, ...]]


@dataclass(frozen=True, slots=True, order=True)
class Effect:
    """The function (as `Line.function`) does not do this (`reads` or `writes`) to this memory."""

    function: str
    verb: str
    memory: str

    def __str__(self) -> str:
        does = {"reads": "read", "writes": "write"}[self.verb]
        return f"call {self.function} does not {does} {self.memory}"


@dataclass(slots=True)
class Evidence:
    """Statements of the pairs of a log on effects, each with the numbers of the pairs that say so."""

    relied_on: dict[Effect, set[int]] = field(default_factory=dict)
    denied: dict[Effect, set[int]] = field(default_factory=dict)

    def add(self, number: int, sides: Sides, sameness: Sameness) -> None:
        """Takes in the pair of that number."""
        before = _Trace(BEFORE, sides.before.lines, sameness)
        after = _Trace(AFTER, sides.after.lines, sameness)
        for effect in after.loaded_again():
            self.denied.setdefault(effect, set()).add(number)
        for effect in _relied_on(before, after):
            self.relied_on.setdefault(effect, set()).add(number)

    def assumed(self) -> frozenset[Effect]:
        """The effects that the optimizer relied on, without those that it denied elsewhere."""
        return frozenset(self.relied_on.keys() - self.denied.keys())


def may_write(line: Line) -> bool:
    return line.is_call and line.effect >= _MAY_WRITE and line.effect not in (3, 4)


@dataclass(frozen=True, slots=True)
class _Done:
    at: int
    is_store: bool
    place: Place
    value: Node


class _Trace:
    """The accesses and the calls of one trace, by their places."""

    def __init__(self, trace: str, lines: tuple[Line, ...], sameness: Sameness) -> None:
        self.calls = [(at, line.function) for at, line in enumerate(lines) if may_write(line)]
        self.accesses = [
            _Done(at, found.is_store, (found.memory, places), sameness.of(trace, found.value))
            for at, line in enumerate(lines)
            if (found := line.access)
            for places in [tuple(sameness.of(trace, part) for part in found.place)]
        ]

    def again(self) -> Iterator[tuple[_Done, _Done]]:
        """Each load of a place that the trace has accessed already, with that access; stores to other places of the
        same memory may have changed it, and end that."""
        last: dict[Place, _Done] = {}
        for done in self.accesses:
            if not done.is_store and done.place in last:
                yield last[done.place], done
            if done.is_store:
                last = {place: other for place, other in last.items() if place[0] != done.place[0]}
            last[done.place] = done

    def loaded_again(self) -> Iterator[Effect]:
        """Functions that write a memory, since it is loaded again behind one call of them and nothing else."""
        for first, second in self.again():
            between = [function for at, function in self.calls if first.at < at < second.at]
            if len(between) == 1:
                yield Effect(between[0], "writes", second.place[0])


def _relied_on(before: _Trace, after: _Trace) -> Iterator[Effect]:
    calls = list(_aligned(before.calls, after.calls))
    for first, second in before.again():
        between = [(there, function) for here, there, function in calls if first.at < here < second.at]
        if not between:
            continue
        end = min((there for here, there, _ in calls if here > second.at), default=None)
        loads = (done.at for done in after.accesses if not done.is_store and done.place == second.place)
        if not any(between[0][0] < at and (end is None or at < end) for at in loads):
            yield from (Effect(function, "writes", second.place[0]) for _, function in between)
    for store in before.accesses:
        if store.is_store:
            yield from _put_off(store, before, after, calls)


def _put_off(store: _Done, before: _Trace, after: _Trace, calls: list[tuple[int, int, str]]) -> Iterator[Effect]:
    """The calls that the optimized trace does before it does this store."""
    ends = [done.at for done in before.accesses if done.is_store and done.place == store.place and done.at > store.at]
    end = min(ends, default=None)
    done_at = [
        done.at for done in after.accesses if done.is_store and (done.place, done.value) == (store.place, store.value)
    ]
    for here, there, function in calls:
        if here > store.at and (end is None or here < end) and not any(at < there for at in done_at):
            yield Effect(function, "reads", store.place[0])


def _aligned(before: list[tuple[int, str]], after: list[tuple[int, str]]) -> Iterable[tuple[int, int, str]]:
    """The calls of both traces that correspond, in order: their places, and the function."""
    start = 0
    for at, function in before:
        for number in range(start, len(after)):
            if after[number][1] == function:
                yield at, after[number][0], function
                start = number + 1
                break
