"""Copies of items: calls of PyPy's `ll_arraycopy`, which its optimizer does item by item where it knows how many.

The descr of such a call (OS=1) does not say which arrays are copied. Source and destination are arrays of one type, and
what a trace allocates or accesses tells which that is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from optimizer.ir.types.declared import Call
from optimizer.ir.types.memory_types import Array, declared_field
from validator.pypy.printed.lines import Line, Printed
from validator.pypy.printed.straight import Sides

_COPY = re.compile(r"<Callv .* EF=2 OS=1>")
_ARRAY = re.compile(r"<Array[PSU] [0-9]+>")
_ITEMS = {"<ArrayP 8>": "ref", "<ArrayS 8>": "int", "<ArrayU 8>": "int"}
"""The items of arrays that are declared nowhere else, since they are no narrower than a word."""
_OF_ARRAYS = ("new_array", "arraylen_gc", "getarrayitem_gc", "setarrayitem_gc")


@dataclass(frozen=True, slots=True)
class Copies:
    """The types of the arrays that calls copy, by the arguments of these. There are none if that of one call is not
    known: what is a copy in one trace must not be an event in the other one."""

    arrays: dict[tuple[str, ...], str]

    def function(self, line: Line) -> str:
        """The name of a call's function, which says what is copied."""
        array = self.arrays.get(line.args) if is_copy(line) else None
        return line.function if array is None else line.function.replace("OS=1>", f"OS=1 {array[1:]}", 1)

    def declared(self, lines: tuple[Line, ...]) -> tuple[tuple[Array, ...], tuple[Call, ...]]:
        """The declarations of the arrays that are copied, if nothing else declares them, and of the calls."""
        copied = {self.function(line): self.arrays[line.args] for line in lines if line.args in self.arrays}
        items = {array: _ITEMS[array] for array in copied.values() if array in _ITEMS}
        arrays = [Array(array, declared_field(array, "", item, items=True)) for array, item in items.items()]
        calls = [
            Call(name, "void", oopspec="arraycopy", reads=(array,), writes=(array,)) for name, array in copied.items()
        ]
        return tuple(arrays), tuple(calls)


def is_copy(line: Line) -> bool:
    return line.name == "call_n" and copies_items(line.descr)


def copies_items(function: str) -> bool:
    """Does the function (as `Line.function`) copy the items of an array, and nothing else?"""
    return _COPY.match(function) is not None


def copies_of(sides: Sides) -> Copies:
    """The copies in both traces."""
    arrays: dict[tuple[str, ...], str] = {}
    for trace in sides.printed:
        known = _types(trace)
        for line in filter(is_copy, trace.lines):
            types = {known[array] for array in line.args[1:3] if array in known}
            if len(types) != 1 or arrays.get(line.args) not in (None, *types):
                return Copies({})
            arrays[line.args] = types.pop()
    return Copies(arrays)


def _types(trace: Printed) -> dict[str, str]:
    """The types of arrays, by the names of these, as far as operations on them tell; None of those that differ."""
    types: dict[str, str] = {}
    for line in trace.lines:
        array = line.result if line.name.startswith("new_array") else line.args[0] if line.args else None
        if line.name.startswith(_OF_ARRAYS) and array is not None and _ARRAY.fullmatch(line.descr):
            types[array] = line.descr
    return types
