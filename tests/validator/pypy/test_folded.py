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


def found(*lines: str) -> str:
    """A pair of which both traces load the field of a value, and find it to be a constant by these guards."""
    return recorded("[p0]", *lines, "finish()") + bridge("[p0]", *(f"+1: {line}" for line in (*lines, "finish()")))


@pytest.mark.parametrize(
    ("lines", "is_right"),
    [
        (("p1 = getfield_gc_r(p0, descr={})", "i2 = ptr_eq(p0, ConstPtr(ptr7))", "guard_true(i2) []"), True),
        (("i2 = ptr_eq(p0, ConstPtr(ptr7))", "guard_true(i2) []", "p1 = getfield_gc_r(p0, descr={})"), True),
        (("guard_value(p0, ConstPtr(ptr7)) []", "p1 = getfield_gc_r(p0, descr={})"), False),
    ],
)
def test_a_load_from_what_a_comparison_finds_to_be_a_constant_contradicts_nothing(
    lines: tuple[str, ...], *, is_right: bool
) -> None:
    """PyPy's optimizer does not know of it; of what it has found with `guard_value` it does."""
    first, *_ = judged(folded() * 2 + found(*(line.format(NAME) for line in lines)))
    assert isinstance(first.verdict, Proved) is is_right


@pytest.mark.parametrize("is_given", [True, False])
@pytest.mark.parametrize(("other", "is_right"), [("ConstPtr(ptr22)", True), ("p0", False)])
def test_what_a_constant_holds_has_as_many_names_as_uses(other: str, *, is_right: bool, is_given: bool) -> None:
    """It is compared, and may be given away, each time by a number of its own."""
    asks = ("i2 = ptr_eq({}, p0)", "guard_false(i2) []")
    given = [GIVE.format(value if is_given else "p0", "p0") for value in ("p1", "ConstPtr(ptr9)")]
    before = (LOAD.format("ConstPtr(ptr1)"), asks[0].format("p1"), asks[1], given[0], "finish()")
    after = (asks[0].format(other), asks[1], given[1], "finish()")
    pair = recorded("[p0]", *before) + bridge("[p0]", *(f"+1: {line}" for line in after))
    one, _ = judged(pair * 2)
    assert isinstance(one.verdict, Proved) is is_right


AT = "debug_merge_point(0, 0, 'f;a.py:4-9~#{} COMPARE_OP')"
CELL = "setfield_gc(ConstPtr(ptr{}), {}, descr=<FieldP pypy.objspace.std.celldict.ModuleCell.inst_w_value 8>)"


def compared(first: str, second: str, stored: str) -> str:
    """A pair that compares with what two constants hold, and stores the second, for which the optimized trace has
    these."""
    loads = [LOAD.format(f"ConstPtr(ptr{at})").replace("p1 =", f"p{at} =") for at in (1, 2)]
    asks = [f"i{at + 6} = ptr_eq({{}}, p0)\nguard_false(i{at + 6}) []" for at in (1, 2)]

    def lines(*values: str) -> list[str]:
        asked = [text for at in (0, 1) for text in (AT.format(at), *asks[at].format(values[at]).splitlines())]
        return [*asked, AT.format(2), CELL.format(5, values[2]), "finish()"]

    left = lines(*(f"ConstPtr(ptr{number})" for number in (first, second, stored)))
    return recorded("[p0]", *loads, *lines("p1", "p2", "p2")) + bridge("[p0]", *(f"+1: {line}" for line in left))


@pytest.mark.parametrize("values", ["868", "666", "686"])
def test_names_that_the_optimizer_uses_twice_make_nothing_one_that_constants_hold(values: str) -> None:
    *_, last = judged(compared("8", "6", "6") * 2 + compared(*values))
    assert not isinstance(last.verdict, Proved)
