"""The table of algebraic rules, in the language of `optimizer.ir.rules.language`. One line is one rule.

The law of the table, which tests hold it to:

1. *Right.* Each rule is proved: wherever the pattern is defined and the conditions hold, the replacement is defined
   and the same, result and overflow flag. It holds at every width from 4 bits on at which its operations exist and its
   numbers are machine integers. A rule without proof is not in the table.
2. *Never worse.* One operation becomes one or none, of the same cost or cheaper (division above multiplication above
   all others). What stands inside a pattern may have other uses, so its going away is never counted as a gain.
3. *It ends.* Every rule makes smaller, in this order: the set of its variable arguments (read as the places where they
   are defined, the latest one counting most: a rule that looks inside an argument takes it apart); the constants to
   the left; the rank of its operation, where the rules that leave arguments alone order the rows without a circle.
4. *Constants to the right.* Commutative rows and comparisons with a constant on the left are turned around by rules of
   their own, so that no other rule needs to look for it there. `x - C` is `x + -C`, `x <= C` is `x < C + 1`.
5. *No general commutativity.* A rule matches as it is written. Where both orders of two variables occur, both are
   written.
6. *It fires.* A test makes each rule fire in the optimizer as a whole; a rule that others hide is not in the table.

Upper-case names are constants, lower-case ones any values. A condition on a value is what the optimizer must
know from its bounds. Rules for one operation are tried in the order in which they stand.
"""

from __future__ import annotations

from optimizer.ir.rows.ops import OPS
from optimizer.ir.rules.language import Rule, rule
from optimizer.rules.comparisons import COMPARISON_RULES

# a op b = b op a: the rows say so themselves.
_CONSTANTS_RIGHT = [
    rule(f"{row.name}_constant_right", f"{row.name}(C, x) => {row.name}(x, C)")
    for row in OPS.values()
    if row.commutative and row.is_pure
]

# The integers modulo 2**WORD are a ring: sums may be re-associated, and x - x = 0.
_SUMS = [
    rule("add_zero", "int_add(x, 0) => x"),
    rule("sub_self", "int_sub(x, x) => 0"),
    rule("sub_constant", "int_sub(x, C) => int_add(x, int_neg(C))"),
    rule("zero_sub", "int_sub(0, x) => int_neg(x)"),
    rule("add_add_constants", "int_add(int_add(x, C), D) => int_add(x, int_add(C, D))"),
    rule("add_sub_constants", "int_add(int_sub(C, x), D) => int_sub(int_add(C, D), x)"),
    rule("sub_add_constants", "int_sub(C, int_add(x, D)) => int_sub(int_sub(C, D), x)"),
    rule("sub_sub_constants", "int_sub(C, int_sub(D, x)) => int_add(x, int_sub(C, D))"),
    rule("add_sub_cancels_left", "int_sub(int_add(x, y), x) => y"),
    rule("add_sub_cancels_right", "int_sub(int_add(x, y), y) => x"),
    rule("sub_add_cancels", "int_add(int_sub(x, y), y) => x"),
    rule("sub_add_cancels_commuted", "int_add(y, int_sub(x, y)) => x"),
    rule("sub_sum_left", "int_sub(x, int_add(x, y)) => int_neg(y)"),
    rule("sub_sum_right", "int_sub(y, int_add(x, y)) => int_neg(x)"),
    rule("sub_sub_cancels", "int_sub(x, int_sub(x, y)) => y"),
    rule("sub_sub_negates", "int_sub(int_sub(x, y), x) => int_neg(y)"),
    rule("sub_offsets", "int_sub(int_add(x, C), int_add(x, D)) => int_sub(C, D)"),
    rule("add_self", "int_add(x, x) => int_lshift(x, 1)"),
]

# -(-x) = x, -(x - y) = y - x, and in two's complement ~x = -x - 1.
_NEGATIONS = [
    rule("neg_neg", "int_neg(int_neg(x)) => x"),
    rule("neg_sub", "int_neg(int_sub(x, y)) => int_sub(y, x)"),
    rule("neg_add_constant", "int_neg(int_add(x, C)) => int_sub(int_neg(C), x)"),
    rule("add_neg_right", "int_add(x, int_neg(y)) => int_sub(x, y)"),
    rule("add_neg_left", "int_add(int_neg(x), y) => int_sub(y, x)"),
    rule("sub_neg", "int_sub(x, int_neg(y)) => int_add(x, y)"),
    rule("neg_invert", "int_neg(int_invert(x)) => int_add(x, 1)"),
    rule("invert_neg", "int_invert(int_neg(x)) => int_add(x, -1)"),
    rule("invert_invert", "int_invert(int_invert(x)) => x"),
    rule("add_invert_constant", "int_add(int_invert(x), C) => int_sub(int_add(C, -1), x)"),
    rule("sub_invert_constant", "int_sub(C, int_invert(x)) => int_add(x, int_add(C, 1))"),
    rule("invert_add_constant", "int_invert(int_add(x, C)) => int_sub(int_invert(C), x)"),
    rule("invert_sub_constant", "int_invert(int_sub(C, x)) => int_add(x, int_invert(C))"),
]

# Products modulo 2**WORD; a power of two is a shift, MININT = 2**(WORD-1) included.
_PRODUCTS = [
    rule("mul_zero", "int_mul(x, 0) => 0"),
    rule("mul_one", "int_mul(x, 1) => x"),
    rule("mul_minus_one", "int_mul(x, -1) => int_neg(x)"),
    rule("mul_power_of_two", "int_mul(x, C) => int_lshift(x, log2(C))", "is_power_of_two(C)"),
    rule("mul_mul_constants", "int_mul(int_mul(x, C), D) => int_mul(x, int_mul(C, D))"),
    rule("mul_lshift_constants", "int_mul(int_lshift(x, C), D) => int_mul(x, int_lshift(D, C))"),
    rule("mul_neg_constant", "int_mul(int_neg(x), C) => int_mul(x, int_neg(C))"),
    rule("mul_neg_neg", "int_mul(int_neg(x), int_neg(y)) => int_mul(x, y)"),
    rule("umulh_zero", "uint_mul_high(x, 0) => 0"),
    rule("umulh_one", "uint_mul_high(x, 1) => 0"),
    rule(
        "umulh_power_of_two",
        "uint_mul_high(x, C) => uint_rshift(x, int_sub(WORD, log2(C)))",
        "is_power_of_two(C)",
        "int_ne(C, 1)",
    ),
]

# Without overflow these are sums of integers, which cancel in every order. (a + b) that has wrapped is none:
# only an operation that was seen not to overflow stands for `int_add_ovf` inside a pattern.
_OVERFLOWS = [
    rule("add_ovf_zero", "int_add_ovf(x, 0) => x"),
    rule("sub_ovf_self", "int_sub_ovf(x, x) => 0"),
    rule("sub_ovf_constant", "int_sub_ovf(x, C) => int_add_ovf(x, int_neg(C))", "int_ne(C, MININT)"),
    rule("mul_ovf_zero", "int_mul_ovf(x, 0) => 0"),
    rule("mul_ovf_one", "int_mul_ovf(x, 1) => x"),
    rule("mul_ovf_minus_one", "int_mul_ovf(x, -1) => int_sub_ovf(0, x)"),
    rule("add_ovf_sub_ovf_cancels_left", "int_sub_ovf(int_add_ovf(x, y), x) => y"),
    rule("add_ovf_sub_ovf_cancels_right", "int_sub_ovf(int_add_ovf(x, y), y) => x"),
    rule("sub_ovf_add_ovf_cancels", "int_add_ovf(int_sub_ovf(x, y), y) => x"),
    rule("sub_ovf_add_ovf_cancels_commuted", "int_add_ovf(y, int_sub_ovf(x, y)) => x"),
    rule("sub_ovf_sub_ovf_cancels", "int_sub_ovf(x, int_sub_ovf(x, y)) => y"),
    rule(
        "add_ovf_add_ovf_constants",
        "int_add_ovf(int_add_ovf(x, C), D) => int_add_ovf(x, int_add(C, D))",
        "int_eq(int_lt(C, 0), int_lt(D, 0))",
        "add_fits(C, D)",
    ),
]

# The subsets of the bits are a Boolean algebra.
_BITS = [
    rule("and_zero", "int_and(x, 0) => 0"),
    rule("and_all", "int_and(x, -1) => x"),
    rule("and_self", "int_and(x, x) => x"),
    rule("and_subset_left", "int_and(x, y) => x", "int_is_zero(int_and(x, int_invert(y)))"),
    rule("and_subset_right", "int_and(x, y) => y", "int_is_zero(int_and(y, int_invert(x)))"),
    rule("and_and_constants", "int_and(int_and(x, C), D) => int_and(x, int_and(C, D))"),
    rule("and_again_left", "int_and(int_and(x, y), x) => int_and(x, y)"),
    rule("and_again_right", "int_and(int_and(x, y), y) => int_and(x, y)"),
    rule("and_complement", "int_and(x, int_invert(x)) => 0"),
    rule("and_complement_commuted", "int_and(int_invert(x), x) => 0"),
    rule("and_or_left", "int_and(int_or(x, y), x) => x"),
    rule("and_or_right", "int_and(int_or(x, y), y) => y"),
    rule("and_or_disjoint", "int_and(int_or(x, C), D) => int_and(x, D)", "int_is_zero(int_and(C, D))"),
    rule("or_zero", "int_or(x, 0) => x"),
    rule("or_all", "int_or(x, -1) => -1"),
    rule("or_self", "int_or(x, x) => x"),
    rule("or_subset_left", "int_or(x, y) => y", "int_is_zero(int_and(x, int_invert(y)))"),
    rule("or_subset_right", "int_or(x, y) => x", "int_is_zero(int_and(y, int_invert(x)))"),
    rule("or_or_constants", "int_or(int_or(x, C), D) => int_or(x, int_or(C, D))"),
    rule("or_again_left", "int_or(int_or(x, y), x) => int_or(x, y)"),
    rule("or_again_right", "int_or(int_or(x, y), y) => int_or(x, y)"),
    rule("or_complement", "int_or(x, int_invert(x)) => -1"),
    rule("or_complement_commuted", "int_or(int_invert(x), x) => -1"),
    rule("or_and_left", "int_or(int_and(x, y), x) => x"),
    rule("or_and_right", "int_or(int_and(x, y), y) => y"),
    rule("or_and_covering", "int_or(int_and(x, C), D) => int_or(x, D)", "int_eq(int_or(C, D), -1)"),
    rule("xor_zero", "int_xor(x, 0) => x"),
    rule("xor_self", "int_xor(x, x) => 0"),
    rule("xor_all", "int_xor(x, -1) => int_invert(x)"),
    rule("xor_xor_constants", "int_xor(int_xor(x, C), D) => int_xor(x, int_xor(C, D))"),
    rule("xor_cancels_left", "int_xor(int_xor(x, y), x) => y"),
    rule("xor_cancels_right", "int_xor(int_xor(x, y), y) => x"),
    rule("xor_cancels_left_commuted", "int_xor(x, int_xor(x, y)) => y"),
    rule("xor_cancels_right_commuted", "int_xor(y, int_xor(x, y)) => x"),
    rule("xor_complement", "int_xor(x, int_invert(x)) => -1"),
    rule("xor_complement_commuted", "int_xor(int_invert(x), x) => -1"),
    rule("xor_invert_constant", "int_xor(int_invert(x), C) => int_xor(x, int_invert(C))"),
    rule("xor_invert_invert", "int_xor(int_invert(x), int_invert(y)) => int_xor(x, y)"),
    rule("invert_xor_constant", "int_invert(int_xor(x, C)) => int_xor(x, int_invert(C))"),
]

# Amounts add up; what has left the word is gone, or is all sign. An amount outside [0, WORD) is undefined, so
# that a sum of two that are in it is below 2 * WORD and does not wrap.
_SHIFTS = [
    rule("lshift_by_zero", "int_lshift(x, 0) => x"),
    rule("rshift_by_zero", "int_rshift(x, 0) => x"),
    rule("urshift_by_zero", "uint_rshift(x, 0) => x"),
    rule("zero_lshift", "int_lshift(0, x) => 0"),
    rule("zero_rshift", "int_rshift(0, x) => 0"),
    rule("minus_one_rshift", "int_rshift(-1, x) => -1"),
    rule("zero_urshift", "uint_rshift(0, x) => 0"),
    rule(
        "lshift_lshift",
        "int_lshift(int_lshift(x, C), D) => int_lshift(x, int_add(C, D))",
        "uint_lt(int_add(C, D), WORD)",
    ),
    rule("lshift_out", "int_lshift(int_lshift(x, C), D) => 0", "uint_ge(int_add(C, D), WORD)"),
    rule(
        "rshift_rshift",
        "int_rshift(int_rshift(x, C), D) => int_rshift(x, int_add(C, D))",
        "uint_lt(int_add(C, D), WORD)",
    ),
    rule(
        "rshift_out",
        "int_rshift(int_rshift(x, C), D) => int_rshift(x, int_sub(WORD, 1))",
        "uint_ge(int_add(C, D), WORD)",
    ),
    rule(
        "urshift_urshift",
        "uint_rshift(uint_rshift(x, C), D) => uint_rshift(x, int_add(C, D))",
        "uint_lt(int_add(C, D), WORD)",
    ),
    rule("urshift_out", "uint_rshift(uint_rshift(x, C), D) => 0", "uint_ge(int_add(C, D), WORD)"),
    rule("lshift_urshift", "uint_rshift(int_lshift(x, C), C) => int_and(x, uint_rshift(-1, C))"),
    rule("rshift_lshift", "int_lshift(int_rshift(x, C), C) => int_and(x, int_lshift(-1, C))"),
    rule("urshift_lshift", "int_lshift(uint_rshift(x, C), C) => int_and(x, int_lshift(-1, C))"),
    rule(
        "lshift_rshift",
        "int_rshift(int_lshift(x, C), C) => x",
        "int_le(int_rshift(MININT, C), x)",
        "int_le(x, int_rshift(MAXINT, C))",
    ),
    # x < 2**x: nothing is left of it.
    rule("rshift_self", "int_rshift(x, x) => 0"),
    rule("urshift_self", "uint_rshift(x, x) => 0"),
    rule("urshift_of_non_negative", "uint_rshift(x, y) => int_rshift(x, y)", "int_ge(x, 0)"),
]

# x = q * y + r. Rounding down by a power of two is an arithmetic shift; truncation is the same for x >= 0
# only.
_DIVISIONS = [
    rule("py_div_minus_one", "int_py_div(x, -1) => int_neg(x)"),
    rule("py_div_power_of_two", "int_py_div(x, C) => int_rshift(x, log2(C))", "is_power_of_two(C)", "int_gt(C, 0)"),
    rule("py_div_self", "int_py_div(x, x) => 1"),
    rule("zero_py_div", "int_py_div(0, x) => 0"),
    rule("py_div_mul_ovf", "int_py_div(int_mul_ovf(x, y), y) => x"),
    rule("py_mod_minus_one", "int_py_mod(x, -1) => 0"),
    rule("py_mod_power_of_two", "int_py_mod(x, C) => int_and(x, int_sub(C, 1))", "is_power_of_two(C)", "int_gt(C, 0)"),
    rule("py_mod_self", "int_py_mod(x, x) => 0"),
    rule("zero_py_mod", "int_py_mod(0, x) => 0"),
    rule("py_mod_mul_ovf", "int_py_mod(int_mul_ovf(x, y), y) => 0"),
    rule("py_mod_again", "int_py_mod(int_py_mod(x, y), y) => int_py_mod(x, y)"),
    rule("py_mod_of_less", "int_py_mod(x, y) => x", "int_ge(x, 0)", "int_lt(x, y)"),
    rule("floordiv_one", "int_floordiv(x, 1) => x"),
    rule("floordiv_minus_one", "int_floordiv(x, -1) => int_neg(x)"),
    rule(
        "floordiv_power_of_two",
        "int_floordiv(x, C) => int_rshift(x, log2(C))",
        "is_power_of_two(C)",
        "int_gt(C, 0)",
        "int_ge(x, 0)",
    ),
    rule("floordiv_self", "int_floordiv(x, x) => 1"),
    rule("zero_floordiv", "int_floordiv(0, x) => 0"),
    rule("floordiv_mul_ovf", "int_floordiv(int_mul_ovf(x, y), y) => x"),
    rule("mod_one", "int_mod(x, 1) => 0"),
    rule("mod_minus_one", "int_mod(x, -1) => 0"),
    rule(
        "mod_power_of_two",
        "int_mod(x, C) => int_and(x, int_sub(C, 1))",
        "is_power_of_two(C)",
        "int_gt(C, 0)",
        "int_ge(x, 0)",
    ),
    rule("mod_self", "int_mod(x, x) => 0"),
    rule("zero_mod", "int_mod(0, x) => 0"),
    rule("mod_mul_ovf", "int_mod(int_mul_ovf(x, y), y) => 0"),
    rule("mod_of_less", "int_mod(x, y) => x", "int_ge(x, 0)", "int_lt(x, y)"),
    rule("udiv_power_of_two", "uint_floordiv(x, C) => uint_rshift(x, log2(C))", "is_power_of_two(C)"),
    rule("udiv_self", "uint_floordiv(x, x) => 1"),
    rule("zero_udiv", "uint_floordiv(0, x) => 0"),
    rule("udiv_of_less", "uint_floordiv(x, y) => 0", "uint_lt(x, y)"),
]

# Operations that change only some values, and a copy.
_REST = [
    rule("force_non_negative", "int_force_ge_zero(x) => x", "int_ge(x, 0)"),
    rule("force_negative", "int_force_ge_zero(x) => 0", "int_lt(x, 0)"),
    rule(
        "signext_in_range",
        "int_signext(x, N) => x",
        "int_le(int_rshift(MININT, int_sub(WORD, int_lshift(N, 3))), x)",
        "int_le(x, int_rshift(MAXINT, int_sub(WORD, int_lshift(N, 3))))",
    ),
    rule("signext_signext", "int_signext(int_signext(x, M), N) => int_signext(x, N)", "int_ge(M, N)"),
    rule("same_as", "same_as_i(x) => x"),
]

# A guard looks through a test to what is tested, and then tells more of it.
_GUARDS = [
    rule("guard_true_eq", "guard_true(int_eq(x, C)) => guard_value(x, C)"),
    rule("guard_false_ne", "guard_false(int_ne(x, C)) => guard_value(x, C)"),
    rule("guard_true_is_zero_of_truth", "guard_true(int_is_zero(x)) => guard_false(x)", "uint_le(x, 1)"),
    rule("guard_false_is_zero_of_truth", "guard_false(int_is_zero(x)) => guard_true(x)", "uint_le(x, 1)"),
    rule("guard_true_is_zero", "guard_true(int_is_zero(x)) => guard_value(x, 0)"),
    rule("guard_false_is_true", "guard_false(int_is_true(x)) => guard_value(x, 0)"),
    rule("guard_value_zero_of_truth", "guard_value(x, 0) => guard_false(x)", "uint_le(x, 1)"),
    rule("guard_value_one_of_truth", "guard_value(x, 1) => guard_true(x)", "uint_le(x, 1)"),
]

RULES: tuple[Rule, ...] = (
    *_CONSTANTS_RIGHT,
    *_SUMS,
    *_NEGATIONS,
    *_PRODUCTS,
    *_OVERFLOWS,
    *_BITS,
    *_SHIFTS,
    *_DIVISIONS,
    *COMPARISON_RULES,
    *_REST,
    *_GUARDS,
)
"""The table."""
