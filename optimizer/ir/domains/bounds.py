"""The domain of bounds: ranges and known bits together, each sharpening the other (their reduced product)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from optimizer.ir.domains.abstract import AbstractDomain, Truth
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.domains.knownbits import KnownBits, known_bits, least_from
from optimizer.ir.domains.ranges import Range, ranges
from optimizer.ir.rows.domain import wrap
from optimizer.ir.rows.ops import Meaning, Op

_new = tuple.__new__
"""Makes a named tuple of a tuple, in a quarter of the time that its class takes."""


class Bounds(NamedTuple):
    """The machine integers from `low` to `high` that have the known bits `value` (`mask`: 1 is unknown).

    `value` and `mask` are unsigned patterns, `low` and `high` signed. As `BoundsDomain` makes them, `low` and
    `high` have the known bits, and the bits that they share at the top are known: one `Bounds` for one set.
    They are tuples, as ranges and known bits are: those are made, hashed and compared in C.
    """

    low: int
    high: int
    value: int
    mask: int

    @property
    def is_constant(self) -> bool:
        return self.low == self.high

    @property
    def range(self) -> Range:
        return _new(Range, self[:2])

    @property
    def bits(self) -> KnownBits:
        return _new(KnownBits, self[2:])


def _in_both(name: str) -> Callable[..., Bounds]:
    """The operation of that name on ranges and on known bits."""

    def product(self: BoundsDomain, a: Bounds, b: Bounds) -> Bounds:
        of_ranges, of_bits = getattr(self.ranges, name), getattr(self.bits, name)
        return self._product(of_ranges(a.range, b.range), of_bits(a.bits, b.bits))

    return product


class BoundsDomain(AbstractDomain[Bounds]):
    """Bounds of one width; see `bounds_domain`."""

    __slots__ = ("bits", "one_bit", "ranges")

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.ranges = ranges(width)
        self.bits = known_bits(width)
        self.top = Bounds(-self.half, self.half - 1, 0, self.full)
        self.one_bit = Bounds(0, 1, 0, 1)

    def reduce(self, low: int, high: int, value: int, mask: int) -> Bounds | None:
        """The bounds with these members; None if there is none. `low` and `high` must be machine integers."""
        full, half = self.full, self.half
        if mask != full:
            # Adding `half` turns signed order into unsigned order, and flips the sign bit.
            flipped = value if mask & half else value ^ half
            first = least_from(low + half, flipped, mask)
            last = least_from(half - 1 - high, full & ~(flipped | mask), mask)
            if first is None or last is None:
                return None
            low, high = first - half, half - 1 - last
        elif high - low == full:
            return self.top
        if low > high:
            return None
        mask &= (1 << ((low ^ high) & full).bit_length()) - 1
        return _new(Bounds, (low, high, low & full & ~mask, mask))

    def _product(self, a: Range, bits: KnownBits) -> Bounds:
        product = self.reduce(a.low, a.high, bits.value, bits.mask)
        assert product is not None, "both parts contain the concrete result"
        return product

    def between(self, low: int, high: int) -> Bounds | None:
        """The machine integers of an interval of mathematical integers; None if there is none."""
        return self.reduce(max(low, -self.half), min(high, self.half - 1), 0, self.full)

    def with_bits(self, value: int, mask: int) -> Bounds:
        """The machine integers with these known bits (unsigned patterns, `value` 0 where `mask` is 1)."""
        return self._product(self.ranges.top, KnownBits(value, mask))

    def contains(self, a: Bounds, value: int) -> bool:
        return a.low <= value <= a.high and (value & self.full & ~a.mask) == a.value

    def join(self, a: Bounds, b: Bounds) -> Bounds:
        mask = a.mask | b.mask | (a.value ^ b.value)
        return _new(Bounds, (min(a.low, b.low), max(a.high, b.high), a.value & ~mask, mask))

    def meet(self, a: Bounds, b: Bounds) -> Bounds | None:
        if a is b or b is self.top:
            return a
        if a is self.top:
            return b
        if (a.value ^ b.value) & ~(a.mask | b.mask):
            return None
        low, high, mask = max(a.low, b.low), min(a.high, b.high), a.mask & b.mask
        if mask == a.mask and low == a.low and high == a.high:  # a part of the other
            return a
        if mask == b.mask and low == b.low and high == b.high:
            return b
        return self.reduce(low, high, a.value | b.value, mask)

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
        return Bounds(~a.high, ~a.low, self.full & ~(a.value | a.mask), a.mask)

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

    def add_overflows(self, a: Bounds, b: Bounds) -> Truth:
        return self.ranges.add_overflows(a.range, b.range)

    def sub_overflows(self, a: Bounds, b: Bounds) -> Truth:
        return self.ranges.sub_overflows(a.range, b.range)

    def mul_overflows(self, a: Bounds, b: Bounds) -> Truth:
        return self.ranges.mul_overflows(a.range, b.range)


@lru_cache(maxsize=1 << 14)
def constant(value: int, width: int) -> Bounds:
    """The bounds of one integer, modulo 2**width."""
    word = wrap(value, width)
    return Bounds(word, word, word & ((1 << width) - 1), 0)


@cache
def bounds_domain(width: int) -> BoundsDomain:
    """The one domain of bounds of that width (in bits)."""
    return BoundsDomain(width)


@lru_cache(maxsize=1 << 14)
def holds(condition: Meaning, word: int, args: tuple[Bounds, ...]) -> Truth:
    """The truth of a condition, of a row or any other, on values with these bounds; None where it may hold or not."""
    truth: Truth = condition(bounds_domain(word), *args)
    return truth


def transfer(row: Op, word: int, args: Sequence[Bounds]) -> Bounds:
    """Bounds of the result of a pure operation, from those of its arguments; `word` is the width in bits."""
    return _transfer(row, word, tuple(args))


@lru_cache(maxsize=1 << 14)
def _transfer(row: Op, word: int, args: tuple[Bounds, ...]) -> Bounds:
    assert row.meaning is not None
    numbers = [arg.low for arg in args if arg.low == arg.high]
    if len(numbers) == len(args):
        result: int = row.meaning(concrete(word), *numbers)
        return bounds_domain(word).const(result)
    derived: Bounds = row.meaning(bounds_domain(word), *args)
    return derived
