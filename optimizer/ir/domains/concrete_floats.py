"""The domain of concrete floats: it interprets and constant-folds, bit for bit."""

from __future__ import annotations

import math
import struct
from functools import cache

from optimizer.ir.faults import Unspecified
from optimizer.ir.floats import NAN, Float
from optimizer.ir.rows.domain import FloatDomain, wrap

_SIGN = 1 << 63
_SINGLE = 0xFFFFFFFF


class UnspecifiedBytes(Unspecified):
    """The bytes of NaN: all NaNs are one here, and which bytes it has nobody says."""

    def __init__(self) -> None:
        super().__init__("the bytes of NaN, which are not specified")


class ConcreteFloats(FloatDomain[int, bool, Float]):
    """Beside machine ints of `width` bits. Raises `UnspecifiedBytes` for the bytes of NaN."""

    __slots__ = ("_width",)

    def __init__(self, width: int) -> None:
        self._width = width

    def const(self, value: Float) -> Float:
        return value

    def add(self, a: Float, b: Float) -> Float:
        return Float.of(a.value + b.value)

    def sub(self, a: Float, b: Float) -> Float:
        return Float.of(a.value - b.value)

    def mul(self, a: Float, b: Float) -> Float:
        return Float.of(a.value * b.value)

    def div(self, a: Float, b: Float) -> Float:
        x, y = a.value, b.value
        if y:
            return Float.of(x / y)
        return NAN if math.isnan(x) or not x else Float.of(math.copysign(math.inf, x) * math.copysign(1.0, y))

    def sqrt(self, a: Float) -> Float:
        return NAN if a.value < 0 else Float.of(math.sqrt(a.value))

    def neg(self, a: Float) -> Float:
        return Float(a.bits ^ _SIGN)

    def abs(self, a: Float) -> Float:
        return Float(a.bits & ~_SIGN)

    def same(self, a: Float, b: Float) -> bool:
        return a == b

    def eq(self, a: Float, b: Float) -> bool:
        return a.value == b.value

    def lt(self, a: Float, b: Float) -> bool:
        return a.value < b.value

    def le(self, a: Float, b: Float) -> bool:
        return a.value <= b.value

    def of_int(self, n: int) -> Float:
        return Float.of(float(n))

    def to_int(self, a: Float) -> int:
        return wrap(int(a.value), self._width) if math.isfinite(a.value) else 0

    def of_bytes(self, n: int) -> Float:
        return Float(n & ((1 << 64) - 1))

    def to_bytes(self, a: Float) -> int:
        if a == NAN:
            raise UnspecifiedBytes
        return wrap(a.bits, self._width)

    def of_single(self, n: int) -> Float:
        return Float.of(struct.unpack("<f", struct.pack("<I", n & _SINGLE))[0])

    def to_single(self, a: Float) -> int:
        if a == NAN:
            raise UnspecifiedBytes
        try:
            packed = struct.pack("<f", a.value)
        except OverflowError:  # it rounds to more than there is
            packed = struct.pack("<f", math.copysign(math.inf, a.value))
        return wrap(struct.unpack("<I", packed)[0], self._width)


concrete_floats = cache(ConcreteFloats)
"""The one domain of floats beside machine ints of each width."""
