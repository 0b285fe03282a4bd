"""Floats as values: an IEEE-754 binary64 by its bits, all NaNs being one. Two are equal if their bits are."""

from __future__ import annotations

import math
import struct
from typing import NamedTuple

_EXPONENT = 0x7FF0000000000000
_SIGN = 1 << 63
_NAN = 0x7FF8000000000000


class _Bits(NamedTuple):
    bits: int


class Float(_Bits):
    """`bits` is the pattern, read as unsigned; that of every NaN is 0x7ff8000000000000."""

    __slots__ = ()

    def __new__(cls, bits: int) -> Float:
        return super().__new__(cls, _NAN if bits & ~_SIGN > _EXPONENT else bits)

    @staticmethod
    def of(value: float) -> Float:
        """The float that Python has as `value`."""
        return NAN if math.isnan(value) else Float(struct.unpack("<Q", struct.pack("<d", value))[0])

    @property
    def value(self) -> float:
        """The float as Python has it."""
        value: float = struct.unpack("<d", struct.pack("<Q", self.bits))[0]
        return value

    def __repr__(self) -> str:
        """The shortest text that reads back as the same bits."""
        return repr(self.value)


EXACT_INTS = 53
"""Every integer from -2**53 to 2**53 is a float."""

NAN = Float(_NAN)
ZERO = Float(0)


def exact_inverse(value: Float) -> Float | None:
    """1 / value, where multiplying by that is dividing by `value`: for powers of two whose inverse is a number."""
    exponent, digits = value.bits >> 52 & 0x7FF, value.bits & ((1 << 52) - 1)
    subnormal = {(0, 1 << 51): 2046 << 52, (2046, 0): 1 << 51}.get((exponent, digits))
    if subnormal is None and (digits or not 1 <= exponent <= 2045):
        return None
    return Float(value.bits & 1 << 63 | (subnormal or 2046 - exponent << 52))
