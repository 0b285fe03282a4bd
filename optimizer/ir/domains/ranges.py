"""The domain of signed intervals."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from optimizer.ir.domains.abstract import AbstractDomain, Truth
from optimizer.ir.rows.domain import wrap


class Range(NamedTuple):
    """The machine integers from `low` to `high`, both included, signed; `low <= high`."""

    low: int
    high: int


Interval = tuple[int, int]
"""A range of mathematical integers, which need not fit a word."""


def exact_sum(a: Range, b: Range) -> Interval:
    return a.low + b.low, a.high + b.high


def exact_difference(a: Range, b: Range) -> Interval:
    return a.low - b.high, a.high - b.low


def exact_product(a: Range, b: Range) -> Interval:
    corners = (a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high)
    return min(corners), max(corners)


def _truncating(a: int, b: int) -> int:
    return abs(a) // abs(b) if (a < 0) == (b < 0) else -(abs(a) // abs(b))


def _rounding_down(a: int, b: int) -> int:
    return a // b


def _modulo(a: Interval, divisor: Interval) -> Interval:
    """The remainders in [0, divisor) of `a` by a positive divisor."""
    (low, high), (least, most) = a, divisor
    if least == most and low // least == high // least:
        return low % least, high % least
    if low >= 0 and high < least:
        return a
    return 0, min(most - 1, high) if low >= 0 else most - 1


def _negated(a: Interval) -> Interval:
    return -a[1], -a[0]


def _covering(value: int) -> int:
    """The least 2**n - 1 that is not below `value`, which is not negative."""
    return (1 << value.bit_length()) - 1


def _magnitude(a: Range) -> int:
    """The least 2**n - 1 with every member of `a` in [-2**n, 2**n)."""
    return _covering(max(a.low if a.low >= 0 else ~a.low, a.high if a.high >= 0 else ~a.high))


class Ranges(AbstractDomain[Range]):
    """Signed intervals. What may wrap around is the whole word, unless all of it wraps equally often."""

    __slots__ = ()

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.top = Range(-self.half, self.half - 1)

    def contains(self, a: Range, value: int) -> bool:
        return a.low <= value <= a.high

    def join(self, a: Range, b: Range) -> Range:
        return Range(min(a.low, b.low), max(a.high, b.high))

    def meet(self, a: Range, b: Range) -> Range | None:
        low, high = max(a.low, b.low), min(a.high, b.high)
        return Range(low, high) if low <= high else None

    def unsigned(self, a: Range) -> Interval:
        """The least and the greatest member of `a`, read as unsigned numbers."""
        if a.low >= 0:
            return a.low, a.high
        if a.high < 0:
            return a.low + self.full + 1, a.high + self.full + 1
        return 0, self.full

    def wrapped(self, interval: Interval) -> Range:
        """The integers of the interval modulo 2**width."""
        low, high = interval
        if (low + self.half) >> self.width == (high + self.half) >> self.width:
            return Range(wrap(low, self.width), wrap(high, self.width))
        return self.top

    def _outside(self, interval: Interval) -> Truth:
        """True if no integer of the interval fits a word, False if all do, else None."""
        low, high = interval
        if -self.half <= low and high < self.half:
            return False
        return True if low >= self.half or high < -self.half else None

    def _union(self, parts: list[Range]) -> Range:
        return Range(min(part.low for part in parts), max(part.high for part in parts))

    def const(self, value: int) -> Range:
        word = wrap(value, self.width)
        return Range(word, word)

    def add(self, a: Range, b: Range) -> Range:
        return self.wrapped(exact_sum(a, b))

    def sub(self, a: Range, b: Range) -> Range:
        return self.wrapped(exact_difference(a, b))

    def mul(self, a: Range, b: Range) -> Range:
        return self.wrapped(exact_product(a, b))

    def umulh(self, a: Range, b: Range) -> Range:
        (a_low, a_high), (b_low, b_high) = self.unsigned(a), self.unsigned(b)
        return self.wrapped(((a_low * b_low) >> self.width, (a_high * b_high) >> self.width))

    def neg(self, a: Range) -> Range:
        return self.wrapped((-a.high, -a.low))

    def udiv(self, a: Range, b: Range) -> Range:
        (a_low, a_high), (b_low, b_high) = self.unsigned(a), self.unsigned(b)
        parts = []
        if b_high > 0:
            parts.append(self.wrapped((a_low // b_high, a_high // max(b_low, 1))))
        if b_low == 0:
            parts.append(Range(-1, -1))
        return self._union(parts)

    def _quotient(self, divide: Callable[[int, int], int], a: Range, b: Range, by_zero: Range) -> Range:
        """`divide` is monotonic in each argument while the divisor keeps its sign: corners are its ends."""
        parts = [by_zero] if b.low <= 0 <= b.high else []
        for low, high in ((b.low, min(b.high, -1)), (max(b.low, 1), b.high)):
            if low <= high:
                corners = [divide(x, y) for x in (a.low, a.high) for y in (low, high)]
                parts.append(self.wrapped((min(corners), max(corners))))
        return self._union(parts)

    def sdiv(self, a: Range, b: Range) -> Range:
        by_zero = Range(1 if a.high < 0 else -1, 1 if a.low < 0 else -1)
        return self._quotient(_truncating, a, b, by_zero)

    def fdiv(self, a: Range, b: Range) -> Range:
        by_zero = Range(0 if a.high < 0 else -1, 0 if a.low < 0 else -1)
        return self._quotient(_rounding_down, a, b, by_zero)

    def srem(self, a: Range, b: Range) -> Range:
        parts = [a] if b.low <= 0 <= b.high else []
        if b.low < 0 or b.high > 0:
            nearest = max(b.low, -b.high, 1)
            sizes = (nearest, max(-b.low, b.high))
            if a.high >= 0:
                parts.append(Range(*_modulo((max(a.low, 0), a.high), sizes)))
            if a.low < 0:
                parts.append(Range(*_negated(_modulo((max(-a.high, 1), -a.low), sizes))))
        return self._union(parts)

    def fmod(self, a: Range, b: Range) -> Range:
        parts = [a] if b.low <= 0 <= b.high else []
        if b.high > 0:
            parts.append(Range(*_modulo((a.low, a.high), (max(b.low, 1), b.high))))
        if b.low < 0:
            parts.append(Range(*_negated(_modulo((-a.high, -a.low), (max(-b.high, 1), -b.low)))))
        return self._union(parts)

    def bit_and(self, a: Range, b: Range) -> Range:
        if a.low >= 0 or b.low >= 0:
            return Range(0, min(r.high for r in (a, b) if r.low >= 0))
        low = -1 - max(_magnitude(a), _magnitude(b))
        return Range(low, min(a.high, b.high) if a.high < 0 and b.high < 0 else max(a.high, b.high))

    def bit_or(self, a: Range, b: Range) -> Range:
        return self.bit_not(self.bit_and(self.bit_not(a), self.bit_not(b)))

    def bit_xor(self, a: Range, b: Range) -> Range:
        limit = max(_magnitude(a), _magnitude(b))
        if a.low < 0 <= a.high or b.low < 0 <= b.high:
            return Range(~limit, limit)
        return Range(0, limit) if (a.low < 0) == (b.low < 0) else Range(~limit, -1)

    def bit_not(self, a: Range) -> Range:
        return Range(~a.high, ~a.low)

    def _amounts(self, b: Range) -> tuple[int, int]:
        """The least and the greatest shift amount, `width` standing for all that are not below it."""
        low, high = self.unsigned(b)
        return min(low, self.width), min(high, self.width)

    def shl(self, a: Range, b: Range) -> Range:
        least, most = self._amounts(b)
        if least == self.width:
            return Range(0, 0)
        last = min(most, self.width - 1)
        low = min(a.low << least, a.low << last)
        shifted = self.wrapped((low, max(a.high << least, a.high << last)))
        return self.join(shifted, Range(0, 0)) if most == self.width else shifted

    def lshr(self, a: Range, b: Range) -> Range:
        least, most = self._amounts(b)
        low, high = self.unsigned(a)
        return self.wrapped((low >> most, high >> least))

    def ashr(self, a: Range, b: Range) -> Range:
        least, most = self._amounts(b)
        return Range(min(a.low >> least, a.low >> most), max(a.high >> least, a.high >> most))

    def eq(self, a: Range, b: Range) -> Truth:
        if a.high < b.low or b.high < a.low:
            return False
        return True if a.low == a.high == b.low == b.high else None

    def slt(self, a: Range, b: Range) -> Truth:
        if a.high < b.low:
            return True
        return False if a.low >= b.high else None

    def ult(self, a: Range, b: Range) -> Truth:
        (a_low, a_high), (b_low, b_high) = self.unsigned(a), self.unsigned(b)
        if a_high < b_low:
            return True
        return False if a_low >= b_high else None

    def add_overflows(self, a: Range, b: Range) -> Truth:
        return self._outside(exact_sum(a, b))

    def sub_overflows(self, a: Range, b: Range) -> Truth:
        return self._outside(exact_difference(a, b))

    def mul_overflows(self, a: Range, b: Range) -> Truth:
        return self._outside(exact_product(a, b))


@cache
def ranges(width: int) -> Ranges:
    """The one domain of ranges of that width."""
    return Ranges(width)
