"""What was learned is said again under what was learned later, and a claim is looked at for each of few values."""

from __future__ import annotations

import re

import pytest

from optimizer.ir.domains.term import Term
from optimizer.ir.types.layout import Layout
from validator.prove.facts.bounded_facts import BoundedFacts
from validator.prove.lemmas.all import LEMMAS
from validator.prove.lemmas.lemma import Lemmas
from validator.prove.terms.object_terms import ObjectTerms

KINDS = (
    *("add", "sub", "mul", "neg", "udiv", "sdiv", "srem", "fdiv", "fmod", "bit_and", "bit_not", "ite"),
    *("eq", "slt", "ult", "add_overflows", "sub_overflows", "mul_overflows", "not_"),
)


def proved(assumed: list[str], claim: str) -> bool:
    terms = ObjectTerms(64, Layout())
    names = {name: getattr(terms, name) for name in KINDS}

    def term(text: str) -> Term:
        with_constants = re.sub(r"-?\b\d+", lambda number: f"const({number[0]})", text)
        made: Term = eval(with_constants, {"x": terms.var("x"), "y": terms.var("y"), "const": terms.const, **names})
        return made

    facts = BoundedFacts(terms)
    for condition in assumed:
        facts.assume(term(condition))
    learned = list(facts.learned)
    proves = facts.proves_by_cases(term(claim)) or Lemmas(terms, LEMMAS).proves(facts, term(claim))
    assert facts.learned == learned
    assert not facts.contradiction
    return proves


CHOSEN = "ite({}(x, 100), 0, neg(x))"


@pytest.mark.parametrize(
    ("first", "later", "claim"),
    [
        ("not_(mul_overflows(x, y))", "eq(y, 9)", "eq(srem(mul(x, 9), x), 0)"),
        ("not_(eq(fmod(ite(eq(x, 0), -1, 1), y), 0))", "not_(eq(x, 0))", "not_(eq(fmod(1, y), 0))"),
        (
            f"slt(mul({CHOSEN.format('ult')}, {CHOSEN.format('ult')}), 5000)",
            "slt(1, x)",
            f"slt(mul({CHOSEN.format('slt')}, {CHOSEN.format('slt')}), 5000)",
        ),
        ("not_(eq(x, y))", "ult(sub(x, y), 2)", "eq(sub(x, y), 1)"),
        ("ult(sub(x, y), 2)", "not_(eq(x, y))", "eq(sub(x, y), 1)"),
        ("eq(mul(fdiv(x, y), y), 0)", "eq(fmod(x, y), 1025)", "eq(x, 1025)"),
        ("not_(add_overflows(x, y))", "slt(add(x, y), x)", "slt(y, 0)"),
        ("not_(sub_overflows(x, y))", "not_(slt(sub(x, y), x))", "slt(y, 1)"),
    ],
)
def test_both_are_needed(first: str, later: str, claim: str) -> None:
    assert proved([first, later], claim)
    assert not proved([first], claim)
    assert not proved([later], claim)


def test_few_values() -> None:
    is_root = "eq(mul(mul(mul(x, add(x, -1)), add(x, -2)), add(x, -3)), 0)"
    assert proved(["ult(x, 4)"], is_root)
    assert not proved(["ult(x, 5)"], is_root)
    assert not proved(["ult(x, 4)"], "eq(mul(mul(x, add(x, -1)), add(x, -2)), 0)")
    assert not proved(["ult(x, 4)"], "eq(mul(mul(add(x, -1), add(x, -2)), add(x, -3)), 0)")
    assert not proved(["ult(x, 2)"], "eq(add(mul(x, x), add(x, -2)), 0)")
