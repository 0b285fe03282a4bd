"""Constants that a recorded trace stores into a new frame and finds again are one."""

from __future__ import annotations

import pytest

from tests.pypy_logs import WORK, judged_bridge
from validator import Proved

ONE = "<FieldP Box.one 8>"
TOKEN = "<FieldP Box.token 24>"
DEPTH = "<FieldS Box.depth 32>"
FORCE = "<Callv 0 r EF=2 OS=121>"
ANYTHING = "call_n(ConstClass(anything), {}, descr=<Callv 0 r EF=7>)"


def is_proved(before: tuple[str, ...], after: tuple[str, ...]) -> bool:
    return isinstance(judged_bridge(before, after).verdict, Proved)


def load(name: str, field: str) -> str:
    return f"{name} = getfield_gc_r(p0, descr={field})"


@pytest.mark.parametrize(("back", "is_right"), [(1, True), (2, False)])
def test_an_item_at_a_computed_index_is_the_constant_that_was_stored(back: int, is_right: bool) -> None:
    before = (
        "p1 = new_array_clear(2, descr=<ArrayP 8>)",
        load("p2", ONE),
        "setarrayitem_gc(p1, 0, p2, descr=<ArrayP 8>)",
        "setarrayitem_gc(p1, 1, ConstPtr(ptr3), descr=<ArrayP 8>)",
        "p4 = new_with_vtable(descr=<SizeDescr 40>)",
        f"setfield_gc(p4, 2, descr={DEPTH})",
        f"i5 = getfield_gc_i(p4, descr={DEPTH})",
        f"i6 = int_sub(i5, {back})",
        "p7 = getarrayitem_gc_r(p1, i6, descr=<ArrayP 8>)",
        "guard_value(p7, ConstPtr(ptr8))",
        WORK.format("p7"),
    )
    after = (load("p2", ONE), WORK.format("ConstPtr(ptr9)" if is_right else "p2"))
    assert is_proved(before, after) is is_right


@pytest.mark.parametrize(("call", "is_right"), [("", True), (ANYTHING.format("p1"), False)])
def test_forcing_a_frame_leaves_constants_in_it(call: str, is_right: bool) -> None:
    before = (
        "p1 = new_with_vtable(descr=<SizeDescr 40>)",
        f"setfield_gc(p1, ConstPtr(ptr2), descr={ONE})",
        f"p3 = getfield_gc_r(p1, descr={TOKEN})",
        "i4 = ptr_ne(p3, ConstPtr(null))",
        f"cond_call(i4, ConstClass(force), p1, descr={FORCE})",
        *((call,) if call else ()),
        ANYTHING.format("p0"),
        f"p5 = getfield_gc_r(p1, descr={ONE})",
        "guard_value(p5, ConstPtr(ptr6))",
        WORK.format("p5"),
    )
    made = ("p1 = new_with_vtable(descr=<SizeDescr 40>)", f"setfield_gc(p1, ConstPtr(ptr8), descr={ONE})", call)
    after = (*(made if call else ()), ANYTHING.format("p0"), WORK.format("ConstPtr(ptr9)"))
    assert is_proved(before, after) is is_right


@pytest.mark.parametrize("is_right", [True, False])
def test_a_frame_is_looked_at_behind_the_call_that_forces_it(is_right: bool) -> None:
    look = f"i5 = getfield_gc_i(p0, descr={DEPTH})"
    asked, test, call = (
        "p3 = getfield_gc_r(p0, descr=<FieldP Box.vable_token 8>)",
        "i4 = ptr_ne(p3, ConstPtr(null))",
        f"cond_call(i4, ConstClass(force), p0, descr={FORCE})",
    )
    again = (test.replace("i4", "i6"), call.replace("i4", "i6"), "finish(i5)")
    after = (asked, test, call, look) if is_right else (asked, look, test, call)
    assert is_proved((asked, test, call, look, *again), (*after, *again)) is is_right
