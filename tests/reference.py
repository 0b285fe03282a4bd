"""A second definition of every operation, in other words than the table's: mathematics on Python integers.

An operation is a function from the width and the mathematical values of its arguments (signed, or unsigned where the
name says so) to a mathematical result, reduced to the word afterwards; None where it is undefined.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

Reference = Callable[..., int | bool | None]


def to_word(value: int, width: int) -> int:
    """The signed number in the word that is congruent to `value`."""
    value %= 2**width
    return value if value < 2 ** (width - 1) else value - 2**width


def unsigned(value: int, width: int) -> int:
    return value % 2**width


def bits_of(value: int, width: int) -> list[int]:
    """The bits, lowest first."""
    return [(unsigned(value, width) // 2**i) % 2 for i in range(width)]


def from_bits(bits: list[int]) -> int:
    return sum(bit * 2**i for i, bit in enumerate(bits))


def fits(value: int, width: int) -> bool:
    return -(2 ** (width - 1)) <= value <= 2 ** (width - 1) - 1


def _bitwise(function: Callable[[int, int], int]) -> Reference:
    return lambda w, a, b: from_bits([function(x, y) for x, y in zip(bits_of(a, w), bits_of(b, w), strict=True)])


def _divides(w: int, a: int, b: int) -> bool:
    return b != 0 and fits(math.trunc(Fraction(a, b)), w)


def _left(w: int, a: int, n: int) -> int | None:
    return from_bits(([0] * n + bits_of(a, w))[:w]) if 0 <= n < w else None


def _right(w: int, a: int, n: int) -> int | None:
    return math.floor(Fraction(a, 2**n)) if 0 <= n < w else None


def _unsigned_right(w: int, a: int, n: int) -> int | None:
    return from_bits(bits_of(a, w)[n:]) if 0 <= n < w else None


def _sign_extend(w: int, a: int, size: int) -> int | None:
    if not 1 <= size <= w // 8:
        return None
    low = bits_of(a, w)[: 8 * size]
    return from_bits(low + [low[-1]] * (w - 8 * size))


OPERATIONS: dict[str, Reference] = {
    "int_add": lambda w, a, b: a + b,
    "int_sub": lambda w, a, b: a - b,
    "int_mul": lambda w, a, b: a * b,
    "uint_mul_high": lambda w, a, b: math.floor(Fraction(unsigned(a, w) * unsigned(b, w), 2**w)),
    "int_and": _bitwise(min),
    "int_or": _bitwise(max),
    "int_xor": _bitwise(lambda x, y: (x + y) % 2),
    "int_invert": lambda w, a: from_bits([1 - bit for bit in bits_of(a, w)]),
    "int_neg": lambda w, a: 0 - a,
    "int_lshift": _left,
    "int_rshift": _right,
    "uint_rshift": _unsigned_right,
    "int_py_div": lambda w, a, b: math.floor(Fraction(a, b)) if _divides(w, a, b) else None,
    "int_py_mod": lambda w, a, b: a - b * math.floor(Fraction(a, b)) if _divides(w, a, b) else None,
    "int_floordiv": lambda w, a, b: math.trunc(Fraction(a, b)) if _divides(w, a, b) else None,
    "int_mod": lambda w, a, b: a - b * math.trunc(Fraction(a, b)) if _divides(w, a, b) else None,
    "uint_floordiv": lambda w, a, b: math.floor(Fraction(unsigned(a, w), unsigned(b, w))) if b else None,
    "int_force_ge_zero": lambda w, a: max(a, 0),
    "int_signext": _sign_extend,
    "same_as_i": lambda w, a: a,
    "int_lt": lambda w, a, b: int(a < b),
    "int_le": lambda w, a, b: int(a <= b),
    "int_eq": lambda w, a, b: int(a == b),
    "int_ne": lambda w, a, b: int(a != b),
    "int_gt": lambda w, a, b: int(a > b),
    "int_ge": lambda w, a, b: int(a >= b),
    "uint_lt": lambda w, a, b: int(unsigned(a, w) < unsigned(b, w)),
    "uint_le": lambda w, a, b: int(unsigned(a, w) <= unsigned(b, w)),
    "uint_gt": lambda w, a, b: int(unsigned(a, w) > unsigned(b, w)),
    "uint_ge": lambda w, a, b: int(unsigned(a, w) >= unsigned(b, w)),
    "int_is_zero": lambda w, a: int(a == 0),
    "int_is_true": lambda w, a: int(a != 0),
    "int_add_ovf": lambda w, a, b: a + b,
    "int_sub_ovf": lambda w, a, b: a - b,
    "int_mul_ovf": lambda w, a, b: a * b,
}

OVERFLOWS: dict[str, Reference] = {
    "int_add_ovf": lambda w, a, b: not fits(a + b, w),
    "int_sub_ovf": lambda w, a, b: not fits(a - b, w),
    "int_mul_ovf": lambda w, a, b: not fits(a * b, w),
}

# Does the guard pass? None where it is undefined. The argument of an overflow guard is the flag.
GUARDS: dict[str, Reference] = {
    "guard_true": lambda w, c: {0: False, 1: True}.get(c),
    "guard_false": lambda w, c: {0: True, 1: False}.get(c),
    "guard_value": lambda w, a, b: a - b == 0,
    "guard_no_overflow": lambda w, flag: not flag,
    "guard_overflow": lambda w, flag: flag,
    "guard_always_fails": lambda w: False,
}


def boundary_values(width: int) -> list[int]:
    """Signed values around which operations change their behaviour."""
    powers = {2**i for i in (0, 1, 2, 3, width // 2, width - 2, width - 1) if i < width}
    near = {sign * power + delta for power in powers for sign in (1, -1) for delta in (-1, 0, 1)}
    return sorted({to_word(value, width) for value in near | {0, width, width - 1, width + 1, 7, 10}})
