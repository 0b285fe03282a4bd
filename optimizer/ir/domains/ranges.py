"""Intervals, signed and unsigned: one of the negative integers, and one of the others. They are half of `bounds`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, reduce
from typing import NamedTuple

from optimizer.ir.rows.domain import wrap

Truth = bool | None
"""The truth of a condition; None: it may hold or not."""


class Range(NamedTuple):
    """The machine integers from `low` to `high`, both included, signed, without those between `last` and `first`.

    `first` and `last` are the least and the greatest of them when they are read as unsigned: where some are negative
    and some are not, those are the intervals [low, last] and [first, high].
    """

    low: int
    high: int
    last: int
    first: int


Interval = tuple[int, int]
"""A range of mathematical integers, which need not fit a word."""

Halves = Callable[[Interval, Interval], Iterable[Interval]]
"""The results of an operation on arguments of one sign each, modulo 2**width."""


def halves(a: Range) -> tuple[Interval, ...]:
    """The negative members, and the others, of which there may be none."""
    if a.low < 0 <= a.high:
        return (a.low, a.last), (a.first, a.high)
    return ((a.low, a.high),)


# The integers that two intervals make; of a range, the first two numbers are its ends.


def exact_sum(a: Sequence[int], b: Sequence[int]) -> Interval:
    return a[0] + b[0], a[1] + b[1]


def exact_difference(a: Sequence[int], b: Sequence[int]) -> Interval:
    return a[0] - b[1], a[1] - b[0]


def exact_product(a: Sequence[int], b: Sequence[int]) -> Interval:
    corners = (a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])
    return min(corners), max(corners)


def _truncating(a: int, b: int) -> int:
    return abs(a) // abs(b) if (a < 0) == (b < 0) else -(abs(a) // abs(b))


def _rounding_down(a: int, b: int) -> int:
    return a // b


def _quotients(divide: Callable[[int, int], int], x: Interval, y: Interval, by_zero: int) -> Iterator[Interval]:
    """`divide` is monotonic in each argument while both keep their signs: corners are its ends."""
    if y[0] == 0:
        yield by_zero, by_zero
    if y[1]:
        corners = [divide(a, b) for a in x for b in (y[0] or 1, y[1])]
        yield min(corners), max(corners)


def _modulo(x: Interval, y: Interval) -> Interval:
    """The remainders of `x` by `y`, which is positive, in [0, y)."""
    (low, high), (least, most) = x, (y[0] or 1, y[1])
    quotient = low // (least if low < 0 else most)
    if quotient != high // (most if low < 0 else least):
        return 0, min(most - 1, high) if low >= 0 else most - 1
    ends = (quotient * least, quotient * most)
    return max(low - max(ends), 0), min(high - min(ends), most - 1)


def _negated(a: Interval) -> Interval:
    return -a[1], -a[0]


def _inverted(a: Interval) -> Interval:
    return ~a[1], ~a[0]


def _common(x: Interval, y: Interval) -> Interval:
    """The bitwise conjunction. What two numbers lack of 2**n - 1, which neither exceeds, adds up at most."""
    if x[0] < 0 and y[0] < 0:
        return _inverted(_either(_inverted(x), _inverted(y)))
    if x[0] < 0 or y[0] < 0:
        x, y = (x, y) if y[0] < 0 else (y, x)
        return max(0, x[0] + y[0] + 1), x[1]
    return max(0, x[0] + y[0] - _covering(x[1] | y[1])), min(x[1], y[1])


def _either(x: Interval, y: Interval) -> Interval:
    """The bitwise disjunction of what is not negative."""
    return max(x[0], y[0]), min(_covering(x[1] | y[1]), x[1] + y[1])


def _different(x: Interval, y: Interval) -> Interval:
    """The bitwise difference: at most the sum, at least the difference."""
    if (x[0] < 0) != (y[0] < 0):
        return _inverted(_different(x, _inverted(y)))
    if x[0] < 0:
        x, y = _inverted(x), _inverted(y)
    return max(0, x[0] - y[1], y[0] - x[1]), min(_covering(x[1] | y[1]), x[1] + y[1])


def _covering(value: int) -> int:
    """The least 2**n - 1 that is not below `value`, which is not negative."""
    return (1 << value.bit_length()) - 1


class Ranges:
    """The operations on intervals of words of `width` bits: those on all pairs of halves of the arguments."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.half = 1 << (width - 1)
        self.full = (1 << width) - 1
        self.top = Range(-self.half, self.half - 1, -1, 0)

    def join(self, a: Range, b: Range) -> Range:
        full = self.full
        last = a.last if a.last & full >= b.last & full else b.last
        first = a.first if a.first & full <= b.first & full else b.first
        return Range(min(a.low, b.low), max(a.high, b.high), last, first)

    def union(self, parts: Iterable[Interval]) -> Range | None:
        """The members of intervals of one sign each, some of which may be empty; None if there are none."""
        found = [Range(low, high, high, low) for low, high in parts if low <= high]
        return reduce(self.join, found) if found else None

    def unsigned(self, a: Range) -> Interval:
        """The least and the greatest member of `a`, read as unsigned numbers."""
        return a.first & self.full, a.last & self.full

    def wrapped(self, interval: Interval) -> Range:
        """The integers of the interval modulo 2**width."""
        low, high = wrap(interval[0], self.width), wrap(interval[1], self.width)
        if interval[1] - interval[0] > self.full:
            return self.top
        if low <= high:
            return Range(low, high, -1, 0) if low < 0 <= high else Range(low, high, high, low)
        return Range(-self.half, self.half - 1, high, low) if high < 0 <= low else self.top

    def _each(self, compute: Halves, a: Range, b: Range) -> Range:
        found = [self.wrapped(one) for x in halves(a) for y in halves(b) for one in compute(x, y)]
        return reduce(self.join, found)

    def _each_unsigned(self, compute: Halves, a: Range, b: Range) -> Range:
        full = self.full
        return self._each(lambda x, y: compute((x[0] & full, x[1] & full), (y[0] & full, y[1] & full)), a, b)

    def _outside(self, interval: Interval) -> Truth:
        """True if no integer of the interval fits a word, False if all do, else None."""
        low, high = interval
        if -self.half <= low and high < self.half:
            return False
        return True if low >= self.half or high < -self.half else None

    def const(self, value: int) -> Range:
        word = wrap(value, self.width)
        return Range(word, word, word, word)

    def add(self, a: Range, b: Range) -> Range:
        return self._each(lambda x, y: (exact_sum(x, y),), a, b)

    def sub(self, a: Range, b: Range) -> Range:
        return self._each(lambda x, y: (exact_difference(x, y),), a, b)

    def mul(self, a: Range, b: Range) -> Range:
        return self._each(lambda x, y: (exact_product(x, y),), a, b)

    def umulh(self, a: Range, b: Range) -> Range:
        return self._each_unsigned(lambda x, y: ((x[0] * y[0] >> self.width, x[1] * y[1] >> self.width),), a, b)

    def neg(self, a: Range) -> Range:
        return self.sub(self.const(0), a)

    def udiv(self, a: Range, b: Range) -> Range:
        return self._each_unsigned(lambda x, y: _quotients(_rounding_down, x, y, -1), a, b)

    def sdiv(self, a: Range, b: Range) -> Range:
        return self._each(lambda x, y: _quotients(_truncating, x, y, 1 if x[0] < 0 else -1), a, b)

    def fdiv(self, a: Range, b: Range) -> Range:
        return self._each(lambda x, y: _quotients(_rounding_down, x, y, 0 if x[0] < 0 else -1), a, b)

    def srem(self, a: Range, b: Range) -> Range:
        def remainders(x: Interval, y: Interval) -> Iterator[Interval]:
            if y[0] == 0:
                yield x
            if y[1]:
                sizes = _negated(y) if y[0] < 0 else y
                yield _modulo(x, sizes) if x[0] >= 0 else _negated(_modulo(_negated(x), sizes))

        return self._each(remainders, a, b)

    def fmod(self, a: Range, b: Range) -> Range:
        def remainders(x: Interval, y: Interval) -> Iterator[Interval]:
            if y[0] == 0:
                yield x
            if y[1]:
                yield _modulo(x, y) if y[0] >= 0 else _negated(_modulo(_negated(x), _negated(y)))

        return self._each(remainders, a, b)

    def bit_and(self, a: Range, b: Range) -> Range:
        return self._each(lambda x, y: (_common(x, y),), a, b)

    def bit_or(self, a: Range, b: Range) -> Range:
        return self.bit_not(self.bit_and(self.bit_not(a), self.bit_not(b)))

    def bit_xor(self, a: Range, b: Range) -> Range:
        return self._each(lambda x, y: (_different(x, y),), a, b)

    def bit_not(self, a: Range) -> Range:
        return Range(~a.high, ~a.low, ~a.first, ~a.last)

    def _amounts(self, y: Interval) -> Interval:
        """The least and the greatest shift amount, `width` standing for all that are not below it."""
        return min(y[0] & self.full, self.width), min(y[1] & self.full, self.width)

    def shl(self, a: Range, b: Range) -> Range:
        def shifted(x: Interval, y: Interval) -> Iterator[Interval]:
            least, most = self._amounts(y)
            if most == self.width:
                yield 0, 0
            if least < self.width:
                last = min(most, self.width - 1)
                yield min(x[0] << least, x[0] << last), max(x[1] << least, x[1] << last)

        return self._each(shifted, a, b)

    def lshr(self, a: Range, b: Range) -> Range:
        def shifted(x: Interval, y: Interval) -> Iterator[Interval]:
            least, most = self._amounts(y)
            yield x[0] >> most, x[1] >> least

        return self._each_unsigned(shifted, a, b)

    def ashr(self, a: Range, b: Range) -> Range:
        def shifted(x: Interval, y: Interval) -> Iterator[Interval]:
            least, most = self._amounts(y)
            yield min(x[0] >> least, x[0] >> most), max(x[1] >> least, x[1] >> most)

        return self._each(shifted, a, b)

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


ranges = cache(Ranges)
"""The ranges of each width."""
