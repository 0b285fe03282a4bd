"""Constants that are not as long as the characters that they are compared with: inferred of places of the program."""

from __future__ import annotations

import pytest

from tests.pypy_logs import COUNT, bridge, judged, judged_last, recorded
from validator import Proved
from validator.pypy.judge import Judged

POINT = "debug_merge_point(0, 0, 'f;a.py:4-{line}~#16 COMPARE_OP')"
ASSUMED = "the constant that a character is compared with at f;a.py:4-9~#16 COMPARE_OP has another length"
STORE = f"setfield_gc(p0, 7, descr={COUNT})"
KEPT = (
    "i5 = call_i(ConstClass(_ll_4_str_eq_slice_char), p1, i2, 1, 34, descr=<Calli 8 riii EF=0 OS=27>)",
    "guard_false(i5, descr=<Guard0x11>) [p0]",
)


def compared(*left: str, line: int = 9, end: str = "i2, 1", passes: str = "guard_false(i5)", store: str = STORE) -> str:
    """A pair that compares a character of a string with a constant; what the optimizer has left of that."""
    before = (
        f"i3 = int_add({end})",
        "p4 = call_pure_r(ConstClass(_ll_stringslice), p1, i2, i3, descr=<Callr 8 rii EF=3 OS=23>)",
        "i5 = call_pure_i(ConstClass(ll_streq), p4, ConstPtr(ptr6), descr=<Calli 1 rr EF=0 OS=24>)",
        *(passes, STORE, "finish()"),
    )
    point = POINT.format(line=line)
    optimized = [f"+1: {one}" for one in (*left, store, "finish()")]
    return recorded("[p0, p1, i2]", point, *before) + bridge("[p0, p1, i2]", point, *optimized)


def is_proved(one: Judged) -> bool:
    return isinstance(one.verdict, Proved)


def test_two_pairs_say_that_the_constant_has_another_length() -> None:
    first, second = judged(compared() * 2)
    assert is_proved(first)
    assert is_proved(second)
    assert first.texts is not None
    assert ASSUMED in first.texts.assumes


def test_one_pair_alone_would_say_of_itself_that_it_is_right() -> None:
    assert not any(map(is_proved, judged(compared())))


def test_what_two_places_say_is_said_of_neither() -> None:
    assert not any(map(is_proved, judged(compared() + compared(line=10))))


@pytest.mark.parametrize("other", [compared(*KEPT), compared(passes="guard_true(i5)")])
def test_a_comparison_at_the_place_contradicts_it_and_so_does_one_that_finds_the_constant(other: str) -> None:
    first, second, _ = judged(compared() * 2 + other)
    assert not is_proved(first)
    assert not is_proved(second)


@pytest.mark.parametrize(
    "wrong",
    [
        compared(end="i2, 2"),  # the range may be as long
        compared(passes="guard_true(i5)"),
        compared(store=STORE.replace("7", "8")),
    ],
)
def test_other_ones_are_not_proved(wrong: str) -> None:
    assert not any(map(is_proved, judged(wrong * 2)))
    last = judged_last(compared() * 2 + wrong)
    assert not is_proved(last)
