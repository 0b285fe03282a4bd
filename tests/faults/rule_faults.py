"""Faults in the table of rules, and in how it is matched."""

from __future__ import annotations

from typing import Any

import pytest
from faults.planting import OptimizerFault, Plant

from optimizer import pipeline
from optimizer.facts.facts import Facts
from optimizer.ir.rules.language import rule
from optimizer.ir.rules.terms import Variable
from optimizer.passes import simplify


def _instead(name: str, text: str, *conditions: str) -> Plant:
    """The rule of that name is this one."""
    wrong = rule(name, text, *conditions)
    rules = tuple(wrong if one.name == name else one for one in pipeline.ALL_RULES)
    assert rules != pipeline.ALL_RULES

    def plant(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(pipeline, "ALL_RULES", rules)

    return plant


def _one(line: str, inputs: str = "i0") -> str:
    """A trace of one operation."""
    return f"[{inputs}]\ni9 = {line}\njump(i9)\n"


def _overflowing(line: str, inputs: str = "i0") -> str:
    return f"[{inputs}]\ni9 = {line}\nguard_no_overflow() []\njump(i9)\n"


def _guarding(line: str, guard: str) -> str:
    return f"[i0]\ni9 = {line}\n{guard}(i9) []\njump(i0)\n"


def _fault(name: str, breaks: str, plant: Plant, smallest: str = "") -> OptimizerFault:
    return OptimizerFault(name, breaks, "rules", plant, smallest)


def _any_variable(patch: pytest.MonkeyPatch) -> None:
    right = simplify._match

    def match(pattern: Any, value: Any, facts: Facts, found: dict[str, Any]) -> bool:
        if isinstance(pattern, Variable):
            found.setdefault(pattern.name, value)
            return True
        return right(pattern, value, facts, found)

    patch.setattr(simplify, "_match", match)


def _never_overflowed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Facts, "overflowed", lambda self, value: False)


def _all_conditions_or_one(patch: pytest.MonkeyPatch) -> None:
    right = simplify.holds
    patch.setattr(simplify, "holds", lambda *args: right(*args) is not False)


RULE_FAULTS = (
    _fault("add one", "x + 1 is x", _instead("add_zero", "int_add(x, 1) => x"), _one("int_add(i0, 1)")),
    _fault(
        "sign of a subtracted constant", "x - C is x + C",
        _instead("sub_constant", "int_sub(x, C) => int_add(x, C)"), _one("int_sub(i0, 1)"),
    ),
    _fault("zero minus x", "0 - x is x", _instead("zero_sub", "int_sub(0, x) => x"), _one("int_sub(0, i0)")),
    _fault(
        "sum of constants", "(x + C) + D is x + (C - D)",
        _instead("add_add_constants", "int_add(int_add(x, C), D) => int_add(x, int_sub(C, D))"),
        "[i0]\ni1 = int_add(i0, 1)\ni2 = int_add(i1, 1)\njump(i2)\n",
    ),
    _fault(
        "equation solved the wrong way", "x + C == D is x == D + C",
        _instead("eq_add", "int_eq(int_add(x, C), D) => int_eq(x, int_add(D, C))"),
        "[i0]\ni1 = int_add(i0, 1)\ni2 = int_eq(i1, 1)\njump(i2)\n",
    ),
    _fault(
        "unsigned below, one sign known", "unsigned x < y is signed x < y where x is not negative, whatever y is",
        _instead("ult_of_non_negative", "uint_lt(x, y) => int_lt(x, y)", "int_ge(x, 0)"),
        "[i0, i1]\ni2 = int_force_ge_zero(i0)\ni3 = uint_lt(i2, i1)\njump(i3)\n",
    ),
    _fault(
        "unsigned above is signed above", "unsigned x > y is signed x > y",
        _instead("ugt_of_non_negative", "uint_gt(x, y) => int_gt(x, y)"), _one("uint_gt(i0, i1)", "i0, i1"),
    ),
    _fault(
        "unsigned shift is signed", "an unsigned shift to the right is a signed one",
        _instead("urshift_of_non_negative", "uint_rshift(x, y) => int_rshift(x, y)"), _one("uint_rshift(i0, 1)"),
    ),
    _fault(
        "below one", "x < 1 is x == 0, also where x is negative",
        _instead("lt_one_of_non_negative", "int_lt(x, 1) => int_is_zero(x)"), _one("int_lt(i0, 1)"),
    ),
    _fault(
        "above zero", "x > 0 is x != 0, also where x is negative",
        _instead("gt_zero_of_non_negative", "int_gt(x, 0) => int_is_true(x)"), _one("int_gt(i0, 0)"),
    ),
    _fault(
        "at most is below", "x <= C is x < C", _instead("le_constant", "int_le(x, C) => int_lt(x, C)"),
        _one("int_le(i0, 5)"),
    ),
    _fault(
        "at least, unsigned, wraps", "unsigned x >= C is x > C - 1, also for 0",
        _instead("uge_least", "uint_ge(x, 0) => 0"), _one("uint_ge(i0, 0)"),
    ),
    _fault(
        "unsigned at most is below", "unsigned x <= C is x < C",
        _instead("ule_constant", "uint_le(x, C) => uint_lt(x, C)", "int_ne(C, -1)"), _one("uint_le(i0, 5)"),
    ),
    _fault(
        "comparison not turned around", "C > x is x > C",
        _instead("gt_constant_right", "int_gt(C, x) => int_gt(x, C)"), _one("int_gt(5, i0)"),
    ),
    _fault(
        "comparison turned around loses its sign", "unsigned C < x is signed x > C",
        _instead("ult_constant_right", "uint_lt(C, x) => int_gt(x, C)"), _one("uint_lt(5, i0)"),
    ),
    _fault(
        "least integer negated", "x - MININT overflows where x + -MININT does",
        _instead("sub_ovf_constant", "int_sub_ovf(x, C) => int_add_ovf(x, int_neg(C))"),
        _overflowing("int_sub_ovf(i0, -9223372036854775808)"),
    ),
    _fault(
        "product shifted too far", "x * 2**k is x << (k + 1)",
        _instead("mul_power_of_two", "int_mul(x, C) => int_lshift(x, int_add(log2(C), 1))", "is_power_of_two(C)"),
        _one("int_mul(i0, 4)"),
    ),
    _fault(
        "high word of a product", "the high word of x * 2**k is x >> (WORD - 1 - k)",
        _instead(
            "umulh_power_of_two", "uint_mul_high(x, C) => uint_rshift(x, int_sub(int_sub(WORD, 1), log2(C)))",
            "is_power_of_two(C)", "int_ne(C, 1)", "int_gt(C, 0)",
        ),
        _one("uint_mul_high(i0, 4)"),
    ),
    _fault(
        "truncating division by a shift", "x / 2**k is x >> k, also where x is negative",
        _instead(
            "floordiv_power_of_two", "int_floordiv(x, C) => int_rshift(x, log2(C))", "is_power_of_two(C)",
            "int_gt(C, 0)",
        ),
        _one("int_floordiv(i0, 4)"),
    ),
    _fault(
        "truncating remainder by a mask", "x % 2**k is x & (2**k - 1), also where x is negative",
        _instead(
            "mod_power_of_two", "int_mod(x, C) => int_and(x, int_sub(C, 1))", "is_power_of_two(C)", "int_gt(C, 0)"
        ),
        _one("int_mod(i0, 4)"),
    ),
    _fault(
        "unsigned division by a signed shift", "unsigned x / 2**k is a signed shift",
        _instead("udiv_power_of_two", "uint_floordiv(x, C) => int_rshift(x, log2(C))", "is_power_of_two(C)"),
        _one("uint_floordiv(i0, 4)"),
    ),
    _fault(
        "remainder by the wrong mask", "x % 2**k, rounding down, is x & 2**k",
        _instead("py_mod_power_of_two", "int_py_mod(x, C) => int_and(x, C)", "is_power_of_two(C)", "int_gt(C, 0)"),
        _one("int_py_mod(i0, 4)"),
    ),
    _fault(
        "division by the least integer", "x / MININT, rounding down, is a shift too",
        _instead("py_div_power_of_two", "int_py_div(x, C) => int_rshift(x, log2(C))", "is_power_of_two(C)"),
        _one("int_py_div(i0, -9223372036854775808)"),
    ),
    _fault(
        "sign extension of what is too small", "a sign extension changes nothing below the greatest number",
        _instead(
            "signext_in_range", "int_signext(x, N) => x",
            "int_le(x, int_rshift(MAXINT, int_sub(WORD, int_lshift(N, 3))))",
        ),
        "[i0]\ni1 = int_lt(i0, 5)\nguard_true(i1) []\ni2 = int_signext(i0, 1)\njump(i2)\n",
    ),
    _fault(
        "truth of what is no truth value", "a check for 1 is a check for truth",
        _instead("guard_value_one_of_truth", "guard_value(x, 1) => guard_true(x)"),
        "[i0]\nguard_value(i0, 1) []\njump()\n",
    ),
    _fault(
        "check for zero is one for one", "not (x is true) is x == 1",
        _instead("guard_false_is_true", "guard_false(int_is_true(x)) => guard_value(x, 1)"),
        _guarding("int_is_true(i0)", "guard_false"),
    ),
    _fault(
        "guard of an equation", "a check of x == C is one that x is C + 1",
        _instead("guard_true_eq", "guard_true(int_eq(x, C)) => guard_value(x, int_add(C, 1))"),
        _guarding("int_eq(i0, 5)", "guard_true"),
    ),
    _fault(
        "truth of a number", "the truth of x is x", _instead("is_true_of_truth", "int_is_true(x) => x"),
        _one("int_is_true(i0)"),
    ),
    _fault(
        "equal to one", "x == 1 is x", _instead("eq_one_of_truth", "int_eq(x, 1) => x"), _one("int_eq(i0, 1)")
    ),
    _fault(
        "negative numbers forced", "what is forced not to be negative is what it was",
        _instead("force_non_negative", "int_force_ge_zero(x) => x"), _one("int_force_ge_zero(i0)"),
    ),
    _fault(
        "subset the other way round", "x & y is x where y has no bits that x has not",
        _instead("and_subset_left", "int_and(x, y) => x", "int_is_zero(int_and(y, int_invert(x)))"),
        "[i0]\ni1 = int_or(i0, 1)\ni2 = int_and(i1, 1)\njump(i2)\n",
    ),
    _fault(
        "quotient of what is less, signed", "unsigned x / y is 0 where signed x < y",
        _instead("udiv_of_less", "uint_floordiv(x, y) => 0", "int_lt(x, y)"),
        "[i0]\ni1 = int_lt(i0, 5)\nguard_true(i1) []\ni2 = uint_floordiv(i0, 5)\njump(i2)\n",
    ),
    _fault(
        "remainder of what is less, negative", "x % y, rounding down, is x where x < y",
        _instead("py_mod_of_less", "int_py_mod(x, y) => x", "int_lt(x, y)"),
        "[i0]\ni1 = int_lt(i0, 5)\nguard_true(i1) []\ni2 = int_py_mod(i0, 5)\njump(i2)\n",
    ),
    _fault(
        "at least itself", "x >= x is 0", _instead("ge_self", "int_ge(x, x) => 0"), _one("int_ge(i0, i0)")
    ),
    _fault(
        "sum with itself", "x + x is x << 2", _instead("add_self", "int_add(x, x) => int_lshift(x, 2)"),
        _one("int_add(i0, i0)"),
    ),
    _fault(
        "sum with zero that may overflow", "x + 0 is 0", _instead("add_ovf_zero", "int_add_ovf(x, 0) => 0"),
        _overflowing("int_add_ovf(i0, 0)"),
    ),
    _fault(
        "product with one that may overflow", "x * 1 is 1", _instead("mul_ovf_one", "int_mul_ovf(x, 1) => 1"),
        _overflowing("int_mul_ovf(i0, 1)"),
    ),
    _fault(
        "bits of a constant mask", "(x & C) & D is x & (C | D)",
        _instead("and_and_constants", "int_and(int_and(x, C), D) => int_and(x, int_or(C, D))"),
        "[i0]\ni1 = int_and(i0, 1)\ni2 = int_and(i1, 2)\njump(i2)\n",
    ),
    _fault(
        "order of a sum that may wrap", "x + C < D is x < D - C, also where the sum wraps",
        _instead("lt_add_ovf", "int_lt(int_add(x, C), D) => int_lt(x, int_sub(D, C))"),
        "[i0]\ni1 = int_add(i0, 1)\ni2 = int_lt(i1, 0)\njump(i2)\n",
    ),
    _fault("variable that stands twice", "x - x is any difference", _any_variable, _one("int_sub(i0, i1)", "i0, i1")),
    _fault(
        "overflow not looked at", "an overflow operation that has overflowed is taken for one that has not",
        _never_overflowed,
        "[i0, i1]\ni2 = int_add_ovf(i0, i1)\nguard_overflow() []\ni3 = int_add_ovf(i0, i1)\nguard_overflow() []\n"
        "jump(i3)\n",
    ),
    _fault(
        "condition that may hold", "a rule is used where its condition may hold", _all_conditions_or_one,
        _one("int_force_ge_zero(i0)"),
    ),
)  # fmt: skip
