"""The rows of operations on strings: arrays of bytes (`str`) or of code points (`unicode`).

They are those of arrays, on types that are built in, and two more: one that copies a range of items, and the hash.
"""

from __future__ import annotations

from typing import Any

from optimizer.ir.rows.domain import Domain
from optimizer.ir.rows.heap_rows import LENGTH, OBJECT, WRITTEN, length_of, load, new_array, store
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


_STRINGS: Requirement = (
    lambda d, h, slot, p, q, *_: d.both(h.isa(p, slot.owner), h.isa(q, slot.owner)),
    "one of the objects is NULL or not of the type",
)
_COUNT: Requirement = (lambda d, h, _slot, _p, _q, _s, _at, count: d.sle(d.const(0), count), LENGTH[1])
_RANGES: Requirement = (_both_hold, "a range is not inside its string or array")
_TO_VARIABLE: Requirement = (lambda d, h, _slot, _p, q, *_: d.not_(h.is_text(q)), _VARIABLE[1])
_ALL_WRITTEN: Requirement = (lambda d, h, slot, p: h.are_set(p, slot, d.const(0), h.length(p)), WRITTEN[1])

COPIED = (REF, REF, INT, INT, INT)
"""The arguments of a copy of items: from where, to where, the first one of each, and how many."""

COPY_REQUIRES = (_STRINGS, _COUNT, _RANGES)


def copy_items(_d: Domain[Any, Any], h: Any, slot: Any, p: Any, q: Any, start: Any, at: Any, count: Any) -> None:
    h.copy_items(slot, p, start, q, at, count)


def _rows(on: str, stem: str) -> list[Op]:
    more: dict[str, Any] = {"on": on, "min_word": _MIN_WORD[on]}
    copy = Memory(DescrKind.ITEM, copy_items, requires=(*COPY_REQUIRES, _TO_VARIABLE), on=on)
    scan = Memory(DescrKind.ITEM, lambda d, h, slot, p: h.hash(p, slot), requires=(OBJECT, _ALL_WRITTEN), on=on)
    return [
        length_of(f"{stem}len", **more),
        new_array(f"new{stem}", cleared=False, **more),
        load(f"{stem}getitem", INT, DescrKind.ITEM, 1, **more),
        store(f"{stem}setitem", INT, DescrKind.ITEM, 1, _VARIABLE, **more),
        Op(f"copy{stem}content", COPIED, VOID, Kind.COPY, memory=copy, min_word=_MIN_WORD[on]),
        Op(f"{stem}hash", (REF,), INT, Kind.SCAN, memory=scan, min_word=_MIN_WORD[on]),
    ]


STRING_ROWS = [*_rows(STR, "str"), *_rows(UNICODE, "unicode")]
