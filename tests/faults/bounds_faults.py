"""Faults in what is known of the values of integers: transfer functions, forward and backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from faults.planting import OptimizerFault, Plant

from optimizer.facts import bounds_inference, narrowing
from optimizer.facts.bounds_inference import BoundsInference
from optimizer.facts.facts import Facts
from optimizer.ir.domains.backward import Backward
from optimizer.ir.domains.bounds import BoundsDomain
from optimizer.ir.domains.knownbits import KnownBits, KnownBitsDomain
from optimizer.ir.domains.ranges import Range, Ranges
from optimizer.ir.rows.ops import OPS


def _method(owner: type, name: str, wrong: Callable[..., Any]) -> Plant:
    return lambda patch: patch.setattr(owner, name, wrong)


def _inverse(name: str, wrong: Callable[..., Any]) -> Plant:
    assert name in vars(Backward)
    return _method(Backward, name, wrong)


# Ranges.


def _clipped(d: Ranges, interval: tuple[int, int]) -> Range:
    low, high = (min(max(end, -d.half), d.half - 1) for end in interval)
    return d.union([(low, min(high, -1)), (max(low, 0), high)]) or d.top


def _outside(d: Ranges, interval: tuple[int, int]) -> bool | None:
    low, high = interval
    if -d.half <= low and high <= d.half:
        return False
    return True if low >= d.half or high < -d.half else None


_SREM = Ranges.srem


def _short_sum(d: Ranges, a: Range, b: Range) -> Range:
    return d.wrapped((a.low + b.low, max(a.low + b.low, a.high + b.high - 1)))


def _xor(d: Ranges, a: Range, b: Range) -> Range:
    if a.low >= 0 and b.low >= 0:
        return Range(0, max(a.high, b.high), max(a.high, b.high), 0)
    return d.top


def _rounded_to_zero(d: Ranges, a: Range, b: Range) -> Range:
    return d.sdiv(a, b)


def _two_corners(d: Ranges, a: Range, b: Range) -> Range:
    return d.wrapped((min(a.low * b.low, a.high * b.high), max(a.low * b.low, a.high * b.high)))


def _srem(d: Ranges, a: Range, b: Range) -> Range:
    right = _SREM(d, a, b)
    return Range(right.first, right.high, right.high, right.first) if right.high >= 0 else right


# Known bits.


def _no_carry(d: KnownBitsDomain, a: KnownBits, b: KnownBits) -> KnownBits:
    mask = a.mask | b.mask
    return KnownBits((a.value + b.value) & d.full & ~mask, mask)


def _mask_stays(d: KnownBitsDomain, a: KnownBits, amount: int) -> KnownBits:
    return KnownBits(a.value << amount & d.full & ~a.mask, a.mask)


def _sign_goes(d: KnownBitsDomain, a: KnownBits, amount: int) -> KnownBits:
    return KnownBits(a.value >> amount, a.mask >> amount)


def _and(d: KnownBitsDomain, a: KnownBits, b: KnownBits) -> KnownBits:
    mask = a.mask & b.mask
    return KnownBits(a.value & b.value & ~mask, mask)


def _first(d: BoundsDomain, a: Any, b: Any) -> Any:
    return a


# Backward.


_ADD, _SUB, _MUL, _BOTH = Backward.add, Backward.sub, Backward.mul, Backward.both


def _slt_far(self: Backward, holds: bool, a: Any, b: Any) -> Any:
    if holds:
        yield 0, self.domain.between(a.low, b.high - 2)
        yield 1, self.domain.between(a.low + 1, b.high)
    else:
        yield from _SLT(self, holds, a, b)


def _slt_strict(self: Backward, holds: bool, a: Any, b: Any) -> Any:
    if holds:
        yield from _SLT(self, holds, a, b)
    else:
        yield 0, self.domain.between(b.low + 1, a.high)
        yield 1, self.domain.between(b.low, a.high)


_SLT = Backward.slt


def _without(self: Backward, holds: bool, a: Any, b: Any) -> Any:
    for place, one, other in ((0, a, b), (1, b, a)):
        yield place, other if holds else self.exclude(one, other.low, other.low)


def _as_result(self: Backward, value: Any, a: Any, b: Any) -> Any:
    """Both have the bits that are known of the result."""
    yield from ((place, self.domain.with_bits(value.value, value.mask)) for place in (0, 1))


def _nothing_lost(self: Backward, value: Any, a: Any, b: Any) -> Any:
    amount = self._amount(b)
    if amount is not None:
        yield 0, self.domain.with_bits(value.value >> amount, value.mask >> amount)


def _both_false(self: Backward, holds: bool, c: Any, d: Any) -> Any:
    yield from ((0, False), (1, False)) if not holds else _BOTH(self, holds, c, d)


def _exact_anyway(patch: pytest.MonkeyPatch) -> None:
    right = narrowing._evaluate

    def evaluate(d: BoundsDomain, step: Any, facts: list[Any]) -> Any:
        if step.flag is not None and facts[step.flag] is None:
            facts = [*facts]
            facts[step.flag] = False
        return right(d, step, facts)

    patch.setattr(narrowing, "_evaluate", evaluate)


def _signed_order(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(BoundsDomain, "ult", BoundsDomain.slt)
    patch.setattr(Backward, "ult", Backward.slt)


def _one_way(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(narrowing, "_either_way", lambda d, a, b: a or b)


def _other_flag(patch: pytest.MonkeyPatch) -> None:
    right = BoundsInference.learn_flag
    patch.setattr(BoundsInference, "learn_flag", lambda self, operation, flag: right(self, operation, not flag))


def _lengths_are_positive(patch: pytest.MonkeyPatch) -> None:
    right = Facts._bound
    patch.setattr(
        Facts, "_bound",
        lambda self, value, low, high: right(self, value, 1 if high > 1 and low == 0 else low, high),
    )  # fmt: skip


def _narrow_slots(patch: pytest.MonkeyPatch) -> None:
    right = Facts._bound
    patch.setattr(
        Facts, "_bound", lambda self, value, low, high: right(self, value, low, high if high <= 1 else high // 2)
    )


def _as_guard_true(patch: pytest.MonkeyPatch) -> None:
    right: Any = vars(bounds_inference)["narrow"]

    def narrow(row: Any, word: int, args: Any, *rest: Any) -> Any:
        swapped = {"guard_true": OPS["guard_false"], "guard_false": OPS["guard_true"]}
        return right(swapped.get(row.name, row), word, args, *rest)

    patch.setattr(bounds_inference, "narrow", narrow)


def _guarded(condition: str, then: str, result: str = "i9") -> str:
    """A trace of a guard, and an operation behind it."""
    return f"[i0, i1]\ni2 = {condition}\nguard_true(i2) []\n{then}\njump({result})\n"


def _fault(name: str, breaks: str, plant: Plant, smallest: str = "") -> OptimizerFault:
    return OptimizerFault(name, breaks, "transfer functions", plant, smallest)


BOUNDS_FAULTS = (
    _fault(
        "sums do not wrap", "a result that may leave the word stops at its end", _method(Ranges, "wrapped", _clipped),
        _guarded("int_gt(i0, 0)", "i3 = int_add(i0, 1)\ni9 = int_gt(i3, 1)"),
    ),
    _fault(
        "greatest sum", "the greatest sum is one less", _method(Ranges, "add", _short_sum),
        "[i0]\ni1 = int_and(i0, 1)\ni3 = int_add(i1, 5)\njump(i3)\n",
    ),
    _fault(
        "difference of the same ends", "the least difference is that of the least members",
        _method(Ranges, "sub", lambda d, a, b: d.wrapped(tuple(sorted((a.low - b.low, a.high - b.high))))),
        "[i0, i1]\ni2 = int_and(i0, 1)\ni3 = int_and(i1, 1)\ni4 = int_sub(i2, i3)\njump(i4)\n",
    ),
    _fault(
        "below is at most", "a < b where the greatest a is the least b",
        _method(BoundsDomain, "slt", lambda d, a, b: True if a.high <= b.low else False if a.low >= b.high else None),
        _guarded("int_le(i0, 5)", "i9 = int_lt(i0, 5)"),
    ),
    _fault("unsigned order is signed", "unsigned a < b is decided as signed", _signed_order,
        _guarded("int_lt(i0, 0)", "i9 = uint_lt(i0, 5)")),
    _fault(
        "negation of the least integer", "-MININT is MAXINT",
        _method(Ranges, "neg", lambda d, a: _clipped(d, (-a.high, -a.low))),
        _guarded("int_lt(i0, 0)", "i3 = int_neg(i0)\ni9 = int_gt(i3, 0)"),
    ),
    _fault(
        "logical shift keeps the sign", "an unsigned shift to the right of what is negative is negative",
        _method(Ranges, "lshr", Ranges.ashr),
        "[i0]\ni2 = int_lt(i0, 0)\nguard_true(i2) []\ni3 = uint_rshift(i0, 1)\ni4 = int_lt(i3, 0)\njump(i4)\n",
    ),
    _fault(
        "product of two corners", "a product lies between those of the least and of the greatest members",
        _method(Ranges, "mul", _two_corners),
        "[i0, i1]\ni2 = int_and(i0, 7)\ni3 = int_or(i1, -8)\ni4 = int_mul(i2, i3)\ni5 = int_lt(i4, -7)\njump(i5)\n",
    ),
    _fault(
        "division rounds to zero", "bounds of a division that rounds down are those of one that truncates",
        _method(Ranges, "fdiv", _rounded_to_zero),
        _guarded("int_gt(i0, -5)", "i3 = int_py_div(i0, 3)\ni9 = int_lt(i3, -1)"),
    ),
    _fault(
        "remainders are not negative", "a truncating remainder is 0 or more", _method(Ranges, "srem", _srem),
        "[i0]\ni1 = int_mod(i0, 3)\ni2 = int_lt(i1, 0)\njump(i2)\n",
    ),
    _fault(
        "exclusive or of ranges", "a ^ b is at most the greater one", _method(Ranges, "bit_xor", _xor),
        _guarded("uint_lt(i0, 3)", "i3 = int_xor(i0, 1)\ni9 = int_gt(i3, 2)"),
    ),
    _fault(
        "overflow at the end", "a sum that is just above the greatest integer does not overflow",
        _method(Ranges, "_outside", _outside),
        _guarded("int_gt(i0, -1)", "i3 = int_add_ovf(i0, 1)\nguard_no_overflow() []", "i3"),
    ),
    _fault(
        "known bits of a sum", "there is no carry into bits that are known", _method(KnownBitsDomain, "add", _no_carry),
        "[i0]\ni1 = int_and(i0, 1)\ni2 = int_add(i1, 1)\ni3 = int_and(i2, 2)\njump(i3)\n",
    ),
    _fault(
        "known bits of a left shift", "unknown bits stay where they were",
        _method(KnownBitsDomain, "_shl", _mask_stays),
        "[i0]\ni1 = int_and(i0, 7)\ni2 = int_lshift(i1, 1)\ni3 = int_and(i2, 8)\njump(i3)\n",
    ),
    _fault(
        "known bits of a signed shift", "what comes in at the sign is 0", _method(KnownBitsDomain, "_ashr", _sign_goes),
        "[i0]\ni1 = int_rshift(i0, 1)\ni2 = int_lt(i1, 0)\njump(i2)\n",
    ),
    _fault(
        "known bits of a mask", "a bit is known where it is known in one", _method(KnownBitsDomain, "bit_and", _and),
        "[i0]\ni1 = int_and(i0, 1)\njump(i1)\n",
    ),
    _fault(
        "join of one side", "what is known of one of two values is known of both",
        _method(BoundsDomain, "join", _first), "[i0]\ni1 = int_force_ge_zero(i0)\njump(i1)\n",
    ),
    _fault(
        "below by two", "a < b says that a is at most b - 2", _inverse("slt", _slt_far),
        _guarded("int_lt(i0, 5)", "i9 = int_eq(i0, 4)"),
    ),
    _fault(
        "not below is above", "not a < b says that a > b", _inverse("slt", _slt_strict),
        _guarded("int_ge(i0, i1)", "i9 = int_gt(i0, -9223372036854775808)"),
    ),
    _fault(
        "unequal to a range", "a != b takes the least of b from a", _inverse("eq", _without),
        "[i0, i1]\ni2 = int_and(i0, 1)\ni3 = int_and(i1, 1)\ni4 = int_ne(i2, i3)\nguard_true(i4) []\njump(i2)\n",
    ),
    _fault(
        "wrapping sums bound their operands", "a + b is taken for the sum of the integers",
        _inverse("add", lambda d, value, a, b, exact: _ADD(d, value, a, b, True)),
        "[i0]\ni1 = int_add(i0, 10)\ni2 = int_lt(i1, 15)\nguard_true(i2) []\ni3 = int_lt(i0, 5)\njump(i3)\n",
    ),
    _fault(
        "wrapping differences bound their operands", "a - b is taken for the difference of the integers",
        _inverse("sub", lambda d, value, a, b, exact: _SUB(d, value, a, b, True)),
        "[i0]\ni1 = int_sub(10, i0)\ni2 = int_lt(i1, 15)\nguard_true(i2) []\ni3 = int_gt(i0, -5)\njump(i3)\n",
    ),
    _fault(
        "wrapping products bound their operands", "a * b is taken for the product of the integers",
        _inverse("mul", lambda d, value, a, b, exact: _MUL(d, value, a, b, True)),
        "[i0]\ni1 = int_mul(i0, 6)\nguard_value(i1, 6) []\ni2 = int_gt(i0, 0)\njump(i2)\n",
    ),
    _fault(
        "zero in both", "where a & b is 0, both are 0", _inverse("bit_and", _as_result),
        "[i0]\ni1 = int_and(i0, 1)\ni2 = int_is_zero(i1)\nguard_true(i2) []\njump(i0)\n",
    ),
    _fault(
        "one in both", "where a | b is 1, both are 1", _inverse("bit_or", _as_result),
        "[i0, i1]\ni2 = int_or(i0, i1)\nguard_value(i2, 1) []\njump(i0)\n",
    ),
    _fault(
        "nothing lost in a shift", "what a left shift drops was 0", _inverse("shl", _nothing_lost),
        "[i0]\ni1 = int_lshift(i0, 1)\ni2 = int_lt(i0, 0)\njump(i2, i1)\n",
    ),
    _fault(
        "unsigned test narrows as signed", "unsigned a < b narrows a and b as signed", _inverse("ult", Backward.slt),
        "[i0]\ni1 = uint_gt(i0, 5)\nguard_true(i1) []\ni2 = int_gt(i0, 5)\njump(i2)\n",
    ),
    _fault(
        "both are false", "where a and b do not both hold, neither does", _inverse("both", _both_false),
        "[i0, i1]\ni2 = int_py_div(i0, i1)\ni3 = int_ne(i0, -9223372036854775808)\njump(i3)\n",
    ),
    _fault(
        "sums are exact", "a sum that may wrap is bounded as if it did not", _exact_anyway,
        "[i0]\ni1 = int_sub(i0, 5)\ni2 = int_gt(i1, 9223372036854775801)\nguard_true(i2) []\njump(i0)\n",
    ),
    _fault("one way of a choice", "of a choice, what is known of the first way is known", _one_way,
        "[i0]\ni1 = int_force_ge_zero(i0)\njump(i1)\n"),
    _fault(
        "flag the other way round", "behind a guard on the overflow flag, the flag is the other one", _other_flag,
        "[i0]\ni1 = int_add_ovf(i0, 5)\nguard_no_overflow() []\ni2 = int_lt(i0, 5)\njump(i2)\n",
    ),
    _fault(
        "lengths are positive", "no array is empty", _lengths_are_positive,
        "[p0]\ni1 = arraylen_gc(p0, descr=array)\ni2 = int_gt(i1, 0)\njump(i2)\n",
    ),
    _fault(
        "narrow memory", "what a narrow field holds is at most half of what fits", _narrow_slots,
        "+++\n[struct.Node.fields]\nsize = 'u8'\n+++\n[p0]\ni1 = getfield_gc_i(p0, descr=Node.size)\n"
        "i2 = int_lt(i1, 128)\njump(i2)\n",
    ),
    _fault(
        "guards learned the other way round", "behind a guard that passes, its test has the other outcome",
        _as_guard_true, "[i0]\ni1 = int_lt(i0, 5)\nguard_true(i1) []\njump(i1)\n",
    ),
)  # fmt: skip
