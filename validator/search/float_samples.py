"""Floats that are worth trying, and simpler ones for a float."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from random import Random

from optimizer.ir.floats import Float

_SIMPLE = (0.0, 1.0, -1.0, 2.0, 0.5, 3.0, -0.0, math.inf, -math.inf, math.nan)

_LIMITS = (
    5e-324,
    -5e-324,
    1.5e-323,
    2.2250738585072014e-308,
    1.7976931348623157e308,
    -1.7976931348623157e308,
    0.1,
    1e-200,
    1e200,
    2.0**31,
    -(2.0**31),
    2.0**53,
    2.0**53 + 2,
    2.0**63,
    -(2.0**63),
    1e300,
)
_WHOLE = 16


def float_pool(constants: Iterable[Float]) -> tuple[Float, ...]:
    """Values at which operations on floats behave in one way or another, and values near the constants of traces."""
    values = [Float.of(value) for value in (*_SIMPLE, *_LIMITS)]
    for constant in constants:
        x = constant.value
        values += map(Float.of, (x, -x, x + 1.0, math.nextafter(x, math.inf), math.nextafter(x, -math.inf)))
    return tuple(dict.fromkeys(values))


def draw_float(pool: tuple[Float, ...], random: Random) -> Float:
    """One of the pool, a small number with a fraction, or any pattern."""
    way = random.random()
    if way < 0.75:
        return random.choice(pool)
    if way < 0.9:
        return Float.of(random.randrange(-_WHOLE, _WHOLE) / random.choice((1, 2, 3, 8, 10)))
    return Float(random.getrandbits(64))


def simpler_floats(value: Float) -> Iterator[Float]:
    """Values that are simpler than `value`, simplest first: small ones, whole ones, and those with fewer digits."""
    for simple in _SIMPLE:
        if Float.of(simple) == value:
            return
        yield Float.of(simple)
    x = value.value
    if not math.isfinite(x):
        return
    if x != math.trunc(x):
        yield Float.of(float(math.trunc(x)))
    digits = value.bits & ((1 << 52) - 1)
    for kept in (0, 1, 2, 4, 8, 16, 32):
        shorter = value.bits ^ (digits & ((1 << (52 - kept)) - 1))
        if shorter != value.bits:
            yield Float(shorter)
