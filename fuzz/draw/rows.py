"""The operation table as the generator sees it: rows by what can be done with them.

Roles that the table does not name follow from the meanings: a row whose results are all 0 or 1 is a test.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache, lru_cache

from optimizer.ir.domains.bounds import bounds_domain, transfer
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.domains.plain_terms import PlainTerms
from optimizer.ir.domains.term import cone
from optimizer.ir.immutable import immutable, replace
from optimizer.ir.rows.ops import INT, OPS, Kind, Op


@immutable
class Rows:
    """The modelled rows of one word width. A row can be in several groups."""

    pure: tuple[Op, ...]  # without a flag
    overflow: tuple[Op, ...]  # pure, with a flag
    tests: tuple[Op, ...]  # of two arguments, the result is 0 or 1
    signed: tuple[Op, ...]  # tests of the order of two words with a sign
    unsigned: tuple[Op, ...]  # ... without one
    masks: tuple[Op, ...]  # of two arguments, the result has only bits that both have
    bitwise: tuple[Op, ...]  # of two arguments, each bit of the result depends on the same bit of both
    guards: tuple[Op, ...]  # of arguments
    flag_guards: tuple[Op, ...]
    events: tuple[Op, ...]
    positions: tuple[Op, ...]
    ends: tuple[Op, ...]


def rows_without(
    left_out: frozenset[Op], word: int, products: int, divisions: int, excluded: frozenset[Op] = frozenset()
) -> Rows:
    """The groups without those rows; a group of which nothing would be left stays as it is, and so do the tests of an
    order, in whose place no others stand. The rows `excluded` are in no group."""
    groups = rows_but(word, excluded, products, divisions)
    if not left_out:
        return groups

    def left(group: tuple[Op, ...]) -> tuple[Op, ...]:
        return tuple([row for row in group if row not in left_out]) or group

    pure, overflow = left(groups.pure), left(groups.overflow)
    tests, masks, bitwise = left(groups.tests), left(groups.masks), left(groups.bitwise)
    return replace(groups, pure=pure, overflow=overflow, tests=tests, masks=masks, bitwise=bitwise)


@lru_cache(maxsize=64)
def rows_but(word: int, excluded: frozenset[Op], products: int = 1, divisions: int = 1) -> Rows:
    """The groups without the excluded rows."""
    groups = rows(word, products, divisions)
    left = {
        field.name: tuple(row for row in getattr(groups, field.name) if row not in excluded) for field in fields(Rows)
    }
    if not left["flag_guards"]:
        left["overflow"] = ()
    return Rows(**left)


_WORD = 64

OF_TWO = frozenset(row for row in OPS.values() if row.is_pure and row.args == (INT, INT) and not row.constant_args)
"""The pure rows of two arguments, whatever these are."""

_PRODUCTS = frozenset({"mul", "umulh", "mul_overflows"})
_DIVISIONS = frozenset({"udiv", "sdiv", "srem", "fdiv", "fmod"})
_MASKS = frozenset({"var", "bit_and"})
_BITWISE = frozenset({"var", "bit_and", "bit_or", "bit_xor", "bit_not"})
_SUMS = frozenset({"var", "add", "sub", "add_overflows", "sub_overflows"})
_SCALES = frozenset({"var", "add", "mul", "shl"})


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
    orders = {row: has_sign(row) for row in pure if is_test(row) and not row.commutative}
    return Rows(
        pure=pure,
        overflow=tuple(row for row in of[Kind.PURE] if row.overflows is not None),
        tests=tuple(row for row in pure if is_test(row)),
        signed=tuple(row for row, has_a_sign in orders.items() if has_a_sign),
        unsigned=tuple(row for row, has_a_sign in orders.items() if not has_a_sign),
        masks=tuple(row for row in pure if _is_made_of(row, _MASKS)),
        bitwise=tuple(row for row in pure if _is_made_of(row, _BITWISE)),
        guards=tuple(row for row in of[Kind.GUARD] if row.args),
        flag_guards=tuple(row for row in of[Kind.GUARD] if row.reads_flag),
        events=of[Kind.EVENT],
        positions=tuple(row for row in of[Kind.POSITION] if row.raw),
        ends=of[Kind.END],
    )


@cache
def family(row: Op, word: int) -> tuple[Op, ...]:
    """The close relatives of a pure row, itself among them: tests, operations on single bits, those that are defined
    where it is, the arithmetic that is left; all of as many arguments."""
    groups = rows(word)
    those = (groups.tests, groups.bitwise)
    of = next((group for group in those if row in group), None)
    if of is None:
        known = {one for group in those for one in group}
        of = tuple(one for one in groups.pure if one not in known and one.defined is row.defined)
    return tuple(one for one in of if one.args == row.args and one.constant_args == row.constant_args)


@lru_cache(maxsize=256)
def guards_of(word: int, value: int, excluded: frozenset[Op] = frozenset()) -> tuple[Op, ...]:
    """The guards that are not excluded and pass where all their arguments are that value; of results of tests many are
    asked for."""
    d = concrete(word)

    def passes(row: Op) -> bool:
        assert row.passes is not None
        values = (value,) * len(row.args or ())
        return bool((row.defined is None or row.defined(d, *values)) and row.passes(d, *values))

    return tuple(row for row in rows(word).guards if row not in excluded and passes(row))


def multiplies(row: Op) -> bool:
    """Is there a product in what the row computes?"""
    return not _PRODUCTS.isdisjoint(_kinds(row))


def divides(row: Op) -> bool:
    """Is there a quotient or a remainder in what the row computes?"""
    return not _DIVISIONS.isdisjoint(_kinds(row))


@cache
def _kinds(row: Op) -> frozenset[str]:
    """The kinds of the terms that a row computes, its flag included."""
    terms = PlainTerms(_WORD)
    args = [terms.var(f"x{index}") for index in range(len(row.args or ()))]
    meanings = [meaning for meaning in (row.meaning, row.overflows) if meaning is not None and row.modelled]
    return frozenset(term.kind for term in cone([meaning(terms, *args) for meaning in meanings]))


@cache
def is_truth(row: Op) -> bool:
    """Is the result always 0 or 1, whatever the arguments are?"""
    if not (row.is_pure and row.modelled):
        return False
    found = transfer(row, _WORD, (bounds_domain(_WORD).top,) * len(row.args or ()))
    return found.low >= 0 and found.high <= 1


def is_test(row: Op) -> bool:
    """Is it a test of two words?"""
    return row.args == (INT, INT) and is_truth(row)


def has_sign(row: Op) -> bool:
    """Is it a test of an order to which -1 and 0 are as 0 and 1 are?"""
    assert row.meaning is not None
    domain = concrete(_WORD)
    return bool(row.meaning(domain, -1, 0)) == bool(row.meaning(domain, 0, 1))


@cache
def is_sum(row: Op) -> bool:
    """Is it a sum or a difference of two words?"""
    return _is_made_of(row, _SUMS)


@cache
def is_scaling(row: Op) -> bool:
    """Is it a sum, a product or a shift to the left of two words?"""
    return _is_made_of(row, _SCALES)


def _is_made_of(row: Op, kinds: frozenset[str]) -> bool:
    """Does the row compute nothing else of two words?"""
    return row.args == (INT, INT) and _kinds(row) <= kinds
