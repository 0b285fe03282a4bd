"""Multipliers that stand for divisors, against division itself."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from random import Random

import pytest

from validator.prove.lemmas.division import quotient_by, signed_quotient_by


def values_of(width: int, signed: bool) -> range:
    half = 1 << (width - 1)
    return range(-half, half) if signed else range(2 * half)


def quotients(multiplier: int, shift: int, values: Sequence[int]) -> list[int]:
    return [(x * multiplier >> shift) + (x < 0) for x in values]


def rounded_to_zero(x: int, d: int) -> int:
    return abs(x) // d * (1 if x >= 0 else -1)


@pytest.mark.parametrize("width", [4, 5, 6])
def test_a_multiplier_is_accepted_exactly_where_it_divides(width: int) -> None:
    """Every multiplier, every shift, all x up to a limit."""
    accepted = 0
    for multiplier, shift in itertools.product(range(1 << (width + 1)), range(width, 2 * width + 2)):
        for most in (3, (1 << width) // 3, (1 << width) // 2 - 1, (1 << width) - 1):
            computed = quotients(multiplier, shift, range(most + 1))
            d = quotient_by(multiplier, shift, most)
            divisors = [d for d in range(1, most + 1) if computed == [x // d for x in range(most + 1)]]
            assert ([] if d is None else [d]) == [d for d in divisors if multiplier < 1 << shift]
            accepted += d is not None
    assert accepted > 100


@pytest.mark.parametrize("width", [4, 5, 6])
def test_a_signed_multiplier_is_accepted_only_where_it_divides(width: int) -> None:
    accepted, half = 0, 1 << (width - 1)
    limits = [(-half, half - 1), (-half, -1), (-3, half - 1), (0, half - 1), (-half, 2), (2, 9)]
    for multiplier, shift in itertools.product(range(1 << width), range(width, 2 * width + 1)):
        for low, high in limits:
            values = range(low, min(high, half - 1) + 1)
            d = signed_quotient_by(multiplier, shift, values[0], values[-1])
            computed = quotients(multiplier, shift, values)
            if d is not None:
                accepted += 1
                assert computed == [rounded_to_zero(x, d) for x in values]
            elif (low, high) == limits[0]:
                assert all(computed != [rounded_to_zero(x, d) for x in values] for d in range(2, half)), (
                    multiplier,
                    shift,
                )
    assert accepted > 100


def magic(d: int, width: int) -> tuple[int, int]:
    """Multiplier and shift for all unsigned words of that width (Granlund & Montgomery, theorem 4.2)."""
    for shift in range(width, 2 * width + 1):
        multiplier = -(-(1 << shift) // d)
        if multiplier * d - (1 << shift) <= 1 << (shift - width):
            return multiplier, shift
    raise AssertionError("there is one for each divisor")


def signed_magic(d: int, width: int) -> tuple[int, int]:
    """The same for signed words (theorem 5.1)."""
    for shift in range(width, 2 * width + 1):
        multiplier = (1 << shift) // d + 1
        if multiplier * d - (1 << shift) <= 1 << (shift - width + 1):
            return multiplier, shift
    raise AssertionError("there is one for each divisor")


@pytest.mark.parametrize("width", [4, 5, 6, 7, 8])
def test_magic_numbers_of_small_widths_are_accepted(width: int) -> None:
    for d in range(2, 1 << width):
        assert quotient_by(*magic(d, width), (1 << width) - 1) == d
    for d in range(2, 1 << (width - 1)):
        assert signed_quotient_by(*signed_magic(d, width), -1 << (width - 1), (1 << (width - 1)) - 1) == d


def divisors_at_64() -> list[int]:
    random = Random(1)
    powers = [(1 << k) + delta for k in range(2, 63) for delta in (-1, 1)]
    return [
        3,
        5,
        7,
        10,
        100,
        641,
        1_000_000_007,
        6_700_417,
        *powers,
        *[random.getrandbits(k) | 2 for k in range(3, 63)],
    ]


@pytest.mark.parametrize("delta", [-2, -1, 0, 1, 2])
def test_magic_numbers_of_words_and_their_neighbours(delta: int) -> None:
    """What is accepted divides boundary and random values, at 64 bits; the right multiplier is accepted."""
    random, full, half = Random(2), (1 << 64) - 1, 1 << 63
    for d in divisors_at_64():
        near = [k * d + e for k in (0, 1, 2, full // d - 1, full // d) for e in (-1, 0, 1)]
        samples = [x for x in (*near, full, half, *[random.getrandbits(64) for _ in range(8)]) if 0 <= x <= full]
        multiplier, shift = magic(d, 64)
        found = quotient_by(multiplier + delta, shift, full)
        assert delta or found == d
        if found is not None:
            assert quotients(multiplier + delta, shift, samples) == [x // found for x in samples]
        if d < half:
            words = [x - (1 << 64) if x >= half else x for x in samples]
            words += [sign * (half // d * d + e) for sign in (1, -1) for e in (-d, -1, 0, 1)]
            words = [x for x in words if -half <= x < half]
            multiplier, shift = signed_magic(d, 64)
            found = signed_quotient_by(multiplier + delta, shift, -half, half - 1)
            assert delta or found == d
            if found is not None:
                assert quotients(multiplier + delta, shift, words) == [rounded_to_zero(x, found) for x in words]
