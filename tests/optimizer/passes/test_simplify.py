import pytest
from cases import assert_becomes, assert_stays

from fuzz.draw.generator import generate_for
from optimizer.passes import simplify
from optimizer.pipeline import run_passes

CASES = {
    "strength reduction": (
        "i1 = int_mul(i0, 8)\ni2 = int_py_div(i0, 4)\ni3 = int_py_mod(i0, 16)\njump(i1, i2, i3)",
        "i1 = int_lshift(i0, 3)\ni2 = int_rshift(i0, 2)\ni3 = int_and(i0, 15)\njump(i1, i2, i3)",
    ),
    "constants gather on the right": (
        "i1 = int_add(3, i0)\ni2 = int_sub(i1, 5)\ni3 = int_add(2, i2)\njump(i3)",
        "i1 = int_add(i0, 3)\ni2 = int_add(i0, -2)\njump(i0)",
    ),
    "a pattern looks through values that were found to be equal": (
        "i1 = same_as_i(i0)\ni2 = int_add(i1, i0)\ni3 = int_sub(i2, i0)\njump(i3)",
        "i2 = int_lshift(i0, 1)\ni3 = int_sub(i2, i0)\njump(i3)",
    ),
    "a guard looks through its test": (
        "i1 = int_eq(i0, 7)\nguard_true(i1) [i0]\njump(i0)",
        "i1 = int_eq(i0, 7)\nguard_value(i0, 7, origin=0) [i0]\njump(i0)",
    ),
    "an overflow operation that is none": (
        "i1 = int_sub_ovf(i0, 0)\nguard_no_overflow() [i0]\njump(i1)",
        "jump(i0)",
    ),
    "a sum that did not overflow cancels": (
        "i1 = int_add_ovf(i0, i0)\nguard_no_overflow() []\ni2 = int_sub_ovf(i1, i0)\nguard_no_overflow() []\njump(i2)",
        "i1 = int_add_ovf(i0, i0)\nguard_no_overflow(origin=0) []\njump(i0)",
    ),
    "one that wraps cancels too if the difference wraps": (
        "i1 = int_add_ovf(i0, 5)\nguard_overflow() []\ni2 = int_sub(i1, i0)\njump(i2)",
        "i1 = int_add_ovf(i0, 5)\nguard_overflow(origin=0) []\njump(5)",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_simplify(before: str, after: str) -> None:
    assert_becomes(f"[i0]\n{before}\n", f"[i0]\n{after}\n", "simplify")


@pytest.mark.parametrize(
    "body",
    [
        # `(a + b) -ovf b` is not `a`: the sum may have wrapped, seen or unseen.
        "i2 = int_add(i0, i1)\ni3 = int_sub_ovf(i2, i1)\nguard_no_overflow(origin=0) []\njump(i3)",
        "i2 = int_add_ovf(i0, i1)\nguard_overflow(origin=0) []\n"
        "i3 = int_sub_ovf(i2, i1)\nguard_overflow(origin=1) []\njump(i3)",
        # `x + 10 < 15` is not `x < 5` where the sum wraps.
        "i2 = int_add(i0, 10)\ni3 = int_lt(i2, 15)\njump(i3)",
        "i2 = int_add_ovf(i0, 10)\nguard_overflow(origin=0) []\ni3 = int_lt(i2, 15)\njump(i3)",
        # Truncating division rounds negative numbers up.
        "i2 = int_floordiv(i0, 4)\ni3 = int_mod(i0, 4)\njump(i2, i3)",
        # -x < 0 is not x > 0, for MININT.
        "i2 = int_neg(i0)\ni3 = int_lt(i2, 0)\njump(i3)",
        # An operation on constants only is the folder's.
        "i2 = int_add(1, 2)\ni3 = int_lshift(0, 64)\njump(i2, i3)",
    ],
)
def test_what_must_stay_stays(body: str) -> None:
    assert_stays(f"[i0, i1]\n{body}\n", "simplify")


def test_conditions_are_evaluated_over_the_bounds() -> None:
    assert_becomes(
        """
        [i0]
        i1 = int_ge(i0, 0)
        guard_true(i1) []
        i2 = int_floordiv(i0, 4)
        i3 = int_and(i0, 7)
        i4 = int_and(i3, 31)
        jump(i2, i4)
        """,
        """
        [i0]
        i1 = int_gt(i0, -1)
        guard_true(i1, origin=0) []
        i2 = int_rshift(i0, 2)
        i3 = int_and(i0, 7)
        jump(i2, i3)
        """,
        "simplify",
    )


def test_no_rule_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    traces = [generate_for(seed).trace for seed in range(100)]
    fired = [run_passes(trace).fired for trace in traces]
    monkeypatch.setattr(simplify, "_fits", lambda *_: True)
    monkeypatch.setattr(simplify, "_of_rules", simplify._Rules)
    assert [run_passes(trace).fired for trace in traces] == fired
