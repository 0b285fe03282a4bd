"""What the arguments of a primitive must be, given its result: the inverse of the domain of bounds.

A fact is the bounds of a word or the truth of a condition. Each inverse takes the domain, the fact of the
result and those of the arguments, and says for each argument a fact that holds, or None if it has none.
`add`, `sub` and `mul` also take whether they are exact, that is, known not to wrap around: without that, only
what holds modulo 2**width may be said.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from optimizer.ir.domains.abstract import Truth
from optimizer.ir.domains.bounds import Bounds, BoundsDomain
from optimizer.ir.domains.knownbits import trailing_zeros

Fact = Bounds | Truth
Inverse = Callable[..., tuple[Fact, ...]]


class Contradiction(Exception):
    """No input makes these facts hold together: the place is not reached."""


def agree(d: BoundsDomain, known: Any, fact: Fact) -> Any:
    """What holds if both facts about the same thing do. Raises Contradiction if they cannot."""
    if fact is None or fact is known:
        return known
    if known is None:
        return fact
    if isinstance(known, Bounds) and isinstance(fact, Bounds):
        met = d.meet(known, fact)
        if met is None:
            raise Contradiction
        return met
    if known is not fact:
        raise Contradiction
    return known


def between(d: BoundsDomain, low: int, high: int) -> Bounds:
    """The words of an interval of mathematical integers. Raises Contradiction if there is none."""
    bounds = d.between(low, high)
    if bounds is None:
        raise Contradiction
    return bounds


def _divided(low: int, high: int, divisor: int) -> tuple[int, int]:
    """The integers x with `low <= x * divisor <= high`; the divisor is not 0."""
    if divisor < 0:
        low, high, divisor = -high, -low, -divisor
    return -(-low // divisor), high // divisor


def _not(d: BoundsDomain, result: Truth, c: Truth) -> tuple[Fact]:
    return (d.not_(result),)


def _both(d: BoundsDomain, result: Truth, left: Truth, right: Truth) -> tuple[Fact, Fact]:
    if result is True:
        return True, True
    if result is False:
        return False if right is True else None, False if left is True else None
    return None, None


def _either(d: BoundsDomain, result: Truth, left: Truth, right: Truth) -> tuple[Fact, Fact]:
    if result is False:
        return False, False
    if result is True:
        return True if right is False else None, True if left is False else None
    return None, None


def _ite(d: BoundsDomain, result: Bounds, c: Truth, then: Bounds, other: Bounds) -> tuple[Fact, Fact, Fact]:
    if c is None and d.meet(then, result) is None:
        c = False
    elif c is None and d.meet(other, result) is None:
        c = True
    if c is None:
        return None, None, None
    return (True, result, None) if c else (False, None, result)


def _bit(d: BoundsDomain, result: Bounds, c: Truth) -> tuple[Fact]:
    return (result.low == 1 if result.is_constant else None,)


def _without(d: BoundsDomain, a: Bounds, b: Bounds) -> Fact:
    """`a`, which is not equal to `b`."""
    if not b.is_constant or b.low not in (a.low, a.high):
        return None
    return between(d, a.low + (a.low == b.low), a.high - (a.high == b.low))


def _eq(d: BoundsDomain, result: Truth, a: Bounds, b: Bounds) -> tuple[Fact, Fact]:
    if result is None:
        return None, None
    return (b, a) if result else (_without(d, a, b), _without(d, b, a))


def _slt(d: BoundsDomain, result: Truth, a: Bounds, b: Bounds) -> tuple[Fact, Fact]:
    if result is None:
        return None, None
    if result:
        return between(d, -d.half, b.high - 1), between(d, a.low + 1, d.half - 1)
    return between(d, b.low, d.half - 1), between(d, -d.half, a.high)


def _between_unsigned(d: BoundsDomain, a: Bounds, low: int, high: int) -> Fact:
    """`a`, which read as unsigned lies between `low` and `high`."""
    if low > high:
        raise Contradiction
    if a.low >= 0 or high < d.half:
        return between(d, low, min(high, d.half - 1))
    if a.high < 0 or low >= d.half:
        return between(d, max(low, d.half) - d.full - 1, high - d.full - 1)
    return None


def _ult(d: BoundsDomain, result: Truth, a: Bounds, b: Bounds) -> tuple[Fact, Fact]:
    if result is None:
        return None, None
    (a_low, a_high), (b_low, b_high) = d.ranges.unsigned(a.range), d.ranges.unsigned(b.range)
    if result:
        return _between_unsigned(d, a, 0, b_high - 1), _between_unsigned(d, b, a_low + 1, d.full)
    return _between_unsigned(d, a, b_low, d.full), _between_unsigned(d, b, 0, a_high)


def _add(d: BoundsDomain, result: Bounds, a: Bounds, b: Bounds, exact: bool) -> tuple[Fact, Fact]:
    left, right = d.sub(result, b), d.sub(result, a)
    if exact:
        left = agree(d, left, between(d, result.low - b.high, result.high - b.low))
        right = agree(d, right, between(d, result.low - a.high, result.high - a.low))
    return left, right


def _sub(d: BoundsDomain, result: Bounds, a: Bounds, b: Bounds, exact: bool) -> tuple[Fact, Fact]:
    left, right = d.add(result, b), d.sub(a, result)
    if exact:
        left = agree(d, left, between(d, result.low + b.low, result.high + b.high))
        right = agree(d, right, between(d, a.low - result.high, a.high - result.low))
    return left, right


def _neg(d: BoundsDomain, result: Bounds, a: Bounds) -> tuple[Fact]:
    return (d.neg(result),)


def _factor(d: BoundsDomain, product: Bounds, other: Bounds, exact: bool) -> Fact:
    """The factor beside `other`. Modulo 2**width, an odd constant has an inverse and 2**k loses k bits."""
    if not other.is_constant or other.low == 0:
        return None
    lost = trailing_zeros(other.value, d.width)
    inverse = pow(other.value >> lost, -1, d.full + 1)
    low_bits = d.bits.mul(d.bits.lshr(product.bits, d.bits.const(lost)), d.bits.const(inverse))
    unknown = low_bits.mask | (d.full & ~(d.full >> lost))
    factor = d.with_bits(low_bits.value & ~unknown, unknown)
    if not exact:
        return factor
    fact = agree(d, factor, between(d, *_divided(product.low, product.high, other.low)))
    assert isinstance(fact, Bounds)
    return fact


def _mul(d: BoundsDomain, result: Bounds, a: Bounds, b: Bounds, exact: bool) -> tuple[Fact, Fact]:
    return _factor(d, result, b, exact), _factor(d, result, a, exact)


def _with_ones_and_zeros(d: BoundsDomain, ones: int, zeros: int) -> Bounds:
    if ones & zeros:
        raise Contradiction
    return d.with_bits(ones, d.full & ~(ones | zeros))


def _zeros(d: BoundsDomain, a: Bounds) -> int:
    """The bits of `a` that are known to be 0."""
    return d.full & ~(a.value | a.mask)


def _bit_and(d: BoundsDomain, result: Bounds, a: Bounds, b: Bounds) -> tuple[Fact, Fact]:
    zeros = _zeros(d, result)
    return (
        _with_ones_and_zeros(d, result.value, zeros & b.value),
        _with_ones_and_zeros(d, result.value, zeros & a.value),
    )


def _bit_or(d: BoundsDomain, result: Bounds, a: Bounds, b: Bounds) -> tuple[Fact, Fact]:
    zeros = _zeros(d, result)
    return (
        _with_ones_and_zeros(d, result.value & _zeros(d, b), zeros),
        _with_ones_and_zeros(d, result.value & _zeros(d, a), zeros),
    )


def _bit_xor(d: BoundsDomain, result: Bounds, a: Bounds, b: Bounds) -> tuple[Fact, Fact]:
    return d.bit_xor(result, b), d.bit_xor(result, a)


def _bit_not(d: BoundsDomain, result: Bounds, a: Bounds) -> tuple[Fact]:
    return (d.bit_not(result),)


def _known_amount(d: BoundsDomain, b: Bounds) -> int | None:
    return b.low if b.is_constant and 0 <= b.low < d.width else None


def _shl(d: BoundsDomain, result: Bounds, a: Bounds, b: Bounds) -> tuple[Fact, Fact]:
    amount = _known_amount(d, b)
    if amount is None:
        return None, None
    lost = d.full & ~(d.full >> amount)
    shifted = d.with_bits(result.value >> amount, (result.mask >> amount) | lost)
    if -d.half <= a.low << amount and a.high << amount < d.half:
        quotient = _divided(result.low, result.high, 1 << amount)
        return agree(d, shifted, between(d, *quotient)), None
    return shifted, None


def _unshifted(d: BoundsDomain, result: Bounds, amount: int) -> Bounds:
    """What shifted to the right has the low bits of `result`."""
    lost = (1 << amount) - 1
    return d.with_bits(result.value << amount & d.full, (result.mask << amount | lost) & d.full)


def _lshr(d: BoundsDomain, result: Bounds, a: Bounds, b: Bounds) -> tuple[Fact, Fact]:
    amount = _known_amount(d, b)
    if amount is None:
        return None, None
    low, high = d.ranges.unsigned(result.range)
    interval = _between_unsigned(d, a, low << amount, min((high + 1 << amount) - 1, d.full))
    return agree(d, _unshifted(d, result, amount), interval), None


def _ashr(d: BoundsDomain, result: Bounds, a: Bounds, b: Bounds) -> tuple[Fact, Fact]:
    amount = _known_amount(d, b)
    if amount is None:
        return None, None
    interval = between(d, result.low << amount, (result.high + 1 << amount) - 1)
    return agree(d, _unshifted(d, result, amount), interval), None


def _past_the_end(d: BoundsDomain, low: int, high: int) -> Fact:
    """A number whose sum with some number of the interval is no word."""
    if low >= 0:
        return between(d, d.half - high, d.half - 1)
    if high <= 0:
        return between(d, -d.half, -d.half - 1 - low)
    return None


def _add_overflows(d: BoundsDomain, result: Truth, a: Bounds, b: Bounds) -> tuple[Fact, Fact]:
    if result is None:
        return None, None
    if result:
        return _past_the_end(d, b.low, b.high), _past_the_end(d, a.low, a.high)
    low, high = -d.half, d.half - 1
    return between(d, low - b.high, high - b.low), between(d, low - a.high, high - a.low)


def _sub_overflows(d: BoundsDomain, result: Truth, a: Bounds, b: Bounds) -> tuple[Fact, Fact]:
    if result is None:
        return None, None
    if result:
        return _past_the_end(d, -b.high, -b.low), None
    low, high = -d.half, d.half - 1
    return between(d, low + b.low, high + b.high), between(d, a.low - high, a.high - low)


def _fitting_factor(d: BoundsDomain, other: Bounds) -> Fact:
    if not other.is_constant or other.low == 0:
        return None
    return between(d, *_divided(-d.half, d.half - 1, other.low))


def _mul_overflows(d: BoundsDomain, result: Truth, a: Bounds, b: Bounds) -> tuple[Fact, Fact]:
    return (_fitting_factor(d, b), _fitting_factor(d, a)) if result is False else (None, None)


EXACT: dict[str, Inverse] = {"add": _add, "sub": _sub, "mul": _mul}
"""The inverses that take whether the primitive is exact."""

INVERSES: dict[str, Inverse] = {
    "not_": _not,
    "both": _both,
    "either": _either,
    "ite": _ite,
    "bit": _bit,
    "eq": _eq,
    "slt": _slt,
    "ult": _ult,
    "neg": _neg,
    "bit_and": _bit_and,
    "bit_or": _bit_or,
    "bit_xor": _bit_xor,
    "bit_not": _bit_not,
    "shl": _shl,
    "lshr": _lshr,
    "ashr": _ashr,
    "add_overflows": _add_overflows,
    "sub_overflows": _sub_overflows,
    "mul_overflows": _mul_overflows,
}
"""The other inverses, by the name of their primitive; that of `bit` says what those of its parts do. The divisions and
`umulh` have none."""
