"""The operations of a section of a log, as they are printed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from optimizer.ir.dialects.pypy_log import Section
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import immutable
from optimizer.ir.text.lexer import Source
from optimizer.ir.text.syntax import parse_body
from validator.pypy.printed.arity import least_args
from validator.pypy.printed.once import once

NULL, _HOLE = "ConstPtr(null)", "None"
_CALL = re.compile(r"<Call(?P<result>[irfnv]) .*EF=(?P<effect>[0-9]+)(?: OS=(?P<oopspec>[0-9]+))?>")
_POINTER = re.compile(r"ConstPtr\((?!null\))\w+\)")
_FLOAT = re.compile(r"-?(?:[0-9]+\.[0-9]+(?:e[-+]?[0-9]+)?|inf|nan)(?:_\w+)?")

_MOST_DIGITS = 400
"""No number has more digits in front of its point: floats are printed with all of theirs."""

_VARIABLE = r"[ipf][0-9]+"
_VALUE = rf"(?:{_VARIABLE}|-?[0-9]{{1,{_MOST_DIGITS}}}(?:\.[0-9]+(?:e[-+][0-9]+)?)?|Const(?:Ptr|Class)\([^(),]*\))"
_PLAIN = re.compile(
    r"(?:\+[0-9]+: )?(?:--end of the loop--"
    rf"|\[(?P<inputs>(?:{_VARIABLE}(?:, (?=\w)|(?=\])))*+)\]"
    r"|debug_merge_point\((?P<point>.*)\)"
    rf"|(?:(?P<result>{_VARIABLE}) = )?(?P<name>(?!debug_merge_point\b|jit_debug\b)[a-z]\w*)"
    rf"\((?P<args>(?:{_VALUE}(?:, (?!\))|(?=\))))*+)"
    r"(?:descr=(?P<descr><(?:[^<>]++|<[^<>]*+>)*+>|TargetToken\([0-9]+\)))?\)"
    rf"(?: \[(?P<handed>(?:(?:{_VARIABLE}|{_HOLE})(?:, (?=\w)|(?=\])))*+)\])?)"
)
"""A line as PyPy prints nearly all: the end, the inputs, a position in the program, or an operation."""

_SILENT = (0, 1, 3, 4)
"""The classes of the effects of calls that write nothing."""

_LOOP_INVARIANT = 1
"""The class of the effects of a call that gives the same each time."""

ANY_EFFECT = 7
"""The class of the effects of a call of which nothing is said."""

_UNNAMED = re.compile(
    r"<(Call|Loop)(?!.*>@[A-Za-z_])|<(Array|Interior)|<Field(?!.*\.inst_|. JitVirtualRef\.)|0x[0-9a-f]|[0-9]{9}"
)

_LOADS = ("getfield_gc", "getarrayitem_gc", "getinteriorfield_gc")
_GIVE_ONLY = (*_LOADS, "arraylen_gc", "strlen", "unicodelen", "strgetitem", "unicodegetitem")
"""The beginnings of operations that do nothing but give a value, and are not defined of all objects."""
_STORES = ("setfield_gc", "setarrayitem_gc", "setinteriorfield_gc")


@immutable
class Access:
    """A load or store: the descr of the memory, the object with its index, and what is loaded or stored."""

    is_store: bool
    memory: str
    place: tuple[str, ...]
    value: str


class _Remembering:
    """A base with room for what is computed once."""


@immutable
class Line(_Remembering):
    """An operation: the texts of its result (None without one), name, arguments and descr ("" without one), and of a
    guard the values that it hands over, without holes. `point` is the position in the program; "" where that is not
    known. `passed` is the number of positions that were passed in front of it; None of what is in no log."""

    result: str | None
    name: str
    args: tuple[str, ...]
    descr: str = ""
    handed: tuple[str, ...] = ()
    point: str = field(default="", compare=False)
    passed: int | None = field(default=None, compare=False)

    @once
    def is_guard(self) -> bool:
        return self.name.startswith("guard_")

    @once
    def is_call(self) -> bool:
        return self.name.startswith(("call_", "cond_call"))

    @property
    def called_with(self) -> tuple[str, ...]:
        """The arguments of a guard or a call, without the condition of one that has a condition."""
        return self.args[self.name.startswith("cond_call") :]

    @once
    def effect(self) -> int:
        """The class of a call's effects: the number behind EF."""
        found = _CALL.fullmatch(self.descr)
        return int(found["effect"]) if found else ANY_EFFECT

    @once
    def oopspec(self) -> int | None:
        """The number of the known function that a call is of: that behind OS."""
        found = _CALL.fullmatch(self.descr)
        return int(found["oopspec"]) if found and found["oopspec"] else None

    @property
    def may_write(self) -> bool:
        """May it be a call that writes memory, as far as its class tells?"""
        return self.is_call and self.effect not in _SILENT

    @property
    def is_loop_invariant(self) -> bool:
        """Is it a call that gives the same each time in one trace?"""
        return self.effect == _LOOP_INVARIANT

    @once
    def access(self) -> Access | None:
        """The access to the memory of objects that it is, if it is one."""
        if self.name.startswith(_LOADS) and self.result is not None:
            return Access(False, self.descr, self.args, self.result)
        if self.name.startswith(_STORES):
            return Access(True, self.descr, self.args[:-1], self.args[-1])
        return None

    @property
    def instance(self) -> str | None:
        """The value whose field it accesses, if that is one of instances: RPython puts `inst_` in front of the names of
        theirs, and of no others."""
        found = self.access
        return found.place[0] if found and found.memory.startswith("<Field") and ".inst_" in found.memory else None

    @once
    def function(self) -> str:
        """The function that is called, and how: `descr@callee`, since one descr is printed for many functions, as is
        `<Loop-1>` for compiled code of several types."""
        if self.name.startswith("call_assembler"):
            return f"{self.descr.removesuffix('>')} {self.name[-1]}>"
        callee = self.called_with[0] if self.descr.startswith("<Call") else ""
        if not callee or is_variable(callee):
            return self.descr
        return f"{self.descr}@{callee.removeprefix('ConstClass(').removesuffix(')')}"

    def renamed(self, rename: Callable[[str], str]) -> Line:
        """The operation with other names."""
        result = None if self.result is None else rename(self.result)
        args, handed = tuple(map(rename, self.args)), tuple(map(rename, self.handed))
        return Line(result, self.name, args, self.descr, handed, self.point, self.passed)

    def __str__(self) -> str:
        args = ", ".join([*self.args, *([f"descr={self.descr}"] if self.descr else [])])
        return f"{self.result} = {self.name}({args})" if self.result else f"{self.name}({args})"


@dataclass(frozen=True, slots=True)
class Printed:
    """A trace of a log: its inputs and operations, and of a recorded one the positions in the program that it passes,
    be it without an operation."""

    inputs: tuple[str, ...]
    lines: tuple[Line, ...]
    points: frozenset[str] = field(default=frozenset(), compare=False)

    def with_lines(self, lines: tuple[Line, ...]) -> Printed:
        return Printed(self.inputs, lines, self.points)

    def renamed(self, rename: Callable[[str], str]) -> Printed:
        """The trace with other names."""
        lines = tuple(line.renamed(rename) for line in self.lines)
        return Printed(tuple(map(rename, self.inputs)), lines, self.points)

    def without_unused(self) -> Printed:
        """The trace without operations that do nothing but give what nobody uses: PyPy's backends leave them out
        (`has_no_side_effect` in regalloc.py)."""
        used: set[str] = set()
        kept = []
        for line in reversed(self.lines):
            if line.result is None or line.result in used or not line.name.startswith(_GIVE_ONLY):
                kept.append(line)
                used |= {*line.args, *line.handed}
        return self.with_lines(tuple(reversed(kept)))

    def highest(self) -> int:
        """The highest number of a variable."""
        results = (line.result or "" for line in self.lines)
        return max((int(text[1:]) for text in (*self.inputs, *results) if text and is_variable(text)), default=0)


@lru_cache(maxsize=16)  # a pair is translated up to three times, with what stands in front of it
def read_printed(section: Section, file: str) -> Printed:
    """The trace in a section of the log `file`. Raises InputError."""
    inputs, words = _plain(section.lines) or _read(section, file)
    lines, point, passed = [], "", 0
    for result, name, args, descr, handed in words:
        if name == "debug_merge_point":
            point, passed = args[-1].partition("'")[2], passed + 1
        if len(args) < least_args(name):
            raise InputError(f"{name} has too few arguments", file=file, line=section.line)
        lines.append(Line(result, name, args, descr, handed, point, passed))
    if not lines:
        raise InputError("this trace has no operations", file=file, line=section.line)
    return Printed(inputs, tuple(lines))


_Texts = tuple[str, ...]
_Words = tuple[_Texts, list[tuple[str | None, str, _Texts, str, _Texts]]]
"""The inputs, and of each operation the result, name, arguments, descr, and what it hands over."""


def _plain(lines: tuple[str, ...]) -> _Words | None:
    """The words of a section; None where a line is not one that PyPy prints so: that needs the reader of all traces,
    which takes five times as long."""
    inputs, words = None, []
    for line in lines:
        if line[:1] in ("", "#"):
            continue
        if (found := _PLAIN.fullmatch(line)) is None:
            return None
        given, point, result, name, args, descr, handed = found.groups()
        if name is not None:
            words.append((result, name, _texts(args), descr or "", _texts(handed)))
        elif point is not None:
            words.append((None, "debug_merge_point", (point,), "", ()))
        elif given is not None:
            if inputs is not None or words:
                return None
            inputs = _texts(given)
    return None if inputs is None else (inputs, words)


def _texts(listed: str | None) -> _Texts:
    """The words between commas, without holes."""
    return tuple([text for text in listed.removesuffix(", ").split(", ") if text != _HOLE]) if listed else ()


def _read(section: Section, file: str) -> _Words:
    """The words of a section. Raises InputError."""
    try:
        body = parse_body(Source(file, list(section.lines)), 1)
        if body.header is None:
            raise InputError("this trace has no inputs", file=file, line=1)
    except InputError as mistake:
        line = mistake.line and mistake.line + section.line - 1
        raise InputError(mistake.message, file=file, line=line, column=mistake.column, source=mistake.source) from None
    for token in (token for one in body.statements for token in one.args):
        if len(token.text) > _MOST_DIGITS and token.text.lstrip("-").isdigit():
            raise InputError(f"a number of more than {_MOST_DIGITS} digits", file=file, line=section.line)
    words = [
        (
            one.result and one.result.text,
            one.name.text,
            tuple([token.text for token in one.args]),
            one.descr.text if one.descr else "",
            tuple([token.text for token in one.failargs or () if token.text != _HOLE]),
        )
        for one in body.statements
    ]
    return tuple([token.text for token in body.header.inputs]), words


@lru_cache(maxsize=1 << 14)
def is_named(text: str) -> bool:
    """Does the name of a class, of a memory, or of a function (as `Line.function`) mean the same in the logs of all
    processes? No address does, nor the number of a loop; and arrays and the structs of RPython, as lists are, share
    their names with others."""
    return _UNNAMED.search(text) is None


@lru_cache(maxsize=1 << 14)
def is_one_place(point: str) -> bool:
    """Is the point a bytecode of one code? Functions without a name that stand on one line share theirs, and so do
    those that are made of texts."""
    return "~#" in point and _SHARED.match(point) is None


def is_object(text: str) -> bool:
    """Is it a reference, be it a value or a constant?"""
    return (text[:1] == "p" and is_variable(text)) or is_pointer(text)


def is_pointer(text: str) -> bool:
    """Is it a constant object? A log numbers each of its uses."""
    return text[:1] == "C" and _POINTER.fullmatch(text) is not None


def is_float(text: str) -> bool:
    """Is it a constant float? A log prints six digits of each, so that those of another trace get a suffix."""
    return _FLOAT.fullmatch(text) is not None


def is_variable(text: str) -> bool:
    return text[0] in "ipf" and text[1:].isdigit()


_SHARED = re.compile(r"<|[^;]*;<(?!builtin>)")

_KNOWN = "_known_"


def known_in(number: int) -> str:
    """The end of the names of constants of a parent."""
    return f"{_KNOWN}{number}"


def known_as(constant: str) -> str | None:
    """The name that this constant of a parent has where that is the loop that a bridge goes on in (`with_target`);
    None of other constants."""
    name = constant.replace(_KNOWN, "_")
    return None if name == constant else name
