"""The order of two unknown values, as guards have established it.

    guard_true(int_lt(a, b))      a < b
    int_ge(a, b)                  is 0
    int_gt(b, a)                  is 1
    guard_false(int_ne(a, b))     cannot pass

Signed and unsigned, two values stand to each other in one of five ways: they are equal, or one is below the
other in one order and below or above it in the other. A test whose meaning compares its two arguments and
nothing else is decided by the way, so that a pair of numbers for each way says all about it. Two floats are equal,
or one is below the other, or one of them is NaN, which counts for two ways.

Of two integers that have been compared with the same third one, that follows which it leaves them: of `a < b` and
`b < c`, `a < c`. Longer chains are not followed. Of the sum of one and a constant, that follows which it leaves it: of
`a < b`, `a + 1 <= b`.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import product
from math import nan
from typing import Any

from optimizer.ir.domains.bounds import Bounds
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.domains.ranges import halves
from optimizer.ir.domains.term import Term, cone
from optimizer.ir.domains.terms import Terms
from optimizer.ir.floats import Float
from optimizer.ir.rows.ops import FLOAT, Meaning, Op
from optimizer.ir.rows.row import INT
from optimizer.ir.trace import Value, Var

_PAIRS = ((0, 0), (0, 1), (-1, 0), (0, -1), (1, 0))
_FLOATS = tuple((Float.of(a), Float.of(b)) for a, b in ((0.0, 0.0), (0.0, 1.0), (nan, nan), (nan, nan), (1.0, 0.0)))
_SWAPPED = (0, 4, 3, 2, 1)
_WIDTH = 4
_BETWEEN = 8
"""The number of values that one has been compared with and that are asked, at most."""

_CHOICES = frozenset({"not_", "both", "either", "ite", "const", "truth", "var"})

Ways = frozenset[int]
"""Indices of `_PAIRS`: the ways in which two values may stand to each other."""

ALL_WAYS: Ways = frozenset(range(len(_PAIRS)))
EQUAL: Ways = frozenset({0})
_NAN: Ways = frozenset({2, 3})
"""The ways of two floats of which one is NaN."""


class Orders:
    """The ways that are left for pairs of values."""

    def __init__(self) -> None:
        self._ways: dict[tuple[Value, Value], Ways] = {}
        self._compared: dict[Value, list[Value]] = {}  # integers that are not constants

    def ways(self, a: Value, b: Value) -> Ways:
        if a == b and a.type is not FLOAT:
            return EQUAL
        ways = self._ways.get((a, b), EQUAL | _NAN if a == b else ALL_WAYS)
        for between in self._compared.get(a, ()):
            further = self._ways.get((between, b))
            if further is not None:
                ways &= _behind_each_other(self._ways[a, between], further)
        return ways

    def learn(self, a: Value, b: Value, ways: Ways) -> Ways:
        """Learns that `a` stands to `b` in one of these ways; returns the ways that are left."""
        left = self.ways(a, b) & ways
        for one, other, its in ((a, b, left), (b, a, turned(left))):
            if (one, other) not in self._ways and isinstance(one, Var) and one.type is INT:
                self._compared[one] = [*self._compared.get(one, ())[-_BETWEEN + 1 :], other]
            self._ways[one, other] = its
        if a != b and a.type is FLOAT and not left & _NAN:  # neither is
            self.learn(a, a, EQUAL)
            self.learn(b, b, EQUAL)
        return left

    def outcome(self, test: Op, a: Value, b: Value, within: Ways = ALL_WAYS) -> int | None:
        """The result of a test of `a` and `b`, where all ways that are left agree on it; only those `within` can be."""
        results, ways = _results(test), self.ways(a, b) & within
        if results is None or len(ways) == len(ALL_WAYS):  # no test is the same in all ways
            return None
        found = {results[way] for way in ways}
        return found.pop() if len(found) == 1 else None

    def passes(self, guard: Op, test: Op | None, a: Value, b: Value, within: Ways = ALL_WAYS) -> bool | None:
        """The outcome of a guard on such a test or (without a test) on `a` and `b` themselves; None if it may pass or
        fail."""
        passing, ways = passing_ways(guard, test), self.ways(a, b) & within
        if passing is None or not ways:
            return None
        if ways <= passing:
            return True
        return None if ways & passing else False


def way(a: int, b: int) -> int:
    """The way in which two machine ints stand to each other."""
    if a == b:
        return 0
    if (a < 0) != (b < 0):
        return 2 if a < 0 else 3
    return 1 if a < b else 4


@cache
def _followed() -> dict[tuple[int, int], Ways]:
    """The ways from `a` to `c`, by the ways from `a` to `b` and from `b` to `c`. Of each sign there are four words of 3
    bits, one more than is needed for three values to stand in any way."""
    found: dict[tuple[int, int], set[int]] = {}
    for a, b, c in product(range(-4, 4), repeat=3):
        found.setdefault((way(a, b), way(b, c)), set()).add(way(a, c))
    return {ways: frozenset(further) for ways, further in found.items()}


@cache
def _behind_each_other(one: Ways, other: Ways) -> Ways:
    """The ways that are left where there is a value between, which stands in these ways to both."""
    followed = _followed()
    return frozenset[int]().union(*(followed.get(pair, frozenset()) for pair in product(one, other)))


def ways_of_sum(ways: Ways, by: int, wraps: bool) -> Ways:
    """The ways from `a + by` to `b`, where these are left from `a` to `b`; the sum may wrap around only if `wraps`."""
    if wraps and abs(by) > 1:
        return ALL_WAYS
    further = _stepped(max(-2, min(by, 2)), wraps)
    return frozenset[int]().union(*(further.get(way, frozenset()) for way in ways))


@cache
def _stepped(by: int, wraps: bool) -> dict[int, Ways]:
    """The ways from `a + by` to `b`, by the way from `a` to `b`; 2 and -2 stand for all larger steps. Words of 4 bits
    have room for all that can be."""
    found: dict[int, set[int]] = {}
    words = range(-8, 8)
    for a, b, step in product(words, words, (by,) if abs(by) < 2 else range(by, by * 8, by // 2)):
        if a + step in words or wraps:
            found.setdefault(way(a, b), set()).add(way((a + step + 8) % 16 - 8, b))
    return {one: frozenset(further) for one, further in found.items()}


def turned(ways: Ways) -> Ways:
    """The ways from the second to the first, where these are left from the first to the second."""
    return frozenset([_SWAPPED[way] for way in ways])


def compares(test: Op) -> bool:
    """Is it a test whose result the way of its two arguments decides?"""
    return _results(test) is not None


@lru_cache(maxsize=1 << 14)
def ways_within(a: Bounds, b: Bounds) -> Ways:
    """The ways in which two integers with these bounds may stand to each other."""
    ways = set()
    for x in halves(a.range):
        for y in halves(b.range):
            if (x[0] < 0) != (y[0] < 0):
                ways.add(2 if x[0] < 0 else 3)
            else:
                may_be = {0: max(x[0], y[0]) <= min(x[1], y[1]), 1: x[0] < y[1], 4: y[0] < x[1]}
                ways.update(way for way, may in may_be.items() if may)
    return frozenset(ways)


@cache
def passing_ways(guard: Op, test: Op | None) -> Ways | None:
    """The ways in which the guard passes; None where it is not the order that decides."""
    d = concrete(_WIDTH)
    if guard.passes is None:
        return None
    passed: list[Any]
    if test is not None:
        passed = [guard.passes(d, result) for result in _results(test) or ()]
    else:
        passed = [guard.passes(d, *pair) for pair in _PAIRS] if _compares(guard.passes) else []
    return frozenset(way for way, passes in enumerate(passed) if passes) if passed else None


@cache
def _results(test: Op) -> tuple[int, ...] | None:
    if test.meaning is None or test.args is None or len(test.args) != 2:
        return None
    if test.has_floats:
        is_test = test.args == (FLOAT, FLOAT) and test.result is INT
        return tuple(test.meaning(concrete(64), *pair) for pair in _FLOATS) if is_test else None
    if not _compares(test.meaning):
        return None
    return tuple(test.meaning(concrete(_WIDTH), *pair) for pair in _PAIRS)


def _compares(meaning: Meaning) -> bool:
    """Is it computed from comparisons of its two arguments alone?"""
    t = Terms(_WIDTH)
    a, b = t.var("a"), t.var("b")
    root: Term = meaning(t, a, b)
    for term in (root, *cone([root])):
        if term.kind in ("eq", "slt", "ult"):
            if not set(term.args) <= {a, b}:
                return False
        elif term.kind not in _CHOICES or {a, b} & set(term.args):
            return False
    return root not in (a, b)
