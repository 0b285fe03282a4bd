"""The parents of bridges: the optimized traces that a run has left at a guard when it comes to a bridge.

A log prints a guard with its address, and a bridge with that of the guard that it starts at. Addresses are used again,
so the parent is the last trace before the bridge that has the guard. A first reading of the log finds parents, and a
second one holds them only until their last bridge has come.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile

from optimizer.ir.dialects.pypy_log import Section
from optimizer.ir.dialects.pypy_pairs import LogPair, Parent, Unpaired
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from validator.pypy.printed.lines import Line, Printed, is_variable, known_in, read_printed
from validator.pypy.printed.rows import renaming
from validator.pypy.printed.straight import plain

Place = tuple[str, ...]
"""A place in memory: a field or array, the object, and of an array the index."""

_Texts = tuple[str, ...]

_GUARD = re.compile(r"descr=<Guard(?:0x)?([^>]+)>")
_STORE = re.compile(r"\s*set\w+\(.*descr=(.+)\)")
OPPOSITES = {
    "guard_true": "guard_false",
    "guard_false": "guard_true",
    "guard_isnull": "guard_nonnull",
    "guard_nonnull": "guard_isnull",
    "guard_no_overflow": "guard_overflow",
    "guard_overflow": "guard_no_overflow",
}
"""Guards, and those that pass where they fail."""


@dataclass(slots=True)
class Parents:
    """The parents of the bridges of a log, by the numbers of their pairs, and what resume data stores there."""

    _parents: dict[int, int] = field(default_factory=dict)
    _resumed: dict[tuple[int, str], frozenset[str]] = field(default_factory=dict)
    _last_bridges: dict[int, int] = field(default_factory=dict)
    _guards: dict[str, int] = field(default_factory=dict)

    def add(self, item: LogPair | Unpaired) -> None:
        """Takes in the next pair of the log, or a trace without one: its guards are others' no more."""
        if isinstance(item, Unpaired):
            self._has_guards(item.number, item.section)
            return
        if item.guard is not None and (parent := self._guards.get(item.guard)) is not None:
            self._parents[item.number] = parent
            self._last_bridges[parent] = item.number
            self._resumed[parent, item.guard] = _stored_first(item.recorded)
        self._has_guards(item.number, item.optimized)

    def resumed(self, number: int, guard: Line) -> frozenset[str] | None:
        """The memories to which resume data stores at that guard of the optimized trace; None where no bridge shows."""
        return next((self._resumed.get((number, found)) for found in _GUARD.findall(f"descr={guard.descr}")), None)

    def _has_guards(self, number: int, section: Section) -> None:
        if not section.is_recorded:
            self._guards.update((guard, number) for guard in guards_in(section))

    def close(self) -> None:
        """The log has ended: no bridge looks for its guard any more."""
        self._guards.clear()

    def given(self, items: Iterable[LogPair | Unpaired]) -> Iterator[LogPair | Unpaired]:
        """The same pairs once more, in order, bridges with their parents."""
        held: dict[int, LogPair] = {}
        for item in items:
            number = self._parents.get(item.number, 0)
            parent = held.get(number)
            if isinstance(item, LogPair) and parent is not None and item.guard is not None:
                left = Parent(parent.number, parent.recorded, parent.optimized, item.guard)
                item = replace(item, parents=(*parent.parents, left))
            yield item
            if isinstance(item, LogPair) and item.number in self._last_bridges:
                held[item.number] = item
            if self._last_bridges.get(number) == item.number:
                held.pop(number, None)


def _stored_first(recorded: Section) -> frozenset[str]:
    """The memories to which a recorded bridge stores in front of its first position: where it starts, PyPy records what
    resume data does."""
    first = takewhile(lambda line: "debug_merge_point(" not in line, recorded.lines)
    return frozenset(found[1] for line in first if (found := _STORE.match(line)))


def guards_in(section: Section) -> Iterator[str]:
    """The addresses of all guards of a trace, be it damaged."""
    return (guard for line in section.lines for guard in _GUARD.findall(line))


def guards_of(line: Line) -> list[str]:
    """The addresses in the descr of a guard."""
    found: list[str] = _GUARD.findall(f"descr={line.descr}")
    return found


@dataclass(frozen=True, slots=True)
class Path:
    """The straight way from a start, where nothing is known, to a guard that fails there: its inputs, operations, and
    the values that the guard hands over; no variable has a higher number than `highest`. An inner label on the way has
    the number of its loop as its descr."""

    inputs: tuple[str, ...]
    lines: tuple[Line, ...]
    handed: tuple[str, ...]
    highest: int = 0

    def behind_labels(self, are_entered: Callable[[int], bool]) -> Path:
        """The way behind the last label to which bridges come, whose numbers are asked for: they may bring others."""
        labels = (at for at, line in enumerate(self.lines) if line.name == "label" and are_entered(int(line.descr)))
        return replace(self, lines=self.lines[max(labels, default=-1) + 1 :])


@lru_cache(maxsize=1)  # a pair is translated up to three times
def path_to(pair: LogPair, file: str) -> Path | None:
    """The way to the guard where a bridge starts; None where the log does not tell it."""
    path: Path | None = None
    try:
        for parent in pair.parents:
            path = _through(parent, read_printed(parent.optimized, file).without_unused(), path)
            if path is None:
                return None
    except InputError:
        return None
    return path


def _through(parent: Parent, printed: Printed, entry: Path | None) -> Path | None:
    """The way through a trace to the guard where it is left. What stands in front of its first label is not on it, and
    then nothing is known of how the trace was entered.

    The way to a guard of a body is that through the preamble, and on, however often the loop went round, and whatever
    bridge came to its label: that is handed what the preamble would have there, if all of these are right
    (docs/loops.md). Memory may be another one there (`Comers.may_change`)."""
    guards = [number for number, line in enumerate(printed.lines) if line.is_guard and parent.guard in guards_of(line)]
    if len(guards) != 1:  # each has a descr of its own
        return None
    number, line = guards[0], printed.lines[guards[0]]
    start = next((at + 1 for at, one in enumerate(printed.lines[:number]) if one.name == "label"), 0)
    number_of = str(parent.number)
    way = tuple(replace(one, descr=number_of) if one.name == "label" else one for one in printed.lines[start:number])
    lines = (*plain(way), *_failing(line))
    if start:
        return _renamed(Path(printed.lines[start - 1].args, lines, line.handed), {}, 0, parent.number)
    path = Path(printed.inputs, lines, line.handed)
    if entry is None:
        return _renamed(path, {}, 0, parent.number)
    if not correspond(entry.handed, path.inputs):
        return None
    rest = _renamed(path, dict(zip(path.inputs, entry.handed, strict=True)), entry.highest + 1, parent.number)
    return Path(entry.inputs, (*entry.lines, *rest.lines), rest.handed, rest.highest)


def correspond(handed: tuple[str, ...], inputs: tuple[str, ...]) -> bool:
    """Are these values that a guard hands over of the types of the bridge's inputs?"""
    return [text[0] for text in handed] == [text[0] for text in inputs]


def _failing(guard: Line) -> Iterator[Line]:
    """The operation that says that the guard fails, where there is one."""
    if guard.name in OPPOSITES:
        yield Line(None, OPPOSITES[guard.name], guard.args)


def _renamed(path: Path, bound: dict[str, str], offset: int, number: int) -> Path:
    """The path with the names that its inputs are bound to, other variables behind the offset, and names of constants
    that no other trace has."""
    rename = renaming(bound, offset, known_in(number))
    lines = tuple(line.renamed(rename) for line in path.lines)
    highest = highest_number((*path.inputs, *(text for line in path.lines for text in (line.result or "", *line.args))))
    return Path(tuple(map(rename, path.inputs)), lines, tuple(map(rename, path.handed)), offset + highest)


def highest_number(texts: Iterable[str]) -> int:
    """The highest number of the variables among these texts."""
    return max((int(text[1:]) for text in texts if text and is_variable(text)), default=0)
