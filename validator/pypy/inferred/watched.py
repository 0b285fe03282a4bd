"""Quasi-immutable fields of constants that only the optimizer knows to be constants.

Where the tracer knows a constant, it looks its quasi-immutable fields up, and no load is recorded. Behind a call it may
have lost that the object in a frame, or in a new object, is a constant. Then it records the watch, the load and guards
on what is there. PyPy's optimizer, which has forwarded the constant, looks the field up in the same way
(`optimize_QUASIIMMUT_FIELD` in heap.py), and the guards are gone.

The recorded trace has run, so these guards tell what was in the field, which holds wherever the code is valid. It is
said right in front of each of them, and where the trace jumps, of the constant itself, where `guard_not_invalidated`
has passed and no call has come since. Where what became of that trace loads that field of any object, the optimizer may
not have known the constant, and may watch nothing: then nothing is said, unless it has found each such object to be a
constant by then, in front of the load. What is found to be a constant behind the watch is not watched, but an input
with which a loop goes round that was peeled: by the next iteration it is known.

What constants hold in fields and items that never change are constants, too, and what a function gives of such ones
that gives the same each time: so `super()` finds a method. Where the optimized trace calls that function nowhere, it
does not raise, since it has not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from math import inf

from optimizer.ir.immutable import replace
from validator.pypy.inferred.executed import LASTING, never_raising, statement
from validator.pypy.inferred.fields import is_pure
from validator.pypy.inferred.numbering import Preserved
from validator.pypy.inferred.sameness import FIND_OUT, FINDINGS, Node, Sameness, sameness_in, sameness_unless_found
from validator.pypy.printed.lines import Line, Printed, is_float, is_pointer
from validator.pypy.printed.straight import BEFORE, Sides

WATCHED = "fields of constants that are watched hold what the recorded trace has found in them, while code is valid"


def with_watched(
    sides: Sides, whole: Sides, leaves: Preserved, is_fixed: Callable[[str], bool]
) -> tuple[Sides, tuple[str, ...]]:
    """The pair whose recorded trace, with that of the loop that it jumps to, says what it has found in such fields; and
    what is assumed for that. The `whole` pair has all that the optimized traces load."""
    names = sides.new_numbers()

    def told(recorded: Printed, optimized: Printed) -> Printed:
        if not any(line.name == "quasiimmut_field" for line in recorded.lines):
            return recorded
        loaded = _found_behind(optimized)
        called = {line.function for line in optimized.lines if line.is_call}
        known = sameness_in(recorded, leaves), sameness_unless_found(recorded, leaves)
        later = _known_later(recorded, optimized, known[1])
        watch = _Watch(*known, recorded, loaded, called, is_fixed, names, later)
        behind = (*recorded.lines[1:], recorded.lines[-1])
        return recorded.with_lines(tuple(chain.from_iterable(map(watch.told, recorded.lines, behind))))

    said = replace(sides, before=told(sides.before, whole.after))
    if said.target and whole.target:
        said = replace(said, target=replace(said.target, before=told(said.target.before, whole.target.after)))
    return said, (WATCHED,) if said.lines != sides.lines else ()


def _known_later(recorded: Printed, optimized: Printed, known: Sameness) -> Set[Node]:
    """The inputs with which a loop that was peeled goes round as they are, and which guards find to be constants: by
    the next iteration they are known to be."""
    end = recorded.lines[-1]
    if end.name != "jump" or not any(line.name == "label" for line in optimized.lines):
        return frozenset()
    of = partial(known.of, BEFORE)
    found = {of(line.args[0]) for line in recorded.lines if line.name in FINDINGS}
    return {of(one) for one, next_ in zip(recorded.inputs, end.args, strict=False) if one == next_} & found


def _found_behind(optimized: Printed) -> dict[str, float]:
    """The fields that the trace loads, each with the number of positions behind which all objects that it is loaded
    from are found to be constants."""
    found: dict[str, float] = {}
    behind: dict[str, float] = {}
    for line in optimized.lines:
        if line.name == "label":  # names are bound anew
            found.clear()
        elif line.name in FIND_OUT and line.passed is not None:
            found.setdefault(line.args[0], line.passed)
        elif _is_load(line):
            behind[line.descr] = max(behind.get(line.descr, 0), found.get(line.args[0], inf))
    return behind


def _is_load(line: Line) -> bool:
    return line.name.startswith("getfield_gc")


@dataclass(slots=True)
class _Watch:
    """A walk over a recorded trace: its classes, and those that are `known` without what it finds out, of which guards
    have found out some so far; the functions that are called where it was optimized; the constants that are watched,
    whether the code is valid here, what is computed from constants and such fields, which of that is lost behind the
    next call, which of it the optimizer has computed, too, the names of what is computed anew, and what guards have
    found."""

    sameness: Sameness
    known: Sameness
    printed: Printed
    loaded: Mapping[str, float]
    called: Set[str]
    is_fixed: Callable[[str], bool]
    names: Iterator[int]
    later: Set[Node]
    found_out: set[Node] = field(default_factory=set)
    watched: set[Node] = field(default_factory=set)
    is_valid: bool = False
    made: dict[str, Line] = field(default_factory=dict)
    loads: dict[str, set[str]] = field(default_factory=dict)
    computed: set[str] = field(default_factory=set)
    named: dict[str, Line] = field(default_factory=dict)
    found: list[tuple[Line, Mapping[str, Line]]] = field(default_factory=list)
    of: Callable[[str], Node] = field(init=False)
    constants: dict[Node, str] = field(init=False)

    def __post_init__(self) -> None:
        self.of = partial(self.sameness.of, BEFORE)
        self.constants = {self.of(arg): arg for line in self.printed.lines for arg in line.args if is_pointer(arg)}

    def told(self, line: Line, behind: Line) -> Iterator[Line]:
        """The line, which is passed, with the one `behind` it, and behind the statements that it asks for."""
        yield from self._in_front(line)
        if line.result and (sources := self._sources(line, behind)):
            self._make(line, line.result, sources)
        cannot_raise = line.is_call and line.result and self._is_computed(line.result, line.passed)
        yield replace(line, descr=never_raising(line.descr)) if cannot_raise else line

    def _in_front(self, line: Line) -> Iterator[Line]:
        if line.name in FINDINGS:
            self.found_out.add(self.known.of(BEFORE, line.args[0]))
        if line.name == "quasiimmut_field":
            if self.known.of(BEFORE, line.args[0]) in self.later or self._is_found(line.args[0], line.passed):
                self.watched.add(self.of(line.args[0]))
        elif line.name == "guard_not_invalidated":
            self.is_valid = True
        elif line.may_write:
            self.is_valid = False
            for lasting in (self.made, self.named):
                for text in [text for text in lasting if self.loads[text]]:
                    del lasting[text]
        elif line.is_guard and line.args and line.args[0] in self.made and self.loads[line.args[0]]:
            self.found.append((line, {**self.made}))
            yield from self._said(line, self.made, line.passed)
        elif line.name == "jump" and self.is_valid:
            for guard, made in self.found:
                yield from self._said(guard, made, line.passed)

    def _make(self, line: Line, result: str, sources: tuple[str, ...]) -> None:
        """Notes from what the result is computed."""
        descr = never_raising(line.descr) if line.is_call else line.descr
        self.made[result] = replace(line, args=sources, descr=descr, point="", passed=None)
        loads = {load for text in sources for load in self.loads.get(text, ())}
        loads |= {line.descr} if self._is_of_watched(line) else set()
        self.loads[result] = loads
        if all(self._is_found(text, line.passed) for text in line.args):
            self.computed.add(result)

    def _is_found(self, text: str, passed: int | None) -> bool:
        """Does the optimizer know by now, behind so many positions, which constant that is?"""
        known = self.known.of(BEFORE, text)
        is_constant = not known[0] or known in self.found_out | self.known.constant
        return is_constant or self._is_computed(text, passed)

    def _is_computed(self, text: str, passed: int | None) -> bool:
        """Has it been computed by then?"""
        return text in self.computed and self._is_looked_up(text, passed)

    def _is_looked_up(self, text: str, passed: int | None) -> bool:
        """Did the optimizer know by then of what that loads watched fields, as far as its own loads tell?"""
        return all(self.loaded.get(load, -1) < (0 if passed is None else passed) for load in self.loads.get(text, ()))

    def _sources(self, line: Line, behind: Line) -> tuple[str, ...]:
        """The texts of what the operation computes its result from, if all of it is known here. A function gives the
        same if it has not raised."""
        if _is_load(line):
            is_known = self.is_fixed(line.descr) or self._is_of_watched(line)
        else:
            gives_again = line.name.startswith("call_pure") and behind.name != "guard_exception"
            is_gone = gives_again and line.function not in self.called
            is_known = is_gone or line.name in LASTING or line.name.startswith("getarrayitem_gc_pure")
        sources = tuple(map(self._source, line.args)) if is_known else ()
        return sources if all(sources) else ()

    def _is_of_watched(self, line: Line) -> bool:
        """Does it load a quasi-immutable field of a constant, and is that what it was?"""
        if not (_is_load(line) and is_pure(line.descr)) or self.is_fixed(line.descr):
            return False
        node = self.of(line.args[0])
        is_constant = node in self.constants or line.args[0] in self.made
        return self.is_valid and node in self.watched and is_constant

    def _said(self, guard: Line, made: Mapping[str, Line], passed: int | None) -> Iterator[Line]:
        """The finding of the guard, behind so many positions, if the optimizer knew by then what that loads from."""
        if self._is_looked_up(guard.args[0], passed):
            computing: dict[str, Line] = {}
            value = self._named(guard.args[0], made, computing)
            new = [one for text, one in computing.items() if text not in self.named]
            self.named |= computing
            yield from (*new, *statement(guard, value))

    def _source(self, text: str) -> str:
        """The text that stands for a value: itself, or a constant that it is; "" of others. Guards alone may have found
        that what is computed is a constant."""
        node = self.of(text)
        return (
            text if text in self.made else self.constants.get(node) or ("" if node[0] or is_float(node[1]) else node[1])
        )

    def _named(self, text: str, made: Mapping[str, Line], computing: dict[str, Line]) -> str:
        """The name of a value as it is computed anew in front of a guard, or where the trace ends."""
        if text not in made:
            return text
        if text not in computing:
            args = tuple(self._named(arg, made, computing) for arg in made[text].args)
            computing[text] = self.named.get(text) or replace(
                made[text], result=f"{text[0]}{next(self.names)}", args=args
            )
        return computing[text].result or ""
