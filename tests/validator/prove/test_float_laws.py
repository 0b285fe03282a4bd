"""The laws by which terms of floats are simplified: each is tried on special values, and proved by a solver."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import bitwuzla
import pytest

from optimizer.ir.domains.concrete_floats import ConcreteFloats, concrete_floats
from optimizer.ir.domains.term import Term
from optimizer.ir.floats import Float, exact_inverse
from optimizer.ir.types.layout import Layout
from validator.prove.terms.float_terms import FloatTerms, PlainFloatTerms
from validator.prove.terms.object_terms import ObjectTerms
from validator.rules.float_proofs import FloatsAsWritten
from validator.search.float_samples import float_pool
from validator.solvers.answers import Unsat
from validator.solvers.portfolio import Portfolio
from validator.verdict import SolverChoice

Side = Callable[..., Term]


def c(d: PlainFloatTerms, value: float) -> Term:
    return d.const(Float.of(value))


LAWS: dict[str, tuple[Side, Side]] = {
    "x + y = y + x": (lambda d, x, y: d.add(x, y), lambda d, x, y: d.add(y, x)),
    "x * y = y * x": (lambda d, x, y: d.mul(x, y), lambda d, x, y: d.mul(y, x)),
    "x + -0.0 = x": (lambda d, x, y: d.add(x, c(d, -0.0)), lambda d, x, y: x),
    "x - 0.0 = x": (lambda d, x, y: d.sub(x, c(d, 0.0)), lambda d, x, y: x),
    "x * 1.0 = x": (lambda d, x, y: d.mul(x, c(d, 1.0)), lambda d, x, y: x),
    "x * -1.0 = -x": (lambda d, x, y: d.mul(x, c(d, -1.0)), lambda d, x, y: d.neg(x)),
    "x + x = x * 2.0": (lambda d, x, y: d.add(x, x), lambda d, x, y: d.mul(x, c(d, 2.0))),
    "x / 1.0 = x": (lambda d, x, y: d.div(x, c(d, 1.0)), lambda d, x, y: x),
    "x / 8.0 = x * 0.125": (lambda d, x, y: d.div(x, c(d, 8.0)), lambda d, x, y: d.mul(x, c(d, 0.125))),
    "-x - x = -x + -x": (lambda d, x, y: d.sub(d.neg(x), x), lambda d, x, y: d.add(d.neg(x), d.neg(x))),
    "x / -0.5 = x * -2.0": (lambda d, x, y: d.div(x, c(d, -0.5)), lambda d, x, y: d.mul(x, c(d, -2.0))),
    "x + nan = nan": (lambda d, x, y: d.add(x, c(d, math.nan)), lambda d, x, y: c(d, math.nan)),
    "nan - x = nan": (lambda d, x, y: d.sub(c(d, math.nan), x), lambda d, x, y: c(d, math.nan)),
    "x * nan = nan": (lambda d, x, y: d.mul(x, c(d, math.nan)), lambda d, x, y: c(d, math.nan)),
    "x / nan = nan": (lambda d, x, y: d.div(x, c(d, math.nan)), lambda d, x, y: c(d, math.nan)),
    "x - -y = x + y": (lambda d, x, y: d.sub(x, d.neg(y)), lambda d, x, y: d.add(x, y)),
    "x + -y = x - y": (lambda d, x, y: d.add(x, d.neg(y)), lambda d, x, y: d.sub(x, y)),
    "-x + y = y - x": (lambda d, x, y: d.add(d.neg(x), y), lambda d, x, y: d.sub(y, x)),
    "x / 2**1023 = x * 2**-1023": (
        lambda d, x, y: d.div(x, c(d, 2.0**1023)),
        lambda d, x, y: d.mul(x, c(d, 2.0**-1023)),
    ),
    "x / 2**-1023 = x * 2**1023": (
        lambda d, x, y: d.div(x, c(d, 2.0**-1023)),
        lambda d, x, y: d.mul(x, c(d, 2.0**1023)),
    ),
    "--x = x": (lambda d, x, y: d.neg(d.neg(x)), lambda d, x, y: x),
    "abs(-x) = abs(x)": (lambda d, x, y: d.abs(d.neg(x)), lambda d, x, y: d.abs(x)),
    "abs(abs(x)) = abs(x)": (lambda d, x, y: d.abs(d.abs(x)), lambda d, x, y: d.abs(x)),
}
"""What the terms are that are simplified, and to what."""

OF_SIGNS: dict[str, tuple[Side, Side]] = {
    "-x * y = -(x * y)": (lambda d, x, y: d.mul(d.neg(x), y), lambda d, x, y: d.neg(d.mul(x, y))),
    "x * -y = -(x * y)": (lambda d, x, y: d.mul(x, d.neg(y)), lambda d, x, y: d.neg(d.mul(x, y))),
    "-x * -y = x * y": (lambda d, x, y: d.mul(d.neg(x), d.neg(y)), lambda d, x, y: d.mul(x, y)),
    "-x * 0.1 = x * -0.1": (lambda d, x, y: d.mul(d.neg(x), c(d, 0.1)), lambda d, x, y: d.mul(x, c(d, -0.1))),
    "-x / y = -(x / y)": (lambda d, x, y: d.div(d.neg(x), y), lambda d, x, y: d.neg(d.div(x, y))),
    "x / -y = -(x / y)": (lambda d, x, y: d.div(x, d.neg(y)), lambda d, x, y: d.neg(d.div(x, y))),
    "-x / -y = x / y": (lambda d, x, y: d.div(d.neg(x), d.neg(y)), lambda d, x, y: d.div(x, y)),
    "-x / 0.1 = x / -0.1": (lambda d, x, y: d.div(d.neg(x), c(d, 0.1)), lambda d, x, y: d.div(x, c(d, -0.1))),
    "0.1 / -x = -0.1 / x": (lambda d, x, y: d.div(c(d, 0.1), d.neg(x)), lambda d, x, y: d.div(c(d, -0.1), x)),
}
"""Likewise, of products and quotients."""

_OF_ONE_SIGN = ("-x * y = -(x * y)", "-x / y = -(x / y)", "x / -y = -(x / y)")
"""Those from which the others follow: a product commutes, and a sign goes with another one, or into a constant."""

NO_LAWS: dict[str, tuple[Side, Side]] = {
    "x + 0.0 = x": (lambda d, x, y: d.add(x, c(d, 0.0)), lambda d, x, y: x),
    "0.0 - x = -x": (lambda d, x, y: d.sub(c(d, 0.0), x), lambda d, x, y: d.neg(x)),
    "x * 0.0 = 0.0": (lambda d, x, y: d.mul(x, c(d, 0.0)), lambda d, x, y: c(d, 0.0)),
    "x - x = 0.0": (lambda d, x, y: d.sub(x, x), lambda d, x, y: c(d, 0.0)),
    "x / x = 1.0": (lambda d, x, y: d.div(x, x), lambda d, x, y: c(d, 1.0)),
    "x / 3.0 = x * (1 / 3)": (lambda d, x, y: d.div(x, c(d, 3.0)), lambda d, x, y: d.mul(x, c(d, 1 / 3))),
    "(x + y) - y = x": (lambda d, x, y: d.sub(d.add(x, y), y), lambda d, x, y: x),
}


def simplified() -> tuple[FloatTerms, Term, Term]:
    d = ObjectTerms(64, Layout()).floats
    assert isinstance(d, FloatTerms)
    return d, d.var("x"), d.var("y")


@pytest.mark.parametrize("law", [*LAWS, *OF_SIGNS])
def test_a_law_is_used(law: str) -> None:
    left, right = (LAWS | OF_SIGNS)[law]
    assert left(*simplified()) is not None
    d, x, y = simplified()
    assert left(d, x, y) is right(d, x, y)


@pytest.mark.parametrize("law", LAWS)
def test_a_law_is_proved(law: str) -> None:
    terms = FloatsAsWritten(64, Layout())
    d, (left, right) = terms.floats, LAWS[law]
    x, y = d.var("x"), d.var("y")
    differs = terms.not_(d.same(left(d, x, y), right(d, x, y)))
    signs = "*" not in law and ("-x" in law or "-y" in law)
    chosen = SolverChoice.Z3 if signs else SolverChoice.AUTO  # it sees soonest what signs do
    assert isinstance(Portfolio(terms, chosen).check([differs], 40_000_000, 60.0, exact=True), Unsat)


class _Floats:
    """Floats as Bitwuzla has them, and what it computes with them."""

    def __init__(self) -> None:
        self.terms = bitwuzla.TermManager()
        self.sort = self.terms.mk_fp_sort(11, 53)
        self._nearest = self.terms.mk_rm_value(bitwuzla.RoundingMode.RNE)

    def neg(self, x: bitwuzla.Term) -> bitwuzla.Term:
        return self.terms.mk_term(bitwuzla.Kind.FP_NEG, [x])

    def mul(self, x: bitwuzla.Term, y: bitwuzla.Term) -> bitwuzla.Term:
        return self.terms.mk_term(bitwuzla.Kind.FP_MUL, [self._nearest, x, y])

    def div(self, x: bitwuzla.Term, y: bitwuzla.Term) -> bitwuzla.Term:
        return self.terms.mk_term(bitwuzla.Kind.FP_DIV, [self._nearest, x, y])


@pytest.mark.parametrize("law", _OF_ONE_SIGN)
def test_a_law_on_one_sign_is_proved(law: str) -> None:
    """Bitwuzla has floats itself, and proves it at once."""
    floats = _Floats()
    x, y = (floats.terms.mk_const(floats.sort, name) for name in "xy")
    one, other = (side(floats, x, y) for side in OF_SIGNS[law])
    solver = bitwuzla.Bitwuzla(floats.terms)
    solver.assert_formula(floats.terms.mk_term(bitwuzla.Kind.DISTINCT, [one, other]))  # structurally: it has one NaN
    assert solver.check_sat() is bitwuzla.Result.UNSAT


@pytest.mark.parametrize("law", [*LAWS, *OF_SIGNS])
def test_a_law_holds_on_special_values(law: str) -> None:
    d, (left, right) = concrete_floats(64), (LAWS | OF_SIGNS)[law]
    assert all(same(d, left, right, x, y) for x, y in pairs())


@pytest.mark.parametrize("law", NO_LAWS)
def test_what_is_no_law_is_not_used(law: str) -> None:
    d, x, y = simplified()
    left, right = NO_LAWS[law]
    assert left(d, x, y) is not right(d, x, y)
    assert not all(same(concrete_floats(64), left, right, x, y) for x, y in pairs())


def pairs() -> list[tuple[Float, Float]]:
    return list(product(float_pool([Float.of(0.1)]), repeat=2))


def same(d: ConcreteFloats, left: Callable[..., object], right: Callable[..., object], x: Float, y: Float) -> bool:
    return left(d, x, y) == right(d, x, y)


def test_comparisons_know_of_nan() -> None:
    d, x, _ = simplified()
    assert d.eq(x, x).kind != "truth"
    assert d.le(x, x).kind != "truth"
    assert d.lt(x, x).value is False
    assert d.same(x, x).value is True
    assert d.eq(c(d, math.nan), x).value is False
    assert d.same(c(d, 0.0), c(d, -0.0)).value is False
    assert d.eq(c(d, 0.0), c(d, -0.0)).value is True


def test_only_powers_of_two_have_exact_inverses() -> None:
    for value in (3.0, 0.1, 0.0, math.inf, math.nan, 5e-324, 2.0**-1024, 3 * 2.0**-1024):
        assert exact_inverse(Float.of(value)) is None
    for exponent in (-1023, -1022, -1, 0, 1, 1022, 1023):
        for sign in (1.0, -1.0):
            inverse = exact_inverse(Float.of(sign * 2.0**exponent))
            assert inverse == Float.of(sign * 2.0**-exponent)


def test_the_bytes_of_nan_are_not_folded() -> None:
    d, _, _ = simplified()
    assert d.to_bytes(c(d, math.nan)).kind == "float_to_bytes"
    assert d.to_single(c(d, math.nan)).kind == "float_to_single"
    assert d.to_bytes(c(d, -0.0)).value == -(1 << 63)
