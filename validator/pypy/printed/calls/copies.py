"""Copies of items: calls of PyPy's `ll_arraycopy`, and of `ll_arraymove` within one array, which its optimizer does
item by item where it knows how many.

The descr of such a call (OS=1, OS=9) does not say which arrays are copied. Source and destination are arrays of one
type, and what a trace allocates or accesses tells which that is. Nor does a log say of which lists the items are that a
function of RPython copies to a larger array (`_ll_list_resize_hint`): all have one name. What a trace does to the items
of the list tells.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from optimizer.ir.immutable import replace
from optimizer.ir.types.declared import Call, Declarations
from optimizer.ir.types.memory_types import RAW, Array, declared_field
from validator.pypy.printed.calls.item_by_item import types_of_arrays
from validator.pypy.printed.kinds.lists import array_of, types_of_lists
from validator.pypy.printed.lines import Line, Printed
from validator.pypy.printed.straight import Sides

COPIED = "items are copied inside arrays, and no negative number of them"
"""The assumption on what PyPy's functions leave open, which do nothing if they are to copy less than one item."""

_COPY = re.compile(r"<Callv .* EF=2 OS=(?P<oopspec>[19])>@ll_array(?:copy|move)(?:__\w+)?")
_OOPSPECS = {"1": "arraycopy", "9": "arraymove"}
_RESIZES = re.compile(r"(?P<descr><Callv 0 rii EF=5)>@_ll_list_resize_hint_really_look_inside_iff__listPtr_Signed_Bool")
_BYTES = ("gc_load", "gc_store")
_ARRAY = re.compile(r"<Array[PSU] [0-9]+>")
_ITEMS = {"<ArrayP 8>": "ref", "<ArrayS 8>": "int", "<ArrayU 8>": "int"}
"""The items of arrays that are declared nowhere else, since they are no narrower than a word."""


@dataclass(frozen=True, slots=True)
class Copies:
    """The types of the arrays that calls copy, by the arguments of these, and those of the items of lists that calls
    make larger. There are none if that of one call is not known: what is a copy in one trace must not be an event in
    the other one."""

    arrays: dict[tuple[str, ...], str]
    items: dict[tuple[str, ...], str]

    @property
    def memories(self) -> frozenset[str]:
        """The items that are copied, which a trace need not access elsewhere."""
        return frozenset((*self.arrays.values(), *self.items.values()))

    def function(self, line: Line) -> str:
        """The name of a call's function, which says what is copied."""
        if is_copy(line) and (array := self.arrays.get(line.args)):
            return line.function.replace(line.descr, f"{line.descr[:-1]} {array[1:]}", 1)
        if _resizes(line) and (array := self.items.get(line.args)):
            return line.function.replace("EF=5>", f"EF=5 {array[1:]}", 1)
        return line.function

    def declared(self, lines: tuple[Line, ...], certain: Declarations) -> Declarations:
        """The declarations, with the arrays that are copied, if nothing else declares them, and with the calls."""
        copied = {
            (self.function(line), _oopspec(line.function)): self.arrays[line.args]
            for line in lines
            if line.args in self.arrays
        }
        items = {array: _ITEMS[array] for array in copied.values() if array in _ITEMS}
        arrays = [Array(array, declared_field(array, "", item, items=True)) for array, item in items.items()]
        calls = [
            Call(name, "void", oopspec=oopspec, reads=(array,), writes=(array,))
            for (name, oopspec), array in copied.items()
        ]
        named = {*self.memories, *(found.memory for line in lines if (found := line.access))}
        known = {call.name: call for call in certain.calls}
        for line in lines:
            if array := self.items.get(line.args):
                known[self.function(line)] = _of_items(known[line.function], self.function(line), array, named)
        return replace(certain, arrays=(*certain.arrays, *arrays), calls=(*known.values(), *calls))


def _of_items(call: Call, name: str, array: str, named: set[str]) -> Call:
    """The same call, under another name, which of the arrays that are `named` touches no other than these items, and no
    list that has others."""

    def own(memories: tuple[str, ...]) -> tuple[str, ...]:
        all_ = (*sorted(named), RAW) if memories == ("*",) else memories
        arrays = {one: array_of(one) or one for one in all_}
        return tuple(one for one in all_ if arrays[one] == array or not arrays[one].startswith("<Array"))

    return replace(call, name=name, reads=own(call.reads), writes=own(call.writes))


def is_copy(line: Line) -> bool:
    return line.name == "call_n" and copies_items(line.function)


def copies_items(function: str) -> bool:
    """Does the function (as `Line.function`) copy the items of an array, and nothing else?"""
    return _oopspec(function) is not None


def _oopspec(function: str) -> str | None:
    found = _COPY.fullmatch(function)
    return found and _OOPSPECS[found["oopspec"]]


def copies_of(sides: Sides) -> Copies:
    """The copies in both traces."""
    has_bytes = any(line.name.startswith(_BYTES) for line in sides.lines)  # in which items may be found, of any type
    items = {} if has_bytes else _of_calls(sides, _resizes, types_of_lists)
    return Copies(_of_calls(sides, is_copy, partial(types_of_arrays, descr=_ARRAY)), items)


def _resizes(line: Line) -> bool:
    """Does the call make a list larger?"""
    return _RESIZES.fullmatch(line.function) is not None


def _of_calls(
    sides: Sides, is_one: Callable[[Line], bool], types: Callable[[Printed], dict[str, str]]
) -> dict[tuple[str, ...], str]:
    """The types of arrays that such calls in both traces copy, by the arguments of these, of which the second or the
    third tells. Empty if the type of one call is not known."""
    arrays: dict[tuple[str, ...], str] = {}
    for trace in sides.printed:
        known = types(trace)
        for line in filter(is_one, trace.lines):
            found = {known[arg] for arg in line.args[1:3] if arg in known}
            if len(found) != 1 or arrays.get(line.args) not in (None, *found):
                return {}
            arrays[line.args] = found.pop()
    return arrays
