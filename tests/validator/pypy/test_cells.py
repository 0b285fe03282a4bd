"""Code of which it is inferred how many variables it has."""

from __future__ import annotations

import pytest

from tests.pypy_logs import bridge, judged, judged_together, recorded
from validator import Proved
from validator.pypy.judge import Judged

POINT = "debug_merge_point(0, 0, '{};a.py:4-9~#{} LOAD_DEREF')"
CODE = "<FieldP pypy.interpreter.pyframe.PyFrame.inst_pycode 64>"
COUNT = "<FieldS pypy.interpreter.pycode.PyCode.inst_co_nlocals 176 pure>"
FRAME = "<FieldP pypy.interpreter.pyframe.PyFrame.inst_locals_cells_stack_w 56>"
CONTENT = "<FieldP pypy.interpreter.nestedscope.Cell.inst_w_value 16>"
GUARD = "guard_value(p1, ConstPtr(ptr1))"
ASSUMED = "the code of f;a.py:4 has 3 variables"


def looked_up(
    index: int, *, cell: int = 1, at: int = 40, function: str = "f", guard: str = GUARD, more: int = 0
) -> str:
    """A pair that looks up a cell, as often as told, for which the optimizer takes the one at that index."""
    point = POINT.format(function, at)
    start = (f"p1 = getfield_gc_r(p0, descr={CODE})", *filter(None, [guard]))
    array = f"p2 = getfield_gc_r(p0, descr={FRAME})"
    before = (f"i3 = getfield_gc_i(p1, descr={COUNT})", f"i4 = int_add({cell}, i3)")
    accesses = [
        (
            f"p{5 + n} = getarrayitem_gc_r(p2, {{}}, descr=<ArrayP 8>)",
            f"p{7 + n} = getfield_gc_r(p{5 + n}, descr={CONTENT})",
        )
        for n in range(1 + more)
    ]
    recorded_, left = (
        [line.format(where) for access in one for line in access]
        for one, where in ((accesses, "i4"), (accesses[:1], index))
    )
    kept = [f"{line[:-1]}, descr=<Guard0x11>) [p0]" if line == GUARD else line for line in start]
    return recorded("[p0]", point, *start, array, *before, *recorded_, "finish(p7)") + bridge(
        "[p0]", point, *(f"+1: {line}" for line in (*kept, array, *left, "finish(p7)"))
    )


def is_proved(one: Judged) -> bool:
    return isinstance(one.verdict, Proved)


@pytest.mark.parametrize("other", [looked_up(4), looked_up(5, cell=2, at=60)])
def test_two_accesses_say_how_many_variables_there_are(other: str) -> None:
    both = judged(looked_up(4) + other)
    assert all(map(is_proved, both))
    for one in both:
        assert one.texts is not None
        assert ASSUMED in one.texts.assumes


def test_two_accesses_of_one_trace_are_two() -> None:
    point, cell = POINT.format("f", 60), f"p12 = getfield_gc_r(p11, descr={CONTENT})"
    more = f"i10 = getfield_gc_i(p1, descr={COUNT})", "i9 = int_add(2, i10)"
    second = [(point, f"p11 = getarrayitem_gc_r(p2, {index}, descr=<ArrayP 8>)", cell) for index in ("i9", "5")]
    before, after = looked_up(4).split("[1] jit-log-noopt}")
    before = before.replace("finish(p7)", "\n".join((*more, *second[0], "finish(p12)"))).replace("9 ops", "14 ops")
    after = after.replace("+1: finish(p7)", "\n".join((*second[1], "finish(p12)"))).replace("7 ops", "10 ops")
    (one,) = judged(before + "[1] jit-log-noopt}" + after)
    assert is_proved(one)


def test_one_access_would_say_of_itself_that_it_is_right() -> None:
    assert not any(map(is_proved, judged(looked_up(4))))


@pytest.mark.parametrize("other", [looked_up(5), looked_up(4, cell=2, at=60)])
def test_another_number_contradicts_it(other: str) -> None:
    assert not any(map(is_proved, judged(looked_up(4) * 2 + other)))


def test_other_functions_have_other_code() -> None:
    *right, wrong = judged(looked_up(4) * 2 + looked_up(4, function="g"))
    assert all(map(is_proved, right))
    assert not is_proved(wrong)


def test_of_code_that_is_no_constant_nothing_is_said() -> None:
    *_, wrong = judged(looked_up(4) * 2 + looked_up(4, guard=""))
    assert not is_proved(wrong)


def test_nothing_is_said_where_an_access_is_gone() -> None:
    assert not any(map(is_proved, judged(looked_up(4, more=1) * 2)))


def test_two_processes_that_ran_the_same_are_one_witness() -> None:
    assert not any(is_proved(one) for log in judged_together(looked_up(4), looked_up(4)) for one in log)
