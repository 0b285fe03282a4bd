"""Known bits, also called tristate numbers. They are half of `bounds`.

`add` and `sub` are those of H. Vishwanathan, M. Shachnai, S. Narayana and S. Nagarakatte, "Sound, precise,
and fast abstract interpretation with tristate numbers" (CGO 2022), which are the best possible ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, reduce
from typing import NamedTuple

from optimizer.ir.domains.concrete import concrete
from optimizer.ir.domains.ranges import Truth
from optimizer.ir.rows.domain import wrap

_MAX_UNKNOWN_AMOUNT_BITS = 3
"""Shift amounts with more unknown bits are not tried one by one."""


class KnownBits(NamedTuple):
    """The patterns that agree with `value` in all bits that are 0 in `mask`; where it is 1, a bit is unknown.

    Both are *unsigned* patterns, in [0, 2**width); `value` is 0 where `mask` is 1.
    """

    value: int
    mask: int


def least_from(bound: int, value: int, mask: int) -> int | None:
    """The least pattern of the known bits that is `bound` or more, all unsigned; None without one."""
    wrong = (bound ^ value) & ~mask
    if not wrong:
        return bound
    highest = 1 << (wrong.bit_length() - 1)
    if value & highest:
        rest = 2 * highest - 1
        return (bound & ~rest) | (value & rest)
    raisable = mask & ~bound & -(2 * highest)
    if not raisable:
        return None
    raised = raisable & -raisable
    return (bound & -(2 * raised)) | raised | (value & (raised - 1))


def trailing_zeros(pattern: int, width: int) -> int:
    """The number of zeros below the lowest 1 of `pattern`; `width` for 0."""
    return (pattern & -pattern).bit_length() - 1 if pattern else width


class KnownBitsDomain:
    """The operations on known bits of words of `width` bits. What follows from a magnitude (a quotient's, say) is left
    to ranges."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.half = 1 << (width - 1)
        self.full = (1 << width) - 1
        self.top = KnownBits(0, self.full)
        self.zero = KnownBits(0, 0)
        self.concrete = concrete(width)

    def join(self, a: KnownBits, b: KnownBits) -> KnownBits:
        mask = a.mask | b.mask | (a.value ^ b.value)
        return KnownBits(a.value & ~mask, mask)

    def const(self, value: int) -> KnownBits:
        return KnownBits(value & self.full, 0)

    def add(self, a: KnownBits, b: KnownBits) -> KnownBits:
        least = a.value + b.value
        mask = (((a.mask + b.mask + least) ^ least) | a.mask | b.mask) & self.full
        return KnownBits(least & ~mask & self.full, mask)

    def sub(self, a: KnownBits, b: KnownBits) -> KnownBits:
        difference = a.value - b.value
        mask = (((difference + a.mask) ^ (difference - b.mask)) | a.mask | b.mask) & self.full
        return KnownBits(difference & ~mask & self.full, mask)

    def neg(self, a: KnownBits) -> KnownBits:
        return self.sub(self.zero, a)

    def mul(self, a: KnownBits, b: KnownBits) -> KnownBits:
        """The low bits: of 2**i * x and 2**j * y, with the low n bits of x and y known, i + j + n of them."""
        if not (a.mask or b.mask):
            return KnownBits(a.value * b.value & self.full, 0)
        a_zeros = trailing_zeros(a.value | a.mask, self.width)
        b_zeros = trailing_zeros(b.value | b.mask, self.width)
        known = min(trailing_zeros(a.mask, self.width) - a_zeros, trailing_zeros(b.mask, self.width) - b_zeros)
        mask = self.full & -(1 << (known + a_zeros + b_zeros))
        return KnownBits(a.value * b.value & self.full & ~mask, mask)

    def _constant(self, operation: Callable[[int, int], int], a: KnownBits, b: KnownBits) -> KnownBits:
        if a.mask or b.mask:
            return self.top
        return self.const(operation(wrap(a.value, self.width), wrap(b.value, self.width)))

    def _power_of_two(self, b: KnownBits) -> int | None:
        """The exponent of a divisor that is a power of two, positive also if it is read as signed."""
        if b.mask or not 0 < b.value < self.half or b.value & (b.value - 1):
            return None
        return b.value.bit_length() - 1

    def umulh(self, a: KnownBits, b: KnownBits) -> KnownBits:
        return self._constant(self.concrete.umulh, a, b)

    def udiv(self, a: KnownBits, b: KnownBits) -> KnownBits:
        amount = self._power_of_two(b)
        return self._constant(self.concrete.udiv, a, b) if amount is None else self._lshr(a, amount)

    def sdiv(self, a: KnownBits, b: KnownBits) -> KnownBits:
        amount = self._power_of_two(b)
        if amount is None or (a.value | a.mask) & self.half:
            return self._constant(self.concrete.sdiv, a, b)
        return self._lshr(a, amount)

    def fdiv(self, a: KnownBits, b: KnownBits) -> KnownBits:
        amount = self._power_of_two(b)
        return self._constant(self.concrete.fdiv, a, b) if amount is None else self._ashr(a, amount)

    def srem(self, a: KnownBits, b: KnownBits) -> KnownBits:
        if not (a.mask or b.mask):
            return self._constant(self.concrete.srem, a, b)
        if not (a.value | a.mask) & self.half:
            return self.fmod(a, b)
        return self._low_bits(a, trailing_zeros(b.value | b.mask, self.width))

    def fmod(self, a: KnownBits, b: KnownBits) -> KnownBits:
        if not (a.mask or b.mask):
            return self._constant(self.concrete.fmod, a, b)
        if self._power_of_two(b) is not None:
            return self.bit_and(a, KnownBits(b.value - 1, 0))
        return self._low_bits(a, trailing_zeros(b.value | b.mask, self.width))

    def _low_bits(self, a: KnownBits, count: int) -> KnownBits:
        """The words with the low bits of `a`, as its remainder by a multiple of 2**count has them (by 0 it is `a`)."""
        mask = self.full & (a.mask | -(1 << count))
        return KnownBits(a.value & ~mask, mask)

    def bit_and(self, a: KnownBits, b: KnownBits) -> KnownBits:
        value = a.value & b.value
        return KnownBits(value, (a.value | a.mask) & (b.value | b.mask) & ~value)

    def bit_or(self, a: KnownBits, b: KnownBits) -> KnownBits:
        value = a.value | b.value
        return KnownBits(value, (a.mask | b.mask) & ~value)

    def bit_xor(self, a: KnownBits, b: KnownBits) -> KnownBits:
        mask = a.mask | b.mask
        return KnownBits((a.value ^ b.value) & ~mask, mask)

    def _shl(self, a: KnownBits, amount: int) -> KnownBits:
        return KnownBits(a.value << amount & self.full, a.mask << amount & self.full)

    def _lshr(self, a: KnownBits, amount: int) -> KnownBits:
        return KnownBits(a.value >> amount, a.mask >> amount)

    def _ashr(self, a: KnownBits, amount: int) -> KnownBits:
        value, mask = wrap(a.value, self.width) >> amount, wrap(a.mask, self.width) >> amount
        return KnownBits(value & self.full, mask & self.full)

    def _shifted(self, shift: Callable[[KnownBits, int], KnownBits], a: KnownBits, b: KnownBits) -> KnownBits | None:
        """The join over all amounts, those above `width` being as `width`; None if they are too many."""
        unknown = b.mask & ((1 << self.width.bit_length()) - 1)
        if unknown.bit_count() > _MAX_UNKNOWN_AMOUNT_BITS:
            return None
        amounts = {min(b.value | part, self.width) for part in parts(unknown)}
        if b.mask >= self.width:
            amounts.add(self.width)
        return reduce(self.join, [shift(a, amount) for amount in amounts])

    def shl(self, a: KnownBits, b: KnownBits) -> KnownBits:
        shifted = self._shifted(self._shl, a, b)
        if shifted is not None:
            return shifted
        zeros = min(trailing_zeros(a.value | a.mask, self.width) + b.value, self.width)
        return KnownBits(0, self.full & -(1 << zeros))

    def lshr(self, a: KnownBits, b: KnownBits) -> KnownBits:
        return self._shifted(self._lshr, a, b) or self.top

    def ashr(self, a: KnownBits, b: KnownBits) -> KnownBits:
        return self._shifted(self._ashr, a, b) or self.top

    def ult(self, a: KnownBits, b: KnownBits) -> Truth:
        if a.value | a.mask < b.value:
            return True
        return False if a.value >= b.value | b.mask else None


def parts(mask: int) -> Iterator[int]:
    """All patterns with no 1 outside `mask`."""
    part = mask
    while part:
        yield part
        part = (part - 1) & mask
    yield 0


known_bits = cache(KnownBitsDomain)
"""The known bits of each width."""
