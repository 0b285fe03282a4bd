"""The domain of bounds: ranges and known bits together, each sharpening the other (their reduced product).

It is *sound*: where each abstract argument contains the concrete one, the abstract result contains what
`optimizer.ir.domains.concrete.Concrete` computes. That holds for all inputs, those on which an operation is undefined
included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache, reduce
from typing import TYPE_CHECKING, NamedTuple

from optimizer.ir.domains.knownbits import KnownBits, known_bits, least_from, parts
from optimizer.ir.domains.ranges import Interval, Range, Truth, ranges
from optimizer.ir.rows.domain import Domain, wrap
from optimizer.ir.rows.ops import Meaning, Op

if TYPE_CHECKING:
    from optimizer.ir.domains.any_floats import AnyFloats

_new = tuple.__new__
"""Makes a named tuple of a tuple, in a quarter of the time that its class takes."""


class Bounds(NamedTuple):
    """The machine integers of a range (`low`, `high`, `last`, `first`) that have the known bits `value` (`mask`: 1 is
    unknown).

    As `BoundsDomain` makes them, the ends of the range have the known bits, and what its members share at the top, or
    its halves do, is known: one `Bounds` for one set. They are tuples, as ranges and known bits are: those are made,
    hashed and compared in C.
    """

    low: int
    high: int
    last: int
    first: int
    value: int
    mask: int

    @property
    def is_constant(self) -> bool:
        return self.low == self.high

    @property
    def range(self) -> Range:
        return _new(Range, self[:4])

    @property
    def bits(self) -> KnownBits:
        return _new(KnownBits, self[4:])


_FEW_BITS = 2
"""So many unknown bits of an argument are tried one by one, where the other one is not so well known."""


def _in_both(name: str) -> Callable[..., Bounds]:
    """The operation of that name on ranges and on known bits; on each member of an argument that has few."""

    def product(self: BoundsDomain, a: Bounds, b: Bounds) -> Bounds:
        if 0 < b.mask.bit_count() <= _FEW_BITS:
            return reduce(self.join, [product(self, a, one) for one in self._members(b)])
        if 0 < a.mask.bit_count() <= _FEW_BITS:
            return reduce(self.join, [product(self, one, b) for one in self._members(a)])
        of_ranges, of_bits = getattr(self.ranges, name), getattr(self.bits, name)
        return self._product(of_ranges(a.range, b.range), of_bits(a.bits, b.bits))

    return product


def _in_ranges(name: str) -> Callable[..., Truth]:
    """The condition of that name, of which known bits say no more than the ends of ranges do."""

    def condition(self: BoundsDomain, a: Bounds, b: Bounds) -> Truth:
        truth: Truth = getattr(self.ranges, name)(a.range, b.range)
        return truth

    return condition


class BoundsDomain(Domain[Bounds, Truth]):
    """Bounds of one width, non-empty sets of signed integers in [-half, half), and three-valued conditions; see
    `bounds_domain`."""

    __slots__ = ("bits", "full", "half", "one_bit", "ranges", "top")

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.half = 1 << (width - 1)
        self.full = (1 << width) - 1
        self.ranges = ranges(width)
        self.bits = known_bits(width)
        self.top = Bounds(*self.ranges.top, 0, self.full)
        self.one_bit = Bounds(0, 1, 1, 0, 0, 1)

    @property
    def floats(self) -> AnyFloats[Bounds]:
        """Floats of which nothing is known."""
        from optimizer.ir.domains.any_floats import AnyFloats  # here: most traces have none

        return AnyFloats(self.top)

    def reduce(self, low: int, high: int, value: int, mask: int, last: int = -1, first: int = 0) -> Bounds | None:
        """The bounds with these members; None if there is none. The ends of the range must be machine integers."""
        full = self.full
        if mask == full and high - low == full and first - last == 1:
            return self.top
        negative = self._half(low, min(high, last), value, mask) if low < 0 else None
        other = self._half(max(low, first), high, value, mask) if high >= 0 else None
        if negative and other:
            (low, last), (first, high) = negative, other
            alike = 1 << max((low ^ last).bit_length(), (first ^ high).bit_length())
            mask &= (low ^ first) & full | alike - 1
            return _new(Bounds, (low, high, last, first, first & ~mask, mask))
        one = negative or other
        if one is None:
            return None
        low, high = one
        mask &= (1 << (low ^ high).bit_length()) - 1
        return _new(Bounds, (low, high, high, low, low & full & ~mask, mask))

    def _half(self, low: int, high: int, value: int, mask: int) -> Interval | None:
        """The least interval with all members of an interval of one sign that have the known bits."""
        full = self.full
        if mask != full:
            first = least_from(low & full, value, mask)
            last = least_from(full & ~high, full & ~(value | mask), mask)
            if first is None or last is None:
                return None
            sign = low & ~full
            low, high = first | sign, full - last | sign
        return (low, high) if low <= high else None

    def _product(self, a: Range, bits: KnownBits) -> Bounds:
        product = self.reduce(a.low, a.high, bits.value, bits.mask, a.last, a.first)
        assert product is not None, "both parts contain the concrete result"
        return product

    def within(self, a: Range) -> Bounds:
        """The members of a range."""
        return self._product(a, self.bits.top)

    def between(self, low: int, high: int) -> Bounds | None:
        """The machine integers of an interval of mathematical integers; None if there is none."""
        return self.reduce(max(low, -self.half), min(high, self.half - 1), 0, self.full)

    def with_bits(self, value: int, mask: int) -> Bounds:
        """The machine integers with these known bits (unsigned patterns, `value` 0 where `mask` is 1)."""
        return self._product(self.ranges.top, KnownBits(value, mask))

    def contains(self, a: Bounds, value: int) -> bool:
        """Is the signed machine integer one of them?"""
        inside = a.low <= value <= a.high and (value & self.full & ~a.mask) == a.value
        return inside and not a.last < value < a.first

    def _members(self, a: Bounds) -> list[Bounds]:
        words = (wrap(a.value | part, self.width) for part in parts(a.mask))
        return [self.const(word) for word in words if self.contains(a, word)]

    def join(self, a: Bounds, b: Bounds) -> Bounds:
        mask = a.mask | b.mask | (a.value ^ b.value)
        return _new(Bounds, (*self.ranges.join(a.range, b.range), a.value & ~mask, mask))

    def meet(self, a: Bounds, b: Bounds) -> Bounds | None:
        """All that both contain; None where there is nothing."""
        if a is b or b is self.top:
            return a
        if a is self.top:
            return b
        if (a.value ^ b.value) & ~(a.mask | b.mask):
            return None
        full, mask = self.full, a.mask & b.mask
        low = a.low if a.low >= b.low else b.low
        high = a.high if a.high <= b.high else b.high
        last = a.last if a.last & full <= b.last & full else b.last
        first = a.first if a.first & full >= b.first & full else b.first
        found = (low, high, last, first, a.value | b.value, mask)
        if found == a:  # a part of the other
            return a
        return b if found == b else self.reduce(low, high, found[4], mask, last, first)

    def const(self, value: int) -> Bounds:
        return constant(value, self.width)

    def bit(self, c: Truth) -> Bounds:
        return self.one_bit if c is None else self.const(c)

    def add(self, a: Bounds, b: Bounds) -> Bounds:
        if a is self.top or b is self.top:
            return self.top
        return self._product(self.ranges.add(a.range, b.range), self.bits.add(a.bits, b.bits))

    def sub(self, a: Bounds, b: Bounds) -> Bounds:
        if a is self.top or b is self.top:
            return self.top
        return self._product(self.ranges.sub(a.range, b.range), self.bits.sub(a.bits, b.bits))

    mul, umulh = _in_both("mul"), _in_both("umulh")
    udiv, sdiv, srem, fdiv, fmod = map(_in_both, ("udiv", "sdiv", "srem", "fdiv", "fmod"))
    bit_and, bit_or = _in_both("bit_and"), _in_both("bit_or")
    shl, lshr, ashr = _in_both("shl"), _in_both("lshr"), _in_both("ashr")

    def neg(self, a: Bounds) -> Bounds:
        return self._product(self.ranges.neg(a.range), self.bits.neg(a.bits))

    def bit_xor(self, a: Bounds, b: Bounds) -> Bounds:
        if a is self.top or b is self.top:
            return self.top
        return self._product(self.ranges.bit_xor(a.range, b.range), self.bits.bit_xor(a.bits, b.bits))

    def bit_not(self, a: Bounds) -> Bounds:
        return _new(Bounds, (~a.high, ~a.low, ~a.first, ~a.last, self.full & ~(a.value | a.mask), a.mask))

    def eq(self, a: Bounds, b: Bounds) -> Truth:
        if a.low == a.high:
            if b.low == b.high:
                return a.low == b.low
            a, b = b, a
        if b.low == b.high:
            return None if self.contains(a, b.low) else False
        return False if self.meet(a, b) is None else None

    # `low` and `high` already hold what the known bits say of the order.
    def slt(self, a: Bounds, b: Bounds) -> Truth:
        if a.high < b.low:
            return True
        return False if a.low >= b.high else None

    def ult(self, a: Bounds, b: Bounds) -> Truth:
        in_order = self.ranges.ult(a.range, b.range)
        return self.bits.ult(a.bits, b.bits) if in_order is None else in_order

    def truth(self, value: bool) -> Truth:
        return value

    def not_(self, c: Truth) -> Truth:
        return None if c is None else not c

    def both(self, c: Truth, d: Truth) -> Truth:
        if c is False or d is False:
            return False
        return None if c is None or d is None else True

    def either(self, c: Truth, d: Truth) -> Truth:
        if c is True or d is True:
            return True
        return None if c is None or d is None else False

    def ite(self, c: Truth, a: Bounds, b: Bounds) -> Bounds:
        if c is None:
            return self.join(a, b)
        return a if c else b

    add_overflows, sub_overflows, mul_overflows = map(_in_ranges, ("add_overflows", "sub_overflows", "mul_overflows"))


@lru_cache(maxsize=1 << 14)
def constant(value: int, width: int) -> Bounds:
    """The bounds of one integer, modulo 2**width."""
    word = wrap(value, width)
    return Bounds(word, word, word, word, word & ((1 << width) - 1), 0)


bounds_domain = cache(BoundsDomain)
"""The one domain of bounds of each width (in bits)."""


@lru_cache(maxsize=1 << 14)
def holds(condition: Meaning, word: int, args: tuple[Bounds, ...]) -> Truth:
    """The truth of a condition, of a row or any other, on values with these bounds; None where it may hold or not."""
    truth: Truth = condition(bounds_domain(word), *args)
    return truth


def transfer(row: Op, word: int, args: Sequence[Bounds]) -> Bounds:
    """Bounds of the result of a pure operation, from those of its arguments; `word` is the width in bits."""
    assert row.meaning is not None
    derived: Bounds = row.meaning(bounds_domain(word), *args)
    return derived
