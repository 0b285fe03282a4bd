"""Two operations that together do what one does, or none: x - (x - y) = y, (x & y) | x = x, and so on.

They are what algebraic optimizers look for; those that say of a test that it is 0 or 1 are left out. They are found by
computing all rows on all values of a small width, so that a new row brings its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from fuzz.draw.rows import divides, multiplies
from fuzz.draw.shape import Shape
from fuzz.draw.steps.tables import PAIRS, SIZE, UNDEFINED, XS, YS, Arguments, has_table, number, table, undefined
from optimizer.ir.rows.ops import OPS, Op

X, Y, INNER, OTHER = "x", "y", "inner", "other"
"""The operands in an argument's place: a value, the inner operation on x and y (or x alone), the same one on y
alone."""


@dataclass(frozen=True, slots=True)
class Law:
    """`outer` on what `places` say: `x`, `y`, `inner` (of x and y, or of x) and `other` (`inner` of y)."""

    inner: Op
    outer: Op
    places: tuple[str, ...]


@cache
def laws(word: int) -> tuple[Law, ...]:
    """All laws of rows that there are for words of that many bits, in the order of the table."""
    return tuple(law for law in _laws() if max(law.inner.min_word, law.outer.min_word) <= word)


def laws_of(shape: Shape) -> Sequence[Law]:
    """The laws of rows that are not left out, and that multiply or divide only where that is wanted; if there are none
    but for those left out, these too."""
    wanted, out = _wanted_laws(shape.word, shape.products > 0, shape.divisions > 0), shape.left_out
    return [law for law in wanted if law.inner not in out and law.outer not in out] or wanted


@cache
def _wanted_laws(word: int, has_products: bool, has_divisions: bool) -> tuple[Law, ...]:
    def is_wanted(row: Op) -> bool:
        return (has_products or not multiplies(row)) and (has_divisions or not divides(row))

    return tuple(law for law in laws(word) if is_wanted(law.inner) and is_wanted(law.outer))


@cache
def laws_by_inner(word: int) -> Mapping[Op, tuple[Law, ...]]:
    found: defaultdict[Op, list[Law]] = defaultdict(list)
    for law in laws(word):
        found[law.inner].append(law)
    return {row: tuple(of_row) for row, of_row in found.items()}


@cache
def _laws() -> tuple[Law, ...]:
    tables = {row: table(row) for row in OPS.values() if has_table(row)}
    functions = _Functions(tables.values())
    tables = {row: of_row for row, of_row in tables.items() if of_row != XS}
    found: list[Law] = []
    for inner, first in tables.items():
        columns = {X: XS, Y: YS, INNER: first, OTHER: Arguments(YS, YS).of(first)}
        is_truth = _TRUTHS.issuperset(first)
        arguments = [(places, Arguments(columns[places[0]], columns[places[-1]])) for places in _all_places(inner)]
        for outer, second in tables.items():
            for places, args in arguments:
                if len(places) == len(outer.args or ()):
                    results = args.of(second)
                    if functions.has(results) and not (is_truth and len(set(results)) == 1):
                        found.append(Law(inner, outer, places))
    return tuple(found)


def _all_places(inner: Op) -> tuple[tuple[str, ...], ...]:
    """The operands that an outer operation of one argument, or of two, can have."""
    others = ((INNER, OTHER),) if len(inner.args or ()) == 1 else ()
    return ((INNER,), (INNER, X), (X, INNER), *others, (INNER, Y), (Y, INNER))


_TRUTHS = frozenset({0, 1})


class _Functions:
    """The functions of x and y that one operation computes, or none."""

    def __init__(self, tables: Iterable[bytes]) -> None:
        plain = [XS, YS, *(bytes((word,)) * PAIRS for word in (0, 1, SIZE - 1))]
        for of_row in tables:
            plain += [of_row, Arguments(YS, XS).of(of_row)]
        self._tables = frozenset(plain)
        self._numbers = [number(of_row) for of_row in self._tables]
        self._but_for: dict[int, frozenset[int]] = {}  # by where they are not defined

    def has(self, results: bytes) -> bool:
        """Is it one of them, wherever it is defined? What hardly ever is defined counts for nothing."""
        if results in self._tables:
            return True
        where, count = undefined(results), results.count(UNDEFINED)
        if where not in self._but_for:
            self._but_for[where] = frozenset(one | where for one in self._numbers)
        return 0 < count <= PAIRS - SIZE and number(results) in self._but_for[where]
