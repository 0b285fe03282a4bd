"""Pairs and their verdicts: what an optimizer may and may not do, one small pair each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pairs import judge, not_proved, proved, refuted

from optimizer.ir.layout import layout_of
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from validator import Failed, Options, Proved, Unknown, Unsupported, validate
from validator.cheap_rungs import KnownPlaces
from validator.discharge import Discharger
from validator.encode import encode, memory_for
from validator.judge import _Judge
from validator.obligations import Pair, Place

pytestmark = pytest.mark.usefixtures("rungs")

# Integers.


def test_wrapping_addition_does_not_bound_its_operand() -> None:
    common = "[i0]\ni1 = {add}\n{guard}i2 = int_lt(i1, 15)\nguard_true(i2) []\n"
    before, after = common + "i3 = int_lt(i0, 6)\nguard_true(i3) []\njump(0)", common + "jump(0)"
    wrapping = {"add": "int_add(i0, 10)", "guard": ""}
    checked = {"add": "int_add_ovf(i0, 10)", "guard": "guard_no_overflow() []\n"}
    refuted(before.format(**wrapping), after.format(**wrapping), "guard 1: left")
    proved(before.format(**checked), after.format(**checked))


def test_negation_keeps_the_least_integer() -> None:
    before = (
        "[i0]\ni1 = int_neg(i0)\ni2 = int_lt(i1, 0)\nguard_true(i2) []\ni3 = int_gt(i0, 0)\nguard_true(i3) []\nfinish()"
    )
    after = "[i0]\ni1 = int_neg(i0)\ni2 = int_lt(i1, 0)\nguard_true(i2) []\nfinish()"
    found = refuted(before, after, "guard 1: left")
    assert found.counterexample.state.inputs == (-(2**63),)


def test_a_product_pins_its_operand_only_without_overflow() -> None:
    before = "[i0]\ni1 = {mul}\n{guard}i2 = int_eq(i1, 12)\nguard_true(i2) []\njump(i0)"
    after = "[i0]\ni1 = {mul}\n{guard}i2 = int_eq(i1, 12)\nguard_true(i2) []\njump(1)"
    wrapping = {"mul": "int_mul(i0, 12)", "guard": ""}
    checked = {"mul": "int_mul_ovf(i0, 12)", "guard": "guard_no_overflow() []\n"}
    refuted(before.format(**wrapping), after.format(**wrapping), "end: argument 0")
    proved(before.format(**checked), after.format(**checked))


def test_a_shift_can_lose_all_bits() -> None:
    text = """[i0]
i1 = int_ge(i0, 0)
guard_true(i1) [i0]
i2 = int_le(i0, 15)
guard_true(i2) [i0]
i3 = int_lshift(0x1000000000000000, i0)
"""
    before = text + "i4 = int_is_true(i3)\nguard_true(i4) [i0]\nfinish()"
    found = refuted(before, text + "finish()", "guard 2: left")
    assert 4 <= found.counterexample.state.inputs[0] <= 15


def test_cancelling_an_addition() -> None:
    refuted(
        "[i0, i1]\ni2 = int_add(i0, i1)\ni3 = int_sub_ovf(i2, i1)\nguard_no_overflow() []\nfinish(i3)",
        "[i0, i1]\nfinish(i0)",
        "guard 0: left",
    )
    proved(
        "[i0, i1]\ni2 = int_add_ovf(i0, i1)\nguard_no_overflow() []\ni3 = int_sub(i2, i1)\nfinish(i3)",
        "[i0, i1]\ni2 = int_add_ovf(i0, i1)\nguard_no_overflow() []\nfinish(i0)",
    )


@pytest.mark.parametrize(
    ("recorded", "optimized", "right"),
    [
        ("int_py_div(i0, 8)", "int_rshift(i0, 3)", True),
        ("int_py_mod(i0, 8)", "int_and(i0, 7)", True),
        ("int_floordiv(i0, 8)", "int_rshift(i0, 3)", False),
        ("int_mod(i0, 8)", "int_and(i0, 7)", False),
        ("uint_floordiv(i0, 8)", "uint_rshift(i0, 3)", True),
        ("int_mul(i0, 8)", "int_lshift(i0, 3)", True),
        ("int_sub(0, i0)", "int_neg(i0)", True),
        ("int_xor(i0, -1)", "int_invert(i0)", True),
        ("int_rshift(i0, 1)", "uint_rshift(i0, 1)", False),
        ("int_force_ge_zero(i0)", "same_as_i(i0)", False),
        ("int_signext(i0, 8)", "same_as_i(i0)", True),
        ("int_signext(i0, 1)", "same_as_i(i0)", False),
    ],
)
def test_strength_reduction(recorded: str, optimized: str, right: bool) -> None:
    before, after = f"[i0]\ni1 = {recorded}\nfinish(i1)", f"[i0]\ni1 = {optimized}\nfinish(i1)"
    if right:
        proved(before, after)
    else:
        refuted(before, after, "end: argument 0")


# Definedness.


def test_an_operation_may_not_be_moved_above_the_guard_that_bounds_it() -> None:
    before = "[i0, i1]\ni2 = uint_lt(i1, 64)\nguard_true(i2) [i0]\ni3 = int_lshift(i0, i1)\nfinish(i3)"
    after = "[i0, i1]\ni3 = int_lshift(i0, i1)\ni2 = uint_lt(i1, 64)\nguard_true(i2) [i0]\nfinish(i3)"
    refuted(before, after, "op 0: defined")


def test_a_shift_may_be_moved_ahead_within_its_stretch() -> None:
    proved(
        "[i0, i1]\ni2 = int_add(i0, 1)\ni3 = int_lshift(i2, i1)\nfinish(i3, i2)",
        "[i0, i1]\ni9 = int_lshift(1, i1)\ni2 = int_add(i0, 1)\ni3 = int_lshift(i2, i1)\nfinish(i3, i2)",
    )


def test_what_is_defined_only_behind_an_event_may_not_move_above_it() -> None:
    before = "[i0, i1]\nescape_n(i0)\ni3 = int_lshift(i0, i1)\nfinish(i3)"
    after = "[i0, i1]\ni3 = int_lshift(i0, i1)\nescape_n(i0)\nfinish(i3)"
    found = refuted(before, after, "op 0: defined")
    assert found.counterexample.state.world.stops_at == 0


def test_a_guard_behind_an_event_says_nothing_ahead_of_it() -> None:
    """The shift's own definedness proves the guards behind the event, not the shift ahead of it."""
    before = """[i0, i1]
escape_n(i0)
i2 = int_lshift(i0, i1)
i3 = uint_lt(i1, 64)
guard_true(i3) []
finish(i2)"""
    refuted(before, "[i0, i1]\ni2 = int_lshift(i0, i1)\nescape_n(i0)\nfinish(i2)", "op 0: defined")
    proved(before, "[i0, i1]\nescape_n(i0)\ni2 = int_lshift(i0, i1)\nfinish(i2)")


def test_a_shift_does_not_prove_the_guard_ahead_of_it() -> None:
    before = "[i0, i1]\ni2 = uint_lt(i1, 64)\nguard_true(i2) [i0]\ni3 = int_lshift(i0, i1)\nfinish(i3)"
    refuted(before, "[i0, i1]\ni3 = int_lshift(i0, i1)\nfinish(i3)")


def test_a_shift_proves_the_guard_behind_it() -> None:
    before = "[i0, i1]\ni3 = int_lshift(i0, i1)\ni2 = uint_lt(i1, 64)\nguard_true(i2) [i0]\nfinish(i3)"
    proved(before, "[i0, i1]\ni3 = int_lshift(i0, i1)\nfinish(i3)")


def test_guard_true_takes_a_truth_value() -> None:
    """Recorded, `guard_true(i0)` says that i0 is 0 or 1."""
    proved("[i0]\nguard_true(i0) []\nfinish(i0)", "[i0]\nguard_value(i0, 1) []\nfinish(1)")
    refuted("[i0]\nguard_value(i0, 1) []\nfinish(i0)", "[i0]\nguard_true(i0) []\nfinish(1)", "op 0: defined")


def test_a_division_may_not_appear() -> None:
    refuted("[i0]\nfinish(i0)", "[i0]\ni1 = int_floordiv(i0, i0)\nfinish(i0)", "op 0: defined")


# Events.


def test_swapped_events() -> None:
    refuted(
        "[i0, i1]\nescape_n(i0)\nescape_n(i1)\nfinish()", "[i0, i1]\nescape_n(i1)\nescape_n(i0)\nfinish()", "event 0"
    )


def test_an_event_moved_over_a_guard() -> None:
    guard = "i1 = int_lt(i0, 5)\nguard_true(i1) [i0]\n"
    recorded, moved = f"[i0]\n{guard}escape_n(i0)\nfinish()", f"[i0]\nescape_n(i0)\n{guard}finish()"
    refuted(recorded, moved)
    refuted(moved, recorded)


def test_lost_and_added_events() -> None:
    one, two = "[i0]\nescape_n(i0)\nfinish()", "[i0]\nescape_n(i0)\nescape_n(i0)\nfinish()"
    refuted(one, two)
    refuted(two, one, "end: events")


def test_events_of_another_kind() -> None:
    refuted("[i0]\nescape_n(i0)\nfinish()", "[i0]\ni1 = escape_i(i0)\nfinish()", "event 0: kind")
    refuted("[i0]\nescape_n(i0)\nfinish()", "[i0]\nescape_n(i0, i0)\nfinish()", "event 0: kind")
    refuted("[i0]\nescape_n(i0, descr=a)\nfinish()", "[i0]\nescape_n(i0, descr=b)\nfinish()", "event 0: kind")


def test_the_results_of_equal_histories_are_equal() -> None:
    before = "[i0]\ni1 = escape_i(i0)\ni2 = int_add(i1, 0)\nfinish(i2)"
    proved(before, "[i0]\ni1 = escape_i(i0)\nfinish(i1)")
    refuted(
        "[i0]\ni1 = escape_i(i0)\ni2 = escape_i(i0)\nfinish(i2)",
        "[i0]\ni1 = escape_i(i0)\ni2 = escape_i(i0)\nfinish(i1)",
    )


def test_a_guard_that_never_fails_may_stand_elsewhere() -> None:
    before = "[i0]\ni1 = int_is_zero(i0)\ni2 = uint_lt(i1, 2)\nguard_true(i2) []\nescape_n(i0)\nfinish()"
    after = "[i0]\nescape_n(i0)\ni1 = int_is_zero(i0)\ni2 = uint_lt(i1, 2)\nguard_true(i2, origin=0) []\nfinish()"
    proved(before, after)


@pytest.mark.parametrize("mode", ["same", "early", "safe"])
def test_a_guard_behind_an_event_does_not_count_as_passed_ahead_of_it(mode: str) -> None:
    """Guard 0 never fails where the event returns, and so guard 1 does not; where it does not return, i1 may be 64."""
    before = """[i0, i1]
escape_n(i0)
i2 = int_lshift(i0, i1)
i3 = uint_lt(i1, 64)
guard_true(i3) []
guard_true(i3) []
finish()"""
    after = "[i0, i1]\ni3 = uint_lt(i1, 64)\nguard_true(i3, origin=1) []\nescape_n(i0)\nfinish()"
    found = refuted(before, after, "guard 0: events", guards=mode)
    assert found.counterexample.state.world.stops_at == 0


# What guards hand over.


def test_swapped_failargs() -> None:
    text = "[i0, i1]\ni2 = int_lt(i0, i1)\nguard_true(i2) [{}]\nfinish()"
    refuted(text.format("i0, i1"), text.format("i1, i0"), "guard 0: failarg 0")


def test_dead_slots() -> None:
    text = "[i0, i1]\ni2 = int_lt(i0, i1)\nguard_true(i2) [{}]\nfinish()"
    refuted(text.format("i0"), text.format("None"), "guard 0: failarg 0")
    proved(text.format("None"), text.format("i0"))
    proved(text.format("None, i1"), text.format("None, i1"))
    refuted(text.format("i0, i1"), text.format("i0"), "guard 0: failargs")


def test_failargs_are_compared_where_the_guard_fails() -> None:
    text = "[i0, i1]\ni2 = int_eq(i0, 5)\nguard_false(i2) [{}]\nfinish()"
    proved(text.format("i0"), text.format("5"))
    refuted(text.format("i0"), text.format("4"), "guard 0: failarg 0")


def test_what_one_failing_guard_says_is_not_known_at_the_next() -> None:
    text = """[i0]
i1 = int_eq(i0, 5)
guard_false(i1) [{}]
i2 = int_eq(i0, 6)
guard_false(i2) [{}]
finish()"""
    proved(text.format("i0", "i0"), text.format(5, 6))
    refuted(text.format("i0", "i0"), text.format(5, 5), "guard 1: failarg 0")


def test_the_facts_of_a_place_are_those_that_are_given() -> None:
    trace = parse("[i0]\nfinish(i0)")
    memory = memory_for(layout_of(trace), trace)
    encoding, terms = encode(trace, memory), memory.terms
    places, place, x = KnownPlaces(Pair(memory, encoding, encoding, Options())), Place(0, 0, 0), encoding.end[0]
    for value in (1, 2):
        assert places.at(place, (terms.eq(x, terms.const(value)),)).rebuild(x) is terms.const(value)
    assert places.at(place, ()).rebuild(x) is x


def test_failargs_that_are_not_listed() -> None:
    bare = "[i0, i1]\ni2 = int_lt(i0, i1)\nguard_true(i2)\nfinish()"
    listed = "[i0, i1]\ni2 = int_lt(i0, i1)\nguard_true(i2) [i0]\nfinish()"
    empty = "[i0, i1]\ni2 = int_lt(i0, i1)\nguard_true(i2) []\nfinish()"
    assert "failargs of guard 0" in proved(bare, bare).evidence.assumes[0]
    assert proved(bare, listed).evidence.assumes
    assert not proved(listed, listed).evidence.assumes
    assert isinstance(judge(listed, bare), Unknown)
    assert isinstance(judge(empty, bare), Unknown)


def test_ignored_failargs() -> None:
    text = "[i0, i1]\ni2 = int_lt(i0, i1)\nguard_true(i2) [{}]\nfinish()"
    verdict = proved(text.format("i0, i1"), text.format("i1"), failargs="ignore")
    assert verdict.evidence.assumes == ("resume data",)
    moved = "[i0]\nescape_n(i0)\ni1 = int_lt(i0, 5)\nguard_true(i1) []\nfinish()"
    refuted("[i0]\ni1 = int_lt(i0, 5)\nguard_true(i1) []\nescape_n(i0)\nfinish()", moved, failargs="ignore")


def test_exit_blocks() -> None:
    before = "[i0]\ni1 = int_add(i0, 1)\ni2 = int_lt(i0, 5)\nguard_true(i2) [i1]\nfinish()"
    after = "[i0]\ni2 = int_lt(i0, 5)\nguard_true(i2) [i1] {{\n    i1 = int_add(i0, {})\n}}\nfinish()"
    proved(before, after.format(1))
    refuted(before, after.format(2), "guard 0: failarg 0")


def test_an_undefined_operation_in_an_exit_block() -> None:
    before = "[i0, i1]\ni2 = int_lt(i0, 5)\nguard_true(i2) [i0]\nfinish()"
    after = "[i0, i1]\ni2 = int_lt(i0, 5)\nguard_true(i2) [i0] {\n    i3 = int_lshift(i0, i1)\n}\nfinish()"
    refuted(before, after, "op 2: defined")


def test_an_exit_block_may_use_what_the_recorded_one_guarantees() -> None:
    text = "[i0, i1]\ni2 = int_lt(i0, 5)\nguard_true(i2) [i3] {\n    i3 = int_lshift(i0, i1)\n}\nfinish()"
    proved(text, text)


def test_an_exit_block_behind_an_event_says_nothing_ahead_of_it() -> None:
    before = """[i0, i1]
escape_n(i0)
guard_always_fails() [i2] {
    i2 = int_lshift(i0, i1)
}
finish()"""
    moved = "[i0, i1]\ni2 = int_lshift(i0, i1)\nescape_n(i0)\nguard_always_fails() [i2]\nfinish()"
    refuted(before, moved, "op 0: defined")
    proved(before, "[i0, i1]\nescape_n(i0)\ni2 = int_lshift(i0, i1)\nguard_always_fails() [i2]\nfinish()")


def test_an_exit_block_says_nothing_where_an_earlier_guard_fails() -> None:
    before = """[i0, i1]
i2 = uint_lt(i1, 64)
guard_true(i2) [i0]
guard_always_fails() [i3] {
    i3 = int_lshift(i0, i1)
}
finish()"""
    after = "[i0, i1]\n{}i2 = uint_lt(i1, 64)\nguard_true(i2) [i0]\n{}guard_always_fails() [i3]\nfinish()"
    shift = "i3 = int_lshift(i0, i1)\n"
    refuted(before, after.format(shift, ""), "op 0: defined")
    proved(before, after.format("", shift))


def test_an_early_guard_needs_the_exit_block_of_its_origin() -> None:
    """Where i0 is 5 to 9, guard 0 of `before` holds, and nothing says that its exit block would be defined."""
    before = """[i0, i1]
i2 = int_lt(i0, 10)
guard_true(i2) [i3] {
    i3 = int_lshift(0, i1)
}
i4 = int_lt(i0, 5)
guard_true(i4) []
finish()"""
    after = "[i0, i1]\ni4 = int_lt(i0, 5)\nguard_true(i4, origin=0) [0]\nfinish()"
    refuted(before, after, "guard 0: origin's exit block")
    proved(before, after, failargs="ignore")


# Where guards fail.


def two_guards(first: int, second: int) -> str:
    return f"""[i0]
i1 = int_lt(i0, {first})
guard_true(i1) [i0]
i2 = int_lt(i0, {second})
guard_true(i2) [i0]
finish(i0)"""


def one_guard(bound: int, origin: str = "") -> str:
    return f"[i0]\ni1 = int_lt(i0, {bound})\nguard_true(i1{origin}) [i0]\nfinish(i0)"


def test_merged_guards_are_early() -> None:
    assert proved(two_guards(10, 5), one_guard(5, ", origin=0")).evidence.early == (0,)
    refuted(two_guards(10, 5), one_guard(5, ", origin=0"), "guard 0: condition", guards="same")
    refuted(two_guards(10, 5), one_guard(5, ", origin=1"), "guard 0: left")


def test_guards_merge_over_an_event() -> None:
    """Where i0 is 5 to 9, the recorded trace leaves behind the event, if that returns."""
    before = two_guards(10, 5).replace("i2 = ", "escape_n(i0)\ni2 = ")
    after = one_guard(5, ", origin=0").replace("finish", "escape_n(i0)\nfinish")
    assert proved(before, after).evidence.early == (0,)
    refuted(before, after, "guard 0: condition", guards="same")


def test_a_redundant_guard_goes() -> None:
    evidence = proved(two_guards(5, 10), one_guard(5)).evidence
    assert evidence.origins == (0,)
    assert evidence.inferred
    assert not evidence.early
    proved(two_guards(5, 10), one_guard(5), guards="same")


def test_a_stricter_guard() -> None:
    refuted(one_guard(10), one_guard(5), "guard 0: condition")
    refuted(one_guard(10), one_guard(5), "guard 0: condition", guards="same")
    assert proved(one_guard(10), one_guard(5), guards="safe").evidence.stricter == (0,)


def test_a_weaker_guard() -> None:
    for mode in ("same", "early", "safe"):
        refuted(one_guard(5), one_guard(10), "guard 0: left", guards=mode)


def test_an_added_guard() -> None:
    before, after = "[i0]\nfinish()", "[i0]\ni1 = int_is_true(i0)\nguard_true(i1) []\nfinish()"
    refuted(before, after, "guard 0: condition")
    refuted(before, after, "guard 0: condition", guards="safe")


def test_guards_swapped_with_their_origins_are_not_proved() -> None:
    before = """[i0, i1]
i2 = int_lt(i0, 5)
guard_true(i2) [i0]
i3 = int_lt(i1, 5)
guard_true(i3) [i1]
finish()"""
    after = """[i0, i1]
i3 = int_lt(i1, 5)
guard_true(i3, origin=1) [i1]
i2 = int_lt(i0, 5)
guard_true(i2, origin=0) [i0]
finish()"""
    verdict = not_proved(before, after)
    assert isinstance(verdict, Unsupported)
    assert "reordered" in verdict.reason
    assert "line 5" in verdict.reason
    not_proved(before, after.replace(", origin=1", "").replace(", origin=0", ""))


def test_several_guards_of_one_origin() -> None:
    before = "[i0]\ni1 = uint_lt(i0, 10)\nguard_true(i1) [i0]\nfinish(i0)"
    after = """[i0]
i1 = int_lt(i0, 10)
guard_true(i1, origin=0) [i0]
i2 = int_ge(i0, 0)
guard_true(i2, origin=0) [i0]
finish(i0)"""
    proved(before, after)
    proved(before, after, guards="same")
    proved(before, after.replace(", origin=0", ""))


def test_an_origin_that_is_not_there() -> None:
    verdict = judge(one_guard(5), one_guard(5, ", origin=7"))
    assert isinstance(verdict, Failed)
    assert verdict.fault.value == "input"
    assert "origin 7" in verdict.reason


# Inferred origins.


@pytest.mark.parametrize(
    ("recorded", "optimized"),
    [
        ("i9 = int_lt(i0, i1)\nguard_true(i9) [i0]", "i9 = int_ge(i0, i1)\nguard_false(i9) [i0]"),
        ("i9 = int_eq(i0, 7)\nguard_true(i9) [i1]", "guard_value(i0, 7) [i1]"),
        ("i9 = int_is_zero(i0)\nguard_true(i9) [i1]", "guard_value(i0, 0) [i1]"),
        ("i9 = int_ne(i0, i1)\nguard_false(i9) [i1]", "i9 = int_xor(i0, i1)\nguard_value(i9, 0) [i1]"),
        ("i9 = int_gt(i0, -1)\nguard_true(i9) [i1]", "i9 = int_rshift(i0, 63)\nguard_value(i9, 0) [i1]"),
    ],
)
def test_rewritten_guards_are_recognized(recorded: str, optimized: str) -> None:
    frame = "[i0, i1]\ni2 = int_lt(i1, 100)\nguard_true(i2) []\n{}\ni3 = int_gt(i1, -100)\nguard_true(i3) []\nfinish()"
    evidence = proved(frame.format(recorded), frame.format(optimized)).evidence
    assert evidence.origins == (0, 1, 2)
    assert evidence.inferred


def test_guards_that_are_the_same_but_for_their_position() -> None:
    before = """[i0, i1]
i2 = int_lt(i0, i1)
guard_true(i2) [i0]
escape_n(i0)
i3 = int_lt(i0, i1)
guard_true(i3) [i1]
finish()"""
    after = "[i0, i1]\ni2 = int_lt(i0, i1)\nguard_true(i2) [i0]\nescape_n(i0)\nfinish()"
    assert proved(before, after).evidence.origins == (0,)
    wrong = "[i0, i1]\nescape_n(i0)\ni2 = int_lt(i0, i1)\nguard_true(i2) [i1]\nfinish()"
    refuted(before, wrong)


def test_equal_guards_with_different_failargs() -> None:
    before = """[i0, i1]
i2 = int_lt(i0, i1)
guard_true(i2) [i0]
guard_true(i2) [i1]
finish()"""
    first = "[i0, i1]\ni2 = int_lt(i0, i1)\nguard_true(i2) [i0]\nfinish()"
    second = "[i0, i1]\ni2 = int_lt(i0, i1)\nguard_true(i2) [i1]\nfinish()"
    assert proved(before, first).evidence.origins == (0,)
    refuted(before, second)


def test_the_counterexample_is_one_of_the_likely_assignment() -> None:
    """Guards that are the same are matched, and the difference is where it is."""
    guards = "".join(f"i1{k} = int_lt(i1, {20 - k})\nguard_true(i1{k}) [i0]\n" for k in range(6))
    before = f"[i0, i1]\n{guards}finish()"
    found = refuted(before, before.replace("guard_true(i14) [i0]", "guard_true(i14) [i1]"), "guard 4: failarg 0")
    assert found.evidence.origins == (0, 1, 2, 3, 4, 5)
    assert len(found.others) == 0


def test_a_simpler_state_still_breaks_the_likely_assignment() -> None:
    """With i0 = 0 the first guards' live values would differ, that of the last guard would not."""
    guards = "".join(f"i1{k} = int_lt(i1, {20 + k})\nguard_true(i1{k}) [{k + 7}]\n" for k in range(5))
    before = f"[i0, i1]\n{guards}i2 = int_lt(i1, 15)\nguard_true(i2) [0]\nfinish()"
    found = refuted(before, before.replace("[0]", "[i0]"), "guard 5: failarg 0")
    assert found.counterexample.state.inputs[0] not in (0, 7, 8, 9, 10, 11)


def test_every_assignment_is_shown_to_be_wrong() -> None:
    before = """[i0, i1]
i2 = int_lt(i0, 0)
guard_false(i2) [i0]
i3 = int_lt(i1, 0)
guard_false(i3) [i1]
finish()"""
    after = """[i0, i1]
i4 = int_or(i0, i1)
i2 = int_lt(i4, 0)
guard_false(i2) [i1]
finish()"""
    refuted(before, after)


def test_equal_origins_of_two_optimized_traces() -> None:
    text = """[i0]
i1 = int_lt(i0, 10)
guard_true(i1, origin=2) [i0]
i2 = int_lt(i0, 5)
guard_true(i2, origin={}) [i0]
finish()"""
    proved(text.format(2), text.format(2))
    proved(text.format(5), text.format(5))


# Ends.


def test_ends() -> None:
    refuted("[i0]\nfinish(i0)", "[i0]\njump(i0)", "end: kind")
    refuted("[i0]\nfinish(i0)", "[i0]\nfinish()", "end: arguments")
    refuted("[i0]\njump(i0)", "[i0]\njump(0)", "end: argument 0")
    proved("[i0]", "[i0]\nfinish()")


# Vacuity.


def test_a_guard_that_never_passes_is_told() -> None:
    text = "[i0]\ni1 = int_lt(i0, i0)\nguard_true(i1) []\nfinish({})"
    evidence = proved(text.format("i0"), text.format("7")).evidence
    assert evidence.vacuous == ("guard 0 of the recorded trace never passes",)


def test_guards_that_exclude_each_other_are_told() -> None:
    text = """[i0]
i1 = int_lt(i0, 5)
guard_true(i1) []
i2 = int_gt(i0, 100)
guard_true(i2) []
i3 = int_lt(i0, 50)
guard_true(i3) []
finish()"""
    assert proved(text, text).evidence.vacuous == ("guard 1 of the recorded trace never passes",)


def test_whoever_knows_a_run_to_the_end_is_not_told_again() -> None:
    trace = parse("[i0]\ni1 = int_lt(i0, i0)\nguard_true(i1) []\nfinish()")
    verdict = validate(trace, trace, runs_to_end=True)
    assert isinstance(verdict, Proved)
    assert verdict.evidence.vacuous == ()


def test_a_trace_that_is_never_defined_is_told() -> None:
    text = "[i0]\ni1 = int_lshift(i0, 64)\nfinish(i1)"
    (reason,) = proved(text, text).evidence.vacuous or ("",)
    assert "on no input" in reason


def test_guards_that_pin_all_inputs_are_not_vacuous() -> None:
    text = "[i0]\ni1 = int_mul(i0, i0)\nguard_value(i1, 15241578750190521) []\nfinish(i0)"
    assert proved(text, text).evidence.vacuous == ()
    mixed = "[i0]\ni1 = uint_mul_high(i0, i0)\nguard_value(i1, 15241578750190521) []\nfinish(i0)"
    assert proved(mixed, mixed, effort=1).evidence.vacuous is None


def test_a_guard_that_passes_only_where_the_trace_is_undefined_is_told() -> None:
    text = "[i0, i1]\ni2 = int_lshift(i0, i1)\ni3 = int_gt(i1, 63)\nguard_true(i3) []\nfinish(i2)"
    assert proved(text, text).evidence.vacuous == ("guard 0 of the recorded trace never passes",)


# Limits.


def test_an_operation_that_is_not_modelled() -> None:
    verdict = judge("[i0]\np1 = call_malloc_nursery(i0)\nfinish(p1)", "[i0]\nfinish(1)")
    assert isinstance(verdict, Unsupported)
    assert verdict.reason == "line 2: call_malloc_nursery"
    verdict = judge("[i0]\nfinish(i0)", "[i0]\n\np1 = call_malloc_nursery(3)\nfinish(i0)")
    assert isinstance(verdict, Unsupported)
    assert (verdict.reason, verdict.trace) == ("line 3: call_malloc_nursery", "after")


HARD = (
    "[i0, i1]\ni2 = uint_mul_high(i0, i1)\ni3 = uint_mul_high(i2, i1)\ni4 = int_xor(i3, i2)\nfinish(i4)",
    "[i0, i1]\ni2 = uint_mul_high(i0, i1)\ni3 = uint_mul_high(i1, i0)\ni4 = uint_mul_high(i1, i3)\n"
    "i5 = int_or(i4, i2)\ni6 = int_and(i4, i2)\ni7 = int_sub(i5, i6)\nfinish(i7)",
)


def test_too_little_effort_is_unknown() -> None:
    before = "[i0, i1, i2]\ni3 = int_xor(i0, i1)\ni4 = int_floordiv(i3, i2)\nfinish(i4)"
    after = """[i0, i1, i2]
i3 = int_or(i0, i1)
i4 = int_and(i0, i1)
i5 = int_sub(i3, i4)
i6 = int_floordiv(i5, i2)
finish(i6)"""
    verdict = judge(before, after, effort=50_000)
    assert isinstance(verdict, Unknown)
    assert "effort" in verdict.reason


@pytest.mark.parametrize("limits", [{"timeout_s": float("inf")}, {"timeout_s": 1e12}, {"effort": 1 << 40}])
def test_limits_may_be_large(limits: dict[str, Any]) -> None:
    before = parse("[i0]\ni1 = int_mul(i0, i0)\ni2 = int_and(i1, 2)\nfinish(i2)")
    assert isinstance(validate(before, parse("[i0]\nfinish(0)"), replace(Options(), **limits)), Proved)


def test_a_long_chain_of_operations() -> None:
    chain = "".join(f"i{k + 1} = {('int_neg', 'int_invert')[k % 2]}(i{k})\n" for k in range(3000))
    text = f"[i0]\n{chain}guard_value(i3000, {{}}) [i0]\nfinish()"
    proved(text.format(5), text.format(5))
    refuted(text.format(5), text.format(6), "guard 0")


def test_a_query_that_is_too_large_for_its_effort() -> None:
    """Z3 would not come back from it in time, or at all."""
    products = "".join(f"i{k + 10} = int_mul(i{k + 9}, i1)\n" for k in range(500))
    text = f"[i0, i1]\n{{}}{products}i2 = int_lt(i509, 5)\nguard_true(i2) [i9]\nfinish()"
    before = text.format("i9 = int_add(i0, i1)\n")
    verdict = judge(before, text.format("i3 = int_and(i0, i1)\ni4 = int_or(i0, i1)\ni9 = int_add(i3, i4)\n"))
    assert isinstance(verdict, Unknown)
    assert "effort" in verdict.reason


def test_the_time_limit_is_a_net() -> None:
    before = parse("[i0]\ni1 = int_mul(i0, i0)\ni2 = int_and(i1, 2)\nfinish(i2)")
    after = parse("[i0]\nfinish(0)")
    verdict = validate(before, after, Options(timeout_s=1e-9))
    assert isinstance(verdict, Unknown)
    assert "time limit" in verdict.reason


def sums(lines: str) -> Trace:
    guarded = "".join(f"{lines}guard_value(i{{0}}, i99) []\n".format(k) for k in range(1, 8))
    return parse(f"[i0, i99]\n{guarded}finish()")


SUMS = (
    sums("i{0} = int_xor(i0, {0})\n"),
    sums("j{0} = int_or(i0, {0})\nk{0} = int_and(i0, {0})\ni{0} = int_sub(j{0}, k{0})\n"),
)


def test_behind_the_time_limit_no_obligations_are_looked_at() -> None:
    verdict = validate(*SUMS, Options(timeout_s=1e-9))
    assert isinstance(verdict, Unknown)
    assert "time limit" in verdict.reason
    assert len(verdict.evidence.obligations) < 2


def test_nor_is_a_query_made_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    now, denied = [0.0], []
    together, deny = Discharger.together, Discharger._denied

    def late(discharger: Discharger, obligations: Any) -> Any:
        now[0] = 100.0
        return together(discharger, obligations)

    monkeypatch.setattr(Discharger, "together", late)
    monkeypatch.setattr(Discharger, "_denied", lambda *args: denied.append(args) or deny(*args))
    verdict = validate(*SUMS, Options(timeout_s=50.0), clock=lambda: now[0])
    assert isinstance(verdict, Unknown)
    assert "time limit" in verdict.reason
    assert not denied


def test_behind_the_time_limit_no_other_origins_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    guards = "guard_false(i0) []\nguard_false(i0) []\nguard_false(i0) []\n"
    before = parse(f"[i0, i1]\n{guards}i2 = int_mul(i1, i1)\ni3 = int_and(i2, 2)\nfinish(i3)")
    after = parse("[i0, i1]\nguard_false(i0) []\nfinish(0)")
    tried: list[list[int | None]] = []
    attempt = _Judge._attempt

    def noting(judge: _Judge, origins: list[int | None]) -> object:
        tried.append(origins)
        return attempt(judge, origins)

    monkeypatch.setattr(_Judge, "_attempt", noting)
    assert isinstance(validate(before, after, Options(timeout_s=1e-9)), Unknown)
    assert len(tried) == 1
    tried.clear()
    assert isinstance(validate(before, after, Options(effort=1)), Unknown)
    assert len(tried) > 1


@pytest.mark.parametrize("other", ["[i0, i1]\nfinish()", "[]\nfinish()", "[p0]\nfinish()", "[f0]\nfinish()"])
def test_different_inputs(other: str) -> None:
    verdict = judge("[i0]\nfinish()", other)
    assert isinstance(verdict, Failed)
    assert "different inputs" in verdict.reason


def test_different_words() -> None:
    verdict = validate(parse("[]\nfinish()", word=8), parse("[]\nfinish()", word=16))
    assert isinstance(verdict, Failed)
    assert "8 and 16" in verdict.reason


@pytest.mark.parametrize("word", [4, 5, 8, 16, 32, 64])
def test_words_of_all_widths(word: int) -> None:
    proved("[i0]\ni1 = int_py_mod(i0, 4)\nfinish(i1)", "[i0]\ni1 = int_and(i0, 3)\nfinish(i1)", word=word)
    refuted("[i0]\ni1 = int_mod(i0, 4)\nfinish(i1)", "[i0]\ni1 = int_and(i0, 3)\nfinish(i1)", word=word)


# Counterexamples.


@pytest.mark.parametrize(
    ("condition", "inputs"),
    [("int_gt(i0, 100)", (101,)), ("int_lt(i0, 17)", (0,)), ("int_ne(i0, 0)", (1,)), ("uint_gt(i0, 5)", (-1,))],
)
def test_small_inputs_are_preferred(condition: str, inputs: tuple[int, ...]) -> None:
    guard = f"[i0]\ni1 = {condition}\nguard_true(i1) []\n"
    assert refuted(guard + "finish(1)", guard + "finish(2)").counterexample.state.inputs == inputs


def test_debug_positions_have_no_meaning() -> None:
    proved("[i0]\ndebug_merge_point(0, 0, 'x (y) [z]')\nfinish(i0)", "[i0]\nfinish(i0)")
