"""Bounds against the concrete domain: soundness everywhere, and some precision.

At small widths a set of results is a Python integer with a bit for each result, so that the exact image of every
abstract value is affordable.
"""

from __future__ import annotations

import inspect
from functools import cache, reduce
from operator import or_
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimizer.facts.narrowing import narrow
from optimizer.ir.domains.bounds import Bounds, BoundsDomain, bounds_domain
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.domains.knownbits import KnownBits
from optimizer.ir.domains.ranges import Range
from optimizer.ir.rows.domain import PRIMITIVES, wrap
from optimizer.ir.rows.ops import OPS, Op

ON_CONDITIONS = ("both", "either", "ite", "not_")
ON_WORDS = tuple(name for name in PRIMITIVES if name not in ("const", "truth", *ON_CONDITIONS))
ROWS = [row for row in OPS.values() if row.is_pure]
SMALL = [(bounds_domain(3), 34), (bounds_domain(4), 34)]
"""Domains, and how many of their values to take."""


def each_small_domain() -> pytest.MarkDecorator:
    ids = [f"width-{domain.width}" for domain, _ in SMALL]
    return pytest.mark.parametrize(("domain", "limit"), SMALL, ids=ids)


def words(width: int) -> range:
    return range(-(1 << (width - 1)), 1 << (width - 1))


def all_ranges(width: int) -> list[Range]:
    """The ranges of a width: an interval of the negative words, one of the others, or both."""
    of_sign = [
        [(x, y) for x in sign for y in sign if x <= y]
        for sign in (words(width)[: 1 << width >> 1], range(1 << width >> 1))
    ]
    one = [Range(low, high, high, low) for intervals in of_sign for low, high in intervals]
    return one + [Range(low, high, last, first) for low, last in of_sign[0] for first, high in of_sign[1]]


@cache
def abstract_values(domain: BoundsDomain, limit: int = 9999) -> list[Bounds]:
    """All values of a domain, or `limit` of them."""
    full = domain.full
    ranged = all_ranges(domain.width)
    bits = [(value, mask) for mask in range(full + 1) for value in range(full + 1) if not value & mask]
    values: list[Any] = list(
        {domain.reduce(a.low, a.high, *pair, a.last, a.first): None for a in ranged for pair in bits}
    )
    values.remove(None)
    return values if len(values) <= limit else Random(0).sample(values, limit)


@cache
def members(domain: BoundsDomain, a: Any) -> list[int]:
    return [value for value in words(domain.width) if domain.contains(a, value)]


def arity(name: str) -> int:
    return len(inspect.signature(getattr(concrete(4), name)).parameters)


def as_set(results: Any) -> int:
    """A set of signed words or of booleans; -1 is the word, not bit -1."""
    bits = 0
    for result in results:
        bits |= 1 << (result + 1024)
    return bits


@cache
def sets(domain: BoundsDomain) -> dict[Any, int]:
    """What each abstract value or condition stands for."""
    conditions = {True: as_set([True]), False: as_set([False]), None: as_set([False, True])}
    return {**conditions, **{a: as_set(members(domain, a)) for a in abstract_values(domain)}}


def images(domain: BoundsDomain, meaning: Any, arguments: int, limit: int) -> Any:
    """Pairs of abstract arguments and the set of concrete results."""
    exact, values = concrete(domain.width), abstract_values(domain, limit)
    inside = [members(domain, a) for a in values]
    if arguments == 1:
        for a, xs in zip(values, inside, strict=True):
            yield (a,), as_set(meaning(exact, x) for x in xs)
        return
    rows = {}
    for x in words(domain.width):
        results = {y: as_set([meaning(exact, x, y)]) for y in words(domain.width)}
        rows[x] = [reduce(or_, map(results.__getitem__, ys)) for ys in inside]
    for a, xs in zip(values, inside, strict=True):
        for b, *results in zip(values, *map(rows.__getitem__, xs), strict=True):
            yield (a, b), reduce(or_, results)


def assert_sound(domain: BoundsDomain, meaning: Any, arguments: int, limit: int) -> None:
    """The abstract result of `meaning(d, *words)`, a word or a condition, contains every concrete one."""
    known = sets(domain)
    for args, image in images(domain, meaning, arguments, limit):
        result = meaning(domain, *args)
        assert result in known, (args, result)
        assert not image & ~known[result], (args, result)


def primitive(name: str) -> Any:
    return lambda d, *args: getattr(d, name)(*args)


@each_small_domain()
@pytest.mark.parametrize("name", ON_WORDS)
def test_primitive_is_sound(name: str, domain: BoundsDomain, limit: int) -> None:
    assert_sound(domain, primitive(name), arity(name), limit)


@each_small_domain()
def test_constants_and_conditions(domain: BoundsDomain, limit: int) -> None:
    for value in range(-40, 40):
        assert members(domain, domain.const(value)) == [wrap(value, domain.width)]
    assert members(domain, domain.top) == list(words(domain.width))
    cases: dict[Any, set[bool]] = {True: {True}, False: {False}, None: {False, True}}
    exact = concrete(4)
    for c, c_cases in cases.items():
        assert cases[domain.not_(c)] == {not x for x in c_cases}
        for d, d_cases in cases.items():
            for name in ("both", "either"):
                results = {primitive(name)(exact, x, y) for x in c_cases for y in d_cases}
                assert cases[primitive(name)(domain, c, d)] == results
    assert domain.truth(True) is True
    assert domain.truth(False) is False


@each_small_domain()
def test_join_meet_and_choice(domain: BoundsDomain, limit: int) -> None:
    values = abstract_values(domain, min(limit, 140))
    for a in values:
        for b in values:
            a_set, b_set = set(members(domain, a)), set(members(domain, b))
            joined, met = domain.join(a, b), domain.meet(a, b)
            assert a_set | b_set <= set(members(domain, joined))
            assert (set() if met is None else set(members(domain, met))) == a_set & b_set
            assert (domain.ite(True, a, b), domain.ite(False, a, b)) == (a, b)
            assert domain.ite(None, a, b) == joined


def test_bounds_of_one_set_are_one_value_at_width_4() -> None:
    domain = bounds_domain(4)
    values = abstract_values(domain)
    assert len({tuple(members(domain, a)) for a in values}) == len(values)
    for a in values:
        inside = members(domain, a)
        assert (a.low, a.high) == (inside[0], inside[-1])
        assert a.is_constant == (len(inside) == 1)


def between(low: int, high: int, width: int = 64) -> Bounds:
    bounds = bounds_domain(width).between(low, high)
    assert bounds is not None
    return bounds


MAXINT = (1 << 63) - 1
ANY = bounds_domain(64).top
EVEN = bounds_domain(64).with_bits(0, (1 << 64) - 2)


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("int_add", [between(0, 10), between(5, 6)], between(5, 16)),
        (
            "int_add",
            [between(0, 10), between(MAXINT, MAXINT)],
            bounds_domain(64).within(Range(~MAXINT, MAXINT, 9 - MAXINT - 1, MAXINT)),
        ),
        ("int_neg", [ANY], ANY),
        ("int_neg", [between(-MAXINT, -1)], between(1, MAXINT)),
        ("int_mul", [between(-3, 5), between(-2, 7)], between(-21, 35)),
        ("int_and", [ANY, between(7, 7)], between(0, 7)),
        ("int_or", [between(0, 4), between(0, 8)], between(0, 12)),
        ("int_xor", [between(-4, -1), between(0, 8)], between(-12, -1)),
        ("int_py_mod", [ANY, between(8, 8)], between(0, 7)),
        ("int_py_mod", [between(-1, 1000), between(10, 10)], between(0, 9)),
        ("int_mod", [ANY, between(-10, 10)], between(-9, 9)),
        ("int_mod", [ANY, between(2, 10)], between(-9, 9)),
        ("int_py_div", [between(-100, 100), between(8, 8)], between(-13, 12)),
        ("int_floordiv", [between(-100, 100), between(8, 8)], between(-12, 12)),
        ("int_floordiv", [between(-100, 100), between(-7, -2)], between(-50, 50)),
        ("uint_floordiv", [ANY, between(16, 16)], between(0, (1 << 60) - 1)),
        ("uint_mul_high", [between(0, MAXINT), between(0, MAXINT)], between(0, (1 << 62) - 1)),
        ("uint_rshift", [ANY, between(60, 63)], between(0, 15)),
        ("int_rshift", [between(-100, 100), between(1, 2)], between(-50, 50)),
        ("int_lshift", [between(-3, 3), between(0, 4)], between(-48, 48)),
        ("int_force_ge_zero", [between(5, 100)], between(5, 100)),
        ("int_lt", [between(0, 5), between(6, 9)], between(1, 1)),
        ("int_lt", [ANY, ANY], between(0, 1)),
        ("uint_ge", [between(-5, -1), between(0, 9)], between(1, 1)),
        ("int_eq", [EVEN, between(7, 7)], between(0, 0)),
        ("int_is_true", [between(1, 3)], between(1, 1)),
        ("int_signext", [ANY, between(1, 1)], between(-128, 127)),
        ("int_signext", [between(100, 200), between(2, 2)], between(100, 200)),
    ],
)
def test_bounds_at_width_64(name: str, args: list[Bounds], expected: Bounds) -> None:
    told = narrow(OPS[name], 64, tuple(args))
    assert told is not None
    assert told.result == expected


def test_known_bits_at_width_64() -> None:
    d = bounds_domain(64)
    assert d.mul(ANY, d.const(12)).bits == KnownBits(0, (1 << 64) - 4)
    assert d.add(EVEN, d.const(1)).bits == KnownBits(1, (1 << 64) - 2)
    assert d.shl(EVEN, between(0, 63)).bits == EVEN.bits
    assert d.contains(d.shl(d.const(0x1000000000000000), between(0, 15)), 0)
    assert d.fmod(d.add(EVEN, d.const(1)), d.const(8)) == d.reduce(1, 7, 1, 6)
    odd_from_range = d.reduce(4, 7, 1, (1 << 64) - 2)
    assert odd_from_range == Bounds(5, 7, 7, 5, 5, 2)
    assert d.reduce(8, 8, 1, (1 << 64) - 2) is None


def test_the_result_of_a_narrow_sign_extension_is_sound_at_width_16() -> None:
    row, width, random = OPS["int_signext"], 16, Random(5)
    assert row.meaning is not None
    for _ in range(2000):
        member, a = drawn_bounds(width, random.randrange(-(1 << 15), 1 << 15), random)
        size = random.choice((1, 2))
        told = narrow(row, width, (a, bounds_domain(width).const(size)))
        assert told is not None
        result = told.result
        assert result is not None
        assert bounds_domain(width).contains(result, row.meaning(concrete(width), member, size))
        assert size == 2 or -128 <= result.low <= result.high <= 127


def drawn_bounds(width: int, member: int, random: Random) -> tuple[int, Bounds]:
    """Bounds that contain `member`."""
    d = bounds_domain(width)
    low, high, gap = (random.getrandbits(random.randrange(width)) for _ in range(3))
    mask = random.choice((d.full, random.getrandbits(width), random.getrandbits(width) | random.getrandbits(width)))
    low, high = max(member - low, -d.half), min(member + high, d.half - 1)
    last, first = (-1, min(gap, member)) if member >= 0 else (max(~gap, member), 0)
    bounds = d.reduce(low, high, member & d.full & ~mask, mask, last, first)
    assert bounds is not None
    return member, bounds


@st.composite
def bounds_and_member(draw: Any) -> tuple[int, Bounds]:
    corners = [c * (1 << k) + e for c in (1, -1) for k in (0, 1, 2, 3, 6, 32, 62) for e in (-1, 0, 1)]
    member = draw(
        st.one_of(
            st.integers(-(1 << 63), MAXINT),
            st.integers(-9, 70),
            st.sampled_from([*corners, -MAXINT - 1, MAXINT]),
        )
    )
    return drawn_bounds(64, member, Random(draw(st.integers(0, 1 << 32))))


@pytest.mark.parametrize("name", ON_WORDS)
@given(data=st.data())
def test_primitive_is_sound_at_width_64(name: str, data: Any) -> None:
    meaning = primitive(name)
    pairs = [data.draw(bounds_and_member()) for _ in range(arity(name))]
    expected = meaning(concrete(64), *(member for member, _ in pairs))
    result = meaning(bounds_domain(64), *(a for _, a in pairs))
    if isinstance(expected, bool):
        assert result in (None, expected)
    else:
        assert bounds_domain(64).contains(result, expected)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
@given(data=st.data())
def test_row_is_sound_at_width_64(row: Op, data: Any) -> None:
    assert row.args is not None
    assert row.meaning is not None
    pairs = [data.draw(bounds_and_member()) for _ in row.args]
    expected = row.meaning(concrete(64), *(member for member, _ in pairs))
    result = row.meaning(bounds_domain(64), *(a for _, a in pairs))
    assert bounds_domain(64).contains(result, expected)
