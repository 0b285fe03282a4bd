"""Rebuilding a term under facts changes its value on no input on which they hold."""

from __future__ import annotations

import itertools
from random import Random

import pytest

from optimizer.ir.layout import Layout
from optimizer.ir.term import Term, evaluate
from validator.facts import Facts
from validator.object_terms import SimplifyingObjectTerms

WIDTH = 4
WORDS = ["add", "sub", "mul", "bit_and", "bit_or", "bit_xor", "shl", "ashr", "srem", "fmod", "udiv"]
ORDERS = ["eq", "eq", "slt", "ult", "add_overflows", "mul_overflows"]


class Built:
    """Random words and conditions over three variables."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.terms = SimplifyingObjectTerms(WIDTH, Layout())
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


@pytest.mark.parametrize("block", range(8))
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
        facts = facts.extended(assumed[:1])
        roots = [*built.words, *built.conditions]
        rebuilt = [facts.rebuild(root) for root in roots]
        changed += sum(new is not old for new, old in zip(rebuilt, roots, strict=True))
        values = range(-8, 8)
        reached = False
        for x, y, z in itertools.product(values, values[::3], values):
            known = {"x": x, "y": y, "z": z}
            if not all(evaluate(assumed, known, WIDTH)):
                continue
            reached = True
            assert evaluate(roots, known, WIDTH) == evaluate(rebuilt, known, WIDTH), (assumed, known)
        assert not (reached and facts.contradiction), assumed
        contradictions += facts.contradiction
    assert changed > 50
    assert contradictions > 0


def test_what_facts_say() -> None:
    terms = SimplifyingObjectTerms(64, Layout())
    x, y, z = map(terms.var, "xyz")
    facts = Facts(terms)
    facts.assume(terms.eq(terms.add(x, terms.const(3)), terms.const(8)))
    assert facts.rebuild(terms.mul(x, y)) is terms.mul(y, terms.const(5))
    facts.assume(terms.slt(y, z))
    assert facts.rebuild(terms.slt(z, y)) is terms.false
    assert facts.rebuild(terms.eq(y, z)) is terms.false
    assert facts.rebuild(terms.sle(y, z)) is terms.true
    later = facts.extended([terms.eq(z, x)])
    assert later.rebuild(terms.bit_xor(z, terms.const(5))) is terms.zero
    assert facts.rebuild(terms.bit_xor(z, terms.const(5))) is not terms.zero
    assert not later.contradiction
    assert later.extended([terms.eq(z, terms.one)]).contradiction
