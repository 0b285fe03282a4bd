"""Constants that PyPy's optimizer has loaded from other ones."""

from __future__ import annotations

import pytest

from tests.pypy_logs import bridge, judged, recorded
from validator import Proved

NAME = "<FieldP Code.inst_name 8 pure>"
LOAD = f"p1 = getfield_gc_r({{}}, descr={NAME})"
GIVE = "call_n(ConstClass(tell), {}, {}, descr=<Callv 0 rr EF=7>)"


def folded(
    *, of: str = "ConstPtr(ptr1)", field: str = NAME, given: str = "ConstPtr(ptr9)", front: str = "", other: str = "p0"
) -> str:
    """A pair in which a constant is given away in the place of what the recorded trace loads."""
    before = [LOAD.format(of).replace(NAME, field), GIVE.format("p1", other), "finish()"]
    after = [GIVE.format(given, other.replace("ptr2", "ptr12")), "finish()"]
    lines = [f"+1: {line}" for line in (*[front] * bool(front), *after)]
    return recorded("[p0]", *before) + bridge("[p0]", *lines)


def test_a_constant_is_what_another_one_has_where_two_pairs_say_so() -> None:
    for one in judged(folded() * 2):
        assert isinstance(one.verdict, Proved)
        assert one.texts is not None
        assert f"constants in the place of {NAME} of other ones are what is there" in one.texts.assumes
    (one,) = judged(folded())
    assert not isinstance(one.verdict, Proved)


@pytest.mark.parametrize(
    "pair",
    [
        pytest.param(folded(of="p0"), id="of an object that may be any"),
        pytest.param(folded(field=NAME.replace(" pure", "")), id="a field that may change"),
        pytest.param(folded(given="p0"), id="a value that is no constant"),
        pytest.param(folded(given="ConstPtr(ptr12)", other="ConstPtr(ptr2)"), id="a constant that is another one"),
        pytest.param(folded(front=LOAD.format("ConstPtr(ptr7)")), id="a field that is loaded from a constant"),
    ],
)
def test_other_values_are_not(pair: str) -> None:
    assert not any(isinstance(one.verdict, Proved) for one in judged(pair * 2))


def test_one_constant_is_not_what_two_others_have_that_differ() -> None:
    loads = [LOAD.format(f"ConstPtr(ptr{at})").replace("p1 =", f"p{at} =") for at in (1, 2)]
    differ = ["i3 = ptr_eq(p1, p2)", "guard_false(i3) []"]
    before = recorded("[p0]", *loads, *differ, GIVE.format("p1", "p2"), "finish()")
    pair = before + bridge("[p0]", *(f"+1: {line}" for line in (GIVE.format(*["ConstPtr(ptr9)"] * 2), "finish()")))
    assert not any(isinstance(one.verdict, Proved) for one in judged(pair * 2))
