"""Whatever the rungs without a solver say is so on all values: random conditions and claims, every value of width 4.

Random terms over two variables, of all kinds, under up to four random conditions: what a term is rebuilt to has its
value, its bounds contain it, what is proved holds, and where the conditions are said to contradict each other, no value
satisfies them all.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from random import Random

import pytest
from columns import Columns

from optimizer.ir.domains.term import Term
from optimizer.ir.types.layout import Layout
from validator.prove.facts.bounded_facts import BoundedFacts
from validator.prove.facts.facts import Facts
from validator.prove.terms.object_terms import ObjectTerms

WIDTH = 4
VALUES = range(-8, 8)
STATES = list(itertools.product(VALUES, VALUES))
UNARY = ("neg", "bit_not")
BINARY = (
    *("add", "add", "sub", "mul", "umulh", "udiv", "sdiv", "srem", "fdiv", "fmod"),
    *("bit_and", "bit_and", "bit_or", "bit_xor", "shl", "lshr", "ashr"),
)
SHIFTS = ("shl", "lshr", "ashr", "udiv", "sdiv", "fdiv")
PREDICATES = ("eq", "eq", "slt", "slt", "ult", "ult", "add_overflows", "sub_overflows", "mul_overflows")


@dataclass
class Case:
    """Random words and conditions, and the conditions that are assumed."""

    terms: ObjectTerms
    words: list[Term]
    conditions: list[Term]
    assumed: list[Term]


def _case(seed: int) -> Case:
    random = Random(seed)
    terms = ObjectTerms(WIDTH, Layout())
    words, conditions = [terms.var("x"), terms.var("y")], [terms.true]

    def word() -> Term:
        return terms.const(random.randrange(-8, 8)) if random.random() < 0.45 else random.choice(words)

    while len(words) + len(conditions) < 14 or len(conditions) < 2:
        match random.randrange(8):
            case 0:
                words.append(getattr(terms, random.choice(UNARY))(random.choice(words)))
            case 1 | 2:
                words.append(getattr(terms, random.choice(BINARY))(random.choice(words), word()))
            case 3:
                amount = terms.const(random.randrange(1, 4))
                words.append(getattr(terms, random.choice(SHIFTS))(random.choice(words), amount))
            case 4 | 5 | 6:
                conditions.append(getattr(terms, random.choice(PREDICATES))(random.choice(words), word()))
            case _ if len(conditions) > 2:
                c, d = random.sample(conditions, 2)
                c, d = (each if random.random() < 0.5 else terms.not_(each) for each in (c, d))
                conditions.append(random.choice([terms.both, terms.either])(c, d))
                words.append(terms.ite(c, word(), word()))
    assumed = random.choices(conditions[1:], k=random.randrange(1, 5))
    assumed = [c if random.random() < 0.5 else terms.not_(c) for c in assumed]
    return Case(terms, words, conditions, assumed)


@pytest.mark.parametrize("block", range(2))
def test_whatever_the_rungs_say_is_so(block: int) -> None:
    proved = rebuilt = narrowed = contradictions = 0
    for seed in range(block * 500, block * 500 + 500):
        case = _case(seed)
        columns = Columns("xy", STATES, WIDTH)
        plain, facts = Facts(case.terms), BoundedFacts(case.terms)
        for condition in case.assumed:
            plain.assume(condition)
            facts.assume(condition)
        left = columns.where(case.assumed)
        contradictions += facts.contradiction
        assert not (left and (facts.contradiction or plain.contradiction)), (seed, case.assumed)
        for claim in (*case.conditions, *map(case.terms.not_, case.conditions)):
            if facts.proves_by_cases(claim):
                proved += 1
                column = columns.of(claim)
                assert all(column[i] for i in left), (seed, case.assumed, claim)
        for term in (*case.words, *case.conditions):
            column = columns.of(term)
            for known in (plain, facts):
                new = known.rebuild(term)
                rebuilt += new is not term
                other = columns.of(new)
                assert all(column[i] == other[i] for i in left), (seed, case.assumed, term, new)
        for term in case.words:
            bounds, column = facts.bounds(term), columns.of(term)
            narrowed += bounds.mask != 15
            inside = (
                -8 <= bounds.low <= column[i] <= bounds.high and not (column[i] ^ bounds.value) & 15 & ~bounds.mask
                for i in left
            )
            assert all(inside), (seed, case.assumed, term, bounds)
    assert proved > 500
    assert rebuilt > 500
    assert narrowed > 500
    assert contradictions > 10
