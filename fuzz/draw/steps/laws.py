"""Two operations that together do what one does, or none: x - (x - y) = y, (x & y) | x = x, and so on.

They are what algebraic optimizers look for; those that say of a test that it is 0 or 1 are left out. What holds of many
values and not of all, as (x << y) >> y = x, is what they get wrong. Both are found by computing all rows on all values
of a small width, so that a new row brings its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import eq

from fuzz.draw.rows import divides, multiplies
from fuzz.draw.shape import Shape
from optimizer.ir.domains.concrete import concrete
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


@cache
def near_laws(word: int) -> tuple[Law, ...]:
    """The operations of two rows that give x back for many x and y, and not for all, in the order of the table."""
    return tuple(law for law in _near_laws() if max(law.inner.min_word, law.outer.min_word) <= word)


def laws_of(shape: Shape) -> Sequence[Law]:
    """The laws of rows that are not left out, and that multiply or divide only where that is wanted; if there are none
    but for those left out, these too."""
    return _wanted(shape, is_near=False)


def near_laws_of(shape: Shape) -> Sequence[Law]:
    """The near laws, likewise."""
    return _wanted(shape, is_near=True)


def _wanted(shape: Shape, *, is_near: bool) -> Sequence[Law]:
    wanted, out = _wanted_laws(shape.word, is_near, shape.products > 0, shape.divisions > 0), shape.left_out
    return [law for law in wanted if law.inner not in out and law.outer not in out] or wanted


@cache
def _wanted_laws(word: int, is_near: bool, has_products: bool, has_divisions: bool) -> tuple[Law, ...]:
    def is_wanted(row: Op) -> bool:
        return (has_products or not multiplies(row)) and (has_divisions or not divides(row))

    known = near_laws(word) if is_near else laws(word)
    return tuple(law for law in known if is_wanted(law.inner) and is_wanted(law.outer))


@cache
def laws_by_inner(word: int) -> Mapping[Op, tuple[Law, ...]]:
    found: defaultdict[Op, list[Law]] = defaultdict(list)
    for law in laws(word):
        found[law.inner].append(law)
    return {row: tuple(of_row) for row, of_row in found.items()}


@cache
def _laws() -> tuple[Law, ...]:
    functions = _Functions(_tables().values())
    return tuple(
        law
        for law, results in _compositions()
        if functions.has(results) and not (_TRUTHS.issuperset(table(law.inner)) and len(set(results)) == 1)
    )


@cache
def _near_laws() -> tuple[Law, ...]:
    known = frozenset(_laws())
    return tuple(
        law
        for law, results in _compositions()
        if not {X, OTHER} & {*law.places} and _NEAR <= _share(results) < 1 and law not in known
    )


_NEAR = 0.35
"""The share of the words x and y for which a near law gives x back, at least, of those for which it is defined."""


def _share(results: bytes) -> float:
    defined = len(results) - results.count(UNDEFINED)
    return sum(map(eq, results, XS)) / defined if defined >= _SIZE else 0


@cache
def _tables() -> Mapping[Op, bytes]:
    rows = (row for row in OPS.values() if row.is_pure and row.min_word <= _WIDTH and row.args)
    return {row: table(row) for row in rows}


def _compositions() -> Iterator[tuple[Law, bytes]]:
    """All operations of two rows, each with its results; but for rows that do nothing."""
    tables = {row: of_row for row, of_row in _tables().items() if of_row != XS}
    for inner, first in tables.items():
        columns = {X: XS, Y: YS, INNER: first, OTHER: _Arguments(YS, YS).of(first)}
        arguments = [(places, _Arguments(columns[places[0]], columns[places[-1]])) for places in _all_places(inner)]
        for outer, second in tables.items():
            for places, args in arguments:
                if len(places) == len(outer.args or ()):
                    yield Law(inner, outer, places), args.of(second)


def _all_places(inner: Op) -> tuple[tuple[str, ...], ...]:
    """The operands that an outer operation of one argument, or of two, can have."""
    others = ((INNER, OTHER),) if len(inner.args or ()) == 1 else ()
    return ((INNER,), (INNER, X), (X, INNER), *others, (INNER, Y), (Y, INNER))


_TRUTHS = frozenset({0, 1})


class _Functions:
    """The functions of x and y that one operation computes, or none."""

    def __init__(self, tables: Iterable[bytes]) -> None:
        plain = [XS, YS, *(bytes((word,)) * _PAIRS for word in (0, 1, _SIZE - 1))]
        for of_row in tables:
            plain += [of_row, _Arguments(YS, XS).of(of_row)]
        self._tables = frozenset(plain)
        self._numbers = [_number(of_row) for of_row in self._tables]
        self._but_for: dict[int, frozenset[int]] = {}  # by where they are not defined

    def has(self, results: bytes) -> bool:
        """Is it one of them, wherever it is defined? What hardly ever is defined counts for nothing."""
        if results in self._tables:
            return True
        where, count = _undefined(results), results.count(UNDEFINED)
        if where not in self._but_for:
            self._but_for[where] = frozenset(one | where for one in self._numbers)
        return 0 < count <= _PAIRS - _SIZE and _number(results) in self._but_for[where]


# Tables.

_WIDTH = 4
"""The width of the words of tables. A table has a byte for each pair of words x and y, at 16 * x + y: the word that the
row computes of them, without a sign, or `UNDEFINED`. So a table is also what `bytes.translate` takes, and what two
tables have in common can be found out of all pairs at once, with numbers of 256 bytes."""

_SIZE = 1 << _WIDTH
_PAIRS = _SIZE * _SIZE

UNDEFINED = 255
"""The entry for an undefined result, which is no word of that width."""

XS = bytes(x for x in range(_SIZE) for _ in range(_SIZE))
YS = bytes(range(_SIZE)) * _SIZE


@cache
def table(row: Op) -> bytes:
    """The results of the row; of x alone, if it takes one argument. Undefined is what overflows, too."""
    d = concrete(_WIDTH)
    arity = len(row.args or ())
    meaning, defined, overflows = row.meaning, row.defined, row.overflows
    assert meaning is not None

    def computed(*args: int) -> int:
        if (defined is not None and not defined(d, *args)) or (overflows is not None and overflows(d, *args)):
            return UNDEFINED
        return int(meaning(d, *args)) % _SIZE

    words = [d.const(x) for x in range(_SIZE)]
    if arity == 1:
        return bytes(result for x in words for result in (computed(x),) * _SIZE)
    return bytes(computed(x, y) for x in words for y in words)


def _number(table: bytes) -> int:
    """All bytes as one number."""
    return int.from_bytes(table, "big")


_WHERE_UNDEFINED = bytes(UNDEFINED) + bytes((UNDEFINED,))


def _undefined(table: bytes) -> int:
    """All bits of the bytes that are undefined, as one number."""
    return _number(table.translate(_WHERE_UNDEFINED)) if UNDEFINED in table else 0


class _Arguments:
    """The arguments that a row is applied to: the results of others for all pairs, or for the same ones."""

    __slots__ = ("_pairs", "_undefined")

    def __init__(self, one: bytes, two: bytes) -> None:
        self._undefined = _undefined(one) | _undefined(two)
        known = ~self._undefined
        pairs = ((_number(one) & known) << _WIDTH) | (_number(two) & known)
        self._pairs = pairs.to_bytes(len(one), "big")

    def of(self, outer: bytes) -> bytes:
        """The results of a row with that table."""
        results = self._pairs.translate(outer)
        return (_number(results) | self._undefined).to_bytes(len(results), "big") if self._undefined else results
