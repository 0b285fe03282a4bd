"""Lookups of a key in a dict, which PyPy's optimizer does once (`_optimize_CALL_DICT_LOOKUP` in heap.py).

A function whose oopspec says that it looks up a key gives the index of the item, or a negative number, and changes
nothing that can be seen; one that is asked in order to store makes room for an item that is not there. So where nothing
may have changed a dict since, the same lookup gives the same, and one in order to store does, if the item is there.
"""

from __future__ import annotations

import re
from itertools import takewhile

from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import OPS
from optimizer.ir.rows.row import FACT, GUARD, LOAD, NEW, POSITION, PURE, RAW_LOAD, SCAN
from validator.pypy.inferred.numbering import Preserved
from validator.pypy.inferred.sameness import Sameness, sameness_in
from validator.pypy.printed.calls.functions import keeps_off
from validator.pypy.printed.lines import Line
from validator.pypy.printed.straight import BEFORE, Sides

LOOKED_UP = "a key that is looked up again, in a dict that nothing has changed, is where it was"

_LOOKUP = re.compile(r"<Calli .* EF=[2-5] OS=4>@\w+")
_TO_FIND, _TO_STORE = "0", "1"
"""The last argument: `FLAG_LOOKUP` and `FLAG_STORE` in rordereddict.py."""

_PLAIN = re.compile(r"<(ArrayP|FrameP|Field[PSUF] (list|JitVirtualRef|\w+(\.\w+)+)\.\w+) ")
"""The arrays of references, and the fields of instances, whose names have a module, and of lists; those of dicts, of
their tables and entries are none of these."""

_CHANGING_NOTHING = (PURE, GUARD, LOAD, RAW_LOAD, SCAN, FACT, NEW, POSITION)
_ITEMS = "<FieldS dicttable.num_live_items 8>"
"""A field of each dict, which functions touch that change one."""


def with_lookups(sides: Sides, leaves: Preserved) -> tuple[Sides, tuple[str, ...]]:
    """The pair, with the loop that it jumps to, whose recorded trace does not look up again what it has, if the
    optimized one looks up less often; and what is assumed for that. Calls leave memory as `leaves` says."""
    target, told = with_lookups(sides.target, leaves) if sides.target else (None, ())
    optimized = takewhile(lambda line: line.name != "label", sides.after.lines)
    if _lookups(sides.before.lines) > _lookups(tuple(optimized)):
        lines = _once(sides, leaves)
        told = told if lines == sides.before.lines else (LOOKED_UP,)
        sides = replace(sides, before=sides.before.with_lines(lines))
    return replace(sides, target=target), told


def _is_lookup(line: Line) -> bool:
    return _LOOKUP.fullmatch(line.function) is not None


def _lookups(lines: tuple[Line, ...]) -> int:
    return sum(map(_is_lookup, lines))


def _once(sides: Sides, leaves: Preserved) -> tuple[Line, ...]:
    """The lines of the recorded trace, where a lookup whose result is known is that."""
    lines, found, there = list[Line](), list[Line](), set[str | None]()
    negative = dict[str | None, str]()
    for line in sides.before.lines:
        if _is_lookup(line):
            known = sameness_in(sides.before.with_lines(tuple(lines)), leaves)
            first = next((one.result for one in found if _asks_the_same(one, line, known)), None)
            if first is not None and (line.args[-1] == _TO_FIND or (line.args[-1] == _TO_STORE and first in there)):
                line = replace(line, name="same_as_i", args=(first,), descr="")
            elif line.args[-1] != _TO_FIND:
                found.clear()
        elif line.name == "guard_no_exception":
            found += [one for one in lines[-1:] if _is_lookup(one) and one.args[-1] == _TO_FIND]
        elif _may_change(line):
            found.clear()
        elif line.name == "int_lt" and line.args[1] == "0":
            negative[line.result] = line.args[0]
        elif line.name == "guard_false":
            there.add(negative.get(line.args[0]))
        lines.append(line)
    return tuple(lines)


def _asks_the_same(one: Line, other: Line, known: Sameness) -> bool:
    """Do both look up the same key in the same dict, as far as is known in front of the second one? RPython computes
    the hash that is handed over of the key, which has one (`rordereddict.py`)."""
    asked, again = ([known.of(BEFORE, arg) for arg in line.args[:3]] for line in (one, other))
    return asked == again


def _may_change(line: Line) -> bool:
    """May it change a dict, or what is looked up? What is stored to fields and arrays of references that are none of
    dicts does not; other stores are not told apart."""
    if line.is_call:
        return line.may_write and not keeps_off(line.function, _ITEMS)
    if line.name in ("setfield_gc", "setarrayitem_gc") and "dict" not in line.descr and _PLAIN.match(line.descr):
        return False
    return line.name not in OPS or OPS[line.name].kind not in _CHANGING_NOTHING
