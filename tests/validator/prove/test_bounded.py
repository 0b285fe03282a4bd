"""Rewriting under bounds keeps the value of a term of 64 bits, and gives one form to what optimizers write in two."""

from __future__ import annotations

import re
from random import Random

import pytest

from optimizer.ir.domains.term import Term, evaluate
from optimizer.ir.types.layout import Layout
from validator.prove.facts.bounded_facts import BoundedFacts
from validator.prove.terms.object_terms import ObjectTerms

HALF = 1 << 63
WORDS = (
    *("add", "sub", "mul", "umulh", "udiv", "sdiv", "srem", "fdiv", "fmod"),
    *("bit_and", "bit_or", "bit_xor", "shl", "lshr", "ashr"),
)
PREDICATES = ("eq", "slt", "ult", "add_overflows", "sub_overflows", "mul_overflows")


def _number(random: Random) -> int:
    """Small, close to a power of two, or any."""
    match random.randrange(4):
        case 0:
            return random.randint(-20, 70)
        case 1:
            return random.choice([1, -1]) * (1 << random.randrange(63)) + random.randint(-2, 2)
        case 2:
            return random.choice([-HALF, HALF - 1]) ^ random.randrange(20)
        case _:
            return random.randrange(-HALF, HALF)


def _true_of(random: Random, terms: ObjectTerms, word: Term, value: int) -> list[Term]:
    """Conditions on the word that hold where it has that value."""
    low, high = sorted([value, _number(random)])
    mask = _number(random)
    conditions = [
        terms.sle(word, terms.const(high)),
        terms.sle(terms.const(low), word),
        terms.eq(terms.bit_and(word, terms.const(mask)), terms.const(value & mask)),
        terms.ule(word, terms.const(value | _number(random) & (HALF - 1))),
    ]
    return [c for c in random.sample(conditions, 2) if evaluate([c], {word.value: value}, 64) == [True]]


@pytest.mark.parametrize("kind", [*WORDS, *PREDICATES])
def test_values_stay_what_they_are(kind: str) -> None:
    random, changed = Random(kind), 0
    for _ in range(50):
        terms = ObjectTerms(64, Layout())
        x, y = terms.var("x"), terms.var("y")
        values = {"x": _number(random), "y": _number(random)}
        values = {name: terms.concrete.const(value) for name, value in values.items()}
        facts = BoundedFacts(terms)
        for word in (x, y):
            for condition in _true_of(random, terms, word, values[word.value]):
                facts.assume(condition)
        assert not facts.contradiction
        operation = getattr(terms, kind)
        first = getattr(terms, random.choice(WORDS))(x, terms.const(_number(random)))
        for a in (x, first):
            for b in (y, terms.const(_number(random))):
                term = operation(a, b)
                new = facts.rebuild(term)
                changed += new is not term
                assert evaluate([term], values, 64) == evaluate([new], values, 64), (term, new, facts.learned, values)
    assert changed > 20


@pytest.mark.parametrize("kind", WORDS)
def test_comparisons_of_results(kind: str) -> None:
    """At width 4: an operation with a constant, compared with a constant, where little is known of its operand."""
    random, changed = Random(kind), 0
    for first in range(-8, 8):
        terms = ObjectTerms(4, Layout())
        x, c = terms.var("x"), terms.const
        word = getattr(terms, kind)(x, c(first))
        known = random.choice([terms.sle(c(-2), x), terms.slt(x, c(3)), terms.ult(x, c(6)), terms.slt(x, terms.zero)])
        facts = BoundedFacts(terms)
        facts.assume(known)
        values = [value for value in range(-8, 8) if evaluate([known], {"x": value}, 4) == [True]]
        for predicate in PREDICATES:
            for second in range(-8, 8):
                term = getattr(terms, predicate)(word, c(second))
                new = facts.rebuild(term)
                changed += new is not term
                for value in values:
                    assert evaluate([term], {"x": value}, 4) == evaluate([new], {"x": value}, 4), (known, term, new)
    assert changed > 100


@pytest.mark.parametrize(
    ("condition", "one", "other"),
    [
        ("x >= 0", "ashr(x, 3)", "lshr(x, 3)"),
        ("x >= 0", "sdiv(x, 12)", "udiv(x, 12)"),
        ("x >= 0", "fdiv(x, 12)", "udiv(x, 12)"),
        ("x >= 0", "srem(x, 8)", "bit_and(x, 7)"),
        ("x >= 0", "slt(x, 1)", "eq(x, 0)"),
        ("x >= 0", "ult(x, 12)", "slt(x, 12)"),
        ("x >= 0", "ite(slt(x, 0), 0, x)", "x"),
        ("x < 16 unsigned", "bit_and(x, 255)", "x"),
        ("x < 16 unsigned", "bit_or(x, 32)", "add(x, 32)"),
        ("x < 16 unsigned", "bit_xor(x, 32)", "bit_or(x, 32)"),
        ("x < 16 unsigned", "ashr(shl(x, 59), 59)", "x"),
        ("x < 16 unsigned", "fmod(x, 16)", "x"),
        ("x < 16 unsigned", "bit_or(x, shl(y, 4))", "add(x, shl(y, 4))"),
        ("x >= 0", "add_overflows(x, 5)", "not_(slt(x, 9223372036854775803))"),
        ("x >= 0", "add_overflows(x, -8)", "sub_overflows(x, 8)"),
    ],
)
def test_one_form(condition: str, one: str, other: str) -> None:
    terms = ObjectTerms(64, Layout())
    facts = BoundedFacts(terms)
    x = terms.var("x")
    names = {name: getattr(terms, name) for name in (*WORDS, *PREDICATES, "not_", "ite")}

    def term(text: str) -> Term:
        made: Term = eval(_with_constants(text), {"x": x, "y": terms.var("y"), "const": terms.const, **names})
        return made

    facts.assume(terms.sle(terms.zero, x) if condition == "x >= 0" else terms.ult(x, terms.const(16)))
    assert facts.rebuild(term(one)) is facts.rebuild(term(other))


def _with_constants(text: str) -> str:
    return re.sub(r"-?\b\d+", lambda number: f"const({number[0]})", text)


def test_proofs_by_denial() -> None:
    """Each is shown only by what its denial says of parts."""
    terms = ObjectTerms(64, Layout())
    x, y, c = terms.var("x"), terms.var("y"), terms.const
    more = terms.add(x, terms.one)
    facts = BoundedFacts(terms)
    facts.assume(terms.not_(terms.add_overflows(x, terms.one)))
    facts.assume(terms.eq(terms.lshr(more, c(11)), terms.zero))
    facts.assume(terms.not_(terms.ult(more, c(3))))
    assert facts.proves(terms.not_(terms.slt(x, c(2))))
    assert facts.proves(terms.slt(x, c(2047)))
    assert not facts.proves(terms.not_(terms.slt(x, c(3))))
    assert not facts.proves(terms.slt(x, c(2046)))
    signs = BoundedFacts(terms)
    clamped = terms.ite(terms.slt(x, terms.zero), terms.zero, x)
    assert signs.proves(terms.not_(terms.slt(clamped, c(-1))))
    choice = terms.ite(terms.slt(y, terms.one), c(2), c(3))
    in_cases = terms.eq(choice, terms.sub(c(3), terms.bit(terms.sle(y, terms.zero))))
    assert signs.proves_by_cases(in_cases)
    assert not signs.contradiction
    assert not signs.learned


def test_what_is_known_may_be_false_by_bounds_that_were_learned_later() -> None:
    terms = ObjectTerms(64, Layout())
    x, c = terms.var("x"), terms.const
    facts = BoundedFacts(terms)
    facts.assume(terms.ult(x, terms.fmod(x, c(10))))  # so that x is less than 9, and the rest is x
    assert facts.proves(terms.false)
    others = BoundedFacts(terms)
    others.assume(terms.ult(x, terms.fmod(terms.var("y"), c(10))))
    assert not others.proves(terms.false)
