"""The code of regular expressions, of which program points print the beginning."""

from __future__ import annotations

import pytest

from tests.pypy_logs import bridge, judged, recorded
from validator import Proved
from validator.pypy.judge import Judged
from validator.pypy.printed.patterns import OF_ONE_PATTERN

LOAD = "getarrayitem_gc_pure_i(ConstPtr({}), {}, descr=<ArrayS 8>)"
POINT = "debug_merge_point(0, 0, 're Match [15. 4. 33685760. 7. 9. 10')"
RECORDED = (
    POINT,
    "i1 = uint_lt(i0, 128)",
    "guard_true(i1)",
    "i2 = int_rshift(i0, 10)",
    "i3 = int_add(2, i2)",
    f"i4 = {LOAD.format('ptr1', 'i3')}",
    "i5 = int_and(i4, i0)",
    POINT.replace("Match", "RepeatOne at 7").replace(". 10", "...."),
    f"i6 = {LOAD.format('ptr2', 'i5')}",
    "finish(i6)",
)
OPTIMIZED = (
    "i1 = uint_lt(i0, 128)",
    "guard_true(i1, descr=<Guard0x11>) [i0]",
    "i5 = int_and(33685760, i0)",
    f"i6 = {LOAD.format('ptr3', 'i5')}",
    "finish(i6)",
)


def shown(optimized: tuple[str, ...] = OPTIMIZED, lines: tuple[str, ...] = RECORDED) -> Judged:
    points = [line for line in lines if line.startswith("debug")]  # both pass them
    left = [*points, *(f"+1: {line}" for line in optimized)]
    (one,) = judged(recorded("[i0]", *lines) + bridge("[i0]", *left))
    return one


def edited(lines: tuple[str, ...], old: str, new: str) -> tuple[str, ...]:
    assert any(old in line for line in lines)
    return tuple(line.replace(old, new) for line in lines)


def test_a_number_of_the_code_is_known_where_it_is_printed() -> None:
    one = shown()
    assert isinstance(one.verdict, Proved)
    assert one.texts
    assert OF_ONE_PATTERN in one.texts.assumes


def test_where_no_code_is_loaded_nothing_is_assumed() -> None:
    lines = (POINT, "i1 = uint_lt(i0, 128)", "guard_true(i1)", "finish(i0)")
    one = shown((*OPTIMIZED[:2], "finish(i0)"), lines)
    assert isinstance(one.verdict, Proved)
    assert one.texts
    assert OF_ONE_PATTERN not in one.texts.assumes


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("33685760", "33685761"),
        ("33685760", "4"),  # at another place
        ("ptr3), i5", "ptr3), i0"),
        ("uint_lt(i0, 128)", "uint_lt(i0, 2048)"),  # of all, the number may be another one
        ("finish(i6)", "finish(i5)"),
    ],
)
def test_other_numbers_are_not_proved(old: str, new: str) -> None:
    lines = edited(RECORDED, old, new) if old.startswith("uint") else RECORDED
    assert not isinstance(shown(edited(OPTIMIZED, old, new), lines).verdict, Proved)


@pytest.mark.parametrize(("end", "is_known"), [("....", False), ("]", True)])
def test_a_number_that_may_be_cut_off_is_not_known(end: str, *, is_known: bool) -> None:
    lines = tuple(f"{line.partition(' 33685760')[0]} 3368{end}')" if "re " in line else line for line in RECORDED)
    verdict = shown(edited(OPTIMIZED, "33685760", "3368"), lines).verdict
    assert isinstance(verdict, Proved) is is_known


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("RepeatOne at 7 [15. 4.", "RepeatOne at 7 [15. 5."),  # another expression
        ("re RepeatOne at 7 [", "f;a.py:4-9~#40 FOR_ITER ["),
        ("33685760. 7", "33685761. 7"),
    ],
)
def test_the_code_of_two_expressions_is_not_known(old: str, new: str) -> None:
    assert not isinstance(shown(lines=edited(RECORDED, old, new)).verdict, Proved)
