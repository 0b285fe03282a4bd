"""Two constants of recorded traces that the optimized one has as one: it is to be proved, and does not say so."""

from __future__ import annotations

import pytest

from tests.pypy_logs import POINT, bridge, judged, judged_last, loop, recorded
from tests.validator.pypy.test_found_later import ASKED, AT, MADE
from validator import Proved
from validator.pypy.judge import Judged

TELL = "call_n(ConstClass(tell), {}, descr=<Callv 0 rr EF=7>)"
KEPT = "setfield_gc(ConstPtr(ptr{}), {}, descr=<FieldP Box.inst_v 8>)"
CLASS = "<FieldP Pick.inst_cls 8>"


def pair(before: list[str], after: list[str]) -> Judged:
    """What is said of a bridge whose operations stand at points of their own."""
    inputs = "[p0, p20]"
    lines = (
        [one for at, line in enumerate(part, 1) for one in (POINT.format(line=at), *line.split("\n"))] + ["finish()"]
        for part in (before, after)
    )
    own, left = lines
    return judged_last(recorded(inputs, *own) + bridge(inputs, *left))


def is_found(one: str, other: str, at: int) -> str:
    return f"i{at} = ptr_eq({one}, {other})\nguard_true(i{at}) []"


@pytest.mark.parametrize(
    ("optimized", "expected"),
    [
        ([is_found("ConstPtr(ptr31)", "p0", 6), is_found("ConstPtr(ptr32)", "p20", 7), TELL.format("p0, p20")], True),
        ([is_found("ConstPtr(ptr31)", "p0", 6), is_found("ConstPtr(ptr32)", "p20", 7), TELL.format("p0, p0")], False),
        ([is_found("ConstPtr(ptr31)", "p0", 6), is_found("p0", "p20", 7), TELL.format("p0, p20")], False),
        ([is_found("ConstPtr(ptr31)", "p0", 6), is_found("ConstPtr(ptr31)", "p20", 7), TELL.format("p0, p20")], False),
    ],
)
def test_two_inputs_that_were_found_to_be_constants_are_not_one(optimized: list[str], *, expected: bool) -> None:
    before = [is_found("ConstPtr(ptr7)", "p0", 6), is_found("ConstPtr(ptr6)", "p20", 7), TELL.format("p0, p20")]
    judged = pair(before, optimized)
    assert isinstance(judged.verdict, Proved) is expected, judged.verdict


@pytest.mark.parametrize(("stored", "expected"), [(32, True), (31, False)])
def test_nor_are_constants_of_which_the_optimized_trace_stores_one_twice(stored: int, *, expected: bool) -> None:
    before = [KEPT.format(5, "ConstPtr(ptr7)"), KEPT.format(8, "ConstPtr(ptr6)")]
    after = [KEPT.format(41, "ConstPtr(ptr31)"), KEPT.format(42, f"ConstPtr(ptr{stored})")]
    assert isinstance(pair(before, after).verdict, Proved) is expected


ASK = "i{} = call_i(ConstClass(ask), {}, descr=<Calli 8 r EF=0>)"


def found(value: str, at: int, constant: int) -> str:
    return (
        f"p{at} = getfield_gc_r({value}, descr=<FieldP Box.inst_w 16>)\nguard_value(p{at}, ConstPtr(ptr{constant})) []"
    )


@pytest.mark.parametrize(("told", "expected"), [((31, 32), True), ((32, 31), False), ((31, 31), False)])
def test_nor_are_values_that_meet_in_another_order(told: tuple[int, int], *, expected: bool) -> None:
    """The optimizer has left a call out that gives the same again, so the next one stands in its place."""
    before = [
        "\n".join([ASK.format(1, "p0"), ASK.format(2, "p0")]),
        ASK.format(3, "p20"),
        found("p0", 5, 7),
        found("p20", 6, 8),
    ]
    after = [ASK.format(1, "p0"), ASK.format(3, "p20"), found("p0", 5, 31), found("p20", 6, 32)]
    tell = TELL.format(", ".join(f"ConstPtr(ptr{one})" for one in told))
    judged = pair([*before, TELL.format("p5, p6")], [*after, tell])
    assert isinstance(judged.verdict, Proved) is expected, judged.verdict


KEEP = "setfield_gc(p0, {}, descr=<FieldP Box.inst_kept 24>)"
INDEX = "i{} = call_i(ConstClass(ll_int_py_mod__Signed_Signed), i{}, 7, descr=<Calli 8 ii EF=0 OS=14>)"
ITEM = "p{} = getarrayitem_gc_r(p20, i{}, descr=<ArrayP 8>)\nguard_value(p{}, ConstPtr(ptr{})) []"


@pytest.mark.parametrize(("told", "expected"), [((31, 32), True), ((32, 31), False), ((31, 31), False)])
def test_nor_are_values_that_are_stored_in_another_order(told: tuple[int, int], *, expected: bool) -> None:
    """Nobody sees the first store: the optimized trace may store what it likes."""
    rest = [found("p0", 5, 7), found("p20", 6, 8), TELL.format("p5, p6")]
    tell = TELL.format(", ".join(f"ConstPtr(ptr{one})" for one in told))
    kept = [found("p0", 5, 31), found("p20", 6, 32), tell]
    judged = pair([KEEP.format("p0"), KEEP.format("p20"), *rest], [KEEP.format("p20"), KEEP.format("p20"), *kept])
    assert isinstance(judged.verdict, Proved) is expected, judged.verdict


@pytest.mark.parametrize(("told", "expected"), [((31, 32), True), ((32, 31), False), ((31, 31), False)])
def test_nor_are_numbers_that_meet_in_another_order(told: tuple[int, int], *, expected: bool) -> None:
    loads = [f"i{at} = getfield_gc_i(p0, descr=<FieldS Box.inst_{name} {8 * at}>)" for at, name in ((1, "i"), (2, "j"))]
    before = [*loads, "\n".join([INDEX.format(3, 1), INDEX.format(4, 1)]), INDEX.format(5, 2)]
    after = [*loads, INDEX.format(3, 1), INDEX.format(5, 2)]
    items = [[ITEM.format(6, 1, 6, one), ITEM.format(7, 2, 7, other)] for one, other in ((7, 8), (31, 32))]
    tell = TELL.format(", ".join(f"ConstPtr(ptr{one})" for one in told))
    judged = pair([*before, *items[0], TELL.format("p6, p7")], [*after, *items[1], tell])
    assert isinstance(judged.verdict, Proved) is expected, judged.verdict


PICK, FIND = f"p{{}} = getfield_gc_r(p0, descr={CLASS})", "guard_value(p{}, ConstPtr(ptr{}){})"
FAILING = ", descr=<Guard0x7f{}>"
PICKING = recorded(
    "[p0, i1, p2]",
    *(line.format(1, "") for line in ASKED),
    AT.format(3),
    PICK.format(20),
    FIND.format(20, 11, ""),
    *MADE,
    "jump(p0, i3, p4, descr=<Loop-1>)",
) + loop(
    "[p0, i1, p2]",
    "+1: label(p0, i1, p2, descr=TargetToken(140))",
    *(line.format(2, ", descr=<Guard0x7f20>) [p0, i1, p2]").replace("])", "]") for line in ASKED),
    AT.format(3),
    PICK.format(20),
    FIND.format(20, 21, FAILING.format(21)) + " [p0, i1, p2, p20]",
    MADE[0],
    "+1: label(p0, i3, descr=TargetToken(141))",
    *map(AT.format, (1, 2, 3)),
    PICK.format(30),
    FIND.format(30, 31, FAILING.format(31)) + " [p0, i3, p30]",
    "i13 = int_add(i3, 1)",
    "jump(p0, i13, descr=TargetToken(141))",
)
"""A loop that makes an object of a class which it has picked, and finds the map of the last one."""
FOUND = [line.replace("i3", "i8").replace("i1", "i3") for line in MADE]


def picked(target: int, *kept: str) -> Judged:
    """What is said of a bridge where another class is picked, which has another map."""
    handed = "i8, p4" if len(kept) > 1 else "i8"
    before = [AT.format(3), FIND.format(20, 12, ""), *(line.replace("ptr5", "ptr9") for line in FOUND)]
    after = [AT.format(3), FIND.format(20, 22, FAILING.format(41)) + " [p0, i3, p20]", *kept]
    behind = recorded("[p0, i3, p20]", *before, "jump(p0, i8, p4, descr=<Loop1>)")
    behind += bridge("[p0, i3, p20]", *after, f"jump(p0, {handed}, descr=TargetToken({target}))")
    whole, last = judged(PICKING + behind.replace("0x7f10", "0x7f31"))
    assert isinstance(whole.verdict, Proved), whole.verdict
    return last


def test_nor_are_those_for_which_a_loop_asks_behind_a_bridge_that_has_failed_to_find_one() -> None:
    right = picked(140, *(line.replace("ptr5", "ptr29") for line in FOUND))
    assert isinstance(right.verdict, Proved), right.verdict
    assert not isinstance(picked(141, FOUND[0]).verdict, Proved)
