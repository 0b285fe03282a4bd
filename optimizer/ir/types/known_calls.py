"""Calls that do what is known of operations on memory: their oopspecs say so.

Such a call is no event; its meaning is that of a row which traces cannot name.

Functions on strings, here of bytes, with what they are called with:

    strconcat(p, q)                    a new string: the items of both
    strslice(p, i, j)                  a new string: the items from i on, up to j
    strequal(p, q)                     are both NULL, or two strings with the same items?
    streq_slice_checknull(p, i, n, q)  is q a string, and its items the n of p from i on?
    streq_slice_nonnull(p, i, n, q)    the same, where q is not NULL
    streq_slice_char(p, i, n, c)       is n 1, and c the item?
    streq_nonnull(p, q)                as strequal, where neither is NULL
    streq_nonnull_char(p, c)           is c the only item?
    streq_checknull_char(p, c)         the same, if p is not NULL
    streq_lengthok(p, q)               as streq_nonnull, where the lengths are the same

`STRING_CALLS` has the twins for code points, and other spellings. And copies of a range of items, where `writes` names
the type of the arrays:

    arraycopy(p, q, i, j, n)           n items of p from i on become those of q from j on
    arraymove(p, i, j, n)              the same within one array
"""

from __future__ import annotations

from typing import Any

from optimizer.ir.rows.domain import Domain
from optimizer.ir.rows.heap_rows import LENGTH, WRITTEN
from optimizer.ir.rows.row import EVENT, FLOAT, INT, REF, VOID, DescrKind, Kind, Meaning, Memory, Op, Requirement, Type
from optimizer.ir.rows.string_rows import COPIED, COPY_REQUIRES, copy_items, holds_range
from optimizer.ir.text.string_text import HIGHEST, STR, UNICODE
from optimizer.ir.trace import Operation
from optimizer.ir.types.declared import Call
from optimizer.ir.types.layout import Layout
from optimizer.ir.types.memory_types import string_type


def meant(operation: Operation, layout: Layout) -> Operation:
    """The operation on memory that the call stands for, if that is known; any other operation as it is."""
    if operation.op.kind is not EVENT or operation.descr is None or not operation.op.is_call:
        return operation
    call = layout.call(operation.descr)
    if call is None or call.oopspec is None:
        return operation
    row = string_call(call, operation)
    if row is not None:
        return Operation(row, operation.args[1:], operation.result, None, None, operation.line)
    return _array_copy(call, operation, layout) or operation


# Copies of items.

_COPY_ITEMS = Memory(DescrKind.ITEM, copy_items, requires=COPY_REQUIRES)
_COPY = Op("copy", COPIED, VOID, Kind.COPY, memory=_COPY_ITEMS)


def _array_copy(call: Call, operation: Operation, layout: Layout) -> Operation | None:
    """The copy that the call stands for; None where it is none, or not modelled."""
    args = operation.args[1:]
    if call.oopspec == "arraymove":
        args = (*args[:1], *args)
    elif call.oopspec != "arraycopy":
        return None
    if operation.op.name != "call_n" or call.can_raise or tuple(arg.type for arg in args) != COPIED:
        return None
    array = layout.array(call.writes[0]) if len(call.writes) == 1 else None
    if array is None or not array.declared or array.item is None or array.item.immutable:
        return None
    if array.item.type is FLOAT or array.name in HIGHEST:
        return None
    return Operation(_COPY, args, None, None, array.name, operation.line)


# Functions on strings: new ones, and comparisons. What is compared item by item must have been written.


def _concat(d: Domain[Any, Any], h: Any, slot: Any, p: Any, q: Any) -> Any:
    left, right = h.length(p), h.length(q)
    made = h.new_filled(string_type(slot.owner, d.width), d.add(left, right))
    h.copy_items(slot, p, d.const(0), made, d.const(0), left)
    h.copy_items(slot, q, d.const(0), made, left, right)
    return made


def _slice(d: Domain[Any, Any], h: Any, slot: Any, p: Any, i: Any, j: Any) -> Any:
    count = d.sub(j, i)
    made = h.new_filled(string_type(slot.owner, d.width), count)
    h.copy_items(slot, p, i, made, d.const(0), count)
    return made


def _has_items(d: Domain[Any, Any], h: Any, slot: Any, p: Any, start: Any, count: Any, q: Any) -> Any:
    """Are the items of `q` so many of `p`?"""
    return d.both(d.eq(count, h.length(q)), h.same_items(slot, p, start, q, d.const(0), count))


def _equal(d: Domain[Any, Any], h: Any, slot: Any, p: Any, q: Any) -> Any:
    there = d.both(h.isa(p, slot.owner), h.isa(q, slot.owner))
    same = d.both(there, _has_items(d, h, slot, p, d.const(0), h.length(p), q))
    return d.bit(d.either(h.is_known_same(p, q), same))


def _equal_slice(d: Domain[Any, Any], h: Any, slot: Any, p: Any, i: Any, n: Any, q: Any) -> Any:
    return d.bit(d.both(h.isa(q, slot.owner), _has_items(d, h, slot, p, i, n, q)))


def _equal_slice_char(d: Domain[Any, Any], h: Any, slot: Any, p: Any, i: Any, n: Any, c: Any) -> Any:
    return d.bit(d.both(d.eq(n, d.const(1)), h.holds(p, slot, i, c)))


def _equal_char(d: Domain[Any, Any], h: Any, slot: Any, p: Any, c: Any) -> Any:
    return _equal_slice_char(d, h, slot, p, d.const(0), h.length(p), c)


def _compared_are_written(d: Domain[Any, Any], h: Any, slot: Any, p: Any, i: Any, n: Any, q: Any) -> Any:
    """The condition that the `n` items compared have been written, in both: if the length of `q` is `n`, and neither is
    NULL."""
    written = d.both(h.are_set(p, slot, i, n), h.are_set(q, slot, d.const(0), h.length(q)))
    return d.either(d.either(h.is_null(p), h.is_null(q)), d.either(d.ne(n, h.length(q)), written))


def _whole_is_written(d: Domain[Any, Any], h: Any, slot: Any, p: Any, q: Any) -> Any:
    return d.either(h.is_known_same(p, q), _compared_are_written(d, h, slot, p, d.const(0), h.length(p), q))


def _char_is_written(d: Domain[Any, Any], h: Any, slot: Any, p: Any, i: Any, n: Any, _c: Any) -> Any:
    return d.either(d.ne(n, d.const(1)), h.is_set(p, slot, i))


def _only_is_written(d: Domain[Any, Any], h: Any, slot: Any, p: Any, c: Any) -> Any:
    return _char_is_written(d, h, slot, p, d.const(0), h.length(p), c)


def _string(index: int) -> Requirement:
    return (
        lambda d, h, slot, *args: h.isa(args[index], slot.owner),
        "the object is NULL or no string of that kind",
    )


def _string_or_null(index: int) -> Requirement:
    return (
        lambda d, h, slot, *args: d.either(h.is_null(args[index]), h.isa(args[index], slot.owner)),
        "one of the objects is no string of that kind",
    )


_NOT_INSIDE = "the slice is not inside its string"
_TOTAL: Requirement = (
    lambda d, h, _slot, p, q: d.sle(d.const(0), d.add(h.length(p), h.length(q))),
    "the sum of the lengths overflows",
)
_ORDER: Requirement = (lambda d, h, _slot, _p, i, j: d.both(d.sle(d.const(0), i), d.sle(i, j)), LENGTH[1])
_INSIDE: Requirement = (lambda d, h, _slot, p, _i, j: d.sle(j, h.length(p)), _NOT_INSIDE)
_COUNT: Requirement = (lambda d, h, _slot, _p, _i, n, *_: d.sle(d.const(0), n), LENGTH[1])
_RANGE: Requirement = (lambda d, h, _slot, p, i, n, *_: holds_range(d, h, p, i, n), _NOT_INSIDE)
_SAME_LENGTH: Requirement = (lambda d, h, _slot, p, q: d.eq(h.length(p), h.length(q)), "the lengths differ")
_STRING, _STRINGS = (_string(0),), (_string(0), _string(1))
_SLICE, _IN_RANGE = (REF, INT, INT), (_COUNT, _RANGE)
_MEANINGS: dict[str, tuple[tuple[Type, ...], Meaning, tuple[Requirement, ...], Meaning | None]] = {
    "concat": ((REF, REF), _concat, (*_STRINGS, _TOTAL), None),
    "slice": (_SLICE, _slice, (*_STRING, _ORDER, _INSIDE), None),
    "equal": ((REF, REF), _equal, (_string_or_null(0), _string_or_null(1)), _whole_is_written),
    "eq_slice_checknull": (
        (*_SLICE, REF),
        _equal_slice,
        (*_STRING, _string_or_null(3), *_IN_RANGE),
        _compared_are_written,
    ),
    "eq_slice_nonnull": ((*_SLICE, REF), _equal_slice, (*_STRING, _string(3), *_IN_RANGE), _compared_are_written),
    "eq_slice_char": ((*_SLICE, INT), _equal_slice_char, (*_STRING, *_IN_RANGE), _char_is_written),
    "eq_nonnull": ((REF, REF), _equal, _STRINGS, _whole_is_written),
    "eq_nonnull_char": ((REF, INT), _equal_char, _STRING, _only_is_written),
    "eq_checknull_char": ((REF, INT), _equal_char, (_string_or_null(0),), _only_is_written),
    "eq_lengthok": ((REF, REF), _equal, (*_STRINGS, _SAME_LENGTH), _whole_is_written),
}
"""Arguments, result and requirements, and when what is compared has been written; without that, a string is made."""


def _row(what: str, on: str) -> Op:
    args, meaning, requires, written = _MEANINGS[what]
    if written is None:
        return Op(f"{on}{what}", args, REF, Kind.NEW, memory=Memory(DescrKind.ITEM, meaning, requires=requires, on=on))
    memory = Memory(DescrKind.ITEM, meaning, requires=(*requires, (written, WRITTEN[1])), on=on)
    return Op(f"{on}{what}", args, INT, Kind.SCAN, memory=memory)


_STEMS = {STR: ("str", "str."), UNICODE: ("unicode", "uni", "unicode.")}

STRING_CALLS: dict[str, Op] = {
    f"{stem}{what}": row
    for what in _MEANINGS
    for on, stems in _STEMS.items()
    for row in [_row(what, on)]
    for stem in stems
}
"""The operations that oopspecs stand for: the twin of `strconcat` is `unicodeconcat`, or `uniconcat`; there may be a
dot."""


def string_call(call: Call, operation: Operation) -> Op | None:
    """The row that says what the call does; None where that is not known. `stroruni.concat` is about code points where
    the call is declared to read `unicode`. It raises nothing: running out of memory is modelled nowhere."""
    memory, oopspec = operation.op.memory, call.oopspec or ""
    if oopspec.startswith("stroruni."):
        oopspec = oopspec.replace("stroruni.", "unicode." if UNICODE in call.reads else "str.", 1)
    row = STRING_CALLS.get(oopspec)
    if row is None or memory is None or memory.function != 0:
        return None
    fits = tuple(arg.type for arg in operation.args[1:]) == row.args and operation.op.result is row.result
    return row if fits and not call.loop_invariant else None
