"""The memory of new objects that guards of an optimized trace hand over."""

from __future__ import annotations

import re

import pytest

from tests.pypy_logs import BOX, COUNT, bridge, judged, judged_last, loop, recorded
from validator import Proved, Unknown

MADE, ARRAY = "p2 = new_with_vtable(descr=<SizeDescr 16>)", "p2 = new_array_clear(1, descr=<ArrayP 8>)"
STORE = f"setfield_gc(p2, i1, descr={BOX})"
WRONG = f"setfield_gc(p2, 7, descr={BOX})"
COUNTED, AGAIN = (f"setfield_gc(p2, {value}, descr={COUNT})" for value in ("i1", 7))
ITEM = "setarrayitem_gc(p2, 0, p0, descr=<ArrayP 8>)"
ASKED = "i3 = int_lt(i1, 9)"
GUARD = "guard_true(i3)"
LISTED = "guard_true(i3, descr=<Guard0x71>) [p0, p2]"
GONE = "guard_true(i3, descr=<Guard0x71>) [p0]"


def log(before: tuple[str, ...], after: tuple[str, ...]) -> str:
    ended = [(*lines, "finish(p2)") for lines in (before, after)]
    return recorded("[p0, i1]", *ended[0]) + bridge("[p0, i1]", *(f"+1: {line}" for line in ended[1]))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((MADE, STORE, ASKED, GUARD), (MADE, ASKED, LISTED, STORE)),
        ((MADE, STORE, ASKED, GUARD), (MADE, WRONG, ASKED, LISTED, STORE)),
        ((MADE, COUNTED, ASKED, GUARD, AGAIN), (MADE, AGAIN, ASKED, LISTED)),
        ((ARRAY, ITEM, ASKED, GUARD), (ARRAY, ASKED, LISTED, ITEM)),
        (
            ("p2 = newstr(1)", "strsetitem(p2, 0, i1)", ASKED, GUARD),
            ("p2 = newstr(1)", ASKED, LISTED, "strsetitem(p2, 0, i1)"),
        ),
    ],
)
def test_it_holds_there_what_the_recorded_one_does(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    (one,) = judged(log(before, after))
    assert isinstance(one.verdict, Unknown)
    assert one.verdict.reason == "guard 0 hands over a new object that may not hold what the recorded one does"
    (unseen,) = judged(log(before, tuple(line.replace(LISTED, GONE) for line in after)))
    assert isinstance(unseen.verdict, Proved)
    (right,) = judged(log(before, tuple(line.replace(GUARD, LISTED) for line in before)))
    assert isinstance(right.verdict, Proved)


def test_where_it_is_not_made_yet_there_is_none() -> None:
    (one,) = judged(log((ASKED, GUARD, MADE, STORE), (MADE, STORE, ASKED, LISTED)))
    assert isinstance(one.verdict, Unknown)


@pytest.mark.parametrize("stored", ["i1", "7"])
def test_one_that_goes_nowhere_else_is_the_recorded_one_that_is_made_alike(stored: str) -> None:
    lines = [line.replace("finish(p2)", "finish()") for line in (MADE, STORE, ASKED)]
    before = recorded("[p0, i1]", *lines, GUARD, "finish()")
    after = [lines[0], lines[1].replace("i1", stored), lines[2], LISTED, "finish()"]
    (one,) = judged(before + bridge("[p0, i1]", *(f"+1: {line}" for line in after)))
    assert isinstance(one.verdict, Proved) is (stored == "i1")


def peeled(*body: str) -> str:
    next_, kept = "i1 = int_add(i9, 1)", "setfield_gc(p0, p2, descr=<FieldP Frame.inst_last 8>)"
    before = recorded("[p0, i9]", next_, MADE, STORE, ASKED, GUARD, kept, "jump(p0, i1, descr=<Loop-1>)")
    ahead = ("label(p0, i9, descr=TargetToken(140))", next_, MADE, STORE, ASKED, LISTED, kept)
    behind = [line.replace("p2", "p12").replace("i1", "i11").replace("i3", "i13") for line in (*body, kept)]
    around = ("label(p0, i1, descr=TargetToken(141))", "i11 = int_add(i1, 1)", *behind)
    end = "jump(p0, i11, descr=TargetToken(141))"
    return before + loop("[p0, i9]", *(f"+1: {line}" for line in (*ahead, *around, end)))


def test_in_the_body_of_a_loop_too() -> None:
    (right,) = judged(peeled(MADE, STORE, ASKED, LISTED))
    assert isinstance(right.verdict, Proved)
    (wrong,) = judged(peeled(MADE, ASKED, LISTED, STORE))
    assert isinstance(wrong.verdict, Unknown)


def test_what_an_object_that_it_holds_has_in_it_too() -> None:
    """An object that is handed over within another one."""
    inner, held = "p4 = new_with_vtable(descr=<SizeDescr 24>)", "setarrayitem_gc(p2, 0, p4, descr=<ArrayP 8>)"
    store = f"setfield_gc(p4, i1, descr={COUNT})"
    before = (ARRAY, inner, store, held, ASKED, GUARD)
    right, wrong = (ARRAY, inner, store, held, ASKED, LISTED), (ARRAY, inner, held, ASKED, LISTED, store)
    assert isinstance(judged(log(before, right))[0].verdict, Proved)
    assert isinstance(judged(log(before, wrong))[0].verdict, Unknown)


def test_where_the_guard_passes_it_does_not_matter() -> None:
    before = (MADE, ASKED, COUNTED.replace("i1", "i3"), GUARD)
    after = (MADE, ASKED, COUNTED.replace("i1", "0"), LISTED, COUNTED.replace("i1", "1"))
    assert isinstance(judged(log(before, after))[0].verdict, Proved)


def test_each_is_the_recorded_one_that_is_as_long() -> None:
    """The recorded loop makes one more in each iteration, which the optimized one does not."""
    made, item = "p2 = new_array_clear(i1, descr=<ArrayP 8>)", "setarrayitem_gc(p2, 0, p0, descr=<ArrayP 8>)"
    next_, larger = (
        ("i1 = int_add(i9, 1)", "i4 = int_gt(i1, 3)", "guard_true(i4)"),
        "p5 = new_array_clear(2, descr=<ArrayP 8>)",
    )
    before = recorded("[p0, i9]", *next_, made, item, ASKED, GUARD, larger, "jump(p0, i1, descr=<Loop-1>)")
    ahead = (
        "label(p0, i9, descr=TargetToken(140))",
        *next_[:2],
        f"{next_[2][:-1]}, descr=<Guard0x70>) [p0]",
        made,
        item,
        ASKED,
        LISTED,
    )
    behind = [
        line.replace("p2", "p12").replace("i1", "i11").replace("i3", "i13").replace("i4", "i14").replace("i9", "i1")
        for line in ahead[1:]
    ]
    around = ("label(p0, i1, descr=TargetToken(141))", *behind, "jump(p0, i11, descr=TargetToken(141))")
    (one,) = judged(before + loop("[p0, i9]", *(f"+1: {line}" for line in (*ahead, *around))))
    assert isinstance(one.verdict, Proved)


def test_an_object_that_may_be_one_of_several() -> None:
    """The guard lists an item of an array, at an index that is not constant."""
    made = [f"p{at} = new_with_vtable(descr=<SizeDescr 16>)" for at in (4, 5)]
    stores = [f"setfield_gc(p{at}, {at}, descr={COUNT})" for at in (4, 5)]
    again = [f"setfield_gc(p{at}, 9, descr={COUNT})" for at in (4, 5)]
    items = [f"setarrayitem_gc(p2, {at}, p{at + 4}, descr=<ArrayP 8>)" for at in (0, 1)]
    array, item = "p2 = new_array_clear(2, descr=<ArrayP 8>)", "p6 = getarrayitem_gc_r(p2, i1, descr=<ArrayP 8>)"
    asks = ("i7 = uint_lt(i1, 2)", "guard_true(i7{})")
    ahead = (*asks, *made, *stores, array, *items, item, "i3 = int_lt(i1, 1)")
    before = tuple(line.format("") for line in (*ahead, *again, GUARD))
    listed = LISTED.replace("p2", "p6")
    first = [line.format(", descr=<Guard0x70>") + " [p0]" * ("guard" in line) for line in ahead]
    assert isinstance(judged(log(before, (*first, *again, listed)))[0].verdict, Proved)
    assert isinstance(judged(log(before, (*first, listed, *again)))[0].verdict, Unknown)


TAG = "<FieldS Counter.tag 16>"


@pytest.mark.parametrize(
    ("stored", "is_right"),
    [("i4", True), ("77", False), ("i4|77", False), ("77|i4", False)],  # which seems to be of another class
)
def test_what_a_bridge_hands_to_a_label_holds_what_the_recorded_object_does(stored: str, *, is_right: bool) -> None:
    """The body looks at its tag alone, and lists it."""
    asked = (
        f"i7 = getfield_gc_i(p2, descr={TAG})",
        "i8 = int_lt(i7, 100)",
        "guard_true(i8{})",
        ASKED,
        "guard_true(i3{})",
    )
    made = ("i4 = int_add(i1, 1)", "p5 = new_with_vtable(descr=<SizeDescr 24>)")
    stores = (f"setfield_gc(p5, i4, descr={COUNT})", f"setfield_gc(p5, {{}}, descr={TAG})")
    whole = [*asked, *made, stores[0], stores[1].format("i7")]
    listed = [line.format(", descr=<Guard0x61>") + " [p0, i1, p2]" * ("guard" in line) for line in whole]
    renamed = {"i1": "i4", "p2": "p5", "i3": "i13", "i7": "i17", "i8": "i18", "i4": "i14", "p5": "p15"}
    around = [re.sub(r"\b[ip]\d\b", lambda found: renamed.get(found[0], found[0]), line) for line in listed]
    of_loop = recorded("[p0, i1, p2]", *(line.format("") for line in whole), "jump(p0, i4, p5, descr=<Loop-1>)")
    labels = [f"label(p0, {args}, descr=TargetToken({number}))" for args, number in (("i1, p2", 140), ("i4, p5", 141))]
    end = "jump(p0, i14, p15, descr=TargetToken(141))"
    of_loop += loop("[p0, i1, p2]", *(f"+1: {line}" for line in (labels[0], *listed, labels[1], *around, end)))
    makes = (made[1], stores[0], stores[1].format("3"))
    back = recorded("[p0, i4]", *makes, "jump(p0, i4, p5, descr=<Loop1>)")
    values = [makes[1].replace("i4", value) for value in stored.split("|")]
    lines = (makes[0], *values, makes[2], "jump(p0, i4, p5, descr=TargetToken(141))")
    one = judged_last(of_loop + back + bridge("[p0, i4]", *(f"+1: {line}" for line in lines)))
    assert isinstance(one.verdict, Proved) is is_right, one.verdict


@pytest.mark.parametrize(("asked", "is_right"), [("int_ge(i2, 7)", True), ("int_lt(i2, 7)", False), ("", False)])
def test_a_guard_hands_over_what_the_recorded_trace_has_computed_where_it_fails(asked: str, *, is_right: bool) -> None:
    """That a number is not less gives 1 there, be it asked in other words; that is no constant of the trace."""
    first = (f"i5 = {asked}", "i9 = int_and(i5, 255)") if asked else ("i9 = int_add(i2, 1)",)
    before = (*first, "i6 = int_lt(i2, 7)", "guard_true(i6)", "finish(i9)")
    after = (*first[:-1], "i8 = int_gt(i2, 6)", first[-1], "guard_false(i8, descr=<Guard0x1>) [i8]", "finish(i9)")
    inputs = "[p0, i2]"
    (one,) = judged(recorded(inputs, *before) + bridge(inputs, *(f"+1: {line}" for line in after)))
    assert isinstance(one.verdict, Proved) is is_right


def test_it_does_so_of_what_it_asks_about_alone() -> None:
    """That a number is 7 where the guard fails nobody knew who wrote down what it hands over."""
    first, asks, added = "i4 = int_le(i2, 7)", "i6 = int_lt(i2, 7)", "i7 = int_add(i2, 14)"
    before = (first, "guard_true(i4)", asks, added, "guard_true(i6)", "finish(i7)")
    for handed in ("i2", "i8"):
        guards = ("guard_true(i4, descr=<Guard0x1>) [i2]", f"guard_true(i6, descr=<Guard0x2>) [{handed}]")
        after = (first, guards[0], asks, added, "i8 = int_sub(14, i2)", guards[1], "finish(i7)")
        (one,) = judged(recorded("[p0, i2]", *before) + bridge("[p0, i2]", *(f"+1: {line}" for line in after)))
        assert isinstance(one.verdict, Proved) is (handed == "i2")
