"""The order of two unknown values, as guards have established it.

    guard_true(int_lt(a, b))      a < b
    int_ge(a, b)                  is 0
    int_gt(b, a)                  is 1
    guard_false(int_ne(a, b))     cannot pass

Signed and unsigned, two values stand to each other in one of five ways: they are equal, or one is below the
other in one order and below or above it in the other. A test whose meaning compares its two arguments and
nothing else is decided by the way, so that a pair of numbers for each way says all about it.
"""

from __future__ import annotations

from functools import cache

from optimizer.ir.domains.concrete import concrete
from optimizer.ir.domains.term import Term, cone
from optimizer.ir.domains.terms import Terms
from optimizer.ir.rows.ops import Op
from optimizer.ir.trace import Value

_PAIRS = ((0, 0), (0, 1), (-1, 0), (0, -1), (1, 0))
_SWAPPED = (0, 4, 3, 2, 1)
_WIDTH = 4
_CHOICES = frozenset({"not_", "both", "either", "ite", "const", "truth", "var"})

Ways = frozenset[int]
"""Indices of `_PAIRS`: the ways in which two values may stand to each other."""

ALL_WAYS: Ways = frozenset(range(len(_PAIRS)))
EQUAL: Ways = frozenset({0})


class Orders:
    """The ways that are left for pairs of values."""

    def __init__(self) -> None:
        self._ways: dict[tuple[Value, Value], Ways] = {}

    def ways(self, a: Value, b: Value) -> Ways:
        return EQUAL if a == b else self._ways.get((a, b), ALL_WAYS)

    def learn(self, a: Value, b: Value, ways: Ways) -> Ways:
        """Learns that `a` stands to `b` in one of these ways; returns the ways that are left."""
        left = self.ways(a, b) & ways
        self._ways[a, b] = left
        self._ways[b, a] = frozenset(_SWAPPED[way] for way in left)
        return left

    def outcome(self, test: Op, a: Value, b: Value) -> int | None:
        """The result of a test of `a` and `b`, where all ways that are left agree on it."""
        ways = self.ways(a, b)
        results = _results(test) if ways is not ALL_WAYS else None  # no test is the same in all ways
        if results is None:
            return None
        found = {results[way] for way in ways}
        return found.pop() if len(found) == 1 else None

    def passes(self, guard: Op, test: Op | None, a: Value, b: Value) -> bool | None:
        """The outcome of a guard on such a test or (without a test) on `a` and `b` themselves; None if it may pass or
        fail."""
        passing = passing_ways(guard, test)
        if passing is None:
            return None
        ways = self.ways(a, b)
        if ways <= passing:
            return True
        return None if ways & passing else False


@cache
def passing_ways(guard: Op, test: Op | None) -> Ways | None:
    """The ways in which the guard passes; None where it is not the order that decides."""
    t, d = Terms(_WIDTH), concrete(_WIDTH)
    a, b = t.var("a"), t.var("b")
    if guard.passes is None or (test is not None and test.meaning is None):
        return None
    passes = guard.passes
    if test is None or test.meaning is None:
        decided = _compares(passes(t, a, b), a, b)
        pairs = [passes(d, *pair) for pair in _PAIRS]
    else:
        decided = _compares(passes(t, test.meaning(t, a, b)), a, b)
        pairs = [passes(d, test.meaning(d, *pair)) for pair in _PAIRS]
    return frozenset(way for way, passed in enumerate(pairs) if passed) if decided else None


@cache
def _results(test: Op) -> tuple[int, ...] | None:
    if test.meaning is None or test.args is None or len(test.args) != 2:
        return None
    t, d = Terms(_WIDTH), concrete(_WIDTH)
    a, b = t.var("a"), t.var("b")
    if not _compares(test.meaning(t, a, b), a, b):
        return None
    return tuple(test.meaning(d, *pair) for pair in _PAIRS)


def _compares(root: Term, a: Term, b: Term) -> bool:
    """Is the term computed from comparisons of `a` and `b` alone?"""
    for term in (root, *cone([root])):
        if term.kind in ("eq", "slt", "ult"):
            if not set(term.args) <= {a, b}:
                return False
        elif term.kind not in _CHOICES or {a, b} & set(term.args):
            return False
    return root not in (a, b)
