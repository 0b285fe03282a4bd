"""The number in raw memory that a signal changes at any time: PyPy's interpreter asks for it at each jump backwards.

Each load of it in a trace, or in a part of a peeled one, is taken to be of a place of its own, in order: what one of
them gives says nothing of the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import OPS
from optimizer.ir.rows.row import RAW_STORE
from validator.pypy.printed.calls.functions import touches_nothing
from validator.pypy.printed.lines import Line, Printed
from validator.pypy.printed.straight import NotStraight, Sides

SIGNALS = "no signal comes between two iterations of a loop that calls nothing"

_TICKER = "pypysig_long_struct.c_value"

_APART = 1 << 48
"""The distance of places: no address is as high."""

_IN_LOOP = 1 << 13
"""The first of the places of a loop that a bridge jumps to: no bridge has as many."""


def with_ticks(sides: Sides) -> tuple[Sides, tuple[str, ...]]:
    """The pair, and the loop that it jumps to, with these places; and what is assumed where a loop asks in each
    iteration, which is one code, and calls nothing that might write what a signal does."""
    loop = sides.target or sides
    if any(map(_is_tick, sides.lines)) and any(_stores(one.after) > _stores(one.before) for one in (sides, loop)):
        raise NotStraight("a store to raw memory that was not recorded, be it to what signals change")
    is_asked = loop.is_peeled and any(map(_is_tick, loop.before.lines))
    calls = (line for line in loop.before.lines if line.may_write and not touches_nothing(line.function))
    assumed = (SIGNALS,) if is_asked and not any(calls) else ()
    return _each_apart(sides, 0), assumed


def _stores(printed: Printed) -> int:
    """The number of stores to raw memory, in a peeled loop those of the part that has most."""
    stores = [0]
    for line in printed.lines:
        if line.name == "label":
            stores.append(0)
        row = OPS.get(line.name)
        stores[-1] += row is not None and row.kind is RAW_STORE
    return max(stores)


def _each_apart(sides: Sides, first: int) -> Sides:
    before, after = (one.with_lines(tuple(_apart(one.lines, first))) for one in (sides.before, sides.after))
    return replace(sides, before=before, after=after, target=sides.target and _each_apart(sides.target, _IN_LOOP))


def _apart(lines: Iterable[Line], first: int) -> Iterator[Line]:
    ticks = first
    for line in lines:
        if _is_tick(line):
            yield replace(line, args=(str(int(line.args[0]) + _APART * ticks),))
            ticks += 1
            continue
        ticks = first if line.name == "label" else ticks
        yield line


def _is_tick(line: Line) -> bool:
    return _TICKER in line.descr and line.name.startswith("getfield_raw") and line.args[0].isdigit()
