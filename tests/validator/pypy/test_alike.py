"""Constant arrays that are indexed alike."""

from __future__ import annotations

import pytest

from tests.pypy_logs import POINT, bridge, judged, judged_last, recorded
from validator import Proved
from validator.pypy.inferred.constants.alike import of_one_array
from validator.pypy.judge import Judged

TABLE = of_one_array("<ArrayU 2>[int_rshift(x, 7)]")


def lookup(result: int, index: int, constant: int) -> str:
    return f"i{result} = getarrayitem_gc_pure_i(ConstPtr(ptr{constant}), i{index}, descr=<ArrayU 2>)"


def asks(value: int, mask: int, first: int) -> tuple[str, ...]:
    """What a guard asks of the number that was looked up."""
    return f"i{first} = int_and(i{value}, {mask})", f"i{first + 1} = int_is_true(i{first})", f"guard_true(i{first + 1})"


PAGE, AGAIN = ("i1 = int_rshift(i0, 7)", lookup(2, 1, 1)), ("i5 = int_rshift(i0, 7)", lookup(6, 5, 2))


def pair(
    again: tuple[str, ...] = AGAIN,
    *,
    first: tuple[str, ...] = PAGE,
    found: tuple[int, int] = (2, 6),
    line: int = 4,
    kept: tuple[str, ...] = (),
    mask: int = 2,
    used: bool = True,
) -> str:
    """A bridge that looks a number up twice, and asks for bits of what it has `found`. The optimizer has `kept` so much
    of the second lookup, or asks the number that was found first for the bits in the `mask`."""
    start = (POINT.format(line=line), *first, *asks(found[0], 1, 30))
    last = asks(found[1], 2, 40) if used else ()
    left = (*kept, *last) if kept else asks(found[0], mask, 40) if used else ()
    lines = (one.replace(")", ", descr=<Guard0x11>) [i0]") if "guard" in one else one for one in (*start, *left))
    return recorded("[i0]", *start, *again, *last, "finish()") + bridge(
        "[i0]", *(one if "point" in one else f"+1: {one}" for one in lines), "+1: finish()"
    )


def is_proved(one: Judged) -> bool:
    return isinstance(one.verdict, Proved)


def test_two_pairs_tell_that_they_are_one() -> None:
    assert [is_proved(one) for one in judged(pair())] == [False]
    both = judged(pair() + pair(line=5))
    for one in both:
        assert is_proved(one), one.verdict
        assert one.texts is not None
        assert TABLE in one.texts.assumes


def test_of_a_table_that_is_named_once_nothing_is_assumed() -> None:
    start = (POINT.format(line=6), *PAGE, "finish(i2)")
    once = recorded("[i0]", *start) + bridge("[i0]", start[0], *(f"+1: {one}" for one in start[1:]))
    one = judged_last(pair() + pair(line=5) + once)
    assert is_proved(one)
    assert one.texts is not None
    assert TABLE not in one.texts.assumes


@pytest.mark.parametrize("kept", [(lookup(6, 1, 2),), AGAIN])
def test_that_one_number_is_looked_up_in_two_of_them_contradicts_it(kept: tuple[str, ...]) -> None:
    log = pair() + pair(line=5) + pair(line=6, kept=kept)
    assert [is_proved(one) for one in judged(log)] == [False, False, True]


@pytest.mark.parametrize("index", ["i5 = int_rshift(i0, 8)", "i5 = int_and(i0, 127)", "i5 = int_add(i1, 1)"])
def test_tables_that_are_indexed_otherwise_are_others(index: str) -> None:
    again = index, lookup(6, 5, 2)
    assert not any(map(is_proved, judged(pair(again) + pair(again, line=5))))


def test_what_nobody_uses_is_gone_for_that() -> None:
    assert [is_proved(one) for one in judged(pair(used=False) + pair(used=False, line=5) + pair(line=6))][2] is False


def test_a_lookup_of_a_number_that_a_guard_has_found_tells_nothing() -> None:
    """PyPy's optimizer looks it up itself: so there are fewer lookups left, of two tables."""
    first = "i1 = int_and(i0, 127)", "guard_value(i1, 65)", lookup(2, 1, 1)
    again = "i5 = int_and(i9, 127)", lookup(6, 5, 2)

    def folded(line: int) -> str:
        start = POINT.format(line=line)
        asked = "i7 = int_add(i2, i6)", "i8 = int_lt(i7, 300)", "guard_true(i8)", "finish(i6)"
        left = (
            first[0],
            "guard_value(i1, 65, descr=<Guard0x11>) [i0, i9]",
            *again,
            "i7 = int_add(i6, 3)",
            "i8 = int_lt(i7, 300)",
            "guard_true(i8, descr=<Guard0x12>) [i0, i9]",
            "finish(i6)",
        )
        optimized = bridge("[i0, i9]", start, *(f"+1: {one}" for one in left))
        return recorded("[i0, i9]", start, *first, *again, *asked) + optimized

    wrong = judged_last(folded(4) + folded(5) + pair(("i5 = int_and(i0, 127)", again[1]), first=(first[0], first[2])))
    assert not is_proved(wrong)


def test_a_table_that_is_indexed_by_any_number_is_any() -> None:
    again, first = (lookup(6, 0, 2),), (lookup(2, 0, 1),)
    assert not any(map(is_proved, judged(pair(again, first=first) + pair(again, first=first, line=5))))


def test_faults_are_found() -> None:
    wrong = judged_last(pair() + pair(line=5) + pair(line=6, mask=4))
    assert not is_proved(wrong)


def test_the_items_of_such_a_table_are_indices_of_another() -> None:
    again, first = (*AGAIN, lookup(16, 6, 12)), (*PAGE, lookup(12, 2, 11))
    for one in judged("".join(pair(again, first=first, found=(12, 16), line=line) for line in (4, 5))):
        assert is_proved(one), one.verdict
        assert one.texts is not None
        assert of_one_array("<ArrayU 2>[<ArrayU 2>[int_rshift(x, 7)]]") in one.texts.assumes
