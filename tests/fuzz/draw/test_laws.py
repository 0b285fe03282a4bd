"""Laws of two operations."""

from __future__ import annotations

import pytest

from fuzz.draw.rows import rows
from fuzz.draw.steps.laws import INNER, OTHER, UNDEFINED, Law, X, Y, laws, laws_by_inner, near_laws, table
from optimizer.ir.rows.ops import OPS


def law(inner: str, outer: str, *places: str) -> Law:
    return Law(OPS[inner], OPS[outer], places)


@pytest.mark.parametrize(
    "known",
    [
        law("int_sub", "int_sub", X, INNER),  # x - (x - y) = y
        law("int_and", "int_or", INNER, X),  # (x & y) | x = x
        law("int_xor", "int_xor", Y, INNER),  # y ^ (x ^ y) = x
        law("int_invert", "int_and", X, INNER),  # x & ~x = 0
        law("int_neg", "int_neg", INNER),  # --x = x
        law("int_neg", "int_mul", INNER, OTHER),  # -x * -y = x * y
        law("int_mul_ovf", "int_floordiv", INNER, Y),  # (x * y) / y = x
        law("int_sub_ovf", "int_add_ovf", INNER, Y),
    ],
)
def test_what_everybody_knows_is_there(known: Law) -> None:
    assert known in laws(64)
    assert known in laws_by_inner(64)[known.inner]


def test_what_does_not_simplify_is_not() -> None:
    assert law("int_mul", "int_add", INNER, X) not in laws(64)
    assert law("int_add", "int_mul", INNER, Y) not in laws(64)
    assert len(laws(64)) < 1000
    assert laws(4) == laws(64), "no row of a law needs longer words"


def test_tables_hold_what_rows_compute() -> None:
    assert table(OPS["int_sub"])[16 * 3 + 5] == -2 % 16
    assert table(OPS["int_neg"])[16 * 3 + 5] == -3 % 16
    assert table(OPS["int_sub_ovf"])[16 * 8 + 1] == UNDEFINED, "-8 - 1"
    assert table(OPS["uint_floordiv"])[16 * 8] == UNDEFINED


def test_roles_of_rows_are_found_by_their_tables() -> None:
    groups = rows(64)
    assert {"int_lt", "uint_ge", "int_eq"} <= {row.name for row in groups.tests}
    assert [row.name for row in groups.masks] == ["int_and"]
    assert [row.name for row in groups.bitwise] == ["int_and", "int_or", "int_xor"]


@pytest.mark.parametrize("near", [law("int_lshift", "int_rshift", INNER, Y), law("int_floordiv", "int_mul", INNER, Y)])
def test_what_holds_of_many_values_is_near_a_law(near: Law) -> None:
    assert near in near_laws(64)
    assert not {*near_laws(64)} & {*laws(64)}
    assert len(near_laws(64)) < 60
