"""The parents of bridges: the optimized traces that a run has left at a guard when it comes to a bridge; and their
targets, the peeled loops to whose inner label they jump.

A log prints a guard with its address, and a bridge with that of the guard that it starts at. Addresses are used again,
so the parent is the last trace before the bridge that has the guard, and the target the last one that has the label. A
first reading of the log finds them, and a second one holds them only until their last bridge has come.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile

from optimizer.ir.dialects.pypy_log import Section
from optimizer.ir.dialects.pypy_pairs import LogPair, Parent, Unpaired
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from validator.pypy.printed.lines import NULL, Line, Printed, is_variable, read_printed
from validator.pypy.printed.rows import renaming
from validator.pypy.printed.straight import plain

Place = tuple[str, ...]
"""A place in memory: a field or array, the object, and of an array the index."""

_Texts = tuple[str, ...]

_GUARD = re.compile(r"descr=<Guard(?:0x)?([^>]+)>")
_LABEL = re.compile(r"\s*(?:\+[0-9]+:\s*)?label\(.*descr=(.+)\)")
_LOOP = re.compile(r"# Loop ([0-9]+) ")
_OF_LOOP = re.compile(r"<Loop([0-9]+)>")
_STORE = re.compile(r"\s*set\w+\(.*descr=(.+)\)")
_JUMP = re.compile(r"\s*(?:\+[0-9]+:\s*)?jump\(.*descr=(.+)\)")
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
            self._guards.update((guard, number) for line in section.lines for guard in _GUARD.findall(line))

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


@dataclass(slots=True)
class Targets:
    """The loops of a log to whose inner labels bridges jump, by the numbers of their pairs; 0 is that of a trace that
    has no pair, is not in the log, or is another loop than that to which the recorded bridge goes. `_loops` are the
    numbers that PyPy gives to loops, by their labels; "" of those in a bridge."""

    _targets: dict[int, int] = field(default_factory=dict)
    _last_bridges: dict[int, int] = field(default_factory=dict)
    _labels: dict[str, int | None] = field(default_factory=dict)
    _loops: dict[str, str] = field(default_factory=dict)
    comers: Comers = field(default_factory=lambda: Comers())

    def add(self, item: LogPair | Unpaired, file: str) -> None:
        """Takes in the next pair of the log `file`, or a trace without one."""
        section = item.section if isinstance(item, Unpaired) else item.optimized
        if section.is_recorded:
            return
        labels = [found[1] for line in section.lines if (found := _LABEL.match(line))]
        jump = _last_jump(section)
        loop = _LOOP.match(section.heading)
        self._loops.update(dict.fromkeys(labels, loop[1] if loop else ""))
        self.comers.add(item, section, file, self._labels.get(jump or "") if jump not in labels else None)
        if isinstance(item, Unpaired):
            self._labels.update(dict.fromkeys(labels, 0))
            return
        target = self._labels.get(jump, 0) if jump is not None and jump not in labels else None
        goes_to = _OF_LOOP.fullmatch(_last_jump(item.recorded) or "")
        if goes_to is not None and self._loops.get(jump or "", "") not in ("", goes_to[1]):
            target = 0
        if target is not None:
            self._targets[item.number] = target
            self._last_bridges[target] = item.number
        self._labels.update(dict.fromkeys(labels[:1]))
        self._labels.update(dict.fromkeys(labels[1:], item.number))

    def close(self) -> None:
        """The log has ended: no bridge looks for its label any more."""
        self.comers.guards.clear()
        self._labels.clear()
        self._loops.clear()

    def bridges_to(self, loops: Set[int]) -> set[int]:
        """The bridges that jump to the inner labels of these loops."""
        return {number for number, target in self._targets.items() if target in loops}

    def given(self, items: Iterable[LogPair | Unpaired]) -> Iterator[LogPair | Unpaired]:
        """The same pairs once more, in order, bridges with the loops to whose inner labels they jump."""
        held: dict[int, LogPair] = {}
        for item in items:
            target = self._targets.get(item.number)
            if isinstance(item, LogPair) and target is not None:
                item = replace(item, target=held.get(target), is_target_lost=target not in held)
            yield item
            if isinstance(item, LogPair) and item.number in self._last_bridges:
                held[item.number] = item
            held = {number: pair for number, pair in held.items() if self._last_bridges[number] > item.number}


def _stored_first(recorded: Section) -> frozenset[str]:
    """The memories to which a recorded bridge stores in front of its first position: where it starts, PyPy records what
    resume data does."""
    first = takewhile(lambda line: "debug_merge_point(" not in line, recorded.lines)
    return frozenset(found[1] for line in first if (found := _STORE.match(line)))


@dataclass(frozen=True, slots=True)
class _Trace:
    """An optimized trace: its inputs, the trace and the list of the guard that it starts at, if that is known, and
    whether that stands in a body; the memories to which it stores, and the functions that it calls; the arguments of
    its inner label, or of its jump; and what it has in hand there of memory."""

    inputs: _Texts
    parent: int | None
    given: _Texts
    from_body: bool
    stored: frozenset[str]
    called: frozenset[str]
    args: _Texts
    in_hand: Mapping[Place, str]


@dataclass(slots=True)
class Comers:
    """The traces of a log that come to inner labels of loops from elsewhere, by the numbers of these, and all optimized
    traces, which may be `whole` or lack some that cannot be read; while the log is read, the lists of its guards, and
    which stand behind an inner label."""

    guards: dict[str, tuple[int, _Texts, bool]] = field(default_factory=dict)
    is_whole: bool = True
    _traces: dict[int, _Trace] = field(default_factory=dict)
    _comers: dict[int, list[int]] = field(default_factory=dict)

    def add(self, item: LogPair | Unpaired, section: Section, file: str, loop: int | None) -> None:
        """Takes in the next optimized trace, in that section, and the loop to whose inner label it jumps, if it
        does."""
        if loop:
            self._comers.setdefault(loop, []).append(item.number)
        try:
            printed = read_printed(section, file).without_unused()
        except InputError:  # told where it is judged
            self.is_whole = False
            return
        guard = item.guard if isinstance(item, LogPair) else None
        parent, given, from_body = self.guards.get(guard or "", (None, (), False))
        lines = printed.lines
        labels = [at for at, line in enumerate(lines) if line.name == "label"]
        body = labels[1] if labels[1:] else len(lines)
        self._traces[item.number] = _Trace(
            printed.inputs,
            parent,
            given,
            from_body,
            frozenset(found.memory for line in lines if (found := line.access) and found.is_store),
            frozenset(line.function for line in lines if line.may_write),
            lines[body if labels[1:] else -1].args,
            _in_hand(lines) if loop else {},
        )
        guards = ((at, line) for at, line in enumerate(lines) if line.is_guard)
        self.guards.update(
            (found, (item.number, line.handed, at > body)) for at, line in guards for found in guards_of(line)
        )

    def are_there(self, loop: int) -> bool:
        """Does a trace of the log come to the inner label of that loop from elsewhere?"""
        return loop in self._comers

    def may_change(self, label: Line, place: Place, value: str, leaves: Callable[[str, str], bool]) -> bool:
        """May there be another value in that place at the inner label of a loop than the preamble leaves there? Not in
        memory that no trace of the log writes, as is trusted; else whoever comes to it hands over what it has in hand,
        or what it was handed itself since the label, and nobody has written there."""
        loop = int(label.descr)
        at = {text: number for number, text in enumerate(label.args)}
        memory, *texts = place
        numbers = [at.get(text, -1) for text in (*texts, value)]
        plain = [text for text in (*texts, value) if text not in at]

        def leave_it(traces: Iterable[_Trace]) -> bool:
            return all(
                memory not in trace.stored and all(leaves(function, memory) for function in trace.called)
                for trace in traces
            )

        def vouches(comer: int) -> bool:
            if comer not in self._traces:
                return False
            args, known = self._traces[comer].args, self._traces[comer].in_hand
            left = iter(plain)
            here = [next(left) if number < 0 else args[number] for number in numbers]
            if known.get((memory, *here[:-1])) == here[-1]:
                return True
            way = self._way(comer, loop)
            return bool(way) and leave_it(way) and all(self._is_kept(way, one) for one in numbers if one >= 0)

        comers = self._comers.get(loop, ())
        is_known = not any(map(is_variable, plain)) and all(map(vouches, comers))
        return bool(comers) and not is_known and not (self.is_whole and leave_it(self._traces.values()))

    def _way(self, comer: int, loop: int) -> list[_Trace]:
        """The traces from one that comes to a label back to the loop itself, whose body they have left; empty where
        they do not lead there."""
        way: list[_Trace] = []
        number: int | None = comer
        while number is not None and number in self._traces:
            way.append(self._traces[number])
            if number == loop:
                return way if way[-2].from_body else []
            number = way[-1].parent
        return []

    def _is_kept(self, way: list[_Trace], number: int) -> bool:
        """Is that argument of the label handed over as it was there?"""
        text = way[0].args[number]
        for trace in way[:-1]:
            handed = dict(zip(trace.inputs, trace.given, strict=False))
            if len(trace.inputs) != len(trace.given) or text not in handed:
                return False
            text = handed[text]
        return text == way[-1].args[number]


def guards_of(line: Line) -> list[str]:
    """The addresses in the descr of a guard."""
    found: list[str] = _GUARD.findall(f"descr={line.descr}")
    return found


def _in_hand(lines: tuple[Line, ...]) -> Mapping[Place, str]:
    """The values that a trace has in hand at its end, of places in memory that it has accessed since the last call: the
    constants that its guards have found them to be."""
    known: dict[Place, str] = {}
    found = {line.args[0]: (*line.args, NULL)[1] for line in lines if line.name in ("guard_value", "guard_isnull")}
    for line in lines:
        if line.may_write:
            known.clear()
        elif access := line.access:
            if access.is_store:
                known = {place: value for place, value in known.items() if place[0] != access.memory}
            known[access.memory, *access.place] = found.get(access.value, access.value)
    return known


def _last_jump(section: Section) -> str | None:
    """The descr of the jump at the end of a trace."""
    jumps = [found[1] for line in section.lines if (found := _JUMP.match(line))]
    return jumps[-1] if jumps else None


_KNOWN = "_known_"


def known_in(number: int) -> str:
    """The end of the names of constants of a parent."""
    return f"{_KNOWN}{number}"


def known_as(constant: str) -> str | None:
    """The name that this constant of a parent has where that is the loop that a bridge goes on in (`with_target`);
    None of other constants."""
    name = constant.replace(_KNOWN, "_")
    return None if name == constant else name


@dataclass(frozen=True, slots=True)
class Path:
    """The straight way from a start, where nothing is known, to a guard that fails there: its inputs, operations, and
    the values that the guard hands over; no variable has a higher number than `highest`. An inner label on the way has
    the number of its loop as its descr."""

    inputs: tuple[str, ...]
    lines: tuple[Line, ...]
    handed: tuple[str, ...]
    highest: int = 0


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
    (docs/loops.md). Memory may be another one there (`Targets.may_change`)."""
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
