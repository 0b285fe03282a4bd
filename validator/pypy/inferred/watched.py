"""Quasi-immutable fields of constants that only the optimizer knows to be constants.

Where the tracer knows a constant, it looks its quasi-immutable fields up, and no load is recorded. Behind a call it may
have lost that the object in a frame, or in a new object, is a constant. Then it records the watch, the load and guards
on what is there. PyPy's optimizer, which has forwarded the constant, looks the field up in the same way
(`optimize_QUASIIMMUT_FIELD` in heap.py), and the guards are gone.

The recorded trace has run, so these guards tell what was in the field, which holds wherever the code is valid. It is
said right in front of each of them, and where the trace jumps, of the constant itself, where `guard_not_invalidated`
has passed and no call has come since. Where what became of that trace loads that field of any object, the optimizer may
not have known the constant, and may watch nothing: then nothing is said, unless it has found each such object to be a
constant by then. What is found to be a constant behind the watch is not watched, but where a loop was peeled: by the
next iteration it is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import inf

from optimizer.ir.immutable import replace
from validator.pypy.inferred.executed import LASTING, statement
from validator.pypy.inferred.fields import is_pure
from validator.pypy.inferred.numbering import IDENTITY, Preserved
from validator.pypy.inferred.sameness import FIND_OUT, Node, Sameness, sameness_in
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
        plain = recorded.with_lines(tuple(line for line in recorded.lines if line.name not in (*IDENTITY, *FIND_OUT)))
        is_peeled = any(line.name == "label" for line in optimized.lines)
        watch = _Watch(
            sameness_in(recorded, leaves), sameness_in(plain, leaves), recorded, loaded, is_fixed, names, is_peeled
        )
        return recorded.with_lines(tuple(line for one in recorded.lines for line in (*watch.in_front(one), one)))

    said = replace(sides, before=told(sides.before, whole.after))
    if said.target and whole.target:
        said = replace(said, target=replace(said.target, before=told(said.target.before, whole.target.after)))
    return said, (WATCHED,) if said.lines != sides.lines else ()


def _found_behind(optimized: Printed) -> dict[str, float]:
    """The fields that the trace loads, each with the number of positions behind which all objects that it is loaded
    from are found to be constants."""
    found: dict[str, float] = {}
    for line in optimized.lines:
        if line.name in FIND_OUT and line.passed is not None:
            found.setdefault(line.args[0], line.passed)
    behind: dict[str, float] = {}
    for line in filter(_is_load, optimized.lines):
        behind[line.descr] = max(behind.get(line.descr, 0), found.get(line.args[0], inf))
    return behind


def _is_load(line: Line) -> bool:
    return line.name.startswith("getfield_gc")


@dataclass(slots=True)
class _Watch:
    """A walk over a recorded trace: its classes, and those that are `known` without what it finds out, of which guards
    have found out some so far; the constants that are watched, whether the code is valid here, what is computed from
    constants and such fields, which of that is lost behind the next call, and what guards have found."""

    sameness: Sameness
    known: Sameness
    printed: Printed
    loaded: Mapping[str, float]
    is_fixed: Callable[[str], bool]
    names: Iterator[int]
    is_peeled: bool
    found_out: set[Node] = field(default_factory=set)
    watched: set[Node] = field(default_factory=set)
    is_valid: bool = False
    made: dict[str, Line] = field(default_factory=dict)
    of_field: set[str] = field(default_factory=set)
    found: list[tuple[Line, Mapping[str, Line]]] = field(default_factory=list)
    of: Callable[[str], Node] = field(init=False)
    constants: dict[Node, str] = field(init=False)

    def __post_init__(self) -> None:
        self.of = partial(self.sameness.of, BEFORE)
        self.constants = {self.of(arg): arg for line in self.printed.lines for arg in line.args if is_pointer(arg)}

    def in_front(self, line: Line) -> Iterator[Line]:
        """The statements that the line asks for, which is passed."""
        if line.name in FIND_OUT:
            self.found_out.add(self.known.of(BEFORE, line.args[0]))
        if line.name == "quasiimmut_field":
            if self.known.of(BEFORE, line.args[0]) in self.found_out | self.known.constant or self.is_peeled:
                self.watched.add(self.of(line.args[0]))
        elif line.name == "guard_not_invalidated":
            self.is_valid = True
        elif line.may_write:
            self.is_valid = False
            self.made = {text: made for text, made in self.made.items() if text not in self.of_field}
        elif line.is_guard and line.args and line.args[0] in self.of_field & self.made.keys():
            self.found.append((line, {**self.made}))
            yield from self._said(line, self.made, line.passed)
        elif line.name == "jump" and self.is_valid:
            for guard, made in self.found:
                yield from self._said(guard, made, line.passed)
        elif line.result and (sources := self._sources(line)):
            self.made[line.result] = replace(line, args=sources, point="", passed=None)
            if self._is_of_watched(line) or not self.of_field.isdisjoint(sources):
                self.of_field.add(line.result)

    def _sources(self, line: Line) -> tuple[str, ...]:
        """The texts of what the operation computes its result from, if all of it is known here."""
        if _is_load(line):
            is_known = self.is_fixed(line.descr) or self._is_of_watched(line)
        else:
            is_known = line.name in LASTING or line.name.startswith("getarrayitem_gc_pure")
        sources = tuple(map(self._source, line.args)) if is_known else ()
        return sources if all(sources) else ()

    def _is_of_watched(self, line: Line) -> bool:
        """Does it load a quasi-immutable field of a constant, and is that what it was?"""
        if not (_is_load(line) and is_pure(line.descr)) or self.is_fixed(line.descr):
            return False
        node = self.of(line.args[0])
        return self.is_valid and node in self.watched and node in self.constants

    def _said(self, guard: Line, made: Mapping[str, Line], passed: int | None) -> Iterator[Line]:
        """The finding of the guard, behind so many positions, if the optimizer knew by then what that loads from."""
        computing: dict[str, Line] = {}
        for said in statement(guard, self._named(guard.args[0], made, computing)):
            loads = [one.descr for one in computing.values() if _is_load(one) and not self.is_fixed(one.descr)]
            if all(self.loaded.get(descr, -1) < (0 if passed is None else passed) for descr in loads):
                yield from (*computing.values(), said)

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
            computing[text] = replace(made[text], result=f"{text[0]}{next(self.names)}", args=args)
        return computing[text].result or ""
