"""The domain of bounds the other way round: from what is known of a result to what is known of the arguments.

Each method is named after a primitive. Given the value of the result and those of the arguments (bounds of words,
truths of conditions), it yields the place of an argument and a value that contains all that the argument may be, or
None in place of it where there is nothing that it may be. Sound: where the result has a value in its bounds and each
argument has one in its own, each argument has one in what is yielded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

from optimizer.ir.domains.bounds import Bounds, bounds_domain
from optimizer.ir.domains.knownbits import trailing_zeros
from optimizer.ir.domains.ranges import Interval, Range, Truth, exact_difference, exact_product, exact_sum, halves
from optimizer.ir.rows.domain import PRIMITIVES

Value = Any
"""Bounds of a word, or the truth of a condition."""

Narrowed = Iterator[tuple[int, Value]]

EXACT: dict[str, Callable[[Sequence[int], Sequence[int]], Interval]] = {
    "add": exact_sum,
    "sub": exact_difference,
    "mul": exact_product,
}
"""The primitives that may be known not to wrap around, and what they give then."""


class Backward:
    """The inverses of the primitives at one width. The truncating remainders, `umulh` and `const` have none."""

    def __init__(self, width: int) -> None:
        domain = self.domain = bounds_domain(width)
        self._least, self._most = -domain.half, domain.half - 1

    # Sets of integers.

    def exclude(self, a: Bounds, low: int, high: int) -> Bounds | None:
        """`a` without an interval; all of a half where that lies inside."""
        if low > high:
            return a
        left = [
            (high + 1 if low <= first <= high else first, low - 1 if low <= last <= high else last)
            for first, last in halves(a.range)
        ]
        return self._within(self.domain.ranges.union(left))

    def unsigned(self, low: int, high: int) -> Bounds | None:
        """The words that are in an interval when read as unsigned."""
        low, high = max(low, 0), min(high, self.domain.full)
        return None if low > high else self._within(self.domain.ranges.wrapped((low, high)))

    def _within(self, a: Range | None) -> Bounds | None:
        return None if a is None else self.domain.within(a)

    def _known(self, value: int, mask: int) -> Bounds:
        return self.domain.with_bits(value & ~mask, mask)

    def _amount(self, b: Bounds) -> int | None:
        """The number of bits to shift by, if it is known and less than the width."""
        return b.low if b.low == b.high and 0 <= b.low < self.domain.width else None

    # Arithmetic: what wraps is undone by what wraps.

    def add(self, value: Bounds, a: Bounds, b: Bounds, exact: bool) -> Narrowed:
        yield 0, self.domain.sub(value, b)
        yield 1, self.domain.sub(value, a)
        if exact:
            yield 0, self.domain.between(value.low - b.high, value.high - b.low)
            yield 1, self.domain.between(value.low - a.high, value.high - a.low)

    def sub(self, value: Bounds, a: Bounds, b: Bounds, exact: bool) -> Narrowed:
        yield 0, self.domain.add(value, b)
        yield 1, self.domain.sub(a, value)
        if exact:
            yield 0, self.domain.between(value.low + b.low, value.high + b.high)
            yield 1, self.domain.between(a.low - value.high, a.high - value.low)

    def neg(self, value: Bounds, a: Bounds) -> Narrowed:
        yield 0, self.domain.neg(value)

    def mul(self, value: Bounds, a: Bounds, b: Bounds, exact: bool) -> Narrowed:
        """By a constant: modulo 2**width, an odd one has an inverse and 2**k loses k bits."""
        for place, one, other in ((0, a, b), (1, b, a)):
            c = other.low
            if not other.is_constant or c == 0:
                continue
            yield place, self._factor_modulo(value, other)
            if exact or all(self._least <= x * c <= self._most for x in (one.low, one.high)):
                yield place, self._factor(value, c)

    def _factor_modulo(self, product: Bounds, factor: Bounds) -> Bounds:
        d = self.domain
        lost = trailing_zeros(factor.value, d.width)
        inverse = pow(factor.value >> lost, -1, d.full + 1)
        if not lost:
            return d.mul(product, d.const(inverse))
        low_bits = d.bits.mul(d.bits.lshr(product.bits, d.bits.const(lost)), d.bits.const(inverse))
        return self._known(low_bits.value, low_bits.mask | (d.full & ~(d.full >> lost)))

    def _factor(self, product: Bounds, factor: int) -> Bounds | None:
        """The integers whose product with `factor`, which is not 0, is in `product`."""
        low, high = (product.low, product.high) if factor > 0 else (product.high, product.low)
        return self.domain.between(-(-low // factor), high // factor)

    def udiv(self, value: Bounds, a: Bounds, b: Bounds) -> Narrowed:
        unsigned = self.domain.ranges.unsigned
        (low, high), (least, most), dividend = unsigned(value.range), unsigned(b.range), unsigned(a.range)
        if least:
            yield 0, self.unsigned(low * least, (high + 1) * most - 1)
            yield 1, self.unsigned(dividend[0] // (high + 1) + 1, dividend[1] // low if low else most)

    def sdiv(self, value: Bounds, a: Bounds, b: Bounds) -> Narrowed:
        if b.low > 0:
            low = value.low * b.low if value.low > 0 else (value.low - 1) * b.high + 1
            high = value.high * b.low if value.high < 0 else (value.high + 1) * b.high - 1
            yield 0, self.domain.between(low, high)

    def fdiv(self, value: Bounds, a: Bounds, b: Bounds) -> Narrowed:
        if b.low > 0:
            low, high = min(value.low * c for c in (b.low, b.high)), max((value.high + 1) * c for c in (b.low, b.high))
            yield 0, self.domain.between(low, high - 1)

    # Bits.

    def bit_not(self, value: Bounds, a: Bounds) -> Narrowed:
        yield 0, self.domain.bit_not(value)

    def bit_xor(self, value: Bounds, a: Bounds, b: Bounds) -> Narrowed:
        yield 0, self.domain.bit_xor(value, b)
        yield 1, self.domain.bit_xor(value, a)

    def bit_and(self, value: Bounds, a: Bounds, b: Bounds) -> Narrowed:
        """A bit that is 1 in the result is 1 in both; one that is 0 in the result and 1 in one is 0 in the other."""
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
        least, most = b.low, b.high
        if not 0 <= least <= most < self.domain.width:
            return
        low, high = self.domain.ranges.unsigned(value.range)
        yield 0, self.unsigned(low << least, (high + 1 << most) - 1)
        if least == most:
            yield 0, self._unshifted(value, least)

    def ashr(self, value: Bounds, a: Bounds, b: Bounds) -> Narrowed:
        least, most = b.low, b.high
        if not 0 <= least <= most < self.domain.width:
            return
        low, high = min(value.low << n for n in (least, most)), max(value.high + 1 << n for n in (least, most))
        yield 0, self.domain.between(low, high - 1)
        if least == most:
            yield 0, self._unshifted(value, least)

    def _unshifted(self, value: Bounds, amount: int) -> Bounds:
        """The words that have these bits so much higher."""
        full, lost = self.domain.full, (1 << amount) - 1
        return self._known(value.value << amount & full, (value.mask << amount | lost) & full)

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
            yield 0, self.unsigned(0, b_high - 1)
            yield 1, self.unsigned(a_low + 1, full)
        else:
            yield 0, self.unsigned(b_low, full)
            yield 1, self.unsigned(0, a_high)

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
        """The members of `a` whose sum with one of [low, high] may be in [least, most]."""
        return self.domain.between(max(a.low, least - high), min(a.high, most - low))

    def _sum_out(self, a: Bounds, low: int, high: int, least: int, most: int) -> Bounds | None:
        """The members of `a` whose sum with one of [low, high] may be outside of [least, most]."""
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

    def not_(self, holds: bool, c: Truth) -> Narrowed:
        yield 0, not holds

    def both(self, holds: bool, c: Truth, d: Truth) -> Narrowed:
        if holds:
            yield 0, True
            yield 1, True
        elif c:
            yield 1, False
        elif d:
            yield 0, False

    def either(self, holds: bool, c: Truth, d: Truth) -> Narrowed:
        if not holds:
            yield 0, False
            yield 1, False
        elif c is False:
            yield 1, True
        elif d is False:
            yield 0, True

    def ite(self, value: Bounds, c: Truth, a: Bounds, b: Bounds) -> Narrowed:
        if c is not True and self.domain.meet(value, a) is None:
            yield 0, False
            c = False
        if c is not False and self.domain.meet(value, b) is None:
            yield 0, True
            c = True
        if c is not None:
            yield (1 if c else 2), value

    def bit(self, value: Bounds, c: Truth) -> Narrowed:
        if value.is_constant:
            yield 0, value.low == 1


INVERSES = frozenset(name for name in vars(Backward) if name in {*PRIMITIVES, "bit"})
"""The primitives that have an inverse."""


@lru_cache(maxsize=1 << 14)  # the same bounds come again and again, in other traces too
def narrowed(
    width: int, kind: str, value: Value, args: tuple[Value, ...], exact: bool = False
) -> tuple[tuple[int, Value], ...]:
    """The values that `value` implies for the arguments of a primitive. `exact`: it is the sum, difference or product
    of the integers."""
    if value is None or kind not in INVERSES:
        return ()
    inverse: Callable[..., Narrowed] = getattr(backward(width), kind)
    return tuple(inverse(value, *args, exact) if kind in EXACT else inverse(value, *args))


backward = cache(Backward)
"""The one backward domain of each width (in bits)."""
