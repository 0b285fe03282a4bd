"""Functions of rules on terms: what they say of bounds holds of all values, and guesses are guesses."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from optimizer.ir.domains.bounds import Bounds, bounds_domain
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.rules.guesses import guess
from optimizer.ir.rules.language import rule
from optimizer.ir.rules.terms import holds

WORD = 4
D = bounds_domain(WORD)


def some_bounds(random: Random) -> Bounds:
    low, high = sorted(random.choices(range(-8, 8), k=2))
    mask = random.choice((15, random.getrandbits(WORD)))
    return D.reduce(low, high, random.getrandbits(WORD) & ~mask, mask) or some_bounds(random)


def members(a: Bounds) -> list[int]:
    return [value for value in range(-8, 8) if D.contains(a, value)]


def test_outside_of_an_interval() -> None:
    """On bounds it is as sharp as can be, and never wrong."""
    (condition,) = rule("any", "add(x, C) => x", "outside(x, C, E)", E="C").conditions
    random, decided = Random(0), 0
    for low, high in product(range(-8, 8), repeat=2):
        for _ in range(20):
            x = some_bounds(random)
            outcomes = {
                bool(holds((condition,), concrete(WORD), {"x": value, "C": low, "E": high})) for value in members(x)
            }
            told = holds((condition,), D, {"x": x, "C": D.const(low), "E": D.const(high)})
            assert told is None or outcomes == {told}
            assert told or outcomes != {True}
            decided += told is True
    assert decided > 100


@pytest.mark.parametrize(
    ("hint", "guessed"),
    [
        ("least(x)", 2),
        ("most(x)", 6),
        ("possible(x)", 6),
        ("sure(x)", 2),
        ("least_from(x, 3)", 6),
        ("most_below(x, 6)", 2),
        ("add(most_below(x, 5), 1)", 3),
        ("divisor(6, 1)", 6),
        ("x", None),
    ],
)
def test_guesses(hint: str, guessed: int | None) -> None:
    ((_, term),) = rule("any", "add(x, C) => x", E=hint).hints
    x = D.with_bits(2, 4)
    assert members(x) == [2, 6]
    found = guess(term, D, {"x": x})
    assert (None if found is None else found.low) == guessed
