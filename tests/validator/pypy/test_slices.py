"""Ranges of constant strings: the optimized trace looks at the items of the string, by a number of its own."""

from __future__ import annotations

import pytest

from tests.pypy_logs import judged_bridge
from validator import Proved

STARTS = ("i2 = getfield_gc_i(p0, descr=<FieldS Reader.inst_place 8>)", "i3 = int_add(i2, 1)")
SLICE = "p{0} = call_pure_r(ConstClass(slice), ConstPtr(ptr{1}), {2}, i3, descr=<Callr 8 rii EF=3 OS=23>)"
IN_RANGE = (
    "i20 = int_ge(i2, 0)",
    "guard_true(i20{0})",
    "i21 = strlen(ConstPtr(ptr{1}))",
    "i22 = int_lt(i2, i21)",
    "guard_true(i22{0})",
)
LOOKS = "i5 = strgetitem(p4, 0)"
GUARD = ", descr=<Guard0x7f20>"


def is_proved(before: tuple[str, ...], looks: str) -> bool:
    """Is it right to look at an item so in the place of the first item of the range?"""
    asked = [line.format("", 9).replace("ConstPtr(ptr9)", "ConstPtr(ptr1)") for line in IN_RANGE]
    kept = [line.format(GUARD, 9).replace("ConstPtr(ptr9)", "ConstPtr(ptr1)") for line in IN_RANGE]
    kept = [line + " [p0]" * line.startswith("guard") for line in kept]
    first = (*STARTS, *asked, *before, LOOKS, "i6 = int_add(i5, 7)", "finish(i6)")
    after = (*STARTS, *kept, looks, "i6 = int_add(i5, 7)", "finish(i6)")
    return isinstance(judged_bridge(first, after).verdict, Proved)


def test_it_is_the_string_of_which_the_range_is() -> None:
    assert is_proved((SLICE.format(4, 1, "i2"),), "i5 = strgetitem(ConstPtr(ptr30), i2)")


@pytest.mark.parametrize(
    ("before", "looks"),
    [
        pytest.param((SLICE.format(4, 1, "i2"),), "i5 = strgetitem(ConstPtr(ptr30), i3)", id="another place"),
        pytest.param(
            (SLICE.format(4, 1, "i2"), SLICE.format(7, 2, "i2"), "guard_nonnull(p7)", "i8 = strgetitem(p7, 0)"),
            "i5 = strgetitem(ConstPtr(ptr30), i2)",
            id="two strings",
        ),
    ],
)
def test_it_may_be_another_string(before: tuple[str, ...], looks: str) -> None:
    assert not is_proved(before, looks)
