"""Fields of RPython's own structs over calls that are given these, and do not write them."""

from __future__ import annotations

import pytest

from tests.pypy_logs import CALL, bridge, judged, judged_bridge, recorded
from validator import Proved

LENGTH = "<FieldS list.length 8>"
FIRST, AGAIN = (f"i{number} = getfield_gc_i(p0, descr={LENGTH})" for number in (1, 2))
OTHER = f"i4 = getfield_gc_i(p3, descr={LENGTH})"
ASSUMED = f"call {CALL}@tell does not write {LENGTH} of what it is given"


def call(given: str = "p0", function: str = "tell", descr: str = CALL) -> tuple[str, str]:
    return f"call_n(ConstClass({function}), {given}, descr={descr})", "guard_no_exception()"


def left_out(
    *between: str, last: str = "i3 = int_add(i1, i2)", left: str = "i3 = int_add(i1, i1)"
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A bridge that loads a length in front of a call and behind it, and an optimized one that does not load again."""
    optimized = tuple(line.replace("()", "(descr=<Guard0x7f20>) [p0]") for line in between)
    return (FIRST, *between, AGAIN, last, "finish(i3)"), (FIRST, *optimized, left, "finish(i3)")


def log_of(*pairs: tuple[tuple[str, ...], tuple[str, ...]]) -> str:
    return "".join(
        recorded("[p0]", *before) + bridge("[p0]", *(f"+1: {line}" for line in after)) for before, after in pairs
    )


def test_the_length_of_a_list_that_a_call_is_given_may_stay_as_it_is() -> None:
    one = judged_bridge(*left_out(*call()))
    assert isinstance(one.verdict, Proved)
    assert one.texts is not None
    assert ASSUMED in one.texts.assumes


@pytest.mark.parametrize(
    "between",
    [
        call("7", descr="<Callv 0 i EF=5>"),  # it is given another one, which is inside a list, say
        call(descr="<Callv 0 r EF=7>"),  # PyPy does not know what it writes
        call(function="_ll_list_resize_hint_really_look_inside_iff__listPtr_Signed_Bool"),  # known to write it
        (*call(), *call("7", "other", "<Callv 0 i EF=5>")),
        (*call(), "p3 = getfield_gc_r(p0, descr=<FieldP P.q 16>)", f"setfield_gc(p3, 0, descr={LENGTH})"),
        (*call(), "i5 = int_add(7, 8)", f"setfield_gc(p0, i5, descr={LENGTH})"),
    ],
)
def test_a_length_that_may_have_changed_is_to_be_loaded(between: tuple[str, ...]) -> None:
    assert not isinstance(judged_bridge(*left_out(*between)).verdict, Proved)


@pytest.mark.parametrize("left", ["i3 = int_add(i1, 3)", "i3 = int_sub(i1, i1)"])
def test_something_else_than_the_earlier_length_is_not_proved(left: str) -> None:
    assert not isinstance(judged_bridge(*left_out(*call(), left=left)).verdict, Proved)


def test_that_it_is_loaded_again_elsewhere_contradicts_it() -> None:
    wrong = left_out(*call())
    kept = wrong[0], (FIRST, *wrong[1][1:3], AGAIN, "i3 = int_add(i1, i2)", "finish(i3)")
    first, second = judged(log_of(wrong, kept))
    assert not isinstance(first.verdict, Proved)
    assert isinstance(second.verdict, Proved)


def test_of_one_that_is_not_given_nothing_is_said() -> None:
    """Two pairs: one says that the call does not write the length of what it is given; the other one wants to know that
    of another list."""
    right = left_out(*call())
    load, again = OTHER, OTHER.replace("i4", "i5")
    inner = "p3 = getfield_gc_r(p0, descr=<FieldP P.q 16>)"
    wrong = (inner, load, *call(), again, "finish(i5)"), (inner, load, *right[1][1:3], "finish(i4)")
    first, second = judged(log_of(right, wrong))
    assert isinstance(first.verdict, Proved)
    assert not isinstance(second.verdict, Proved)
