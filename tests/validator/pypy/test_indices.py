"""Numbers of variables of functions, in front of their cells: which ones is inferred of the functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.pypy_logs import bridge, judged, judged_together, recorded
from validator import Proved

VARIABLES = "<FieldS pypy.interpreter.pycode.PyCode.inst_co_nlocals 176 pure>"
INPUTS = "[p0, p1, i8]"
ASSUMED = "the cells of f;a.py:4 begin at item {} of its frame"


def point(at: str = "16 LOAD_DEREF", function: str = "f;a.py:4") -> str:
    return f"debug_merge_point(0, 0, '{function}-9~#{at}')"


LOAD = f"i2 = getfield_gc_i({{}}, descr={VARIABLES})".format
CELL = "p{} = getarrayitem_gc_r(p0, {}, descr=<ArrayP 8>)".format


def loaded(
    *indices: object,
    at: str = "LOAD_DEREF",
    function: str = "f;a.py:4",
    added: Sequence[str] = ("i3 = int_add(1, i2)", "i4 = int_add(i2, 2)"),
    load: str = LOAD("ConstPtr(ptr1)"),
    items: str = "<ArrayP 8>",
    found: str = "i9 = int_add(1, 1)",
) -> str:
    """A pair that loads the first cell of a frame's array by one bytecode, and the third one by another, of which the
    optimizer knows the `indices`; a guard in the recorded trace may have `found` the number."""
    before, after = list[str](), list[str]()
    for number, (sum_, index) in enumerate(zip(added, indices, strict=False)):
        where = point(f"{2 * number} {at}", function)
        result = sum_[:2]
        before += [where, *(load,) * (number == 0), sum_, *(found,) * (number == 0), CELL(number + 5, result)]
        after += [where, f"+{number}: {CELL(number + 5, index)}"]
    last = f"p{len(indices) + 4}"
    ends = "setarrayitem_gc(p0, 7, p5, descr=<ArrayP 8>)", f"finish({last})"
    whole = recorded(INPUTS, *before, *ends) + bridge(INPUTS, *after, *(f"+9: {one}" for one in ends))
    return whole.replace("<ArrayP 8>", items)


def is_proved(log: str, *, at: int = 0) -> bool:
    return isinstance(judged(log)[at].verdict, Proved)


def test_two_bytecodes_of_a_pair_say_how_many_variables_a_function_has() -> None:
    (one,) = judged(loaded(3, 4))
    assert isinstance(one.verdict, Proved)
    assert one.texts is not None
    assert ASSUMED.format(2) in one.texts.assumes
    assert not is_proved(loaded(3, 5))


def test_one_bytecode_alone_would_say_of_itself_that_it_is_right() -> None:
    assert not is_proved(loaded(3))
    assert not any(is_proved(loaded(3) * 2, at=at) for at in (0, 1)), "two functions may share name, file and line"


def test_what_a_recorded_trace_has_found_says_it_alone() -> None:
    for guard in ("guard_value(i3, 3)", "guard_value(i2, 2)"):
        assert is_proved(loaded(3, found=guard))
        assert not is_proved(loaded(4, found=guard))


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(loaded(4), id="one bytecode that says another one"),
        pytest.param(loaded(2, found="guard_value(i3, 4)"), id="a guard that has found another one"),
        pytest.param(
            recorded("[p0]", point("2 LOAD_DEREF"), LOAD("ConstPtr(ptr1)"), "guard_value(i2, 3)", "finish()"),
            id="a trace that was given up",
        ),
        pytest.param(loaded(0), id="a number that no function has"),
        pytest.param(loaded("9" * 30), id="a number that nobody has"),
        pytest.param(loaded("i8"), id="no number"),
    ],
)
def test_another_number_in_the_log_contradicts_it(other: str) -> None:
    assert not is_proved(loaded(3, 4) + other)
    assert is_proved(loaded(3, 4) + other.replace("f;a.py:4", "g;a.py:4"))


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"at": "CALL_FUNCTION"}, id="the code may be that of the function that is called"),
        pytest.param({"load": LOAD("p1")}, id="which code it is is not known"),
        pytest.param({"load": LOAD("ConstPtr(ptr1)").replace("nlocals", "flags")}, id="another number of the code"),
        pytest.param({"added": ("i3 = int_add(i8, i2)", "i4 = int_add(i2, i8)")}, id="nobody knows what is added"),
        pytest.param({"added": ("i3 = int_sub(i2, 1)", "i4 = int_sub(i2, 2)")}, id="it is subtracted"),
        pytest.param({"items": "<ArrayP 4>"}, id="of no frame"),
    ],
)
def test_what_another_number_may_be_is_not_known(changes: dict[str, Any]) -> None:
    assert not is_proved(loaded(3, 4, **changes))


@pytest.mark.parametrize("indices", [(0, 1), ("9" * 30, "9" * 29 + "8"), ("i8", "i8")])
def test_no_function_has_such_a_number(indices: tuple[object, ...]) -> None:
    assert not is_proved(loaded(*indices))


def at_one_bytecode(before: Sequence[str], after: Sequence[str]) -> str:
    where, end = point("10 LOAD_DEREF"), "finish(p6)"
    optimized = (f"+1: {line}" for line in (*after, end))
    return recorded("[p0]", where, LOAD("ConstPtr(ptr1)"), *before, end) + bridge("[p0]", where, *optimized)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(
            at_one_bytecode(
                ("i3 = int_add(1, i2)", "i4 = int_add(2, i2)", CELL(5, "i3"), CELL(6, "i4")), (CELL(6, 4),)
            ),
            id="one of two cells is left",
        ),
        pytest.param(
            at_one_bytecode(("i4 = int_add(2, i2)", CELL(6, "i4")), (CELL(5, 3), CELL(6, 4))),
            id="another one is loaded",
        ),
        pytest.param(at_one_bytecode(("i3 = int_sub(i2, 1)", CELL(6, "i3")), (CELL(6, 1),)), id="it is subtracted"),
    ],
)
def test_what_says_nothing_does_not_contradict(other: str) -> None:
    assert is_proved(loaded(3, 4) + other)


def test_another_program_may_have_such_a_function() -> None:
    assert all(isinstance(one.verdict, Proved) for log in judged_together(loaded(3, 4), loaded(4, 5)) for one in log)
