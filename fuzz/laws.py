"""Two operations that together do what one does, or none: x - (x - y) = y, (x & y) | x = x, and so on.

They are what algebraic optimizers look for; those that say of a test that it is 0 or 1 are left out. They are found by
computing all rows on all values of a small width, so that a new row brings its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby, product

from fuzz.rows import divides, multiplies
from fuzz.shape import Shape
from optimizer.ir.concrete import concrete
from optimizer.ir.ops import OPS, Op

_WIDTH = 4

X, Y, INNER, OTHER = "x", "y", "inner", "other"
"""What stands in an argument's place: a value, the inner operation on x and y (or x alone), the same one on y alone."""

_Table = tuple[int | None, ...]


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
    """Those of rows that are not left out, and that multiply or divide only where that is wanted; if there are none
    but for those left out, these too."""
    wanted = shape.word, shape.products > 0, shape.divisions > 0
    known, out = _wanted_laws(*wanted), shape.left_out
    if not out:
        return known
    return [
        law for row, of_row in _by_inner(*wanted) if row not in out for law in of_row if law.outer not in out
    ] or known


@cache
def _wanted_laws(word: int, has_products: bool, has_divisions: bool) -> tuple[Law, ...]:
    def is_wanted(row: Op) -> bool:
        return (has_products or not multiplies(row)) and (has_divisions or not divides(row))

    return tuple(law for law in laws(word) if is_wanted(law.inner) and is_wanted(law.outer))


@cache
def _by_inner(word: int, has_products: bool, has_divisions: bool) -> tuple[tuple[Op, tuple[Law, ...]], ...]:
    """The same laws in the same order, which those of one inner row stand together in."""
    groups = groupby(_wanted_laws(word, has_products, has_divisions), key=lambda law: law.inner)
    return tuple((row, tuple(of_row)) for row, of_row in groups)


@cache
def laws_by_inner(word: int) -> Mapping[Op, tuple[Law, ...]]:
    found: defaultdict[Op, list[Law]] = defaultdict(list)
    for law in laws(word):
        found[law.inner].append(law)
    return {row: tuple(of_row) for row, of_row in found.items()}


@cache
def _laws() -> tuple[Law, ...]:
    tables = {row: _table(row) for row in OPS.values() if row.is_pure and row.min_word <= _WIDTH and row.args}
    whole = range(len(_PAIRS))
    probes, functions = _Known(tables, _PROBES), _Known(tables, whole)
    found: list[Law] = []
    for inner, table in tables.items():
        if table == _X:
            continue
        columns = {X: _X, Y: _Y, INNER: table, OTHER: tuple(table[y * _SIZE] for y in _Y)}
        for outer, second in tables.items():
            if second == _X:
                continue
            for places in _all_places(len(inner.args or ()), len(outer.args or ())):
                ones, twos = columns[places[0]], columns[places[-1]]
                # Few get past the first test, and it is ten times as fast.
                if not probes.has(_composed(second, ones, twos, _PROBES)):
                    continue
                results = _composed(second, ones, twos, whole)
                says_truth = _TRUTHS.issuperset(table) and len(set(results)) == 1
                if functions.has(results) and not says_truth:
                    found.append(Law(inner, outer, places))
    return tuple(found)


def _all_places(inner: int, outer: int) -> tuple[tuple[str, ...], ...]:
    if outer == 1:
        return ((INNER,),)
    if inner == 1:
        return ((INNER, X), (X, INNER), (INNER, OTHER), (INNER, Y), (Y, INNER))
    return ((INNER, X), (X, INNER), (INNER, Y), (Y, INNER))


_SIZE = 1 << _WIDTH
_PAIRS = tuple(product(range(_SIZE), range(_SIZE)))
_PROBES = range(5, len(_PAIRS), 11)
_TRUTHS = frozenset({0, 1})
_X = tuple(x for x, _ in _PAIRS)
_Y = tuple(y for _, y in _PAIRS)


def _table(row: Op) -> _Table:
    """What the row computes for all x and y, unsigned; None where it is not defined or overflows."""
    d = concrete(_WIDTH)
    arity = len(row.args or ())

    def computed(x: int, y: int) -> int | None:
        args = (d.const(x), d.const(y))[:arity]
        if (row.defined is not None and not row.defined(d, *args)) or (row.overflows and row.overflows(d, *args)):
            return None
        assert row.meaning is not None
        return int(row.meaning(d, *args)) % _SIZE

    return tuple(computed(x, y) for x, y in _PAIRS)


def _composed(outer: _Table, ones: _Table, twos: _Table, at: Sequence[int]) -> _Table:
    """What a row computes of what others do, for those of all pairs."""
    found: list[int | None] = []
    for pair in at:
        one, two = ones[pair], twos[pair]
        found.append(None if one is None or two is None else outer[one * _SIZE + two])
    return tuple(found)


class _Known:
    """The functions of x and y that one operation computes, or none, for some of the pairs."""

    def __init__(self, tables: Mapping[Op, _Table], at: Sequence[int]) -> None:
        plain: list[_Table] = [_X, _Y, *((word,) * len(_PAIRS) for word in (0, 1, _SIZE - 1))]
        for table in tables.values():
            plain += [table, tuple(table[y * _SIZE + x] for x, y in _PAIRS)]
        self._tables = dict.fromkeys(tuple(table[pair] for pair in at) for table in plain)
        self._least = len(at) // _SIZE

    def has(self, table: _Table) -> bool:
        """Is it one of them, wherever it is defined? What hardly ever is defined counts for nothing."""
        if table in self._tables:
            return True
        defined = [place for place, value in enumerate(table) if value is not None]
        if len(defined) == len(table) or len(defined) < self._least:
            return False
        return any(all(one[place] == table[place] for place in defined) for one in self._tables)
