"""Constant strings with which both traces compare one string, by functions of several names."""

from __future__ import annotations

import pytest

from tests.validator.pypy.test_sameness import met

AT = "debug_merge_point(0, 0, 'f;a.py:4-1~#{} COMPARE_OP')"
STREQ = "i{} = call_pure_i(ConstClass(ll_streq), {}, ConstPtr(ptr{}), descr=<Calli 1 rr EF=0 OS=24>)"
NONNULL = STREQ.replace("pure_", "").replace("ll_streq", "_ll_2_str_eq_nonnull").replace("OS=24", "OS=28")
CHARACTER = NONNULL.replace("nonnull", "nonnull_char").replace("{}, ConstPtr(ptr{})", "ConstPtr(ptr{1}), {0}")
SLICE = "p5 = call_r(ConstClass(_ll_3_stringslice), p0, i4, 9, descr=<Callr 8 rii EF=0 OS=23>)"
OF_SLICE = (
    "i{} = call_i(ConstClass(_ll_4_str_eq_slice_nonnull), {}, i4, 2, ConstPtr(ptr{}), descr=<Calli 8 riir EF=0 OS=26>)"
)
"""Calls that compare strings: as recorded, and as PyPy's optimizer has them."""


def trace(*lines: str) -> str:
    return "\n".join([AT.format(1), *lines, AT.format(2), "finish()"])


def test_one_with_which_a_string_is_compared_is_the_same_whatever_the_function() -> None:
    assert met(trace(STREQ.format(3, "p0", 1)), trace(NONNULL.format(3, "p0", 11)), "ptr1", "ptr11")


@pytest.mark.parametrize("string", ["p1", "p9"])
def test_but_that_of_another_string_is_not(string: str) -> None:
    assert not met(trace(STREQ.format(3, "p0", 1)), trace(NONNULL.format(3, string, 11)), "ptr1", "ptr11")


def test_nor_is_that_at_another_position() -> None:
    recorded, optimized = STREQ.format(3, "p0", 1), NONNULL.format(3, "p0", 11)
    assert not met(trace(recorded, AT.format(7)), trace(AT.format(7), optimized), "ptr1", "ptr11")


def test_nor_one_of_two_with_which_the_string_is_compared_there() -> None:
    recorded = trace(STREQ.format(3, "p0", 1), STREQ.format(4, "p0", 2))
    assert not met(recorded, trace(NONNULL.format(3, "p0", 11)), "ptr1", "ptr11")
    assert not met(recorded, trace(NONNULL.format(3, "p0", 11)), "ptr2", "ptr11")


@pytest.mark.parametrize(("index", "expected"), [("0", True), ("1", False)])
def test_a_string_of_one_character_is_compared_by_that(index: str, *, expected: bool) -> None:
    character = f"i4 = strgetitem(p0, {index})"
    optimized = f"i3 = {CHARACTER.partition('= ')[2].format('i4', 11)}"
    assert met(trace(STREQ.format(3, "p0", 1)), trace(character, optimized), "ptr1", "ptr11") is expected


@pytest.mark.parametrize(("string", "expected"), [("p0", True), ("p9", False)])
def test_a_range_is_compared_where_it_begins(string: str, *, expected: bool) -> None:
    recorded = trace(SLICE, STREQ.format(3, "p5", 1))
    assert met(recorded, trace(OF_SLICE.format(3, string, 11)), "ptr1", "ptr11") is expected
