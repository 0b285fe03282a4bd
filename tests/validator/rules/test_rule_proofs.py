"""Every rule of the tables is proved, and rules that look right and are not are refuted."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from optimizer.ir.domains.concrete import concrete
from optimizer.ir.rules.language import Rule, rule
from optimizer.rules.table import RULES
from validator.prove.facts.bounded_rules import BOUNDED_RULES
from validator.rules.proofs import DEFAULT_EFFORT, may_fire, prove_rule, prove_rules, small_width, wrong
from validator.rules.status import NeverFires, Proved, Refuted, Unproved

SMALL_WIDTH_ONLY = {
    "int_mul_ovf_constant_right": "the overflow check of a product of two unknowns, commuted",
    "py_div_mul_ovf": "a quotient by an unknown divisor, times it",
    "py_mod_mul_ovf": "a quotient by an unknown divisor, times it",
    "py_mod_again": "two remainders by an unknown divisor",
    "floordiv_mul_ovf": "a quotient by an unknown divisor, times it",
    "mod_mul_ovf": "a quotient by an unknown divisor, times it",
    "srem_of_less": "a remainder by an unknown divisor",
    "fmod_of_less": "a remainder by an unknown divisor",
    **{
        made.name: "a product of two unknowns, or a quotient by an unknown divisor"
        for made in BOUNDED_RULES
        if any(
            part in made.name
            for part in (
                "exact_mul",
                "_by_multiplication",
                "_by_high_word",
                "_by_complements",
                "_of_complement",
                "_shifted_one",
                "rest_of_fdiv",
            )
        )
    },
    "product_below_factor": "the overflow check of a product of two unknowns",
    "square_below_zero": "the overflow check of a square",
    "high_word_below_factor": "the high word of a product of two unknowns",
    "factor_below_high_word": "the high word of a product of two unknowns",
}
"""Rules that Z3 gives up on at 64 bits, and why; they are proved on all inputs at 4 or 5 bits."""

EFFORTS = {
    **dict.fromkeys(SMALL_WIDTH_ONLY, 50_000),
    **dict.fromkeys(("rshift_rshift", "urshift_urshift"), 2_000_000),  # by cases, where Z3 has given up on all at once
}


@pytest.mark.parametrize("made", [*RULES, *BOUNDED_RULES], ids=lambda made: made.name)
def test_each_rule_is_proved(made: Rule) -> None:
    status = prove_rule(made, EFFORTS.get(made.name, DEFAULT_EFFORT))
    assert isinstance(status, Proved)
    assert status.small_width <= 5 or made.min_word > 5
    if made.name in SMALL_WIDTH_ONLY:
        assert (status.width, status.method) == (status.small_width, "all inputs")
    else:
        assert status.width == 64


WRONG = {
    "a wrapping sum": rule("wrong", "int_lt(int_add(x, C), D) => int_lt(x, int_sub(D, C))", "sub_fits(D, C)"),
    "a difference that wraps": rule("wrong", "int_lt(int_add_ovf(x, C), D) => int_lt(x, int_sub(D, C))"),
    "a sum that may have wrapped": rule("wrong", "int_sub_ovf(int_add(x, y), y) => x"),
    "the flag of MININT": rule("wrong", "int_sub_ovf(x, C) => int_add_ovf(x, int_neg(C))"),
    "a flag that may be set": rule("wrong", "int_add_ovf(x, y) => int_add(x, y)"),
    "truncation": rule("wrong", "int_floordiv(x, C) => int_rshift(x, log2(C))", "is_power_of_two(C)", "int_gt(C, 0)"),
    "MININT is a power of two": rule("wrong", "int_py_mod(x, C) => int_and(x, int_sub(C, 1))", "is_power_of_two(C)"),
    "the negation of MININT": rule("wrong", "int_lt(int_neg(x), 0) => int_gt(x, 0)"),
    "a shift by the whole word": rule(
        "wrong", "uint_mul_high(x, C) => uint_rshift(x, int_sub(WORD, log2(C)))", "is_power_of_two(C)"
    ),
    "undefined where it was not": rule("wrong", "int_mul(x, C) => int_lshift(x, C)", "int_eq(C, -1)", "int_eq(x, 0)"),
    "an unsigned order": rule("wrong", "uint_lt(x, y) => int_lt(x, y)", "int_ge(x, 0)"),
    "a guard that passes more": rule("wrong", "guard_true(int_le(x, C)) => guard_value(x, C)"),
    "a guard undefined": rule("wrong", "guard_value(x, 0) => guard_false(x)"),
    "a product that wraps": rule("wrong", "sdiv(mul(x, y), y) => x", "ne(y, 0)"),
    "a product by 0": rule("wrong", "sdiv(exact_mul(x, y), y) => x"),
    "a multiplier that is too great": rule(
        "wrong", "umulh(x, M) => udiv(x, D)", "eq(umulh(M, D), 1)", D="divisor(M, 0)"
    ),
    "a guess that is not checked": rule("wrong", "slt(x, C) => eq(x, L)", "slt(L, C)", L="least(x)"),
    "a gap that is too small": rule(
        "wrong", "slt(x, C) => slt(x, D)", "outside(x, add(D, 1), sub(C, 1))", D="least(x)"
    ),
    "only at 64 bits": rule(
        "wrong", "int_and(int_rshift(x, C), 1) => int_and(x, 0)", "int_gt(C, 6)", "uint_gt(WORD, 7)"
    ),
}


@pytest.mark.parametrize("made", WRONG.values(), ids=WRONG)
def test_a_wrong_rule_is_refuted_by_values_on_which_it_is_wrong(made: Rule) -> None:
    status = prove_rule(made)
    assert isinstance(status, Refuted)
    d = concrete(status.width)
    assert set(status.values) == set(made.names)
    values: dict[str, Any] = dict(status.values)
    assert may_fire(made, d, values)
    assert wrong(made, d, values)


def test_a_rule_is_proved_where_its_numbers_are_machine_integers() -> None:
    assert prove_rule(rule("eight", "int_mul(x, 8) => int_lshift(x, 3)")) == Proved(64, "Z3", 5)
    assert prove_rule(rule("wide", "int_and(int_and(x, 255), int_and(y, 0xff00)) => 0")) == Proved(64, "Z3", 64)
    assert prove_rule(rule("wrong", "int_add(x, 200) => x")) == Refuted(9, {"x": -256})


def test_a_rule_that_never_fires_is_told() -> None:
    assert isinstance(prove_rule(rule("idle", "int_add(x, C) => x", "int_lt(C, MININT)")), NeverFires)
    assert isinstance(prove_rule(rule("idle", "int_lshift(x, C) => 0", "uint_ge(C, WORD)")), NeverFires)


def test_what_z3_cannot_settle_is_not_called_proved() -> None:
    hard = rule("hard", "int_py_mod(int_py_mod(x, y), y) => int_py_mod(x, y)")
    assert prove_rule(hard, effort=1000) == Proved(5, "all inputs", 5)
    many = "int_mul(int_mul(int_mul(a, b), int_mul(c, e)), int_mul(f, g)) => int_mul(a, b)"
    assert small_width(rule("many", many)) is None
    assert isinstance(
        prove_rule(rule("many", many.replace("=> int_mul(a, b)", "=> 0"), "int_eq(a, 0)"), effort=1), Unproved
    )


def test_proofs_come_in_order_with_their_time() -> None:
    ticks = count()
    proofs = list(prove_rules(RULES[:3], lambda: float(next(ticks))))
    assert [proof.rule for proof in proofs] == list(RULES[:3])
    assert [proof.seconds for proof in proofs] == [1.0, 1.0, 1.0]
