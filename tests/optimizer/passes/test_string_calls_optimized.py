"""What the optimizer makes of calls of functions on strings."""

from __future__ import annotations

import pytest
from cases import assert_proved_to_become
from reference_strings import DECLARATIONS

EQUAL = "i9 = call_i(1, {}, {}, descr=strequal)"
SLICE = "p5 = call_r(1, p0, {}, i3, descr=strslice)"
CONCAT = "p5 = call_r(1, {}, {}, descr=strconcat)"
THERE = "guard_nonnull(p0) []"
STILL = "guard_nonnull(p0, origin=0) []"

CASES = {
    "a string and itself": ([EQUAL.format("p0", "p0"), "finish(i9)"], ["finish(1)"]),
    "constants": ([EQUAL.format('"ab"', '"ac"'), "finish(i9)"], ["finish(0)"]),
    "NULL": ([THERE, EQUAL.format("NULL", "p0"), "finish(i9)"], [STILL, "finish(0)"]),
    "what may be NULL": ([EQUAL.format("p0", '""'), "finish(i9)"],) * 2,
    "the empty string": (
        [THERE, EQUAL.format("p0", '""'), "finish(i9)"],
        [STILL, "i0 = strlen(p0)", "i9 = int_is_zero(i0)", "finish(i9)"],
    ),
    "the empty string, its length being known": (
        ["i4 = strlen(p0)", EQUAL.format("p0", '""'), "finish(i4, i9)"],
        ["i4 = strlen(p0)", "i9 = int_is_zero(i4)", "finish(i4, i9)"],
    ),
    "another length": (
        ["i4 = strlen(p0)", "guard_value(i4, 2) []", EQUAL.format("p0", '"abc"'), "finish(i9)"],
        ["i4 = strlen(p0)", "guard_value(i4, 2, origin=0) []", "finish(0)"],
    ),
    "a character": (
        ["i4 = strlen(p0)", "guard_value(i4, 1) []", EQUAL.format("p0", '"x"'), "finish(i9)"],
        [
            "i4 = strlen(p0)",
            "guard_value(i4, 1, origin=0) []",
            "i0 = strgetitem(p0, 0)",
            "i9 = int_eq(i0, 120)",
            "finish(i9)",
        ],
    ),
    "a character of a slice": (
        ["i9 = call_i(1, p0, i2, 1, i3, descr=streq_slice_char)", "finish(i9)"],
        ["i0 = strgetitem(p0, i2)", "i9 = int_eq(i0, i3)", "finish(i9)"],
    ),
    "no character": (["i9 = call_i(1, p0, i2, 2, i3, descr=streq_slice_char)", "finish(i9)"], ["finish(0)"]),
    "an empty slice": (
        ['i9 = call_i(1, p0, i2, i3, "", descr=streq_slice_nonnull)', "finish(i9)"],
        ["i9 = int_is_zero(i3)", "finish(i9)"],
    ),
    "a slice of a constant": (
        ['i9 = call_i(1, "abc", 1, 2, "bc", descr=streq_slice_checknull)', "finish(i9)"],
        ["finish(1)"],
    ),
    "a character of a string": (["i9 = call_i(1, NULL, 65, descr=streq_checknull_char)", "finish(i9)"], ["finish(0)"]),
    "the same comparison, bytes being stored between": (
        [
            EQUAL.format("p0", "p1"),
            "gc_store(p0, 16, 9, 1)",
            EQUAL.format("p0", "p1").replace("i9", "i8"),
            "finish(i8, i9)",
        ],
    )
    * 2,
    "the same comparison": (
        [EQUAL.format("p0", "p1"), EQUAL.format("p1", "p0").replace("i9", "i8"), "finish(i8, i9)"],
        [EQUAL.format("p0", "p1"), "finish(i9, i9)"],
    ),
    "the same comparison of what has changed": (
        [
            EQUAL.format("p0", "p1"),
            "strsetitem(p1, 0, 65)",
            EQUAL.format("p0", "p1").replace("i9", "i8"),
            "finish(i8, i9)",
        ],
    )
    * 2,
    "the same hash": (
        ["i4 = strhash(p0)", "i5 = strhash(p0)", "finish(i4, i5)"],
        ["i4 = strhash(p0)", "finish(i4, i4)"],
    ),
    "the same hash behind an event": (
        ["i4 = strhash(p0)", "escape_n()", "i5 = strhash(p0)", "finish(i4, i5)"],
        ["i4 = strhash(p0)", "escape_n()", "finish(i4, i4)"],
    ),
    "an item behind an event": (
        ["i4 = strgetitem(p0, 1)", "escape_n()", "i5 = strgetitem(p0, 1)", "finish(i4, i5)"],
        ["i4 = strgetitem(p0, 1)", "escape_n()", "finish(i4, i4)"],
    ),
    "a slice that is not made": (
        [
            SLICE.format("2"),
            "i4 = strlen(p5)",
            "i6 = strgetitem(p5, 1)",
            "i7 = strgetitem(p5, i2)",
            "finish(i4, i6, i7)",
        ],
        [
            "i4 = int_add(i3, -2)",
            "i6 = strgetitem(p0, 3)",
            "i1 = int_add(i2, 2)",
            "i7 = strgetitem(p0, i1)",
            "finish(i4, i6, i7)",
        ],
    ),
    "a slice from the start": (
        [SLICE.format("0"), "i4 = strlen(p5)", "i6 = strgetitem(p5, i2)", "finish(i4, i6)"],
        ["i6 = strgetitem(p0, i2)", "finish(i3, i6)"],
    ),
    "the numbers of a slice": (
        [SLICE.format("i2"), "i4 = int_lt(i2, 0)", "i6 = int_lt(i3, 0)", "finish(p5, i4, i6)"],
        [SLICE.format("i2"), "finish(p5, 0, 0)"],
    ),
    "the numbers of a slice that ends at a constant": (
        ["p5 = call_r(1, p0, i2, 7, descr=strslice)", "i4 = int_gt(i2, 7)", "i6 = int_gt(i2, 6)", "finish(p5, i4, i6)"],
        ["p5 = call_r(1, p0, i2, 7, descr=strslice)", "i6 = int_gt(i2, 6)", "finish(p5, 0, i6)"],
    ),
    "the end of a slice that may be the next item": (
        [SLICE.format("i2"), "i4 = int_add_ovf(i3, 1)", "guard_no_overflow() []", "finish(p5, i4)"],
        [SLICE.format("i2"), "i4 = int_add_ovf(i3, 1)", "guard_no_overflow(origin=0) []", "finish(p5, i4)"],
    ),
    "a slice, and a store to a field": (
        [SLICE.format("0"), "setfield_gc(p1, 7, descr=f)", "i4 = strlen(p5)", "finish(i4)"],
        ["setfield_gc(p1, 7, descr=f)", "finish(i3)"],
    ),
    "the same comparison, items of an array being stored between": (
        [
            EQUAL.format("p0", "p1"),
            "setarrayitem_gc(p1, 0, 7, descr=a)",
            EQUAL.format("p0", "p1").replace("i9", "i8"),
            "finish(i8, i9)",
        ],
        [EQUAL.format("p0", "p1"), "setarrayitem_gc(p1, 0, 7, descr=a)", "finish(i9, i9)"],
    ),
    "a slice of what changes": (
        [SLICE.format("0"), "strsetitem(p1, 0, 65)", "i6 = strgetitem(p5, i2)", "finish(i6)"],
        [SLICE.format("0"), "i6 = strgetitem(p5, i2)", "strsetitem(p1, 0, 65)", "finish(i6)"],
    ),
    "an item of a concatenation": (
        [CONCAT.format('"ab"', "p0"), "i4 = strgetitem(p5, 1)", "i6 = strgetitem(p5, 3)", "finish(i4, i6)"],
        ["i6 = strgetitem(p0, 1)", "finish(98, i6)"],
    ),
    "a store ahead of a comparison": (
        ["strsetitem(p0, 0, 65)", EQUAL.format("p0", "p1"), "strsetitem(p0, 0, 66)", "finish(i9)"],
    )
    * 2,
}


@pytest.mark.parametrize("name", CASES)
def test_functions_on_strings(name: str) -> None:
    before, after = ("\n".join(["[p0, p1, i2, i3]", *lines, ""]) for lines in CASES[name])
    assert_proved_to_become(before, after, DECLARATIONS)
