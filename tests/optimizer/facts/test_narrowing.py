"""Narrowing single operations against the concrete domain: what holds of members is never lost."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from optimizer.facts.narrowing import Fact, narrow
from optimizer.ir.domains.bounds import Bounds, bounds_domain
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.rows.ops import OPS, Op

MAXINT = (1 << 63) - 1
MININT = -MAXINT - 1
PURE = [row for row in OPS.values() if row.is_pure and row.min_word <= 4]
GUARDS = [row for row in OPS.values() if row.is_guard and row.modelled]


def random_bounds(random: Random, word: int) -> Bounds:
    d = bounds_domain(word)
    low, high = sorted(random.choices(range(-d.half, d.half), k=2))
    mask = random.choice((d.full, random.getrandbits(word)))
    return d.reduce(low, high, random.getrandbits(word) & ~mask, mask) or random_bounds(random, word)


@pytest.mark.parametrize("row", [*PURE, *GUARDS], ids=lambda row: row.name)
def test_narrowing_one_operation_is_sound_at_width_4(row: Op) -> None:
    random, word, d = Random(row.name), 4, concrete(4)
    words, flags = range(-8, 8), (None, False, True)
    assert row.args is not None
    for _ in range(80):
        if row.reads_flag:
            args: tuple[Fact, ...] = (random.choice(flags),)
        else:
            args = tuple(random_bounds(random, word) for _ in row.args)
        result = random_bounds(random, word) if row.meaning is not None and random.random() < 0.8 else None
        overflowed = random.choice(flags) if row.overflows is not None else None
        narrowed = narrow(row, word, args, result, overflowed)
        for values in product(*((False, True) if row.reads_flag else words for _ in args)):
            value = None if row.meaning is None else row.meaning(d, *values)
            if (
                all(map(has, args, values))
                and (row.defined is None or row.defined(d, *values))
                and (row.passes is None or row.passes(d, *values))
                and (overflowed is None or row.overflows is None or row.overflows(d, *values) == overflowed)
                and has(result, value)
            ):
                assert narrowed is not None, (args, values)
                assert all(map(has, narrowed.args, values)), (args, values, narrowed)
                assert has(narrowed.result, value), (args, values, narrowed)


def has(fact: Fact, value: int | None) -> bool:
    """Whether a value of a word of 4 bits, or of a condition, agrees with what is known of it."""
    if isinstance(fact, Bounds):
        assert value is not None
        return bounds_domain(4).contains(fact, value)
    return fact is None or fact == value


def around(random: Random, member: int) -> Bounds:
    """Some bounds of 64-bit words that contain `member`."""
    d = bounds_domain(64)
    below, above = (random.getrandbits(random.randrange(64)) for _ in range(2))
    mask = random.choice((d.full, random.getrandbits(64), random.getrandbits(64) | random.getrandbits(64)))
    low, high = max(member - below, MININT), min(member + above, MAXINT)
    bounds = random.choice((d.const(member), d.top, d.reduce(low, high, member & d.full & ~mask, mask)))
    assert bounds is not None
    return bounds


@pytest.mark.parametrize("row", [row for row in OPS.values() if row.is_pure], ids=lambda row: row.name)
def test_narrowing_one_operation_is_sound_at_width_64(row: Op) -> None:
    random, d = Random(row.name), concrete(64)
    assert row.args is not None
    assert row.meaning is not None
    for _ in range(80):
        small = [random.choice((random.randrange(-70, 70), 1 << random.randrange(63))) for _ in row.args]
        values = [random.choice((one, random.randrange(MININT, MAXINT))) for one in small]
        if row.defined is not None and not row.defined(d, *values):
            continue
        value = row.meaning(d, *values)
        overflowed = None if row.overflows is None else random.choice((None, row.overflows(d, *values)))
        args = tuple(around(random, one) for one in values)
        narrowed = narrow(row, 64, args, around(random, value), overflowed)
        assert narrowed is not None, (args, values)
        for fact, one in zip((*narrowed.args, narrowed.result), (*values, value), strict=True):
            assert isinstance(fact, Bounds)
            assert bounds_domain(64).contains(fact, one), (args, values, narrowed)
