"""What the optimizer makes of calls and exceptions."""

from __future__ import annotations

import pytest
from cases import assert_proved_to_become
from declared_calls import event, functions

DECLARATIONS = (
    """+++
[struct.Node]
fields = { value = "int" }
[struct.Error]
"""
    + functions("hash quiet sqrt local once div", {"hash": (7, 70), "quiet": (7, 70)})
    + event("poke", writes="Node.value", can_raise=True)
    + event("calm")
    + "+++\n"
)

H = "i{} = call_i(1, i1, descr=hash)"
Q = "i{} = call_i(1, {}, descr=quiet)"
LOCAL = "i{} = call_i(1, 8, descr=local)"
OK = "guard_no_exception() [i1]"
CHECKED = "guard_no_exception(origin=0) [i1]"

CASES = {
    "the same again": ([Q.format(2, "i1"), Q.format(3, "i1"), "finish(i2, i3)"], [Q.format(2, "i1"), "finish(i2, i2)"]),
    "unused": ([Q.format(2, "i1"), "finish()"], ["finish()"]),
    "unused, and may raise": ([H.format(2), "finish()"], [H.format(2), "finish()"]),
    "checked, and again": ([H.format(2), OK, H.format(3), OK, "finish(i3)"], [H.format(2), CHECKED, "finish(i2)"]),
    "not checked, and again": (
        [H.format(2), H.format(3), OK, "finish(i3)"],
        [H.format(2), H.format(3), CHECKED, "finish(i3)"],
    ),
    "an exception is pending": (
        [H.format(2), OK, "call_n(1, descr=poke)", H.format(3), "finish(i2)"],
        [H.format(2), CHECKED, "call_n(1, descr=poke)", H.format(3), "finish(i2)"],
    ),
    "a known result": ([Q.format(2, 7), "finish(i2)"], ["finish(70)"]),
    "a known result that could raise": (["i2 = call_i(1, 7, descr=hash)", OK, "finish(i2)"], ["finish(70)"]),
    "a known result behind an exception": (
        ["call_n(1, descr=poke)", "i2 = call_i(1, 7, descr=hash)", OK, "finish(i2)"],
        ["call_n(1, descr=poke)", "i2 = call_i(1, 7, descr=hash)", "finish(i2)"],
    ),
    "division": (["i2 = call_i(1, i1, 8, descr=div)", "finish(i2)"], ["i2 = int_rshift(i1, 3)", "finish(i2)"]),
    "no division by what is not known": (
        ["i2 = call_i(1, 8, i1, descr=div)", "finish(i2)"],
        ["i2 = int_py_div(8, i1)", "finish(i2)"],
    ),
    "a root of a constant": (["f2 = call_f(1, 2.25, descr=sqrt)", "finish(f2)"], ["finish(1.5)"]),
    "the same root": (
        [
            "f2 = cast_int_to_float(i1)",
            "f3 = call_f(1, f2, descr=sqrt)",
            "f4 = call_f(2, f2, descr=sqrt)",
            "finish(f4)",
        ],
        ["f2 = cast_int_to_float(i1)", "f3 = call_f(1, f2, descr=sqrt)", "finish(f3)"],
    ),
    "a root that nobody needs": (["f2 = call_f(1, 0.5, descr=sqrt)", "finish()"], ["finish()"]),
    "the same thread local": (
        [LOCAL.format(2), "call_n(1, descr=poke)", OK, LOCAL.format(3), "finish(i2, i3)"],
        [LOCAL.format(2), "call_n(1, descr=poke)", CHECKED, "finish(i2, i2)"],
    ),
    "the thread local behind an event": ([LOCAL.format(2), "escape_n()", LOCAL.format(3), "finish(i2, i3)"],) * 2,
    "loop invariant": (
        ["i2 = call_loopinvariant_i(1, descr=once)", OK, "i3 = call_i(1, descr=once)", OK, "finish(i3)"],
        ["i2 = call_loopinvariant_i(1, descr=once)", CHECKED, "finish(i2)"],
    ),
    "loop invariant, of two functions": (
        ["i2 = call_i(1, descr=once)", "i3 = call_i(2, descr=once)", OK, "finish(i2, i3)"],
        ["i2 = call_i(1, descr=once)", "i3 = call_i(2, descr=once)", CHECKED, "finish(i2, i3)"],
    ),
    "loop invariant, not checked": (
        ["i2 = call_i(1, descr=once)", "i3 = call_i(1, descr=once)", OK, "finish(i3)"],
        ["i2 = call_i(1, descr=once)", "i3 = call_i(1, descr=once)", CHECKED, "finish(i3)"],
    ),
    "recorded": (
        ["record_known_result(i1, 1, 5, descr=hash)", "i2 = call_i(1, 5, descr=hash)", OK, "finish(i2)"],
        ["record_known_result(i1, 1, 5, descr=hash)", "finish(i1)"],
    ),
    "a condition that holds": (
        ["guard_true(i1) []", "cond_call(i1, 1, descr=poke)", "finish()"],
        ["guard_true(i1, origin=0) []", "call_n(1, descr=poke)", "finish()"],
    ),
    "a condition that does not hold": (
        ["guard_false(i1) []", "cond_call(i1, 1, descr=poke)", OK, "finish()"],
        ["guard_false(i1, origin=0) []", "finish()"],
    ),
    "a value that is there": (["i2 = cond_call_value_i(5, 1, descr=quiet)", "finish(i2)"], ["finish(5)"]),
    "a value that is not there": (
        ["i2 = cond_call_value_i(0, 1, 5, descr=quiet)", "finish(i2)"],
        ["i2 = call_i(1, 5, descr=quiet)", "finish(i2)"],
    ),
    "no exception at the start": ([OK, "finish()"], ["finish()"]),
    "an exception at the start": (
        ["p2 = guard_exception(ConstClass(Error)) []", OK, "finish(p2)"],
        ["p2 = guard_exception(ConstClass(Error), origin=0) []", "finish(p2)"],
    ),
    "an exception at the start, given by its class": (
        ["i2 = save_exc_class()", OK, "finish(i2)"],
        ["i2 = save_exc_class()", CHECKED, "finish(i2)"],
    ),
    "restored": (
        [
            "call_n(1, descr=poke)",
            "i2 = save_exc_class()",
            "p3 = save_exception()",
            "restore_exception(i2, p3)",
            OK,
            "finish()",
        ],
        [
            "call_n(1, descr=poke)",
            "i2 = save_exc_class()",
            "p3 = save_exception()",
            "restore_exception(i2, p3)",
            CHECKED,
            "finish()",
        ],
    ),
    "the frame was not forced": (
        [
            "call_may_force_n(1)",
            "guard_not_forced() [i1]",
            "guard_not_forced() []",
            "escape_n()",
            "guard_not_forced() []",
            "finish()",
        ],
        [
            "call_may_force_n(1)",
            "guard_not_forced(origin=0) [i1]",
            "escape_n()",
            "guard_not_forced(origin=2) []",
            "finish()",
        ],
    ),
    "a load over a function": (
        [
            "setfield_gc(p0, i1, descr=Node.value)",
            H.format(2),
            "i3 = getfield_gc_i(p0, descr=Node.value)",
            "finish(i3)",
        ],
        [H.format(2), "setfield_gc(p0, i1, descr=Node.value)", "finish(i1)"],
    ),
    "no load over an undeclared call": (
        [
            "setfield_gc(p0, i1, descr=Node.value)",
            "call_n(1)",
            "i3 = getfield_gc_i(p0, descr=Node.value)",
            "finish(i3)",
        ],
    )
    * 2,
    "what guard_exception gives may be an object of the trace": (
        [
            "p2 = new(descr=Node)",
            "escape_n(p2)",
            "p3 = guard_exception(ConstClass(Node)) []",
            "i4 = ptr_eq(p2, p3)",
            "finish(i4)",
        ],
        [
            "p2 = new(descr=Node)",
            "escape_n(p2)",
            "p3 = guard_exception(ConstClass(Node), origin=0) []",
            "i4 = ptr_eq(p2, p3)",
            "finish(i4)",
        ],
    ),
    "an argument is no virtual": (
        [
            "p2 = new(descr=Node)",
            "setfield_gc(p2, 5, descr=Node.value)",
            "i3 = call_i(1, p2, descr=quiet)",
            "finish(i3)",
        ],
        [
            "p2 = new(descr=Node)",
            "setfield_gc(p2, 5, descr=Node.value)",
            "i3 = call_i(1, p2, descr=quiet)",
            "finish(i3)",
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_calls(name: str) -> None:
    before, after = ("\n".join(["[p0, i1]", *lines, ""]) for lines in CASES[name])
    assert_proved_to_become(before, after, DECLARATIONS)
