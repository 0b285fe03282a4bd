"""From what is known of a term to what is known of its arguments: bounds, the other way round.

Each method is named after a kind of term. Given the value of the term and those of its arguments (bounds of words,
truths of conditions), it yields the place of an argument and a value that contains all that the argument may be, or
None in place of it where there is nothing that it may be. Sound: where the term has a value in its bounds and each
argument has one in its own, each argument has one in what is yielded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

from optimizer.ir.domains.bounds import Bounds, BoundsDomain, bounds_domain

Value = Any
"""Bounds of a word, or the truth of a condition."""

Narrowed = Iterator[tuple[int, Value]]


class Narrowing:
    """Narrows arguments of `width` bits."""

    def __init__(self, domain: BoundsDomain) -> None:
        self.domain = domain
        self._least, self._most = -domain.half, domain.half - 1

    def arguments(self, kind: str, value: Value, args: Sequence[Value], *, exact: bool) -> Sequence[tuple[int, Value]]:
        """What `value` says of the arguments. `exact`: the term is the sum, difference or product of the integers."""
        return () if value is None else _arguments(self, kind, value, tuple(args), exact)

    # Sets of integers.

    def exclude(self, a: Bounds, low: int, high: int) -> Bounds | None:
        """`a` without an interval; all of `a` where that lies inside."""
        if low > high:
            return a
        first = high + 1 if low <= a.low <= high else a.low
        last = low - 1 if low <= a.high <= high else a.high
        return self.domain.between(first, last)

    def unsigned(self, a: Bounds, low: int, high: int) -> Bounds | None:
        """Those of `a` that are in an interval when read as unsigned."""
        d = self.domain
        low, high = max(low, 0), min(high, d.full)
        if low > high:
            return None
        if high < d.half:
            return d.between(low, high)
        if low >= d.half:
            return d.between(low - d.full - 1, high - d.full - 1)
        return self.exclude(a, high - d.full, low - 1)

    def _known(self, value: int, mask: int) -> Bounds:
        return self.domain.with_bits(value & ~mask, mask)

    def _amount(self, b: Bounds) -> int | None:
        """How far to shift, where that is known and less than the width."""
        return b.low if b.low == b.high and 0 <= b.low < self.domain.width else None

    # Arithmetic: what wraps is undone by what wraps.

    def add(self, value: Bounds, a: Bounds, b: Bounds) -> Narrowed:
        yield 0, self.domain.sub(value, b)
        yield 1, self.domain.sub(value, a)

    def _exact_add(self, value: Bounds, a: Bounds, b: Bounds) -> Narrowed:
        yield 0, self.domain.between(value.low - b.high, value.high - b.low)
        yield 1, self.domain.between(value.low - a.high, value.high - a.low)

    def sub(self, value: Bounds, a: Bounds, b: Bounds) -> Narrowed:
        yield 0, self.domain.add(value, b)
        yield 1, self.domain.sub(a, value)

    def _exact_sub(self, value: Bounds, a: Bounds, b: Bounds) -> Narrowed:
        yield 0, self.domain.between(value.low + b.low, value.high + b.high)
        yield 1, self.domain.between(a.low - value.high, a.high - value.low)

    def neg(self, value: Bounds, a: Bounds) -> Narrowed:
        yield 0, self.domain.neg(value)

    def mul(self, value: Bounds, a: Bounds, b: Bounds) -> Narrowed:
        """By an odd constant, which has an inverse; by one that cannot make the product wrap."""
        if b.low != b.high:
            return
        if b.low & 1:
            yield 0, self.domain.mul(value, self.domain.const(pow(b.low, -1, self.domain.full + 1)))
        if b.low and all(self._least <= x * b.low <= self._most for x in (a.low, a.high)):
            yield 0, self._factor(value, b.low)

    def _exact_mul(self, value: Bounds, a: Bounds, b: Bounds) -> Narrowed:
        if b.low == b.high != 0:
            yield 0, self._factor(value, b.low)
        if a.low == a.high != 0:
            yield 1, self._factor(value, a.low)

    def _factor(self, product: Bounds, factor: int) -> Bounds | None:
        """The integers whose product with `factor`, which is not 0, is in `product`."""
        low, high = (product.low, product.high) if factor > 0 else (product.high, product.low)
        return self.domain.between(-(-low // factor), high // factor)

    def udiv(self, value: Bounds, a: Bounds, b: Bounds) -> Narrowed:
        low, high = self.domain.ranges.unsigned(value.range)
        divisor = b.low & self.domain.full
        if b.low == b.high != 0:
            yield 0, self.unsigned(a, low * divisor, high * divisor + divisor - 1)

    def sdiv(self, value: Bounds, a: Bounds, b: Bounds) -> Narrowed:
        c = b.low
        if b.low == b.high > 0:
            low = value.low * c - (c - 1 if value.low <= 0 else 0)
            high = value.high * c + (c - 1 if value.high >= 0 else 0)
            yield 0, self.domain.between(low, high)

    def fdiv(self, value: Bounds, a: Bounds, b: Bounds) -> Narrowed:
        if b.low == b.high > 0:
            yield 0, self.domain.between(value.low * b.low, value.high * b.low + b.low - 1)

    # Bits.

    def bit_not(self, value: Bounds, a: Bounds) -> Narrowed:
        yield 0, self.domain.bit_not(value)

    def bit_xor(self, value: Bounds, a: Bounds, b: Bounds) -> Narrowed:
        yield 0, self.domain.bit_xor(value, b)
        yield 1, self.domain.bit_xor(value, a)

    def bit_and(self, value: Bounds, a: Bounds, b: Bounds) -> Narrowed:
        """What is 1 in both is 1 in each; what is 0 in both and 1 in one is 0 in the other."""
        full = self.domain.full
        zeros = full & ~(value.value | value.mask)
        for place, one, other in ((0, a, b), (1, b, a)):
            yield place, self._known(value.value, full & ~(value.value | (zeros & other.value)))
            if one.low >= 0 and value.low > 0:
                yield place, self.domain.between(value.low, one.high)

    def bit_or(self, value: Bounds, a: Bounds, b: Bounds) -> Narrowed:
        full = self.domain.full
        zeros = full & ~(value.value | value.mask)
        for place, one, other in ((0, a, b), (1, b, a)):
            ones = value.value & ~(other.value | other.mask)
            yield place, self._known(ones, full & ~(zeros | ones))
            if value.low >= 0 and one.low >= 0:
                yield place, self.domain.between(0, value.high)

    def shl(self, value: Bounds, a: Bounds, b: Bounds) -> Narrowed:
        amount = self._amount(b)
        if amount is None:
            return
        lost = self.domain.full & ~(self.domain.full >> amount)
        yield 0, self._known(value.value >> amount, value.mask >> amount | lost)
        if self._least >> amount <= a.low and a.high <= self._most >> amount:
            yield 0, self._factor(value, 1 << amount)

    def lshr(self, value: Bounds, a: Bounds, b: Bounds) -> Narrowed:
        amount = self._amount(b)
        if amount is None:
            return
        full, lost = self.domain.full, (1 << amount) - 1
        yield 0, self._known(value.value << amount & full, (value.mask << amount | lost) & full)
        low, high = self.domain.ranges.unsigned(value.range)
        yield 0, self.unsigned(a, low << amount, high << amount | lost)

    def ashr(self, value: Bounds, a: Bounds, b: Bounds) -> Narrowed:
        amount = self._amount(b)
        if amount is None:
            return
        full, lost = self.domain.full, (1 << amount) - 1
        yield 0, self.domain.between(value.low << amount, value.high << amount | lost)
        yield 0, self._known(value.value << amount & full, (value.mask << amount | lost) & full)

    # Conditions on words.

    def eq(self, holds: bool, a: Bounds, b: Bounds) -> Narrowed:
        for place, one, other in ((0, a, b), (1, b, a)):
            if holds:
                yield place, other
            elif other.low == other.high:
                yield place, self.exclude(one, other.low, other.low)

    def slt(self, holds: bool, a: Bounds, b: Bounds) -> Narrowed:
        between = self.domain.between
        if holds:
            yield 0, between(a.low, b.high - 1)
            yield 1, between(a.low + 1, b.high)
        else:
            yield 0, between(b.low, a.high)
            yield 1, between(b.low, a.high)

    def ult(self, holds: bool, a: Bounds, b: Bounds) -> Narrowed:
        unsigned, full = self.domain.ranges.unsigned, self.domain.full
        (a_low, a_high), (b_low, b_high) = unsigned(a.range), unsigned(b.range)
        if holds:
            yield 0, self.unsigned(a, 0, b_high - 1)
            yield 1, self.unsigned(b, a_low + 1, full)
        else:
            yield 0, self.unsigned(a, b_low, full)
            yield 1, self.unsigned(b, 0, a_high)

    def add_overflows(self, holds: bool, a: Bounds, b: Bounds) -> Narrowed:
        for place, one, other in ((0, a, b), (1, b, a)):
            yield place, self._addend(holds, one, other.low, other.high)

    def sub_overflows(self, holds: bool, a: Bounds, b: Bounds) -> Narrowed:
        yield 0, self._addend(holds, a, -b.high, -b.low)
        low, high = (-a.high, -a.low)
        # b - a overflows on the other side: in [-most, -least] for [least, most].
        least, most = -self._most, -self._least
        yield 1, self._sum_in(b, low, high, least, most) if not holds else self._sum_out(b, low, high, least, most)

    def _addend(self, overflows: bool, a: Bounds, low: int, high: int) -> Bounds | None:
        of = self._sum_out if overflows else self._sum_in
        return of(a, low, high, self._least, self._most)

    def _sum_in(self, a: Bounds, low: int, high: int, least: int, most: int) -> Bounds | None:
        """Those of `a` whose sum with one of [low, high] may be in [least, most]."""
        return self.domain.between(max(a.low, least - high), min(a.high, most - low))

    def _sum_out(self, a: Bounds, low: int, high: int, least: int, most: int) -> Bounds | None:
        """Those of `a` whose sum with one of [low, high] may be outside of [least, most]."""
        return self.exclude(a, least - low, most - high)

    def mul_overflows(self, holds: bool, a: Bounds, b: Bounds) -> Narrowed:
        for place, one, other in ((0, a, b), (1, b, a)):
            if holds and one.low >= 0 and other.low >= 0:
                if other.high == 0:
                    yield place, None
                else:
                    yield place, self.domain.between(self._most // other.high + 1, one.high)
            elif not holds and other.low > 0:
                yield place, self.domain.between(-(self.domain.half // other.low), self._most // other.low)
            elif not holds and other.high < 0:
                size = -other.high
                yield place, self.domain.between(-(self._most // size), self.domain.half // size)

    # Conditions on conditions, and choices.

    def not_(self, holds: bool, c: bool | None) -> Narrowed:
        yield 0, not holds

    def both(self, holds: bool, c: bool | None, d: bool | None) -> Narrowed:
        if holds:
            yield 0, True
            yield 1, True
        elif c:
            yield 1, False
        elif d:
            yield 0, False

    def ite(self, value: Bounds, c: bool | None, a: Bounds, b: Bounds) -> Narrowed:
        may = [self.domain.meet(value, branch) is not None for branch in (a, b)]
        if not may[0]:
            yield 0, False
        if not may[1]:
            yield 0, True
        if c is True:
            yield 1, value
        elif c is False:
            yield 2, value


_EXACT = frozenset({"add", "sub", "mul"})


@lru_cache(maxsize=1 << 14)  # the same bounds come again and again, in other traces too
def _arguments(
    narrowing: Narrowing, kind: str, value: Value, args: tuple[Value, ...], exact: bool
) -> Sequence[tuple[int, Value]]:
    method = getattr(narrowing, kind, None)
    found = [] if method is None else [*method(value, *args)]
    if exact and kind in _EXACT:
        found += getattr(narrowing, f"_exact_{kind}")(value, *args)
    return tuple(found)


@cache
def narrowing(width: int) -> Narrowing:
    """The one narrowing of that width (in bits)."""
    return Narrowing(bounds_domain(width))
