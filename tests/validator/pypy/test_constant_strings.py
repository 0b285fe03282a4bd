"""Constant strings in the place of new strings of constants."""

from __future__ import annotations

import pytest

from tests.pypy_logs import WORK, judged_bridge
from validator import Proved
from validator.pypy.inferred.strings import SAME_STRINGS, new_strings
from validator.pypy.printed.lines import Line


def made(name: str, item: int) -> tuple[str, str]:
    return f"{name} = newstr(1)", f"strsetitem({name}, 0, {item})"


def test_a_new_string_of_constants_is_a_constant() -> None:
    one = judged_bridge((*made("p1", 100), WORK.format("p1")), (WORK.format("ConstPtr(ptr9)"),))
    assert isinstance(one.verdict, Proved)
    assert one.texts is not None
    assert SAME_STRINGS in one.texts.assumes


def test_the_items_of_the_constant_are_known() -> None:
    before = (
        *made("p1", 100),
        WORK.format("p1"),
        "i2 = strgetitem(p1, 0)",
        "setfield_gc(p0, i2, descr=<FieldS Box.value 8>)",
    )
    store = "setfield_gc(p0, {}, descr=<FieldS Box.value 8>)"
    assert isinstance(judged_bridge(before, (WORK.format("ConstPtr(ptr9)"), store.format(100))).verdict, Proved)
    assert not isinstance(judged_bridge(before, (WORK.format("ConstPtr(ptr9)"), store.format(101))).verdict, Proved)


@pytest.mark.parametrize(("other", "is_right"), [(100, True), (101, False)])
def test_one_constant_is_not_two_strings(other: int, is_right: bool) -> None:
    before = (*made("p1", 100), WORK.format("p1"), *made("p2", other), WORK.format("p2"))
    one = judged_bridge(before, (WORK.format("ConstPtr(ptr9)"), WORK.format("ConstPtr(ptr9)")))
    assert isinstance(one.verdict, Proved) is is_right


@pytest.mark.parametrize(
    "before",
    [
        (*made("p1", 100), "i3 = ptr_eq(p0, p1)", "guard_false(i3)", WORK.format("p1")),
        ("p1 = newstr(1)", WORK.format("p1"), "strsetitem(p1, 0, 100)"),
        (*made("p1", 100), "strsetitem(p1, 0, 101)", WORK.format("p1")),
        ("p1 = newstr(2)", "strsetitem(p1, 0, 100)", WORK.format("p1")),
        ("i1 = strlen(p0)", "p1 = newstr(1)", "strsetitem(p1, 0, i1)", WORK.format("p1")),
    ],
    ids=["which one it is, is asked", "filled late", "changed", "not filled", "no constant"],
)
def test_other_strings_are_no_constants(before: tuple[str, ...]) -> None:
    kept = tuple(line for line in before if line.startswith("i1"))
    assert not isinstance(judged_bridge(before, (*kept, WORK.format("ConstPtr(ptr9)"))).verdict, Proved)


HELD = "<FieldP Box.held 8>"


@pytest.mark.parametrize(
    ("name", "again", "asks"),
    [
        ("p2", f"p2 = getfield_gc_r(p0, descr={HELD})", "ptr_eq"),
        ("p2", "p2 = same_as_r(p1)", "ptr_eq"),
        ("p1", "", "instance_ptr_eq"),
    ],
    ids=["loaded", "renamed", "an instance"],
)
def test_which_one_a_string_is_is_asked_under_any_name(name: str, again: str, asks: str) -> None:
    """No object that is there already is a new one, and the constant may be."""
    store, end = f"setfield_gc(p0, {{}}, descr={HELD})", "setfield_gc(p0, i4, descr=<FieldS Box.value 8>)"
    load = f"p3 = getfield_gc_r(p0, descr={HELD})"
    before = (load, *made("p1", 100), store.format("p1"), *([again] if again else []), f"i4 = {asks}({name}, p3)", end)
    after = (load, store.format("ConstPtr(ptr9)"), f"i4 = {asks}(ConstPtr(ptr9), p3)", end)
    assert not isinstance(judged_bridge(before, after).verdict, Proved)


def test_strings_made_of_items_of_others() -> None:
    lines = (
        Line("p1", "newstr", ("2",)),
        Line(None, "strsetitem", ("p1", "1", "34")),
        Line(None, "strsetitem", ("p1", "0", "97")),
        Line("i2", "strgetitem", ("p1", "1")),
        Line("p3", "newunicode", ("1",)),
        Line(None, "unicodesetitem", ("p3", "0", "i2")),
        Line("p4", "newstr", ("0",)),
    )
    assert new_strings(lines) == {"p1": '"a\\""', "p3": 'u"\\""', "p4": '""'}
