from functools import reduce
from itertools import product
from math import inf, nan
from random import Random

import pytest
from cases import assert_becomes, assert_stays
from hypothesis import given
from hypothesis import strategies as st

from optimizer.facts import orders
from optimizer.facts.orders import ALL_WAYS, EQUAL, Orders, passing_ways, ways_of_sum, ways_within
from optimizer.ir.domains.bounds import bounds_domain
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.floats import Float
from optimizer.ir.rows.ops import FLOAT, OPS, Op
from optimizer.ir.text.parser import parse
from optimizer.ir.trace import Var
from optimizer.pipeline import optimize

SIGNED = ("int_lt", "int_le", "int_eq", "int_ne", "int_gt", "int_ge")
TESTS = [OPS[name] for name in (*SIGNED, "uint_lt", "uint_le", "uint_gt", "uint_ge")]
FLOAT_TESTS = [OPS[f"float_{name}"] for name in ("lt", "le", "eq", "ne", "gt", "ge")]
A, B, C = Var("a"), Var("b"), Var("c")
F, G = Var("f", FLOAT), Var("g", FLOAT)
D64 = concrete(64)
FLOATS = [Float.of(value) for value in (-inf, -1.5, -0.0, 0.0, 1.0, inf, nan)]
D = concrete(4)
NUMBERS = range(-8, 8)


@pytest.mark.parametrize("guard", [OPS["guard_true"], OPS["guard_false"]], ids=lambda row: row.name)
@pytest.mark.parametrize("told", TESTS, ids=lambda row: row.name)
@pytest.mark.parametrize("asked", TESTS, ids=lambda row: row.name)
def test_a_test_is_decided_exactly_where_the_guard_before_decides_it(guard: Op, told: Op, asked: Op) -> None:
    ways = passing_ways(guard, told)
    assert ways is not None
    assert guard.passes is not None
    orders = Orders()
    orders.learn(A, B, ways)
    pairs = [pair for pair in product(NUMBERS, NUMBERS) if guard.passes(D, told.meaning(D, *pair))]
    results = {asked.meaning(D, *pair) for pair in pairs}
    assert orders.outcome(asked, A, B) == (results.pop() if len(results) == 1 else None)
    swapped = {asked.meaning(D, b, a) for a, b in pairs}
    assert orders.outcome(asked, B, A) == (swapped.pop() if len(swapped) == 1 else None)


def test_what_two_values_are_to_a_third_one_orders_them() -> None:
    """Exactly as all words of 4 bits say, whichever ways are left."""
    values = {a: [(b, orders.way(a, b)) for b in NUMBERS] for a in NUMBERS}
    every = [frozenset(way for way in ALL_WAYS if bits >> way & 1) for bits in range(1, 1 << len(ALL_WAYS))]
    found: dict[tuple[int, int], set[int]] = {}
    for a, between in values.items():
        for b, one in between:
            for c, other in values[b]:
                found.setdefault((one, other), set()).add(orders.way(a, c))
    for one, other in product(every, repeat=2):
        learned = Orders()
        learned.learn(A, B, one)
        learned.learn(B, C, other)
        assert learned.ways(A, C) == frozenset[int]().union(*(found.get(pair, ()) for pair in product(one, other)))


def test_no_test_gives_the_same_in_all_ways() -> None:
    """So that of values of which nothing is known none needs to be asked for."""
    told = [orders._results(row) for row in OPS.values() if row.is_pure]
    assert any(told)
    assert all(results is None or len(set(results)) > 1 for results in told)


def test_what_does_not_compare_is_not_decided_by_the_order() -> None:
    orders = Orders()
    assert orders.learn(A, B, EQUAL) == EQUAL
    pure = [row for row in OPS.values() if row.is_pure and row.args is not None and len(row.args) == 2]
    assert {row for row in pure if orders.outcome(row, A, B) is not None} == set(TESTS)
    assert passing_ways(OPS["guard_true"], OPS["float_add"]) is None
    assert passing_ways(OPS["guard_true"], OPS["int_sub"]) is None
    assert passing_ways(OPS["guard_value"], None) == EQUAL
    assert orders.ways(A, A) == EQUAL
    assert Orders().ways(A, B) == ALL_WAYS


@pytest.mark.parametrize("outcome", [0, 1])
@pytest.mark.parametrize("told", FLOAT_TESTS, ids=lambda row: row.name)
@pytest.mark.parametrize("asked", FLOAT_TESTS, ids=lambda row: row.name)
def test_a_float_test_is_decided_exactly_where_another_one_decides_it(outcome: int, told: Op, asked: Op) -> None:
    ways = passing_ways(OPS["guard_true" if outcome else "guard_false"], told)
    assert ways is not None
    orders = Orders()
    orders.learn(F, G, ways)
    pairs = [pair for pair in product(FLOATS, FLOATS) if told.meaning(D64, *pair) == outcome]
    for (a, b), turned in (((F, G), False), ((G, F), True)):
        results = {asked.meaning(D64, *reversed(pair) if turned else pair) for pair in pairs}
        assert orders.outcome(asked, a, b) == (results.pop() if len(results) == 1 else None)
    itself = {asked.meaning(D64, first, first) for first, _ in pairs}
    assert orders.outcome(asked, F, F) == (itself.pop() if len(itself) == 1 else None)


def test_floats_that_are_equal_need_not_be_the_same() -> None:
    trace = parse("[f0]\ni1 = float_eq(f0, 0.0)\nguard_true(i1) []\nguard_value(f0, 0.0) []\nfinish()")
    assert len(optimize(trace).guards) == 2


def test_bounds_leave_fewer_orders() -> None:
    """Below what is not negative as unsigned is below it as signed."""
    assert_becomes(
        """
        [i0, i1]
        i2 = int_gt(i0, -1)
        guard_true(i2) []
        i3 = uint_lt(i1, i0)
        guard_true(i3) []
        i4 = int_lt(i1, i0)
        guard_true(i4) []
        finish(i4)
        """,
        """
        [i0, i1]
        i2 = int_gt(i0, -1)
        guard_true(i2, origin=0) []
        i3 = uint_lt(i1, i0)
        guard_true(i3, origin=1) []
        finish(1)
        """,
        "guards",
    )


@given(st.tuples(*[st.integers(-8, 7)] * 2), st.integers(0, 1 << 30))
def test_all_orders_that_bounds_leave_are_there(numbers: tuple[int, int], seed: int) -> None:
    random, d = Random(seed), bounds_domain(4)
    others = [{number, *(random.randrange(-8, 8) for _ in range(random.randrange(3)))} for number in numbers]
    a, b = (reduce(d.join, map(d.const, words)) for words in others)
    ways = {
        way
        for way, pair in enumerate(orders._PAIRS)
        for x, y in product(*([word for word in NUMBERS if d.contains(one, word)] for one in (a, b)))
        if all(row.meaning(D, x, y) == row.meaning(D, *pair) for row in TESTS)
    }
    assert ways_within(a, b) >= ways
    if a.mask == b.mask == d.full:
        assert ways_within(a, b) == ways


def test_guards_that_follow_from_guards_go() -> None:
    assert_becomes(
        """
        [i0, i1]
        i2 = int_lt(i0, i1)
        i3 = int_le(i0, i1)
        guard_true(i2) [i0]
        guard_true(i3) [i0]
        i4 = int_ge(i0, i1)
        guard_false(i4) [i0]
        i5 = int_eq(i1, i0)
        i6 = int_gt(i1, i0)
        i7 = uint_lt(i0, i1)
        jump(i5, i6, i7)
        """,
        """
        [i0, i1]
        i2 = int_lt(i0, i1)
        i3 = int_le(i0, i1)
        guard_true(i2, origin=0) [i0]
        i7 = uint_lt(i0, i1)
        jump(0, 1, i7)
        """,
        "guards",
    )


def test_two_orders_that_meet_are_an_equality() -> None:
    assert_becomes(
        """
        [i0, i1]
        i2 = int_le(i0, i1)
        guard_true(i2) [i0]
        i3 = int_le(i1, i0)
        guard_true(i3) [i1]
        jump(i0, i1)
        """,
        """
        [i0, i1]
        i2 = int_le(i0, i1)
        guard_true(i2, origin=0) [i0]
        i3 = int_le(i1, i0)
        guard_true(i3, origin=1) [i1]
        jump(i1, i1)
        """,
        "guards",
    )


def test_the_opposite_of_a_guard_always_fails() -> None:
    done = assert_becomes(
        """
        [i0, i1]
        i2 = int_ne(i0, i1)
        guard_true(i2) [i0]
        guard_value(i1, i0) [i1]
        jump(i0)
        """,
        """
        [i0, i1]
        i2 = int_ne(i0, i1)
        guard_true(i2, origin=0) [i0]
        guard_always_fails(origin=1) [i1]
        jump(i0)
        """,
        "guards",
    )
    assert done.always_fails == 1


def test_an_order_is_not_known_before_its_guard() -> None:
    assert_stays(
        """
        [i0, i1]
        i2 = int_lt(i0, i1)
        i3 = int_ge(i0, i1)
        guard_true(i2, origin=0) [i3]
        jump(i0)
        """,
        "guards",
    )


@pytest.mark.parametrize("first", SIGNED)
@pytest.mark.parametrize("second", SIGNED)
def test_guards_on_a_value_between_decide_a_test_where_they_must(first: str, second: str) -> None:
    text = f"[i0, i1, i2]\ni3 = {first}(i0, i1)\nguard_true(i3) []\ni4 = {second}(i1, i2)\nguard_true(i4) []\n"
    given = optimize(parse(f"{text}i5 = int_lt(i0, i2)\nfinish(i5)\n")).end.args[0]
    rows = (OPS[first].meaning, OPS[second].meaning)
    assert rows[0] is not None
    assert rows[1] is not None
    triples = [(a, c) for a, b, c in product(NUMBERS, repeat=3) if rows[0](D, a, b) and rows[1](D, b, c)]
    results = {int(a < c) for a, c in triples}
    assert str(given) == (str(results.pop()) if len(results) == 1 else "i5")


@pytest.mark.parametrize("wraps", [False, True])
@pytest.mark.parametrize("by", range(-8, 8))
def test_the_ways_of_a_sum_are_those_that_can_be(by: int, wraps: bool) -> None:
    """Exactly for 1 and -1, and at words of 5 bits for all sums."""
    words = range(-16, 16)
    for way in ALL_WAYS:
        found = {
            orders.way((a + by + 16) % 32 - 16, b)
            for a, b in product(words, words)
            if orders.way(a, b) == way and (wraps or a + by in words)
        }
        told = ways_of_sum(frozenset({way}), by, wraps)
        assert told == found if abs(by) == 1 else told >= found


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("i3 = int_add(i0, 1)\ni4 = int_gt(i3, i1)", "0"),
        ("i3 = int_add(i0, 1)\ni4 = int_ge(i1, i3)", "1"),
        ("i3 = int_add(i0, 1)\ni4 = int_gt(i1, i3)", "i4"),
        ("i3 = int_add(i1, -1)\ni4 = int_lt(i3, i0)", "0"),
        ("i3 = int_add(i0, 2)\ni4 = int_gt(i3, i1)", "i4"),
        ("i3 = int_add(i0, -1)\ni4 = int_lt(i3, i1)", "i4"),
        ("i3 = int_add_ovf(i0, -1)\nguard_no_overflow() []\ni4 = int_lt(i3, i1)", "1"),
        ("i3 = int_add_ovf(i1, 2)\nguard_no_overflow() []\ni4 = int_lt(i0, i3)", "1"),
        ("i3 = int_add_ovf(i1, 2)\nguard_overflow() []\ni4 = int_lt(i0, i3)", "i4"),
    ],
)
def test_the_order_of_a_sum_follows_from_that_of_what_is_added(text: str, outcome: str) -> None:
    trace = parse(f"[i0, i1]\ni2 = int_lt(i0, i1)\nguard_true(i2) []\n{text}\nfinish(i4)\n")
    assert str(optimize(trace).end.args[0]) == outcome
