"""The results of rows for all pairs of words of a small width: who asks for their roles and laws looks there.

A table has a byte for each pair of words x and y, at 16 * x + y: the word that the row computes of them, without a
sign, or `UNDEFINED`. So a table is also what `bytes.translate` takes, and what two tables have in common can be found
out of all pairs at once, with numbers of 256 bytes.
"""

from __future__ import annotations

from functools import cache

from optimizer.ir.domains.concrete import concrete
from optimizer.ir.rows.ops import Op

WIDTH = 4
SIZE = 1 << WIDTH
PAIRS = SIZE * SIZE

UNDEFINED = 255
"""The entry for an undefined result, which is no word of that width."""

XS = bytes(x for x in range(SIZE) for _ in range(SIZE))
YS = bytes(range(SIZE)) * SIZE


def has_table(row: Op) -> bool:
    """Is it an operation on words, some of which are that small?"""
    return row.is_pure and row.min_word <= WIDTH and bool(row.args)


@cache
def table(row: Op) -> bytes:
    """The results of the row; of x alone, if it takes one argument. Undefined is what overflows, too."""
    d = concrete(WIDTH)
    arity = len(row.args or ())
    meaning, defined, overflows = row.meaning, row.defined, row.overflows
    assert meaning is not None

    def computed(*args: int) -> int:
        if (defined is not None and not defined(d, *args)) or (overflows is not None and overflows(d, *args)):
            return UNDEFINED
        return int(meaning(d, *args)) % SIZE

    words = [d.const(x) for x in range(SIZE)]
    if arity == 1:
        return bytes(result for x in words for result in (computed(x),) * SIZE)
    return bytes(computed(x, y) for x in words for y in words)


def number(table: bytes) -> int:
    """All bytes as one number."""
    return int.from_bytes(table, "big")


_WHERE_UNDEFINED = bytes(UNDEFINED) + bytes((UNDEFINED,))


def undefined(table: bytes) -> int:
    """All bits of the bytes that are undefined, as one number."""
    return number(table.translate(_WHERE_UNDEFINED)) if UNDEFINED in table else 0


class Arguments:
    """The arguments that a row is applied to: the results of others for all pairs, or for the same ones."""

    __slots__ = ("_pairs", "_undefined")

    def __init__(self, one: bytes, two: bytes) -> None:
        self._undefined = undefined(one) | undefined(two)
        known = ~self._undefined
        pairs = ((number(one) & known) << WIDTH) | (number(two) & known)
        self._pairs = pairs.to_bytes(len(one), "big")

    def of(self, outer: bytes) -> bytes:
        """The results of a row with that table."""
        results = self._pairs.translate(outer)
        return (number(results) | self._undefined).to_bytes(len(results), "big") if self._undefined else results
