"""Pairs and their verdicts: what an optimizer may and may not do, one small pair each."""

from __future__ import annotations

import pytest
from pairs import proved, refuted

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


# Ends.


def test_ends() -> None:
    refuted("[i0]\nfinish(i0)", "[i0]\njump(i0)", "end: kind")
    refuted("[i0]\nfinish(i0)", "[i0]\nfinish()", "end: arguments")
    refuted("[i0]\njump(i0)", "[i0]\njump(0)", "end: argument 0")
    proved("[i0]", "[i0]\nfinish()")
