"""Numbers of variables of functions, in front of their cells: which ones is inferred of the functions."""

from __future__ import annotations

import pytest

from tests.pypy_logs import bridge, judged, judged_together, recorded
from validator import Proved
from validator.pypy.judge import Judged

VARIABLES = "<FieldS pypy.interpreter.pycode.PyCode.inst_co_nlocals 176 pure>"
ASSUMED = "the cells of f;a.py:4 begin at item {} of its frame"


def point(at: str = "16 LOAD_DEREF", function: str = "f;a.py:4") -> str:
    return f"debug_merge_point(0, 0, '{function}-9~#{at}')"


def loaded(
    index: str = "3",
    at: str = "16 LOAD_DEREF",
    function: str = "f;a.py:4",
    added: str = "1, i2",
    descr: str = VARIABLES,
    of: str = "ConstPtr(ptr1)",
) -> str:
    """A pair that loads a cell of a frame's array, of which the optimizer knows the index."""
    before = (
        f"i2 = getfield_gc_i({of}, descr={descr})",
        f"i3 = int_add({added})",
        "p4 = getarrayitem_gc_r(p0, i3, descr=<ArrayP 8>)",
        "finish(p4)",
    )
    after = (f"p4 = getarrayitem_gc_r(p0, {index}, descr=<ArrayP 8>)", "finish(p4)")
    where = point(at, function)
    return recorded("[p0, p1]", where, *before) + bridge("[p0, p1]", where, *(f"+1: {line}" for line in after))


def found(guard: str, end: str = "2", at: str = "16 LOAD_DEREF", function: str = "f;a.py:4") -> str:
    """A pair whose recorded trace has found a sum, as in front of an item of the frame that it runs in."""
    before = (
        f"i2 = getfield_gc_i(p1, descr={VARIABLES})",
        "i3 = int_add(1, i2)",
        guard,
        "finish(i2)",
    )
    where = point(at, function)
    return recorded("[p0, p1]", where, *before) + bridge("[p0, p1]", where, f"+1: finish({end})")


def is_proved(one: Judged) -> bool:
    return isinstance(one.verdict, Proved)


def assumed(one: Judged) -> tuple[str, ...]:
    assert one.texts is not None
    return one.texts.assumes


@pytest.mark.parametrize("added", ["1, i2", "i2, 1"])
@pytest.mark.parametrize("of", ["ConstPtr(ptr1)", "p1"])
def test_two_bytecodes_say_how_many_variables_a_function_has(added: str, of: str) -> None:
    first, second = judged(loaded(added=added, of=of) + loaded("4", "20 STORE_DEREF", added=added.replace("1", "2")))
    assert is_proved(first)
    assert is_proved(second)
    assert ASSUMED.format(2) in assumed(first)


@pytest.mark.parametrize(("index", "is_right"), [("4", True), ("5", False)])
def test_two_bytecodes_of_one_pair_are_enough(index: str, is_right: bool) -> None:
    first, second = point(), point("20 LOAD_DEREF")
    cell = "p4 = getarrayitem_gc_r(p0, {}, descr=<ArrayP 8>)".format
    other = "p6 = getarrayitem_gc_r(p4, {}, descr=<ArrayP 8>)".format
    load, end = f"i2 = getfield_gc_i(ConstPtr(ptr1), descr={VARIABLES})", "finish(p6)"
    before = (first, load, "i3 = int_add(1, i2)", cell("i3"), second, "i5 = int_add(2, i2)", other("i5"), end)
    after = (first, f"+1: {cell(3)}", second, f"+2: {other(index)}", f"+3: {end}")
    (one,) = judged(recorded("[p0]", *before) + bridge("[p0]", *after))
    assert is_proved(one) is is_right


def test_one_pair_alone_would_say_of_itself_that_it_is_right() -> None:
    (one,) = judged(loaded())
    assert not is_proved(one)


def test_two_runs_of_one_pair_are_one_bytecode() -> None:
    assert not any(is_proved(one) for log in judged_together(loaded(), loaded()) for one in log)


@pytest.mark.parametrize(
    "wrong",
    [
        loaded("2"),
        loaded("4", "24 LOAD_DEREF"),
        found("guard_value(i3, 4)", "3"),
    ],
)
def test_another_number_contradicts_it(wrong: str) -> None:
    assert not any(map(is_proved, judged(loaded() + loaded() + wrong)))


@pytest.mark.parametrize(
    "other",
    [
        loaded(at="16 CALL_FUNCTION"),  # the code may be that of the function that is called
        loaded(function="g;a.py:4"),
        loaded(function="f;a.py:3"),
        loaded(descr="<FieldS pypy.interpreter.pycode.PyCode.inst_co_flags 168 pure>"),
        loaded(added="1, 1"),
    ],
)
def test_what_another_number_may_be_is_not_known(other: str) -> None:
    *right, wrong = judged(loaded() + loaded() + other)
    assert all(map(is_proved, right))
    assert not is_proved(wrong)


def test_a_recorded_trace_that_has_found_a_sum_says_it_alone() -> None:
    (one,) = judged(found("guard_value(i3, 3)"))
    assert is_proved(one)
    assert ASSUMED.format(2) in assumed(one)
    assert is_proved(judged(found("guard_value(i3, 3)") + loaded())[1])


@pytest.mark.parametrize("wrong", [found("guard_value(i3, 3)", "3"), found("guard_value(i2, 2)", "3")])
def test_another_result_is_not_proved(wrong: str) -> None:
    assert not is_proved(judged(wrong)[0])


def test_what_a_guard_finds_elsewhere_says_nothing() -> None:
    assert not is_proved(judged(found("guard_value(i3, 3)", at="16 CALL_FUNCTION") + loaded())[1])
