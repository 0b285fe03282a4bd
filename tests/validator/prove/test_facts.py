"""Rebuilding a term under facts changes its value on no input on which they hold."""

from __future__ import annotations

import itertools
from random import Random

import pytest
from columns import Columns

from optimizer.ir.domains.term import Term, evaluate
from optimizer.ir.types.layout import Layout
from validator.prove.facts.bounded_facts import BoundedFacts
from validator.prove.facts.facts import Facts
from validator.prove.terms.object_terms import ObjectTerms

WIDTH = 4
STATES = list(itertools.product(range(-8, 8), range(-8, 8, 3), range(-8, 8)))
WORDS = ["add", "sub", "mul", "bit_and", "bit_or", "bit_xor", "shl", "ashr", "srem", "fmod", "udiv"]
ORDERS = ["eq", "eq", "slt", "ult", "add_overflows", "sub_overflows", "mul_overflows"]


class Built:
    """Random words and conditions over three variables."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.terms = ObjectTerms(WIDTH, Layout())
        self.words: list[Term] = [self.terms.var(name) for name in "xyz"]
        self.conditions: list[Term] = []
        for _ in range(12):
            self.step()

    def step(self) -> None:
        terms, random = self.terms, self.random
        a, b = random.choice(self.words), random.choice([*self.words, terms.const(random.randrange(-8, 8))])
        match random.randrange(5):
            case 0 | 1:
                self.words.append(getattr(terms, random.choice(WORDS))(a, b))
            case 2 | 3:
                self.conditions.append(getattr(terms, random.choice(ORDERS))(a, b))
            case _ if len(self.conditions) > 1:
                c, d = random.sample(self.conditions, 2)
                self.conditions.append(random.choice([terms.both(c, d), terms.either(c, d), terms.not_(c)]))
                self.words.append(terms.ite(c, a, b))


@pytest.mark.parametrize("block", range(5))
def test_rebuilt_terms_mean_the_same(block: int) -> None:
    changed = contradictions = 0
    for seed in range(60):
        built = Built(1000 * block + seed)
        if not built.conditions:
            continue
        facts = Facts(built.terms)
        assumed = built.random.choices(built.conditions, k=built.random.randrange(1, 4))
        assumed = [c if built.random.random() < 0.6 else built.terms.not_(c) for c in assumed]
        for condition in assumed[1:]:
            facts.assume(condition)
        facts.mark()
        facts.assume(assumed[0])
        both = {root: new for root in (*built.words, *built.conditions) if (new := facts.rebuild(root)) is not root}
        changed += len(both)
        if not both and not facts.contradiction:
            continue
        columns = Columns("xyz", STATES, WIDTH)
        reached = columns.where(assumed)
        for one, other in both.items():
            was, now = columns.of(one), columns.of(other)
            assert all(was[i] == now[i] for i in reached), (assumed, one, other)
        assert not (reached and facts.contradiction), assumed
        contradictions += facts.contradiction
    assert changed > 50
    assert contradictions > 0


def test_what_facts_say() -> None:
    terms = ObjectTerms(64, Layout())
    x, y, z = map(terms.var, "xyz")
    facts = Facts(terms)
    facts.assume(terms.eq(terms.add(x, terms.const(3)), terms.const(8)))
    assert facts.rebuild(terms.mul(x, y)) is terms.mul(y, terms.const(5))
    facts.assume(terms.slt(y, z))
    assert facts.rebuild(terms.slt(z, y)) is terms.false
    assert facts.rebuild(terms.eq(y, z)) is terms.false
    assert facts.rebuild(terms.sle(y, z)) is terms.true
    facts.mark()
    facts.assume(terms.eq(z, x))
    assert facts.rebuild(terms.bit_xor(z, terms.const(5))) is terms.zero
    assert not facts.contradiction
    facts.mark()
    facts.assume(terms.eq(z, terms.one))
    assert facts.contradiction
    facts.take_back()
    assert not facts.contradiction
    facts.take_back()
    assert facts.rebuild(terms.bit_xor(z, terms.const(5))) is not terms.zero


def test_facts_are_taken_back() -> None:
    """What was rebuilt under one condition more is rebuilt without it afterwards."""
    for seed in range(200):
        built = Built(seed)
        if len(built.conditions) < 2:
            continue
        roots = [*built.words, *built.conditions]
        facts, alone = Facts(built.terms), Facts(built.terms)
        for known in (facts, alone):
            known.assume(built.conditions[0])
        facts.mark()
        facts.assume(built.conditions[1])
        for root in roots:
            facts.rebuild(root)
        facts.take_back()
        assert facts.learned == alone.learned
        assert facts.contradiction == alone.contradiction
        assert [facts.rebuild(root) for root in roots] == [alone.rebuild(root) for root in roots]


@pytest.mark.parametrize("kind", ["add", "sub"])
def test_what_sums_that_do_not_overflow_say(kind: str) -> None:
    """They give their words back without overflow. Whatever is said of what is done next is so for all words."""
    terms = ObjectTerms(WIDTH, Layout())
    x, y = terms.var("x"), terms.var("y")
    states = [{"x": i, "y": j} for i in range(-8, 8) for j in range(-8, 8)]
    for a, b in itertools.product((x, terms.const(3), terms.const(-8)), (x, y, terms.const(5), terms.const(-8))):
        overflows, result = getattr(terms, f"{kind}_overflows")(a, b), getattr(terms, kind)(a, b)
        facts = Facts(terms)
        facts.assume(terms.not_(overflows))
        next_ones = itertools.product(("add", "sub"), ((result, a), (result, b), (a, result), (b, result)))
        claims = [getattr(terms, f"{other}_overflows")(*args) for other, args in next_ones]
        rebuilt = list(map(facts.rebuild, claims))
        assert (a, b) != (x, y) or facts.rebuild(claims[5 if kind == "add" else 6]) is terms.false
        for state in states:
            fails, *values = evaluate([overflows, *claims, *rebuilt], state, WIDTH)
            assert fails or facts.contradiction or values[: len(claims)] == values[len(claims) :]
            assert fails or not facts.contradiction


def test_what_comparisons_say() -> None:
    terms = ObjectTerms(64, Layout())
    x, y = map(terms.var, "xy")
    for order in (terms.slt, terms.ult):
        facts = Facts(terms)
        facts.assume(terms.not_(order(x, y)))
        assert facts.rebuild(order(y, x)) is order(y, x)
        facts.mark()
        facts.assume(terms.ne(x, y))
        assert facts.rebuild(order(y, x)) is terms.true
        facts.take_back()
        facts.assume(terms.not_(order(y, x)))
        assert facts.rebuild(y) is facts.rebuild(x)
    facts = Facts(terms)
    facts.assume(terms.ne(x, terms.zero))
    facts.assume(terms.eq(y, terms.zero))
    assert facts.rebuild(terms.ult(y, x)) is terms.true


@pytest.mark.parametrize("seed", range(20))
def test_bounded_facts_follow(seed: int) -> None:
    """What is known with bounds is what is known by conditions that were assumed from the start, whatever else was
    followed before."""
    built = Built(seed)
    random, conditions, roots = built.random, built.conditions or [built.terms.true], [*built.words, *built.conditions]
    facts, bounded = Facts(built.terms), BoundedFacts(built.terms)
    marks = 0
    for _ in range(12):
        if marks and random.random() < 0.4:
            facts.take_back()
            marks -= 1
        else:
            facts.mark()
            marks += 1
            for condition in random.choices(conditions, k=random.randrange(3)):
                facts.assume(condition)
        if not facts.contradiction and random.random() < 0.7:
            bounded.follow(facts)
            fresh = BoundedFacts(built.terms)
            fresh.follow(facts)
            assert bounded.contradiction == fresh.contradiction
            if not fresh.contradiction:
                assert list(map(bounded.rebuild, roots)) == list(map(fresh.rebuild, roots))
