"""The table of rules on floats, in the language of `optimizer.ir.rules.language`, under the law of
`optimizer.rules.table`.

Two floats are the same if their bits are, all NaNs being one. So `x + 0.0` is not `x`, which may be -0.0; `x * 0.0` and
`x - x` may be NaN; and `not (x < y)` is not `x >= y`. What is left are these.
"""

from __future__ import annotations

from optimizer.ir.rows.float_rows import FLOAT_ROWS
from optimizer.ir.rules.language import Rule, rule

# a op b = b op a: the rows say so themselves.
_CONSTANTS_RIGHT = [
    rule(f"{row.name}_constant_right", f"{row.name}(C, x) => {row.name}(x, C)") for row in FLOAT_ROWS if row.commutative
]

_COMPARISONS_CONSTANT_RIGHT = [
    rule("float_lt_constant_right", "float_lt(C, x) => float_gt(x, C)"),
    rule("float_le_constant_right", "float_le(C, x) => float_ge(x, C)"),
    rule("float_gt_constant_right", "float_gt(C, x) => float_lt(x, C)"),
    rule("float_ge_constant_right", "float_ge(C, x) => float_le(x, C)"),
]

# What leaves a float as it is, its sign and NaN included.
_NEUTRAL = [
    rule("same_as_float", "same_as_f(x) => x"),
    rule("float_add_minus_zero", "float_add(x, -0.0) => x"),
    rule("float_sub_zero", "float_sub(x, 0.0) => x"),
    rule("float_mul_one", "float_mul(x, 1.0) => x"),
    rule("float_truediv_one", "float_truediv(x, 1.0) => x"),
]

# Signs. Negating is exact, and rounding does not look at signs.
_SIGNS = [
    rule("float_neg_neg", "float_neg(float_neg(x)) => x"),
    rule("float_abs_neg", "float_abs(float_neg(x)) => float_abs(x)"),
    rule("float_abs_abs", "float_abs(float_abs(x)) => float_abs(x)"),
    rule("float_mul_minus_one", "float_mul(x, -1.0) => float_neg(x)"),
    rule("float_truediv_minus_one", "float_truediv(x, -1.0) => float_neg(x)"),
    rule("float_add_neg", "float_add(x, float_neg(y)) => float_sub(x, y)"),
    rule("float_neg_add", "float_add(float_neg(x), y) => float_sub(y, x)"),
    rule("float_sub_neg", "float_sub(x, float_neg(y)) => float_add(x, y)"),
]

# What NaN makes of all others.
_NANS = [
    rule("float_add_nan", "float_add(x, nan) => nan"),
    rule("float_sub_nan", "float_sub(x, nan) => nan"),
    rule("float_nan_sub", "float_sub(nan, x) => nan"),
    rule("float_mul_nan", "float_mul(x, nan) => nan"),
    rule("float_truediv_nan", "float_truediv(x, nan) => nan"),
    rule("float_nan_truediv", "float_truediv(nan, x) => nan"),
    rule("float_lt_nan", "float_lt(x, nan) => 0"),
    rule("float_le_nan", "float_le(x, nan) => 0"),
    rule("float_gt_nan", "float_gt(x, nan) => 0"),
    rule("float_ge_nan", "float_ge(x, nan) => 0"),
    rule("float_eq_nan", "float_eq(x, nan) => 0"),
    rule("float_ne_nan", "float_ne(x, nan) => 1"),
]

# Nothing is below itself; whether NaN is itself is another question. Equality may be denied, order may not.
_COMPARISONS = [
    rule("float_lt_self", "float_lt(x, x) => 0"),
    rule("float_gt_self", "float_gt(x, x) => 0"),
    rule("not_float_eq", "int_is_zero(float_eq(x, y)) => float_ne(x, y)"),
    rule("not_float_ne", "int_is_zero(float_ne(x, y)) => float_eq(x, y)"),
]

_BYTES = [
    rule(
        "bytes_of_float",
        "convert_longlong_bytes_to_float(convert_float_bytes_to_longlong(x)) => x",
    ),
]

FLOAT_RULES: tuple[Rule, ...] = (
    *_CONSTANTS_RIGHT,
    *_COMPARISONS_CONSTANT_RIGHT,
    *_NEUTRAL,
    *_SIGNS,
    *_NANS,
    *_COMPARISONS,
    *_BYTES,
)
