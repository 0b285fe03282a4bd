"""What the value of a result says of its arguments excludes none that it may have."""

from __future__ import annotations

import itertools
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimizer.ir.domains.backward import INVERSES, narrowed
from optimizer.ir.domains.bounds import Bounds, bounds_domain
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.rows.domain import PRIMITIVES

WORDS = (
    *("add", "sub", "mul", "udiv", "sdiv", "fdiv", "bit_and", "bit_or", "bit_xor"),
    *("shl", "lshr", "ashr"),
)
PREDICATES = ("eq", "slt", "ult", "add_overflows", "sub_overflows", "mul_overflows")
_INTEGERS = {"add": int.__add__, "sub": int.__sub__, "mul": int.__mul__}


def _contains(width: int, a: object, value: int) -> bool:
    return isinstance(a, Bounds) and bounds_domain(width).contains(a, value)


def _check(width: int, kind: str, value: object, args: list[Bounds], values: list[int], *, exact: bool) -> int:
    """`values` are in `args`, and the result is in `value`: they are in what that leaves. How many are narrower?"""
    narrower = 0
    for place, left in narrowed(width, kind, value, tuple(args), exact):
        assert _contains(width, left, values[place]), (kind, value, args, values, exact)
        narrower += left != args[place]
    return narrower


def _bounds_around(random: Random, width: int, value: int) -> Bounds:
    """Random bounds with that member."""
    domain = bounds_domain(width)
    if random.random() < 0.3:
        return domain.const(value)
    low, high = random.randint(-domain.half, value), random.randint(value, domain.half - 1)
    mask = random.randrange(domain.full + 1)
    between = domain.between(low, high)
    assert between is not None
    met = domain.meet(between, domain.with_bits(value & domain.full & ~mask, mask))
    assert met is not None
    return met


def _try(random: Random, width: int, kind: str, values: list[int]) -> int:
    result = getattr(concrete(width), kind)(*values)
    args = [_bounds_around(random, width, value) for value in values]
    value = result if isinstance(result, bool) else _bounds_around(random, width, result)
    integer = _INTEGERS[kind](*values) if kind in _INTEGERS else None
    return _check(width, kind, value, args, values, exact=integer is not None and integer == result)


@pytest.mark.parametrize("kind", [*WORDS, *PREDICATES])
def test_every_pair_of_arguments(kind: str) -> None:
    random, narrower = Random(kind), 0
    for values in itertools.product(range(-8, 8), repeat=2):
        for _ in range(12):
            narrower += _try(random, 4, kind, list(values))
    assert narrower > 100


@pytest.mark.parametrize("kind", ["neg", "bit_not"])
def test_every_argument(kind: str) -> None:
    random = Random(kind)
    assert sum(_try(random, 4, kind, [value]) for value in range(-8, 8) for _ in range(20)) > 100


@given(st.sampled_from([*WORDS, *PREDICATES]), st.data())
def test_words_of_64_bits(kind: str, data: st.DataObject) -> None:
    word = st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-70, 70) | st.integers(0, 63).map(lambda k: 1 << k)
    values = [data.draw(word), data.draw(word)]
    values = [bounds_domain(64).const(value).low for value in values]
    _try(Random(data.draw(st.integers(0, 1 << 30))), 64, kind, values)


def test_choices() -> None:
    domain = bounds_domain(4)
    one, two, top = domain.const(1), domain.const(2), domain.top
    assert narrowed(4, "ite", one, (None, one, two)) == ((0, True), (1, one))
    assert narrowed(4, "ite", two, (None, one, two)) == ((0, False), (2, two))
    assert narrowed(4, "ite", one, (True, top, two)) == ((0, True), (1, one))
    assert narrowed(4, "ite", one, (None, top, top)) == ()
    assert narrowed(4, "bit", one, (None,)) == ((0, True),)
    assert narrowed(4, "bit", domain.one_bit, (None,)) == ()


@pytest.mark.parametrize("kind", ["both", "either"])
@pytest.mark.parametrize("holds", [True, False])
def test_conditions(kind: str, holds: bool) -> None:
    """All is told that follows, and nothing else."""
    values = {None: (True, False), True: (True,), False: (False,)}
    for known in itertools.product(values, repeat=2):
        left = [both for both in itertools.product(*(values[c] for c in known))
                if getattr(concrete(4), kind)(*both) == holds]  # fmt: skip
        told = narrowed(4, kind, holds, known)
        assert all(both[place] == value for place, value in told for both in left)
        for place in (0, 1):
            if left and known[place] is None and len({both[place] for both in left}) == 1:
                assert (place, left[0][place]) in told


def test_inverses_are_of_primitives() -> None:
    """Those without are missing on purpose."""
    assert {*PRIMITIVES, "bit"} - INVERSES == {"const", "truth", "umulh", "srem", "fmod"}
