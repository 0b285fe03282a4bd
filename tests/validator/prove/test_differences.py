"""Chains of comparisons: what follows from them is proved, and nothing else is."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from optimizer.ir.domains.term import Term, evaluate
from optimizer.ir.types.layout import Layout
from validator.prove.facts.bounded_facts import BoundedFacts
from validator.prove.terms.object_terms import ObjectTerms

WIDTH = 3


def _facts(*conditions: Term, terms: ObjectTerms) -> BoundedFacts:
    facts = BoundedFacts(terms)
    for condition in conditions:
        facts.assume(condition)
    return facts


def test_a_slice_is_within_the_string() -> None:
    t = ObjectTerms(64, Layout())
    start, stop, length = map(t.var, ("start", "stop", "length"))
    zero = t.const(0)
    facts = _facts(
        t.sle(zero, start), t.sle(zero, stop), t.sle(zero, length),
        t.sle(start, stop), t.not_(t.eq(start, stop)), t.sle(stop, length),
        terms=t,
    )  # fmt: skip
    count = t.sub(stop, start)
    claims = [t.slt(zero, count), t.ule(start, length), t.ule(count, t.sub(length, start)), t.slt(start, length)]
    for claim in claims:
        assert facts.proves_by_cases(claim)
    both = t.both(claims[1], claims[2])
    assert facts.proves_by_cases(both)
    for claim in (t.slt(start, t.sub(stop, t.const(1))), t.slt(stop, length), t.slt(count, length)):
        assert not facts.proves_by_cases(claim)


def test_what_may_wrap_around_is_no_sum() -> None:
    t = ObjectTerms(64, Layout())
    x, y = t.var("x"), t.var("y")
    assert not _facts(t.slt(x, y), terms=t).proves(t.slt(t.add(x, t.const(1)), t.add(y, t.const(1))))
    assert not _facts(t.slt(x, y), terms=t).proves(t.slt(t.const(0), t.sub(y, x)))
    assert not _facts(t.slt(x, y), terms=t).proves(t.ult(x, y))


@pytest.mark.parametrize("seed", range(12))
def test_claims_hold_wherever_the_conditions_do(seed: int) -> None:
    """All values of three words of 3 bits: nothing wrong follows."""
    random, t = Random(seed), ObjectTerms(WIDTH, Layout())
    words = [t.var(name) for name in "xyz"]
    values = [dict(zip("xyz", found, strict=True)) for found in product(range(-4, 4), repeat=3)]
    pool = [*words, *(t.const(number) for number in (-1, 0, 1, 3))]
    pool += [getattr(t, random.choice(("add", "sub")))(random.choice(pool), random.choice(pool)) for _ in range(4)]

    def comparison() -> Term:
        made: Term = getattr(t, random.choice(("slt", "sle", "ult", "ule", "eq")))(*random.sample(pool, 2))
        return random.choice((made, t.not_(made)))

    proved = 0
    for _ in range(30):
        conditions = [comparison() for _ in range(random.randrange(2, 5))]
        facts = _facts(*conditions, terms=t)
        claims = [claim for claim in [comparison() for _ in range(6)] if facts.proves(claim)]
        proved += len(claims)
        for one in values if claims else ():
            if all(evaluate(conditions, one, WIDTH)):
                assert all(evaluate(claims, one, WIDTH)), (conditions, claims)
    assert proved
