"""All that is left of a pair is asked in one query at first, if that is small enough to be solved, and each by itself
where it is not settled."""

from __future__ import annotations

import pytest

from optimizer.ir.text import parse
from validator import Options, validate
from validator.solvers.portfolio import Query

SUMS = "i3 = int_add(i0, i1); i4 = int_add(i1, i2); escape(i3); finish(i4)"
OTHER_SUMS = (
    "i3 = int_xor(i0, i1); i4 = int_and(i0, i1); i5 = int_add(i4, i4); i6 = int_add(i3, i5); "
    "i7 = int_or(i1, i2); i8 = int_and(i1, i2); i9 = int_add(i7, i8); escape(i6); finish(i9)"
)
PRODUCTS = "i3 = int_add(i1, i2); i4 = int_mul(i0, i3); i5 = int_mul(i3, i1); escape(i4); finish(i5)"
OTHER_PRODUCTS = (
    "i3 = int_mul(i0, i1); i4 = int_mul(i0, i2); i5 = int_add(i3, i4); "
    "i6 = int_mul(i1, i1); i7 = int_mul(i2, i1); i8 = int_add(i6, i7); escape(i5); finish(i8)"
)


def on_three(text: str) -> str:
    """The trace of those operations on three inputs."""
    return f"[i0, i1, i2]\n{text}\n".replace("; ", "\n")


@pytest.mark.parametrize(("before", "after", "queries"), [(SUMS, OTHER_SUMS, 3), (PRODUCTS, OTHER_PRODUCTS, 2)])
def test_only_what_is_small_is_asked_together(before: str, after: str, queries: int) -> None:
    asked: list[Query] = []
    pair = (parse(on_three(text)) for text in (before, after))
    validate(*pair, Options(effort=100_000), observe=asked.append)
    assert len(asked) == queries
