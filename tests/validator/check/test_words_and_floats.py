"""Words and floats of the checker against those that the interpreter computes with."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
import z3

from optimizer.ir.domains.concrete import concrete
from optimizer.ir.floats import Float
from optimizer.ir.rows.domain import wrap
from optimizer.ir.rows.ops import OPS
from validator.check.words import DOUBLE, Words

WIDTH = 4
ROWS = [row for row in OPS.values() if row.is_pure and row.min_word <= WIDTH and not row.constant_args]


def plain(value: Any) -> int | bool:
    value = z3.simplify(value)
    return wrap(value.as_long(), WIDTH) if z3.is_bv_value(value) else z3.is_true(value)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_words(row: Any) -> None:
    words, numbers = Words(WIDTH), concrete(WIDTH)
    assert row.args is not None
    names = [z3.BitVec(f"x{k}", WIDTH) for k in range(len(row.args))]
    meaning = words.opaque.exactly(row.meaning(words, *names))
    overflows = row.overflows and words.opaque.exactly(row.overflows(words, *names))
    for args in product(range(-8, 8), repeat=len(row.args)):
        terms = [words.const(arg) for arg in args]
        given = list(zip(names, terms, strict=True))
        if row.defined is not None:
            is_defined = row.defined(numbers, *args)
            assert plain(row.defined(words, *terms)) == is_defined
            if not is_defined:
                continue
        assert plain(row.meaning(words, *terms)) == row.meaning(numbers, *args)
        assert plain(z3.substitute(meaning, *given)) == row.meaning(numbers, *args)
        if row.overflows is not None:
            assert plain(row.overflows(words, *terms)) == row.overflows(numbers, *args)
            assert plain(z3.substitute(overflows, *given)) == row.overflows(numbers, *args)


FLOATS = [Float.of(value) for value in (0.0, -0.0, 1.0, -1.5, 0.1, 3e300, float("inf"), float("nan"), 5e-324)]


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_arithmetic_of_floats(name: str) -> None:
    words, numbers = Words(64), concrete(64).floats
    floats = words.floats
    for a, b in product(FLOATS, repeat=2):
        term = words.opaque.exactly(getattr(floats, name)(floats.const(a), floats.const(b)) == z3.Const("x", DOUBLE))
        wanted = floats.const(getattr(numbers, name)(a, b))
        assert z3.is_true(z3.simplify(z3.substitute(term, (z3.Const("x", DOUBLE), wanted)))), (a, b)


@pytest.mark.parametrize("name", ["same", "eq", "lt", "le"])
def test_comparisons_of_floats(name: str) -> None:
    floats, numbers = Words(64).floats, concrete(64).floats
    for a, b in product(FLOATS, repeat=2):
        term = getattr(floats, name)(floats.const(a), floats.const(b))
        assert plain(term) == getattr(numbers, name)(a, b), (a, b)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_laws_of_floats(name: str) -> None:
    """What is said of an unknown operand holds of every one."""
    words, numbers = Words(64), concrete(64).floats
    floats, x = words.floats, z3.Const("x", DOUBLE)
    more = [*FLOATS, *(Float.of(value) for value in (-1.0, 2.0, 0.5, -4.0, 2.0**-1022, 2.0**1023))]
    for a, b in product(more, repeat=2):
        for args in ((x, floats.const(b)), (floats.const(b), x)):
            term = words.opaque.exactly(getattr(floats, name)(*args) == z3.Const("y", DOUBLE))
            wanted = floats.const(getattr(numbers, name)(*((a, b) if args[0].eq(x) else (b, a))))
            given = (x, floats.const(a)), (z3.Const("y", DOUBLE), wanted)
            assert z3.is_true(z3.simplify(z3.substitute(term, *given))), (a, b)
