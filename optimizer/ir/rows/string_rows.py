"""The rows of operations on strings: arrays of bytes (`str`) or of code points (`unicode`).

They are those of arrays, on types that are built in, and two more: one that copies a range of items, and the hash.
"""

from __future__ import annotations

from typing import Any

from optimizer.ir.rows.domain import Domain
from optimizer.ir.rows.heap_rows import CHANGES, FITS, INDEX, IS_ARRAY, LENGTH, OBJECT, WRITTEN, memory_row
from optimizer.ir.rows.row import INT, REF, VOID, DescrKind, Kind, Memory, Op, Requirement
from optimizer.ir.text.string_text import STR, UNICODE

_MIN_WORD = {STR: 16, UNICODE: 22}

_VARIABLE: Requirement = (lambda d, h, _slot, p, *_: d.not_(h.is_text(p)), "a constant string is changed")


def holds_range(d: Domain[Any, Any], h: Any, p: Any, start: Any, count: Any) -> Any:
    """`count` is not negative, so that neither bound wraps."""
    length = h.length(p)
    return d.both(d.ule(start, length), d.ule(count, d.sub(length, start)))


def _both_hold(d: Domain[Any, Any], h: Any, _slot: Any, p: Any, q: Any, start: Any, at: Any, count: Any) -> Any:
    return d.both(holds_range(d, h, p, start, count), holds_range(d, h, q, at, count))


def _both_are(d: Domain[Any, Any], h: Any, slot: Any, p: Any, q: Any, *_: Any) -> Any:
    return d.both(h.isa(p, slot.owner), h.isa(q, slot.owner))


_STRINGS: Requirement = (_both_are, "one of the objects is NULL or not of the type")
_COUNT: Requirement = (lambda d, h, _slot, _p, _q, _s, _at, count: d.sle(d.const(0), count), LENGTH[1])
_RANGES: Requirement = (_both_hold, "a range is not inside its string or array")
_TO_VARIABLE: Requirement = (lambda d, h, _slot, _p, q, *_: d.not_(h.is_text(q)), _VARIABLE[1])
_ALL_WRITTEN: Requirement = (lambda d, h, slot, p: h.are_set(p, slot, d.const(0), h.length(p)), WRITTEN[1])

COPY_REQUIRES = (_STRINGS, _COUNT, _RANGES)


def copy_items(_d: Domain[Any, Any], h: Any, slot: Any, p: Any, q: Any, start: Any, at: Any, count: Any) -> None:
    h.copy_items(slot, p, start, q, at, count)


def _rows(on: str, stem: str) -> list[Op]:
    width = {"min_word": _MIN_WORD[on]}
    item, array = DescrKind.ITEM, DescrKind.ARRAY
    length = Memory(array, lambda d, h, _array, p: h.length(p), requires=(IS_ARRAY,), on=on)
    new = Memory(array, lambda d, h, string, n: h.new_array(string, n, False), requires=(LENGTH,), on=on)
    get = Memory(item, lambda d, h, slot, p, i: h.get(p, slot, i), requires=(OBJECT, INDEX, WRITTEN), loads=True, on=on)
    put = Memory(
        item,
        lambda d, h, slot, p, i, value: h.set_item(p, slot, i, value),
        requires=(OBJECT, INDEX, FITS, CHANGES, _VARIABLE),
        stores=2,
        on=on,
    )
    copy = Memory(item, copy_items, requires=(*COPY_REQUIRES, _TO_VARIABLE), on=on)
    scan = Memory(item, lambda d, h, slot, p: h.hash(p, slot), requires=(OBJECT, _ALL_WRITTEN), on=on)
    return [
        memory_row(f"{stem}len", (REF,), INT, Kind.PURE, length, **width),
        memory_row(f"new{stem}", (INT,), REF, Kind.NEW, new, in_exit_block=True, **width),
        memory_row(f"{stem}getitem", (REF, INT), INT, Kind.LOAD, get, **width),
        memory_row(f"{stem}setitem", (REF, INT, INT), VOID, Kind.STORE, put, in_exit_block=True, **width),
        memory_row(f"copy{stem}content", (REF, REF, INT, INT, INT), VOID, Kind.COPY, copy, in_exit_block=True, **width),
        memory_row(f"{stem}hash", (REF,), INT, Kind.SCAN, scan, **width),
    ]


STRING_ROWS = [*_rows(STR, "str"), *_rows(UNICODE, "unicode")]
