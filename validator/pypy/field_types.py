"""Types of reference fields: RPython gives each field one type, which no log prints.

The label of a loop asks a bridge for what the preamble has found out: behind its own operations the optimized bridge
loads a field, finds that it is not NULL, and asks for the length of the string that it holds, where the recorded loop
may have left before it did so. That is defined since the field holds nothing but strings. So it is assumed that a field
holds what the recorded traces of a log use its values for, if that is one thing: instances, strings, or arrays that are
printed alike.

The bridge says so in front of its jump: what it loads there from an object that it knows not to be NULL, or, where
that is NULL, something else of the type, is used in that way.

A field that holds things of several types has none. There the bridge asks for the number that the collector has for the
type (`guard_gc_type`), and goes on as with an array: that each object with the number is such an array is assumed where
all optimized traces of a log, behind such guards, take it for one, and nothing that has another number.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import OPS
from optimizer.ir.rows.row import ARRAY, FIELD, INTERIOR, ITEM
from optimizer.ir.text.string_text import STR
from optimizer.ir.types.memory_types import Array, declared_field
from validator.pypy.printed.kinds.lists import types_of_lists
from validator.pypy.printed.kinds.variables import ITEMS, OF_FRAMES, is_of_frames
from validator.pypy.printed.lines import NULL, Line, is_pointer
from validator.pypy.printed.straight import Sides
from validator.pypy.translate import Translated

_LOAD, _STORE, _WATCHED, _NUMBER = "getfield_gc_r", "setfield_gc", "quasiimmut_field", "guard_gc_type"
_CLASS_TESTS = frozenset(name for name, row in OPS.items() if row.memory and row.memory.class_arg is not None)
_ACCESSES = (FIELD, ITEM, INTERIOR, ARRAY)
_KNOWN = (*_CLASS_TESTS, "guard_nonnull", "assert_not_none")
"""The operations behind which their first argument is not NULL, as it is behind accesses to it."""

_INSTANCES, _STRINGS, _ARRAYS, _OTHER = "instances", "strings", "arrays ", "something else"
_ARRAY, _ITEMS = re.compile(r"<Array[PSUF] [0-9]+>"), {"P": "ref", "S": "int", "U": "int", "F": "float"}
_EITHER = "<ArrayP either>"
"""Arrays of two references, of which nobody else knows."""

_ERASED = re.compile(r"\.inst_(_value[0-9]+|[dls]?storage)\b")
"""Fields of PyPy's objects that hold things of several types (`rerased` in their modules)."""


@dataclass(slots=True)
class FieldTypes:
    """The uses of what fields of recorded traces hold, and of what has a number behind guards of optimized ones; the
    arrays of lists that have one."""

    used: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    numbered: defaultdict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    of_lists: defaultdict[int, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, sides: Sides) -> None:
        """Takes in a pair, or one of its traces: what the recorded one uses values for that it loads from a field, or
        stores to it."""
        recorded = sides.before.lines
        uses: defaultdict[str, set[str]] = defaultdict(set)
        for line in recorded:
            if line.result and line.name.startswith("new"):
                uses[line.result].add(_made(line))
            elif line.args and (use := _use(line)):
                uses[line.args[0]].add(use)
        for line in recorded:
            held = line.result if line.name == _LOAD else line.args[1] if line.name == _STORE else None
            if held is not None and held in uses:
                self.used[line.descr] |= uses[held]
        numbers = {line.args[0]: line.args[1] for line in sides.after.lines if line.name == _NUMBER}
        for line in sides.after.lines:
            number, row = numbers.get(line.args[0], "") if line.args else "", OPS.get(line.name)
            if number.isdecimal() and row and row.memory and row.memory.descr in _ACCESSES:
                self.numbered[int(number)].add(line.descr or line.name)
        for name, array in types_of_lists(sides.after).items():
            if (number := numbers.get(name, "")).isdecimal():
                self.of_lists[int(number)].add(array)

    def assumed(self) -> dict[str, str]:
        """The type of each field of instances that has one; other structs share their names."""
        single = ((memory, use) for memory, (use, *others) in self.used.items() if not others and ".inst_" in memory)
        return {memory: use for memory, use in single if use != _OTHER and not _ERASED.search(memory)}

    def arrays(self) -> dict[int, str]:
        """The descrs of arrays by the numbers of their types, where each has one."""
        times = Counter(descr for descrs in self.numbered.values() for descr in descrs)
        single = {number: descr for number, (descr, *others) in self.numbered.items() if not others}
        return {number: descr for number, descr in single.items() if _ARRAY.fullmatch(descr) and times[descr] == 1}

    def lists(self) -> dict[str, str]:
        """The descrs of the arrays of lists by the numbers of the types of these, as texts, where each has one."""
        return {str(number): array for number, (array, *others) in self.of_lists.items() if not others}


def with_numbers(sides: Sides, text: Translated, arrays: Mapping[int, str]) -> tuple[Translated, tuple[str, ...]]:
    """The pair that declares which arrays have the numbers that its guards ask for, and what is assumed for that."""
    numbers = [line.args[1] for line in sides.after.lines if line.name == _NUMBER]
    asked = {int(number) for number in numbers if number.isdecimal()} & arrays.keys()
    if not asked:
        return text, ()
    by_name = {arrays[number]: number for number in sorted(asked)}
    known = text.before.declarations
    others = tuple(array for array in known.arrays if array.name not in by_name)
    own = {array.name: array for array in known.arrays}
    own |= {name: Array(name, declared_field(name, "", _ITEMS[name[6]], items=True)) for name in by_name.keys() - own}
    declared = replace(known, arrays=(*others, *(replace(own[name], gc_type=by_name[name]) for name in by_name)))
    loop = text.loop and (replace(text.loop[0], declarations=declared), replace(text.loop[1], declarations=declared))
    before, after = (replace(trace, declarations=declared) for trace in (text.before, text.after))
    told = tuple(f"what has the type number {number} is one of the arrays {name}" for name, number in by_name.items())
    return replace(text, before=before, after=after, loop=loop), told


def _use(line: Line) -> str:
    """The type of the first argument, as the operation tells it; "" if it does not."""
    if line.name == _WATCHED:
        return ""
    if line.name in _CLASS_TESTS or line.instance:
        return _INSTANCES
    memory = OPS[line.name].memory if line.name in OPS else None
    if memory is None or memory.descr not in _ACCESSES:
        return ""
    if memory.on == STR:
        return _STRINGS
    return f"{_ARRAYS}{line.descr}" if line.descr.startswith("<ArrayP") else _OTHER


def _made(allocation: Line) -> str:
    """The type of the new object."""
    if allocation.name == "new_with_vtable":
        return _INSTANCES
    if allocation.name == f"new{STR}":
        return _STRINGS
    return f"{_ARRAYS}{allocation.descr}" if allocation.descr.startswith("<ArrayP") else _OTHER


def with_types(sides: Sides, types: Mapping[str, str]) -> tuple[Sides, tuple[str, ...]]:
    """The bridge whose recorded trace says, in front of its jump, that fields which the optimized one loads hold what
    they are taken to hold; and what is assumed for that."""
    if sides.before.lines[-1].name != "jump":
        return sides, ()
    names = (f"p{number}" for number in sides.new_numbers())
    sources, stated, of = _not_null(sides), list[Line](), set[str]()
    for line in sides.after.lines:
        use = types.get(line.descr, "")
        if use == f"{_ARRAYS}{ITEMS}" and is_of_frames(line.descr, sides.lines):
            use = f"{_ARRAYS}{OF_FRAMES}"
        holder = line.args[0] if line.name == _LOAD and use else ""
        source = _constant_with(line.descr, sides) if is_pointer(holder) else sources.get(holder)
        if source is not None:
            value, result = next(names), next(names)
            stated += [Line(value, _LOAD, (source,), line.descr), *_of_type(use, value, source, result, names)]
            of.add(line.descr)
            if use == _INSTANCES and line.result:
                sources[line.result] = result
    before = sides.before.with_lines((*sides.before.lines[:-1], *stated, sides.before.lines[-1]))
    return replace(sides, before=before), tuple(f"{memory} holds {types[memory]}, or NULL" for memory in sorted(of))


def _not_null(sides: Sides) -> dict[str, str]:
    """The inputs of the optimized bridge that are not NULL at the end of the recorded one, as that shows, with their
    names there."""
    shown = {line.args[0] for line in sides.before.lines if line.args and (line.access or line.name in _KNOWN)}
    inputs = zip(sides.after.inputs, sides.before.inputs, strict=True)
    return {other: one for other, one in inputs if one in shown and one[0] == "p"}


def _constant_with(memory: str, sides: Sides) -> str | None:
    """The constant object from which the recorded traces load this field, if there is but one."""
    recorded = (*sides.before.lines, *(sides.target.before.lines if sides.target else ()))
    found = {line.args[0] for line in recorded if line.name == _LOAD and line.descr == memory}
    return found.pop() if len(found) == 1 and all(map(is_pointer, found)) else None


def _of_type(use: str, value: str, holder: str, result: str, names: Iterator[str]) -> Iterator[Line]:
    """Uses a value in that way, or, if it is NULL, another one of the type: its holder, a constant string, or the array
    in which both stand."""
    both, which, size = next(names), f"i{next(names)[1:]}", f"i{next(names)[1:]}"
    array = use.removeprefix(_ARRAYS) if use.startswith(_ARRAYS) else _EITHER
    other = {_INSTANCES: holder, _STRINGS: '""'}.get(use, both)
    yield Line(which, "ptr_ne", (value, NULL))
    yield Line(both, "new_array_clear", ("2",), array)
    yield Line(None, "setarrayitem_gc", (both, "0", other), array)
    yield Line(None, "setarrayitem_gc", (both, "1", value), array)
    yield Line(result, "getarrayitem_gc_r", (both, which), array)
    if use == _INSTANCES:
        yield Line(None, "assert_is_object", (result,))
    elif use == _STRINGS:
        yield Line(size, "strlen", (result,))
    else:
        yield Line(size, "arraylen_gc", (result,), array)
