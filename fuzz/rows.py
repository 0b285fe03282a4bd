"""The operation table as the generator sees it: rows by what can be done with them.

Roles that the table does not name are found by computing: a row whose results are all 0 or 1 is a test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

from optimizer.ir.concrete import concrete
from optimizer.ir.ops import OPS, Kind, Op, Type
from optimizer.ir.plain_terms import PlainTerms
from optimizer.ir.term import cone


@dataclass(frozen=True, slots=True)
class Rows:
    """The modelled rows of one word width. A row can be in several groups."""

    pure: tuple[Op, ...]  # without a flag
    overflow: tuple[Op, ...]  # pure, with a flag
    tests: tuple[Op, ...]  # of two arguments, the result is 0 or 1
    masks: tuple[Op, ...]  # of two arguments, the result has only bits that both have
    bitwise: tuple[Op, ...]  # of two arguments, each bit of the result depends on the same bit of both
    guards: tuple[Op, ...]  # of arguments
    flag_guards: tuple[Op, ...]
    events: tuple[Op, ...]
    positions: tuple[Op, ...]
    ends: tuple[Op, ...]


def rows_without(left_out: frozenset[Op], word: int, products: int, divisions: int) -> Rows:
    """The groups without those rows; a group of which nothing would be left stays as it is."""
    groups = rows(word, products, divisions)
    if not left_out:
        return groups

    def left(group: tuple[Op, ...]) -> tuple[Op, ...]:
        return tuple([row for row in group if row not in left_out]) or group

    pure, overflow = left(groups.pure), left(groups.overflow)
    tests, masks, bitwise = left(groups.tests), left(groups.masks), left(groups.bitwise)
    return replace(groups, pure=pure, overflow=overflow, tests=tests, masks=masks, bitwise=bitwise)


_PRODUCTS = frozenset({"mul", "umulh", "mul_overflows"})
_DIVISIONS = frozenset({"udiv", "sdiv", "srem", "fdiv", "fmod"})


@cache
def rows(word: int, products: int = 1, divisions: int = 1) -> Rows:
    """The groups for traces of that word width, in the order of the table. Rows that multiply are there `products`
    times, rows that divide `divisions` times."""

    def times(row: Op) -> int:
        return products if multiplies(row) else divisions if divides(row) else 1

    fitting = [row for row in OPS.values() if row.modelled and row.min_word <= word]
    modelled = [row for row in fitting for _ in range(times(row))]
    of = {kind: tuple(row for row in modelled if row.kind is kind) for kind in Kind}
    pure = tuple(row for row in of[Kind.PURE] if row.overflows is None)
    return Rows(
        pure=pure,
        overflow=tuple(row for row in of[Kind.PURE] if row.overflows is not None),
        tests=tuple(row for row in pure if _always(row, lambda _a, _b, result: result in (0, 1))),
        masks=tuple(row for row in pure if _always(row, lambda a, b, result: result & ~(a & b) == 0)),
        bitwise=tuple(row for row in pure if _is_bitwise(row)),
        guards=tuple(row for row in of[Kind.GUARD] if row.args),
        flag_guards=tuple(row for row in of[Kind.GUARD] if row.reads_flag),
        events=of[Kind.EVENT],
        positions=tuple(row for row in of[Kind.POSITION] if row.raw),
        ends=of[Kind.END],
    )


def multiplies(row: Op) -> bool:
    """Is there a product in what the row computes?"""
    return not _PRODUCTS.isdisjoint(_kinds(row))


def divides(row: Op) -> bool:
    """Is there a quotient or a remainder in what the row computes?"""
    return not _DIVISIONS.isdisjoint(_kinds(row))


@cache
def _kinds(row: Op) -> frozenset[str]:
    """The kinds of the terms that a row computes, its flag included."""
    terms = PlainTerms(64)
    args = [terms.var(f"x{index}") for index in range(len(row.args or ()))]
    meanings = [meaning for meaning in (row.meaning, row.overflows) if meaning is not None and row.modelled]
    return frozenset(term.kind for term in cone([meaning(terms, *args) for meaning in meanings]))


_PROBE_WIDTH = 4


@cache
def _results(row: Op) -> tuple[tuple[int, int, int], ...]:
    """All (argument, argument, result) of a row of two arguments at a small width; nothing for other rows."""
    if row.args != (Type.INT, Type.INT) or row.min_word > _PROBE_WIDTH or row.meaning is None:
        return ()
    d = concrete(_PROBE_WIDTH)
    words = range(-d.half, d.half)
    return tuple(
        (a, b, row.meaning(d, a, b)) for a, b in product(words, words) if row.defined is None or row.defined(d, a, b)
    )


def _always(row: Op, holds: Callable[[int, int, int], bool]) -> bool:
    results = _results(row)
    return bool(results) and all(holds(*case) for case in results)


def _is_bitwise(row: Op) -> bool:
    """Is each bit of the result what the row makes of that bit alone of both arguments?"""
    results = {(a, b): result for a, b, result in _results(row)}
    bits = [1 << place for place in range(_PROBE_WIDTH - 1)]
    return bool(results) and all(
        result & bit == results.get((a & bit, b & bit), ~result) & bit
        for (a, b), result in results.items()
        for bit in bits
    )
