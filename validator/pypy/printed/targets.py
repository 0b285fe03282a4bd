"""Targets of bridges: the peeled loops to whose inner label they jump, and what memory holds there.

Whoever comes to a label hands over what the preamble has there. Memory may be another one: of that, what PyPy's
optimizer knows behind the label each of them has to vouch for. As with parents, the target of a bridge is the last
trace before it that has the label.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field

from optimizer.ir.dialects.pypy_log import Section
from optimizer.ir.dialects.pypy_pairs import Kind, LogPair, Unpaired
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from validator.pypy.printed.lines import NULL, Line, is_pointer, is_variable, known_as, known_in, read_printed
from validator.pypy.printed.parents import Place, guards_in, guards_of

_Texts = tuple[str, ...]
_Leaves = Callable[[str, str], bool]
"""Is it known that a function leaves a memory as it is?"""

_LABEL = re.compile(r"\s*(?:\+[0-9]+:\s*)?label\(.*descr=(.+)\)")
_LOOP = re.compile(r"# Loop ([0-9]+) ")
_OF_LOOP = re.compile(r"<Loop([0-9]+)>")
_JUMP = re.compile(r"\s*(?:\+[0-9]+:\s*)?jump\(.*descr=(.+)\)")
_BYTES, _ANY = "gc_store", "any memory"
"""A store at an offset may be to whatever memory."""

_CLASS, _OBJECT, _VALUE = "record_exact_class", "assert_not_none", "record_exact_value_"
"""The names of statements on values."""


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
        self._labels.update(dict.fromkeys(labels[:1], 0 if item.kind is Kind.BRIDGE else None))
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


def _last_jump(section: Section) -> str | None:
    """The descr of the jump at the end of a trace."""
    jumps = [found[1] for line in section.lines if (found := _JUMP.match(line))]
    return jumps[-1] if jumps else None


@dataclass(frozen=True, slots=True)
class _Done:
    """The work of a trace since it began, or was at a label: the memories to which it has stored, but for objects that
    it has made since, the functions that it has called, and what it has in hand: what is in a place, the constant that
    a guard has found that to be, if one has, and the functions called since; the places that it has loaded for such a
    guard, and what it has `found` of values: statements as facts are, `_ANY` class of what it has made."""

    stored: frozenset[str]
    called: frozenset[str]
    in_hand: Mapping[Place, tuple[str, str | None, frozenset[str]]]
    asked: Set[Place]
    found: Mapping[str, Set[tuple[str, str]]]

    def has(self, place: Place, value: str, leaves: _Leaves, *, is_of_loop: bool) -> bool:
        """Is that value in this place?"""
        held, found, since = self.in_hand.get(place, ("", None, frozenset()))
        is_one = value == held or (found is not None and _are_one(found, value, is_of_loop=is_of_loop))
        return is_one and all(leaves(function, place[0]) for function in since)

    def shows(self, name: str, statement: Line, *, is_of_loop: bool) -> bool:
        """Is it known that the statement holds of that value? Of which class a constant is no log tells."""
        told, asked = self.found.get(name, frozenset[tuple[str, str]]()), (*statement.args, "")[1]
        constants = [name] if not is_variable(name) else [text for what, text in told if what == _VALUE]
        if statement.name.startswith(_VALUE):
            return any(_are_one(text, asked, is_of_loop=is_of_loop) for text in constants)
        classes = {text for what, text in told if what == _CLASS}
        if statement.name == _CLASS and not classes <= {asked, _ANY}:
            return False
        if any(map(is_pointer, constants)):
            return True
        if statement.name == _OBJECT:
            return any(text != NULL for _, text in told)
        return not told.isdisjoint({(_CLASS, asked), (_CLASS, _ANY)})

    def leaves(self, memory: str, leaves: _Leaves) -> bool:
        return self.stored.isdisjoint((memory, _ANY)) and all(leaves(function, memory) for function in self.called)


@dataclass(frozen=True, slots=True)
class _Exit:
    """A guard or the end of a trace, where it is left: the number of the trace, what it hands over, whether it has been
    at its inner label, and what it has done."""

    trace: int
    handed: _Texts
    is_in_body: bool
    done: _Done


@dataclass(frozen=True, slots=True)
class _Trace:
    """An optimized trace: its inputs, and where the trace is left that it begins behind, if that is known; its inner
    label, if it has one, where the preamble is left; its end; and all the memories to which it stores, and functions
    that it calls."""

    inputs: _Texts
    start: _Exit | None
    label: _Exit | None
    end: _Exit
    whole: _Done


@dataclass(slots=True)
class Comers:
    """The traces of a log that come to inner labels of loops from elsewhere, by the numbers of these, and all optimized
    traces, which may be `whole` or lack some that cannot be read; while the log is read, its guards."""

    guards: dict[str, _Exit | None] = field(default_factory=dict)
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
            printed = None
        if printed is None or not printed.lines:
            self.is_whole = False
            for found in guards_in(section):
                self.guards.pop(found, None)
            return
        is_loop = isinstance(item, LogPair) and item.kind is not Kind.BRIDGE
        exits = list(_exits(printed.lines, item.number, is_loop=is_loop))
        stored = (memory for line in printed.lines if (memory := _stored(line)))
        called = (line.function for line in printed.lines if line.may_write)
        self._traces[item.number] = _Trace(
            printed.inputs,
            self.guards.get(item.guard or "") if isinstance(item, LogPair) else None,
            next((exit_ for line, exit_ in exits if line.name == "label"), None),
            exits[-1][1],
            _Done(frozenset(stored), frozenset(called), {}, frozenset(), {}),
        )
        times = Counter(found for line, _ in exits for found in guards_of(line))
        for found, exit_ in ((found, exit_) for line, exit_ in exits for found in guards_of(line)):
            self.guards[found] = exit_ if times[found] == 1 else None

    def are_there(self, loop: int) -> bool:
        """Does a trace of the log come to the inner label of that loop from elsewhere?"""
        return loop in self._comers

    def behind(self, numbers: Set[int]) -> set[int]:
        """The traces of these numbers, those that they begin behind, those that come to the labels of any, and so on:
        what comes to a label is what it is if all of these are right."""
        waiting, found = [*numbers], set[int]()
        while waiting:
            number = waiting.pop()
            if number not in found:
                found.add(number)
                start = self._traces[number].start if number in self._traces else None
                waiting += [*self._comers.get(number, ()), *([start.trace] if start else [])]
        return found

    def may_change(self, label: Line, place: Place, value: str, leaves: _Leaves, *, is_fixed: bool = False) -> bool:
        """May there be another value in that place at the inner label of a loop than the preamble leaves there? Not in
        memory that no trace of the log writes, as is trusted; else whoever comes to it vouches for what it has in hand,
        or the trace had that it began behind, and so on, or what was there at the label, and nobody has written
        since. `is_fixed`: stores to it are to new objects alone."""
        memory, *objects = place
        is_asked = self._is_asked(label, place)

        def has(exit_: _Exit, names: list[str], is_of_loop: bool) -> bool:
            is_exact = is_of_loop or not is_asked
            return exit_.done.has((memory, *names[:-1]), names[-1], leaves, is_of_loop=is_exact)

        def leaves_it(exit_: _Exit) -> bool:
            return is_fixed or exit_.done.leaves(memory, leaves)

        is_left = self.is_whole and all(trace.whole.leaves(memory, leaves) for trace in self._traces.values())
        return not is_left and not self._vouch(label, (*objects, value), has, leaves_it)

    def _is_asked(self, label: Line, place: Place) -> bool:
        """Has the preamble asked, by a guard, what is in that place? Then each iteration does."""
        own = self._traces.get(int(label.descr))
        if own is None or own.label is None or len(own.label.handed) != len(label.args):
            return False
        names = dict(zip(label.args, own.label.handed, strict=True))
        return tuple(names.get(text, text) for text in place) in own.label.done.asked

    def has_found(self, label: Line, statement: Line) -> bool:
        """Has whoever comes to a label found what this says of one of its arguments: that it is of a class, not NULL,
        or a constant?"""

        def shows(exit_: _Exit, names: list[str], is_of_loop: bool) -> bool:
            return exit_.done.shows(names[0], statement, is_of_loop=is_of_loop)

        return self._vouch(label, statement.args[:1], shows, lambda _: True)

    def _vouch(
        self,
        label: Line,
        texts: _Texts,
        holds: Callable[[_Exit, list[str], bool], bool],
        keeps: Callable[[_Exit], bool],
    ) -> bool:
        """Do all that come to the label vouch for what `holds` of these texts where a trace is left? One that `keeps`
        it may leave that to the one that it begins behind, and one that has left a body to the label of that loop, for
        which its preamble vouches, too, and whoever comes there."""
        loop, asked = int(label.descr), set[tuple[int, _Texts]]()

        def is_there(exit_: _Exit, names: _Texts) -> bool:
            is_of_loop = exit_.trace == loop
            own = [text.replace(known_in(loop), "") for text in names] if is_of_loop else [*names]
            return holds(exit_, own, is_of_loop)

        def is_at_label(number: int, args: _Texts, texts: _Texts) -> bool:
            at = {text: place for place, text in enumerate(args)}
            asked.add((number, texts))
            is_taken = all(text in at for text in texts if is_variable(text))
            return is_taken and all(vouches(comer, at, texts) for comer in self._comers.get(number, ()))

        def vouches(comer: int, at: Mapping[str, int], texts: _Texts) -> bool:
            exit_ = self._traces[comer].end if comer in self._traces else None
            if exit_ is None or len(exit_.handed) != len(at):
                return False
            names = tuple(exit_.handed[at[text]] if text in at else text for text in texts)
            while exit_ is not None and not is_there(exit_, names):
                if not keeps(exit_):
                    return False
                if exit_.is_in_body:
                    return is_known(exit_.trace, names)
                exit_, names = self._behind(exit_.trace, names)
            return exit_ is not None

        def is_known(number: int, names: _Texts) -> bool:
            start = self._traces[number].label
            if start is None:
                return False
            is_asked = (number, names) in asked  # of each that has come there before
            return is_asked or (is_there(start, names) and is_at_label(number, start.handed, names))

        own = self._traces[loop].label if loop in self._traces else None
        if loop not in self._comers or own is None or len(own.handed) != len(label.args):
            return loop not in self._comers
        renamed = dict(zip(label.args, own.handed, strict=True))
        is_taken = all(text in renamed for text in texts if is_variable(text))
        return is_taken and is_at_label(loop, own.handed, tuple(renamed.get(text, text) for text in texts))

    def _behind(self, number: int, names: _Texts) -> tuple[_Exit | None, _Texts]:
        """The exit behind which the trace of that number begins, and the names that these values have there; None where
        they are not handed over. The constants of the trace have other names there."""
        trace = self._traces[number]
        if trace.start is None or len(trace.inputs) != len(trace.start.handed):
            return None, names
        handed = dict(zip(trace.inputs, trace.start.handed, strict=True))
        is_known = all(name in handed for name in names if is_variable(name) or _is_own(name))
        return (trace.start if is_known else None), tuple(handed.get(name, name) for name in names)


def _is_own(text: str) -> bool:
    """Is it a constant object by the name that the trace has for it?"""
    return is_pointer(text) and known_as(text) is None


def _stored(line: Line) -> str:
    """The memory to which the operation stores; "" if it does not."""
    access = line.access
    return _ANY if line.name.startswith(_BYTES) else access.memory if access and access.is_store else ""


def _are_one(found: str, asked: str, *, is_of_loop: bool) -> bool:
    """May the constant that a trace has found be that of the loop? Constant objects of other traces have other names:
    which one it is for which a guard of a bridge asks shows its own proof."""
    return found == asked or (not is_of_loop and is_pointer(found) and is_pointer(asked))


def _exits(lines: tuple[Line, ...], number: int, *, is_loop: bool) -> Iterator[tuple[Line, _Exit]]:
    """The guards of the trace of that number, and its end, each with what is known of leaving there. The first label of
    a loop is none of those that take what its preamble has found."""
    labels = [line for line in lines if line.name == "label"]
    stored, called = set[str](), list[str]()
    known: dict[Place, tuple[str, int]] = {}
    loaded = set[Place]()
    found = defaultdict[str, set[tuple[str, str]]](set)
    born, new = dict[str, int](), set[str]()  # since the last label: what stands in front is older than all
    is_in_body = False
    for at, line in enumerate(lines):
        is_label = is_loop and line in labels[1:2]
        access, memory = line.access, _stored(line)
        if line.result:
            born[line.result] = at
            new |= {line.result} if line.name.startswith("new") else set()
        if line.may_write:
            called.append(line.function)
        elif memory and access and access.place[0] in new:
            since = born[access.place[0]]
            known = {p: held for p, held in known.items() if p[0] != memory or born.get(p[1], -1) < since}
        elif memory:
            stored.add(memory)
            known = {place: held for place, held in known.items() if memory not in (_ANY, place[0])}
        if access:
            known[access.memory, *access.place] = access.value, len(called)
            (loaded.discard if access.is_store else loaded.add)((access.memory, *access.place))
        if line.is_guard or is_label or line is lines[-1]:
            handed = line.handed if line.is_guard else line.args
            in_hand = {
                place: (value, _constant(found[value]), frozenset(called[since:]))
                for place, (value, since) in known.items()
                if not any(is_variable(text) for text in place[1:] if text not in handed)
            }
            told = {text: frozenset(found[text]) for text in handed if text in found}
            asked = {place for place in loaded & in_hand.keys() if in_hand[place][1] is not None}
            done = _Done(frozenset(stored), frozenset(called), in_hand, asked, told)
            yield line, _Exit(number, handed, is_in_body, done)
        for name, statement in _shown(line):
            found[name].add(statement)
        if line.name == "label":  # others may come there, too
            is_in_body |= line is not labels[0] or not is_loop
            for one in (stored, called, known, loaded, found, born, new):
                one.clear()


def _shown(line: Line) -> Iterator[tuple[str, tuple[str, str]]]:
    """The values of which the operation shows something behind it, with that."""
    if line.name in ("guard_class", "guard_nonnull_class", _CLASS):
        yield line.args[0], (_CLASS, line.args[1])
    elif line.name in ("guard_value", "guard_isnull") or line.name.startswith(_VALUE):
        yield line.args[0], (_VALUE, (*line.args, NULL)[1])
    elif line.name in ("guard_nonnull", _OBJECT):
        yield line.args[0], (_OBJECT, "")
    elif line.name.startswith("new") and line.result:
        yield line.result, (_CLASS, _ANY) if line.name == "new_with_vtable" else (_OBJECT, "")
    elif access := line.access:
        yield access.place[0], (_OBJECT, "")


def _constant(statements: Set[tuple[str, str]]) -> str | None:
    return next((text for what, text in statements if what == _VALUE), None)
