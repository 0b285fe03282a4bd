"""Calls of functions on strings that are known by the oopspecs of their descrs.

What the functions are called, of strings of bytes, with what they are called with:

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

`STRING_CALLS` has the twins for code points, and other spellings. Such a call is no event. Its meaning is that of a row
which traces cannot name.
"""

from __future__ import annotations

from typing import Any

from optimizer.ir.rows.domain import Domain
from optimizer.ir.rows.heap_rows import LENGTH, WRITTEN, memory_row
from optimizer.ir.rows.row import INT, REF, DescrKind, Kind, Meaning, Memory, Op, Requirement, Type
from optimizer.ir.rows.string_rows import holds_range
from optimizer.ir.text.string_text import STR, UNICODE, is_text, read_text, write_text
from optimizer.ir.trace import ConstInt, ConstRef, Operation, Value
from optimizer.ir.types.declared import Call
from optimizer.ir.types.memory_types import string_type

_NO_STRING = "the object is NULL or no string of that kind"


def _string(h: Any, slot: Any, p: Any) -> Any:
    return h.isa(p, slot.owner)


def _string_or_null(d: Domain[Any, Any], h: Any, slot: Any, p: Any) -> Any:
    return d.either(h.is_null(p), h.isa(p, slot.owner))


def _written(d: Domain[Any, Any], h: Any, slot: Any, p: Any) -> Any:
    return h.are_set(p, slot, d.const(0), h.length(p))


def _has_items(d: Domain[Any, Any], h: Any, slot: Any, p: Any, start: Any, count: Any, q: Any) -> Any:
    """Are the items of `q` so many of `p`?"""
    return d.both(d.eq(count, h.length(q)), h.same_items(slot, p, start, q, d.const(0), count))


# New strings.

_STRINGS: Requirement = (lambda d, h, slot, p, q: d.both(_string(h, slot, p), _string(h, slot, q)), _NO_STRING)
_STRING: Requirement = (lambda d, h, slot, p, *_: _string(h, slot, p), _NO_STRING)
_TOTAL: Requirement = (
    lambda d, h, _slot, p, q: d.sle(d.const(0), d.add(h.length(p), h.length(q))),
    "the sum of the lengths overflows",
)
_ORDER: Requirement = (lambda d, h, _slot, _p, i, j: d.both(d.sle(d.const(0), i), d.sle(i, j)), LENGTH[1])
_INSIDE: Requirement = (lambda d, h, _slot, p, _i, j: d.sle(j, h.length(p)), "the slice is not inside its string")


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


# Comparisons. What is compared item by item must have been written.

_STRINGS_OR_NULL: Requirement = (
    lambda d, h, slot, p, q: d.both(_string_or_null(d, h, slot, p), _string_or_null(d, h, slot, q)),
    "one of the objects is no string of that kind",
)
_STRING_OR_NULL: Requirement = (lambda d, h, slot, p, _c: _string_or_null(d, h, slot, p), _STRINGS_OR_NULL[1])
_OTHER: Requirement = (lambda d, h, slot, _p, _i, _n, q: _string(h, slot, q), _NO_STRING)
_OTHER_OR_NULL: Requirement = (
    lambda d, h, slot, _p, _i, _n, q: _string_or_null(d, h, slot, q),
    _STRINGS_OR_NULL[1],
)
_COUNT: Requirement = (lambda d, h, _slot, _p, _i, n, *_: d.sle(d.const(0), n), LENGTH[1])
_RANGE: Requirement = (lambda d, h, _slot, p, i, n, *_: holds_range(d, h, p, i, n), _INSIDE[1])
_SAME_LENGTH: Requirement = (lambda d, h, _slot, p, q: d.eq(h.length(p), h.length(q)), "the lengths differ")


def _compared_are_written(d: Domain[Any, Any], h: Any, slot: Any, p: Any, i: Any, n: Any, q: Any) -> Any:
    """What is compared, so many items, is written: if the length of `q` is the same, and it is one."""
    written = d.both(h.are_set(p, slot, i, n), _written(d, h, slot, q))
    return d.either(d.either(h.is_null(p), h.is_null(q)), d.either(d.ne(n, h.length(q)), written))


def _whole_is_written(d: Domain[Any, Any], h: Any, slot: Any, p: Any, q: Any) -> Any:
    return d.either(h.is_known_same(p, q), _compared_are_written(d, h, slot, p, d.const(0), h.length(p), q))


def _char_is_written(d: Domain[Any, Any], h: Any, slot: Any, p: Any, i: Any, n: Any) -> Any:
    return d.either(d.ne(n, d.const(1)), h.is_set(p, slot, i))


_WHOLE_WRITTEN: Requirement = (_whole_is_written, WRITTEN[1])
_RANGE_WRITTEN: Requirement = (_compared_are_written, WRITTEN[1])
_CHAR_WRITTEN: Requirement = (lambda d, h, slot, p, i, n, _c: _char_is_written(d, h, slot, p, i, n), WRITTEN[1])
_ONLY_WRITTEN: Requirement = (
    lambda d, h, slot, p, _c: _char_is_written(d, h, slot, p, d.const(0), h.length(p)),
    WRITTEN[1],
)


def _equal(d: Domain[Any, Any], h: Any, slot: Any, p: Any, q: Any) -> Any:
    there = d.both(_string(h, slot, p), _string(h, slot, q))
    same = d.both(there, _has_items(d, h, slot, p, d.const(0), h.length(p), q))
    return d.bit(d.either(h.is_known_same(p, q), same))


def _equal_slice(d: Domain[Any, Any], h: Any, slot: Any, p: Any, i: Any, n: Any, q: Any) -> Any:
    return d.bit(d.both(_string(h, slot, q), _has_items(d, h, slot, p, i, n, q)))


def _equal_slice_char(d: Domain[Any, Any], h: Any, slot: Any, p: Any, i: Any, n: Any, c: Any) -> Any:
    return d.bit(d.both(d.eq(n, d.const(1)), h.holds(p, slot, i, c)))


def _equal_char(d: Domain[Any, Any], h: Any, slot: Any, p: Any, c: Any) -> Any:
    return d.bit(d.both(d.eq(h.length(p), d.const(1)), h.holds(p, slot, d.const(0), c)))


def folded(row: Op, args: tuple[Value, ...]) -> str | None:
    """The constant that has the items of the string which a row of constants makes; None where that is not known, or
    not defined."""
    texts = [read_text(arg.text) for arg in args if isinstance(arg, ConstRef) and is_text(arg.text)]
    numbers = [arg.value for arg in args if isinstance(arg, ConstInt)]
    if len(texts) + len(numbers) < len(args) or any(kind != (row.memory and row.memory.on) for kind, _ in texts):
        return None
    match [items for _, items in texts], numbers:
        case [one, other], []:
            return write_text(texts[0][0], one + other)
        case [whole], [start, stop] if 0 <= start <= stop <= len(whole):
            return write_text(texts[0][0], whole[start:stop])
    return None


_MEANINGS: dict[str, tuple[tuple[Type, ...], Meaning, tuple[Requirement, ...]]] = {
    "concat": ((REF, REF), _concat, (_STRINGS, _TOTAL)),
    "slice": ((REF, INT, INT), _slice, (_STRING, _ORDER, _INSIDE)),
    "equal": ((REF, REF), _equal, (_STRINGS_OR_NULL, _WHOLE_WRITTEN)),
    "eq_slice_checknull": (
        (REF, INT, INT, REF),
        _equal_slice,
        (_STRING, _OTHER_OR_NULL, _COUNT, _RANGE, _RANGE_WRITTEN),
    ),
    "eq_slice_nonnull": ((REF, INT, INT, REF), _equal_slice, (_STRING, _OTHER, _COUNT, _RANGE, _RANGE_WRITTEN)),
    "eq_slice_char": ((REF, INT, INT, INT), _equal_slice_char, (_STRING, _COUNT, _RANGE, _CHAR_WRITTEN)),
    "eq_nonnull": ((REF, REF), _equal, (_STRINGS, _WHOLE_WRITTEN)),
    "eq_nonnull_char": ((REF, INT), _equal_char, (_STRING, _ONLY_WRITTEN)),
    "eq_checknull_char": ((REF, INT), _equal_char, (_STRING_OR_NULL, _ONLY_WRITTEN)),
    "eq_lengthok": ((REF, REF), _equal, (_STRINGS, _SAME_LENGTH, _WHOLE_WRITTEN)),
}


def _row(what: str, on: str) -> Op:
    args, meaning, requires = _MEANINGS[what]
    is_new = what in ("concat", "slice")
    memory = Memory(DescrKind.ITEM, meaning, requires=requires, on=on)
    return memory_row(f"{on}{what}", args, REF if is_new else INT, Kind.NEW if is_new else Kind.SCAN, memory)


_STEMS = {STR: ("str", "str."), UNICODE: ("unicode", "uni", "unicode.")}

STRING_CALLS: dict[str, Op] = {
    f"{stem}{what}": row
    for what in _MEANINGS
    for on, stems in _STEMS.items()
    for row in [_row(what, on)]
    for stem in stems
}
"""What oopspecs stand for: the twin of `strconcat` is `unicodeconcat`, or `uniconcat`; there may be a dot."""

_EITHER = "stroruni."


def string_call(call: Call, operation: Operation) -> Op | None:
    """The row that says what the call does; None where that is not known. `stroruni.concat` is about code points where
    the call is declared to read `unicode`. It raises nothing: running out of memory is modelled nowhere."""
    memory, oopspec = operation.op.memory, call.oopspec or ""
    if oopspec.startswith(_EITHER):
        oopspec = oopspec.replace(_EITHER, "unicode." if UNICODE in call.reads else "str.", 1)
    row = STRING_CALLS.get(oopspec)
    if row is None or memory is None or memory.function != 0:
        return None
    fits = tuple(arg.type for arg in operation.args[1:]) == row.args and operation.op.result is row.result
    return row if fits and not call.loop_invariant else None
