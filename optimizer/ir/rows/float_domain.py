"""The vocabulary in which the meaning of operations on floats is written.

A `FloatDomain` belongs to a `Domain` of words `W` and conditions `C`, and has floats `F` beside them: IEEE-754
binary64, one of which is NaN, rounded to the nearest, ties to even. Where an operation is undefined, or its bytes are
those of NaN, a domain may do as it likes.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Protocol, TypeVar

from optimizer.ir.floats import Float
from optimizer.ir.rows.domain import primitives

W = TypeVar("W")
C_co = TypeVar("C_co", covariant=True)
F = TypeVar("F")


class FloatDomain(Protocol[W, C_co, F]):
    """The operations on floats."""

    __slots__ = ()

    def const(self, value: Float) -> F: ...

    # Arithmetic. `neg` and `abs` change the sign alone, and leave NaN as it is. The root of what is below 0.0 is NaN,
    # that of -0.0 is -0.0.
    def add(self, a: F, b: F) -> F: ...
    def sub(self, a: F, b: F) -> F: ...
    def mul(self, a: F, b: F) -> F: ...
    def div(self, a: F, b: F) -> F: ...
    def sqrt(self, a: F) -> F: ...
    def neg(self, a: F) -> F: ...
    def abs(self, a: F) -> F: ...

    # Conditions. `same` is identity: NaN is NaN, and 0.0 is not -0.0. `eq` and `lt` are those of IEEE-754.
    def same(self, a: F, b: F) -> C_co: ...
    def eq(self, a: F, b: F) -> C_co: ...
    def lt(self, a: F, b: F) -> C_co: ...
    def le(self, a: F, b: F) -> C_co: ...

    # Casts: of a signed word, rounded; to one, truncated, where it fits. The bytes of a binary64, in words of 64 bits,
    # and of a binary32 in the low half of a word, to which `to_single` rounds.
    def of_int(self, n: W) -> F: ...
    def to_int(self, a: F) -> W: ...
    def of_bytes(self, n: W) -> F: ...
    def to_bytes(self, a: F) -> W: ...
    def of_single(self, n: W) -> F: ...
    def to_single(self, a: F) -> W: ...


PRIMITIVES = primitives(FloatDomain)


@cache
def limits_of_int(width: int) -> tuple[Float, Float]:
    """The floats between which those are, both left out, that truncate to a signed word of that width."""
    low = float(-(1 << (width - 1)))
    return Float.of(min(low - 1, math.nextafter(low, -math.inf))), Float.of(-low)
