"""What operations on floats compute, said a second time: by exact rational numbers, and a rounding of these.

A float is a pattern of 64 bits; its value is None (NaN), "+inf", "-inf", or a sign and a fraction that is not negative.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

NAN = 0x7FF8000000000000
SIGN = 1 << 63


def parts(bits: int, digits: int = 52, exponents: int = 11) -> tuple[int, Fraction | str] | None:
    """Sign and size, the latter "inf" for infinity; None for NaN."""
    sign = bits >> (digits + exponents) & 1
    exponent, fraction = bits >> digits & ((1 << exponents) - 1), bits & ((1 << digits) - 1)
    bias = (1 << (exponents - 1)) - 1
    if exponent == (1 << exponents) - 1:
        return None if fraction else (sign, "inf")
    if exponent == 0:
        return sign, Fraction(fraction) * Fraction(2) ** (1 - bias - digits)
    return sign, Fraction(fraction + (1 << digits)) * Fraction(2) ** (exponent - bias - digits)


def rounded(sign: int, size: Fraction | str, digits: int = 52, exponents: int = 11) -> int:
    """The pattern of the nearest float of that format, the one with an even last digit where two are as near."""
    bias = (1 << (exponents - 1)) - 1
    top = sign << (digits + exponents)
    infinity = top | ((1 << exponents) - 1) << digits
    if isinstance(size, str):
        return infinity
    exponent = max(1 - bias, size.numerator.bit_length() - size.denominator.bit_length() - 1) if size else 1 - bias
    while size >= Fraction(2) ** (exponent + 1):
        exponent += 1
    units = size / Fraction(2) ** (exponent - digits)
    whole = units.numerator // units.denominator
    rest = units - whole
    whole += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1)
    # The digit that is not written carries into the exponent, and so does what rounding carries.
    pattern = whole + ((exponent + bias - 1) << digits)
    return infinity if pattern >= ((1 << exponents) - 1) << digits else top | pattern


def add(a: int, b: int) -> int:
    one, other = parts(a), parts(b)
    if one is None or other is None:
        return NAN
    (s, x), (t, y) = one, other
    if isinstance(x, str) or isinstance(y, str):
        if isinstance(x, str) and isinstance(y, str) and s != t:
            return NAN
        return a if isinstance(x, str) else b
    total = (-x if s else x) + (-y if t else y)
    if total == 0:
        return SIGN if s and t and x == y == 0 else 0
    return rounded(int(total < 0), abs(total))


def mul(a: int, b: int) -> int:
    one, other = parts(a), parts(b)
    if one is None or other is None:
        return NAN
    (s, x), (t, y) = one, other
    if isinstance(x, str) or isinstance(y, str):
        return NAN if x == 0 or y == 0 else rounded(s ^ t, "inf")
    return rounded(s ^ t, x * y)


def div(a: int, b: int) -> int:
    one, other = parts(a), parts(b)
    if one is None or other is None:
        return NAN
    (s, x), (t, y) = one, other
    if isinstance(y, str):
        return NAN if isinstance(x, str) else rounded(s ^ t, Fraction(0))
    if isinstance(x, str):
        return rounded(s ^ t, "inf")
    if y == 0:
        return NAN if x == 0 else rounded(s ^ t, "inf")
    return rounded(s ^ t, x / y)


def sqrt(a: int) -> int:
    found = parts(a)
    if found is None:
        return NAN
    sign, size = found
    if size == 0 or sign:
        return a if size == 0 else NAN
    if isinstance(size, str):
        return a
    digits = 160  # of the root, far more than are kept: what is cut off is told by one more
    scaled = size * (1 << 2 * digits) * (1 << 1200)
    root = isqrt(scaled.numerator // scaled.denominator)
    inexact = Fraction(1, 2) if root * root != scaled else Fraction(0)
    return rounded(0, (root + inexact) / Fraction(2) ** (digits + 600))


def neg(a: int) -> int:
    return NAN if parts(a) is None else (a + SIGN) % (1 << 64)


def line(a: int) -> tuple[int, Fraction] | None:
    """A place on the line of numbers: infinities stand outside of all others."""
    found = parts(a)
    if found is None:
        return None
    sign, size = found
    if isinstance(size, str):
        return (-1 if sign else 1), Fraction(0)
    return 0, -size if sign else size


def compare(a: int, b: int, holds: Callable[[object, object], bool], of_nan: int = 0) -> int:
    one, other = line(a), line(b)
    return of_nan if one is None or other is None else int(holds(one, other))


def truncated(a: int, width: int) -> int | None:
    """The machine int, None where there is none."""
    found = parts(a)
    if found is None or isinstance(found[1], str):
        return None
    number = found[1].numerator // found[1].denominator * (-1 if found[0] else 1)
    return number if -(1 << (width - 1)) <= number < 1 << (width - 1) else None


def of_single(n: int) -> int:
    found = parts(n % (1 << 32), 23, 8)
    return NAN if found is None else rounded(*found)


def to_single(a: int) -> int | None:
    found = parts(a)
    return None if found is None else rounded(*found, 23, 8)


REFERENCE: dict[str, Callable[..., int | None]] = {
    "same_as_f": lambda w, a: a,
    "float_neg": lambda w, a: neg(a),
    "float_abs": lambda w, a: a % SIGN,
    "float_add": lambda w, a, b: add(a, b),
    "float_sub": lambda w, a, b: add(a, neg(b)),
    "float_mul": lambda w, a, b: mul(a, b),
    "float_truediv": lambda w, a, b: div(a, b),
    "math_sqrt": lambda w, a: sqrt(a),
    "float_lt": lambda w, a, b: compare(a, b, lambda x, y: x < y),  # type: ignore[operator]
    "float_le": lambda w, a, b: compare(a, b, lambda x, y: x <= y),  # type: ignore[operator]
    "float_eq": lambda w, a, b: compare(a, b, lambda x, y: x == y),
    "float_ne": lambda w, a, b: compare(a, b, lambda x, y: x != y, 1),
    "float_gt": lambda w, a, b: compare(a, b, lambda x, y: x > y),  # type: ignore[operator]
    "float_ge": lambda w, a, b: compare(a, b, lambda x, y: x >= y),  # type: ignore[operator]
    "cast_int_to_float": lambda w, n: rounded(int(n < 0), Fraction(abs(n))),
    "cast_float_to_int": lambda w, a: truncated(a, w),
    "convert_longlong_bytes_to_float": lambda w, n: NAN if parts(n % (1 << 64)) is None else n % (1 << 64),
    "convert_float_bytes_to_longlong": lambda w, a: None if a == NAN else a - (a >> 63 << 64),
    "cast_singlefloat_to_float": lambda w, n: of_single(n),
    "cast_float_to_singlefloat": lambda w, a: to_single(a),
}
"""By name: of the width and the arguments, floats as patterns. None where it is not defined, or not specified."""
