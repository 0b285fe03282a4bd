"""The rules of comparisons in the table of algebraic rules, whose law `optimizer.rules.table` tells."""

from __future__ import annotations

from optimizer.ir.rules.language import Rule, rule

_ORDERS = (("int", ""), ("uint", "u"))
"""How the rows of signed and of unsigned comparisons begin, and what stands for that in the names of rules."""

# a < b iff b > a.
_COMPARISONS_CONSTANT_RIGHT = [
    rule(f"{sign}{order}_constant_right", f"{row}_{order}(C, x) => {row}_{turned}(x, C)")
    for row, sign in _ORDERS
    for order, turned in (("lt", "gt"), ("le", "ge"), ("gt", "lt"), ("ge", "le"))
]

# An order is reflexive or irreflexive, and has ends. Strict comparisons are the canonical ones against
# constants.
_ORDER = [
    rule("lt_self", "int_lt(x, x) => 0"),
    rule("le_self", "int_le(x, x) => 1"),
    rule("gt_self", "int_gt(x, x) => 0"),
    rule("ge_self", "int_ge(x, x) => 1"),
    rule("eq_self", "int_eq(x, x) => 1"),
    rule("ne_self", "int_ne(x, x) => 0"),
    rule("ult_self", "uint_lt(x, x) => 0"),
    rule("ule_self", "uint_le(x, x) => 1"),
    rule("ugt_self", "uint_gt(x, x) => 0"),
    rule("uge_self", "uint_ge(x, x) => 1"),
    rule("lt_least", "int_lt(x, MININT) => 0"),
    rule("gt_greatest", "int_gt(x, MAXINT) => 0"),
    rule("le_greatest", "int_le(x, MAXINT) => 1"),
    rule("ge_least", "int_ge(x, MININT) => 1"),
    rule("le_constant", "int_le(x, C) => int_lt(x, int_add(C, 1))", "int_ne(C, MAXINT)"),
    rule("ge_constant", "int_ge(x, C) => int_gt(x, int_sub(C, 1))", "int_ne(C, MININT)"),
    rule("ult_least", "uint_lt(x, 0) => 0"),
    rule("ugt_greatest", "uint_gt(x, -1) => 0"),
    rule("ule_greatest", "uint_le(x, -1) => 1"),
    rule("uge_least", "uint_ge(x, 0) => 1"),
    rule("ule_constant", "uint_le(x, C) => uint_lt(x, int_add(C, 1))", "int_ne(C, -1)"),
    rule("uge_constant", "uint_ge(x, C) => uint_gt(x, int_sub(C, 1))", "int_ne(C, 0)"),
    rule("ult_one", "uint_lt(x, 1) => int_is_zero(x)"),
    rule("ugt_zero", "uint_gt(x, 0) => int_is_true(x)"),
    rule("lt_one_of_non_negative", "int_lt(x, 1) => int_is_zero(x)", "int_ge(x, 0)"),
    rule("gt_zero_of_non_negative", "int_gt(x, 0) => int_is_true(x)", "int_ge(x, 0)"),
    # Where both are below 2**(WORD-1), the two orders agree; the signed one is the canonical one.
    rule("ult_of_non_negative", "uint_lt(x, y) => int_lt(x, y)", "int_ge(x, 0)", "int_ge(y, 0)"),
    rule("ule_of_non_negative", "uint_le(x, y) => int_le(x, y)", "int_ge(x, 0)", "int_ge(y, 0)"),
    rule("ugt_of_non_negative", "uint_gt(x, y) => int_gt(x, y)", "int_ge(x, 0)", "int_ge(y, 0)"),
    rule("uge_of_non_negative", "uint_ge(x, y) => int_ge(x, y)", "int_ge(x, 0)", "int_ge(y, 0)"),
]

# Equations may be solved for x, since x + C, C - x, x ^ C, -x and ~x are one to one.
_EQUATIONS = [
    rule("eq_zero", "int_eq(x, 0) => int_is_zero(x)"),
    rule("ne_zero", "int_ne(x, 0) => int_is_true(x)"),
    rule("eq_add", "int_eq(int_add(x, C), D) => int_eq(x, int_sub(D, C))"),
    rule("ne_add", "int_ne(int_add(x, C), D) => int_ne(x, int_sub(D, C))"),
    rule("eq_sub", "int_eq(int_sub(C, x), D) => int_eq(x, int_sub(C, D))"),
    rule("ne_sub", "int_ne(int_sub(C, x), D) => int_ne(x, int_sub(C, D))"),
    rule("eq_xor", "int_eq(int_xor(x, C), D) => int_eq(x, int_xor(C, D))"),
    rule("ne_xor", "int_ne(int_xor(x, C), D) => int_ne(x, int_xor(C, D))"),
    rule("eq_neg", "int_eq(int_neg(x), C) => int_eq(x, int_neg(C))"),
    rule("ne_neg", "int_ne(int_neg(x), C) => int_ne(x, int_neg(C))"),
    rule("eq_invert", "int_eq(int_invert(x), C) => int_eq(x, int_invert(C))"),
    rule("ne_invert", "int_ne(int_invert(x), C) => int_ne(x, int_invert(C))"),
    rule("is_zero_add", "int_is_zero(int_add(x, C)) => int_eq(x, int_neg(C))"),
    rule("is_true_add", "int_is_true(int_add(x, C)) => int_ne(x, int_neg(C))"),
    rule("is_zero_sub", "int_is_zero(int_sub(x, y)) => int_eq(x, y)"),
    rule("is_true_sub", "int_is_true(int_sub(x, y)) => int_ne(x, y)"),
    rule("is_zero_xor", "int_is_zero(int_xor(x, y)) => int_eq(x, y)"),
    rule("is_true_xor", "int_is_true(int_xor(x, y)) => int_ne(x, y)"),
    rule("is_zero_neg", "int_is_zero(int_neg(x)) => int_is_zero(x)"),
    rule("is_true_neg", "int_is_true(int_neg(x)) => int_is_true(x)"),
    # x + y = x iff y = 0.
    *(
        made
        for test, outcome in (("eq", "int_is_zero"), ("ne", "int_is_true"))
        for made in (
            rule(f"{test}_offsets", f"int_{test}(int_add(x, C), int_add(x, D)) => int_{test}(C, D)"),
            rule(f"{test}_sum_left", f"int_{test}(int_add(x, y), x) => {outcome}(y)"),
            rule(f"{test}_sum_right", f"int_{test}(int_add(x, y), y) => {outcome}(x)"),
            rule(f"{test}_sum_left_commuted", f"int_{test}(x, int_add(x, y)) => {outcome}(y)"),
            rule(f"{test}_sum_right_commuted", f"int_{test}(y, int_add(x, y)) => {outcome}(x)"),
        )
    ),
]

# Inequalities may be solved for x only where nothing wraps: x + C < D iff x < D - C among the integers, where
# D - C must be one of the machine's. Of `x + 10 < 15` with wrapping, `x < 5` does not follow.
_INEQUALITIES = [
    rule("lt_add_ovf", "int_lt(int_add_ovf(x, C), D) => int_lt(x, int_sub(D, C))", "sub_fits(D, C)"),
    rule("gt_add_ovf", "int_gt(int_add_ovf(x, C), D) => int_gt(x, int_sub(D, C))", "sub_fits(D, C)"),
    rule("lt_sub_ovf", "int_lt(int_sub_ovf(C, x), D) => int_gt(x, int_sub(C, D))", "sub_fits(C, D)"),
    rule("gt_sub_ovf", "int_gt(int_sub_ovf(C, x), D) => int_lt(x, int_sub(C, D))", "sub_fits(C, D)"),
    rule("lt_difference", "int_lt(int_sub_ovf(x, y), 0) => int_lt(x, y)"),
    rule("gt_difference", "int_gt(int_sub_ovf(x, y), 0) => int_gt(x, y)"),
    rule("le_difference", "int_lt(int_sub_ovf(x, y), 1) => int_le(x, y)"),
    rule("ge_difference", "int_gt(int_sub_ovf(x, y), -1) => int_ge(x, y)"),
    rule("lt_sum_left", "int_lt(int_add_ovf(x, y), x) => int_lt(y, 0)"),
    rule("lt_sum_right", "int_lt(int_add_ovf(x, y), y) => int_lt(x, 0)"),
    rule("gt_sum_left", "int_gt(int_add_ovf(x, y), x) => int_gt(y, 0)"),
    rule("gt_sum_right", "int_gt(int_add_ovf(x, y), y) => int_gt(x, 0)"),
]

# A value that is 0 or 1 is its own truth, and a comparison's negation is the opposite comparison.
_TRUTH = [
    rule("is_true_of_truth", "int_is_true(x) => x", "uint_le(x, 1)"),
    rule("eq_one_of_truth", "int_eq(x, 1) => x", "uint_le(x, 1)"),
    rule("ne_one_of_truth", "int_ne(x, 1) => int_is_zero(x)", "uint_le(x, 1)"),
    rule("xor_one_of_truth", "int_xor(x, 1) => int_is_zero(x)", "uint_le(x, 1)"),
    rule("is_zero_is_zero", "int_is_zero(int_is_zero(x)) => int_is_true(x)"),
    rule("is_zero_is_true", "int_is_zero(int_is_true(x)) => int_is_zero(x)"),
    rule("is_zero_eq", "int_is_zero(int_eq(x, y)) => int_ne(x, y)"),
    rule("is_zero_ne", "int_is_zero(int_ne(x, y)) => int_eq(x, y)"),
    *(
        rule(f"is_zero_{sign}{order}", f"int_is_zero({row}_{order}(x, y)) => {row}_{opposite}(x, y)")
        for row, sign in _ORDERS
        for order, opposite in (("lt", "ge"), ("le", "gt"), ("gt", "le"), ("ge", "lt"))
    ),
]

COMPARISON_RULES: tuple[Rule, ...] = (
    *_COMPARISONS_CONSTANT_RIGHT,
    *_ORDER,
    *_EQUATIONS,
    *_INEQUALITIES,
    *_TRUTH,
)
"""The rules whose root is a comparison, or a test of one."""
