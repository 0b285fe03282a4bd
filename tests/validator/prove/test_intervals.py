"""What intervals decide is so on every input on which the assumed conditions hold."""

from __future__ import annotations

import itertools
import time

import pytest
from pairs import judge
from test_facts import WIDTH, Built

from optimizer.ir.domains.term import Term, evaluate
from optimizer.ir.types.layout import Layout
from validator.prove.facts.intervals import Intervals
from validator.prove.terms.object_terms import ObjectTerms
from validator.verdict import Proved


def _under(terms: ObjectTerms, conditions: list[Term]) -> Intervals:
    intervals = Intervals(terms)
    for condition in conditions:
        intervals.assume(condition)
    return intervals


@pytest.mark.parametrize("block", range(8))
def test_decided_claims_are_right(block: int) -> None:
    decided = contradictions = 0
    for seed in range(80):
        built = Built(5000 * block + seed)
        if not built.conditions:
            continue
        assumed = built.random.choices(built.conditions, k=built.random.randrange(1, 5))
        assumed = [c if built.random.random() < 0.6 else built.terms.not_(c) for c in assumed]
        intervals = _under(built.terms, assumed)
        truths = [intervals.truth(claim) for claim in built.conditions]
        decided += sum(truth is not None for truth in truths)
        contradictions += intervals.contradiction
        for x, y, z in itertools.product(range(-8, 8), repeat=3):
            known = {"x": x, "y": y, "z": z}
            if (x + 3 * y + z) % 3 == 0 and all(evaluate(assumed, known, WIDTH)):
                assert not intervals.contradiction, assumed
                for truth, value in zip(truths, evaluate(built.conditions, known, WIDTH), strict=True):
                    assert truth is None or truth == value, (assumed, known)
    assert decided > 100
    assert contradictions > 0


def test_what_intervals_decide() -> None:
    terms = ObjectTerms(64, Layout())
    x, y = terms.var("x"), terms.var("y")
    ten, fifteen = terms.const(10), terms.const(15)
    total = terms.add(x, ten)
    below = terms.slt(total, fifteen)
    wrapped = _under(terms, [below])
    assert wrapped.truth(terms.slt(x, terms.const(6))) is None
    exact = _under(terms, [terms.not_(terms.add_overflows(x, ten)), below])
    assert exact.truth(terms.slt(x, terms.const(6))) is True
    assert exact.truth(terms.slt(x, terms.const(4))) is None
    masked = _under(terms, [terms.eq(terms.bit_and(x, terms.const(7)), terms.const(3))])
    assert masked.truth(terms.eq(terms.bit_and(x, terms.one), terms.zero)) is False
    assert masked.truth(terms.eq(x, terms.const(3))) is None
    assert masked.truth(terms.eq(terms.bit_and(x, terms.const(8)), terms.zero)) is None
    small = _under(terms, [terms.ult(x, ten), terms.ult(y, ten)])
    assert small.truth(terms.mul_overflows(x, y)) is False
    assert small.truth(terms.add_overflows(x, terms.const(2**62))) is False
    assert _under(terms, [terms.slt(x, ten), terms.slt(fifteen, x)]).contradiction


@pytest.mark.usefixtures("no_samples")
def test_bounds_of_many_uses_are_looked_at_in_part() -> None:
    """Each of many conditions on one variable used to look at all others again."""
    lines = "".join(f"i{k + 1} = int_lt(i0, {4000 - k})\nguard_true(i{k + 1}) [i0]\n" for k in range(600))
    before = f"[i0, i9999]\n{lines}jump(i0)\n"
    after = before.replace("int_lt(i0, 3401)", "int_lt(i9999, 3401)")
    start = time.process_time()
    assert not isinstance(judge(before, after), Proved)
    assert time.process_time() - start < 20
