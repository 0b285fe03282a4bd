"""Divisions by constants that PyPy's optimizer has written as products are the same values, and others are not."""

from __future__ import annotations

from random import Random

import pytest

from optimizer.ir.dialects.pypy_log import read_traces
from optimizer.ir.dialects.pypy_pairs import LogPair, pair_sections
from optimizer.ir.rules.guesses import divisor
from validator import Proved
from validator.pypy.inferred.quotients import divides
from validator.pypy.inferred.sameness import Sameness
from validator.pypy.judge import judge
from validator.pypy.pair_text import translated
from validator.pypy.printed.rows import rows_of
from validator.pypy.printed.straight import AFTER, BEFORE
from validator.pypy.study import study

WORD = 1 << 64


def reciprocal(by: int) -> tuple[int, int]:
    """The factor, as it is printed, and the shift for a division by this number, which is no power of two."""
    shift = by.bit_length() - 1
    factor = (1 << 64 + shift) // by + 1
    return factor - WORD if factor >> 63 else factor, shift


def quotient(by: int, **changed: str) -> str:
    """The quotient i9 of i1 and the remainder i12, as PyPy's optimizer writes them."""
    factor, shift = reciprocal(by)
    parts = {"sign": "i1, 63", "size": "i1, i5", "high": f"i6, {factor}", "low": f"i7, {shift}", "whole": "i8, i5"}
    parts |= {"times": f"i9, {by}", "rest": "i1, i11"} | changed
    return f"""\
i5 = int_rshift({parts["sign"]})
i6 = int_xor({parts["size"]})
i7 = uint_mul_high({parts["high"]})
i8 = uint_rshift({parts["low"]})
i9 = int_xor({parts["whole"]})
i11 = int_mul({parts["times"]})
i12 = int_sub({parts["rest"]})
finish(i9, i12)"""


def log(recorded: str, optimized: str) -> str:
    def section(name: str, heading: str, text: str) -> str:
        lines = ["[p0, i1, i2]", *text.splitlines()]
        return "\n".join([f"[1] {{{name}", f"# {heading} with {len(lines) - 1} ops", *lines, f"[2] {name}}}", ""])

    return section("jit-log-noopt", "Traced loop or bridge", recorded) + section(
        "jit-log-opt-loop", "Loop 1 (f;a.py:1-2~#3 ADD) : entry bridge", optimized
    )


def pair(recorded: str, optimized: str) -> LogPair:
    (one,) = pair_sections(read_traces(log(recorded, optimized).splitlines()))
    assert isinstance(one, LogPair)
    return one


def calls(by: int) -> str:
    return f"""\
i3 = call_pure_i(ConstClass(div), i1, {by}, descr=<Calli 8 ii EF=0 OS=12>)
i4 = call_pure_i(ConstClass(mod), i1, {by}, descr=<Calli 8 ii EF=0 OS=14>)
finish(i3, i4)"""


def are_same(recorded: str, optimized: str, *results: str) -> list[bool]:
    """Are these results of the optimized trace the recorded i3 and i4, without the end, which says so?"""
    one = pair(
        recorded.replace("finish(i3, i4)", "finish(i2, i2)"), optimized.replace("finish(i9, i12)", "finish(i2, i2)")
    )
    sameness = Sameness(rows_of(translated(one, "log", study([one], "log")).sides))
    wanted = sameness.of(BEFORE, "i3"), sameness.of(BEFORE, "i4")
    return [sameness.of(AFTER, text) == node for text, node in zip(results, wanted, strict=True)]


@pytest.mark.parametrize("by", [3, 5, 7, 10, 255, 1000, 641 * 3, (1 << 31) - 1, (1 << 62) + 1])
def test_a_quotient_and_a_remainder_are_told_by_what_they_are(by: int) -> None:
    assert are_same(calls(by), quotient(by), "i9", "i12") == [True, True]


@pytest.mark.parametrize("by", [2, 8, 1 << 40])
def test_a_power_of_two_shifts_and_masks(by: int) -> None:
    optimized = f"i9 = int_rshift(i1, {by.bit_length() - 1})\ni12 = int_and(i1, {by - 1})\nfinish(i9, i12)"
    assert are_same(calls(by), optimized, "i9", "i12") == [True, True]
    wrong = f"i9 = int_rshift(i1, {by.bit_length()})\ni12 = int_and(i1, {by})\nfinish(i9, i12)"
    assert are_same(calls(by), wrong, "i9", "i12") == [False, False]


@pytest.mark.parametrize(
    ("made", "is_same"),
    [("int_and(i2, 255)", True), ("int_and(i2, -2)", False), ("int_add(i2, 1)", False), ("int_or(i2, 255)", False)],
)
def test_without_a_sign_what_is_divided_is_not_negative(made: str, is_same: bool) -> None:
    made = f"i5 = {made}\n"
    factor, shift = reciprocal(10)
    high = f"i6 = uint_mul_high(i5, {factor})\ni9 = uint_rshift(i6, {shift})\n"
    optimized = f"{made}{high}i11 = int_mul(i9, 10)\ni12 = int_sub(i5, i11)\nfinish(i9, i12)"
    assert are_same(made + calls(10).replace("i1,", "i5,"), optimized, "i9", "i12") == [is_same, is_same]


@pytest.mark.parametrize(
    "changed",
    [
        {"sign": "i1, 62"},
        {"sign": "i2, 63"},
        {"size": "i2, i5"},
        {"high": "i1, -3689348814741910323"},
        {"high": "i6, -3689348814741910325"},
        {"high": "i6, 3689348814741910323"},
        {"low": "i7, 2"},
        {"low": "i7, i2"},
        {"whole": "i8, i2"},
        {"whole": "i8, i6"},
    ],
)
def test_something_else_is_no_quotient(changed: dict[str, str]) -> None:
    assert are_same(calls(10), quotient(10), "i9", "i12") == [True, True]
    assert are_same(calls(10), quotient(10, **changed), "i9", "i12") == [False, False]


@pytest.mark.parametrize(
    "changed", [{"times": "i9, 11"}, {"times": "i8, 10"}, {"rest": "i2, i11"}, {"rest": "i11, i1"}]
)
def test_something_else_is_no_remainder(changed: dict[str, str]) -> None:
    assert are_same(calls(10), quotient(10, **changed), "i9", "i12") == [True, False]


def test_a_constant_behind_an_item_at_a_remainder_is_one() -> None:
    items, fields = "descr=<ArrayP 8>", "descr=<FieldP Box.map 8>"
    load = f"p20 = getarrayitem_gc_r(p0, {{}}, {items})\np21 = getfield_gc_r(p20, {fields})\n"
    find = f"{load}guard_value(p21, ConstPtr(ptr{{}}))\nfinish(i2)"
    recorded = calls(10).replace("finish(i3, i4)", find.format("i4", 1))
    optimized = quotient(10).replace(
        "finish(i9, i12)", find.format("i12", 2).replace("ptr2))", "ptr2), descr=<Guard0x1>) []")
    )
    one = pair(recorded, optimized)
    assert isinstance(judge(one, "log", study([one], "log")).verdict, Proved)


def test_a_divisor_is_one_for_all_sizes() -> None:
    random = Random(1)
    borders = (0, 1, (1 << 62) - 1, (1 << 63) - 1)
    found = 0
    for _ in range(3000):
        shift = random.randrange(6)
        by = random.randrange(3, 70)
        factor = (1 << 64 + shift) // by + random.randrange(-1, 4)
        told = divisor(factor, shift, 64)
        if factor < WORD and divides(factor, shift, told):
            found += 1
            near = ((x // told * told) + off for x in borders for off in (-1, 0, told - 1))
            for x in (*borders, *(x for x in near if 0 <= x < 1 << 63), random.randrange(1 << 63)):
                assert x * factor >> 64 + shift == x // told, (factor, shift, told, x)
    assert found > 200
