"""The printed meanings: a person can read them, and every row has one."""

from __future__ import annotations

import pytest

from optimizer.ir.rows.domain import PRIMITIVES
from optimizer.ir.rows.notation import Notation, meaning, signature
from optimizer.ir.rows.ops import OPS, Kind, Op


@pytest.mark.parametrize(
    ("name", "written", "told"),
    [
        ("int_add", "r = int_add(a, b)", {"result": "a + b"}),
        ("uint_rshift", "r = uint_rshift(a, b)", {"result": "a >>u b", "defined": "b <u WORD"}),
        (
            "int_py_div",
            "r = int_py_div(a, b)",
            {"result": "a // b", "defined": "b != 0 and not (a == MININT and b == -1)"},
        ),
        ("int_floordiv", "r = int_floordiv(a, b)", None),
        (
            "int_signext",
            "r = int_signext(a, b)",
            {
                "result": "(a << (WORD - (b << 3))) >> (WORD - (b << 3))",
                "defined": "1 <= b and b <= 8",
            },
        ),
        ("int_force_ge_zero", "r = int_force_ge_zero(a)", {"result": "0 if a < 0 else a"}),
        ("uint_ge", "r = uint_ge(a, b)", {"result": "int(b <=u a)"}),
        ("int_mul_ovf", "r = int_mul_ovf(a, b)", {"result": "a * b", "overflows": "overflows(a * b)"}),
        ("guard_false", "guard_false(a)", {"defined": "a == 0 or a == 1", "passes": "a == 0"}),
        ("guard_no_overflow", "guard_no_overflow()", {"passes": "not flag"}),
        ("escape_i", "r = escape_i(...)", {}),
        ("finish", "finish(...)", {}),
    ],
)
def test_meanings_as_they_are_printed(name: str, written: str, told: dict[str, str] | None) -> None:
    assert signature(OPS[name]) == written
    if told is not None:
        assert meaning(OPS[name]) == told


@pytest.mark.parametrize("row", [row for row in OPS.values() if row.modelled], ids=lambda row: row.name)
def test_every_modelled_row_has_a_meaning_in_balanced_parentheses(row: Op) -> None:
    told = meaning(row)
    assert bool(told) == (row.kind in (Kind.PURE, Kind.GUARD))
    for text in told.values():
        assert text.count("(") == text.count(")")


def test_no_two_words_of_the_vocabulary_are_written_alike() -> None:
    d = Notation(64)
    leaves = {"const": (5,), "truth": (True,), "ite": ("c", "a", "b"), "neg": ("a",), "bit_not": ("a",), "not_": ("a",)}
    written = {name: getattr(d, name)(*leaves.get(name, ("a", "b"))) for name in PRIMITIVES}
    assert len(set(written.values())) == len(PRIMITIVES)


@pytest.mark.parametrize(
    ("value", "width", "text"),
    [(-1, 64, "-1"), (1 << 63, 64, "MININT"), (64, 64, "WORD"), (64, 32, "64"), (255, 8, "-1")],
)
def test_constants(value: int, width: int, text: str) -> None:
    assert Notation(width).const(value) == text


def test_parentheses_stand_where_they_are_needed() -> None:
    d = Notation(64)
    assert d.mul(d.add("a", "b"), "c") == "(a + b) * c"
    assert d.add(d.umulh("a", "b"), "c") == "high_word(a *u b) + c"
    assert d.add(d.sdiv("a", "b"), d.sdiv("b", "a")) == "quotient(a, b) + quotient(b, a)"
    assert d.mul(f"{d.sdiv('a', 'b')} + {d.sdiv('b', 'a')}", "c") == "(quotient(a, b) + quotient(b, a)) * c"
    assert d.not_(d.either(d.eq("a", "b"), d.both(d.slt("a", "b"), d.ult("a", "b")))) == (
        "not (a == b or (a < b and a <u b))"
    )
